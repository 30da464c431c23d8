/* SPDX-License-Identifier: GPL-2.0-only */
/* Blocks on the local disk until the broker has them. */
#ifndef ZIO_KAFKA_SPOOL_H
#define ZIO_KAFKA_SPOOL_H

#include "mark.h"
#include "message.h"

/**
 * struct spool - a block file with the blocks that the broker may not have
 * @file: its path, without links; NULL: there is none
 * @mark: tells the next run what the broker has; also the lock
 * @sent: the broker has all blocks before this byte of the file
 * @at: the blocks before it are in messages, or the broker has them
 * @size: of the file, up to its last whole block
 * @earlier: the blocks before it are of an earlier run
 * @is_failing: the user knows that it takes no blocks
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
	bool is_dirty;		/* the disk may not have all of it */
	double next_sync;	/* by seconds_now(), as the others */
	double next_look;	/* for what the broker has */
	double next_try;	/* to append blocks, after an error */
};

/* Open and lock the file, and count what an earlier run has left; -1 after a message. */
int open_spool(struct spool *spool, const char *file);

/* Has it blocks that are in no message? */
bool has_blocks(const struct spool *spool);

/* Append a block; -1 after a message, if there is no room. */
int spool_block(struct spool *spool, const struct zio_control *control,
		const void *data, size_t size);

/*
 * Append the blocks of a message, which stays as it is. The spool has no blocks that are in
 * no message: they would be newer. Returns -1 after a message, if there is no room.
 */
int spool_message(struct spool *spool, struct message *msg);

/* Get the oldest block that is in no message: 1; 0 there is none; -1 after a message. */
int next_spooled(struct spool *spool, struct zio_block *blk, struct origin *origin);

/* The broker has all blocks before @sent. A spool without other blocks becomes empty. */
void release_spool(struct spool *spool, off_t sent);

/*
 * Write to the disk what is not there for a second; a power failure loses no more. Returns
 * when this is due again, by seconds_now().
 */
double sync_spool(struct spool *spool, double now);

/* Remove the file if it is empty. */
void close_spool(struct spool *spool);

#endif /* ZIO_KAFKA_SPOOL_H */
