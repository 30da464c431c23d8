/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* channel.h: a channel, for the files of libzio that transfer blocks */
#ifndef LIBZIO_CHANNEL_H
#define LIBZIO_CHANNEL_H

#include <sys/types.h>

#include "libzio/control/control.h"
#include "error.h"
#include "method.h"
#include "set.h"

/* What the next call on the channel transfers */
enum zio_stage {
	ZIO_STAGE_CONTROL,	/* a control */
	ZIO_STAGE_HAS_CONTROL,	/* the data of that control, or the next control */
	ZIO_STAGE_DATA,		/* the rest of the data */
	ZIO_STAGE_SKIP,		/* data of a file that the caller does not read */
	ZIO_STAGE_LOST,		/* nothing: no block of the file begins here */
};

struct zio_mapping {
	uint8_t *mem;
	size_t size;
};

/* The mapping of the data of a ring */
struct zio_area {
	const uint8_t *mem;	/* NULL: not mapped */
	size_t size;
	size_t limit;		/* largest block on the fast path; 0: none */
};

/* A control ring. Without a ring, @next always equals @head. */
struct zio_ring {
	struct zio_ring_header *hdr;	/* NULL: no ring */
	const uint8_t *slots;
	uint32_t next;		/* number of the next block */
	uint32_t head;		/* zio_next() may take blocks before this number */
	uint32_t mask;
	uint32_t slot_size;
	uint32_t seen_head;	/* the head last read from the kernel */
	uint32_t keep_at;	/* number of the oldest block to keep */
	bool keeps;		/* zio_keep() was called */
};

/* The set that owns the ring, with its hooks before a look at the ring and a close */
struct zio_of_set {
	struct zio_set *set;	/* NULL: none */
	void (*turn)(struct zio_set *set);
	void (*leave)(struct zio_channel *ch);
};

struct zio_file {
	char *name;		/* as the caller passed it; NULL: not a block file */
	uint64_t at_byte;	/* offset of the block */
	bool reads_ahead;
	uint8_t *ahead;		/* bytes read ahead */
	size_t at;		/* the first one not yet used */
	size_t n;
};

/* An error for the next zio_next_batch() to return; code 0: none. */
struct zio_late {
	int code;
	enum zio_fault fault;
};

struct zio_channel {
	/* zio_next() reads these for each block of a ring. */
	struct zio_ring ring;
	struct zio_area data;
	struct zio_sequences seq;
	struct zio_stats stats;

	const struct zio_channel_ops *ops;	/* of the method; NULL during open */
	struct zio_of_set of_set;
	struct zio_mapping map_hdr, map_slots, map_data;
	bool output;
	bool nonblock;
	bool mixed;		/* may mix blocks of several channels */
	struct zio_control control;
	const struct zio_control *current;	/* control of the block in use */
	enum zio_stage stage;
	size_t done;		/* bytes of the control or the data already transferred */
	size_t size;		/* bytes of data of the block in use */
	size_t max_block;
	uint32_t lost;
	int ctrl_fd;
	int data_fd;
	int interrupt_fd;	/* an eventfd; zio_interrupt() makes it readable */
	pid_t owner_pid;	/* the process that takes the blocks */
	void *mem;		/* grows to fit the largest block */
	size_t mem_size;
	void *to;		/* where to read the data */
	struct zio_file file;
	struct zio_late late;
	struct zio_sharing sharing;
	char *ctrl_path;
	char *data_path;
	struct zio_group *group;	/* NULL: none */
	void (*leave_group)(struct zio_channel *ch);
	enum zio_fault fault;
	int fault_errno;
	struct zio_error error;
};

/* --- poll.c */

/*
 * After a failed call on @fd: should the caller retry? Waits for @events first, unless
 * the channel is non-blocking. If the answer is no, errno describes the failure.
 */
bool zio_wait_to_retry(struct zio_channel *ch, int fd, short events);

/* --- node.c */

/* Map part of @fd. Returns 0, or -1 with errno. */
int zio_map(struct zio_mapping *map, int fd, size_t offset, size_t size, int prot);
void zio_unmap(struct zio_mapping *map);

/* Map the whole data node for reading. Returns 0, or -1 with errno. */
int zio_map_data(struct zio_channel *ch);

int zio_open_node(const char *path, int mode, int flags);
int zio_open_nodes(struct zio_channel *ch, int ctrl_mode, int data_mode, int flags);

/*
 * Unmap and close the nodes. Returns 0; -1 with the errno of the data node, else of the
 * control node.
 */
int zio_close_nodes(struct zio_channel *ch);

/* Drop the finished blocks in the kernel. Returns 0, or -1 with errno. */
int zio_flush_node(struct zio_channel *ch);

/* --- block.c */

/* Check ch->control, and set ch->size. */
int zio_check_control(struct zio_channel *ch);
void zio_count_block(struct zio_channel *ch);

/* Grow ch->mem to at least @size bytes; its contents are lost. */
int zio_grow_mem(struct zio_channel *ch, size_t size);

/* --- batch.c */
void zio_note_late_error(struct zio_channel *ch);

/* Read a regular file in large pieces. */
int zio_batch_from_file(struct zio_batch *b);

/* --- read.c: operations of channels that use read() */
int zio_read_next(struct zio_channel *ch, struct zio_block *blk);
int zio_read_control(struct zio_channel *ch, struct zio_block *blk);
int zio_read_data(struct zio_channel *ch, struct zio_block *blk);
int zio_read_next_into(struct zio_channel *ch, struct zio_block *blk, void *mem,
		       size_t size);
int zio_read_into_room(struct zio_channel *ch, struct zio_block *blk, uint8_t *mem,
		       size_t room);

/* --- ahead.c: bytes of a file that were read ahead */

/* Like read(), but through the bytes that were read ahead. */
ssize_t zio_read_ahead(struct zio_channel *ch, void *to, size_t size);

/* Drop what was read ahead: set the offset of the file to the next byte to read. */
int zio_give_back(struct zio_channel *ch);

/* --- file.c: block files */
bool zio_is_file_name(const char *path, int flags);
int zio_open_file(struct zio_channel *ch, int flags, struct zio_error *err);

/* Skip the data of the block in use by reading them. */
int zio_read_over(struct zio_channel *ch);

/* --- tap.c */
int zio_open_tap(struct zio_channel *ch, int flags, struct zio_error *err);

/* --- method.c: open the nodes with the first allowed method that they offer. */
int zio_open_methods(struct zio_channel *ch, int flags, struct zio_error *err);

/* --- ring.c */

/* Return the blocks to the kernel that the caller does not keep. */
void zio_ring_pass(struct zio_channel *ch);

/* Fill in @blk from @control, with its data. */
int zio_ring_whole(struct zio_channel *ch, struct zio_block *blk,
		   const struct zio_control *control);

#endif /* LIBZIO_CHANNEL_H */
