// SPDX-License-Identifier: GPL-2.0-only
/*
 * abi_test.c: the control has the layout of ZIO 1.x, and <linux/zio-user.h> has every
 * name that a program for ZIO 1.x uses. The test does not use libzio.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/zio-user.h>

#include "harness.h"

#define AT(field, offset) \
	static_assert(offsetof(struct zio_control, field) == (offset), \
		      #field " is not at " #offset)
#define FIELD(field, offset, size) \
	AT(field, offset); \
	static_assert(sizeof(((struct zio_control *)0)->field) == (size), \
		      #field " is not of size " #size)

static_assert(sizeof(struct zio_control) == 512, "control");
static_assert(__ZIO_CONTROL_SIZE == 512, "__ZIO_CONTROL_SIZE");
static_assert(sizeof(struct zio_addr) == 32, "zio_addr");
static_assert(sizeof(struct zio_timestamp) == 24, "zio_timestamp");
static_assert(sizeof(struct zio_ctrl_attr) == 200, "zio_ctrl_attr");
static_assert(sizeof(struct zio_tlv) == 16, "zio_tlv");

FIELD(major_version, 0, 1);
FIELD(minor_version, 1, 1);
FIELD(zio_alarms, 2, 1);
FIELD(drv_alarms, 3, 1);
FIELD(seq_num, 4, 4);
FIELD(nsamples, 8, 4);
FIELD(ssize, 12, 2);
FIELD(nbits, 14, 2);
AT(addr, 16);
FIELD(addr.sa_family, 16, 2);
FIELD(addr.host_type, 18, 1);
FIELD(addr.filler, 19, 1);
FIELD(addr.hostid, 20, 8);
FIELD(addr.dev_id, 28, 4);
FIELD(addr.cset, 32, 2);
FIELD(addr.chan, 34, 2);
FIELD(addr.devname, 36, 12);
AT(tstamp, 48);
FIELD(tstamp.secs, 48, 8);
FIELD(tstamp.ticks, 56, 8);
FIELD(tstamp.bins, 64, 8);
FIELD(mem_offset, 72, 4);
AT(mem_offset_high, 76);
FIELD(reserved, 76, 4);
FIELD(flags, 80, 4);
FIELD(triggername, 84, 12);
AT(attr_channel, 96);
FIELD(attr_channel.std_mask, 96, 2);
FIELD(attr_channel.unused, 98, 2);
FIELD(attr_channel.ext_mask, 100, 4);
FIELD(attr_channel.std_val, 104, 64);
FIELD(attr_channel.ext_val, 168, 128);
AT(attr_trigger, 296);
AT(attr_trigger.std_mask, 296);
AT(attr_trigger.unused, 298);
AT(attr_trigger.ext_mask, 300);
AT(attr_trigger.std_val, 304);
AT(attr_trigger.ext_val, 368);
AT(tlv, 496);
FIELD(tlv[0].type, 496, 4);
FIELD(tlv[0].length, 500, 4);
FIELD(tlv[0].payload, 504, 8);

/* Head and tail of a ring are on different cache lines. */
#define RING_AT(field, offset) \
	static_assert(offsetof(struct zio_ring_header, field) == (offset), \
		      #field)

RING_AT(magic, 0);
RING_AT(version, 4);
RING_AT(slots_offset, 8);
RING_AT(slot_size, 12);
RING_AT(n_slots, 16);
RING_AT(flags, 20);
RING_AT(data_size, 24);
RING_AT(entries_offset, 32);
RING_AT(n_entries, 36);
RING_AT(channel_slots, 40);
RING_AT(head, 64);
RING_AT(lost, 72);
RING_AT(tail, 128);
static_assert(sizeof(struct zio_ring_header) == 192, "zio_ring_header");
static_assert(ZIO_RING_MAGIC == 0x5a494f52 && ZIO_RING_VERSION == 1,
	      "magic and version");
static_assert(ZIO_SET_RING_MAGIC == 0x5a494f53 && ZIO_RING_EVENTS == 1,
	      "magic and flag of the ring of a set");

static_assert(ZIO_OBJ_NAME_LEN == 12, "ZIO_OBJ_NAME_LEN");
static_assert(ZIO_MAX_STD_ATTR == 16, "ZIO_MAX_STD_ATTR");
static_assert(ZIO_MAX_EXT_ATTR == 32, "ZIO_MAX_EXT_ATTR");
static_assert(ZIO_MAJOR_VERSION == 1, "ZIO_MAJOR_VERSION");
static_assert(ZIO_MINOR_VERSION >= 1, "ZIO_MINOR_VERSION");

static_assert(ZIO_CONTROL_LITTLE_ENDIAN == 0x01000001, "little endian");
static_assert(ZIO_CONTROL_BIG_ENDIAN == 0x02000002, "big endian");
static_assert(ZIO_CONTROL_MSB_ALIGN == 0x4, "MSB");
static_assert(ZIO_CONTROL_LSB_ALIGN == 0x8, "LSB");
static_assert(ZIO_CONTROL_INTERLEAVE_DATA == 0x40, "interleaved");

static_assert(ZIO_ALARM_LOST_BLOCK == 1, "lost block");
static_assert(ZIO_ALARM_LOST_TRIGGER == 2, "lost trigger");
static_assert(ZIO_ALARM_LOST_SNIFF == 4, "lost sniff");
static_assert(ZIO_ALARM_DRY == 8, "dry");
static_assert(ZIO_ALARM_SUSPENDED == 0x20, "suspended");

static_assert(ZIO_ATTR_NBITS == 0, "nbits");
static_assert(ZIO_ATTR_GAIN == 1, "gain");
static_assert(ZIO_ATTR_OFFSET == 2, "offset");
static_assert(ZIO_ATTR_MAXRATE == 3, "maxrate");
static_assert(ZIO_ATTR_VREFTYPE == 4, "vref type");
static_assert(ZIO_ATTR_UNIT == 5, "unit");
static_assert(ZIO_ATTR_SIGNED == 8, "signed");
static_assert(ZIO_ATTR_SCALE_LOW == 9, "scale, the low half of a double");
static_assert(ZIO_ATTR_SCALE_HIGH == 10, "scale, the high half");
static_assert(ZIO_ATTR_OFFSET_LOW == 11, "offset, the low half of a double");
static_assert(ZIO_ATTR_OFFSET_HIGH == 12, "offset, the high half");
static_assert(ZIO_UNIT_V == 1 && ZIO_UNIT_PERCENT == 24, "units");
static_assert(ZIO_ATTR_VERSION == 15, "version");
static_assert(ZIO_ATTR_TRIG_N_SHOTS == 0, "nshots");
static_assert(ZIO_ATTR_TRIG_SHOT == 4, "shot");
static_assert(ZIO_ATTR_TRIG_POST_SAMP == 1, "post-samples");
static_assert(ZIO_ATTR_TRIG_PRE_SAMP == 2, "pre-samples");
static_assert(ZIO_ATTR_TRIG_CLOCK == 3, "clock of a board's trigger");
static_assert(ZIO_ATTR_TRIG_RATE_NUM == 5 && ZIO_ATTR_TRIG_RATE_DEN == 6, "rate");
static_assert(ZIO_ATTR_TRIG_FIRST_LOW == 7, "first sample, the low half of an s64");
static_assert(ZIO_ATTR_TRIG_FIRST_HIGH == 8, "first sample, the high half");
static_assert(ZIO_ATTR_TRIG_TIME_ERROR == 9, "time error");
static_assert(ZIO_ATTR_TRIG_LOST == 10 && ZIO_ATTR_TRIG_MISSED == 11, "losses");
static_assert(ZIO_ATTR_TRIG_EPOCH == 12, "epoch");
static_assert(ZIO_ATTR_TRIG_VERSION == 15, "trigger version");
static_assert(ZIO_ATTR_ZBUF_MAXLEN == 0, "max len");
static_assert(ZIO_ATTR_ZBUF_MAXKB == 1, "max kb");
static_assert(ZIO_ATTR_ZBUF_ALLOC_LEN == 2, "allocated len");
static_assert(ZIO_ATTR_ZBUF_ALLOC_KB == 3, "allocated kb");
static_assert(ZIO_ATTR_ZBUF_VERSION == 15, "buffer version");

TEST("the other names in the header of ZIO 1.x, with their values")
{
	static const enum zio_object_type types[] = {
		ZIO_NONE, ZIO_DEV, ZIO_CSET, ZIO_CHAN, ZIO_TRG, ZIO_TI, ZIO_BUF,
		ZIO_BI,
	};
	static const char *const names[_ZIO_DEV_ATTR_STD_NUM] = {
		[ZIO_ATTR_DEV_VERSION] = "version",
	};
	char full_name[ZIO_OBJ_NAME_FULL_LEN];
	enum zio_dev_std_attr gain = ZIO_ATTR_GAIN;
	enum zio_trg_std_attr shots = ZIO_ATTR_TRIG_N_SHOTS;
	enum zio_buf_std_attr kb = ZIO_ATTR_ZBUF_MAXKB;
	uint32_t version = ZIO_VERSION(1, 2, 0x304);
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		ASSERT_EQ(types[i], i, "object type");
	ASSERT_EQ(sizeof(full_name), 24, "length of a full name");
	ASSERT_TRUE(gain == 1 && shots == 0 && kb == 1, "attributes");
	ASSERT_TRUE(ZIO_ATTR_VERSION == 15 && names[15], "version of the attributes");
	ASSERT_TRUE(ZIO_ATTR_TRIG_VERSION == 15 && ZIO_ATTR_ZBUF_VERSION == 15);
	ASSERT_TRUE(_ZIO_TRG_ATTR_STD_NUM == 16 && _ZIO_BUF_ATTR_STD_NUM == 16);
	ASSERT_EQ(version, 0x01020304, "a version");
	ASSERT_TRUE(zio_version_major(version) == 1 && zio_version_minor(version) == 2);
	ASSERT_EQ(zio_version_patch(version), 0x304);
}
