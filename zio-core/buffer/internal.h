/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: declarations that the files of buffer share */
#ifndef _ZIO_BUFFER_INTERNAL_H
#define _ZIO_BUFFER_INTERNAL_H

#include "buffer/buffer.h"

/* type.c */
const struct zio_buffer_type *zio_buffer_type_get(const char *name);

#endif /* _ZIO_BUFFER_INTERNAL_H */
