/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * zio-user.h: all that user space may know about ZIO
 *
 * The layout and the names are those of ZIO 1.x: a program written for it
 * compiles and runs unchanged. Every field is in native endianness.
 */
#ifndef _UAPI_LINUX_ZIO_USER_H
#define _UAPI_LINUX_ZIO_USER_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif
#include <linux/ioctl.h>

/* Names of devices, triggers, buffers; the terminating zero is included. */
#ifndef ZIO_OBJ_NAME_LEN
#define ZIO_OBJ_NAME_LEN 12
#endif

/* A name with the number of the device, as in the names of directories. */
#define ZIO_OBJ_NAME_FULL_LEN (2 * ZIO_OBJ_NAME_LEN)

#define ZIO_MAJOR_VERSION 1
#define ZIO_MINOR_VERSION 4

/* A version of a driver or of its attributes in 32 bits: 8, 8 and 16 of them. */
#define ZIO_VERSION(_major, _minor, _patch)	\
	((((_major) & 0xffu) << 24) | (((_minor) & 0xffu) << 16) | \
	 ((_patch) & 0xffffu))

static inline uint8_t zio_version_major(uint32_t version)
{
	return version >> 24;
}

static inline uint8_t zio_version_minor(uint32_t version)
{
	return version >> 16 & 0xff;
}

static inline uint16_t zio_version_patch(uint32_t version)
{
	return version & 0xffff;
}

/* What a directory in sysfs stands for; programs of ZIO 1.x keep it, the kernel does not. */
enum zio_object_type {
	ZIO_NONE,
	ZIO_DEV,
	ZIO_CSET,
	ZIO_CHAN,
	ZIO_TRG,
	ZIO_TI,
	ZIO_BUF,
	ZIO_BI,
};

/* Size of the two attribute tables of a control. */
#define ZIO_MAX_STD_ATTR 16
#define ZIO_MAX_EXT_ATTR 32

/* Control nodes are read and written in multiples of this many bytes. */
#define __ZIO_CONTROL_SIZE 512

/**
 * struct zio_timestamp - when the block was taken
 * @secs: seconds of the trigger's clock (default: CLOCK_REALTIME)
 * @ticks: nanoseconds within the second, or the device's own ticks
 * @bins: fraction of a tick, for devices that have one
 */
struct zio_timestamp {
	uint64_t secs;
	uint64_t ticks;
	uint64_t bins;
};

/**
 * struct zio_ctrl_attr - attributes in force when the block was taken
 * @std_mask: bit n set: std_val[n] is meaningful
 * @unused: zero
 * @ext_mask: bit n set: ext_val[n] is meaningful
 * @std_val: standard attributes, by enum zio_chan_std_attr or
 *           enum zio_trg_std_attr
 * @ext_val: extended attributes, numbered by the driver
 */
struct zio_ctrl_attr {
	uint16_t std_mask;
	uint16_t unused;
	uint32_t ext_mask;
	uint32_t std_val[ZIO_MAX_STD_ATTR];
	uint32_t ext_val[ZIO_MAX_EXT_ATTR];
};

/**
 * struct zio_addr - which channel of which device on which host
 * @sa_family: zero (the address family of PF_ZIO, where it is used)
 * @host_type: 0: this host; 1: @hostid is a MAC address
 * @filler: zero
 * @hostid: host, by @host_type
 * @dev_id: number of the device among those of its name
 * @cset: channel set within the device
 * @chan: channel within the channel set
 * @devname: name of the device, zero-terminated
 */
struct zio_addr {
	uint16_t sa_family;
	uint8_t host_type;
	uint8_t filler;
	uint8_t hostid[8];
	uint32_t dev_id;
	uint16_t cset;
	uint16_t chan;
	char devname[ZIO_OBJ_NAME_LEN];
};

/**
 * struct zio_tlv - extension of the control, in lumps of 16 bytes
 * @type: 0: nothing more follows
 * @length: number of lumps, this one included
 * @payload: by @type
 */
struct zio_tlv {
	uint32_t type;
	uint32_t length;
	uint8_t payload[8];
};

/*
 * Payload: a 64-bit mask of the channels that an interleaved block carries. The
 * samples of one moment follow each other, the lowest channel first.
 */
#define ZIO_TLV_CHANNELS	1

