/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-buffer.h: what the author of a buffer type needs
 *
 * A buffer type owns the memory of a channel's blocks, and nothing else: the
 * queue of finished blocks belongs to the core. See buffers/zio-buf-kmalloc.c.
 */
#ifndef _LINUX_ZIO_BUFFER_H
#define _LINUX_ZIO_BUFFER_H

#include <linux/kobject.h>
#include <linux/zio.h>

/**
 * struct zio_buffer - the buffer of one channel
 * @kobj: directory in sysfs
 * @type: type of the buffer
 * @chan: the channel
 * @priv: for the type's use
 * @len: number of blocks, at most
 * @block_size: bytes per block
 * @prefer_new: when no block is free, give up the oldest queued one
 * @watermark: blocks queued before a sleeping reader is woken
 */
struct zio_buffer {
	struct kobject kobj;
	const struct zio_buffer_type *type;
	struct zio_channel *chan;
	void *priv;
	unsigned int len;
	size_t block_size;
	bool prefer_new;
	unsigned int watermark;
};

/**
 * struct zio_buffer_ops - memory for the blocks of one channel
 * @create: process context, may sleep. Makes @priv; no block exists yet.
 * @destroy: process context. All blocks have been put.
 * @prepare: process context, may sleep. Allocates @len zeroed blocks of @size
 *        bytes, and touches nothing that is in use. Returns what @commit or
 *        @discard takes, or an ERR_PTR: -ENOMEM, -EINVAL for a geometry that
 *        this type cannot do.
 * @commit: process context; no get_block() and no put_block() runs. The
 *        prepared blocks take the place of those that are free; older blocks
 *        that are out are freed when they are put. Cannot fail.
 * @discard: frees what @prepare returned.
 * @get_block: any context; one caller at a time. A free block, or NULL.
 * @put_block: any context, several callers at a time. Gives a block back.
 * @count: blocks in existence, of all geometries.
 */
struct zio_buffer_ops {
	int (*create)(struct zio_buffer *buf);
	void (*destroy)(struct zio_buffer *buf);
	void *(*prepare)(struct zio_buffer *buf, size_t size, unsigned int len);
	void (*commit)(struct zio_buffer *buf, void *prepared);
	void (*discard)(struct zio_buffer *buf, void *prepared);
	struct zio_block *(*get_block)(struct zio_buffer *buf);
	void (*put_block)(struct zio_buffer *buf, struct zio_block *block);
	unsigned int (*count)(struct zio_buffer *buf);
};

/**
 * struct zio_buffer_type - a kind of buffer, chosen by name
 * @name: at most ZIO_OBJ_NAME_LEN - 1 characters
 * @owner: THIS_MODULE; held while a channel uses the type
 * @ops: all are mandatory
 * @node: for the core's use
 */
struct zio_buffer_type {
	const char *name;
	struct module *owner;
	const struct zio_buffer_ops *ops;
	struct list_head node;
};

int zio_buffer_type_register(struct zio_buffer_type *type);
void zio_buffer_type_unregister(struct zio_buffer_type *type);
void zio_block_free_snapshot(struct zio_block *block);

#endif /* _LINUX_ZIO_BUFFER_H */
