/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * zio-uzio.h: a ZIO device whose driver is a program
 *
 * The program opens /dev/uzio and describes a device with UZIO_IOC_CREATE. The device then
 * works as any other. When a set is armed, UZIO_IOC_EXCHANGE returns a request that says where
 * the blocks are. The program maps their memory, writes the samples in place, and answers in
 * its next UZIO_IOC_EXCHANGE. With UZIO_SET_OUTPUT it reads samples there, which users have
 * written. A stream (UZIO_SET_STREAM) has many blocks at once. The device is
 * unplugged when the file and its mappings end, or when the program stalls.
 *
 * Requests and answers are records. Each begins with struct uzio_record and has a multiple of
 * eight bytes. Skip a request of an unknown type by its size. All fields have native
 * endianness. Unused fields and flags are zero.
 */
#ifndef _UAPI_LINUX_ZIO_UZIO_H
#define _UAPI_LINUX_ZIO_UZIO_H

#include <linux/types.h>
#include <linux/ioctl.h>
#include <linux/zio-user.h>
#include <linux/zio-uzio-answer.h>
#include <linux/zio-uzio-attr.h>
#include <linux/zio-uzio-record.h>

#define UZIO_MAX_SETS		64
#define UZIO_MAX_CHANNELS	1024	/* of a device */
#define UZIO_MAX_BLOCK		(1 << 30)	/* bytes of a block, as described */
#define UZIO_MAX_DEPTH		65536	/* blocks of a channel at once */
#define UZIO_MAX_SHOTS		64

/* Bytes of the name of a set or of a clock, with the terminating zero */
#define UZIO_NAME_LEN		16

/**
 * struct uzio_set - description of a channel set
 * @name: 1 ... 15 characters of [a-z0-9_-], not the name of another set; or empty
 * @clock: name of the device's clock, if it stamps the blocks: 1 ... 15 characters of
 *         [a-z0-9_-], not "kernel"; or empty
 * @flags: UZIO_SET_*
 * @n_chan: number of channels, 1 ... UZIO_MAX_CHANNELS; 1 ... 32 if interleaved
 * @ssize: bytes per sample, 1 ... 65535
 * @nbits: valid bits per sample; 0: all
 * @nsamples: initial samples of a block; 0: 16
 * @max_samples: most samples of a block that users may choose; 0: any number
 * @rate_num: each channel takes @rate_num / @rate_den samples per second; 0: unknown
 * @rate_den: see @rate_num; 0 if @rate_num is 0
 * @error_ns: largest error of the time of a block, up to a second; 0: unknown
 * @depth: most blocks of each channel that the program has at once; 0: 16. 0 if no stream
 * @first_ps: picoseconds from the time of a block to its first sample, up to an hour
 * @scaling: of all channels
 * @max_shots: most shots of an arming that users may choose, up to UZIO_MAX_SHOTS; 0: 1
 * @reserved2: zero
 */
struct uzio_set {
	char name[UZIO_NAME_LEN];
	char clock[UZIO_NAME_LEN];
	__u32 flags;
	__u32 n_chan;
	__u32 ssize;
	__u32 nbits;
	__u32 nsamples;
	__u32 max_samples;
	__u32 rate_num;
	__u32 rate_den;
	__u32 error_ns;
	__u32 depth;
	__s64 first_ps;
	struct uzio_scaling scaling;
	__u32 max_shots;
	__u32 reserved2;
};

#define UZIO_SET_STREAM		(1 << 0)	/* many blocks at once, see struct uzio_blocks */
#define UZIO_SET_OUTPUT		(1 << 1)	/* the program plays samples, mapped read-only */
#define UZIO_SET_PRE_SAMPLES	(1 << 4)	/* samples before the event */
#define UZIO_SET_INTERLEAVED	(1 << 5)	/* one block carries all channels */

/**
 * struct uzio_create - description of a device
 * @name: 1 ... 11 characters of [a-z0-9_-], as the names of all devices
 * @id: number of the device; -1: the lowest free one. The kernel returns the number
 * @sets: address of an array of struct uzio_set
 * @n_sets: their number, 1 ... UZIO_MAX_SETS
 * @set_size: sizeof(struct uzio_set)
 * @message: address of text; if the call fails, the kernel puts there which field is wrong
 *           and why; or 0
 * @message_size: bytes of @message. A longer text is cut; it always ends with a zero
 * @flags: zero
 * @timeout_ms: a program that does not fetch UZIO_ARM or UZIO_START, or not answer UZIO_ABORT,
 *              for so long has stalled: 100 ... 3600000; 0: 5000
 * @buffer_size: the kernel returns how large the buffer for requests must be, at least
 * @attrs: address of an array of struct uzio_attr; or 0
 * @n_attrs: their number, up to UZIO_MAX_ATTRS
 * @attr_size: sizeof(struct uzio_attr)
 *
 * @timeout_ms is also how long a user who writes an attribute waits for the answer.
 */
struct uzio_create {
	char name[ZIO_OBJ_NAME_LEN];
	__s32 id;
	uint64_t sets;
	__u32 n_sets;
	__u32 set_size;
	uint64_t message;
	__u32 message_size;
	__u32 flags;
	__u32 timeout_ms;
	__u32 buffer_size;
	uint64_t attrs;
	__u32 n_attrs;
	__u32 attr_size;
};

