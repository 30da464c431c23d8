/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * zio-uzio-attr.h: attributes, timing and scale of a device whose driver is a program. A part
 * of zio-uzio.h.
 */
#ifndef _UAPI_LINUX_ZIO_UZIO_ATTR_H
#define _UAPI_LINUX_ZIO_UZIO_ATTR_H

#include <linux/types.h>
#include <linux/zio-uzio-record.h>

#define UZIO_MAX_ATTRS		256	/* of a device */
#define UZIO_MAX_CHOICES	256	/* of an attribute */

/* Bytes of the name of an attribute, and of the reason of a refusal, with the zero */
#define UZIO_ATTR_NAME_LEN	32
#define UZIO_REASON_LEN		120

/**
 * struct uzio_attr - description of an attribute
 * @name: name of the file in sysfs: 1 ... 31 characters of [a-z0-9_-]
 * @set: position of the set in the description; or UZIO_DEVICE for an attribute of the device
 * @flags: UZIO_ATTR_*
 * @place: UZIO_PLACE_*: where the controls of blocks have the value
 * @index: position there. UZIO_PLACE_STD: ZIO_ATTR_GAIN, ZIO_ATTR_OFFSET, ZIO_ATTR_MAXRATE,
 *         ZIO_ATTR_VREFTYPE or ZIO_ATTR_DEV_VERSION; else 0 ... 31. A device, its sets and
 *         their channels share the positions
 * @value: initial value, which the attribute accepts
 * @min: smallest value that users may write
 * @max: largest one. If both are 0: any value of 32 bits
 * @choices: address of an array of __u32: the only values accepted; or 0. The bits of an s32 if
 *           the attribute is signed
 * @n_choices: their number, up to UZIO_MAX_CHOICES
 * @reserved: zero
 *
 * All values are numbers of 32 bits; ZIO_ATTR_OFFSET is always signed.
 */
struct uzio_attr {
	char name[UZIO_ATTR_NAME_LEN];
	__u16 set;
	__u16 flags;
	__u16 place;
	__u16 index;
	__s64 value;
	__s64 min;
	__s64 max;
	uint64_t choices;
	__u32 n_choices;
	__u32 reserved;
};

#define UZIO_DEVICE		0xffff

#define UZIO_ATTR_CHANNELS	(1 << 0)	/* each channel of the set has it */
#define UZIO_ATTR_SIGNED	(1 << 1)	/* an s32 */
#define UZIO_ATTR_READ_ONLY	(1 << 2)	/* only the program changes it */
#define UZIO_ATTR_WRITE_ONLY	(1 << 3)	/* a command */

#define UZIO_PLACE_NONE		0	/* sysfs only */
#define UZIO_PLACE_STD		1	/* zio_ctrl_attr.std_val of attr_channel */
#define UZIO_PLACE_EXT		2	/* zio_ctrl_attr.ext_val of attr_channel */
#define UZIO_PLACE_BLOCK	3	/* the same, but each block has its own value: no file */

/**
 * struct uzio_value - a value of an attribute
 * @head: UZIO_SET or UZIO_VALUE; @head.set is &uzio_attr.set
 * @attr: position of the attribute in the description
 * @chan: channel of the set, for UZIO_ATTR_CHANNELS; else 0
 * @reserved: zero
 * @value: the value
 *
 * UZIO_SET: a user has written @value, and waits. Numbers of such requests are apart from those
 * of UZIO_ARM.
 *
 * UZIO_VALUE: the attribute has this value now, which may differ from the one that the user has
 * written. @head.id is that of the UZIO_SET; or 0 if the program changes the value by itself.
 * If the user has given up, the value is taken as one that the program has changed.
 */
struct uzio_value {
	struct uzio_record head;
	__u16 attr;
	__u16 chan;
	__u32 reserved;
	__s64 value;
};

/**
 * struct uzio_refuse - the program does not set the value; the old one stays
 * @head: UZIO_REFUSE
 * @error: an errno, for the user: 1 ... 511
 * @reserved: zero
 * @reason: text for the user, in ASCII, without control characters; it ends with a zero. The file
 *          "refusal" of the device shows it
 */
struct uzio_refuse {
	struct uzio_record head;
	__u32 error;
	__u32 reserved;
	char reason[UZIO_REASON_LEN];
};

/* A value of a block, at the @index of an attribute with UZIO_PLACE_BLOCK */
struct uzio_block_value {
	__u32 index;
	__u32 value;
};

/**
 * struct uzio_block_values - values of one block of a request
 * @head: UZIO_BLOCK_VALUES; set and id are those of the UZIO_ARM
 * @block: position of the block in the request, from 0
 * @n_values: number of values
 *
 * @n_values times struct uzio_block_value follow. Values that no record tells are the initial
 * ones. It goes in front of the UZIO_DONE; if the core has taken the blocks back, it is dropped.
 */
struct uzio_block_values {
	struct uzio_record head;
	__u32 block;
	__u32 n_values;
};

/**
 * struct uzio_timing - when the samples of a set are taken from now on
 * @head: UZIO_TIMING; id is 0
 * @rate_num: as in struct uzio_set; also the fields that follow
 * @rate_den: see @rate_num
 * @error_ns: see @rate_num
 * @reserved: zero
 * @first_ps: see @rate_num
 *
 * Blocks that are armed later have it. If it goes in front of the UZIO_VALUE of an attribute that
 * changes the rate, no block has the new value with the old rate.
 */
struct uzio_timing {
	struct uzio_record head;
	__u32 rate_num;
	__u32 rate_den;
	__u32 error_ns;
	__u32 reserved;
	__s64 first_ps;
};

/**
 * struct uzio_scale - how the samples of a channel become physical values from now on
 * @head: UZIO_SCALE; id is 0. The set is one that was described with a scaling
 * @chan: the channel; or UZIO_ALL_CHANNELS
 * @reserved: zero
 * @scaling: as in struct uzio_set; UZIO_SCALING_WRITABLE is not changed
 */
struct uzio_scale {
	struct uzio_record head;
	__u32 chan;
	__u32 reserved;
	struct uzio_scaling scaling;
};

#define UZIO_ALL_CHANNELS	0xffffffff

#endif /* _UAPI_LINUX_ZIO_UZIO_ATTR_H */
