// SPDX-License-Identifier: GPL-2.0-only
/*
 * message_fuzz - damaged messages, as any program may send to a topic
 *
 * Usage: message_fuzz [MESSAGES [SEED]]
 *
 * The program makes sound messages of each format, damages them, and reads them as verify
 * and get do. The sanitizers look for what is read beyond a value. What get would write to
 * a block file, the library must read. What verify tells the user must be harmless to a
 * terminal. A seed gives the same messages each time.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/program.h"
#include "harness.h"
#include "kafka/check.h"

#define MESSAGES 60000
#define A_FILE 500	/* messages whose blocks are in one file */
#define LARGEST 700	/* bytes that replace a header or a key */

static uint64_t state;
static rd_kafka_headers_t *headers;	/* of the message */
static bool is_harmless = true;

/* --- what the program puts in place of libraries and of common/ */

rd_kafka_resp_err_t __wrap_rd_kafka_message_headers(const rd_kafka_message_t *rkm,
						    rd_kafka_headers_t **found);
void __wrap_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Only a client of Kafka can make messages that have headers. */
rd_kafka_resp_err_t __wrap_rd_kafka_message_headers(const rd_kafka_message_t *rkm,
						    rd_kafka_headers_t **found)
{
	(void)rkm;
	*found = headers;
	return headers ? RD_KAFKA_RESP_ERR_NO_ERROR : RD_KAFKA_RESP_ERR__NOENT;
}

void __wrap_complain(const char *format, ...)
{
	char text[4096];
	va_list args;
	int i, len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (i = 0; i < len && i < (int)sizeof(text) - 1; i++)
		is_harmless &= isprint((unsigned char)text[i]) != 0;
}

/* --- random numbers: xorshift64* */

static uint64_t draw(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * UINT64_C(2685821657736338717) % below;
}

static bool once_in(uint64_t n)
{
	return !draw(n);
}

static void scribble(char *at, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		at[i] = (char)draw(256);
}

/* --- sound messages */

struct input {
	rd_kafka_message_t rkm;
	char *key;
	char *value;
};

static struct zio_control make_control(uint32_t seq)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	struct zio_control control;

	zio_control_init(&control, (uint32_t)draw(20), sizes[draw(4)]);
	memcpy(control.addr.devname, "zzero", 6);
	control.addr.chan = (uint16_t)draw(3);
	control.seq_num = seq;
	control.tstamp.secs = 1795357071 + seq;
	if (once_in(2)) {
		control.attr_trigger.ext_mask |= UINT32_C(1) << ZIO_ATTR_TRIG_EXT_CLOCK;
		control.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_CLOCK] = (uint32_t)draw(12);
	}
	return control;
}

static void fill_message(struct message *msg, unsigned int blocks)
{
	char samples[256];
	unsigned int i;

	for (i = 0; i < blocks; i++) {
		struct zio_control control = make_control(i);

		scribble(samples, sizeof(samples));
		add_block(msg, &control, samples, control.nsamples * control.ssize, i, 4096);
	}
}

static void add_header(const char *name, const char *text)
{
	rd_kafka_header_add(headers, name, -1, text, -1);
}

/* An account, or events, whose headers have other names */
static void change_kind(struct input *in, unsigned int blocks)
{
	char word[40], text[] = "{\"stored\":3,\"lost\":1,\"refused\":0,\"unacknowledged\":0}";

	rd_kafka_header_remove(headers, HEADER_FORMAT);
	if (once_in(2)) {
		add_header(HEADER_FORMAT, FORMAT_EVENTS);
		snprintf(word, sizeof(word), "B*%u", blocks);
		add_header(HEADER_EVENTS, word);
		add_header(HEADER_FIRST_EVENT, "0");
		snprintf(word, sizeof(word), "%u", blocks - 1);
		add_header(HEADER_LAST_EVENT, word);
		return;
	}
	add_header(HEADER_FORMAT, FORMAT_ACCOUNT);
	free(in->value);
	in->rkm.len = sizeof(text) - 1;
	in->value = malloc(in->rkm.len);
	memcpy(in->value, text, in->rkm.len);
}

