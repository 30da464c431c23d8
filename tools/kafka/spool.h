/* SPDX-License-Identifier: GPL-2.0-only */
/* Blocks on the local disk while the broker is away. */
#ifndef ZIO_KAFKA_SPOOL_H
#define ZIO_KAFKA_SPOOL_H

#include "message.h"

struct spool {
	const char *file;
	struct zio_channel *out;
	struct zio_channel *in;
	uint64_t written;	/* blocks in the file */
	uint64_t drained;	/* blocks of them that were sent */
	uint64_t earlier;	/* blocks of them from an earlier run */
	off_t size;		/* of the file, up to its last whole block */
	bool is_failing;	/* the user knows */
	bool is_unreadable;
};

/* Open the file and count what an earlier run has left; 0, or -1 after a message. */
int open_spool(struct spool *spool);
bool has_blocks(const struct spool *spool);

/* Append a block; -1 after a message, if there is no room. */
int spool_block(struct spool *spool, const struct zio_control *control,
		const void *data, size_t size);

/* Get the oldest block: 1; 0 there is none; -1 after a message. */
int next_spooled(struct spool *spool, struct zio_block *blk, bool *again);

/* Put these messages before all blocks of the file; 0, or -1 after a message. */
int return_to_spool(struct spool *spool, const struct message *first);
void close_spool(struct spool *spool);

#endif /* ZIO_KAFKA_SPOOL_H */
