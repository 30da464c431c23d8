// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame.c: find frames in a stream of bytes
 *
 * frame_examine() looks at a candidate, which begins at parser->first. It is a frame, or
 * needs more bytes, or is not a frame. After a failure the parser continues:
 *
 *   delimited (line, text,   The frame ends at its end mark, whatever it contains. The
 *   COBS)                   parser drops all of it. If no end mark was seen, the parser
 *                           discards bytes up to the next one.
 *   all others              The parser drops one byte and examines the rest.
 */
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "frame.h"

enum verdict {
	MORE,	/* undecided before parser->need bytes */
	GOOD,
	EMPTY,	/* two adjacent end marks: nothing is lost */
	BAD,
};

/*
 * The result of frame_examine(); @total: raw bytes of the frame, or bytes to drop;
 * @count: the counter of its failure, if the reason does not tell
 */
struct candidate {
	u8 *raw;
	unsigned int have;
	unsigned int total;
	unsigned int from; /* the payload */
	unsigned int len;
	u8 reason;
	u32 *count;
};

static bool frame_is_line(const struct uart_format *format)
{
	return format->kind == UART_LINE || format->kind == UART_TEXT;
}

static bool frame_is_delimited(const struct uart_format *format)
{
	return frame_is_line(format) || format->kind == UART_COBS;
}

/* The checksum of a line is text: "*" and two digits per byte. */
static unsigned int frame_trailer_len(const struct uart_format *format)
{
	unsigned int n = uart_check_len(format->check);

	return frame_is_line(format) && n ? 1 + 2 * n : n;
}

/* Returns the maximum of raw bytes between start and end marks. */
static unsigned int frame_body_len(const struct uart_format *format)
{
	unsigned int n = format->size + frame_trailer_len(format);

	if (format->kind == UART_COBS)
		return n + n / 254 + 1;
	return n + (format->kind == UART_LENGTH);
}

static bool frame_is_mark(const struct uart_mark *mark, const u8 *raw, unsigned int n)
{
	return !memcmp(mark->byte, raw, min(n, mark->len));
}

static enum verdict frame_fail(struct candidate *c, u8 reason, unsigned int total)
{
	c->reason = reason;
	c->total = total;
	return BAD;
}

static enum verdict frame_need(struct uart_parser *parser, unsigned int n)
{
	parser->need = n;
	return MORE;
}

static u16 frame_load_sum(enum uart_check check, const u8 *raw)
{
	switch (uart_check_len(check)) {
	case 0:
		return 0;
	case 1:
		return raw[0];
	}
	return check == UART_CRC16 ? raw[0] | raw[1] << 8 : raw[0] << 8 | raw[1];
}

/* @n bytes at @data, followed by a binary checksum */
static bool frame_has_sum(const struct uart_parser *parser, const u8 *data, unsigned int n)
{
	enum uart_check check = parser->format->check;

	return frame_load_sum(check, data + n) == uart_check_sum(parser->table, check, data, n);
}

/* The same for text: "*" and hexadecimal digits, high digit first */
static bool frame_has_text_sum(const struct uart_parser *parser, const u8 *data, unsigned int n)
{
	enum uart_check check = parser->format->check;
	unsigned int i, digits = 2 * uart_check_len(check), sum = 0;

	if (!digits)
		return true;
	if (data[n] != '*')
		return false;
	for (i = 0; i < digits; i++) {
		int digit = hex_to_bin(data[n + 1 + i]);

		if (digit < 0)
			return false;
		sum = sum << 4 | digit;
	}
	return sum == uart_check_sum(parser->table, check, data, n);
}

/* @covered: first byte covered by the checksum; the payload is known. */
static enum verdict frame_check_counted(struct uart_parser *parser, struct candidate *c,
					unsigned int covered)
{
	const struct uart_format *format = parser->format;
	unsigned int n = c->from + c->len + frame_trailer_len(format);

	c->total = n + format->end.len;
	if (c->have < c->total)
		return frame_need(parser, c->total);
	if (!frame_is_mark(&format->end, c->raw + n, format->end.len))
		return frame_fail(c, UART_CUT, 1);
	if (!frame_has_sum(parser, c->raw + covered, c->from + c->len - covered))
		return frame_fail(c, UART_CHECKSUM, 1);
	return GOOD;
}