/* Each value has memory of its exact size, so that the sanitizer knows its end. */
static struct input make_input(bool is_plain)
{
	unsigned int blocks = 1 + (unsigned int)draw(4);
	enum format format = once_in(3) ? SE00 : BLOCKS;
	struct stream stream = { .key = "zzero-0000-0-0", .last_len = 1 };
	struct message *msg = make_message(&stream);
	struct input in = { .rkm.offset = (int64_t)draw(3) };
	struct zio_control control;

	fill_message(msg, format == SE00 ? 1 : blocks);
	headers = make_headers(msg, format);
	in.rkm.len = msg->len;
	memcpy(&control, msg->data, sizeof(control));
	if (format == SE00)
		in.value = make_se00(&control, msg->data + sizeof(control),
				     msg->len - sizeof(control), 0, stream.key,
				     &in.rkm.len);
	else
		in.value = memcpy(malloc(msg->len), msg->data, msg->len);
	in.rkm.key_len = strlen(stream.key);
	in.key = memcpy(malloc(in.rkm.key_len), stream.key, in.rkm.key_len);
	if (format == BLOCKS && !is_plain && once_in(3))
		change_kind(&in, blocks);
	free_message(msg);
	return in;
}

/* --- damage */

static const char *const names[] = {
	HEADER_FORMAT, HEADER_HOST, HEADER_CLOCK, HEADER_OFFSET, HEADER_RUN, HEADER_NUMBER,
	HEADER_BLOCKS, HEADER_EVENTS, HEADER_FIRST_EVENT, HEADER_LAST_EVENT, HEADER_CONTROL,
};

static const char *const values[] = {
	"", "0", "-1", "18446744073709551615", "9223372036854775807", "-9223372036854775808",
	"B*18446744073709551615", "+", "*", "BL*-3 +T** B", "realtime", "monotonic", "tai", "1",
	FORMAT_BLOCKS, FORMAT_EVENTS, FORMAT_SE00, FORMAT_ACCOUNT, "\033]0;x\007", "\xff\xfe",
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void damage_header(void)
{
	const char *name = names[draw(N(names))], *value = values[draw(N(values))];
	char bytes[LARGEST];

	if (!once_in(4))
		rd_kafka_header_remove(headers, name);
	switch (draw(4)) {
	case 0:
		break;
	case 1:			/* Kafka's null */
		rd_kafka_header_add(headers, name, -1, NULL, 0);
		break;
	case 2:
		rd_kafka_header_add(headers, name, -1, value, -1);
		break;
	default:
		scribble(bytes, sizeof(bytes));
		rd_kafka_header_add(headers, name, -1, bytes, (ssize_t)draw(LARGEST));
	}
}

static void cut(char **data, size_t *len)
{
	size_t rest = *len ? draw(*len) : 0;
	char *copy = malloc(rest);

	if (rest)
		memcpy(copy, *data, rest);
	free(*data);
	*data = copy;
	*len = rest;
}

static void drop(char **data, size_t *len)
{
	free(*data);
	*data = NULL;
	*len = 0;
}

static void damage_bytes(char **data, size_t *len)
{
	size_t n = 1 + draw(4);

	if (once_in(20)) {
		drop(data, len);
	} else if (once_in(4)) {
		cut(data, len);
	} else {
		/* The first bytes tell the sizes of the others. */
		while (*len && n--)
			scribble(*data + draw(once_in(2) && *len > 128 ? 128 : *len), 1);
	}
}

static void damage(struct input *in)
{
	unsigned int n = 1 + (unsigned int)draw(3);

	while (n--) {
		switch (draw(5)) {
		case 0:
			damage_bytes(&in->key, &in->rkm.key_len);
			break;
		case 1:
		case 2:
			damage_bytes(&in->value, &in->rkm.len);
			break;
		default:
			damage_header();
		}
	}
	if (once_in(200)) {
		rd_kafka_headers_destroy(headers);
		headers = NULL;
	}
}

static void free_input(struct input *in)
{
	free(in->key);
	free(in->value);
	if (headers)
		rd_kafka_headers_destroy(headers);
}

/* --- the readers of messages */

static struct findings found;
static struct zio_channel *out;		/* the block file that get would write */
static uint64_t written;

static struct zio_channel *open_copy(int fd, int flags)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return zio_open(name, flags, NULL);
}

