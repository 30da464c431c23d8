# SPDX-License-Identifier: GPL-2.0-only

zio-dump_objs = $(addprefix programs/dump/,main.o text.o json.o csv.o values.o)
zio-dump_libs = -ljansson
need_jansson += programs/dump/json.o
