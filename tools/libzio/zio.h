/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * zio.h: read and write the blocks of a ZIO channel
 *
 * A channel has two nodes, one for controls and one for data. This library opens both,
 * keeps them in step, checks the controls, and describes errors in words:
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
 * function that fails sets errno, and zio_reason() describes it. After EAGAIN or EINTR,
 * repeat the call: it continues where it stopped. Passing NULL where a pointer is
 * required fails with EINVAL in every function: it returns -1, NULL or false.
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

/* Maximum size of a block in bytes; zio_set_max_block() changes it. */
#define ZIO_DEFAULT_MAX_BLOCK ((size_t)256 << 20)

struct zio_channel;

/**
 * struct zio_error - why zio_open() failed
 * @code: the errno
 * @text: the description for a message, which names the file and the step
 */
struct zio_error {
	int code;
	char text[512];
};

/**
 * struct zio_block - a block; valid until the next call on its channel
 * @control: its control
 * @data: its samples; NULL if there are none, or if they were not read
 * @size: bytes of its samples, even if they were not read
 * @lost: blocks missing before this one, according to the sequence numbers; 0 for the
 *        first block
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
 * @lost: number of missing blocks, according to the sequence numbers
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
 * @ZIO_OPEN_READ: allow the method "read". Without either of these two flags, both
 *                 methods are allowed
 * @ZIO_OPEN_CREATE: create the block file, or truncate it if it exists
 * @ZIO_OPEN_APPEND: create the block file, or append to it if it exists
 * @ZIO_OPEN_TAP: look at the newest blocks of an input without taking them from other
 *                readers; combines only with ZIO_OPEN_NONBLOCK
 * @ZIO_OPEN_AHEAD: read many small blocks of a regular file with one call. The offset of
 *                  zio_fd() is then beyond the block. Other files, and "-", are never
 *                  read ahead
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
 * @name: path of the data node, of the control node, or their common beginning. If no
 *        such path exists, a name such as zzero-0-1 or zzero/0/1, with nodes in /dev/zio
 *        and /dev, or in the directories of $ZIO_DEV_PATH (separated by colons). With
 *        ZIO_OPEN_CONTROL_ONLY also any other character device, which then carries only
 *        controls. Otherwise a block file or FIFO; "-" is standard input or output
 * @flags: bits of enum zio_open_flag
 * @err: receives the reason of a failure; may be NULL
 *
 * The library tries the allowed methods in the order ring, read, and uses the first that
 * the channel offers. A tap acquires nothing itself: it shows what other programs, or a
 * trigger, acquire. A tap that is too slow skips to a newer block, and zio_block.lost
 * counts what it missed. Documentation/block-files.md describes block files.
 *
 * Context: Any thread. Opening a FIFO waits for its other end.
 * Return: the channel, to be closed with zio_close(); or NULL with errno: ENOENT no such
 * channel or file; EACCES the permissions, or the direction of the channel, do not allow
 * it; EBUSY another program uses the ring, or a route uses the channel; EOPNOTSUPP or
 * EINVAL the channel offers none of the allowed methods; ENODEV the device is gone;
 * EPROTO the file to append to ends within a block; EINVAL unknown @flags, or a tap of an
 * output or file; ENOTTY the kernel module has no taps; ENOMEM; and the errors of
 * open(2), eventfd(2) and mmap(2).
 */
struct zio_channel *zio_open(const char *name, int flags,
			     struct zio_error *err);

/**
 * zio_close() - close a channel
 * @ch: the channel, which is always freed; may be NULL
 *
 * Context: The thread that uses the channel. Does not wait.
 * Return: 0; -1 with the errno of close(2) if the last block of an output could not be
 * sent.
 */
int zio_close(struct zio_channel *ch);

