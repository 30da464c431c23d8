// SPDX-License-Identifier: GPL-2.0-only
/*
 * uart_frame_test.c: the frames of zio-uart, against a random model
 *
 * The model encodes frames, damages some, and adds noise that is no frame. It knows which
 * frames must come out, and how many were lost before each. Lines of text are checked against
 * the numbers from which a model writes them.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "../../drivers/uart/checksum.c"
#include "../../drivers/uart/frame.c"
#include "../../drivers/uart/text.c"

#define MODEL_FRAMES	400

struct model_frame {
	u8 data[64];
	unsigned int len;
	unsigned int lost; /* before it; ~0: at least one */
	u64 at;
};

struct model {
	struct kunit *test;
	struct uart_format format;
	struct uart_parser parser;
	struct rnd_state rnd;
	u64 now; /* counts the bytes */
	unsigned int lost;
	bool is_first;
	struct model_frame *sent;
	unsigned int n_sent;
	unsigned int n_found;
	unsigned int n_wrong;
};

static unsigned int below(struct model *model, unsigned int limit)
{
	return prandom_u32_state(&model->rnd) % limit;
}

static void check_found(struct model *model, const struct uart_found *found)
{
	const struct model_frame *sent = &model->sent[model->n_found++];

	if (model->n_found > model->n_sent || found->len != sent->len ||
	    memcmp(found->data, sent->data, sent->len) || found->at != sent->at ||
	    (sent->lost == ~0 ? !found->lost : found->lost != sent->lost) ||
	    !found->lost != !found->reasons)
		model->n_wrong++;
}

static void drain(struct model *model)
{
	struct uart_found found;

	while (uart_parser_next(&model->parser, &found))
		check_found(model, &found);
}

static void put_byte(struct model *model, u8 byte)
{
	uart_parser_put(&model->parser, byte, model->now++);
	drain(model);
}

static void put_bytes(struct model *model, const u8 *raw, unsigned int n)
{
	while (n--)
		put_byte(model, *raw++);
}

/* An encoder that shares no code with the parser, but the checksums */
static unsigned int encode_cobs(const u8 *in, unsigned int n, u8 *out)
{
	unsigned int code_at = 0, len = 1, i;

	for (i = 0; i < n; i++) {
		if (!in[i]) {
			out[code_at] = len - code_at;
			code_at = len++;
		} else {
			out[len++] = in[i];
		}
	}
	out[code_at] = len - code_at;
	return len;
}

static unsigned int append_sum(struct model *model, u8 *body, unsigned int n)
{
	enum uart_check check = model->format.check;
	u16 sum = uart_check_sum(model->parser.table, check, body, n);
	unsigned int len = uart_check_len(check);

	if (model->format.kind == UART_LINE && len)
		return n + sprintf(body + n, "*%0*X", 2 * len, sum);
	/* The low byte comes first in a CRC-16, and last in the others. */
	if (len)
		body[n + (len == 2 && check != UART_CRC16)] = sum;
	if (len == 2)
		body[n + (check == UART_CRC16)] = sum >> 8;
	return n + len;
}

static unsigned int encode(struct model *model, const u8 *data, unsigned int len, u8 *raw)
{
	const struct uart_format *format = &model->format;
	u8 body[100];
	unsigned int n = 0, pos = format->start.len;

	memcpy(raw, format->start.byte, pos);
	if (format->kind == UART_LENGTH)
		body[n++] = len;
	memcpy(body + n, data, len);
	n = append_sum(model, body, n + len);
	if (format->kind == UART_COBS)
		n = encode_cobs(body, n, raw + pos);
	else
		memcpy(raw + pos, body, n);
	memcpy(raw + pos + n, format->end.byte, format->end.len);
	return pos + n + format->end.len;
}

static void fill(struct model *model, struct model_frame *frame)
{
	bool is_text = model->format.kind == UART_LINE;
	unsigned int i;

	frame->len = model->format.size;
	if (model->format.kind != UART_FIXED)
		frame->len = 1 + below(model, model->format.size);
	for (i = 0; i < frame->len; i++)
		frame->data[i] = is_text ? 'a' + below(model, 26) : below(model, 256);
}

/* A frame that must come out */
static void send_good(struct model *model)
{
	struct model_frame *frame = &model->sent[model->n_sent];
	u8 raw[200];
	unsigned int n;

	fill(model, frame);
	frame->lost = model->is_first ? 0 : model->lost;
	frame->at = model->now;
	model->is_first = false;
	model->lost = 0;
	model->n_sent++;
	n = encode(model, frame->data, frame->len, raw);
	put_bytes(model, raw, n);
}

