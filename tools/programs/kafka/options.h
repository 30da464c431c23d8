/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of all subcommands. */
#ifndef ZIO_KAFKA_OPTIONS_H
#define ZIO_KAFKA_OPTIONS_H

#include "common/program.h"
#include "consume.h"

enum { KEY_FROM = 0x200, KEY_UNTIL, KEY_INSECURE };

#define CONF_OPTIONS \
	{ "brokers", 'b', "HOST:PORT", 0, "The first brokers to ask, separated by commas " \
	  "(default localhost:9092)", 1 }, \
	{ "topic", 't', "TOPIC", 0, "The topic; it must exist", 1 }, \
	{ NULL, 'X', "NAME=VALUE", 0, "A setting of librdkafka, such as " \
	  "security.protocol=ssl; passwords are refused: put them into a file", 4 }, \
	{ "config", 'c', "FILE", 0, "Settings of librdkafka, one NAME=VALUE per line", 4 }, \
	{ "insecure", KEY_INSECURE, NULL, 0, "Send without encryption to other hosts, also a " \
	  "password", 4 }, \
	{ "verbose", 'v', NULL, 0, "Print everything that librdkafka logs", 4 }

/* Parse an option of CONF_OPTIONS; ARGP_ERR_UNKNOWN for others. */
error_t parse_conf(int key, char *arg, const struct argp_state *state,
		   struct conf *conf);

#define PLACE_OPTIONS \
	{ "from", KEY_FROM, "PLACE", 0, "Begin at begin (default), end, an offset, or a " \
	  "time: 2026-11-22T12:00:00 (Z for UTC), @SECONDS since 1970, -SECONDS ago", 2 }, \
	{ "until", KEY_UNTIL, "PLACE", 0, "Stop there; default: now, the end of the topic " \
	  "when the program starts", 2 }

/* Parse an option of PLACE_OPTIONS; ARGP_ERR_UNKNOWN for others. */
error_t parse_places(int key, const char *arg, const struct argp_state *state,
		     struct position *from, struct position *until);

/* End the program if the topic is missing. */
void check_conf(const struct argp_state *state, struct conf *conf);

#endif /* ZIO_KAFKA_OPTIONS_H */
