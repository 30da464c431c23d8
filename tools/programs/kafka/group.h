/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups: the blocks of an event keep together. */
#ifndef ZIO_KAFKA_GROUP_H
#define ZIO_KAFKA_GROUP_H

#include "account.h"

/**
 * struct group - sources whose blocks are sent event by event
 * @stream: its messages; the key is the name of the group
 * @n: number of the sources
 * @names: their channels; until a source has given a block, what the user has named
 * @events: number of events so far
 * @stats: what libzio has counted, at the last line of statistics
 */
struct group {
	struct stream stream;
	unsigned int n;
	char (*names)[ADDRESS_LEN];
	uint64_t events;
	struct zio_group_stats stats;
};

/**
 * struct parts - what some events have of their sources, as text
 *
 * An event is a word with a letter for each source. "+" before it marks a late event.
 * "*N" after it stands for N equal events.
 */
struct parts {
	char *text;
	size_t len;
	size_t room;
	size_t last;		/* where the last word begins */
	uint32_t repeats;	/* of the last word */
};

/* The letter of a block that is there; others are in group.c. */
#define PART_BLOCK 'B'

void add_event(struct parts *parts, const struct zio_event *ev);

/* Return the text, which is valid until the next call. */
const char *parts_text(struct parts *parts);

/* Get the next event of a text, and how often it is there; false at the end. */
bool next_parts(const char **at, const char **word, size_t *len, uint64_t *repeats);

/* Return the names of the sources with blanks between, which the caller frees. */
char *names_text(const struct group *group);

#endif /* ZIO_KAFKA_GROUP_H */
