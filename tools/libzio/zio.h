/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * zio.h: read and write the blocks of a ZIO channel
 *
 * A channel is two nodes, one for controls and one for data. This library opens both
 * nodes, keeps them paired, checks the controls, and describes errors in words:
 *
 *	struct zio_channel *ch = zio_open("zzero-0-1", 0, &err);
 *	if (!ch)
 *		errx(1, "%s", err.text);
 *	for (;;) {
 *		int r = zio_next(ch, &blk);
 *		if (r < 0)
 *			errx(1, "%s", zio_reason(ch));
 *		if (!r)
 *			break;
 *		use(blk.control, blk.data, blk.size, blk.lost);
 *	}
 *
 * Only one thread at a time may use a channel; different channels are independent. A
 * function that fails sets errno, and zio_reason() describes it. After EAGAIN or EINTR
 * the caller repeats the call, which then continues where it stopped. A pointer that
 * must not be NULL, and is, gives EINVAL in every function: -1, NULL or false.
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

#define LIBZIO_VERSION "1.3"

/* Bytes of the largest block; zio_set_max_block() changes it. */
#define ZIO_DEFAULT_MAX_BLOCK ((size_t)256 << 20)

struct zio_channel;

/**
 * struct zio_error - why zio_open() failed
 * @code: the errno
 * @text: the description, for a message: names the file and the step
 */
struct zio_error {
	int code;
	char text[512];
};

/**
 * struct zio_block - a block; valid until the next call on its channel
 * @control: its control
 * @data: its samples; NULL if there are none, or if they were not read
 * @size: bytes of its samples, whether they were read or not
 * @lost: blocks missing before this one, by the sequence numbers; 0 for the first block
 */
struct zio_block {
	const struct zio_control *control;
	const void *data;
	size_t size;
	uint32_t lost;
};

/**
 * struct zio_stats - counts since zio_open()
 * @blocks: number of blocks
 * @bytes: bytes of their samples
 * @lost: number of missing blocks, by the sequence numbers
 */
struct zio_stats {
	uint64_t blocks;
	uint64_t bytes;
	uint64_t lost;
};

/**
 * enum zio_open_flag - flags of zio_open()
 * @ZIO_OPEN_OUTPUT: write blocks; the default is to read them
 * @ZIO_OPEN_NONBLOCK: fail with EAGAIN instead of waiting
 * @ZIO_OPEN_CONTROL_ONLY: do not open the data node
 * @ZIO_OPEN_RING: allow the method "ring"; see zio_method()
 * @ZIO_OPEN_READ: allow the method "read". Both methods are allowed if neither of these
 *                 two flags is set
 * @ZIO_OPEN_CREATE: create a block file that does not exist, truncate one that does
 * @ZIO_OPEN_APPEND: create a block file that does not exist, append to one that does
 * @ZIO_OPEN_TAP: look at the newest blocks of an input, and take none from other readers;
 *                only ZIO_OPEN_NONBLOCK goes with it
 * @ZIO_OPEN_AHEAD: read many small blocks of a regular file with one call. The offset of
 *                  zio_fd() is then beyond the block. Nothing else is read ahead, and not "-"
 */
enum zio_open_flag {
	ZIO_OPEN_OUTPUT = 1 << 0,
	ZIO_OPEN_NONBLOCK = 1 << 1,
	ZIO_OPEN_CONTROL_ONLY = 1 << 2,
	ZIO_OPEN_RING = 1 << 3,
	ZIO_OPEN_READ = 1 << 5,
	ZIO_OPEN_CREATE = 1 << 6,
	ZIO_OPEN_APPEND = 1 << 7,
	ZIO_OPEN_TAP = 1 << 8,
	ZIO_OPEN_AHEAD = 1 << 9,
};

/**
 * zio_open() - open a channel, or a block file
 * @name: path of the data node, of the control node, or the beginning of both paths.
 *        If no such path is there, a name as zzero-0-1 or zzero/0/1: its nodes are in
 *        /dev/zio and /dev, or in the directories of $ZIO_DEV_PATH (colons between).
 *        With ZIO_OPEN_CONTROL_ONLY also any other character device, which then
 *        carries only controls. Else a block file, or FIFO, of that name; "-" is
 *        standard input or output
 * @flags: bits of enum zio_open_flag
 * @err: receives the reason of a failure; may be NULL
 *
 * The channel uses the first allowed method that it offers: ring, read. A tap
 * acquires nothing itself: it shows what other programs, or a trigger, acquire. When it
 * is too slow it goes on with a newer block, and zio_block.lost counts what it missed.
 * Documentation/block-files.md describes block files.
 *
 * Context: Any thread. Opening a FIFO waits for its other end.
 * Return: the channel, which the caller closes by zio_close(); or NULL with errno:
 * ENOENT there is no such channel or file; EACCES the permissions, or the direction of
 * the channel, do not allow it; EBUSY another program uses the ring, or a route the
 * channel; EOPNOTSUPP or EINVAL the allowed methods are not offered; ENODEV the device
 * is gone; EPROTO the file to append to ends with a part of a block; EINVAL unknown
 * @flags, or a tap of an output or file; ENOTTY the kernel module has no taps; ENOMEM;
 * and the errors of open(2), eventfd(2) and mmap(2).
 */
struct zio_channel *zio_open(const char *name, int flags,
			     struct zio_error *err);

/**
 * zio_close() - close a channel
 * @ch: the channel, which is freed in any case; may be NULL
 *
 * Context: The thread that uses the channel. Does not wait.
 * Return: 0; or -1 with the errno of close(2), if the last block of an output could
 * not be sent.
 */
int zio_close(struct zio_channel *ch);

