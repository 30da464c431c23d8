/* SPDX-License-Identifier: GPL-2.0-only */
/* zio-kafka put: its settings, and what its files share. */
#ifndef ZIO_KAFKA_PUT_H
#define ZIO_KAFKA_PUT_H

#include "collect.h"
#include "common/program.h"
#include "spool.h"

struct put_settings {
	struct conf conf;
	struct arguments sources;
	enum format format;
	int method;		/* ZIO_OPEN_RING and the like; 0: any */
	uint64_t count;		/* of blocks; 0: no end */
	size_t bytes;		/* of a message */
	size_t queue;		/* bytes that wait for the broker */
	double linger;
	double stats;		/* seconds between two lines; 0: none */
	double flush;		/* seconds to wait at the end */
	bool drops;		/* a full queue refuses blocks */
	bool strict;		/* blocks lost in the kernel are a failure, too */
	bool json;
	const char *spool;
	const char *prometheus;
	const char *group;	/* its name; NULL: no group */
	uint64_t window;	/* nanoseconds between the blocks of an event */
	double limit;		/* seconds that an event waits */
	bool any_trigger;	/* an event has blocks of different triggers */
};

/* Parse the command line. A wrong one ends the program. */
void parse_put(int argc, char **argv, struct put_settings *set);

/* Offer completions; see common/complete.h. */
int complete_put(const char *word);

/* --- connect.c: connect @sender to its topic; 0, or -1 after a message. */
int connect_to_broker(struct sender *sender, const struct put_settings *set);

/* A broker that is away may come back; a topic that is not there is a mistake. */
int check_topic(struct sender *sender, const struct put_settings *set);

/* --- end.c, drain.c: what is left after the last block */
struct ending {
	struct sender *sender;
	struct collector *collector;
	struct spool *spool;
	double flush;
	int *code;		/* exit status */
};

/* Send what is left, as long as --flush allows. What then remains goes to the spool. */
void end_messages(const struct ending *end);

/*
 * Append a block to the spool, if there is one and the queue is full, or the broker is late.
 * False if the block is not there.
 */
bool keep_block(const struct ending *end, const struct zio_block *blk);

/* Send blocks of the spool, which go before new ones. */
void drain_spool(const struct ending *end);

/*
 * Append messages that wait too long to the spool, and free what the broker has. Return
 * when this is due again, by seconds_now().
 */
double tend_spool(const struct ending *end);

/* Append all messages that the broker has not acknowledged, at the end of the program. */
void fill_spool(const struct ending *end);

#endif /* ZIO_KAFKA_PUT_H */
