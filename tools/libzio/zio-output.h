/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Outputs of ZIO: write and share blocks. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_OUTPUT_H
#define LIBZIO_ZIO_OUTPUT_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

/**
 * zio_write_block() - send one block
 * @ch: an output channel
 * @control: the control, which holds the length; NULL to send only data, which the kernel
 *           cuts into blocks
 * @data: the samples; the library does not keep the pointer
 * @size: bytes of @data; nsamples * ssize of @control
 *
 * In a block file, version 0 of a control is replaced by the version of the library. A
 * control without a name gets the name "zio", and also a number and a time if it lacks
 * them. The number continues from the last block of the channel, even when appending to a
 * regular file.
 *
 * Context: One thread per channel. Waits for a free block unless the channel is
 * non-blocking.
 * Return: 0; -1 with errno: EAGAIN or EINTR; EINVAL @size does not match @control, a
 * block file was given no control, or the output has another ssize; EMSGSIZE the blocks
 * of the output are smaller; EPROTO or EPROTONOSUPPORT no reader of the block file would
 * understand @control; EBADF @ch is an input; ENODEV the device is gone; and the errors
 * of write(2).
 */
int zio_write_block(struct zio_channel *ch, const struct zio_control *control,
		    const void *data, size_t size);

/**
 * zio_write_batch() - send many blocks with few calls
 * @ch: an output channel
 * @blks: the blocks, for example from zio_next_batch(). Their @lost is ignored
 * @n: number of blocks, at least 1
 *
 * To a block file, this writes as much as one writev(2) accepts. It accepts most if
 * control, samples and next block follow each other in memory. To any other output, it
 * sends one block.
 *
 * Context: As zio_write_block().
 * Return: how many blocks, counted from the first, were sent completely: at least 1. -1
 * with errno as zio_write_block() if the first was not. Call again with the remaining
 * blocks to complete a block that was sent in part.
 */
int zio_write_batch(struct zio_channel *ch, const struct zio_block *blks, unsigned int n);

/**
 * zio_share() - let an output play the blocks of an input from their memory
 * @out: an output channel; zio_reason() of it describes a failure
 * @in: an input channel of this process with the method "read"; NULL ends the sharing
 *
 * Documentation/sharing.md has the rules.
 *
 * Context: One thread for both channels. Does not wait.
 * Return: 0; -1 with errno: EOPNOTSUPP one of them is a block file, or @in has a ring;
 * EBUSY a ring or a route uses one of them; ENOTTY the kernel module cannot share; EBADF
 * @out is an input.
 */
int zio_share(struct zio_channel *out, struct zio_channel *in);

/**
 * enum zio_submit_flag - flags of zio_submit()
 * @ZIO_SUBMIT_KEEP: leave the block in the input, for further outputs
 * @ZIO_SUBMIT_ONLY: fail if the memory cannot be shared, instead of copying
 */
enum zio_submit_flag {
	ZIO_SUBMIT_KEEP = 1 << 0,
	ZIO_SUBMIT_ONLY = 1 << 1,
};

/**
 * zio_submit() - play the last block of the input
 * @out: an output that zio_share() has linked to @in
 * @in: the input; zio_next_control() must have read the control of its last block, and
 *      nobody its data
 * @flags: bits of enum zio_submit_flag. The block leaves @in unless
 *         ZIO_SUBMIT_KEEP is set
 *
 * Context: One thread for both channels. Waits for room in the queue of @out unless the
 * channel is non-blocking.
 * Return: 1 if the memory is shared, 0 if the kernel copied the block; -1 with errno:
 * EAGAIN or EINTR; EINVAL unknown @flags; ENOTCONN @in and @out are not linked; ENOENT or
 * ESTALE the input no longer has the block; ENODEV; with ZIO_SUBMIT_ONLY also the reason
 * in struct zio_sharing.
 */
int zio_submit(struct zio_channel *out, struct zio_channel *in, int flags);

/**
 * struct zio_sharing - counts of the blocks of zio_submit()
 * @shared: number of blocks played from shared memory
 * @copied: number of blocks that were copied
 * @copied_bytes: bytes of the copied blocks
 * @why: errno of the last block that could not be shared; 0 if there was none
 */
struct zio_sharing {
	uint64_t shared;
	uint64_t copied;
	uint64_t copied_bytes;
	int why;
};

/**
 * zio_sharing() - return how many blocks zio_submit() has shared and copied
 * @out: an output channel
 *
 * Context: One thread per channel.
 * Return: the counters, valid until zio_close() and updated with each block.
 */
const struct zio_sharing *zio_sharing(const struct zio_channel *out);

/**
 * zio_share_reason() - describe why a block could not be shared
 * @why: the errno from struct zio_sharing
 *
 * Context: Any thread.
 * Return: the text; valid until the next call of strerror(3).
 */
const char *zio_share_reason(int why);

#endif /* LIBZIO_ZIO_OUTPUT_H */
