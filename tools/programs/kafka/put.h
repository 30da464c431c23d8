/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of zio-kafka put, and the interfaces between its files. */
#ifndef ZIO_KAFKA_PUT_H
#define ZIO_KAFKA_PUT_H

#include "collect.h"
#include "common/program.h"
#include "spool.h"

struct put_settings {
	struct conf conf;
	struct arguments sources;
	enum format format;
	int method;		/* such as ZIO_OPEN_RING; 0: any */
	uint64_t count;		/* of blocks; 0: no end */
	size_t bytes;		/* of a message */
	size_t queue;		/* bytes that wait for the broker */
	double linger;
	double stats;		/* seconds between two lines; 0: no lines */
	double flush;		/* seconds to wait at the end */
	bool drops;		/* a full queue refuses blocks */
	bool strict;		/* blocks lost in the kernel count as failure */
	bool json;
	const char *spool;
	const char *prometheus;
	const char *group;	/* its name; NULL: no group */
	uint64_t window;	/* nanoseconds between the blocks of an event */
	double limit;		/* seconds that an event waits */
	bool any_trigger;	/* an event may mix triggers of different names */
};

/* Parse the command line. An error in it ends the program. */
void parse_put(int argc, char **argv, struct put_settings *set);

/* Offer completions; see common/complete.h. */
int complete_put(const char *word);

/* --- connect.c: connect @sender to its topic. Returns 0, or -1 after a message. */
int connect_to_broker(struct sender *sender, const struct put_settings *set);

/* Tolerate a missing broker, which may come back, but not a missing topic: a mistake. */
int check_topic(struct sender *sender, const struct put_settings *set);

/* --- end.c, drain.c: what is left after the last block */
struct ending {
	struct sender *sender;
	struct collector *collector;
	struct spool *spool;
	double flush;
	int *code;		/* exit status */
};

/* Send what is left, for at most --flush seconds. Append the rest to the spool. */
void end_messages(const struct ending *end);

/*
 * Append a block to the spool, if any, when the queue is full or the broker is late. Returns
 * false if the block is not in the spool.
 */
bool keep_block(const struct ending *end, const struct zio_block *blk);

/* Send blocks of the spool. They go before new ones. */
void drain_spool(const struct ending *end);

/*
 * Append messages that have waited too long to the spool, and free what the broker has.
 * Returns when this is due again, by seconds_now().
 */
double tend_spool(const struct ending *end);

/* At the end of the program, append all messages that the broker has not acknowledged. */
void fill_spool(const struct ending *end);

#endif /* ZIO_KAFKA_PUT_H */
