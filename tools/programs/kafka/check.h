/* SPDX-License-Identifier: GPL-2.0-only */
/* What verify finds in a topic. */
#ifndef ZIO_KAFKA_CHECK_H
#define ZIO_KAFKA_CHECK_H

#include "consume.h"

/* One run of a producer, for one channel or group */
struct run {
	struct run *following;
	char id[32];
	uint64_t blocks;	/* found, without duplicates */
	uint64_t duplicates;
	uint64_t stored;	/* as the producer said */
	uint64_t told;		/* blocks that it said are not stored */
	uint64_t next_event;
	bool has_account;
	bool has_begin;		/* its first message was read */
};

struct channel {
	struct channel *following;
	char key[ADDRESS_LEN];
	char host[64];		/* of its first message */
	bool has_hosts;		/* others have sent it, too; the user knows */
	struct run *runs;
	uint64_t messages;
	uint64_t last_message;	/* number of the last one in struct findings */
	uint64_t blocks;
	uint64_t gaps;
	uint64_t missing;
	uint64_t told;		/* blocks that producers said are not stored */
	uint64_t duplicates;
	uint64_t damaged;
	uint64_t restarts;
	struct zio_timeline *timeline;	/* NULL before the first block */
	uint32_t next;
	struct zio_timestamp last;
};

/* The events of a group; see zio_part_state for what they have of a channel. */
struct events {
	struct events *following;
	char key[ADDRESS_LEN];
	struct run *runs;
	uint64_t messages;
	uint64_t events;
	uint64_t complete;
	uint64_t missing;	/* whole events, by their numbers */
	uint64_t lost;
	uint64_t skipped;
	uint64_t late;
	uint64_t gone;
	uint64_t came_late;	/* events with blocks that came late */
	uint64_t damaged;
};

struct findings {
	struct channel *channels;
	struct events *groups;
	uint64_t messages;
	uint64_t wrong_accounts;
	uint64_t unfinished;	/* runs without an account */
	uint64_t others;
};

/* Find the run that a message is of; it is made if it is new. */
struct run *find_run(struct run **list, const rd_kafka_message_t *rkm);
void free_runs(struct run *runs);

/* Check a message, and tell the user what is wrong. */
void check_message(struct findings *found, const rd_kafka_message_t *rkm);

/* Check the header of a message with events and @blocks blocks. (check-events.c) */
void check_events(struct findings *found, const rd_kafka_message_t *rkm, uint64_t blocks);
void free_events(struct findings *found);

/* Compare with what the producers said, after the last message. */
void check_accounts(struct findings *found);

/* Is nothing damaged or there twice, and are all accounts right? */
bool is_right(const struct findings *found);

/* Say in one line what is missing in @topic. Returns EXIT_OK, or EXIT_NOT_CLEAN. */
int tell_missing(const struct findings *found, const char *topic);
void free_findings(struct findings *found);

#endif /* ZIO_KAFKA_CHECK_H */