/**
 * zio_next() - read the next block, control and data
 * @ch: an input channel
 * @blk: receives the block, whose memory belongs to the library
 *
 * Context: One thread per channel. Waits for a block unless the channel is
 * non-blocking.
 * Return: 1; 0 at end of file; -1 with errno: EAGAIN or EINTR; ENODEV the device is gone;
 * EMSGSIZE the block is larger than the limit of zio_set_max_block(): zio_data() may
 * still read it; ENOMEM; EPROTO or EPROTONOSUPPORT the library does not understand the
 * control; EOVERFLOW its size overflows; ENODATA the data end within the block; EBUSY
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
 * Return: as zio_next(). EMSGSIZE: the block has more than @size bytes; @blk then has its
 * control and size, and zio_data() may read it. EINVAL: the call after EAGAIN or EINTR
 * passes another @mem.
 */
int zio_next_into(struct zio_channel *ch, struct zio_block *blk, void *mem,
		  size_t size);

/**
 * zio_next_control() - read the next control and leave the data in the kernel
 * @ch: an input channel
 * @blk: receives the block, without data
 *
 * Reading the next control skips the data, unless zio_data() reads them first.
 *
 * Context: As zio_next().
 * Return: as zio_next().
 */
int zio_next_control(struct zio_channel *ch, struct zio_block *blk);

/**
 * zio_data() - read the data that belong to the control from zio_next_control()
 * @ch: an input channel
 * @blk: receives the block
 *
 * Context: As zio_next().
 * Return: 1; -1 with errno as zio_next(), or EINVAL: no control has been read.
 */
int zio_data(struct zio_channel *ch, struct zio_block *blk);

/**
 * zio_set_max_block() - limit the size of a block
 * @ch: an input channel
 * @bytes: the limit; zio_next() fails with EMSGSIZE for a larger block
 *
 * Context: One thread per channel. Does not wait.
 */
void zio_set_max_block(struct zio_channel *ch, size_t bytes);

/**
 * zio_flush() - drop queued blocks, so that the next block is new
 * @ch: an input channel; a block in use is no longer valid
 *
 * Drops finished blocks that nobody has read, and what this channel has read in part or
 * ahead. Blocks that another reader holds stay with it. A tap only skips the blocks that
 * are available, without dropping them. zio_block.lost does not count the dropped blocks
 * for this channel, but it does for other readers.
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
 * The descriptor changes while a block is partly read or written, so call zio_fd() before
 * each poll(2). Call zio_next() first and poll only after EAGAIN, because some triggers
 * fire only when a program reads.
 *
 * Context: One thread per channel. Does not wait.
 * Return: the descriptor, which belongs to the library: POLLIN for an input, POLLOUT
 * for an output.
 */
int zio_fd(const struct zio_channel *ch);

/**
 * zio_wait() - wait until the next call does not have to wait
 * @ch: a channel, blocking or not; a block in use is no longer valid
 * @timeout: milliseconds; 0 does not wait; a negative number waits without limit
 *
 * As for zio_fd(), call zio_next() first, and zio_wait() only after EAGAIN.
 *
 * Context: One thread per channel. Waits at most @timeout.
 * Return: 1 if there is a block, room for one, end of file, or an error, which the next
 * call returns; 0 the timeout expired; -1 with errno: ECANCELED zio_interrupt() was
 * called before or during the wait; EINTR a signal arrived; and the errors of poll(2).
 */
int zio_wait(struct zio_channel *ch, int timeout);

/**
 * zio_interrupt() - end the current wait and all later ones
 * @ch: the channel
 *
 * Until zio_resume(), calls fail with EINTR or EAGAIN instead of waiting, and zio_wait()
 * with ECANCELED. This does not end a wait within zio_open(), nor a write to a block file
 * that is a pipe.
 *
 * Context: Any, including a signal handler or another thread, while @ch is open. A signal
 * handler may call no other function of the library, except for groups
 * zio_group_interrupt(). errno is unchanged.
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
 * Return: the text, which names the file and the step, or tells of the end of the file;
 * valid until the next call.
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
#include "zio-device.h"
#include "zio-device-attr.h"
#ifdef __cplusplus
}
#endif

#endif /* LIBZIO_ZIO_H */
