/* SPDX-License-Identifier: GPL-2.0-only */
/* Blocks that become messages. */
#ifndef ZIO_KAFKA_COLLECT_H
#define ZIO_KAFKA_COLLECT_H

#include "send.h"

/**
 * struct collector - the messages that collect blocks, one per channel or group
 * @sender: receives the messages
 * @group: keeps events together; NULL: there is none
 * @bytes: bytes of a message, at most; a larger block or event is a message of its own
 * @linger: seconds that a block waits for others
 * @one_block: a message has one block
 * @open: number of messages that collect blocks
 */
struct collector {
	struct sender *sender;
	struct group *group;
	size_t bytes;
	double linger;
	bool one_block;
	unsigned int open;
};

/* The origin of a block that is not in the spool */
extern const struct origin no_origin;

/* Add a block with the number @seq to the message of its channel. */
void collect_block(struct collector *c, struct account *account,
		   const struct zio_block *blk, uint64_t seq, const struct origin *origin);

/* Add the blocks of event @number to the message of the group. */
void collect_event(struct collector *c, const struct zio_event *ev, uint64_t number);

/* Send the messages whose blocks are not in the spool. */
void close_unspooled(struct collector *c);

/* Send the messages whose time is over. Return when the next one is due. */
double close_messages(struct collector *c, double now);

#endif /* ZIO_KAFKA_COLLECT_H */
