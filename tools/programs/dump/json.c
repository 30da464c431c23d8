// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print a block as a JSON object in one line
 *
 * What each block has is printed directly as text. No string needs escaping, because the
 * library makes all names harmless: see zio_name_text(). Rare parts of a block are
 * jansson objects.
 */
#include <stdlib.h>
#include <string.h>

#include "common/control.h"
#include "common/json.h"
#include "common/program.h"
#include "dump.h"

/* More bytes than a block needs without its samples and objects */
#define HALF_LINE 4096

/* The text not yet printed */
struct line {
	FILE *out;
	char *end;
	char text[2 * HALF_LINE];
};

static void print_line(struct line *to)
{
	fwrite_unlocked(to->text, 1, (size_t)(to->end - to->text), to->out);
	to->end = to->text;
}

static void make_room(struct line *to)
{
	if (to->end > to->text + HALF_LINE)
		print_line(to);
}

/*
 * --- @key is a constant that includes the comma or brace before it, its quotes, and the
 * colon
 */

static inline void put(struct line *to, const char *text)
{
	to->end = stpcpy(to->end, text);
}

static inline void add_u32(struct line *to, const char *key, uint32_t value)
{
	put(to, key);
	to->end = put_number(to->end, value);
}

/* Readers of JSON may not be able to hold a larger number. */
static void put_u64(struct line *to, uint64_t value)
{
	bool is_large = value > INT64_MAX;

	if (is_large)
		*to->end++ = '"';
	to->end = put_number(to->end, value);
	if (is_large)
		*to->end++ = '"';
}

static inline void add_u64(struct line *to, const char *key, uint64_t value)
{
	put(to, key);
	put_u64(to, value);
}

static inline void add_s64(struct line *to, const char *key, int64_t value)
{
	put(to, key);
	to->end = put_signed(to->end, value);
}

static inline void add_bool(struct line *to, const char *key, bool value)
{
	put(to, key);
	put(to, value ? "true" : "false");
}

static inline void add_string(struct line *to, const char *key, const char *value)
{
	put(to, key);
	*to->end++ = '"';
	put(to, value);
	*to->end++ = '"';
}

/* Add an object or a list, and free it. */
static void add_json(struct line *to, const char *key, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);

	if (!text)
		fail_memory();
	put(to, key);
	print_line(to);
	fwrite_unlocked(text, 1, strlen(text), to->out);
	free(text);
	json_decref(value);
}

/* --- the parts of a block */

static void add_address(struct line *to, const struct zio_control *control)
{
	char name[ZIO_OBJ_NAME_LEN + 1];

	add_string(to, "{\"channel\":", address_of(control));
	zio_name_text(name, control->addr.devname);
	add_string(to, ",\"devname\":", name);
	add_u32(to, ",\"dev_id\":", control->addr.dev_id);
	add_u32(to, ",\"cset\":", control->addr.cset);
	add_u32(to, ",\"chan\":", control->addr.chan);
}

static void add_version(struct line *to, const struct zio_control *control)
{
	add_u32(to, ",\"version\":\"", control->major_version);
	add_u32(to, ".", control->minor_version);
	put(to, "\"");
}

static void add_alarms(struct line *to, uint8_t alarms)
{
	const char *before = "";
	char text[32];
	int bit;

	put(to, ",\"alarms\":[");
	for (bit = 0; alarms >> bit; bit++) {
		if (!(alarms & (1 << bit)))
			continue;
		zio_alarm_text(1 << bit, text, sizeof(text));
		add_string(to, before, text);
		before = ",";
	}
	put(to, "]");
}

static void add_flags(struct line *to, uint32_t flags)
{
	add_u32(to, ",\"flags\":", flags);
	add_bool(to, ",\"msb_aligned\":", flags & ZIO_CONTROL_MSB_ALIGN);
	add_bool(to, ",\"lsb_aligned\":", flags & ZIO_CONTROL_LSB_ALIGN);
	add_bool(to, ",\"interleaved\":", flags & ZIO_CONTROL_INTERLEAVE_DATA);
}

static void add_tlv(struct line *to, const struct zio_control *control)
{
	char name[ATTR_NAME_LEN];
	uint64_t value;

	if (get_tlv(control, name, &value))
		to->end += sprintf(to->end, ",\"%s\":\"0x%jx\"", name, (uintmax_t)value);
}

/* The times of the shots, in nanoseconds after the first */
static void add_shots(struct line *to, const struct zio_control *control)
{
	const uint32_t *ns = &control->attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT];
	unsigned int i, n = zio_control_shots(control);

	if (control->tlv[0].type != ZIO_TLV_SHOTS)
		return;
	put(to, ",\"shots_ns\":[0");
	for (i = 1; i < n; i++)
		add_u32(to, ",", ns[i - 1]);
	put(to, "]");
}

/*
 * Times of the event and of sample 0, in nanoseconds; the rate only if it is not an
 * estimate
 */
static void add_times(struct line *to, const struct zio_place *place)
{
	if (place->has_time) {
		add_s64(to, ",\"event_ns\":", place->event.ns);
		add_s64(to, ",\"first_ns\":", place->first.ns + (place->first.ps >= 500));
	}
	if (place->rate_num) {
		add_u32(to, ",\"rate\":[", place->rate_num);
		add_u32(to, ",", place->rate_den);
		put(to, "]");
	}
}

static json_t *new_words(uint32_t bits, const char *(*name)(unsigned int bit))
{
	json_t *list = json_array();
	unsigned int bit;

	for (bit = 0; bits >> bit; bit++)
		if (bits >> bit & 1)
			json_append(list, json_string(name(bit)));
	return list;
}

