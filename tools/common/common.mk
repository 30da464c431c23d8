# SPDX-License-Identifier: GPL-2.0-only
# What the programs share

common_objs = $(addprefix common/,control.o stop.o)
