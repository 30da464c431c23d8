/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the subcommands of zio-kafka */
#ifndef ZIO_KAFKA_H
#define ZIO_KAFKA_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/control.h"
#include "libzio/zio.h"

/* Names of the headers of a message */
#define HEADER_FORMAT	"zio-format"
#define HEADER_HOST	"zio-host"
#define HEADER_CLOCK	"zio-clock"
#define HEADER_STATE	"zio-clock-state"
#define HEADER_ERROR	"zio-clock-error"
#define HEADER_OFFSET	"zio-clock-offset"
#define HEADER_RUN	"zio-run"
#define HEADER_NUMBER	"zio-message"
#define HEADER_FIRST	"zio-first-seq"
#define HEADER_LAST	"zio-last-seq"
#define HEADER_BLOCKS	"zio-blocks"
#define HEADER_AGAIN	"zio-again"
#define HEADER_SOURCES	"zio-sources"
#define HEADER_EVENTS	"zio-events"
#define HEADER_FIRST_EVENT	"zio-first-event"
#define HEADER_LAST_EVENT	"zio-last-event"
#define HEADER_CONTROL	"zio-control"

#define FORMAT_BLOCKS	"blocks/1"
#define FORMAT_EVENTS	"events/1"
#define FORMAT_SE00	"se00/1"
#define FORMAT_ACCOUNT	"account/1"

enum format {
	BLOCKS,		/* many blocks, in the format of block files */
	SE00,		/* one block, as a FlatBuffer of the schema se00 */
};

/* --- settings of librdkafka (conf.c) */

struct conf {
	const char *brokers;
	const char *topic;
	char **settings;	/* NAME=VALUE of -X */
	int n_settings;
	const char *file;	/* of --config; NULL: none */
	bool is_verbose;	/* print everything that librdkafka logs */
	bool is_trusted;	/* the user trusts the network: --insecure */
};

/*
 * Create the configuration of a client; the caller owns it. @own has the program's own
 * settings, alternately name and value, terminated by NULL. The user's settings override
 * them. Returns NULL after a message.
 */
rd_kafka_conf_t *make_conf(const struct conf *conf, const char *const *own);

/* Get a setting as text. Returns false if it does not exist. */
bool get_conf(const rd_kafka_conf_t *conf, const char *name, char *text, size_t size);

/*
 * Warn of a broker on another host without encryption, unless the user trusts the network.
 * Returns -1 if a password would be sent there. (protect.c)
 */
int check_protection(const rd_kafka_conf_t *made, bool is_trusted);

/* Create a client, which takes over @conf. Returns NULL after a message. */
rd_kafka_t *make_client(rd_kafka_type_t type, rd_kafka_conf_t *conf);

/*
 * Check that the topic exists, waiting @ms for an answer. Returns the number of partitions;
 * after a message, -1, or -2 if no broker answers.
 */
int count_partitions(rd_kafka_t *client, const char *topic, int ms);

/* --- systemd.c: notify the service manager, if any */
void notify_manager(const char *state);

/* --- the subcommands */
int put_main(int argc, char **argv);
int get_main(int argc, char **argv);
int verify_main(int argc, char **argv);

#endif /* ZIO_KAFKA_H */
