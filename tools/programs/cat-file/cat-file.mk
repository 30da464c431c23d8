# SPDX-License-Identifier: GPL-2.0-only

zio_objs += programs/cat-file/main.o
need_jansson += programs/cat-file/main.o