static enum verdict frame_examine_fixed(struct uart_parser *parser, struct candidate *c)
{
	c->from = parser->format->start.len;
	c->len = parser->format->size;
	return frame_check_counted(parser, c, c->from);
}

static enum verdict frame_examine_length(struct uart_parser *parser, struct candidate *c)
{
	unsigned int at = parser->format->start.len;

	if (c->have <= at)
		return frame_need(parser, at + 1);
	c->from = at + 1;
	c->len = c->raw[at];
	if (!c->len || c->len > parser->format->size)
		return frame_fail(c, UART_CUT, 1);
	return frame_check_counted(parser, c, at);
}

/* Returns the length of the candidate with its end mark, or 0 if it has none yet. */
static unsigned int frame_find_end(struct uart_parser *parser, const struct candidate *c)
{
	const struct uart_format *format = parser->format;
	unsigned int n = max(parser->scanned, format->start.len) + 1;

	for (; n <= c->have; n++) {
		if (n < format->start.len + format->end.len)
			continue;
		if (frame_is_mark(&format->end, c->raw + n - format->end.len, format->end.len))
			return n;
	}
	parser->scanned = c->have;
	return 0;
}

/* Decodes in place. Returns the number of bytes, or a negative error. */
static int frame_decode_cobs(u8 *raw, unsigned int n)
{
	unsigned int in = 0, out = 0, code, i;

	while (in < n) {
		code = raw[in++];
		if (!code || in + code - 1 > n)
			return -EINVAL;
		for (i = 1; i < code; i++)
			raw[out++] = raw[in++];
		if (code != 0xff && in < n)
			raw[out++] = 0;
	}
	return out;
}

/* Turns the payload of a line into a sample per column. */
static enum verdict frame_check_text(struct uart_parser *parser, struct candidate *c)
{
	int ret = uart_text_parse(c->raw + c->from, c->len, parser->format, parser->value);

	switch (ret) {
	case 0:
	case -ENODATA:
		return ret ? EMPTY : GOOD;
	case -EDOM:
		c->count = &parser->counts.no_columns;
		return frame_fail(c, UART_LONG, c->total);
	case -ERANGE:
		c->count = &parser->counts.too_large;
		return frame_fail(c, UART_LONG, c->total);
	default:
		c->count = &parser->counts.no_numbers;
		return frame_fail(c, UART_CUT, c->total);
	}
}

/* Turns the body, @len bytes from @from on, into the payload. */
static enum verdict frame_check_body(struct uart_parser *parser, struct candidate *c)
{
	const struct uart_format *format = parser->format;
	unsigned int trailer = frame_trailer_len(format);
	u8 *body = c->raw + c->from;
	bool matches;
	int n = c->len;

	if (format->kind == UART_COBS)
		n = frame_decode_cobs(body, c->len);
	if (n < 0 || n <= trailer)
		return frame_fail(c, n < 0 || !trailer ? UART_CUT : UART_CHECKSUM, c->total);
	c->len = n - trailer;
	if (c->len > format->size)
		return frame_fail(c, UART_LONG, c->total);
	matches = frame_is_line(format) ? frame_has_text_sum(parser, body, c->len) :
					  frame_has_sum(parser, body, c->len);
	if (!matches)
		return frame_fail(c, UART_CHECKSUM, c->total);
	return format->kind == UART_TEXT ? frame_check_text(parser, c) : GOOD;
}

static enum verdict frame_examine_delimited(struct uart_parser *parser, struct candidate *c)
{
	const struct uart_format *format = parser->format;
	unsigned int most = format->start.len + frame_body_len(format) + format->end.len;

	c->total = frame_find_end(parser, c);
	if (!c->total && c->have < most)
		return frame_need(parser, c->have + 1);
	if (!c->total)
		return frame_fail(c, UART_LONG, 0);
	c->from = format->start.len;
	c->len = c->total - c->from - format->end.len;
	return c->len ? frame_check_body(parser, c) : EMPTY;
}

static enum verdict frame_examine(struct uart_parser *parser, struct candidate *c)
{
	const struct uart_mark *start = &parser->format->start;

