/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages, and the headers that describe them. */
#ifndef ZIO_KAFKA_MESSAGE_H
#define ZIO_KAFKA_MESSAGE_H

#include <sys/types.h>

#include "account.h"
#include "group.h"

/**
 * struct origin - where the spool has a block
 * @at: the byte of the file; -1: the block is not in the spool
 * @again: it is of an earlier run: the broker may have it already
 */
struct origin {
	off_t at;
	bool again;
};

/**
 * struct message - some blocks of one channel, or the events of a group, in sequence
 * @account: of the channel; NULL for a group
 * @group: NULL for a channel
 * @parts: for a group: which blocks the events have
 * @data: the blocks in the format of block files, @len bytes
 * @number: of the message in its stream in this run, from 0
 * @first: number of the first block, or event, with 64 bits
 * @last: number of the last one
 * @origin: where the spool has the first block; all blocks or none are in the spool
 * @begin: when the message was made, by seconds_now()
 * @deadline: when the message must go, by seconds_now()
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

/* Append a block, whose number, or that of its event, is @seq. The message grows up to @limit bytes in steps. */
void add_block(struct message *msg, const struct zio_control *control,
	       const void *data, size_t size, uint64_t seq, size_t limit);

/*
 * Get the block at @*at and move @*at behind it; false at the end. @data needs no
 * alignment.
 */
bool next_in_message(const char *data, size_t len, size_t *at,
		     struct zio_control *control, const char **samples, size_t *size);

/* --- headers (header.c) */

/* Return the headers of @msg; the caller owns them. */
rd_kafka_headers_t *make_headers(struct message *msg, enum format format);

/* The id of this run of the program: 16 hexadecimal digits */
const char *run_id(void);

/*
 * What follows reads messages that any program may have sent. Find the last header of this
 * name and its length; NULL if there is none, or one without a value. The message owns it.
 */
const void *find_header(const rd_kafka_message_t *rkm, const char *name, size_t *len);

/*
 * Get a header as text that can be printed: \xHH stands for other bytes. False if there is
 * none, or it is longer.
 */
bool get_header(const rd_kafka_message_t *rkm, const char *name, char *text,
		size_t size);
/* Get a header as text of any length; NULL if there is none. The message owns it. */
const char *header_text(const rd_kafka_message_t *rkm, const char *name);
/* Put as much of the key as fits, with \xHH for bytes that cannot be printed. */
void put_key(char text[ADDRESS_LEN], const rd_kafka_message_t *rkm);
bool get_header_u64(const rd_kafka_message_t *rkm, const char *name, uint64_t *value);
bool get_header_i64(const rd_kafka_message_t *rkm, const char *name, int64_t *value);

/* --- FlatBuffers (se00.cpp) */

/* Make the value of a message; the caller frees it. NULL: samples of that size have no
 * type in the schema. */
void *make_se00(const struct zio_control *control, const void *samples, size_t size,
		uint64_t seq, const char *name, size_t *len);

/* Get the samples of a value; NULL if it is no se00. They are in @value. */
const void *read_se00(const void *value, size_t len, size_t *size, uint16_t *ssize);

#endif /* ZIO_KAFKA_MESSAGE_H */
