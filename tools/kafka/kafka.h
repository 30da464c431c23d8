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
#define HEADER_RUN	"zio-run"
#define HEADER_NUMBER	"zio-message"
#define HEADER_FIRST	"zio-first-seq"
#define HEADER_LAST	"zio-last-seq"
#define HEADER_BLOCKS	"zio-blocks"
#define HEADER_AGAIN	"zio-again"
#define HEADER_CONTROL	"zio-control"

#define FORMAT_BLOCKS	"blocks/1"
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
};

/*
 * Make the configuration of a client; the caller owns it. NULL after a message. @own are
 * the program's own settings, name and value by turns, NULL at the end; those of the user
 * override them.
 */
rd_kafka_conf_t *make_conf(const struct conf *conf, const char *const *own);

/* Complain if the brokers are on other hosts, and neither TLS nor SASL is on. */
void warn_if_plain(const rd_kafka_conf_t *made);

/* Make a client, which takes over @conf. NULL after a message. */
rd_kafka_t *make_client(rd_kafka_type_t type, rd_kafka_conf_t *conf);

/*
 * Check that the topic exists, within @ms. Return the number of its partitions; -1 after a
 * message; -2 after a message, if no broker answers.
 */
int count_partitions(rd_kafka_t *client, const char *topic, int ms);

/* --- what happened to the blocks of a channel (account.c) */

struct message;

/**
 * struct account - the blocks of one channel
 * @addr: the channel
 * @key: its name, such as zzero-0000-0-1; the key of its messages
 * @seen: blocks that the source gave
 * @lost: blocks missing before them, by the sequence numbers
 * @stored: blocks that the broker has acknowledged
 * @bytes: bytes of their samples
 * @refused: blocks that found the queue full, or no room in the spool
 * @unacked: blocks that the broker rejected, or did not acknowledge until the end
 * @spooled: blocks that are in the spool now
 * @next: the expected sequence number, with 64 bits
 * @messages: number of messages
 * @open: the message that collects blocks; NULL: none
 */
struct account {
	struct zio_addr addr;
	char key[ADDRESS_LEN];
	uint64_t seen;
	uint64_t lost;
	uint64_t stored;
	uint64_t bytes;
	uint64_t refused;
	uint64_t unacked;
	uint64_t spooled;
	uint64_t next;
	uint64_t messages;
	struct message *open;
	struct account *following;
};

/* All accounts; find_account() makes one for the channel of a control. */
extern struct account *accounts;
struct account *find_account(const struct zio_control *control);
void free_accounts(void);

/* Count a block and the ones missing before it. Return its number with 64 bits. */
uint64_t count_block(struct account *account, const struct zio_control *control);

/* Return the sum of all accounts. */
struct account sum_accounts(void);

/* Blocks that wait for the broker */
uint64_t count_waiting(const struct account *account);

void print_sum(double seconds);
int print_accounts_json(FILE *out, double seconds);

/* Return the account as JSON, which the caller frees. */
char *account_text(const struct account *account, const char *run);

/* Replace @file by the accounts in Prometheus' text format; 0, or -1 after a message. */
int export_accounts(const char *file);

/* --- messages (message.c) */

/**
 * struct message - some blocks of one channel, in sequence
 * @data: the blocks in the format of block files, @len bytes
 * @number: of the message among those of the channel in this run, from 0
 * @first: number of the first block, with 64 bits
 * @last: number of the last one
 * @time_ms: time of the first block since 1970; that of the program, if the clock of the
 *           block is another
 * @again: blocks of the spool of an earlier run: the broker may have them already
 * @deadline: when the message must go, by seconds_now()
 */
struct message {
	struct message *next;
	struct account *account;
	char *data;
	size_t len;
	size_t room;
	uint64_t number;
	uint64_t first;
	uint64_t last;
	int64_t time_ms;
	double deadline;
	uint32_t blocks;
	bool again;
};

