// SPDX-License-Identifier: GPL-2.0-only
/* Print a block as text */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/control.h"
#include "dump.h"

#define LINE_BYTES 16
#define LINE_VALUES 4

/* The list does not contain halves of a double. */
static void print_scale(FILE *out, const struct zio_control *control)
{
	char scale[VALUE_LEN], offset[VALUE_LEN];
	struct zio_scaling scaling;

	if (zio_control_scale(control, &scaling) || !scaling.is_scaled)
		return;
	put_value(scale, scaling.scale);
	put_value(offset, scaling.offset);
	fprintf(out, " scale=%s offset=%s", scale, offset);
}

/* The values that belong to this block get a line of their own. */
static void print_attrs(FILE *out, const char *title,
			enum zio_attr_owner owner, const struct dump_options *opt,
			const struct zio_control *control, bool of_block)
{
	struct zio_attr_value list[ZIO_MAX_ATTRS];
	int i, n = list_attrs(control, opt, owner, of_block, list);

	if (!n)
		return;
	fprintf(out, "  %s", title);
	for (i = 0; i < n; i++) {
		const char *unit = unit_of(&list[i], owner);

		if (unit)
			fprintf(out, " %s=%s", list[i].name, unit);
		else
			fprintf(out, " %s=%" PRId64, list[i].name, list[i].value);
	}
	if (owner == ZIO_ATTR_OF_CHANNEL && !of_block)
		print_scale(out, control);
	fputc('\n', out);
}

static void print_alarms(FILE *out, const struct zio_control *control, uint32_t lost)
{
	char names[128];

	if (!control->zio_alarms && !control->drv_alarms && !lost)
		return;
	zio_alarm_text(control->zio_alarms, names, sizeof(names));
	fprintf(out, "  alarms  %s; driver 0x%02x; lost before this block: %"
		PRIu32 "\n", *names ? names : "none", control->drv_alarms,
		lost);
}

/* What lies between the block before and this one, worded like an account */
static void print_breaks(FILE *out, const struct zio_place *place)
{
	const struct zio_account account = {
		.lost = place->lost,
		.gaps = 1,
		.taken = place->taken,
		.missed = place->missed,
		.outages = !!(place->breaks & ZIO_BREAK_OUTAGE),
		.outage_ns = (uint64_t)place->outage_ns,
		.pauses = !!(place->breaks & ZIO_BREAK_PAUSE),
		.pause_ns = (uint64_t)place->pause_ns,
		.steps = !!(place->breaks & ZIO_BREAK_STEP),
		.changes = !!place->changes,
		.changed = place->changes,
	};
	char text[256];

	if (!place->breaks)
		return;
	zio_account_text(&account, text, sizeof(text));
	fprintf(out, "  before  %s\n", text);
}

static void print_tlv(FILE *out, const struct zio_control *control)
{
	char name[ATTR_NAME_LEN];
	uint64_t value;

	if (get_tlv(control, name, &value))
		fprintf(out, "  tlv     %s=0x%" PRIx64 "\n", name, value);
}

/* The times of the shots, in nanoseconds after the first */
static void print_shots(FILE *out, const struct zio_control *control)
{
	unsigned int i, n = zio_control_shots(control);

	if (control->tlv[0].type != ZIO_TLV_SHOTS)
		return;
	fprintf(out, "  shots   %u: 0", n);
	for (i = 1; i < n; i++)
		fprintf(out, " +%" PRIu32, control->attr_trigger
			.ext_val[ZIO_ATTR_TRIG_EXT_SHOT + i - 1]);
	fprintf(out, " ns\n");
}

static void print_flags(FILE *out, uint32_t flags)
{
	const uint32_t order = flags & (ZIO_CONTROL_LITTLE_ENDIAN | ZIO_CONTROL_BIG_ENDIAN);

	fprintf(out, "  flags   0x%08" PRIx32 "%s%s%s%s%s\n", flags,
		order == ZIO_CONTROL_LITTLE_ENDIAN ? " little-endian" : "",
		order == ZIO_CONTROL_BIG_ENDIAN ? " big-endian" : "",
		flags & ZIO_CONTROL_MSB_ALIGN ? " msb-aligned" : "",
		flags & ZIO_CONTROL_LSB_ALIGN ? " lsb-aligned" : "",
		flags & ZIO_CONTROL_INTERLEAVE_DATA ? " interleaved" : "");
}

