/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * zio.h: read and write the blocks of a ZIO channel
 *
 * A channel is two nodes, one for controls and one for data. This library
 * opens both, keeps them paired, and tells what went wrong in words:
 *
 *	struct zio_channel *ch = zio_open("zzero-0-1", 0, &err);
 *	struct zio_block blk;
 *
 *	while (zio_next(ch, &blk) > 0)
 *		use(blk.control, blk.data, blk.size, blk.lost);
 *	zio_close(ch);
 *
 * A channel may be used by one thread at a time; several channels are
 * independent of each other.
 */
#ifndef LIBZIO_ZIO_H
#define LIBZIO_ZIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/zio-user.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBZIO_VERSION "1.2"

/* A block larger than this is refused until zio_set_max_block(). */
#define ZIO_DEFAULT_MAX_BLOCK ((size_t)256 << 20)

/* As many blocks as one read() of controls takes, unless zio_set_batch(). */
#define ZIO_BATCH 16

struct zio_channel;

/* Why zio_open() failed; @code is an errno. */
struct zio_error {
	int code;
	char text[512];
};

/**
 * struct zio_block - one block, valid until the next call on its channel
 * @control: its control
 * @data: its samples; NULL when there are none or they were not read
 * @size: bytes of its samples, read or not
 * @lost: blocks missing between this one and the one before, from the
 *        sequence numbers; zero for the first block of a channel
 */
struct zio_block {
	const struct zio_control *control;
	const void *data;
	size_t size;
	uint32_t lost;
};

/* What went through the channel since it was opened. */
struct zio_stats {
	uint64_t blocks;
	uint64_t bytes;
	uint64_t lost;
};

enum zio_open_flag {
	ZIO_OPEN_OUTPUT = 1 << 0,	/* write blocks; otherwise read */
	ZIO_OPEN_NONBLOCK = 1 << 1,	/* EAGAIN instead of waiting */
	ZIO_OPEN_CONTROL_ONLY = 1 << 2,	/* leave the data node alone */
	ZIO_OPEN_RING = 1 << 3,		/* these methods, and no other: */
	ZIO_OPEN_MMAP = 1 << 4,		/* the best one of those given */
	ZIO_OPEN_READ = 1 << 5,
	ZIO_OPEN_CREATE = 1 << 6,	/* a block file: make it, or empty it */
	ZIO_OPEN_APPEND = 1 << 7,	/* make it, or add to it */
};

/*
 * zio_open() - open both nodes of a channel, or a block file
 *
 * @name is the path of the data node, of the control node, or their common
 * beginning; without a slash, a channel such as zzero-0-1 or zzero-0000-0-1
 * in /dev/zio or /dev (or the directories of $ZIO_DEV_PATH, colons between).
 * With ZIO_OPEN_CONTROL_ONLY any other character device is taken for a node
 * that carries controls alone.
 *
 * A name that is none of these, of a file or a FIFO, is a block file: blocks, each
 * its control and then its data (Documentation/block-files.md). "-" is one, too:
 * standard input, or output. To be written it has to exist, unless one of
 * ZIO_OPEN_CREATE and ZIO_OPEN_APPEND is given.
 *
 * Of the methods (see zio_method()) it takes the first that the channel offers:
 * ring, mmap, read; of those in @flags, if there are any.
 *
 * Returns NULL with errno set, and the reason in @err unless that is NULL.
 */
struct zio_channel *zio_open(const char *name, int flags,
			     struct zio_error *err);

/* Close it. -1 with errno if an output's last block could not be sent. */
int zio_close(struct zio_channel *ch);

/*
 * zio_next() - read the next block, control and data
 *
 * Returns 1 with @blk filled, 0 at end of file, -1 with errno set and the
 * reason in zio_reason(). After EAGAIN or EINTR, calling it again goes on
 * where it stopped. Other errnos: ENODEV the device is gone, EMSGSIZE the
 * block is over the limit, ENOMEM, EPROTO or EPROTONOSUPPORT the control
 * cannot be understood, ENODATA the data end before the block does.
 */
int zio_next(struct zio_channel *ch, struct zio_block *blk);

/*
 * zio_next_into() - same, with the data in the caller's memory
 *
 * EMSGSIZE if @size is too small: @blk then has the control and the size,
 * and zio_data() or zio_next() may follow. After EAGAIN or EINTR call it
 * again with the same memory.
 */
int zio_next_into(struct zio_channel *ch, struct zio_block *blk, void *mem,
		  size_t size);

/* Read the next control; the data stay in the kernel. Returns as above. */
int zio_next_control(struct zio_channel *ch, struct zio_block *blk);

/*
 * Read the data of the control that zio_next_control() gave. Without it the
 * block's data are skipped by the next control. Returns 1, or -1 as above.
 */
int zio_data(struct zio_channel *ch, struct zio_block *blk);

/*
 * zio_write_block() - send one block
 *
 * @control may be NULL: then only data are written and the kernel cuts them
 * into blocks. Otherwise its nsamples x ssize must be @size (EINVAL).
 * Returns 0, or -1 with errno set; after EAGAIN or EINTR call it again with
 * the same arguments and it goes on where it stopped.
 */
int zio_write_block(struct zio_channel *ch, const struct zio_control *control,
		    const void *data, size_t size);

/*
 * zio_reserve() - memory for the next block of an output
 *
 * Where the channel's memory can be mapped, this is it: the samples are written
 * where the device will take them. @size gets the bytes that fit in. The same
 * memory is returned until zio_commit(). NULL with errno set: as zio_next().
 */
