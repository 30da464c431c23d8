// SPDX-License-Identifier: GPL-2.0-only
/* Connect a producer to its topic. */
#include "common/text.h"
#include "put.h"

#define TOPIC_MS 3000
/*
 * An idempotent producer has up to five requests in flight. While librdkafka has a sixth
 * message for a partition, its thread polls without a pause and takes CPU time from other
 * programs. Four large messages keep the connection busy.
 */
#define MESSAGES_IN_FLIGHT 4

static rd_kafka_conf_t *make_put_conf(const struct put_settings *set)
{
	char linger[32], batch[32];
	const char *own[] = {
		"enable.idempotence", "true",
		"acks", "all",
		"message.timeout.ms", "0",
		"message.max.bytes", "67108864",
		"queue.buffering.max.kbytes", "2000000",
		"queue.buffering.max.messages", "10000000",
		"linger.ms", linger,
		"batch.size", batch,	/* a topic has a limit, too */
		NULL,
	};

	put_text(batch, sizeof(batch), "%zu", set->bytes);
	put_text(linger, sizeof(linger), "%g",
		 set->format == SE00 ? set->linger * 1000 : 0.0);
	return make_conf(&set->conf, own);
}

int connect_to_broker(struct sender *sender, const struct put_settings *set)
{
	rd_kafka_conf_t *conf = make_put_conf(set);

	if (!conf)
		return -1;
	if (check_protection(conf, set->conf.is_trusted)) {
		rd_kafka_conf_destroy(conf);
		return -1;
	}
	prepare_sender(sender, conf);
	sender->client = make_client(RD_KAFKA_PRODUCER, conf);
	return sender->client ? 0 : -1;
}

int check_topic(struct sender *sender, const struct put_settings *set)
{
	int ret = count_partitions(sender->client, sender->topic, TOPIC_MS);

	sender->window = MESSAGES_IN_FLIGHT * set->bytes * (size_t)(ret > 1 ? ret : 1);
	rd_kafka_poll(sender->client, 0);
	return ret == -1 || sender->is_fatal ? -1 : 0;
}
