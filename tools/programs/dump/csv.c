// SPDX-License-Identifier: GPL-2.0-only
/* Print a block as comma-separated values, one line per sample or scan */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/control.h"
#include "common/program.h"
#include "dump.h"

#define MAX_WAITING 256

/* The columns of the table, as decided by the first block with samples or channels. */
static struct {
	bool has_head;
	uint64_t mask;		/* the channels of an interleaved block, or 0 */
	unsigned int count;	/* samples per line */
} table;

/* Blocks before that one, printed after the header. */
static struct {
	struct zio_control control;
	struct zio_place place;
} waiting[MAX_WAITING];
static unsigned int n_waiting;

/* Return the mask of channels of an interleaved block; 0 for other blocks. */
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

/* --- a line: the leading fields, then the samples */

#define HEAD_LEN (ADDRESS_LEN + TIME_LEN + 64)
#define MOST_COLUMNS 64

/* The beginning of all lines of a block, and room for a line */
struct head {
	char text[HEAD_LEN + MOST_COLUMNS * VALUE_LEN];
	char *end;
	char *line;		/* after the fields of the last line */
	const struct zio_place *place;	/* NULL: without time and loss */
};

static void begin_block(struct head *head, const struct dump_options *opt,
			const struct zio_control *control, const struct zio_place *place)
{
	head->end = stpcpy(head->text, address_of(control));
	*head->end++ = ',';
	head->end = put_number(head->end, control->seq_num);
	head->place = opt->control ? place : NULL;
}

/* The fields before the samples. Only the first line of a block shows the loss. */
static char *print_block(struct head *head, size_t line)
{
	const struct zio_place *place = head->place;
	struct zio_instant time;
	char *to = head->end;

	if (!place)
		return to;
	*to++ = ',';
	if (!zio_sample_time(place, (uint32_t)line, &time))
		to = put_time(to, &time);
	*to++ = ',';
	return put_number(to, line ? 0 : place->lost);
}

static void print_text(FILE *out, const char *from, const char *to)
{
	fwrite_unlocked(from, 1, (size_t)(to - from), out);
}

static void print_control(FILE *out, const struct zio_control *control)
{
	char trigger[ZIO_OBJ_NAME_LEN + 1], alarms[128];
	const char *quote;

	zio_name_text(trigger, control->triggername);
	zio_alarm_text(control->zio_alarms, alarms, sizeof(alarms));
	quote = strchr(alarms, ',') ? "\"" : "";
	fprintf(out, ",%s,%s%s%s,%u,%" PRIu32 ",%u,%u\n", trigger, quote, alarms, quote,
		control->drv_alarms, control->nsamples, control->ssize, control->nbits);
}

static void print_bytes(FILE *out, const void *data, size_t i, unsigned int ssize)
{
	const unsigned char *at = (const unsigned char *)data + i * ssize;
	unsigned int b;

	putc_unlocked(',', out);
	for (b = 0; b < ssize; b++)
		fprintf(out, "%02x", at[b]);
}

/* Do all lines but the first share the fields before the number of the sample? */
static bool is_alike(const struct head *head, size_t line)
{
	const struct zio_place *place = head->place;

	return !place || (line > 1 && !place->rate_num && place->n_shots <= 1);
}

/* Begin a line in the text of @head. Return where the samples go. */
static char *begin_line(struct head *head, size_t line)
{
	char *to;

	if (!line || !is_alike(head, line))
		head->line = print_block(head, line);
	to = head->line;
	*to++ = ',';
	return put_number(to, line);
}

/* Begin a line if sample @i is the first one of its scan. */
static void begin_scan(FILE *out, struct head *head, size_t i)
{
	if (!(i % table.count))
		print_text(out, head->text, begin_line(head, i / table.count));
}

