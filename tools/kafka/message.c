// SPDX-License-Identifier: GPL-2.0-only
/* Messages: blocks of one channel, and the headers that describe them */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "common/program.h"
#include "common/text.h"
#include "kafka.h"

/* Clocks of two machines differ by less. */
#define FUTURE_SECONDS 60

struct message *make_message(struct account *account)
{
	struct message *msg = allocate(1, sizeof(*msg));

	msg->account = account;
	msg->number = account->messages++;
	return msg;
}

void free_message(struct message *msg)
{
	free(msg->data);
	free(msg);
}

static int clock_of(const struct zio_control *control)
{
	const struct zio_ctrl_attr *attr = &control->attr_trigger;

	if (attr->ext_mask & (UINT32_C(1) << ZIO_ATTR_TRIG_EXT_CLOCK))
		return (int)attr->ext_val[ZIO_ATTR_TRIG_EXT_CLOCK];
	return CLOCK_REALTIME;
}

/*
 * Milliseconds since 1970. A broker refuses messages from the future, and a time since the
 * boot finds nothing: for these the program takes its own time.
 */
static int64_t time_of(const struct zio_control *control)
{
	const struct zio_timestamp *stamp = &control->tstamp;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (clock_of(control) == CLOCK_REALTIME && stamp->ticks < 1000000000 &&
	    stamp->secs && stamp->secs <= (uint64_t)now.tv_sec + FUTURE_SECONDS)
		return (int64_t)(stamp->secs * 1000 + stamp->ticks / 1000000);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The queue counts the room of messages: one with few blocks must not take much. */
static void make_room(struct message *msg, size_t size, size_t limit)
{
	size_t least = msg->len + size;

	if (least <= msg->room)
		return;
	msg->room = 4 * msg->room < limit ? 4 * msg->room : limit;
	if (msg->room < least)
		msg->room = least;
	msg->data = realloc(msg->data, msg->room);
	if (!msg->data)
		fail_memory();
}

void add_block(struct message *msg, const struct zio_control *control,
	       const void *data, size_t size, uint64_t seq, size_t limit)
{
	make_room(msg, sizeof(*control) + size, limit);
	memcpy(msg->data + msg->len, control, sizeof(*control));
	msg->len += sizeof(*control);
	if (size)
		memcpy(msg->data + msg->len, data, size);
	msg->len += size;
	if (!msg->blocks++) {
		msg->first = seq;
		msg->time_ms = time_of(control);
	}
	msg->last = seq;
}

bool next_in_message(const char *data, size_t len, size_t *at,
		     struct zio_control *control, const char **samples, size_t *size)
{
	size_t left = len - *at;

	if (left < sizeof(*control))
		return false;
	memcpy(control, data + *at, sizeof(*control));
	left -= sizeof(*control);
	if (zio_control_size(control, size) || *size > left)
		return false;
	*samples = data + *at + sizeof(*control);
	*at += sizeof(*control) + *size;
	return true;
}

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

static const char *clock_name(const struct zio_control *control)
{
	static char other[16];

	switch (clock_of(control)) {
	case CLOCK_REALTIME:
		return "realtime";
	case CLOCK_MONOTONIC:
		return "monotonic";
	case CLOCK_BOOTTIME:
		return "boottime";
	case CLOCK_TAI:
		return "tai";
	default:
		put_text(other, sizeof(other), "%d", clock_of(control));
		return other;
	}
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

rd_kafka_headers_t *make_headers(const struct message *msg, enum format format)
{
	rd_kafka_headers_t *headers = rd_kafka_headers_new(10);
	char host[256] = "";
	struct zio_control control;

	memcpy(&control, msg->data, sizeof(control));
	gethostname(host, sizeof(host) - 1);
	add_text(headers, HEADER_FORMAT, format == SE00 ? FORMAT_SE00 : FORMAT_BLOCKS);
	add_text(headers, HEADER_HOST, host);
	add_text(headers, HEADER_CLOCK, clock_name(&control));
	add_text(headers, HEADER_RUN, run_id());
	add_number(headers, HEADER_NUMBER, msg->number);
	add_number(headers, HEADER_FIRST, msg->first);
	add_number(headers, HEADER_LAST, msg->last);
	add_number(headers, HEADER_BLOCKS, msg->blocks);
	if (msg->again)
		add_text(headers, HEADER_AGAIN, "1");
	if (format == SE00)
		rd_kafka_header_add(headers, HEADER_CONTROL, -1, &control,
				    sizeof(control));
	return headers;
}

bool get_header(const rd_kafka_message_t *rkm, const char *name, char *text,
		size_t size)
{
	rd_kafka_headers_t *headers;
	const void *value;
	size_t len;

	if (rd_kafka_message_headers(rkm, &headers) ||
	    rd_kafka_header_get_last(headers, name, &value, &len) || len >= size)
		return false;
	memcpy(text, value, len);
	text[len] = '\0';
	return true;
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
