/* SPDX-License-Identifier: GPL-2.0-only */
/* Keep blocks on the local disk until the broker has them. */
#ifndef ZIO_KAFKA_SPOOL_H
#define ZIO_KAFKA_SPOOL_H

#include "mark.h"
#include "message.h"

/**
 * struct spool - a block file with the blocks that the broker may not have
 * @file: its path, without links; NULL if the user wants no spool
 * @mark: records for the next run what the broker has; also the lock
 * @sent: the broker has all blocks before this byte of the file
 * @at: blocks before this byte are in messages, or the broker has them
 * @size: of the file, up to its last whole block
 * @earlier: blocks before this byte are from an earlier run
 * @is_failing: the spool takes no blocks, and the user was told
 */
struct spool {
	char *file;
	struct mark mark;
	struct zio_channel *out;
	struct zio_channel *in;
	off_t sent;
	off_t at;
	off_t size;
	off_t earlier;
	bool is_failing;
	bool is_unreadable;
	bool is_dirty;		/* some of it may not be on disk yet */
	double next_sync;	/* by seconds_now(), like those below */
	double next_look;	/* at what the broker has */
	double next_try;	/* to append blocks, after an error */
};

/* Open and lock the file, and count what an earlier run left. Returns -1 after a message. */
int open_spool(struct spool *spool, const char *file);

/* Does the spool have blocks that are not in a message? */
bool has_blocks(const struct spool *spool);

/* Append a block. Returns -1 after a message if the disk has no room. */
int spool_block(struct spool *spool, const struct zio_control *control,
		const void *data, size_t size);

/*
 * Append the blocks of a message, which stays as it is. All blocks of the spool must be in
 * messages: any other would be newer. Returns -1 after a message if the disk has no room.
 */
int spool_message(struct spool *spool, struct message *msg);

/* Get the oldest block not in a message. Returns 1; 0 if there is none; -1 after a message. */
int next_spooled(struct spool *spool, struct zio_block *blk, struct origin *origin);

/* Record that the broker has all blocks before @sent. Empty the spool if it has no others. */
void release_spool(struct spool *spool, off_t sent);

/*
 * Sync the file a second after a write, to bound what a power failure loses. Returns when
 * this is due again, by seconds_now().
 */
double sync_spool(struct spool *spool, double now);

/* Remove the file if it is empty. */
void close_spool(struct spool *spool);

#endif /* ZIO_KAFKA_SPOOL_H */
