/* SPDX-License-Identifier: GPL-2.0-only */
/* Collect blocks into messages. */
#ifndef ZIO_KAFKA_COLLECT_H
#define ZIO_KAFKA_COLLECT_H

#include "send.h"

/**
 * struct collector - messages being collected, one per channel or group
 * @sender: receives the messages
 * @group: keeps events together; NULL without a group
 * @bytes: largest message in bytes; a larger block or event becomes a message of its own
 * @linger: how long a block waits for others, in seconds
 * @one_block: each message has one block
 * @open: number of messages being collected
 */
struct collector {
	struct sender *sender;
	struct group *group;
	size_t bytes;
	double linger;
	bool one_block;
	unsigned int open;
};

/* Origin of a block that is not in the spool */
extern const struct origin no_origin;

/* Add a block, with number @seq, to the message of its channel. */
void collect_block(struct collector *c, struct account *account,
		   const struct zio_block *blk, uint64_t seq, const struct origin *origin);

/* Add the blocks of event @number to the message of the group. */
void collect_event(struct collector *c, const struct zio_event *ev, uint64_t number);

/* Send the messages whose blocks are not in the spool. */
void close_unspooled(struct collector *c);

/* Send the messages that are due. Return when the next one is. */
double close_messages(struct collector *c, double now);

#endif /* ZIO_KAFKA_COLLECT_H */