	if (!frame_is_mark(start, c->raw, c->have))
		return frame_fail(c, UART_CUT, 1);
	if (c->have < start->len)
		return frame_need(parser, c->have + 1);
	switch (parser->format->kind) {
	case UART_FIXED:
		return frame_examine_fixed(parser, c);
	case UART_LENGTH:
		return frame_examine_length(parser, c);
	default:
		return frame_examine_delimited(parser, c);
	}
}

/* Removes @n bytes, a frame or skipped ones, from the candidate. */
static void frame_advance(struct uart_parser *parser, unsigned int n)
{
	parser->first += n;
	parser->need = 1;
	parser->scanned = 0;
}

static void frame_skip(struct uart_parser *parser, unsigned int n)
{
	frame_advance(parser, n);
	parser->skipped += n;
	parser->counts.skipped += n;
}

/* Discards the rest of a delimited frame up to its end mark. */
static void frame_begin_discarding(struct uart_parser *parser)
{
	if (!parser->discarding)
		parser->lost++;
	parser->discarding = !parser->format->start.len;
}

static void frame_discard(struct uart_parser *parser)
{
	const struct uart_mark *mark = &parser->format->end;

	while (parser->end - parser->first >= mark->len) {
		if (frame_is_mark(mark, parser->raw + parser->first, mark->len)) {
			frame_skip(parser, mark->len);
			parser->discarding = false;
			return;
		}
		frame_skip(parser, 1);
	}
}

/*
 * A delimited frame was cut if another one begins inside it. Returns where it begins, or 0.
 */
static unsigned int frame_find_start(const struct uart_format *format,
				     const struct candidate *c)
{
	const struct uart_mark *start = &format->start;
	unsigned int i;

	for (i = 1; start->len && i + start->len <= c->total; i++)
		if (frame_is_mark(start, c->raw + i, start->len))
			return i;
	return 0;
}

static void frame_reject(struct uart_parser *parser, const struct candidate *c)
{
	const struct uart_format *format = parser->format;

	parser->reasons |= c->reason;
	if (c->count)
		++*c->count;
	else if (c->reason == UART_CHECKSUM)
		parser->counts.checksums++;
	else if (c->reason == UART_LONG)
		parser->counts.too_long++;
	if (c->total == 1 || !frame_is_delimited(format)) {
		frame_skip(parser, 1);
	} else if (c->total) {
		frame_skip(parser, frame_find_start(format, c) ?: c->total);
		parser->lost++;
	} else {
		frame_begin_discarding(parser);
		frame_skip(parser, 1);
	}
}

/* Frames of fixed size: the number of skipped bytes tells how many frames were lost. */
static unsigned int frame_count_lost(const struct uart_parser *parser, unsigned int total)
{
	if (!parser->synced || !parser->skipped)
		return 0;
	if (parser->format->kind == UART_FIXED)
		return max(1u, DIV_ROUND_CLOSEST(parser->skipped, total));
	return max(1u, parser->lost);
}

static void frame_accept(struct uart_parser *parser, const struct candidate *c,
			 struct uart_found *found)
{
	found->data = c->raw + c->from;
	found->len = c->len;
	if (parser->value) {
		found->data = (u8 *)parser->value;
		found->len = parser->format->columns * sizeof(s32);
	}
	found->at = parser->at[parser->first];
	found->lost = frame_count_lost(parser, c->total);
	found->reasons = found->lost ? parser->reasons : 0;
	parser->skipped = 0;
	parser->lost = 0;
	parser->reasons = 0;
	parser->synced = true;
	frame_advance(parser, c->total);
}

/* Returns true if the parser must wait for bytes. */
static bool frame_wait_bytes(struct uart_parser *parser, unsigned int have)
{
	if (!have || parser->discarding) {
		parser->flushing = false;
		return true;
	}
	return have < parser->need && !parser->flushing;
}

/**
 * uart_parser_next() - find the next frame
 * @parser: the parser
 * @found: the frame
 *
 * Call it after each uart_parser_put() and uart_parser_fail(), until it returns false.
 *
 * Context: any; one call for a parser at a time.
 * Return: true if there is a frame.
 */
