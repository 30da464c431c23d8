/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * zio-user.h: the interface between the kernel and programs
 *
 * A program for ZIO 1.x compiles unchanged: layout and names are the same.
 * Documentation/migration.md lists what behaves differently.
 * All fields have native endianness. Fields of 64 bits are uint64_t, as in ZIO 1.x, because
 * to C the type of <linux/types.h> is a different one, and pointers to it do not convert.
 * Documentation/ABI/testing/dev-zio has the rules.
 */
#ifndef _UAPI_LINUX_ZIO_USER_H
#define _UAPI_LINUX_ZIO_USER_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdint.h>
#endif
#include <linux/ioctl.h>
/* Standard attributes, units */
#include <linux/zio-std-attr.h>

/* Bytes of a name of a device, trigger or buffer, with the terminating zero */
#define ZIO_OBJ_NAME_LEN 12

/* Bytes of a name with the number of the device, as in sysfs */
#define ZIO_OBJ_NAME_FULL_LEN (2 * ZIO_OBJ_NAME_LEN)

#define ZIO_MAJOR_VERSION 1
#define ZIO_MINOR_VERSION 5

/* The version of a driver or its attributes: 8, 8 and 16 bits */
#define ZIO_VERSION(_major, _minor, _patch)	\
	((((_major) & 0xffu) << 24) | (((_minor) & 0xffu) << 16) | \
	 ((_patch) & 0xffffu))

static __inline__ __u8 zio_version_major(__u32 version)
{
	return version >> 24;
}

static __inline__ __u8 zio_version_minor(__u32 version)
{
	return version >> 16 & 0xff;
}

static __inline__ __u16 zio_version_patch(__u32 version)
{
	return version & 0xffff;
}

/* Kinds of objects; only programs for ZIO 1.x use these numbers. */
enum zio_object_type {
	ZIO_NONE,
	ZIO_DEV,
	ZIO_CSET,
	ZIO_CHAN,
	ZIO_TRG,
	ZIO_TI,
	ZIO_BUF,
	ZIO_BI
};

/* Entries of the tables of extended attributes of a control */
#define ZIO_MAX_EXT_ATTR 32

/* Units of the extension of a control */
#define ZIO_MAX_TLV 1

/* Programs read and write control nodes in multiples of this size. */
#define __ZIO_CONTROL_SIZE 512

/**
 * struct zio_timestamp - time of an event
 * @secs: seconds of the clock of the trigger (default: CLOCK_REALTIME)
 * @ticks: nanoseconds of the second, or ticks of the device
 * @bins: fraction of a tick; 0 if the device has none
 */
struct zio_timestamp {
	uint64_t secs;
	uint64_t ticks;
	uint64_t bins;
};

/**
 * struct zio_ctrl_attr - attributes at the time when the block was armed
 * @std_mask: bit n set: std_val[n] is valid
 * @unused: zero
 * @ext_mask: bit n set: ext_val[n] is valid
 * @std_val: standard attributes, by enum zio_chan_std_attr or zio_trg_std_attr
 * @ext_val: extended attributes, numbered by the driver
 */
struct zio_ctrl_attr {
	__u16 std_mask;
	__u16 unused;
	__u32 ext_mask;
	__u32 std_val[ZIO_MAX_STD_ATTR];
	__u32 ext_val[ZIO_MAX_EXT_ATTR];
};

/**
 * struct zio_addr - address of a channel
 * @sa_family: zero
 * @host_type: 0: this host; 1: @hostid is a MAC address
 * @filler: zero
 * @hostid: host, by @host_type
 * @dev_id: number of the device among those of its name
 * @cset: channel set within the device
 * @chan: channel within the channel set
 * @devname: name of the device, zero-terminated
 */
struct zio_addr {
	__u16 sa_family;
	__u8 host_type;
	__u8 filler;
	__u8 hostid[8];
	__u32 dev_id;
	__u16 cset;
	__u16 chan;
	char devname[ZIO_OBJ_NAME_LEN];
};

/**
 * struct zio_tlv - extension of the control, in units of 16 bytes
 * @type: ZIO_TLV_*; 0: there is no extension
 * @length: number of units, with this one
 * @payload: by @type
 */
struct zio_tlv {
	__u32 type;
	__u32 length;
	__u8 payload[8];
};

#define ZIO_TLV_CHANNELS	1 /* u64: mask of the channels of an interleaved block */
#define ZIO_TLV_BLOCK_INFO	2 /* u64 of the driver, in recordings of older versions */
#define ZIO_TLV_SHARE		3 /* struct zio_share_info, in controls of an output */
#define ZIO_TLV_SHOTS		4 /* struct zio_shots_info, in older recordings */

/**
 * enum zio_share_how - how an output took the last block with ZIO_CONTROL_SHARED
 * @ZIO_SHARE_NONE: there was none
 * @ZIO_SHARE_SHARED: the output used the memory of the input
 * @ZIO_SHARE_COPIED: the core copied the samples, see &zio_share_info.error
 */
enum zio_share_how {
	ZIO_SHARE_NONE,
	ZIO_SHARE_SHARED,
	ZIO_SHARE_COPIED
};

/**
 * struct zio_share_info - payload of ZIO_TLV_SHARE
 * @how: enum zio_share_how
 * @error: why the core copied, as a positive errno; else 0
 */
struct zio_share_info {
	__u32 how;
	__u32 error;
};

