// SPDX-License-Identifier: GPL-2.0-only
/* consume.c: read all partitions of a topic, without a consumer group */
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "common/stop.h"
#include "common/text.h"
#include "consume.h"

#define ANSWER_MS 30000
#define POLL_MS 100

static bool is_final(int err)
{
	return err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
	       err == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
	       err == RD_KAFKA_RESP_ERR__AUTHENTICATION || err == RD_KAFKA_RESP_ERR__SSL ||
	       err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
	       err == RD_KAFKA_RESP_ERR__FATAL;
}

/* librdkafka keeps trying; only a refusal ends the program. */
static void on_error(rd_kafka_t *client, int err, const char *reason, void *opaque)
{
	struct consumer *c = opaque;

	(void)client;
	if (is_final(err)) {
		if (!c->is_refused)
			complain("topic %s: cannot continue: %s", c->topic, reason);
		c->is_refused = true;
	} else if (err == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
		if (!c->is_away)
			complain("no broker answers: %s", reason);
		c->is_away = true;
	}
}

static rd_kafka_t *connect_to_broker(struct consumer *c, const struct conf *conf)
{
	const char *own[] = {
		"group.id", "zio-kafka",	/* required, but not used */
		"enable.auto.commit", "false",
		"enable.partition.eof", "false",
		"fetch.message.max.bytes", "67108864",
		"auto.offset.reset", "earliest",	/* if the broker has deleted messages */
		NULL,
	};
	rd_kafka_conf_t *made = make_conf(conf, own);

	if (!made)
		return NULL;
	if (check_protection(made, conf->is_trusted)) {
		rd_kafka_conf_destroy(made);
		return NULL;
	}
	rd_kafka_conf_set_error_cb(made, on_error);
	rd_kafka_conf_set_opaque(made, c);
	return make_client(RD_KAFKA_CONSUMER, made);
}

/*
 * Returns the offset of the first message at or after a time, or else of the end; -1 after a
 * message if the broker does not know it.
 */
static int64_t offset_of_time(struct consumer *c, int32_t number, int64_t ms,
			      int64_t high)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
	rd_kafka_resp_err_t err;
	int64_t offset = high;

	rd_kafka_topic_partition_list_add(list, c->topic, number)->offset = ms;
	err = rd_kafka_offsets_for_times(c->client, list, ANSWER_MS) ?: list->elems[0].err;
	if (err) {
		complain("topic %s, partition %d: no offset for a time: %s", c->topic, number,
			 rd_kafka_err2str(err));
		offset = -1;
	} else if (list->elems[0].offset >= 0) {
		offset = list->elems[0].offset;
	}
	rd_kafka_topic_partition_list_destroy(list);
	return offset;
}

/* Return value: see offset_of_time(). */
static int64_t find_offset(struct consumer *c, int32_t number,
			   const struct position *position, int64_t low, int64_t high)
{
	switch (position->kind) {
	case POSITION_BEGIN:
		return low;
	case POSITION_OFFSET:
		return position->value < low  ? low :
		       position->value > high ? high : position->value;
	case POSITION_TIME:
		return offset_of_time(c, number, position->value, high);
	default:
		return high;
	}
}

static int find_positions(struct consumer *c, int32_t number,
			  const struct position *from, const struct position *until)
{
	struct partition *part = &c->partition[number];
	rd_kafka_resp_err_t err;
	int64_t low, high;

	err = rd_kafka_query_watermark_offsets(c->client, c->topic, number, &low, &high,
					       ANSWER_MS);
	if (err) {
		complain("topic %s, partition %d: no offsets: %s", c->topic, number,
			 rd_kafka_err2str(err));
		return -1;
	}
	part->next = find_offset(c, number, from, low, high);
	if (part->next < 0)
		return -1;
	part->end = -1;
	if (until->kind != POSITION_NONE) {
		part->end = find_offset(c, number, until, low, high);
		if (part->end < 0)
			return -1;
	}
	part->is_done = part->end >= 0 && part->next >= part->end;
	return 0;
}

static int assign_partitions(struct consumer *c)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(4);
	rd_kafka_resp_err_t err;
	int i;

	for (i = 0; i < c->n_partitions; i++)
		if (!c->partition[i].is_done)
			rd_kafka_topic_partition_list_add(list, c->topic, i)->offset =
				c->partition[i].next;
	err = rd_kafka_assign(c->client, list);
	rd_kafka_topic_partition_list_destroy(list);
	if (err)
		complain("topic %s: %s", c->topic, rd_kafka_err2str(err));
	return err ? -1 : 0;
}

int open_consumer(struct consumer *c, const struct conf *conf,
		  const struct position *from, const struct position *until)
{
	int i;

	c->topic = conf->topic;
	c->client = connect_to_broker(c, conf);
	if (!c->client)
		return -1;
	rd_kafka_poll_set_consumer(c->client);
	c->n_partitions = count_partitions(c->client, c->topic, ANSWER_MS);
	if (c->n_partitions < 0)
		return -1;
	c->partition = allocate((size_t)c->n_partitions, sizeof(*c->partition));
	for (i = 0; i < c->n_partitions; i++)
		if (find_positions(c, i, from, until))
			return -1;
	return assign_partitions(c);
}

