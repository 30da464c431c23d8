# SPDX-License-Identifier: GPL-2.0-only

zio-copy_objs = $(addprefix programs/copy/,main.o ends.o mode.o move.o tally.o uring.o)
zio-copy_libs = -ljansson -luring
need_jansson += programs/copy/tally.o
need_liburing += programs/copy/uring.o