/* Payload: 8 bytes that the driver tells of each block; its page says what. */
#define ZIO_TLV_BLOCK_INFO	2

/*
 * Payload: struct zio_share_info. In the controls that an output tells of
 * (current-control in sysfs; the next one that is offered): how the last block
 * that was named by a control with ZIO_CONTROL_SHARED has been taken.
 */
#define ZIO_TLV_SHARE		3

/**
 * enum zio_share_how - what became of a block that was to be shared
 * @ZIO_SHARE_NONE: none has been asked for
 * @ZIO_SHARE_SHARED: its memory is used by both
 * @ZIO_SHARE_COPIED: its samples were copied, see &zio_share_info.error
 */
enum zio_share_how {
	ZIO_SHARE_NONE,
	ZIO_SHARE_SHARED,
	ZIO_SHARE_COPIED,
};

/**
 * struct zio_share_info - payload of ZIO_TLV_SHARE
 * @how: enum zio_share_how
 * @error: the errno (positive) that says why it was copied; else 0
 */
struct zio_share_info {
	uint32_t how;
	uint32_t error;
};

/* zio_alarms; drv_alarms are the driver's own. */
#define ZIO_ALARM_LOST_BLOCK	(1 << 0)	/* no memory, or overwritten */
#define ZIO_ALARM_LOST_TRIGGER	(1 << 1)	/* fired while still armed */
#define ZIO_ALARM_LOST_SNIFF	(1 << 2)	/* sniff device only */

/**
 * struct zio_control - everything about one block of data
 * @major_version: layout; a reader refuses what it does not know
 * @minor_version: additions only
 * @zio_alarms: ZIO_ALARM_* raised since the block before
 * @drv_alarms: the driver's alarms raised since the block before
 * @seq_num: counts every block of the channel; a gap is a loss
 * @nsamples: samples in the block; may be zero
 * @ssize: bytes per sample
 * @nbits: valid bits per sample
 * @addr: where it comes from, or goes to
 * @tstamp: time of the event
 * @mem_offset: where the data are in the channel's mapping, low 32 bits
 * @reserved: high 32 bits of @mem_offset
 * @flags: ZIO_CONTROL_*
 * @triggername: type of the trigger that fired, or its name if it is shared
 * @attr_channel: attributes of the channel and its set
 * @attr_trigger: attributes of the trigger
 * @tlv: first lump of an extension
 */
struct zio_control {
	uint8_t major_version;
	uint8_t minor_version;
	uint8_t zio_alarms;
	uint8_t drv_alarms;

	uint32_t seq_num;
	uint32_t nsamples;

	uint16_t ssize;
	uint16_t nbits;

	struct zio_addr addr;

	struct zio_timestamp tstamp;

	uint32_t mem_offset;
	uint32_t reserved;
	uint32_t flags;

	char triggername[ZIO_OBJ_NAME_LEN];

	struct zio_ctrl_attr attr_channel;
	struct zio_ctrl_attr attr_trigger;

	struct zio_tlv tlv[1];
};

/* Flags of a control. */
#define ZIO_CONTROL_LITTLE_ENDIAN	0x01000001
#define ZIO_CONTROL_BIG_ENDIAN		0x02000002
#define ZIO_CONTROL_MSB_ALIGN		0x00000004
#define ZIO_CONTROL_LSB_ALIGN		0x00000008
#define ZIO_CONTROL_INTERLEAVE_DATA	0x00000040

/*
 * Flags of a control that is written to an output which is tied to an input
 * (ZIO_IOC_SHARE). The control is one that was read from the input, with the
 * flag or-ed in; address, seq_num and mem_offset say which block in the hand of
 * the input's reader is meant. In a control that an output tells of,
 * ZIO_CONTROL_SHARED says that the last such block was shared.
 */
#define ZIO_CONTROL_SHARED		0x00000100 /* play that block */
#define ZIO_CONTROL_KEEP		0x00000200 /* and leave it in the hand */
#define ZIO_CONTROL_SHARE_ONLY		0x00000400 /* fail, rather than copy */

/*
 * On a node of an output. The argument points to the file descriptor of a node
 * of an input, open for reading: from now on the blocks in the hand of its reader
 * can be submitted here. -1 ends it; blocks that are queued are played.
 *
 * Documentation/sharing.md has the rules, and an errno for each.
 */
