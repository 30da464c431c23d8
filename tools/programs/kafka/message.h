/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages, and the headers that describe them. */
#ifndef ZIO_KAFKA_MESSAGE_H
#define ZIO_KAFKA_MESSAGE_H

#include <sys/types.h>

#include "account.h"
#include "group.h"

/**
 * struct origin - where a block is in the spool
 * @at: byte in the file; -1: not in the spool
 * @again: from an earlier run: the broker may already have it
 */
struct origin {
	off_t at;
	bool again;
};

/**
 * struct message - some blocks of one channel, or the events of a group, in sequence
 * @account: of the channel; NULL for a group
 * @group: NULL for a channel
 * @parts: for a group: which blocks each event has
 * @data: the blocks in the format of block files, @len bytes
 * @number: index of the message in its stream, from 0 in each run
 * @first: number of the first block or event, with 64 bits
 * @last: number of the last one
 * @origin: where the first block is in the spool, which has all of the blocks or none
 * @begin: when the message was created, by seconds_now()
 * @deadline: when the message must be sent, by seconds_now()
 */
struct message {
	struct message *next;
	struct stream *stream;
	struct account *account;
	const struct group *group;
	struct parts parts;
	char *data;
	size_t len;
	size_t room;
	uint64_t number;
	uint64_t first;
	uint64_t last;
	struct origin origin;
	double begin;
	double deadline;
	uint32_t blocks;
	bool is_given;		/* librdkafka has it */
};

struct message *make_message(struct stream *stream);
void free_message(struct message *msg);

/*
 * Append a block. @seq is its number, or the number of its event. The message grows in
 * steps, up to @limit bytes.
 */
void add_block(struct message *msg, const struct zio_control *control,
	       const void *data, size_t size, uint64_t seq, size_t limit);

/*
 * Get the block at @*at and advance @*at past it. Returns false at the end. @data need not
 * be aligned.
 */
bool next_in_message(const char *data, size_t len, size_t *at,
		     struct zio_control *control, const char **samples, size_t *size);

/* --- headers (header.c) */

/* Create the headers of @msg; the caller owns them. */
rd_kafka_headers_t *make_headers(struct message *msg, enum format format);

/* The id of this run of the program: 16 hexadecimal digits */
const char *run_id(void);

/*
 * The functions below read messages that any program may have sent. Find the last header
 * with this name, and its length. Returns NULL if it is missing or has no value. The
 * message owns it.
 */
const void *find_header(const rd_kafka_message_t *rkm, const char *name, size_t *len);

/*
 * Get a header as printable text, with \xHH for other bytes. Returns false if it is missing
 * or too long.
 */
bool get_header(const rd_kafka_message_t *rkm, const char *name, char *text,
		size_t size);
/* Return a header as text of any length; NULL if it is missing. The message owns it. */
const char *header_text(const rd_kafka_message_t *rkm, const char *name);
/* Put as much of the key as fits, with \xHH for unprintable bytes. */
void put_key(char text[ADDRESS_LEN], const rd_kafka_message_t *rkm);
bool get_header_u64(const rd_kafka_message_t *rkm, const char *name, uint64_t *value);
bool get_header_i64(const rd_kafka_message_t *rkm, const char *name, int64_t *value);

/* --- FlatBuffers (se00.cpp) */

/*
 * Create the value of a message; the caller frees it. Returns NULL if the schema has no
 * type for samples of that size.
 */
void *make_se00(const struct zio_control *control, const void *samples, size_t size,
		uint64_t seq, const char *name, size_t *len);

/* Return the samples inside @value; NULL if it is not se00. */
const void *read_se00(const void *value, size_t len, size_t *size, uint16_t *ssize);

#endif /* ZIO_KAFKA_MESSAGE_H */