/* A bit of the payload, not of start, length or end, is wrong. */
static void send_damaged(struct model *model)
{
	struct model_frame frame;
	unsigned int n, at;
	u8 raw[200];

	fill(model, &frame);
	n = encode(model, frame.data, frame.len, raw);
	at = model->format.start.len + (model->format.kind == UART_LENGTH) +
		(model->format.kind == UART_COBS);
	at += frame.len / 2;
	/* No bit makes a zero, which would end a frame of COBS, or the end of a line. */
	raw[at] ^= model->format.kind == UART_LINE ? 1 : raw[at] == 0x40 ? 0x20 : 0x40;
	put_bytes(model, raw, n);
	if (model->format.kind == UART_LENGTH)
		model->lost = ~0;
	else if (model->lost != ~0)
		model->lost++;
}

/* The line drops the end of a frame, or a byte of it is damaged. */
static void send_cut(struct model *model)
{
	struct model_frame frame;
	unsigned int n, keep;
	u8 raw[200];

	fill(model, &frame);
	n = encode(model, frame.data, frame.len, raw);
	keep = 1 + below(model, n - 1);
	put_bytes(model, raw, keep);
	if (below(model, 2)) {
		uart_parser_fail(&model->parser, UART_PARITY, 1);
		drain(model);
		put_bytes(model, raw + keep + 1, n - keep - 1);
	}
	model->lost = ~0;
}

static void send_one(struct model *model, bool exact)
{
	switch (below(model, exact ? 6 : 10)) {
	case 0:
	case 1:
		send_damaged(model);
		break;
	case 6:
		send_cut(model);
		break;
	case 7:
		put_byte(model, 0x99);
		model->lost = ~0;
		break;
	default:
		send_good(model);
	}
}

/* Enough bytes to end each candidate */
static void end_stream(struct model *model)
{
	unsigned int i;

	for (i = 0; i < 4 * 64; i++)
		put_byte(model, 0x99);
	for (i = 0; i < model->format.end.len; i++)
		put_byte(model, model->format.end.byte[i]);
}

/* @exact: only damaged frames; then the number of lost frames is exact. */
static void run_model(struct kunit *test, const struct uart_format *format, u64 seed,
		      bool exact)
{
	struct model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, model);
	model->sent = kunit_kcalloc(test, MODEL_FRAMES, sizeof(*model->sent), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, model->sent);
	model->test = test;
	model->format = *format;
	model->is_first = true;
	prandom_seed_state(&model->rnd, seed);
	KUNIT_ASSERT_EQ(test, uart_parser_init(&model->parser, &model->format), 0);
	for (i = 0; i < MODEL_FRAMES; i++)
		send_one(model, exact);
	end_stream(model);
	KUNIT_EXPECT_EQ(test, model->n_found, model->n_sent);
	KUNIT_EXPECT_EQ(test, model->n_wrong, 0u);
	uart_parser_free(&model->parser);
}

#define MARK(...)	{ sizeof((u8 []){ __VA_ARGS__ }), { __VA_ARGS__ } }

static void fixed_frames_survive_noise(struct kunit *test)
{
	struct uart_format format = {
		.kind = UART_FIXED, .check = UART_CRC16, .size = 16,
		.start = MARK(0xa5, 0x5a),
	};
	u64 seed;

	for (seed = 1; seed < 9; seed++) {
		run_model(test, &format, seed, seed & 1);
		format.end.len = seed & 2;
		format.check = seed & 4 ? UART_CRC16_CCITT : UART_CRC16;
		format.start.len = seed % 3;
	}
}

static void lines_survive_noise(struct kunit *test)
{
	struct uart_format format = {
		.kind = UART_LINE, .check = UART_CRC16, .size = 40, .end = MARK(0x0d, 0x0a),
	};
	u64 seed;

	for (seed = 1; seed < 9; seed++)
		run_model(test, &format, seed, true);
	format.start = (struct uart_mark)MARK('$');
	for (seed = 1; seed < 9; seed++)
		run_model(test, &format, seed, seed & 1);
}

