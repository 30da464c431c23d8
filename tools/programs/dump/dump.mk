# SPDX-License-Identifier: GPL-2.0-only

zio_objs += $(addprefix programs/dump/,main.o text.o json.o csv.o values.o)
need_jansson += programs/dump/json.o
