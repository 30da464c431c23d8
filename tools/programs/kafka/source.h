/* SPDX-License-Identifier: GPL-2.0-only */
/* Sources of put: channels and block files, one by one or as a group. */
#ifndef ZIO_KAFKA_SOURCE_H
#define ZIO_KAFKA_SOURCE_H

#include <poll.h>

#include "group.h"
#include "put.h"

/**
 * struct source - a channel or block file
 * @ch: NULL once it is closed
 * @account: of its last block, in a group
 * @memory: for the blocks of a batch, @room bytes
 * @is_at_end: no more blocks will come
 * @has_block: may have a block; false only if it is known to have none
 */
struct source {
	struct zio_channel *ch;
	struct account *account;
	void *memory;
	size_t room;
	bool is_at_end;
	bool has_block;
};

/**
 * struct sources - all sources
 * @list: @n of them
 * @events: reads them event by event; NULL to read them one by one
 * @has_event: @events may have an event; false only if it is known to have none
 * @is_at_end: every source is at its end
 * @has_failed: a source has failed, and the user was told
 */
struct sources {
	struct source *list;
	int n;
	struct zio_group *events;
	bool has_event;
	bool is_at_end;
	bool has_failed;
};

/* Open the user's sources, and @group if not NULL. Returns 0, or -1 after a message. */
int open_sources(struct sources *src, const struct put_settings *set, struct group *group);
void close_sources(struct sources *src);

/*
 * Read at most @n blocks of a source, valid until the next call. Returns their number; 0 if
 * there is no block now or the source has ended. If an error ended it, prints a message.
 */
unsigned int next_blocks(struct sources *src, struct source *from, unsigned int n,
			 struct zio_block *blks);

/* Get the next event of the group. Returns false if there is none now, or at the end. */
bool next_event(struct sources *src, struct zio_event *ev);

/* Complete pending events without waiting for missing sources. */
void hurry_events(struct sources *src);

/* Close the sources of a group. Blocks read but not delivered count as lost. */
void leave_events(struct sources *src);

/* May any source have a block? */
bool has_ready_source(const struct sources *src);

/* Fill in the descriptors to poll. Returns their number, at most @n of struct sources. */
int poll_sources(const struct sources *src, struct pollfd *fds);

#endif /* ZIO_KAFKA_SOURCE_H */