struct message *make_message(struct account *account);
void free_message(struct message *msg);

/* Append a block, whose number is @seq. The message grows up to @limit bytes in steps. */
void add_block(struct message *msg, const struct zio_control *control,
	       const void *data, size_t size, uint64_t seq, size_t limit);

/*
 * Get the block at @*at and move @*at behind it; false at the end. @data needs no
 * alignment.
 */
bool next_in_message(const char *data, size_t len, size_t *at,
		     struct zio_control *control, const char **samples, size_t *size);

/* Return the headers of @msg; the caller owns them. */
rd_kafka_headers_t *make_headers(const struct message *msg, enum format format);

/* The id of this run of the program: 16 hexadecimal digits */
const char *run_id(void);

/* Get a header as text; false if there is none, or it is longer. */
bool get_header(const rd_kafka_message_t *rkm, const char *name, char *text,
		size_t size);
bool get_header_u64(const rd_kafka_message_t *rkm, const char *name, uint64_t *value);

/* --- FlatBuffers (se00.cpp) */

/* Make the value of a message; the caller frees it. NULL: samples of that size have no
 * type in the schema. */
void *make_se00(const struct zio_control *control, const void *samples, size_t size,
		uint64_t seq, const char *name, size_t *len);

/* Get the samples of a value; NULL if it is no se00. They are in @value. */
const void *read_se00(const void *value, size_t len, size_t *size, uint16_t *ssize);

/* --- messages to the broker (send.c) */

struct sender {
	rd_kafka_t *client;
	const char *topic;
	enum format format;
	size_t limit;		/* bytes of messages that wait */
	size_t bytes;
	struct message *first;	/* all that are not acknowledged, in sequence */
	struct message **end;
	struct message *unsent;	/* the first that librdkafka does not have */
	bool is_away;		/* the broker is not there, and the user knows */
	bool has_stored;	/* it has acknowledged a message */
	bool is_fatal;
	char reason[200];	/* of the last broken connection */
	double next_complaint;	/* by seconds_now(): lines about rejected blocks */
};

/* Make @sender receive the reports of the client that @conf is for. */
void prepare_sender(struct sender *sender, rd_kafka_conf_t *conf);

/* Send @msg after all others. The sender owns it. */
void submit_message(struct sender *sender, struct message *msg);

/* Count a message as not acknowledged, and tell why, once a second. */
void reject_message(struct sender *sender, struct message *msg, const char *reason);

/* Pass messages to librdkafka, and take its reports. */
void pump_messages(struct sender *sender);
bool is_full(const struct sender *sender);

/* --- the spool (spool.c) */

struct spool {
	const char *file;
	struct zio_channel *out;
	struct zio_channel *in;
	uint64_t written;	/* blocks in the file */
	uint64_t drained;	/* blocks of them that were sent */
	uint64_t earlier;	/* blocks of them from an earlier run */
	off_t size;		/* of the file, up to its last whole block */
	bool is_failing;	/* the user knows */
	bool is_unreadable;
};

/* Open the file and count what an earlier run has left; 0, or -1 after a message. */
int open_spool(struct spool *spool);
bool has_blocks(const struct spool *spool);

/* Append a block; -1 after a message, if there is no room. */
int spool_block(struct spool *spool, const struct zio_control *control,
		const void *data, size_t size);

/* Get the oldest block: 1; 0 there is none; -1 after a message. */
int next_spooled(struct spool *spool, struct zio_block *blk, bool *again);

/* Put these messages before all blocks of the file; 0, or -1 after a message. */
int return_to_spool(struct spool *spool, const struct message *first);
void close_spool(struct spool *spool);

/* --- systemd (systemd.c): notify the manager, if there is one */
void notify_manager(const char *state);

/* --- the subcommands */
int put_main(int argc, char **argv);
int get_main(int argc, char **argv);
int verify_main(int argc, char **argv);

#endif /* ZIO_KAFKA_H */
