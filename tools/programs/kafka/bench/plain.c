// SPDX-License-Identifier: GPL-2.0-only
/*
 * plain - send a file to a topic with librdkafka alone, to compare with zio-kafka
 *
 * Usage: plain BROKERS TOPIC FILE BYTES
 *
 * Each message has BYTES bytes of the file. The program prints the seconds until the broker
 * has acknowledged everything.
 */
#include <fcntl.h>
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static size_t stored;

static void fail(const char *what, const char *reason)
{
	fprintf(stderr, "plain: %s: %s\n", what, reason);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void on_report(rd_kafka_t *client, const rd_kafka_message_t *rkm, void *opaque)
{
	(void)client;
	(void)opaque;
	if (rkm->err)
		fail("broker", rd_kafka_err2str(rkm->err));
	stored += rkm->len;
}

/* The settings of zio-kafka that matter for speed */
static rd_kafka_t *make_client(const char *brokers)
{
	const char *settings[][2] = {
		{ "bootstrap.servers", brokers },
		{ "enable.idempotence", "true" },
		{ "acks", "all" },
		{ "linger.ms", "5" },
		{ "message.max.bytes", "67108864" },
		{ "queue.buffering.max.kbytes", "65536" },
		{ "queue.buffering.max.messages", "10000000" },
	};
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	rd_kafka_t *client;
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (rd_kafka_conf_set(conf, settings[i][0], settings[i][1], text,
				      sizeof(text)) != RD_KAFKA_CONF_OK)
			fail(settings[i][0], text);
	rd_kafka_conf_set_dr_msg_cb(conf, on_report);
	client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof(text));
	if (!client)
		fail("librdkafka", text);
	return client;
}

static void send_file(rd_kafka_t *client, rd_kafka_topic_t *topic, char *data, size_t size,
		      size_t bytes)
{
	size_t at, len;

	for (at = 0; at < size; at += len) {
		len = size - at < bytes ? size - at : bytes;
		while (rd_kafka_produce(topic, 0, 0, data + at, len, "key", 3, NULL))
			rd_kafka_poll(client, 10);
		rd_kafka_poll(client, 0);
	}
	rd_kafka_flush(client, 600000);
}

int main(int argc, char **argv)
{
	rd_kafka_t *client;
	rd_kafka_topic_t *topic;
	struct stat st;
	double begin;
	char *data;
	int fd;

	if (argc != 5)
		fail("usage", "plain BROKERS TOPIC FILE BYTES");
	fd = open(argv[3], O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		fail(argv[3], "cannot open");
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		fail(argv[3], "cannot map");
	client = make_client(argv[1]);
	topic = rd_kafka_topic_new(client, argv[2], NULL);
	begin = now();
	send_file(client, topic, data, (size_t)st.st_size, strtoul(argv[4], NULL, 10));
	if (stored != (size_t)st.st_size)
		fail(argv[2], "not everything is stored");
	printf("%.6f\n", now() - begin);
	rd_kafka_topic_destroy(topic);
	rd_kafka_destroy(client);
	return 0;
}
