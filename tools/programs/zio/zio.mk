# SPDX-License-Identifier: GPL-2.0-only

zio_objs += $(addprefix programs/zio/,main.o complete.o holders.o assign.o \
	   get.o set.o save.o restore.o module.o config.o model.o json.o list.o export.o \
	   term.o top.o plot.o clock.o flush.o script.o gnuplot.o)
zio_libs = -ljansson -lm
need_jansson += $(addprefix programs/zio/,get.o json.o list.o top.o)
