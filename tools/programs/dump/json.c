// SPDX-License-Identifier: GPL-2.0-only
/* Print a block as a JSON object in one line */
#include <stdlib.h>
#include <string.h>

#include "common/control.h"
#include "common/json.h"
#include "common/program.h"
#include "dump.h"

static void add_address(json_t *obj, const struct zio_control *control)
{
	char name[ZIO_OBJ_NAME_LEN + 1];
	char address[ADDRESS_LEN];

	put_address(address, control);
	json_add_string(obj, "channel", address);
	zio_name_text(name, control->addr.devname);
	json_add_string(obj, "devname", name);
	json_add_u64(obj, "dev_id", control->addr.dev_id);
	json_add_u64(obj, "cset", control->addr.cset);
	json_add_u64(obj, "chan", control->addr.chan);
}

static void add_version(json_t *obj, const struct zio_control *control)
{
	char version[16];

	snprintf(version, sizeof(version), "%u.%u", control->major_version,
		 control->minor_version);
	json_add_string(obj, "version", version);
}

static json_t *new_alarms(uint8_t alarms)
{
	json_t *list = json_array();
	char text[32];
	int bit;

	for (bit = 0; bit < 8; bit++) {
		if (!(alarms & (1 << bit)))
			continue;
		zio_alarm_text(1 << bit, text, sizeof(text));
		json_append(list, json_string(text));
	}
	return list;
}

static void add_flags(json_t *obj, uint32_t flags)
{
	json_add_u64(obj, "flags", flags);
	json_add_bool(obj, "msb_aligned", flags & ZIO_CONTROL_MSB_ALIGN);
	json_add_bool(obj, "lsb_aligned", flags & ZIO_CONTROL_LSB_ALIGN);
	json_add_bool(obj, "interleaved", flags & ZIO_CONTROL_INTERLEAVE_DATA);
}

static void add_tlv(json_t *obj, const struct zio_control *control)
{
	char name[ATTR_NAME_LEN], text[24];
	uint64_t value;

	if (!get_tlv(control, name, &value))
		return;
	snprintf(text, sizeof(text), "0x%jx", (uintmax_t)value);
	json_add_string(obj, name, text);
}

/* The times of the shots, in nanoseconds after the first one. */
static void add_shots(json_t *obj, const struct zio_control *control)
{
	const uint32_t *ns = &control->attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT];
	unsigned int i, n = zio_control_shots(control);
	json_t *list;

	if (control->tlv[0].type != ZIO_TLV_SHOTS)
		return;
	list = json_array();
	for (i = 0; i < n; i++)
		json_append(list, json_integer(i ? ns[i - 1] : 0));
	json_add(obj, "shots_ns", list);
}

/* Times of the event and of sample 0, in nanoseconds; no rate that is an estimate */
static void add_times(json_t *obj, const struct zio_place *place)
{
	if (place->has_time) {
		json_add(obj, "event_ns", json_integer(place->event.ns));
		json_add(obj, "first_ns", json_integer(place->first.ns + (place->first.ps >= 500)));
	}
	if (place->rate_num)
		json_add(obj, "rate", json_pack("[I,I]", (json_int_t)place->rate_num,
						(json_int_t)place->rate_den));
}

static void add_words(json_t *obj, const char *key, uint32_t bits,
		      const char *(*name)(unsigned int bit))
{
	json_t *list = json_array();
	unsigned int bit;

	for (bit = 0; bits >> bit; bit++)
		if (bits >> bit & 1)
			json_append(list, json_string(name(bit)));
	json_add(obj, key, list);
}

/* What lies between the block before and this one */
static void add_breaks(json_t *obj, const struct zio_place *place)
{
	json_add_u64(obj, "lost", place->lost);
	json_add_u64(obj, "taken", place->taken);
	json_add_u64(obj, "missed", place->missed);
	if (place->breaks)
		add_words(obj, "breaks", place->breaks, zio_break_name);
	if (place->changes)
		add_words(obj, "changes", place->changes, zio_change_name);
	if (place->breaks & ZIO_BREAK_OUTAGE)
		json_add(obj, "outage_ns", json_integer(place->outage_ns));
	if (place->breaks & ZIO_BREAK_PAUSE)
		json_add(obj, "pause_ns", json_integer(place->pause_ns));
	if (place->breaks & ZIO_BREAK_STEP)
		json_add(obj, "step_ns", json_integer(place->step_ns));
}

static void add_control(json_t *obj, const struct zio_control *control)
{
	char trigger[ZIO_OBJ_NAME_LEN + 1];

	add_version(obj, control);
	json_add_u64(obj, "nsamples", control->nsamples);
	json_add_u64(obj, "ssize", control->ssize);
	json_add_u64(obj, "nbits", control->nbits);
	json_add_u64(obj, "secs", control->tstamp.secs);
	json_add_u64(obj, "ticks", control->tstamp.ticks);
	json_add_u64(obj, "bins", control->tstamp.bins);
	json_add(obj, "alarms", new_alarms(control->zio_alarms));
	json_add_u64(obj, "driver_alarms", control->drv_alarms);
	json_add_u64(obj, "mem_offset", control->mem_offset |
		     (uint64_t)control->mem_offset_high << 32);
	add_flags(obj, control->flags);
	zio_name_text(trigger, control->triggername);
	json_add_string(obj, "trigger", trigger);
	add_tlv(obj, control);
	add_shots(obj, control);
}