static void frames_with_a_length_survive_noise(struct kunit *test)
{
	static const struct uart_format format = {
		.kind = UART_LENGTH, .check = UART_CRC16_CCITT, .size = 20,
		.start = MARK(0x7e, 0x81),
	};
	u64 seed;

	for (seed = 1; seed < 9; seed++)
		run_model(test, &format, seed, false);
}

static void cobs_survives_damage(struct kunit *test)
{
	static const struct uart_format format = {
		.kind = UART_COBS, .check = UART_CRC16, .size = 50, .end = MARK(0),
	};
	u64 seed;

	for (seed = 1; seed < 9; seed++)
		run_model(test, &format, seed, true);
}

/* The check values of the catalogue: the sums of "123456789" */
static void checksums_have_their_check_values(struct kunit *test)
{
	static const struct {
		enum uart_check check;
		u16 sum;
	} known[] = {
		{ UART_NONE, 0 }, { UART_SUM8, 0xdd }, { UART_XOR8, 0x31 },
		{ UART_CRC8, 0xf4 }, { UART_CRC16, 0x4b37 }, { UART_CRC16_CCITT, 0x29b1 },
	};
	u16 table[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		uart_check_init(table, known[i].check);
		KUNIT_EXPECT_EQ(test, uart_check_sum(table, known[i].check, "123456789", 9),
				known[i].sum & 0xffff);
	}
}

/* Feeds a text; returns the number of frames, and the last of them. */
static unsigned int feed(struct uart_parser *parser, const char *text,
			 struct uart_found *last)
{
	unsigned int n = 0;

	for (; *text; text++) {
		uart_parser_put(parser, *text, 0);
		while (uart_parser_next(parser, last))
			n++;
	}
	return n;
}

static struct uart_parser *make_parser(struct kunit *test, const struct uart_format *format)
{
	struct uart_parser *parser = kunit_kzalloc(test, sizeof(*parser), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, parser);
	KUNIT_ASSERT_EQ(test, uart_parser_init(parser, format), 0);
	return parser;
}

/* A bad byte: its line is lost up to the end, and the next one is not. */
static void errors_lose_one_line(struct kunit *test)
{
	struct uart_format format = { .kind = UART_LINE, .size = 9, .end = MARK('\n') };
	struct uart_parser *parser = make_parser(test, &format);
	struct uart_found found = { };

	KUNIT_EXPECT_EQ(test, feed(parser, "rest\none\ntw", &found), 1u);
	uart_parser_fail(parser, UART_FRAMING, 1);
	KUNIT_EXPECT_EQ(test, feed(parser, "o\n", &found), 0u);
	uart_parser_fail(parser, UART_BREAK, 0);
	KUNIT_EXPECT_EQ(test, feed(parser, "three\n", &found), 1u);
	KUNIT_EXPECT_EQ(test, found.lost, 1u);
	KUNIT_EXPECT_EQ(test, found.reasons, UART_FRAMING | UART_BREAK);
	/* A break between lines loses none. */
	uart_parser_fail(parser, UART_BREAK, 0);
	KUNIT_EXPECT_EQ(test, feed(parser, "four\n", &found), 1u);
	KUNIT_EXPECT_EQ(test, found.lost, 0u);
	/* A line of the greatest size, and one that is longer */
	KUNIT_EXPECT_EQ(test, feed(parser, "123456789\n", &found), 1u);
	KUNIT_EXPECT_EQ(test, found.lost, 0u);
	KUNIT_EXPECT_EQ(test, feed(parser, "1234567890\nfive\n", &found), 1u);
	KUNIT_EXPECT_EQ(test, found.lost, 1u);
	KUNIT_EXPECT_EQ(test, found.reasons, UART_LONG);
	KUNIT_EXPECT_EQ(test, found.len, 4u);
	uart_parser_free(parser);
}

/* A checksum would find these faults, too: these formats have none. */
static void errors_join_no_frames(struct kunit *test)
{
	struct uart_format format = { .kind = UART_FIXED, .size = 3, .start = MARK('<') };
	struct uart_parser *parser = make_parser(test, &format);
	struct uart_found found = { };

	KUNIT_EXPECT_EQ(test, feed(parser, "x>y<abc", &found), 1u);
	KUNIT_EXPECT_EQ(test, feed(parser, "<d", &found), 0u);
	uart_parser_fail(parser, UART_OVERRUN, 1);
	KUNIT_EXPECT_FALSE(test, uart_parser_next(parser, &found));
	KUNIT_EXPECT_EQ(test, feed(parser, "ef<ghi", &found), 1u);
	KUNIT_EXPECT_EQ(test, memcmp(found.data, "ghi", 3), 0);
	KUNIT_EXPECT_EQ(test, found.lost, 1u);
	KUNIT_EXPECT_EQ(test, found.reasons, UART_OVERRUN | UART_CUT);
	uart_parser_fail(parser, UART_PARITY, 1);
	KUNIT_EXPECT_EQ(test, feed(parser, "<jkl", &found), 1u);
	KUNIT_EXPECT_EQ(test, found.lost, 1u);
	KUNIT_EXPECT_EQ(test, found.reasons, UART_PARITY);
	uart_parser_free(parser);
}