static void print_numbers(FILE *out, const struct dump_options *opt,
			  const struct zio_block *blk, struct head *head)
{
	const struct zio_control *control = blk->control;
	size_t lines = control->nsamples / table.count, line, i = 0;
	unsigned int column;

	for (line = 0; line < lines; line++) {
		char *to = begin_line(head, line);

		for (column = 0; column < table.count; column++) {
			*to++ = ',';
			to = put_sample(to, opt->format, blk->data, i++, control->ssize);
		}
		if (opt->units)
			*to++ = ',';
		*to++ = '\n';
		print_text(out, head->text, to);
	}
}

static void print_samples(FILE *out, const struct dump_options *opt,
			  const struct zio_block *blk, struct head *head)
{
	size_t i;

	if (is_numeric(blk->control->ssize)) {
		print_numbers(out, opt, blk, head);
		return;
	}
	for (i = 0; i < blk->control->nsamples; i++) {
		begin_scan(out, head, i);
		print_bytes(out, blk->data, i, blk->control->ssize);
		if (i % table.count == table.count - 1)
			fputs_unlocked(opt->units ? ",\n" : "\n", out);
	}
}

/* Returns false if the block has no scale. */
static bool print_values(FILE *out, const struct zio_block *blk, struct head *head)
{
	struct dump_values values;
	char text[VALUE_LEN];
	size_t i;

	if (!convert_block(&values, blk))
		return false;
	for (i = 0; i < values.count; i++) {
		begin_scan(out, head, i);
		put_value(text, values.value[i]);
		putc_unlocked(',', out);
		fputs_unlocked(text, out);
		if (i % table.count == table.count - 1)
			fprintf(out, ",%s\n", values.scaling.unit);
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

static void tell_part(const struct zio_control *control)
{
	complain("%s: block %" PRIu32 " has %" PRIu32 " samples, not a multiple of its %u "
		 "channels: print it with --format=json", address_of(control),
		 control->seq_num, control->nsamples, table.count);
}

/* A table has one set of columns. */
static bool fits_table(const struct zio_control *control)
{
	bool has_columns = channel_mask(control) == table.mask;

	if (has_columns && !(control->nsamples % table.count))
		return true;
	if (has_columns)
		tell_part(control);
	else
		complain("%s: block %" PRIu32 " has other channels than the first block: "
			 "print it with --format=json, or alone", address_of(control),
			 control->seq_num);
	return false;
}

static void print_empty(FILE *out, const struct dump_options *opt, struct head *head)
{
	unsigned int i;

	print_text(out, head->text, print_block(head, 0));
	fputc(',', out);
	for (i = 0; i < table.count + opt->units; i++)
		fputc(',', out);
	fputc('\n', out);
}

static bool keep_waiting(const struct zio_block *blk, const struct zio_place *place)
{
	if (blk->data || channel_mask(blk->control) || n_waiting == MAX_WAITING)
		return false;
	waiting[n_waiting].control = *blk->control;
	waiting[n_waiting++].place = *place;
	return true;
}

static void print_waiting(FILE *out, const struct dump_options *opt)
{
	unsigned int i;

	for (i = 0; i < n_waiting; i++) {
		struct head head;

		begin_block(&head, opt, &waiting[i].control, &waiting[i].place);
		print_empty(out, opt, &head);
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

int dump_csv(FILE *out, const struct dump_options *opt, const struct zio_block *blk,
	     const struct zio_place *place)
{
	struct head head;

	if (!table.has_head) {
		if (opt->data && keep_waiting(blk, place))
			return 0;
		begin_table(out, opt, blk->control);
		print_waiting(out, opt);
	}
	begin_block(&head, opt, blk->control, place);
	if (opt->data && blk->data) {
		if (!fits_table(blk->control))
			return -1;
		if (!opt->units || !print_values(out, blk, &head))
			print_samples(out, opt, blk, &head);
	} else if (opt->data) {
		print_empty(out, opt, &head);
	} else {
		print_text(out, head.text, print_block(&head, 0));
		print_control(out, blk->control);
	}
	return ferror(out) ? -1 : 0;
}