static void print_time(FILE *out, const struct zio_place *place, uint64_t bins)
{
	char event[TIME_LEN] = "unknown", first[TIME_LEN] = "";

	if (place->has_time) {
		*put_time(event, &place->event) = '\0';
		*put_time(first, &place->first) = '\0';
	}
	fprintf(out, "  time    %s bins %" PRIu64 "\n", event, bins);
	if (*first && strcmp(first, event))
		fprintf(out, "  first   %s\n", first);
}

static void print_control(FILE *out, const struct dump_options *opt,
			  const struct zio_control *control, const struct zio_place *place)
{
	char trigger[ZIO_OBJ_NAME_LEN + 1];

	zio_name_text(trigger, control->triggername);
	fprintf(out, "%s: block %" PRIu32 ": %" PRIu32
		" samples of %u bytes (%u bits), trigger %s, control %u.%u\n",
		address_of(control), control->seq_num, control->nsamples, control->ssize,
		control->nbits, trigger, control->major_version,
		control->minor_version);
	print_time(out, place, control->tstamp.bins);
	print_alarms(out, control, place->lost);
	print_breaks(out, place);
	print_tlv(out, control);
	print_attrs(out, "values ", ZIO_ATTR_OF_CHANNEL, opt, control, true);
	print_shots(out, control);
	if (!opt->attributes)
		return;
	print_flags(out, control->flags);
	print_attrs(out, "channel", ZIO_ATTR_OF_CHANNEL, opt, control, false);
	print_attrs(out, "trigger", ZIO_ATTR_OF_TRIGGER, opt, control, false);
}

static void print_bytes(FILE *out, const void *data, size_t i,
			unsigned int ssize)
{
	const unsigned char *at = (const unsigned char *)data + i * ssize;
	unsigned int b;

	fputc(' ', out);
	for (b = 0; b < ssize; b++)
		fprintf(out, "%02x", at[b]);
}

static void print_sample(FILE *out, enum dump_format format, const void *data,
			 size_t i, unsigned int ssize)
{
	/* Digits of the longest value, so that columns line up. */
	static const int width[] = { [1] = 4, [2] = 6, [4] = 11, [8] = 20 };
	uint64_t v = get_sample(data, i, ssize);

	if (format == DUMP_HEX)
		fprintf(out, " %0*" PRIx64, (int)(2 * ssize), v);
	else if (format == DUMP_SIGNED)
		fprintf(out, " %*" PRId64, width[ssize],
			extend_sign(v, ssize));
	else
		fprintf(out, " %*" PRIu64, width[ssize], v);
}

static void print_line(FILE *out, enum dump_format format,
		       const struct zio_block *blk, size_t from, size_t to)
{
	unsigned int ssize = blk->control->ssize;
	size_t i;

	fprintf(out, "  data    %6zu:", from);
	for (i = from; i < to; i++) {
		if (is_numeric(ssize))
			print_sample(out, format, blk->data, i, ssize);
		else
			print_bytes(out, blk->data, i, ssize);
	}
	fputc('\n', out);
}

static void print_data(FILE *out, enum dump_format format,
		       const struct zio_block *blk)
{
	size_t step = LINE_BYTES / blk->control->ssize;
	size_t count = blk->control->nsamples;
	size_t i;

	if (!step)
		step = 1;
	for (i = 0; i < count; i += step)
		print_line(out, format, blk, i,
			   count - i < step ? count : i + step);
}

/* Ten digits show each step of a 32-bit converter. */
static void print_value_line(FILE *out, const struct dump_values *values, size_t from)
{
	size_t i;

	fprintf(out, "  data    %6zu:", from);
	for (i = from; i < values->count && i < from + LINE_VALUES; i++)
		fprintf(out, " %16.10g", values->value[i]);
	fprintf(out, "%s%s\n", *values->scaling.unit ? " " : "", values->scaling.unit);
}

static bool print_values(FILE *out, const struct zio_block *blk)
{
	struct dump_values values;
	size_t i;

	if (!convert_block(&values, blk))
		return false;
	for (i = 0; i < values.count; i += LINE_VALUES)
		print_value_line(out, &values, i);
	free(values.value);
	return true;
}

int dump_text(FILE *out, const struct dump_options *opt, const struct zio_block *blk,
	      const struct zio_place *place)
{
	if (opt->control)
		print_control(out, opt, blk->control, place);
	if (opt->data && blk->data && !(opt->units && print_values(out, blk)))
		print_data(out, opt->format, blk);
	return ferror(out) ? -1 : 0;
}
