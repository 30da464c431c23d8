// SPDX-License-Identifier: GPL-2.0-only
/* Print a block as comma-separated values: a line for each sample, or each scan */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/control.h"
#include "common/program.h"
#include "dump.h"

#define SECOND 1000000000
#define MAX_NS INT64_MAX

#define MAX_WAITING 256

/* The columns of the table: the first block with samples or channels decides. */
static struct {
	bool has_head;
	uint64_t mask;		/* the channels of an interleaved block, or 0 */
	unsigned int count;	/* samples in a line */
} table;

/* Blocks before that one: their lines follow the head. */
static struct {
	struct zio_control control;
	uint32_t lost;
} waiting[MAX_WAITING];
static unsigned int n_waiting;

/* A field with a comma or a quote is in quotes, and its quotes are doubled. */
static void print_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	fputc('"', out);
}

/* Return the mask of the channels in an interleaved block; 0 for other blocks. */
static uint64_t channel_mask(const struct zio_control *control)
{
	const struct zio_tlv *tlv = &control->tlv[0];
	uint64_t mask;

	if (!(control->flags & ZIO_CONTROL_INTERLEAVE_DATA) ||
	    tlv->type != ZIO_TLV_CHANNELS)
		return 0;
	memcpy(&mask, tlv->payload, sizeof(mask));
	return mask;
}

static void print_columns(FILE *out)
{
	int i;

	for (i = 0; i < 64; i++)
		if (table.mask >> i & 1)
			fprintf(out, ",chan%d", i);
	if (!table.mask)
		fputs(",value", out);
}

static void print_head(FILE *out, const struct dump_options *opt)
{
	fputs("channel,block", out);
	if (opt->control)
		fputs(",time,lost", out);
	if (opt->control && !opt->data)
		fputs(",trigger,alarms,driver_alarms,nsamples,ssize,nbits", out);
	if (opt->data) {
		fputs(",sample", out);
		print_columns(out);
		fputs(opt->units ? ",unit" : "", out);
	}
	fputc('\n', out);
}

/* Samples of a channel per second: those of the option, or of the control; 0: unknown */
static double line_rate(const struct dump_options *opt, const struct zio_control *control)
{
	const struct zio_ctrl_attr *attr = &control->attr_channel;

	if (opt->rate > 0 || !(attr->std_mask & 1 << ZIO_ATTR_MAXRATE))
		return opt->rate;
	return attr->std_val[ZIO_ATTR_MAXRATE];
}

/* The time of line @i, as far as it is known: that of its shot, and by the rate its own. */
static struct zio_timestamp line_time(const struct dump_options *opt,
				      const struct zio_control *control, size_t i)
{
	unsigned int shots = zio_control_shots(control);
	size_t length = control->nsamples / table.count / shots;
	size_t shot = length ? i / length : 0;
	double ns, rate = line_rate(opt, control);
	struct zio_timestamp time;

	if (shot >= shots)
		shot = shots - 1;
	if (zio_control_shot(control, (unsigned int)shot, &time))
		return carry_ticks(control->tstamp);
	time = carry_ticks(time);
	i -= shot * length;
	if (rate > 0 && i) {
		ns = (double)i * SECOND / rate + 0.5;
		time.ticks += ns < MAX_NS ? (uint64_t)ns : MAX_NS;
	}
	return carry_ticks(time);
}

/* The fields before the samples. Only the first line of a block has its loss. */
static void print_block(FILE *out, const struct dump_options *opt,
			const struct zio_block *blk, size_t i)
{
	struct zio_timestamp time = line_time(opt, blk->control, i);
	char address[ADDRESS_LEN];

	put_address(address, blk->control);
	print_field(out, address);
	fprintf(out, ",%" PRIu32, blk->control->seq_num);
	if (opt->control)
		fprintf(out, ",%llu.%09llu,%" PRIu32, (unsigned long long)time.secs,
			(unsigned long long)time.ticks, i ? 0 : blk->lost);
}

static void print_control(FILE *out, const struct zio_control *control)
{
	char trigger[ZIO_OBJ_NAME_LEN + 1], alarms[128];

	zio_name_text(trigger, control->triggername);
	fputc(',', out);
	print_field(out, trigger);
	zio_alarm_text(control->zio_alarms, alarms, sizeof(alarms));
	fputc(',', out);
	print_field(out, alarms);
	fprintf(out, ",%u,%" PRIu32 ",%u,%u\n", control->drv_alarms, control->nsamples,
		control->ssize, control->nbits);
}

