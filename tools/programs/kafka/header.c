// SPDX-License-Identifier: GPL-2.0-only
/* Headers of messages */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "common/text.h"
#include "message.h"

const char *run_id(void)
{
	static char text[17];
	uint64_t id;

	if (!*text) {
		if (getrandom(&id, sizeof(id), 0) != sizeof(id))
			id = (uint64_t)time(NULL) << 32 | (uint64_t)getpid();
		put_text(text, sizeof(text), "%016" PRIx64, id);
	}
	return text;
}

static void add_text(rd_kafka_headers_t *headers, const char *name, const char *text)
{
	rd_kafka_header_add(headers, name, -1, text, -1);
}

static void add_number(rd_kafka_headers_t *headers, const char *name, uint64_t value)
{
	char text[24];

	put_text(text, sizeof(text), "%" PRIu64, value);
	add_text(headers, name, text);
}

static void add_offset(rd_kafka_headers_t *headers, const char *name, int64_t value)
{
	char text[24];

	put_text(text, sizeof(text), "%" PRId64, value);
	add_text(headers, name, text);
}

static void add_clock(rd_kafka_headers_t *headers, int clock)
{
	const struct clock_news *news = find_clock(clock);

	add_text(headers, HEADER_CLOCK, news->name);
	if (news->state)
		add_text(headers, HEADER_STATE, news->state);
	if (news->has_offset)
		add_offset(headers, HEADER_OFFSET, news->offset);
	if (news->error >= 0)
		add_offset(headers, HEADER_ERROR, news->error);
}

static void add_numbers(rd_kafka_headers_t *headers, struct message *msg)
{
	char *names;

	if (!msg->group) {
		add_number(headers, HEADER_FIRST, msg->first);
		add_number(headers, HEADER_LAST, msg->last);
		return;
	}
	names = names_text(msg->group);
	add_text(headers, HEADER_SOURCES, names);
	add_text(headers, HEADER_EVENTS, parts_text(&msg->parts));
	add_number(headers, HEADER_FIRST_EVENT, msg->first);
	add_number(headers, HEADER_LAST_EVENT, msg->last);
	free(names);
}

rd_kafka_headers_t *make_headers(struct message *msg, enum format format)
{
	rd_kafka_headers_t *headers = rd_kafka_headers_new(16);
	char host[256] = "";
	struct zio_control control;

	memcpy(&control, msg->data, sizeof(control));
	gethostname(host, sizeof(host) - 1);
	add_text(headers, HEADER_FORMAT, msg->group ? FORMAT_EVENTS :
		 format == SE00 ? FORMAT_SE00 : FORMAT_BLOCKS);
	add_text(headers, HEADER_HOST, host);
	add_clock(headers, clock_of(&control));
	add_text(headers, HEADER_RUN, run_id());
	add_number(headers, HEADER_NUMBER, msg->number);
	add_numbers(headers, msg);
	add_number(headers, HEADER_BLOCKS, msg->blocks);
	if (msg->origin.again)
		add_text(headers, HEADER_AGAIN, "1");
	if (format == SE00)
		rd_kafka_header_add(headers, HEADER_CONTROL, -1, &control,
				    sizeof(control));
	return headers;
}

/* A Kafka header may have no value, which differs from an empty one. */
const void *find_header(const rd_kafka_message_t *rkm, const char *name, size_t *len)
{
	rd_kafka_headers_t *headers;
	const void *value;

	if (rd_kafka_message_headers(rkm, &headers) ||
	    rd_kafka_header_get_last(headers, name, &value, len))
		return NULL;
	return value;
}

/* Any program may have sent these bytes; some of them control a terminal. */
static bool put_printable(char *text, size_t size, const unsigned char *from, size_t len)
{
	size_t i, at = 0;

	*text = '\0';
	for (i = 0; i < len; i++) {
		bool is_plain = from[i] >= ' ' && from[i] < 0x7f;

		if (at + (is_plain ? 2 : sizeof("\\x00")) > size)
			return false;
		put_text(text + at, size - at, is_plain ? "%c" : "\\x%02x", from[i]);
		at += is_plain ? 1 : sizeof("\\x00") - 1;
	}
	return true;
}

bool get_header(const rd_kafka_message_t *rkm, const char *name, char *text,
		size_t size)
{
	size_t len;
	const void *value = find_header(rkm, name, &len);

	return value && put_printable(text, size, value, len);
}

void put_key(char text[ADDRESS_LEN], const rd_kafka_message_t *rkm)
{
	put_printable(text, ADDRESS_LEN, rkm->key, rkm->key ? rkm->key_len : 0);
}

/* librdkafka appends a null byte to each value and does not count it. */
const char *header_text(const rd_kafka_message_t *rkm, const char *name)
{
	size_t len;
	const char *value = find_header(rkm, name, &len);

	return value && strlen(value) == len ? value : NULL;
}

bool get_header_u64(const rd_kafka_message_t *rkm, const char *name, uint64_t *value)
{
	char text[24], *end;

	if (!get_header(rkm, name, text, sizeof(text)) || !is_digits(text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno;
}

bool get_header_i64(const rd_kafka_message_t *rkm, const char *name, int64_t *value)
{
	char text[24], *end;

	if (!get_header(rkm, name, text, sizeof(text)))
		return false;
	errno = 0;
	*value = strtoll(text, &end, 10);
	return !errno && end != text && !*end;
}