static void no_frame_is_empty(struct kunit *test)
{
	struct uart_format format = { .kind = UART_LENGTH, .size = 3, .start = MARK('<') };
	struct uart_parser *parser = make_parser(test, &format);
	struct uart_found found = { };

	uart_parser_put(parser, '<', 0);
	KUNIT_EXPECT_FALSE(test, uart_parser_next(parser, &found));
	uart_parser_put(parser, 0, 0);
	KUNIT_EXPECT_FALSE(test, uart_parser_next(parser, &found));
	KUNIT_EXPECT_EQ(test, feed(parser, "<\001a<\004bcde<\003fgh", &found), 2u);
	KUNIT_EXPECT_EQ(test, found.len, 3u);
	KUNIT_EXPECT_EQ(test, found.lost, 1u);
	uart_parser_free(parser);
}

/* 254 bytes without a zero are a group, and no zero follows it. */
static void cobs_has_long_groups(struct kunit *test)
{
	struct uart_format format = { .kind = UART_COBS, .size = 256, .end = MARK(0) };
	struct uart_parser *parser = make_parser(test, &format);
	struct uart_found found = { };
	unsigned int i, n = 0;

	parser->discarding = false;
	for (i = 0; i < 258; i++) {
		uart_parser_put(parser, !i ? 0xff : i == 255 ? 2 : i == 257 ? 0 : 7, i);
		n += uart_parser_next(parser, &found);
	}
	KUNIT_EXPECT_EQ(test, n, 1u);
	KUNIT_EXPECT_EQ(test, found.len, 255u);
	for (i = 0, n = 0; i < found.len; i++)
		n += found.data[i] != 7;
	KUNIT_EXPECT_EQ(test, n, 0u);
	uart_parser_free(parser);
}

/* Returns the only number of a line, or a negative error. */
static s64 parse_number(const char *line, unsigned int decimals)
{
	struct uart_format format = { .columns = 1, .decimals = decimals };
	s32 value;
	int ret = uart_text_parse(line, strlen(line), &format, &value);

	return ret == -EINVAL || ret == -ERANGE ? (s64)ret << 40 : ret ?: value;
}

#define NO_NUMBER	(-(s64)EINVAL << 40)
#define TOO_LARGE	(-(s64)ERANGE << 40)

