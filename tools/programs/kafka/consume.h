/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the messages of a topic, from one position to another. */
#ifndef ZIO_KAFKA_CONSUME_H
#define ZIO_KAFKA_CONSUME_H

#include "message.h"

/**
 * struct position - a place in a topic
 * @kind: the beginning, the end, an offset, a time, or no place at all
 * @value: the offset, or milliseconds since 1970
 */
struct position {
	enum { POSITION_BEGIN, POSITION_END, POSITION_OFFSET, POSITION_TIME,
	       POSITION_NONE } kind;
	int64_t value;
};

/*
 * Parse begin, end, an offset, a time such as 2026-11-22T12:00:00 (local; Z for UTC), @ and
 * seconds since 1970, or - and seconds before now. Returns false if @text is none of them.
 */
bool parse_position(const char *text, struct position *position);

struct partition {
	int64_t next;		/* offset of the next message */
	int64_t end;		/* offset to stop before; -1: none */
	bool is_done;
};

struct consumer {
	rd_kafka_t *client;
	const char *topic;
	bool is_refused;	/* the brokers do not let the program in */
	bool is_away;		/* no broker answers, and the user knows */
	int n_partitions;
	struct partition *partition;
};

/* Connect, and find the positions; 0, or -1 after a message. @until of kind POSITION_NONE
 * follows the topic without an end. */
int open_consumer(struct consumer *c, const struct conf *conf,
		  const struct position *from, const struct position *until);

/*
 * Get the next message, which the caller destroys. Returns 1; 0 at the end of what was
 * asked for, or after a signal; -1 after a message to the user.
 */
int next_message(struct consumer *c, rd_kafka_message_t **rkm);
void close_consumer(struct consumer *c);

/* Visit the blocks of a message. */
struct block_cursor {
	const rd_kafka_message_t *rkm;
	enum { BLOCKS_VALUE, EVENTS_VALUE, SE00_VALUE } kind;
	size_t at;
	uint64_t blocks;	/* that it gave */
	struct zio_control control;
	const void *samples;
	size_t size;
};

/* Returns false if the message has no blocks, as an account. */
bool open_blocks(struct block_cursor *cursor, const rd_kafka_message_t *rkm);
/*
 * Get the next block: 1; 0 after the last; -1 if the message is damaged. The library can
 * read each block that this gives, whatever the message has.
 */
int next_block(struct block_cursor *cursor);

/*
 * Convert the time stamp of the block to CLOCK_REALTIME of its host. False if the message
 * does not tell how; the stamp then stays as it is. (convert.c)
 */
bool convert_time(struct block_cursor *cursor);

#endif /* ZIO_KAFKA_CONSUME_H */
