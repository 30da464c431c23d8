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
 * @is_at_end: it gives no more blocks
 * @has_block: it is not known to have none
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
 * @events: reads them event by event; NULL: one by one
 * @has_event: @events is not known to have none
 * @is_at_end: all are at their ends
 * @has_failed: after a message
 */
struct sources {
	struct source *list;
	int n;
	struct zio_group *events;
	bool has_event;
	bool is_at_end;
	bool has_failed;
};

/* Open what the user has named, and @group, if there is one; 0, or -1 after a message. */
int open_sources(struct sources *src, const struct put_settings *set, struct group *group);
void close_sources(struct sources *src);

/*
 * Read at most @n blocks of a source. Return their number; 0: none now, or at the end,
 * which a message tells if it is an error. They are valid until the next call.
 */
unsigned int next_blocks(struct sources *src, struct source *from, unsigned int n,
			 struct zio_block *blks);

/* Get the next event of the group; false: none now, or at the end. */
bool next_event(struct sources *src, struct zio_event *ev);

/* Let no event wait any longer for a source. */
void hurry_events(struct sources *src);

/* Close the sources of a group. What it had read and not given counts as lost. */
void leave_events(struct sources *src);

/* Is a source not known to have no block? */
bool has_ready_source(const struct sources *src);

/* Put the descriptors to poll; return their number, at most @n of struct sources. */
int poll_sources(const struct sources *src, struct pollfd *fds);

#endif /* ZIO_KAFKA_SOURCE_H */