/**
 * struct uzio_block - a block to fill, or to play
 * @chan: channel of the set; 0 if interleaved
 * @shot: shot of the arming, from 0
 * @reserved: zero
 * @map: offset for mmap() of the file, shared, which maps @map_size bytes. While the number is
 *       the same, so is the memory
 * @map_size: bytes of the memory
 * @offset: where the block begins in this memory, in bytes
 * @len: bytes that the trigger asks for; of an output: bytes to play
 */
struct uzio_block {
	__u16 chan;
	__u16 shot;
	__u32 reserved;
	uint64_t map;
	uint64_t map_size;
	uint64_t offset;
	uint64_t len;
};

/**
 * struct uzio_arm - an event has armed a set
 * @head: UZIO_ARM
 * @time: time of the event; of an output: when to play, as the writer says, or zero
 * @clock: CLOCK_* of @time
 * @n_blocks: number of blocks: for each shot, one of each enabled channel that has room; or one
 *            to play
 * @pre_samples: samples of each block and channel before the event
 * @post_samples: those from the event on; of an output: the most of one block
 * @nshots: number of shots
 * @mask: interleaved: the channels in the block, bit 0 for channel 0; else zero
 *
 * @n_blocks times struct uzio_block follow: those of the first shot, then of the second, ...
 * The samples of an interleaved block are those of its channels, in order, then the next ones.
 *
 * From this request to its answer, the memory of the blocks is the program's. After an
 * UZIO_ABORT nobody takes the samples any more, but the set gets no other UZIO_ARM before the
 * program has answered. So a late write never meets another block.
 *
 * Outputs are different: after UZIO_ABORT, their memory may get other samples at once. A writer
 * that has mapped it can change samples at any time, so do not rely on a check of them. @time
 * is that of the first block.
 *
 * UZIO_START tells that a stream begins: @time is zero, and each enabled channel has a struct
 * uzio_block with the offset 0, and the length of new blocks. Blocks of an output that were
 * written before a change of this length keep theirs: see &uzio_place.len. Channels, memory,
 * length and clock stay for as long as the stream.
 */
struct uzio_arm {
	struct uzio_record head;
	struct zio_timestamp time;
	__u32 clock;
	__u32 n_blocks;
	__u32 pre_samples;
	__u32 post_samples;
	__u32 nshots;
	__u32 mask;
};

/**
 * struct uzio_place - where a block of a stream is
 * @offset: where the block begins in the memory of its channel, in bytes
 * @len: its bytes
 * @time: of an output: when to play, as the writer says, or zero; else zero
 */
struct uzio_place {
	uint64_t offset;
	uint64_t len;
	struct zio_timestamp time;
};

/**
 * struct uzio_blocks - free blocks of a stream, or blocks to play
 * @head: UZIO_BLOCKS, with the id of UZIO_START
 * @chan: channel of the set
 * @reserved: zero
 * @n_blocks: number of blocks
 *
 * @n_blocks times struct uzio_place follow. They come behind the blocks of the channel that the
 * program already has. Their memory is the program's until UZIO_COMPLETE, or the answer to
 * UZIO_ABORT; that of an output until the core has ended the stream.
 */
struct uzio_blocks {
	struct uzio_record head;
	__u16 chan;
	__u16 reserved;
	__u32 n_blocks;
};

/**
 * struct uzio_exchange - answers, and new requests
 * @answers: address of records
 * @answers_size: bytes of the answers
 * @answers_taken: the kernel returns how many bytes it has taken, also with an error: the
 *                 record behind them is the one that is wrong
 * @requests: address of a buffer for records
 * @requests_size: its bytes, at least &uzio_create.buffer_size; 0: no requests
 * @requests_given: the kernel returns how many bytes it has filled
 * @wait_ms: how long to wait for a request, if there is none; 0: not at all; -1: for ever
 * @late: the kernel returns how many UZIO_DONE and UZIO_COMPLETE it has dropped because the core
 *        had taken the blocks back
 */
struct uzio_exchange {
	uint64_t answers;
	__u32 answers_size;
	__u32 answers_taken;
	uint64_t requests;
	__u32 requests_size;
	__u32 requests_given;
	__s32 wait_ms;
	__u32 late;
};

/*
 * Once for each file. EINVAL, ERANGE, ENAMETOOLONG or EOPNOTSUPP: a field is wrong, see the
 * message. EBUSY: the file has a device. EDQUOT: more memory than RLIMIT_MEMLOCK allows. ENFILE:
 * too many devices. EEXIST: the number is taken. E2BIG: the program knows fields that this
 * kernel does not. EFAULT: an address is wrong, or the struct is read-only. On error nothing has
 * changed. But if the program unmaps the struct during the call, the device is unplugged.
 */
#define UZIO_IOC_CREATE		_IOWR('Z', 0x60, struct uzio_create)

/*
 * ENOTCONN: there is no device yet. ENODEV: it has been unplugged. EINVAL: an answer is wrong,
 * or the buffer is too small. EINTR: a signal has come, or the machine was suspended, and nothing
 * is done.
 */
#define UZIO_IOC_EXCHANGE	_IOWR('Z', 0x61, struct uzio_exchange)

#endif /* _UAPI_LINUX_ZIO_UZIO_H */
