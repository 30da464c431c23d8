# SPDX-License-Identifier: GPL-2.0-only

zio_objs += $(addprefix programs/copy/,main.o cat.o ends.o mode.o move.o tally.o)
need_jansson += programs/copy/tally.o
