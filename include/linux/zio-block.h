/* SPDX-License-Identifier: GPL-2.0-only */
/* zio-block.h: blocks, and the sets and channels that they belong to */
#ifndef _LINUX_ZIO_BLOCK_H
#define _LINUX_ZIO_BLOCK_H

#include <linux/types.h>
#include <linux/zio-user.h>

/**
 * struct zio_block - samples, and the values that differ from block to block
 * @data: @len bytes of samples; the memory belongs to the buffer
 * @size: bytes of memory behind @data
 * @len: bytes of samples, a multiple of the sample size. Input: the number that the
 *       trigger asks for; the driver reduces it if it has fewer. Output: the number to play.
 * @tstamp: time of the event; a driver with a better clock overwrites it
 * @zio_alarms: ZIO_ALARM_* for this block
 * @drv_alarms: the driver's alarms for this block
 * @shot: the shot of its arming, from 0; for the driver to read
 * @values: the values of this block, indexed as the extended attributes of the control; NULL
 *          if its set has no attribute with ZIO_ATTR_PLACE_BLOCK. Input: they begin with the
 *          initial values, and the driver sets them before the block is done. Output: what
 *          the user has written; the driver may change them.
 *
 * A block has exactly one owner: the buffer (free), the driver (armed: from
 * raw_io() to done or stop_io()), the queue, or the user.
 *
 * Only buffer types allocate blocks: see struct zio_block_core in zio-buffer.h.
 */
struct zio_block {
	void *data;
	size_t size;
	size_t len;
	struct zio_timestamp tstamp;
	u8 zio_alarms;
	u8 drv_alarms;
	u16 shot;
	u32 *values;
};

/* The armed blocks of a set, for zio_for_each_block(). */
struct zio_armed {
	struct zio_channel *chan;
	struct zio_block *block;
};

/*
 * What the user has chosen for the blocks of a set: their samples and, with ZIO_CSET_SHOTS,
 * the number of blocks of each channel per arming.
 */
struct zio_shape {
	u64 mask;	/* interleaved set: the channels in a block */
	u32 nshots;
	u32 pre_samples;
	u32 post_samples;
	u32 zero;	/* in place of padding: the core compares all bytes */
};

/**
 * struct zio_cset - a channel set, as its driver sees it
 * @priv: the @priv of zio_device_register()
 * @armed: for zio_for_each_block()
 * @index: position in its device, from 0
 * @shape: see zio_cset_mask() and the functions that follow it
 *
 * The core has further fields, so only the core allocates one.
 */
struct zio_cset {
	void *priv;
	struct zio_armed *armed;
	unsigned int index;
	struct zio_shape shape;
};

/**
 * struct zio_channel - a channel, as its driver sees it
 * @index: position in its set, from 0
 *
 * The core has further fields, so only the core allocates one.
 */
struct zio_channel {
	unsigned int index;
};

/**
 * zio_cset_priv() - get the private data of the registration
 * @cset: the channel set
 *
 * Context: Any.
 *
 * Return: the driver's private data.
 */
static inline void *zio_cset_priv(const struct zio_cset *cset)
{
	return cset->priv;
}

/* Returns the position of a set in its device, from 0. Context: Any. */
static inline unsigned int zio_cset_index(const struct zio_cset *cset)
{
	return cset->index;
}

/*
 * Returns the channels that an interleaved block carries: one bit per channel, bit 0 for the
 * lowest one. Context: Any, in raw_io().
 */
static inline u64 zio_cset_mask(const struct zio_cset *cset)
{
	return cset->shape.mask;
}

/*
 * Returns the number of shots of an arming: 1, or more if the set has ZIO_CSET_SHOTS. Each
 * shot has a block of each channel. Context: Any, in raw_io().
 */
static inline unsigned int zio_cset_nshots(const struct zio_cset *cset)
{
	return cset->shape.nshots;
}

/*
 * Returns the number of samples before the event in each shot: always 0 for a set without
 * ZIO_CSET_PRE_SAMPLES. Context: Any, in raw_io().
 */
static inline unsigned int zio_cset_pre_samples(const struct zio_cset *cset)
{
	return cset->shape.pre_samples;
}

/* Returns the number of samples from the event on in each shot. Context: Any, in raw_io(). */
static inline unsigned int zio_cset_post_samples(const struct zio_cset *cset)
{
	return cset->shape.post_samples;
}

/**
 * zio_cset_block() - get the first armed block of a set
 * @cset: the channel set; one that is interleaved, or has one channel, has no other block
 *
 * Context: Any; as zio_for_each_block().
 *
 * Return: the block.
 */
static inline struct zio_block *zio_cset_block(const struct zio_cset *cset)
{
	return cset->armed->block;
}

/**
 * zio_cset_channel() - get the first armed channel of a set
 * @cset: the channel set; one that is interleaved, or has one channel, has no other channel
 *
 * Context: Any; as zio_for_each_block(). For a stream as zio_for_each_channel().
 *
 * Return: the channel.
 */
static inline struct zio_channel *zio_cset_channel(const struct zio_cset *cset)
{
	return cset->armed->chan;
}

/**
 * zio_channel_index() - get the position of a channel in its set
 * @chan: the channel
 *
 * Context: Any.
 *
 * Return: the index, from 0.
 */
static inline unsigned int zio_channel_index(const struct zio_channel *chan)
{
	return chan->index;
}

/**
 * zio_for_each_block() - visit the armed blocks of a set
 * @cset: the channel set
 * @pos: struct zio_armed pointer, for the macro's use
 * @ch: struct zio_channel pointer, set to the block's channel
 * @blk: struct zio_block pointer, set to the block
 *
 * The loop skips channels that are disabled or have no free block. With several shots it
 * visits the blocks of all channels of the first shot, then those of the second, and so on:
 * see block->shot.
 *
 * Context: Any; in raw_io(), and after ZIO_PENDING until zio_cset_done() or stop_io().
 */
#define zio_for_each_block(cset, pos, ch, blk)				\
	for (struct zio_armed *zio_next = (cset)->armed;		\
	     ((ch) = zio_next->chan) && (((blk) = ((pos) = zio_next)->block), true); \
	     zio_next++)

/**
 * zio_for_each_channel() - visit the armed channels of a set, or the channels of a stream
 * @cset: the channel set
 * @pos: struct zio_armed pointer, for the macro's use
 * @ch: struct zio_channel pointer, set to the channel
 *
 * The loop skips disabled channels. If the set is not a stream, it visits the channels of
 * zio_for_each_block(), each of them once per shot.
 *
 * Context: Any; as zio_for_each_block(). For a stream from raw_io() until stop_io() returns.
 */
#define zio_for_each_channel(cset, pos, ch)				\
	for (struct zio_armed *zio_next = (cset)->armed;		\
	     ((ch) = ((pos) = zio_next)->chan); zio_next++)

#endif /* _LINUX_ZIO_BLOCK_H */