static void print_value(FILE *out, enum dump_format format, const void *data, size_t i,
			unsigned int ssize)
{
	const unsigned char *at = (const unsigned char *)data + i * ssize;
	unsigned int b;

	if (is_numeric(ssize) && format == DUMP_SIGNED)
		fprintf(out, "%" PRId64, extend_sign(get_sample(data, i, ssize), ssize));
	else if (is_numeric(ssize))
		fprintf(out, "%" PRIu64, get_sample(data, i, ssize));
	for (b = 0; b < ssize && !is_numeric(ssize); b++)
		fprintf(out, "%02x", at[b]);
}

/* Sample @i begins a line, if it is the first one of its scan. */
static void begin_scan(FILE *out, const struct dump_options *opt,
		       const struct zio_block *blk, size_t i)
{
	if (i % table.count)
		return;
	print_block(out, opt, blk, i / table.count);
	fprintf(out, ",%zu", i / table.count);
}

static void print_samples(FILE *out, const struct dump_options *opt,
			  const struct zio_block *blk)
{
	size_t i;

	for (i = 0; i < blk->control->nsamples; i++) {
		begin_scan(out, opt, blk, i);
		fputc(',', out);
		print_value(out, opt->format, blk->data, i, blk->control->ssize);
		if (i % table.count == table.count - 1)
			fputs(opt->units ? ",\n" : "\n", out);
	}
}

/* Returns false if the block has no scale. */
static bool print_values(FILE *out, const struct dump_options *opt,
			 const struct zio_block *blk)
{
	struct dump_values values;
	size_t i;

	if (!convert_block(&values, blk))
		return false;
	for (i = 0; i < values.count; i++) {
		begin_scan(out, opt, blk, i);
		fprintf(out, ",%.12g", values.value[i]);
		if (i % table.count < table.count - 1)
			continue;
		fputc(',', out);
		print_field(out, values.scaling.unit);
		fputc('\n', out);
	}
	free(values.value);
	return true;
}

static void begin_table(FILE *out, const struct dump_options *opt,
			const struct zio_control *control)
{
	table.mask = opt->data ? channel_mask(control) : 0;
	table.count = table.mask ? (unsigned int)__builtin_popcountll(table.mask) : 1;
	table.has_head = true;
	print_head(out, opt);
}

static void tell_part(const char *address, const struct zio_control *control)
{
	complain("%s: block %" PRIu32 " has %" PRIu32 " samples, no multiple of its %u "
		 "channels: print it with --format=json", address, control->seq_num,
		 control->nsamples, table.count);
}

/* A table has one set of columns. */
static bool fits_table(const struct zio_control *control)
{
	bool has_columns = channel_mask(control) == table.mask;
	char address[ADDRESS_LEN];

	if (has_columns && !(control->nsamples % table.count))
		return true;
	put_address(address, control);
	if (has_columns)
		tell_part(address, control);
	else
		complain("%s: block %" PRIu32 " has other channels than the first block: "
			 "print it with --format=json, or alone", address,
			 control->seq_num);
	return false;
}

static void print_empty(FILE *out, const struct dump_options *opt,
			const struct zio_block *blk)
{
	unsigned int i;

	print_block(out, opt, blk, 0);
	fputc(',', out);
	for (i = 0; i < table.count + opt->units; i++)
		fputc(',', out);
	fputc('\n', out);
}

static bool keep_waiting(const struct zio_block *blk)
{
	if (blk->data || channel_mask(blk->control) || n_waiting == MAX_WAITING)
		return false;
	waiting[n_waiting].control = *blk->control;
	waiting[n_waiting++].lost = blk->lost;
	return true;
}

static void print_waiting(FILE *out, const struct dump_options *opt)
{
	unsigned int i;

	for (i = 0; i < n_waiting; i++) {
		struct zio_block blk = { .control = &waiting[i].control,
					 .lost = waiting[i].lost };

		print_empty(out, opt, &blk);
	}
	n_waiting = 0;
}

void end_csv(FILE *out, const struct dump_options *opt)
{
	if (!n_waiting)
		return;
	begin_table(out, opt, &waiting[0].control);
	print_waiting(out, opt);
}

int dump_csv(FILE *out, const struct dump_options *opt, const struct zio_block *blk)
{
	if (!table.has_head) {
		if (opt->data && keep_waiting(blk))
			return 0;
		begin_table(out, opt, blk->control);
		print_waiting(out, opt);
	}
	if (opt->data && blk->data) {
		if (!fits_table(blk->control))
			return -1;
		if (!opt->units || !print_values(out, opt, blk))
			print_samples(out, opt, blk);
	} else if (opt->data) {
		print_empty(out, opt, blk);
	} else {
		print_block(out, opt, blk, 0);
		print_control(out, blk->control);
	}
	return ferror(out) ? -1 : 0;
}