static void digits_become_samples(struct kunit *test)
{
	static const struct {
		const char *line;
		unsigned int decimals;
		s64 value;
	} known[] = {
		{ "0", 0, 0 }, { "-0", 9, 0 }, { "12", 0, 12 }, { "+12", 1, 120 },
		{ "3.14", 2, 314 }, { "3.14159", 2, 314 }, { "-3.14159", 4, -31416 },
		{ ".5", 1, 5 }, { "5.", 1, 50 }, { "0.5", 0, 1 }, { "-0.5", 0, -1 },
		{ "0.49999999999999999999999", 0, 0 }, { "1e3", 0, 1000 }, { "1.5E+3", 1, 15000 },
		{ "125e-2", 1, 13 }, { "-125e-2", 1, -13 }, { "0e999999999999", 9, 0 },
		{ "1e-999999999999", 9, 0 }, { "2147483647", 0, S32_MAX },
		{ "-2147483648", 0, S32_MIN }, { "2147483647.4999", 0, S32_MAX },
		{ "-2147483648.4999", 0, S32_MIN }, { "2147483647.5", 0, TOO_LARGE },
		{ "-2147483648.5", 0, TOO_LARGE }, { "9.91E37", 0, TOO_LARGE },
		{ "1e999999999999", 0, TOO_LARGE }, { "99999999999999999999", 0, TOO_LARGE },
		{ "99999999999999999999e-15", 0, 100000 }, { "1", 9, 1000000000 },
		{ "3", 9, TOO_LARGE }, { "000000000000000000000000000007", 0, 7 },
		{ "0.00000000000000000000000000007e28", 1, 7 }, { "", 0, -ENODATA },
		{ " \t\r", 0, -ENODATA }, { ".", 0, NO_NUMBER }, { "-", 0, NO_NUMBER },
		{ "--1", 0, NO_NUMBER }, { "1e", 0, NO_NUMBER }, { "1e+", 0, NO_NUMBER },
		{ "1.2.3", 0, NO_NUMBER }, { "0x10", 0, NO_NUMBER }, { "nan", 0, NO_NUMBER },
		{ "inf", 0, NO_NUMBER }, { "1V", 0, NO_NUMBER }, { "# 1", 0, NO_NUMBER },
		{ "\357\273\2771", 0, NO_NUMBER }, { "1\r2", 0, NO_NUMBER },
		{ "1,", 0, -EDOM }, { "1 2", 0, -EDOM },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_EQ_MSG(test, parse_number(known[i].line, known[i].decimals),
				    known[i].value, "'%s'", known[i].line);
}

static void columns_have_separators(struct kunit *test)
{
	static const struct {
		const char *line;
		int ret;
	} known[] = {
		{ "1,2,3", 0 }, { "1;2;3", 0 }, { "1 2 3", 0 }, { "1\t2\t3", 0 },
		{ "  1 , 2\t;3  ", 0 }, { "\n1   2,3\r", 0 }, { "1,2", -EDOM },
		{ "1,2,3,4", -EDOM },
		{ "1,2,3,", -EDOM }, { "1,,3", -EINVAL }, { ",1,2,3", -EINVAL },
		{ "1;,2,3", -EINVAL }, { "1,2,x", -EINVAL }, { "1,2,3x", -EINVAL },
		{ "1-2-3", -EINVAL }, { "1,2e9,9e9", -ERANGE },
	};
	struct uart_format format = { .columns = 3 };
	unsigned int i;
	s32 value[3];

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		memset(value, 0, sizeof(value));
		KUNIT_EXPECT_EQ_MSG(test, uart_text_parse(known[i].line, strlen(known[i].line),
							  &format, value),
				    known[i].ret, "'%s'", known[i].line);
		if (!known[i].ret)
			KUNIT_EXPECT_EQ(test, value[0] * 100 + value[1] * 10 + value[2], 123);
	}
	/* A zero ends no line of an instrument. */
	KUNIT_EXPECT_EQ(test, uart_text_parse("1,2,3\0", 6, &format, value), -EINVAL);
}

static unsigned int write_digits(struct rnd_state *rnd, char *text, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		text[i] = '0' + prandom_u32_state(rnd) % 10;
	return n;
}

/*
 * Writes @value * 10^-@decimals with @more digits behind the decimals. The point is @at digits
 * before the end; the exponent moves it to its place.
 */
static s64 write_number(struct rnd_state *rnd, char *text, s32 value, unsigned int decimals)
{
	unsigned int more = prandom_u32_state(rnd) % 30, at, len, n;
	u64 size = abs((s64)value);
	char digits[80];

	len = sprintf(digits, "%0*llu", 1 + prandom_u32_state(rnd) % 40, size);
	n = len;
	len += write_digits(rnd, digits + len, more);
	size += more && digits[n] >= '5';
	at = prandom_u32_state(rnd) % (len + 1);
	n = sprintf(text, "%s%.*s.%.*s", value < 0 ? "-" : "", len - at, digits, at,
		    digits + len - at);
	sprintf(text + n, "e%d", (int)(at - more - decimals));
	return value < 0 ? -(s64)size : size;
}

static void random_numbers_survive(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 7);
	for (i = 0; i < 20000; i++) {
		s32 value = (s32)prandom_u32_state(&rnd) >> prandom_u32_state(&rnd) % 32;
		unsigned int decimals = prandom_u32_state(&rnd) % (UART_MAX_DECIMALS + 1);
		char text[120];
		s64 wanted = write_number(&rnd, text, value, decimals);

		if (wanted != (s32)wanted)
			wanted = TOO_LARGE;
		KUNIT_ASSERT_EQ_MSG(test, parse_number(text, decimals), wanted, "'%s' %u", text,
				    decimals);
	}
}

