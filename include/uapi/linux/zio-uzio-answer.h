/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* zio-uzio-answer.h: what a program answers to requests for blocks. A part of zio-uzio.h. */
#ifndef _UAPI_LINUX_ZIO_UZIO_ANSWER_H
#define _UAPI_LINUX_ZIO_UZIO_ANSWER_H

#include <linux/types.h>
#include <linux/zio-uzio-record.h>

/**
 * struct uzio_filled - what the program says of a block
 * @time: time of the block, with UZIO_FILLED_TIME; ticks below 10^9 unless the set has a clock
 * @len: bytes of samples, whole samples, at most those of the request
 * @flags: UZIO_FILLED_*
 * @alarms: alarms of the device for this block
 * @reserved: zero
 */
struct uzio_filled {
	struct zio_timestamp time;
	uint64_t len;
	__u16 flags;
	__u8 alarms;
	__u8 reserved[5];
};

#define UZIO_FILLED_TIME	(1 << 0)

/**
 * struct uzio_done - the blocks of a request are full, or were played
 * @head: UZIO_DONE
 * @lost: events that the device has lost in front of these blocks
 * @n_blocks: as in the request; or 0: all blocks have the length and the time of the request
 *
 * @n_blocks times struct uzio_filled follow, in the order of the request. Of an output both numbers
 * are 0.
 */
struct uzio_done {
	struct uzio_record head;
	__u32 lost;
	__u32 n_blocks;
};

/**
 * struct uzio_complete - the oldest blocks of a channel of a stream are full, or were played
 * @head: UZIO_COMPLETE, with the id of UZIO_START
 * @chan: channel of the set
 * @reserved: zero
 * @lost: blocks that the device has lost in front of these. Of an output: how many of the
 *        program's blocks it could not play
 * @n_blocks: number of blocks. The program has so many; of an output, with @lost more
 * @n_filled: @n_blocks; or 0: the blocks have their whole length. Of an output 0
 *
 * @n_filled times struct uzio_filled follow. A block without a time gets one: the last block has
 * ended now, and each other one where the next one begins, as @rate_num tells if a block takes
 * at most a second. If the set has a clock, the time is zero instead. The whole record is at
 * most &uzio_create.buffer_size bytes long.
 */
struct uzio_complete {
	struct uzio_record head;
	__u16 chan;
	__u16 reserved;
	__u32 lost;
	__u32 n_blocks;
	__u32 n_filled;
};

/**
 * struct uzio_fail - the program cannot fill the blocks of a request
 * @head: UZIO_FAIL
 * @error: an errno, for the reader: 1 ... 511. The reader gets EIO for EAGAIN, EBUSY, EFAULT,
 *         EINPROGRESS, ENOBUFS, ENODEV and ESHUTDOWN
 * @reserved: zero
 */
struct uzio_fail {
	struct uzio_record head;
	__u32 error;
	__u32 reserved;
};

#endif /* _UAPI_LINUX_ZIO_UZIO_ANSWER_H */