/**
 * zio_next() - read the next block, control and data
 * @ch: an input channel
 * @blk: receives the block, whose memory belongs to the library
 *
 * Context: One thread per channel. Waits for a block unless the channel is
 * non-blocking.
 * Return: 1; 0 at end of file; -1 with errno: EAGAIN or EINTR; ENODEV the device is
 * gone; EMSGSIZE the block is larger than the limit of zio_set_max_block(): zio_data()
 * may still read it; ENOMEM; EPROTO or EPROTONOSUPPORT the control is not understood;
 * EOVERFLOW its size cannot be counted; ENODATA the data end within the block; EBUSY
 * another program has the ring; EBADF @ch is an output; and the errors of read(2).
 */
int zio_next(struct zio_channel *ch, struct zio_block *blk);

/**
 * zio_next_into() - read the next block into memory of the caller
 * @ch: an input channel
 * @blk: receives the block; its data are in @mem
 * @mem: memory for the samples
 * @size: bytes of @mem
 *
 * Context: As zio_next().
 * Return: as zio_next(). EMSGSIZE: the block has more than @size bytes; @blk then has
 * its control and size, and zio_data() may read it. EINVAL: after EAGAIN or EINTR,
 * @mem is another one than before.
 */
int zio_next_into(struct zio_channel *ch, struct zio_block *blk, void *mem,
		  size_t size);

/**
 * zio_next_control() - read the next control, and leave the data in the kernel
 * @ch: an input channel
 * @blk: receives the block, without data
 *
 * The next control skips the data, unless zio_data() reads them first.
 *
 * Context: As zio_next().
 * Return: as zio_next().
 */
int zio_next_control(struct zio_channel *ch, struct zio_block *blk);

/**
 * zio_data() - read the data of the control that zio_next_control() read
 * @ch: an input channel
 * @blk: receives the block
 *
 * Context: As zio_next().
 * Return: 1; -1 with errno as zio_next(), or EINVAL: no control was read before.
 */
int zio_data(struct zio_channel *ch, struct zio_block *blk);

/**
 * zio_set_max_block() - set the size of the largest block that is read
 * @ch: an input channel
 * @bytes: the limit; zio_next() fails with EMSGSIZE for a larger block
 *
 * Context: One thread per channel. Does not wait.
 */
void zio_set_max_block(struct zio_channel *ch, size_t bytes);

/**
 * zio_flush() - drop what is queued, so that the next block is new
 * @ch: an input channel; a block in use is no longer valid
 *
 * Drops finished blocks that no reader has taken, and what this channel has read in part
 * or ahead. It does not take a block from another reader. A tap drops no block: it skips
 * those that are there. zio_block.lost of the next block does not count what this call
 * has dropped, but that of other readers does.
 *
 * Context: One thread per channel. Does not wait.
 * Return: 0; -1 with errno: EBADF @ch is an output; EOPNOTSUPP it is a block file; EBUSY
 * another program has the ring, or the channel has a route; ENOTTY the kernel module
 * cannot flush; ENODEV the device is gone.
 */
int zio_flush(struct zio_channel *ch);

/**
 * zio_fd() - return the descriptor to poll
 * @ch: the channel
 *
 * The descriptor changes while a block is partly read or written: call zio_fd() before
 * each poll(2). Call zio_next() first and poll only after EAGAIN, because some triggers
 * fire when a program reads.
 *
 * Context: One thread per channel. Does not wait.
 * Return: the descriptor, which belongs to the library: POLLIN for an input, POLLOUT
 * for an output.
 */
int zio_fd(const struct zio_channel *ch);

/**
 * zio_wait() - wait until the next call would not wait
 * @ch: a channel, also a non-blocking one; a block in use is no longer valid
 * @timeout: milliseconds; 0 does not wait; a negative number is no limit
 *
 * Call zio_next() first, and zio_wait() only after EAGAIN, as for zio_fd().
 *
 * Context: One thread per channel. Waits at most @timeout.
 * Return: 1 there is a block, room for one, end of file, or an error, which the next
 * call returns; 0 the time is over; -1 with errno: ECANCELED zio_interrupt() was
 * called, before or during the wait; EINTR a signal came; and the errors of poll(2).
 */
int zio_wait(struct zio_channel *ch, int timeout);

/**
 * zio_interrupt() - end the waiting call, and all later waits
 * @ch: the channel
 *
 * A call that waits, and each later call that would wait, fails with EINTR or EAGAIN,
 * zio_wait() with ECANCELED. This lasts until zio_resume(). It does not end a wait
 * within zio_open(), nor the write to a block file that is a pipe.
 *
 * Context: Any, also a signal handler or another thread, while @ch is open. No other
 * function of the library may be called by a signal handler. errno is unchanged.
 */
void zio_interrupt(struct zio_channel *ch);

/**
 * zio_resume() - let calls wait again after zio_interrupt()
 * @ch: the channel
 *
 * Context: Any thread, while @ch is open. errno is unchanged.
 */
void zio_resume(struct zio_channel *ch);

/**
 * zio_reason() - describe why the last call on a channel failed
 * @ch: the channel
 *
 * Context: One thread per channel. Does not wait; errno is unchanged.
 * Return: the text, which names the file and the step; valid until the next call.
 * After the end of a file it says so.
 */
const char *zio_reason(struct zio_channel *ch);

#include "zio-info.h"
#include "zio-place.h"
#include "zio-timeline.h"
#include "zio-batch.h"
#include "zio-unit.h"
#include "zio-output.h"
#include "zio-object.h"
#include "zio-attr.h"
#include "zio-names.h"
#include "zio-group.h"
#ifdef __cplusplus
}
#endif

#endif /* LIBZIO_ZIO_H */
