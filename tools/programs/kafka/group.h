/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups: keep the blocks of an event together. */
#ifndef ZIO_KAFKA_GROUP_H
#define ZIO_KAFKA_GROUP_H

#include "account.h"

/**
 * struct group - sources whose blocks are sent event by event
 * @stream: its messages; the key is the name of the group
 * @n: number of sources
 * @names: their channels; before the first block of a source, the name that the user gave
 * @events: number of events so far
 * @stats: the counts of libzio at the last line of statistics
 */
struct group {
	struct stream stream;
	unsigned int n;
	char (*names)[ADDRESS_LEN];
	uint64_t events;
	struct zio_group_stats stats;
};

/**
 * struct parts - which sources contributed to some events, as text
 *
 * Each event is a word with one letter per source. A leading "+" marks a late event. "*N" at
 * the end repeats a word for N equal events.
 */
struct parts {
	char *text;
	size_t len;
	size_t room;
	size_t last;		/* start of the last word */
	uint32_t repeats;	/* of the last word */
};

/* The letter for a block; the other letters are in group.c. */
#define PART_BLOCK 'B'

void add_event(struct parts *parts, const struct zio_event *ev);

/* Return the text, which is valid until the next call. */
const char *parts_text(struct parts *parts);

/* Get the next event of a text and how often it repeats. Returns false at the end. */
bool next_parts(const char **at, const char **word, size_t *len, uint64_t *repeats);

/* Return the names of the sources, separated by blanks. The caller frees them. */
char *names_text(const struct group *group);

#endif /* ZIO_KAFKA_GROUP_H */
