/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: declarations that the files of buffer share */
#ifndef _ZIO_BUFFER_INTERNAL_H
#define _ZIO_BUFFER_INTERNAL_H

#include "buffer/buffer.h"

/* type.c */
const struct zio_buffer_type *zio_buffer_type_get(const char *name);

/* area.c */
bool zio_area_fits(size_t size);
struct zio_area *zio_area_of(void *mem, size_t size);

/* dma.c */
struct page *zio_page_of(const void *mem);

/* dma-map.c */
struct device *zio_cset_dma_dev(const struct zio_cset_core *cset);
bool zio_dma_reaches(struct device *dev, const void *mem, size_t len);
void zio_dma_report_reach(const struct zio_buffer *buf, struct device *dev);

#endif /* _ZIO_BUFFER_INTERNAL_H */