/* Returns how the message ended, as next_block(). */
static int get_blocks(const rd_kafka_message_t *rkm)
{
	struct block_cursor cursor;
	int ret;

	if (!open_blocks(&cursor, rkm))
		return 0;
	while ((ret = next_block(&cursor)) > 0) {
		if (once_in(2))
			convert_time(&cursor);
		if (zio_write_block(out, &cursor.control, cursor.samples, cursor.size))
			return -2;
		written++;
	}
	return ret;
}

static const rd_kafka_message_t *message_of(struct input *in)
{
	in->rkm.payload = in->value;
	in->rkm.key = in->key;
	return &in->rkm;
}

static uint64_t count_blocks(int fd)
{
	struct zio_channel *ch = open_copy(fd, 0);
	struct zio_block blk;
	uint64_t blocks = 0;

	while (zio_next(ch, &blk) > 0)
		blocks++;
	zio_close(ch);
	return blocks;
}

static void forget_findings(void)
{
	free_findings(&found);
	found = (struct findings){ 0 };
	ASSERT_TRUE(is_harmless, "a terminal can show what is told of messages");
}

/* Read messages into one file, where the library has to find all of their blocks. */
static void read_inputs(unsigned int n, bool are_damaged, int *worst)
{
	int fd = memfd_create("blocks", MFD_CLOEXEC), ret;

	written = 0;
	out = open_copy(fd, ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE);
	while (n--) {
		struct input in = make_input(!are_damaged);

		if (are_damaged)
			damage(&in);
		check_message(&found, message_of(&in));
		ret = get_blocks(message_of(&in));
		*worst = ret < *worst ? ret : *worst;
		free_input(&in);
	}
	zio_close(out);
	check_accounts(&found);
	ASSERT_EQ(count_blocks(fd), written);
	close(fd);
	forget_findings();
}

/* The words are the number of messages, and a seed. */
SETUP(fresh)
{
	state = *arguments && arguments[1] ? strtoull(arguments[1], NULL, 10) | 1 : 20261124;
	start_program("message_fuzz", "message_fuzz");
}

TEST("the library reads sound blocks", fresh)
{
	int worst = 0;

	read_inputs(A_FILE, false, &worst);
	ASSERT_TRUE(written && !worst);
}

TEST("damage is found, and the library reads the blocks before it", fresh)
{
	unsigned long n = *arguments ? strtoul(*arguments, NULL, 10) : MESSAGES;
	int worst = 0;

	for (; n >= A_FILE; n -= A_FILE)
		read_inputs(A_FILE, true, &worst);
	ASSERT_EQ(worst, -1);
}

TEST("a header with null, as programs in some languages send it, is as none", fresh)
{
	size_t i;

	for (i = 0; i < N(names); i++) {
		struct input in = make_input(true);
		char text[8];

		rd_kafka_header_remove(headers, names[i]);
		rd_kafka_header_add(headers, names[i], -1, NULL, 0);
		ASSERT_TRUE(!header_text(&in.rkm, names[i]), names[i]);
		ASSERT_TRUE(!get_header(&in.rkm, names[i], text, sizeof(text)), names[i]);
		check_message(&found, message_of(&in));
		free_input(&in);
	}
	forget_findings();
}
