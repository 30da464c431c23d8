/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-buffer.h: the interface for buffer types
 *
 * A buffer type owns the memory of a channel's blocks and nothing else: the queue of finished
 * blocks belongs to the core. buffers/zio-buf-kmalloc.c is the simplest one.
 */
#ifndef _LINUX_ZIO_BUFFER_H
#define _LINUX_ZIO_BUFFER_H

#include <linux/atomic.h>
#include <linux/kobject.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/minmax.h>
#include <linux/refcount.h>
#include <linux/stddef.h>
#include <linux/workqueue.h>
#include <linux/zio-program.h>
#include <linux/zio.h>

struct zio_buffer;
struct zio_dma_map;
struct zio_snapshot;

/**
 * struct zio_mem - counts the users of a block's memory: see zio-core/engine/mem.c
 * @ref: number of users
 * @buf: the buffer of the block; the last user drops this reference
 */
struct zio_mem {
	struct kref ref;
	struct zio_buffer *buf;
};

/**
 * struct zio_block_core - a block as its buffer type and the core see it
 * @block: what drivers see. The buffer type sets its @values to zio_buffer_values_size()
 *         zeroed bytes, or leaves it NULL if that is 0
 * @mem_offset: offset of the data in the channel's mapping, in bytes; set by the buffer type
 * @free: for the buffer type's use
 * @gen: for the buffer type's use
 * @dma: the DMA mapping of the block's memory, or NULL; set by the buffer type
 */
struct zio_block_core {
	struct zio_block block;
	u64 mem_offset;
	struct llist_node free;
	unsigned int gen;
	struct zio_dma_map *dma;
	/* private: core */
	u32 seq;
	u32 lost; /* in front of the block, and of the events: see ZIO_ATTR_TRIG_LOST */
	u32 missed;
	bool ctrl_seen;
	struct zio_snapshot *snap;
	union {
		struct list_head link; /* of unread blocks */
		struct rcu_head rcu; /* the engine may just look at it: zio_channel_pop_unread() */
		struct zio_block_core *next; /* of a session */
	};
	size_t used;
	struct zio_mem *mem; /* its users; NULL: the owner of the block alone */
	struct zio_mem *borrowed; /* output: used in place of its own memory */
	union {
		struct zio_mem share; /* input: for @mem, see share.c */
		struct {
			void *data;
			size_t size;
		} own; /* output: its own memory, while @borrowed is set */
	};
};

#define to_block_core(_block)	container_of(_block, struct zio_block_core, block)

/**
 * struct zio_area - memory that users can map
 * @mem: the memory, page aligned
 * @size: bytes, whole pages
 * @ref: references of its owner and of each mapping
 * @maps: number of mappings; negative once it is retired and cannot be mapped any more
 * @charge: of the process that has made it, for a set with ZIO_CSET_MAPPED
 * @rcu: for the core's use
 */
struct zio_area {
	void *mem;
	size_t size;
	struct kref ref;
	atomic_t maps;
	struct zio_charge charge;
	struct rcu_head rcu;
};

struct zio_area *zio_area_alloc(struct zio_buffer *buf, size_t size);
void zio_area_put(struct zio_area *area);
bool zio_area_retire(struct zio_area *area);

/**
 * struct zio_buffer - the buffer of one channel
 * @kobj: directory in sysfs
 * @type: type of the buffer
 * @chan: the channel, as the core sees it
 * @priv: for the type's use
 * @area: memory of its blocks, if users can map it; else NULL. The type sets it in
 *        @commit
 * @trailer: bytes that the board may write behind @block_size bytes of a block
 * @one_piece: the board takes each block as one segment: zio_dma_map_place() finds where one
 *             fits
 * @block_size: maximum bytes of the samples of a block
 * @len: maximum number of blocks
 * @kb: KiB of the area, for types that have one; else 0
 * @prefer_new: if no block is free, the core drops the oldest queued one
 * @watermark: number of queued blocks at which the core wakes a sleeping reader
 */
struct zio_buffer {
	struct kobject kobj;
	const struct zio_buffer_type *type;
	struct zio_channel_core *chan;
	void *priv;
	struct zio_area *area;
	unsigned int trailer;
	bool one_piece;
	/* the core sets these after @commit */
	struct_group_tagged(zio_geometry, geometry, size_t block_size; u32 len; u32 kb;);
	bool prefer_new;
	unsigned int watermark;
	/* private: core */
	bool user_len; /* a user has chosen @len */
	refcount_t ref;
	struct work_struct end_work;
	struct zio_block **slot; /* for the queue of its channel */
};

