/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * zio-std-attr.h: the standard attributes of controls. A part of zio-user.h.
 *
 * A control with ZIO_ATTR_SCALE_HIGH tells how a sample becomes a physical value:
 *
 *	value = raw * scale + offset
 *
 * raw is the number in the nbits valid bits of the sample, which has a sign if SIGNED
 * is 1. The value is in the unit UNIT, and so are scale and offset. Both are doubles in
 * the format of IEEE 754: SCALE_LOW and SCALE_HIGH are the halves of the 64 bits of one,
 * OFFSET_LOW and OFFSET_HIGH those of the other. If these are missing, the offset is 0.
 * OFFSET is a setting of the board: do not add it.
 *
 * A control of version 1.5 or later tells when its samples were taken, and what is missing
 * in front of them. A bit of the std_mask of its attr_trigger says which of these it knows:
 *
 * RATE_NUM, RATE_DEN: samples of one channel per second, as a fraction in lowest terms:
 *	44100/1, 1411200/29, 1/60. Without them, the samples are not equidistant, or the rate
 *	is unknown.
 *
 * FIRST_LOW, FIRST_HIGH: the halves of an s64: picoseconds from tstamp to the sample of the
 *	event, which is number PRE_SAMP. Without them, it is 0.
 *
 * TIME_ERROR: the largest error of tstamp, in nanoseconds. Without it, the error is unknown.
 *
 * LOST: blocks of the channel that were lost between the previous block and this one. If the
 *	gap in seq_num is larger, other readers or a flush have taken the rest.
 *
 * MISSED: events that the channel has missed since the previous block.
 *
 * EPOCH: a random number of this registration of the device. The numbers of blocks with
 *	another EPOCH belong to another run.
 *
 * Sample k of a block, from 0, was taken at
 *
 *	tstamp + FIRST + (k - PRE_SAMP) * RATE_DEN / RATE_NUM
 *
 * by the clock of the trigger. If RATE is 50000/1, PRE_SAMP 200, FIRST 5000000 (5 us), and
 * tstamp is 12.000100000 s, then sample 200 was taken at 12.000105 s and sample 0 at
 * 12.000105 s - 200 / 50 kHz = 11.996105 s.
 */
#ifndef _UAPI_LINUX_ZIO_STD_ATTR_H
#define _UAPI_LINUX_ZIO_STD_ATTR_H

/* Entries of the tables of standard attributes of a control */
#define ZIO_MAX_STD_ATTR 16

/* Index of the last standard attribute of each table */
#define ZIO_ATTR_VERSION		(ZIO_MAX_STD_ATTR - 1)

/* The name in ZIO 1.x */
#define zio_dev_std_attr		zio_chan_std_attr

/* Standard attributes of a channel or its set (attr_channel) */
enum zio_chan_std_attr {
	ZIO_ATTR_NBITS,		/* valid bits of a sample */
	ZIO_ATTR_GAIN,		/* in 1/1000 */
	ZIO_ATTR_OFFSET,	/* signed; a setting of the board */
	ZIO_ATTR_MAXRATE,	/* in Hz */
	ZIO_ATTR_VREFTYPE,	/* the driver defines the values */
	ZIO_ATTR_UNIT,		/* enum zio_unit */
	ZIO_ATTR_SIGNED = 8,	/* 1: samples are two's complement; 0: unsigned */
	ZIO_ATTR_SCALE_LOW,	/* the double: see above */
	ZIO_ATTR_SCALE_HIGH,
	ZIO_ATTR_OFFSET_LOW,
	ZIO_ATTR_OFFSET_HIGH,
	ZIO_ATTR_DEV_VERSION = ZIO_ATTR_VERSION,
	_ZIO_DEV_ATTR_STD_NUM
};