#define ZIO_IOC_SHARE			_IOW('Z', 0x40, int)

/* The last standard attribute, of each table. */
#define ZIO_ATTR_VERSION		(ZIO_MAX_STD_ATTR - 1)

/* ZIO 1.x calls them so. */
#define zio_dev_std_attr		zio_chan_std_attr

/* Standard attributes of a channel set or channel (attr_channel). */
enum zio_chan_std_attr {
	ZIO_ATTR_NBITS,		/* valid bits of a sample */
	ZIO_ATTR_GAIN,		/* in units of 1/1000 */
	ZIO_ATTR_OFFSET,	/* in microvolts */
	ZIO_ATTR_MAXRATE,	/* in Hz */
	ZIO_ATTR_VREFTYPE,	/* meaning is the driver's */
	ZIO_ATTR_DEV_VERSION = ZIO_ATTR_VERSION,
	_ZIO_DEV_ATTR_STD_NUM,
};

/* Standard attributes of a trigger (attr_trigger). */
enum zio_trg_std_attr {
	ZIO_ATTR_TRIG_N_SHOTS,
	ZIO_ATTR_TRIG_POST_SAMP,
	ZIO_ATTR_TRIG_PRE_SAMP,
	ZIO_ATTR_TRIG_VERSION = ZIO_ATTR_VERSION,
	_ZIO_TRG_ATTR_STD_NUM,
};

/* Extended attribute of every trigger: CLOCK_* of the time stamp. */
#define ZIO_ATTR_TRIG_EXT_CLOCK	31

/* Standard attributes of a buffer (sysfs only). */
enum zio_buf_std_attr {
	ZIO_ATTR_ZBUF_MAXLEN,	/* blocks */
	ZIO_ATTR_ZBUF_MAXKB,
	ZIO_ATTR_ZBUF_ALLOC_LEN,
	ZIO_ATTR_ZBUF_ALLOC_KB,
	ZIO_ATTR_ZBUF_VERSION = ZIO_ATTR_VERSION,
	_ZIO_BUF_ATTR_STD_NUM,
};

/*
 * The control ring: blocks without system calls.
 *
 * A program opens the control node of an input for reading and writing
 * (O_RDWR; one at a time may: EBUSY; EOPNOTSUPP if the buffer cannot be
 * mapped), and maps:
 *  - the first page of the control node, for reading and writing: the header;
 *  - slot_size * n_slots bytes of it from slots_offset on, for reading only:
 *    the slots, a control in each;
 *  - data_size bytes of the data node, for reading only: the samples; those of
 *    a block begin at mem_offset | (uint64_t)reserved << 32 of its control.
 *
 * head and tail count blocks, and wrap at 2^32; the control of block i is in
 * slot i % n_slots. The program loads head (acquire); the blocks from tail up
 * to head are its own, controls and samples, until it stores tail (release).
 * When there are none it sleeps in poll() on the control node. As long as the
 * node is open, read() of a control or of data fails with EBUSY.
 */
#define ZIO_RING_MAGIC		0x5a494f52
#define ZIO_RING_VERSION	1

/**
 * struct zio_ring_header - first page of the control node
 * @magic: ZIO_RING_MAGIC
 * @version: ZIO_RING_VERSION; grows with incompatible changes only
 * @slots_offset: where in the control node the slots are, for mmap()
 * @slot_size: bytes from one slot to the next
 * @n_slots: a power of two
 * @unused: zero
 * @data_size: bytes of the data node that can be mapped
 * @reserved: zero
 * @head: blocks that the kernel has made
 * @unused_head: zero
 * @lost: blocks for which there was no memory
 * @reserved_head: zero
 * @tail: blocks that the program has done with; written by the program, and
 *        by nobody else
 * @reserved_tail: the program's
 */
struct zio_ring_header {
	uint32_t magic;
	uint32_t version;
	uint32_t slots_offset;
	uint32_t slot_size;
	uint32_t n_slots;
	uint32_t unused;
	uint64_t data_size;
	uint8_t reserved[32];

	uint32_t head;
	uint32_t unused_head;
	uint64_t lost;
	uint8_t reserved_head[48];

	uint32_t tail;
	uint8_t reserved_tail[60];
};

#endif /* _UAPI_LINUX_ZIO_USER_H */