/* Any bytes: no sample comes from a line that is no row of numbers. */
static void noise_is_no_number(struct kunit *test)
{
	static const char alphabet[] = "0123456789+-.eE,; \t#x";
	struct uart_format format = { .columns = 2, .decimals = 1 };
	struct rnd_state rnd;
	unsigned int i, j, n, good = 0;
	s32 value[2], again[2];
	char line[16], plain[32];

	prandom_seed_state(&rnd, 9);
	for (i = 0; i < 50000; i++) {
		n = prandom_u32_state(&rnd) % sizeof(line);
		for (j = 0; j < n; j++)
			line[j] = alphabet[prandom_u32_state(&rnd) % (sizeof(alphabet) - 1)];
		if (uart_text_parse(line, n, &format, value))
			continue;
		good++;
		for (j = 0; j < n; j++)
			KUNIT_ASSERT_NOT_NULL(test, strchr("0123456789+-.eE,; \t", line[j]));
		/* The samples, written as plain integers, are the same samples. */
		n = sprintf(plain, "%de-1 %de-1", value[0], value[1]);
		KUNIT_ASSERT_EQ(test, uart_text_parse(plain, n, &format, again), 0);
		KUNIT_ASSERT_EQ(test, memcmp(value, again, sizeof(value)), 0);
	}
	KUNIT_EXPECT_GT(test, good, 100u);
}

static void bad_lines_are_lost(struct kunit *test)
{
	struct uart_format format = {
		.kind = UART_TEXT, .size = 20, .columns = 2, .end = MARK('\n'),
	};
	struct uart_parser *parser = make_parser(test, &format);
	struct uart_found found = { };
	const s32 *value;

	/* The rest of a line; then a title, before which nothing can be lost */
	KUNIT_EXPECT_EQ(test, feed(parser, "4,5\nvolt,amp\n1,2\r\n", &found), 1u);
	KUNIT_EXPECT_EQ(test, found.len, 8u);
	value = (const s32 *)found.data;
	KUNIT_EXPECT_EQ(test, value[0], 1);
	KUNIT_EXPECT_EQ(test, value[1], 2);
	KUNIT_EXPECT_EQ(test, found.lost, 0u);
	KUNIT_EXPECT_EQ(test, feed(parser, "\r\n\n \t\n3,4\n", &found), 1u);
	KUNIT_EXPECT_EQ(test, found.lost, 0u);
	KUNIT_EXPECT_EQ(test, feed(parser, "1\n1,2,3\n1,9e9\n5,6\n", &found), 1u);
	KUNIT_EXPECT_EQ(test, found.lost, 3u);
	KUNIT_EXPECT_EQ(test, found.reasons, UART_LONG);
	KUNIT_EXPECT_EQ(test, feed(parser, "x,1\n7,8\n", &found), 1u);
	KUNIT_EXPECT_EQ(test, found.lost, 1u);
	KUNIT_EXPECT_EQ(test, found.reasons, UART_CUT);
	KUNIT_EXPECT_EQ(test, feed(parser, "1,                    2\n9,9\n", &found), 1u);
	KUNIT_EXPECT_EQ(test, found.reasons, UART_LONG);
	KUNIT_EXPECT_EQ(test, parser->counts.no_numbers, 2u);
	KUNIT_EXPECT_EQ(test, parser->counts.no_columns, 2u);
	KUNIT_EXPECT_EQ(test, parser->counts.too_large, 1u);
	KUNIT_EXPECT_EQ(test, parser->counts.too_long, 1u);
	uart_parser_free(parser);
}

static struct kunit_case uart_frame_cases[] = {
	KUNIT_CASE(checksums_have_their_check_values),
	KUNIT_CASE(errors_lose_one_line),
	KUNIT_CASE(errors_join_no_frames),
	KUNIT_CASE(no_frame_is_empty),
	KUNIT_CASE(cobs_has_long_groups),
	KUNIT_CASE(fixed_frames_survive_noise),
	KUNIT_CASE(lines_survive_noise),
	KUNIT_CASE(frames_with_a_length_survive_noise),
	KUNIT_CASE(cobs_survives_damage),
	KUNIT_CASE(digits_become_samples),
	KUNIT_CASE(columns_have_separators),
	KUNIT_CASE(random_numbers_survive),
	KUNIT_CASE(noise_is_no_number),
	KUNIT_CASE(bad_lines_are_lost),
	{}
};

static struct kunit_suite uart_frame_suite = {
	.name = "zio-uart-frame",
	.test_cases = uart_frame_cases,
};

kunit_test_suite(uart_frame_suite);