static bool is_done(const struct consumer *c)
{
	int i;

	for (i = 0; i < c->n_partitions; i++)
		if (!c->partition[i].is_done)
			return false;
	return true;
}

/* Compaction and transactions leave holes: use the position to detect the end. */
static void update_ends(struct consumer *c)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(4);
	int i;

	for (i = 0; i < c->n_partitions; i++)
		rd_kafka_topic_partition_list_add(list, c->topic, i);
	rd_kafka_position(c->client, list);
	for (i = 0; i < c->n_partitions; i++)
		if (c->partition[i].end >= 0 &&
		    list->elems[i].offset >= c->partition[i].end)
			c->partition[i].is_done = true;
	rd_kafka_topic_partition_list_destroy(list);
}

int next_message(struct consumer *c, rd_kafka_message_t **rkm)
{
	struct partition *part;
	rd_kafka_resp_err_t err;

	while (!is_done(c) && !caught_stop() && !c->is_refused) {
		*rkm = rd_kafka_consumer_poll(c->client, POLL_MS);
		if (!*rkm) {
			update_ends(c);
			continue;
		}
		err = (*rkm)->err;
		if (err) {
			complain("topic %s: %s", c->topic, rd_kafka_message_errstr(*rkm));
		} else {
			part = &c->partition[(*rkm)->partition];
			part->is_done |= part->end >= 0 && (*rkm)->offset + 1 >= part->end;
			c->is_away = false;
			if (part->end < 0 || (*rkm)->offset < part->end)
				return 1;
		}
		rd_kafka_message_destroy(*rkm);
		if (is_final(err))
			return -1;
	}
	return c->is_refused ? -1 : 0;
}

void close_consumer(struct consumer *c)
{
	if (c->client) {
		rd_kafka_consumer_close(c->client);
		rd_kafka_destroy(c->client);
	}
	free(c->partition);
}

/* --- the blocks of a message */

/* FlatBuffers must be aligned; librdkafka does not align values. */
static const void *align_value(const rd_kafka_message_t *rkm)
{
	static void *copy;
	static size_t room;

	if (rkm->len > room) {
		free(copy);
		room = rkm->len;
		copy = allocate(1, room);
	}
	memcpy(copy, rkm->payload, rkm->len);
	return copy;
}

static bool read_value(struct block_cursor *cursor)
{
	const rd_kafka_message_t *rkm = cursor->rkm;
	const void *control;
	uint16_t ssize;
	size_t len;

	control = find_header(rkm, HEADER_CONTROL, &len);
	cursor->samples = read_se00(align_value(rkm), rkm->len, &cursor->size, &ssize);
	if (!cursor->samples || !control || len != sizeof(cursor->control))
		return false;
	memcpy(&cursor->control, control, len);
	return cursor->control.ssize == ssize &&
	       (uint64_t)cursor->control.nsamples * ssize == cursor->size;
}

bool open_blocks(struct block_cursor *cursor, const rd_kafka_message_t *rkm)
{
	char format[32];

	if (!get_header(rkm, HEADER_FORMAT, format, sizeof(format)))
		return false;
	*cursor = (struct block_cursor){ .rkm = rkm };
	if (!strcmp(format, FORMAT_EVENTS))
		cursor->kind = EVENTS_VALUE;
	else if (!strcmp(format, FORMAT_SE00))
		cursor->kind = SE00_VALUE;
	else if (strcmp(format, FORMAT_BLOCKS))
		return false;
	return true;
}

/* The reader of a block file rejects other controls and everything after them. */
static bool is_sound(const struct zio_control *control)
{
	const uint32_t marks = ZIO_CONTROL_LITTLE_ENDIAN | ZIO_CONTROL_BIG_ENDIAN;
	const uint32_t native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
				ZIO_CONTROL_LITTLE_ENDIAN : ZIO_CONTROL_BIG_ENDIAN;

	return control->major_version == ZIO_MAJOR_VERSION &&
	       (control->flags & marks) == native &&
	       (control->ssize || !control->nsamples);
}

static bool has_all_blocks(const struct block_cursor *cursor)
{
	uint64_t wanted;

	return !get_header_u64(cursor->rkm, HEADER_BLOCKS, &wanted) ||
	       wanted == cursor->blocks;
}

int next_block(struct block_cursor *cursor)
{
	const rd_kafka_message_t *rkm = cursor->rkm;
	const char *samples;
	bool is_good;

	if (cursor->at >= rkm->len)
		return has_all_blocks(cursor) ? 0 : -1;
	if (cursor->kind == SE00_VALUE) {
		is_good = read_value(cursor);
		cursor->at = rkm->len;
	} else {
		is_good = next_in_message(rkm->payload, rkm->len, &cursor->at,
					  &cursor->control, &samples, &cursor->size);
		cursor->samples = is_good ? samples : NULL;
	}
	if (!is_good || !is_sound(&cursor->control))
		return -1;
	cursor->blocks++;
	return 1;
}
