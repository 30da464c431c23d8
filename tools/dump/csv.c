// SPDX-License-Identifier: GPL-2.0-only
/* Print a block as comma-separated values: a line for each sample */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/control.h"
#include "dump.h"

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

static void print_head(FILE *out, const struct dump_options *opt)
{
	fputs("channel,block", out);
	if (opt->control)
		fputs(",time,lost", out);
	if (opt->control && !opt->data)
		fputs(",trigger,alarms,driver_alarms,nsamples,ssize,nbits", out);
	if (opt->data)
		fputs(opt->units ? ",sample,value,unit" : ",sample,value", out);
	fputc('\n', out);
}

/* The fields that all lines of a block have */
static void print_block(FILE *out, const struct dump_options *opt,
			const struct zio_block *blk)
{
	const struct zio_control *control = blk->control;
	char address[ADDRESS_LEN];

	put_address(address, control);
	print_field(out, address);
	fprintf(out, ",%" PRIu32, control->seq_num);
	if (opt->control)
		fprintf(out, ",%llu.%09llu,%" PRIu32,
			(unsigned long long)control->tstamp.secs,
			(unsigned long long)control->tstamp.ticks, blk->lost);
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

static void print_samples(FILE *out, const struct dump_options *opt,
			  const struct zio_block *blk)
{
	size_t i;

	for (i = 0; i < blk->control->nsamples; i++) {
		print_block(out, opt, blk);
		fprintf(out, ",%zu,", i);
		print_value(out, opt->format, blk->data, i, blk->control->ssize);
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
		print_block(out, opt, blk);
		fprintf(out, ",%zu,%.12g,", i, values.value[i]);
		print_field(out, values.scaling.unit);
		fputc('\n', out);
	}
	free(values.value);
	return true;
}

int dump_csv(FILE *out, const struct dump_options *opt, const struct zio_block *blk)
{
	static bool has_head;

	if (!has_head)
		print_head(out, opt);
	has_head = true;
	if (opt->data && blk->data) {
		if (!opt->units || !print_values(out, opt, blk))
			print_samples(out, opt, blk);
		return ferror(out) ? -1 : 0;
	}
	print_block(out, opt, blk);
	if (opt->data)
		fputs(opt->units ? ",,,\n" : ",,\n", out);
	else
		print_control(out, blk->control);
	return ferror(out) ? -1 : 0;
}