/**
 * struct zio_shots_info - payload of ZIO_TLV_SHOTS: several events filled the block
 * @n: shots in the block, each with the same number of samples
 * @unused: zero
 *
 * The kernel no longer makes such blocks: each shot has its own, see ZIO_ATTR_TRIG_SHOT.
 *
 * The first shot is at &zio_control.tstamp. Shot i is ext_val[ZIO_ATTR_TRIG_EXT_SHOT + i - 1]
 * nanoseconds later, in &zio_control.attr_trigger (i = 1 ... n - 1).
 */
struct zio_shots_info {
	__u32 n;
	__u32 unused;
};

/* Bits of zio_alarms; the driver defines those of drv_alarms. */
#define ZIO_ALARM_LOST_BLOCK	(1 << 0)	/* a gap in seq_num */
#define ZIO_ALARM_LOST_TRIGGER	(1 << 1)	/* the set was still armed */
#define ZIO_ALARM_LOST_SNIFF	(1 << 2)	/* sniff-ctrl: lost controls */
#define ZIO_ALARM_DRY		(1 << 3)	/* a stream had no free block, or none to play */
#define ZIO_ALARM_SUSPENDED	(1 << 5)	/* the machine was suspended: samples may be lost */

/**
 * struct zio_control - description of one block
 * @major_version: layout; a reader refuses an unknown one
 * @minor_version: counts additions
 * @zio_alarms: ZIO_ALARM_* since the block before
 * @drv_alarms: alarms of the driver since the block before
 * @seq_num: number of the block in its channel; a gap is a loss
 * @nsamples: samples in the block; may be zero
 * @ssize: bytes per sample
 * @nbits: valid bits per sample
 * @addr: channel of the block
 * @tstamp: time of the event
 * @mem_offset: place of the samples in the mapped data node, low 32 bits
 * @mem_offset_high: high 32 bits of @mem_offset; ZIO 1.x has the name @reserved
 * @flags: ZIO_CONTROL_*
 * @triggername: type of the trigger, or name of a shared trigger
 * @attr_channel: attributes of the channel and its set
 * @attr_trigger: attributes of the trigger
 * @tlv: extension
 */
struct zio_control {
	__u8 major_version;
	__u8 minor_version;
	__u8 zio_alarms;
	__u8 drv_alarms;
	__u32 seq_num;
	__u32 nsamples;
	__u16 ssize;
	__u16 nbits;
	struct zio_addr addr;
	struct zio_timestamp tstamp;
	__u32 mem_offset;

	/* private: kernel-doc does not know the keyword */
	__extension__
	/* public: */
	union {
		__u32 mem_offset_high;
		/* private: */
		__u32 reserved;
		/* public: */
	};
	__u32 flags;
	char triggername[ZIO_OBJ_NAME_LEN];
	struct zio_ctrl_attr attr_channel;
	struct zio_ctrl_attr attr_trigger;
	struct zio_tlv tlv[ZIO_MAX_TLV];
};

/* Fails to compile if the control has another size: the layout never changes. */
struct __zio_control_size_check {
	char is_right[sizeof(struct zio_control) == __ZIO_CONTROL_SIZE ? 1 : -1];
};

/* Flags of a control */
#define ZIO_CONTROL_LITTLE_ENDIAN	0x01000001
#define ZIO_CONTROL_BIG_ENDIAN		0x02000002
#define ZIO_CONTROL_MSB_ALIGN		0x00000004
#define ZIO_CONTROL_LSB_ALIGN		0x00000008
#define ZIO_CONTROL_INTERLEAVE_DATA	0x00000040

/*
 * Flags of a control that a program has read from an input and writes to a linked output.
 * The address, seq_num and mem_offset name a block that the reader of the input has.
 * A control that an output returns has SHARED if the output shared the last such block.
 */
#define ZIO_CONTROL_SHARED		0x00000100 /* play the block of the input */
#define ZIO_CONTROL_KEEP		0x00000200 /* the reader keeps the block, too */
#define ZIO_CONTROL_SHARE_ONLY		0x00000400 /* fail instead of copying */

/*
 * On a node of an output: links the output to an input (Documentation/sharing.md). The
 * argument points to the descriptor of a node of the input. -1 ends the link.
 */
#define ZIO_IOC_SHARE			_IOW('Z', 0x40, int)

/*
 * On a data node of an input: returns the descriptor of a tap, close-on-exec. Reading it
 * returns the newest blocks, each as its control and its samples, and takes none away.
 */
#define ZIO_IOC_TAP			_IO('Z', 0x44)
#define ZIO_CONTROL_CUT			0x00000800 /* the tap shows only the first samples */

/* On a node of an input: drops the queued blocks and any block that was read in part. */
#define ZIO_IOC_FLUSH			_IO('Z', 0x42)

/*
 * On a data node: exports, as a dma-buf, the memory that mmap() of the node maps, or one
 * block of an input. Other devices read it without a copy. The block stays out of its buffer
 * until the dma-buf is closed.
 */
struct zio_dmabuf {
	__u32 flags;		/* ZIO_DMABUF_BLOCK: the block that the next read would read */
	__s32 fd;		/* from here on the kernel fills in; close-on-exec */
	uint64_t offset;	/* where the samples begin in the dma-buf, bytes */
	uint64_t size;		/* bytes of the samples, or of the whole area */
};

#define ZIO_DMABUF_BLOCK		0x00000001
#define ZIO_IOC_DMABUF			_IOWR('Z', 0x43, struct zio_dmabuf)

/* The ring: blocks without system calls */
#include <linux/zio-ring.h>

#endif /* _UAPI_LINUX_ZIO_USER_H */