/* What lies between the block before and this one */
static void add_breaks(struct line *to, const struct zio_place *place)
{
	add_u64(to, ",\"lost\":", place->lost);
	add_u64(to, ",\"taken\":", place->taken);
	add_u64(to, ",\"missed\":", place->missed);
	if (place->breaks)
		add_json(to, ",\"breaks\":", new_words(place->breaks, zio_break_name));
	if (place->changes)
		add_json(to, ",\"changes\":", new_words(place->changes, zio_change_name));
	if (place->breaks & ZIO_BREAK_OUTAGE)
		add_s64(to, ",\"outage_ns\":", place->outage_ns);
	if (place->breaks & ZIO_BREAK_PAUSE)
		add_s64(to, ",\"pause_ns\":", place->pause_ns);
	if (place->breaks & ZIO_BREAK_STEP)
		add_s64(to, ",\"step_ns\":", place->step_ns);
}

static void add_control(struct line *to, const struct zio_control *control)
{
	char trigger[ZIO_OBJ_NAME_LEN + 1];

	add_version(to, control);
	add_u32(to, ",\"nsamples\":", control->nsamples);
	add_u32(to, ",\"ssize\":", control->ssize);
	add_u32(to, ",\"nbits\":", control->nbits);
	add_u64(to, ",\"secs\":", control->tstamp.secs);
	add_u64(to, ",\"ticks\":", control->tstamp.ticks);
	add_u64(to, ",\"bins\":", control->tstamp.bins);
	add_alarms(to, control->zio_alarms);
	add_u32(to, ",\"driver_alarms\":", control->drv_alarms);
	add_u64(to, ",\"mem_offset\":", control->mem_offset |
		(uint64_t)control->mem_offset_high << 32);
	add_flags(to, control->flags);
	zio_name_text(trigger, control->triggername);
	add_string(to, ",\"trigger\":", trigger);
	add_tlv(to, control);
	add_shots(to, control);
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

/* The values that belong to this block */
static void add_block_values(struct line *to, const struct dump_options *opt,
			     const struct zio_control *control)
{
	json_t *values;

	if (!control->attr_channel.ext_mask)
		return;
	values = new_attrs(ZIO_ATTR_OF_CHANNEL, opt, control, true);
	if (json_object_size(values))
		add_json(to, ",\"values\":", values);
	else
		json_decref(values);
}

static void add_block(struct line *to, const struct dump_options *opt,
		      const struct zio_control *control, const struct zio_place *place)
{
	add_address(to, control);
	add_u32(to, ",\"seq\":", control->seq_num);
	add_breaks(to, place);
	if (opt->control) {
		add_control(to, control);
		add_times(to, place);
		add_block_values(to, opt, control);
	}
	if (opt->control && opt->attributes) {
		add_json(to, ",\"channel_attributes\":",
			 new_attrs(ZIO_ATTR_OF_CHANNEL, opt, control, false));
		add_json(to, ",\"trigger_attributes\":",
			 new_attrs(ZIO_ATTR_OF_TRIGGER, opt, control, false));
	}
}

/* --- samples */

static void put_bytes(struct line *to, const void *data, size_t i, unsigned int ssize)
{
	const unsigned char *at = (const unsigned char *)data + i * ssize;
	unsigned int b;

	put(to, "\"");
	for (b = 0; b < ssize; b++) {
		make_room(to);
		to->end += sprintf(to->end, "%02x", at[b]);
	}
	put(to, "\"");
}

static void put_sample_of(struct line *to, enum dump_format format, const void *data, size_t i,
			  unsigned int ssize)
{
	if (format == DUMP_SIGNED)
		to->end = put_sample(to->end, format, data, i, ssize);
	else
		put_u64(to, get_sample(data, i, ssize));
}

static void put_samples(struct line *to, enum dump_format format, const struct zio_block *blk)
{
	size_t count = blk->data ? blk->control->nsamples : 0;
	unsigned int ssize = blk->control->ssize;
	size_t i;

	for (i = 0; i < count; i++) {
		make_room(to);
		if (i)
			*to->end++ = ',';
		if (is_numeric(ssize))
			put_sample_of(to, format, blk->data, i, ssize);
		else
			put_bytes(to, blk->data, i, ssize);
	}
}

/* All numbers are finite: see zio_block_to_double(). */
static void put_values(struct line *to, const struct dump_values *values)
{
	char text[VALUE_LEN];
	size_t i;

	for (i = 0; i < values->count; i++) {
		make_room(to);
		put_value(text, values->value[i]);
		put(to, i ? "," : "");
		put(to, text);
		put(to, strpbrk(text, ".e") ? "" : ".0");
	}
}

static void add_data(struct line *to, const struct dump_options *opt,
		     const struct zio_block *blk)
{
	struct dump_values values;
	bool has_unit = opt->units && convert_block(&values, blk);

	if (has_unit)
		add_string(to, ",\"unit\":", values.scaling.unit);
	put(to, ",\"data\":[");
	if (has_unit) {
		put_values(to, &values);
		free(values.value);
	} else {
		put_samples(to, opt->format, blk);
	}
	put(to, "]");
}

int dump_json(FILE *out, const struct dump_options *opt, const struct zio_block *blk,
	      const struct zio_place *place)
{
	struct line line;

	line.out = out;
	line.end = line.text;
	add_block(&line, opt, blk->control, place);
	if (opt->data)
		add_data(&line, opt, blk);
	put(&line, "}\n");
	print_line(&line);
	return ferror(out) ? -1 : 0;
}