static json_t *new_attrs(enum zio_attr_owner owner, const struct dump_options *opt,
			 const struct zio_control *control, bool of_block)
{
	struct zio_attr_value list[ZIO_MAX_ATTRS];
	int i, n = list_attrs(control, opt, owner, of_block, list);
	struct zio_scaling scaling;
	json_t *obj = json_object();

	for (i = 0; i < n; i++) {
		const char *unit = unit_of(&list[i], owner);

		json_add(obj, list[i].name, unit ? json_string(unit) :
						   json_integer(list[i].value));
	}
	if (owner == ZIO_ATTR_OF_CHANNEL && !of_block &&
	    !zio_control_scale(control, &scaling) && scaling.is_scaled) {
		json_add(obj, "scale", json_real(scaling.scale));
		json_add(obj, "offset", json_real(scaling.offset));
	}
	return obj;
}

/* The values that each block has of its own */
static void add_block_values(json_t *obj, const struct dump_options *opt,
			     const struct zio_control *control)
{
	json_t *values = new_attrs(ZIO_ATTR_OF_CHANNEL, opt, control, true);

	if (json_object_size(values))
		json_add(obj, "values", values);
	else
		json_decref(values);
}

static void print_bytes(FILE *out, const void *data, size_t i, unsigned int ssize)
{
	const unsigned char *at = (const unsigned char *)data + i * ssize;
	unsigned int b;

	putc_unlocked('"', out);
	for (b = 0; b < ssize; b++)
		fprintf(out, "%02x", at[b]);
	putc_unlocked('"', out);
}

/* A number that readers of JSON may not hold is a string. */
static void print_number(FILE *out, enum dump_format format, const void *data, size_t i,
			 unsigned int ssize)
{
	bool is_large = format != DUMP_SIGNED && get_sample(data, i, ssize) > INT64_MAX;
	char text[VALUE_LEN], *to = text;

	if (is_large)
		*to++ = '"';
	to = put_sample(to, format, data, i, ssize);
	if (is_large)
		*to++ = '"';
	fwrite_unlocked(text, 1, (size_t)(to - text), out);
}

static void print_samples(FILE *out, enum dump_format format, const struct zio_block *blk)
{
	size_t count = blk->data ? blk->control->nsamples : 0;
	unsigned int ssize = blk->control->ssize;
	size_t i;

	for (i = 0; i < count; i++) {
		if (i)
			putc_unlocked(',', out);
		if (is_numeric(ssize))
			print_number(out, format, blk->data, i, ssize);
		else
			print_bytes(out, blk->data, i, ssize);
	}
}

/* Numbers that are not finite are impossible: see zio_block_to_double(). */
static void print_values(FILE *out, const struct dump_values *values)
{
	char text[VALUE_LEN];
	size_t i;

	for (i = 0; i < values->count; i++) {
		put_value(text, values->value[i]);
		fprintf(out, "%s%s%s", i ? "," : "", text,
			strpbrk(text, ".e") ? "" : ".0");
	}
}

static json_t *new_block(const struct dump_options *opt, const struct zio_block *blk,
			 const struct zio_place *place)
{
	const struct zio_control *control = blk->control;
	json_t *obj = json_object();

	add_address(obj, control);
	json_add_u64(obj, "seq", control->seq_num);
	add_breaks(obj, place);
	if (opt->control) {
		add_control(obj, control);
		add_times(obj, place);
		add_block_values(obj, opt, control);
	}
	if (opt->control && opt->attributes) {
		json_add(obj, "channel_attributes",
			 new_attrs(ZIO_ATTR_OF_CHANNEL, opt, control, false));
		json_add(obj, "trigger_attributes",
			 new_attrs(ZIO_ATTR_OF_TRIGGER, opt, control, false));
	}
	return obj;
}

/* Print an object up to its last brace, and free it. */
static void begin_object(FILE *out, json_t *obj)
{
	char *text = json_dumps(obj, JSON_COMPACT);

	if (!text)
		fail_memory();
	fwrite_unlocked(text, 1, strlen(text) - 1, out);
	free(text);
	json_decref(obj);
}

/* The samples are many: they become text at once, and no objects. */
int dump_json(FILE *out, const struct dump_options *opt, const struct zio_block *blk,
	      const struct zio_place *place)
{
	json_t *obj = new_block(opt, blk, place);
	struct dump_values values = { 0 };

	if (!opt->data)
		return json_print(out, obj, 0);
	if (opt->units && convert_block(&values, blk))
		json_add_string(obj, "unit", values.scaling.unit);
	begin_object(out, obj);
	fputs(",\"data\":[", out);
	if (values.value)
		print_values(out, &values);
	else
		print_samples(out, opt->format, blk);
	free(values.value);
	fputs("]}\n", out);
	return ferror(out) ? -1 : 0;
}