void *zio_reserve(struct zio_channel *ch, size_t *size);

/*
 * zio_commit() - send the first @size bytes of what was reserved
 *
 * Whole samples, at least one. Returns 0, or -1 with errno set; after EAGAIN or
 * EINTR call it again.
 */
int zio_commit(struct zio_channel *ch, size_t size);

/* The same, with the time that the block is to have. */
int zio_commit_at(struct zio_channel *ch, size_t size,
		  const struct zio_timestamp *when);

/*
 * zio_splice() - move the data of a block, unseen
 *
 * Of the block whose control zio_next_control() has given on @in, with @control to
 * go before them. @in is read by the method "read", or is a block file. Returns 0;
 * -1 if @out failed, -2 if @in did, with errno set and the reason with that
 * channel; after EAGAIN or EINTR call it again with the same arguments.
 */
int zio_splice(struct zio_channel *out, struct zio_channel *in,
	       const struct zio_control *control);

/*
 * zio_share() - let an output play the blocks of an input, without a copy
 *
 * Both are channels of this process; @in is not a ring. NULL for @in ends it.
 * Returns 0, or -1 with errno set.
 */
int zio_share(struct zio_channel *out, struct zio_channel *in);

enum zio_submit_flag {
	ZIO_SUBMIT_KEEP = 1 << 0,	/* it goes to further outputs, too */
	ZIO_SUBMIT_ONLY = 1 << 1,	/* fail where it would be copied */
};

/*
 * zio_submit() - play the block that @in gave last
 *
 * Its samples must not have been read: what counts is a control from
 * zio_next_control(), or with the method mmap from any call. Without
 * ZIO_SUBMIT_KEEP the block is gone from @in. Returns 1 if its memory was shared, 0
 * if it was copied, -1 with errno set; after EAGAIN or EINTR call it again.
 */
int zio_submit(struct zio_channel *out, struct zio_channel *in, int flags);

/**
 * struct zio_sharing - what became of the blocks of zio_submit()
 * @shared: blocks whose memory was used by both
 * @copied: blocks that were copied
 * @copied_bytes: of them
 * @why: the errno that told why the last of them could not be shared
 */
struct zio_sharing {
	uint64_t shared;
	uint64_t copied;
	uint64_t copied_bytes;
	int why;
};

const struct zio_sharing *zio_sharing(const struct zio_channel *out);

/* Why a block could not be shared, in words. */
const char *zio_share_reason(int why);

/* A control fit for zio_write_block(): version, endianness, lengths. */
void zio_control_init(struct zio_control *control, uint32_t nsamples,
		      uint16_t ssize);

/* Bytes of data of a block; -1 with errno EOVERFLOW if not countable. */
int zio_control_size(const struct zio_control *control, size_t *size);

/* Refuse blocks of more bytes than this. */
void zio_set_max_block(struct zio_channel *ch, size_t bytes);

/*
 * With the method mmap, take no more blocks at once than this, at most
 * ZIO_BATCH: those that are taken, and never asked for, are lost to others.
 */
void zio_set_batch(struct zio_channel *ch, unsigned int blocks);

/*
 * The descriptor to poll, which changes while a block is half done: ask
 * again before each poll(). POLLIN for input, POLLOUT for output. Try
 * zio_next() first and poll after EAGAIN only: some triggers fire when
 * somebody reads.
 */
int zio_fd(const struct zio_channel *ch);

/*
 * Make a waiting call, and each later one, fail with EINTR or EAGAIN. The
 * only function here that a signal handler may call.
 */
void zio_interrupt(struct zio_channel *ch);

/* Why the last call on this channel failed. */
const char *zio_reason(struct zio_channel *ch);

/*
 * How blocks come: "ring", control and data in mapped memory, without a system
 * call while there are blocks; "mmap", controls by read(), several at once, and
 * data in mapped memory; "read". Of an output: "mmap" or "write". Of a block
 * file: "file".
 */
const char *zio_method(const struct zio_channel *ch);

/* The ZIO_OPEN_ flag of "ring", "mmap", "read"; 0 for "auto"; else -1. */
int zio_method_flag(const char *name);

/* Paths of the nodes; NULL for one that is not open. */
const char *zio_data_path(const struct zio_channel *ch);
const char *zio_control_path(const struct zio_channel *ch);

const struct zio_stats *zio_stats(const struct zio_channel *ch);

/* A block file, standard input or output, rather than a channel. */
bool zio_is_file(const struct zio_channel *ch);

/* Names of standard attributes, those of their sysfs files. */
enum zio_attr_owner {
	ZIO_ATTR_OF_CHANNEL,
	ZIO_ATTR_OF_TRIGGER,
	ZIO_ATTR_OF_BUFFER,
};

/* NULL if no standard attribute has this index. */
const char *zio_attr_name(enum zio_attr_owner owner, unsigned int index);

/* Name of alarm bit @bit of zio_alarms; NULL if it has none. */
const char *zio_alarm_name(unsigned int bit);

/*
 * Alarms by name, commas between, into @text: "lost-block,bit5". Returns the
 * length that the whole text has, as snprintf() does.
 */
int zio_alarm_text(uint8_t alarms, char *text, size_t size);

/* Version of the library that is running. */
const char *zio_version(void);

#ifdef __cplusplus
}
#endif

#endif /* LIBZIO_ZIO_H */
