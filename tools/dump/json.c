// SPDX-License-Identifier: GPL-2.0-only
/* A block for programs, one JSON object to a line */
#include <jansson.h>

#include "common/control.h"
#include "dump.h"

/* jansson keeps numbers in 63 bits; what is above travels as a string. */
static json_t *new_u64(uint64_t v)
{
	char text[24];

	if (v <= INT64_MAX)
		return json_integer((json_int_t)v);
	snprintf(text, sizeof(text), "%ju", (uintmax_t)v);
	return json_string(text);
}

static void set_u64(json_t *obj, const char *key, uint64_t v, int *bad)
{
	*bad |= json_object_set_new(obj, key, new_u64(v));
}

static void set_string(json_t *obj, const char *key, const char *v, int *bad)
{
	*bad |= json_object_set_new(obj, key, json_string(v));
}

static void set_bool(json_t *obj, const char *key, bool v, int *bad)
{
	*bad |= json_object_set_new(obj, key, json_boolean(v));
}

static void set_address(json_t *obj, const struct zio_control *control,
			int *bad)
{
	char name[ZIO_OBJ_NAME_LEN + 1];
	char address[ADDRESS_LEN];

	put_address(address, control);
	set_string(obj, "channel", address, bad);
	put_object_name(name, control->addr.devname);
	set_string(obj, "devname", name, bad);
	set_u64(obj, "dev_id", control->addr.dev_id, bad);
	set_u64(obj, "cset", control->addr.cset, bad);
	set_u64(obj, "chan", control->addr.chan, bad);
}

static void set_version(json_t *obj, const struct zio_control *control,
			int *bad)
{
	char version[16];

	snprintf(version, sizeof(version), "%u.%u", control->major_version,
		 control->minor_version);
	set_string(obj, "version", version, bad);
}

static json_t *new_alarms(uint8_t alarms, int *bad)
{
	json_t *list = json_array();
	char text[32];
	int bit;

	for (bit = 0; bit < 8; bit++) {
		if (!(alarms & (1 << bit)))
			continue;
		zio_alarm_text(1 << bit, text, sizeof(text));
		*bad |= json_array_append_new(list, json_string(text));
	}
	return list;
}

static void set_flags(json_t *obj, uint32_t flags, int *bad)
{
	set_u64(obj, "flags", flags, bad);
	set_bool(obj, "msb_aligned", flags & ZIO_CONTROL_MSB_ALIGN, bad);
	set_bool(obj, "lsb_aligned", flags & ZIO_CONTROL_LSB_ALIGN, bad);
	set_bool(obj, "interleaved", flags & ZIO_CONTROL_INTERLEAVE_DATA,
		 bad);
}

static void set_tlv(json_t *obj, const struct zio_control *control, int *bad)
{
	char name[ATTR_NAME_LEN], text[24];
	uint64_t value;

	if (!get_tlv(control, name, &value))
		return;
	snprintf(text, sizeof(text), "0x%jx", (uintmax_t)value);
	set_string(obj, name, text, bad);
}

static void set_control(json_t *obj, const struct zio_control *control,
			int *bad)
{
	char trigger[ZIO_OBJ_NAME_LEN + 1];

	set_version(obj, control, bad);
	set_u64(obj, "nsamples", control->nsamples, bad);
	set_u64(obj, "ssize", control->ssize, bad);
	set_u64(obj, "nbits", control->nbits, bad);
	set_u64(obj, "secs", control->tstamp.secs, bad);
	set_u64(obj, "ticks", control->tstamp.ticks, bad);
	set_u64(obj, "bins", control->tstamp.bins, bad);
	*bad |= json_object_set_new(obj, "alarms",
				    new_alarms(control->zio_alarms, bad));
	set_u64(obj, "driver_alarms", control->drv_alarms, bad);
	set_u64(obj, "mem_offset", control->mem_offset |
		(uint64_t)control->reserved << 32, bad);
	set_flags(obj, control->flags, bad);
	put_object_name(trigger, control->triggername);
	set_string(obj, "trigger", trigger, bad);
	set_tlv(obj, control, bad);
}

static json_t *new_attrs(enum zio_attr_owner owner,
			 const struct zio_ctrl_attr *attr, int *bad)
{
	char name[ATTR_NAME_LEN];
	json_t *obj = json_object();
	unsigned int i;

	for (i = 0; i < ZIO_MAX_STD_ATTR; i++) {
		if (!(attr->std_mask & (1u << i)))
			continue;
		put_attr_name(name, owner, i);
		set_u64(obj, name, attr->std_val[i], bad);
	}
	for (i = 0; i < ZIO_MAX_EXT_ATTR; i++) {
		if (!(attr->ext_mask & (1u << i)))
			continue;
		snprintf(name, sizeof(name), "ext%u", i);
		set_u64(obj, name, attr->ext_val[i], bad);
	}
	return obj;
}

static void set_attrs(json_t *obj, const struct zio_control *control,
		      int *bad)
{
	*bad |= json_object_set_new(obj, "channel_attributes",
				    new_attrs(ZIO_ATTR_OF_CHANNEL,
					      &control->attr_channel, bad));
	*bad |= json_object_set_new(obj, "trigger_attributes",
				    new_attrs(ZIO_ATTR_OF_TRIGGER,
					      &control->attr_trigger, bad));
}

static json_t *new_bytes(const void *data, size_t i, unsigned int ssize,
			 char *text)
{
	const unsigned char *at = (const unsigned char *)data + i * ssize;
	unsigned int b;

	for (b = 0; b < ssize; b++)
		snprintf(text + 2 * b, 3, "%02x", at[b]);
	return json_string(text);
}

static json_t *new_sample(enum dump_format format, const void *data,
			  size_t i, unsigned int ssize)
{
	uint64_t v = get_sample(data, i, ssize);

	if (format == DUMP_SIGNED)
		return json_integer(extend_sign(v, ssize));
	return new_u64(v);
}

/* An odd sample is a string of hexadecimal digits, at most 2 x 65535. */
static json_t *new_data(enum dump_format format, const struct zio_block *blk,
			int *bad)
{
	static char text[2 * UINT16_MAX + 1];
	size_t count = blk->data ? blk->control->nsamples : 0;
	unsigned int ssize = blk->control->ssize;
	bool number = is_numeric(ssize);
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < count && !*bad; i++)
		*bad |= json_array_append_new(list, number ?
			new_sample(format, blk->data, i, ssize) :
			new_bytes(blk->data, i, ssize, text));
	return list;
}

static json_t *new_block(const struct dump_options *opt,
			 const struct zio_block *blk, int *bad)
{
	json_t *obj = json_object();

	set_address(obj, blk->control, bad);
	set_u64(obj, "seq", blk->control->seq_num, bad);
	set_u64(obj, "lost", blk->lost, bad);
	if (opt->control)
		set_control(obj, blk->control, bad);
	if (opt->control && opt->attributes)
		set_attrs(obj, blk->control, bad);
	if (opt->data)
		*bad |= json_object_set_new(obj, "data",
					    new_data(opt->format, blk, bad));
	return obj;
}

int dump_json(FILE *out, const struct dump_options *opt,
	      const struct zio_block *blk)
{
	int bad = 0;
	json_t *obj = new_block(opt, blk, &bad);

	if (!bad)
		bad = json_dumpf(obj, out, JSON_COMPACT);
	json_decref(obj);
	if (!bad)
		fputc('\n', out);
	return bad || ferror(out) ? -1 : 0;
}