/**
 * struct zio_buffer_ops - memory for the blocks of one channel
 * @create: process context, may sleep. Allocates @priv; no block exists yet.
 * @destroy: process context. All blocks have been put.
 * @prepare: process context, may sleep. Allocates zeroed blocks of this
 *        geometry, and does not change blocks in use. Returns the argument of
 *        @commit or @discard; or an ERR_PTR: -ENOMEM, -EINVAL or -ENOSPC for a
 *        geometry that this type cannot do. A type with an area sets a @kb of 0.
 * @commit: process context. No get_block() runs meanwhile, and put_block() only for blocks
 *        that outputs or dma-bufs use. The prepared blocks replace the free ones; blocks of
 *        the former geometry are freed later. @commit must not fail if only @block_size has
 *        changed. Otherwise it may return -EBUSY, and @discard follows. A type with an area
 *        may move the blocks in use that have no @mem: their readers wait meanwhile.
 * @discard: frees the result of @prepare.
 * @get_block: any context; one caller at a time. Returns a free block, or NULL. Under
 *        PREEMPT_RT the context may be a hard interrupt handler: take no spinlock_t.
 * @put_block: context as @get_block; calls may run concurrently. Takes a block back.
 * @get_blocks: optional; as @get_block, for up to @n blocks. Stores pointers to them from
 *        @slot on with WRITE_ONCE(), because another context may load an old slot
 *        meanwhile. Returns their number. Fewer than @n does not mean that no more are free.
 * @put_blocks: optional; as @put_block, for @n blocks.
 * @has_room: context as @get_block. Returns true if @get_block would return a block.
 * @oldest: for types that reuse memory only in the order in which it was reserved; context as
 *        @get_block. Returns the block that all others wait for, or NULL. Such a type has
 *        @cancel. If it also has an area, taps read it without a copy: each block begins
 *        zio_buffer_room() bytes behind the previous one, or at 0 if there is no room.
 * @trim: optional; any context, never concurrent with get_block(). The block that get_block()
 *        returned last needs only block->len bytes: the type takes back the rest.
 * @cancel: optional; context as @get_block, never concurrent with it. Takes back a block that
 *        the driver has not filled. If get_block() returned it last, the type undoes that
 *        call; otherwise it does what @put_block does.
 * @count: returns the number of blocks, of all geometries.
 */
struct zio_buffer_ops {
	int (*create)(struct zio_buffer *buf);
	void (*destroy)(struct zio_buffer *buf);
	void *(*prepare)(struct zio_buffer *buf,
			 struct zio_geometry *geometry);
	int (*commit)(struct zio_buffer *buf, void *prepared);
	void (*discard)(struct zio_buffer *buf, void *prepared);
	struct zio_block *(*get_block)(struct zio_buffer *buf);
	bool (*has_room)(struct zio_buffer *buf);
	void (*put_block)(struct zio_buffer *buf, struct zio_block *block);
	unsigned int (*get_blocks)(struct zio_buffer *buf, struct zio_block **slot,
				   unsigned int n);
	void (*put_blocks)(struct zio_buffer *buf, struct zio_block *const *slot,
			   unsigned int n);
	struct zio_block *(*oldest)(struct zio_buffer *buf);
	void (*trim)(struct zio_buffer *buf, struct zio_block *block);
	void (*cancel)(struct zio_buffer *buf, struct zio_block *block);
	unsigned int (*count)(struct zio_buffer *buf);
};

/**
 * struct zio_buffer_type - a kind of buffer, chosen by name
 * @name: at most ZIO_OBJ_NAME_LEN - 1 characters
 * @owner: THIS_MODULE; held while a channel uses the type
 * @len: initial number of blocks; 0: 16
 * @alloc_mem: optional, for zio_area_alloc(): allocates @size bytes of whole pages, zeroed,
 *             for vfree(). Process context, may sleep. Returns an ERR_PTR on error
 * @ops: the operations
 * @node: for the core's use
 */
struct zio_buffer_type {
	const char *name;
	struct module *owner;
	unsigned int len;
	void *(*alloc_mem)(struct zio_buffer *buf, size_t size);
	const struct zio_buffer_ops *ops;
	struct list_head node;
};

/* The operations of zio-buf-vmalloc: a ring of blocks in one area */
extern const struct zio_buffer_ops zio_area_buffer_ops;

int zio_buffer_type_register(struct zio_buffer_type *type);
void zio_buffer_type_unregister(struct zio_buffer_type *type);
void zio_block_free_snapshot(struct zio_block *block);

bool zio_buffer_is_output(const struct zio_buffer *buf);
size_t zio_buffer_values_size(const struct zio_buffer *buf);
struct device *zio_buffer_dma_dev(const struct zio_buffer *buf);
size_t zio_buffer_dma_size(const struct zio_buffer *buf, size_t size);
struct zio_dma_map *zio_dma_map_create(struct zio_buffer *buf, void *mem, size_t size);
bool zio_dma_map_free(struct zio_dma_map *map);
size_t zio_dma_map_row(const struct zio_dma_map *map, size_t at, size_t len);
size_t zio_dma_map_place(const struct zio_dma_map *map, size_t at, size_t len);

/* Alignment of blocks in an area: sufficient for any sample, and without gaps */
#define ZIO_BLOCK_ALIGN	8

/**
 * zio_buffer_room() - get the number of bytes that a block reserves in an area
 * @buf: the buffer
 * @len: bytes of its samples
 *
 * The trailer, which the board may write, follows the samples. Even an empty block takes
 * room, so that no two blocks have the same offset.
 *
 * Context: Any.
 *
 * Return: the number.
 */
static inline size_t zio_buffer_room(const struct zio_buffer *buf, size_t len)
{
	return ALIGN(max_t(size_t, len + buf->trailer, 1), ZIO_BLOCK_ALIGN);
}

#endif /* _LINUX_ZIO_BUFFER_H */