bool uart_parser_next(struct uart_parser *parser, struct uart_found *found)
{
	for (;;) {
		struct candidate c = { };

		if (parser->discarding)
			frame_discard(parser);
		c.raw = parser->raw + parser->first;
		c.have = parser->end - parser->first;
		if (frame_wait_bytes(parser, c.have))
			return false;
		switch (frame_examine(parser, &c)) {
		case GOOD:
			frame_accept(parser, &c, found);
			return true;
		case EMPTY:
			frame_advance(parser, c.total);
			break;
		case BAD:
			frame_reject(parser, &c);
			break;
		case MORE:
			if (!parser->flushing)
				return false;
			frame_skip(parser, 1);
		}
	}
}

/**
 * uart_parser_put() - add a byte
 * @parser: the parser; uart_parser_next() has returned false
 * @byte: the byte
 * @at: its time
 *
 * Context: any; one call for a parser at a time.
 */
void uart_parser_put(struct uart_parser *parser, u8 byte, u64 at)
{
	unsigned int have = parser->end - parser->first;

	if (parser->first && (!have || parser->end == parser->capacity)) {
		memmove(parser->raw, parser->raw + parser->first, have);
		memmove(parser->at, parser->at + parser->first, have * sizeof(u64));
		parser->first = 0;
		parser->end = have;
	}
	parser->raw[parser->end] = byte;
	parser->at[parser->end++] = at;
}

/**
 * uart_parser_fail() - note that the line has lost or damaged bytes at this point
 * @parser: the parser; uart_parser_next() has returned false
 * @reason: UART_*
 * @n_bytes: number of bytes
 *
 * No frame can span this point.
 *
 * Context: any; one call for a parser at a time.
 */
void uart_parser_fail(struct uart_parser *parser, u8 reason, unsigned int n_bytes)
{
	bool inside = parser->end != parser->first;

	parser->reasons |= reason;
	parser->skipped += n_bytes;
	parser->counts.skipped += n_bytes;
	if (!frame_is_delimited(parser->format)) {
		parser->flushing = inside;
	} else if (inside || (n_bytes && !parser->format->start.len)) {
		frame_begin_discarding(parser);
		frame_skip(parser, parser->end - parser->first);
	}
}

/* Without start bytes or a checksum, the rest of a cut frame looks like a whole one. */
static bool frame_hides_start(const struct uart_format *format)
{
	return frame_is_delimited(format) && !format->start.len && !format->check;
}

/**
 * uart_parser_cut() - note that the line may have lost any number of bytes at this point
 * @parser: the parser; uart_parser_next() has returned false
 * @reason: UART_*
 *
 * Like uart_parser_fail(), but no frame is known to be lost.
 *
 * Context: any; one call for a parser at a time.
 */
void uart_parser_cut(struct uart_parser *parser, u8 reason)
{
	uart_parser_fail(parser, reason, 0);
	parser->discarding |= frame_hides_start(parser->format);
}

/**
 * uart_parser_init() - allocate the memory of a parser
 * @parser: the parser, zeroed
 * @format: stays valid until uart_parser_free()
 *
 * Context: process, sleeps.
 * Return: 0 or -ENOMEM.
 */
int uart_parser_init(struct uart_parser *parser, const struct uart_format *format)
{
	unsigned int most = format->start.len + frame_body_len(format) + format->end.len;

	parser->format = format;
	parser->capacity = 2 * most;
	parser->need = 1;
	parser->discarding = frame_hides_start(format);
	uart_check_init(parser->table, format->check);
	parser->raw = kvmalloc(parser->capacity, GFP_KERNEL);
	parser->at = kvmalloc_array(parser->capacity, sizeof(u64), GFP_KERNEL);
	if (format->kind == UART_TEXT)
		parser->value = kcalloc(format->columns, sizeof(s32), GFP_KERNEL);
	if (parser->raw && parser->at && (parser->value || format->kind != UART_TEXT))
		return 0;
	uart_parser_free(parser);
	return -ENOMEM;
}

/**
 * uart_parser_free() - undo uart_parser_init()
 * @parser: the parser
 *
 * Context: process, sleeps.
 */
void uart_parser_free(struct uart_parser *parser)
{
	kfree(parser->value);
	kvfree(parser->at);
	kvfree(parser->raw);
	parser->value = NULL;
	parser->at = NULL;
	parser->raw = NULL;
}
