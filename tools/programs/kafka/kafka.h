/* SPDX-License-Identifier: GPL-2.0-only */
/* zio-kafka: what the subcommands share */
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
	BLOCKS,		/* many blocks in the format of block files */
	SE00,		/* one block, as a FlatBuffer of the schema se00 */
};

/* --- settings of librdkafka (conf.c) */

struct conf {
	const char *brokers;
	const char *topic;
	char **settings;	/* NAME=VALUE of -X */
	int n_settings;
	const char *file;	/* of --config; NULL: none */
	bool is_verbose;	/* print all that librdkafka logs */
	bool is_trusted;	/* the network, by --insecure */
};

/*
 * Make the configuration of a client; the caller owns it. NULL after a message. @own are
 * the program's own settings, name and value by turns, NULL at the end; those of the user
 * override them.
 */
rd_kafka_conf_t *make_conf(const struct conf *conf, const char *const *own);

/* Get a setting as text; false if there is none. */
bool get_conf(const rd_kafka_conf_t *conf, const char *name, char *text, size_t size);

/*
 * Complain if a broker is on another host and the connection has no encryption, unless the
 * user trusts the network. Returns -1 if a password would go there. (protect.c)
 */
int check_protection(const rd_kafka_conf_t *made, bool is_trusted);

/* Make a client, which takes over @conf. NULL after a message. */
rd_kafka_t *make_client(rd_kafka_type_t type, rd_kafka_conf_t *conf);

/*
 * Check that the topic exists, within @ms. Return the number of its partitions; -1 after a
 * message; -2 after a message, if no broker answers.
 */
int count_partitions(rd_kafka_t *client, const char *topic, int ms);

/* --- systemd (systemd.c): notify the manager, if there is one */
void notify_manager(const char *state);

/* --- the subcommands */
int put_main(int argc, char **argv);
int get_main(int argc, char **argv);
int verify_main(int argc, char **argv);

#endif /* ZIO_KAFKA_H */
