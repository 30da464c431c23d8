/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* zio-uzio-record.h: requests, answers and scales in general. A part of zio-uzio.h. */
#ifndef _UAPI_LINUX_ZIO_UZIO_RECORD_H
#define _UAPI_LINUX_ZIO_UZIO_RECORD_H

#include <linux/types.h>
#include <linux/zio-user.h>

/**
 * struct uzio_record - begin of a request or an answer
 * @size: bytes of the whole record, a multiple of 8
 * @type: UZIO_ARM, ...
 * @set: position of the set in the description, from 0
 * @id: number of the request; the answer repeats it. No request of a device has 0
 */
struct uzio_record {
	__u32 size;
	__u16 type;
	__u16 set;
	uint64_t id;
};

/* Requests */
#define UZIO_ARM	1	/* struct uzio_arm; answer with UZIO_DONE or UZIO_FAIL */
#define UZIO_ABORT	2	/* struct uzio_record; answer it at once, with UZIO_FAIL */
#define UZIO_START	3	/* struct uzio_arm; a stream begins: no answer */
#define UZIO_BLOCKS	4	/* struct uzio_blocks; answer with UZIO_COMPLETE */
#define UZIO_SET	8	/* struct uzio_value; answer with UZIO_VALUE or UZIO_REFUSE */

/* Answers */
#define UZIO_DONE	1	/* struct uzio_done */
#define UZIO_FAIL	2	/* struct uzio_fail */
#define UZIO_COMPLETE	3	/* struct uzio_complete */
#define UZIO_VALUE	8	/* struct uzio_value */
#define UZIO_REFUSE	9	/* struct uzio_refuse */
#define UZIO_BLOCK_VALUES 10	/* struct uzio_block_values; UZIO_DONE follows */
#define UZIO_TIMING	11	/* struct uzio_timing */
#define UZIO_SCALE	12	/* struct uzio_scale */

/**
 * struct uzio_scaling - how the samples of a set become physical values
 * @flags: UZIO_SCALING_*; 0: the samples are plain numbers, and the other fields are zero
 * @unit: enum zio_unit
 * @mant: mantissa of the scale, neither 0 nor -2^63
 * @exp: decimal exponent of the scale, -250 ... 250
 * @offset_exp: decimal exponent of @offset, -250 ... 250
 * @offset: mantissa of the offset, in the unit
 *
 * value = raw * @mant * 10^@exp + @offset * 10^@offset_exp
 */
struct uzio_scaling {
	__u32 flags;
	__u32 unit;
	__s64 mant;
	__s32 exp;
	__s32 offset_exp;
	__s64 offset;
};

#define UZIO_SCALING_VALID	(1 << 0)
#define UZIO_SCALING_SIGNED	(1 << 1)	/* samples are two's complement */
#define UZIO_SCALING_WRITABLE	(1 << 2)	/* users may calibrate */

#endif /* _UAPI_LINUX_ZIO_UZIO_RECORD_H */
