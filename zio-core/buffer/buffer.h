/* SPDX-License-Identifier: GPL-2.0-only */
/* buffer.h: buffers of channels, and memory that users can map */
#ifndef _ZIO_BUFFER_H
#define _ZIO_BUFFER_H

#include <linux/async.h>
#include <linux/zio-program.h>

#include "engine/engine.h"

/* buffer.c */
int zio_buffers_init(const struct kobj_type *ktype);
int zio_buffers_create(struct zio_cset_core *cset, const char *name);
void zio_buffers_destroy(struct zio_cset_core *cset);
int zio_buffers_change(struct zio_cset_core *cset, const char *name);
int zio_buffers_resize(struct zio_cset_core *cset, size_t block_len);
u32 zio_buffers_max_shots(const struct zio_cset_core *cset);
int zio_buffer_resize(struct zio_buffer *buf, unsigned int len, unsigned int kb);
void zio_buffers_exit(void);

/* type.c */
ssize_t zio_buffer_list_types(char *page, int at);

/* account.c */
void *zio_user_alloc(size_t bytes);

/* area.c */
struct zio_area *zio_area_get(struct zio_area __rcu **from);

/* dma-map.c */
bool zio_memory_is_below(const void *mem, size_t len, unsigned int bits);
int zio_cset_use_dma(struct zio_cset_core *cset, struct device *dev);
void zio_cset_end_dma(struct zio_cset_core *cset);
bool zio_cset_needs_near_memory(const struct zio_cset_core *cset);

/* Returns true while outputs or dma-bufs use memory of its blocks, or did a moment ago. */
static inline bool zio_buffer_is_shared(const struct zio_buffer *buf)
{
	return refcount_read(&buf->ref) > 1;
}

/* For large allocations: they fail if the user's cgroup has no memory left. */
#define ZIO_GFP_USER	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* An asynchronous probe must not wait for modprobe. */
static inline bool zio_may_load(void)
{
	return !current_is_async();
}

#endif /* _ZIO_BUFFER_H */