/* Standard attributes of a trigger (attr_trigger) */
enum zio_trg_std_attr {
	ZIO_ATTR_TRIG_N_SHOTS,
	ZIO_ATTR_TRIG_POST_SAMP,
	ZIO_ATTR_TRIG_PRE_SAMP,
	ZIO_ATTR_TRIG_CLOCK,	/* CLOCK_* of the time stamp; often not here: see below */
	ZIO_ATTR_TRIG_SHOT,	/* if N_SHOTS is above 1: the shot of its arming, from 0 */
	ZIO_ATTR_TRIG_RATE_NUM,	/* when the samples were taken: see above */
	ZIO_ATTR_TRIG_RATE_DEN,
	ZIO_ATTR_TRIG_FIRST_LOW,
	ZIO_ATTR_TRIG_FIRST_HIGH,
	ZIO_ATTR_TRIG_TIME_ERROR, /* ns */
	ZIO_ATTR_TRIG_LOST,	/* blocks in front of this one */
	ZIO_ATTR_TRIG_MISSED,	/* events in front of this one */
	ZIO_ATTR_TRIG_EPOCH,
	ZIO_ATTR_TRIG_VERSION = ZIO_ATTR_VERSION,
	_ZIO_TRG_ATTR_STD_NUM
};

/* With ZIO_TLV_SHOTS, in recordings: the attributes of a trigger with the times of shots */
#define ZIO_ATTR_TRIG_EXT_SHOT	8
#define ZIO_MAX_SHOTS		16

/*
 * Extended attribute of every trigger: CLOCK_* of the time stamp. The trigger of a board may
 * have an attribute of its own in this place: the control has ZIO_ATTR_TRIG_CLOCK then.
 */
#define ZIO_ATTR_TRIG_EXT_CLOCK	31

/* Standard attributes of a buffer (not in controls) */
enum zio_buf_std_attr {
	ZIO_ATTR_ZBUF_MAXLEN,	/* blocks */
	ZIO_ATTR_ZBUF_MAXKB,
	ZIO_ATTR_ZBUF_ALLOC_LEN,
	ZIO_ATTR_ZBUF_ALLOC_KB,
	ZIO_ATTR_ZBUF_VERSION = ZIO_ATTR_VERSION,
	_ZIO_BUF_ATTR_STD_NUM
};

/*
 * Scale and offset are at most 9.99...e280, and the scale is at least 1e-280: each value
 * is then a finite double.
 */
#define ZIO_DOUBLE_MAX_EXP	280

/*
 * Units of samples. They have no prefix: the scale of a channel in millivolts is 1000
 * times smaller.
 */
enum zio_unit {
	ZIO_UNIT_NONE,		/* a number */
	ZIO_UNIT_V,
	ZIO_UNIT_A,
	ZIO_UNIT_OHM,
	ZIO_UNIT_W,
	ZIO_UNIT_J,
	ZIO_UNIT_C,
	ZIO_UNIT_F,
	ZIO_UNIT_H,
	ZIO_UNIT_T,
	ZIO_UNIT_HZ,
	ZIO_UNIT_S,
	ZIO_UNIT_K,
	ZIO_UNIT_DEGC,
	ZIO_UNIT_PA,
	ZIO_UNIT_N,
	ZIO_UNIT_NM,		/* newton metre */
	ZIO_UNIT_KG,
	ZIO_UNIT_M,
	ZIO_UNIT_M_S,
	ZIO_UNIT_M_S2,
	ZIO_UNIT_RAD,
	ZIO_UNIT_RAD_S,
	ZIO_UNIT_LX,
	ZIO_UNIT_PERCENT,
	_ZIO_UNIT_NUM
};

/* The names of the units in sysfs, in the order of enum zio_unit */
#define ZIO_UNIT_NAMES {						\
	"none", "V", "A", "Ohm", "W", "J", "C", "F", "H", "T", "Hz", "s", "K",	\
	"degC", "Pa", "N", "N.m", "kg", "m", "m/s", "m/s2", "rad", "rad/s",	\
	"lx", "%" }

#endif /* _UAPI_LINUX_ZIO_STD_ATTR_H */
