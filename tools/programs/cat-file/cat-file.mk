# SPDX-License-Identifier: GPL-2.0-only

zio-cat-file_objs = programs/cat-file/main.o
