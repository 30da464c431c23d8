/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the messages of a topic between two positions. */
#ifndef ZIO_KAFKA_CONSUME_H
#define ZIO_KAFKA_CONSUME_H

#include "message.h"

/**
 * struct position - a place in a topic
 * @kind: the beginning, the end, an offset, a time, or none of them
 * @value: the offset, or milliseconds since 1970
 */
struct position {
	enum { POSITION_BEGIN, POSITION_END, POSITION_OFFSET, POSITION_TIME,
	       POSITION_NONE } kind;
	int64_t value;
};

/*
 * Parse begin, end, an offset, a time such as 2026-11-22T12:00:00 (local; Z for UTC), @ and
 * seconds since 1970, or - and seconds before now. Returns false for any other @text.
 */
bool parse_position(const char *text, struct position *position);

struct partition {
	int64_t next;		/* offset of the next message */
	int64_t end;		/* offset to stop at, excluded; -1: no end */
	bool is_done;
};

struct consumer {
	rd_kafka_t *client;
	const char *topic;
	bool is_refused;	/* the brokers refuse the program */
	bool is_away;		/* no broker answers, and the user was told */
	int n_partitions;
	struct partition *partition;
};

/*
 * Connect, and find the positions. With an @until of kind POSITION_NONE, follow the topic
 * without an end. Returns 0, or -1 after a message.
 */
int open_consumer(struct consumer *c, const struct conf *conf,
		  const struct position *from, const struct position *until);

/*
 * Get the next message; the caller destroys it. Returns 1; 0 at the requested end or after a
 * signal; -1 after a message to the user.
 */
int next_message(struct consumer *c, rd_kafka_message_t **rkm);
void close_consumer(struct consumer *c);

/* Iterates over the blocks of a message. */
struct block_cursor {
	const rd_kafka_message_t *rkm;
	enum { BLOCKS_VALUE, EVENTS_VALUE, SE00_VALUE } kind;
	size_t at;
	uint64_t blocks;	/* returned so far */
	struct zio_control control;
	const void *samples;
	size_t size;
};

/* Returns false if the message, such as an account, has no blocks. */
bool open_blocks(struct block_cursor *cursor, const rd_kafka_message_t *rkm);
/*
 * Get the next block. Returns 1; 0 after the last one; -1 if the message is damaged. libzio
 * can read every block that this returns, whatever the message contains.
 */
int next_block(struct block_cursor *cursor);

/*
 * Convert the block's time stamp to CLOCK_REALTIME of its host. Returns false, and leaves
 * the stamp as it is, if the message does not say how. (convert.c)
 */
bool convert_time(struct block_cursor *cursor);

#endif /* ZIO_KAFKA_CONSUME_H */
