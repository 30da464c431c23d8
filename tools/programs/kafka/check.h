/* SPDX-License-Identifier: GPL-2.0-only */
/* What verify finds in a topic. */
#ifndef ZIO_KAFKA_CHECK_H
#define ZIO_KAFKA_CHECK_H

#include "consume.h"

/* One run of a producer, for one channel or group. */
struct run {
	struct run *following;
	char id[32];
	uint64_t blocks;	/* in the topic, without duplicates */
	uint64_t duplicates;
	uint64_t stored;	/* according to the producer */
	uint64_t told;		/* blocks that it reported as not stored */
	uint64_t next_event;
	bool has_account;
	bool has_begin;		/* the first message of the run was read */
};

struct channel {
	struct channel *following;
	char key[ADDRESS_LEN];
	char host[64];		/* of its first message */
	bool has_hosts;		/* others have sent it too, and the user was told */
	struct run *runs;
	uint64_t messages;
	uint64_t last_message;	/* its last message, as a number of struct findings */
	uint64_t blocks;
	uint64_t gaps;
	uint64_t missing;
	uint64_t told;		/* blocks that producers reported as not stored */
	uint64_t duplicates;
	uint64_t damaged;
	uint64_t restarts;
	struct zio_timeline *timeline;	/* NULL before the first block */
	uint32_t next;
	struct zio_timestamp last;
};

/* The events of a group. enum zio_part_state explains lost, skipped, late and gone. */
struct events {
	struct events *following;
	char key[ADDRESS_LEN];
	struct run *runs;
	uint64_t messages;
	uint64_t events;
	uint64_t complete;
	uint64_t missing;	/* whole events, according to their numbers */
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

/* Find the run that a message belongs to. Create it if it is new. */
struct run *find_run(struct run **list, const rd_kafka_message_t *rkm);
void free_runs(struct run *runs);

/* Check a message, and print what is wrong. */
void check_message(struct findings *found, const rd_kafka_message_t *rkm);

/* Check the header of a message of events that has @blocks blocks. (check-events.c) */
void check_events(struct findings *found, const rd_kafka_message_t *rkm, uint64_t blocks);
void free_events(struct findings *found);

/* After the last message, compare with the accounts of the producers. */
void check_accounts(struct findings *found);

/* Is nothing damaged or duplicated, and are all accounts right? */
bool is_right(const struct findings *found);

/* Print in one line what is missing in @topic. Returns EXIT_OK or EXIT_NOT_CLEAN. */
int tell_missing(const struct findings *found, const char *topic);
void free_findings(struct findings *found);

#endif /* ZIO_KAFKA_CHECK_H */
