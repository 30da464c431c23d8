/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of libzio share with each other. */
#ifndef LIBZIO_INTERNAL_H
#define LIBZIO_INTERNAL_H

#include <sys/types.h>

#include "zio.h"

#define zio_unlikely(x) __builtin_expect(!!(x), 0)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ZIO_NATIVE ZIO_CONTROL_LITTLE_ENDIAN
#else
#define ZIO_NATIVE ZIO_CONTROL_BIG_ENDIAN
#endif

/* Where in a block the channel stands. */
enum zio_stage {
	ZIO_STAGE_CONTROL,	/* the next thing to move is a control */
	ZIO_STAGE_OFFERED,	/* control read, data not asked for */
	ZIO_STAGE_DATA,		/* data under way */
	ZIO_STAGE_SKIP,		/* data of a file that nobody wants */
	ZIO_STAGE_LOST,		/* a file in which no block can be found */
};

/* What failed; error.c has the words. */
enum zio_fault {
	ZIO_FAULT_NONE,
	ZIO_FAULT_WAIT,
	ZIO_FAULT_DRIVER,
	ZIO_FAULT_RING,
	ZIO_FAULT_PLACE,
	ZIO_FAULT_READ_CONTROL,
	ZIO_FAULT_READ_DATA,
	ZIO_FAULT_WRITE_CONTROL,
	ZIO_FAULT_WRITE_DATA,
	ZIO_FAULT_SHORT_CONTROL,
	ZIO_FAULT_SHORT_DATA,
	ZIO_FAULT_VERSION,
	ZIO_FAULT_ENDIAN,
	ZIO_FAULT_SSIZE,
	ZIO_FAULT_SIZE,
	ZIO_FAULT_LIMIT,
	ZIO_FAULT_MEMORY,
	ZIO_FAULT_CALLER_SIZE,
	ZIO_FAULT_MEM_CHANGED,
	ZIO_FAULT_DIRECTION,
	ZIO_FAULT_NO_DATA_NODE,
	ZIO_FAULT_NO_CONTROL,
	ZIO_FAULT_LENGTH,
	ZIO_FAULT_BLOCK_SIZE,
	ZIO_FAULT_RESERVED,
	ZIO_FAULT_NOT_RESERVED,
	ZIO_FAULT_NO_BLOCK,
	ZIO_FAULT_FILE_CONTROL,
	ZIO_FAULT_SHARE,
	ZIO_FAULT_SUBMIT,
	ZIO_FAULT_NOT_SHARED,
	ZIO_FAULT_SPLICE_WAY,
	ZIO_FAULT_PIPE,
};

/* How blocks come, or go. */
enum zio_way {
	ZIO_WAY_READ,		/* by read() and write() */
	ZIO_WAY_MMAP,		/* controls so, data in the mapping */
	ZIO_WAY_RING,		/* both in mappings */
};

struct zio_mapping {
	uint8_t *mem;
	size_t size;
};

struct zio_channel {
	/* What zio_next() looks at for each block of a ring. */
	struct zio_ring_header *hdr;	/* NULL: not a ring */
	const uint8_t *slots;
	const uint8_t *data;		/* mapped; NULL: not so */
	size_t data_size;
	size_t limit;		/* of bytes; 0: go the long way */
	uint32_t next;		/* the block to be given out */
	uint32_t head;		/* as far as the kernel was when last asked */
	uint32_t mask;
	uint32_t slot_size;
	uint32_t expected;	/* sequence number, if seq_known */
	bool seq_known;
	bool output;
	bool nonblock;
	bool file;		/* of blocks */
	bool stream;		/* one that cannot be sought in */
	enum zio_way way;
	struct zio_stats stats;

	struct zio_control control;
	const struct zio_control *at;	/* the one given out */
	const uint8_t *place;		/* of its data, if mapped */
	enum zio_stage stage;
	size_t done;		/* bytes moved of the control or data */
	size_t size;		/* bytes of data of this block */
	size_t max_block;
	bool reserved;
	uint32_t lost;
	int ctrl_fd;
	int data_fd;
	int stop_fd;		/* zio_interrupt() makes it readable */
	pid_t user;		/* who takes the blocks */
	void *mem;		/* grows to the largest block */
	size_t mem_size;
	void *to;		/* where the data under way go */
	struct zio_control *batch;
	unsigned int batch_size;
	unsigned int batch_at;
	unsigned int batch_n;
	unsigned int given;	/* a bit for each that zio_submit() gave away */
	int pipe[2];		/* zio_splice(), between the two */
	size_t piped;		/* bytes in it */
	struct zio_sharing sharing;
	uint64_t at_byte;	/* where the block begins in the file */
	struct zio_mapping map_hdr, map_slots, map_data;
	char *ctrl_path;
	char *data_path;
	char *file_name;	/* as it was given; NULL: not a file */
	enum zio_fault fault;
	int fault_errno;
	struct zio_error error;
};

/* Remember why, set errno, return -1. */
int zio_fail(struct zio_channel *ch, enum zio_fault fault, int code);

/* file.c */
bool zio_is_file_name(const char *path, int flags);
int zio_open_file(struct zio_channel *ch, int flags, struct zio_error *err);
int zio_wait_stream(struct zio_channel *ch);
int zio_check_mark(struct zio_channel *ch);
int zio_skip_data(struct zio_channel *ch);

/* open.c */
int zio_open_node(const char *path, int mode, int flags);
bool zio_is_channel_name(const char *name);
void zio_close_nodes(struct zio_channel *ch);

/* method.c: opens both nodes, by the best of the allowed methods. */
int zio_open_methods(struct zio_channel *ch, int flags, struct zio_error *err);
void zio_unmap(struct zio_channel *ch);

/* read.c */
int zio_check_control(struct zio_channel *ch);
void zio_count_block(struct zio_channel *ch);
int zio_want_mem(struct zio_channel *ch, size_t size);

int zio_plain_next(struct zio_channel *ch, struct zio_block *blk);

/* mapped.c: blocks whose data are in the mapping */
int zio_mapped_control(struct zio_channel *ch, struct zio_block *blk);
int zio_mapped_next(struct zio_channel *ch, struct zio_block *blk);
int zio_mapped_into(struct zio_channel *ch, struct zio_block *blk, void *mem,
		    size_t size);
int zio_mapped_data(struct zio_channel *ch, struct zio_block *blk);
int zio_mapped_whole(struct zio_channel *ch, struct zio_block *blk,
		     const struct zio_control *control);

void zio_mapped_leave(struct zio_channel *ch);
int zio_find_place(struct zio_channel *ch);

/* write.c */
int zio_begin_block(struct zio_channel *ch, const struct zio_control *control);
void zio_end_block(struct zio_channel *ch, size_t size);
int zio_check_block(struct zio_channel *ch, const struct zio_control *control,
		    size_t size);

/* ring.c */
const struct zio_control *zio_ring_control(struct zio_channel *ch);
void zio_ring_leave(struct zio_channel *ch);

/* Put words to a failed open(). */
void zio_explain_open(struct zio_error *err, int code, const char *path,
		      bool output);
void zio_explain_method(struct zio_error *err, int code, const char *path,
			const char *method);
void zio_explain_tail(struct zio_error *err, const char *path, uint64_t whole,
		      uint64_t all);
void zio_explain_missing(struct zio_error *err, const char *name,
			 const char *dirs);

#endif /* LIBZIO_INTERNAL_H */
