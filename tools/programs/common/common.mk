# SPDX-License-Identifier: GPL-2.0-only
# What the programs share

common_objs = $(addprefix programs/common/,channel.o complete.o control.o json.o object.o place.o \
	      program.o silence.o stop.o text.o)
common_libs = -lm
need_jansson += programs/common/json.o
