/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations that the files of libzio share. */
#ifndef LIBZIO_INTERNAL_H
#define LIBZIO_INTERNAL_H

#include <sys/types.h>

#include "base.h"
#include "control.h"

/* What the next call on the channel transfers. */
enum zio_stage {
	ZIO_STAGE_CONTROL,	/* a control */
	ZIO_STAGE_HAS_CONTROL,	/* the data of that control, or the next control */
	ZIO_STAGE_DATA,		/* the rest of the data */
	ZIO_STAGE_SKIP,		/* data of a file that the caller does not read */
	ZIO_STAGE_LOST,		/* nothing: no block begins here in the file */
};

/* The step that failed; error.c has the texts. */
enum zio_fault {
	ZIO_FAULT_NONE,
	ZIO_FAULT_END,
	ZIO_FAULT_NULL,
	ZIO_FAULT_FLAGS,
	ZIO_FAULT_INTERRUPT,
	ZIO_FAULT_WAIT,
	ZIO_FAULT_DRIVER,
	ZIO_FAULT_RING,
	ZIO_FAULT_OFFSET,
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
	ZIO_FAULT_SPLICE_MAPPED,
	ZIO_FAULT_PIPE,
	ZIO_FAULT_FLUSH,
	ZIO_FAULT_FLUSH_FILE,
	ZIO_FAULT_KEEP,
};

enum zio_method_id {
	ZIO_METHOD_READ,	/* read() and write() */
	ZIO_METHOD_MMAP,	/* read() and write() of controls; mapped data */
	ZIO_METHOD_RING,	/* mappings for both */
};

struct zio_mapping {
	uint8_t *mem;
	size_t size;
};

struct zio_channel {
	/* zio_next() reads these for each block of a ring. */
	struct zio_ring_header *hdr;	/* NULL: not a ring */
	const uint8_t *slots;
	const uint8_t *data;		/* mapped data; NULL: not mapped */
	size_t data_size;
	size_t limit;		/* largest block on the fast path; 0: none */
	uint32_t next;		/* number of the next block */
	uint32_t head;		/* zio_next() may take blocks up to this number */
	uint32_t mask;
	uint32_t slot_size;
	struct zio_sequences seq;
	bool output;
	bool nonblock;
	bool file;		/* a block file */
	bool stream;		/* a block file that cannot seek */
	bool tap;		/* both descriptors are one file, as for a block file */
	enum zio_method_id method;
	struct zio_stats stats;

	uint32_t seen_head;	/* the head that was last read from the kernel */
	uint32_t keep_at;	/* number of the oldest block to keep */
	bool keeps;		/* zio_keep() was called */
	int late_errno;		/* an error that zio_next_batch() returns later; or 0 */
	enum zio_fault late_fault;
	struct zio_control control;
	const struct zio_control *current;	/* control of the block in use */
	const uint8_t *mapped;	/* data of that block, in the mapping or mem */
	enum zio_stage stage;
	size_t done;		/* bytes transferred of the control or the data */
	size_t size;		/* bytes of data of the block in use */
	size_t max_block;
	bool reserved;
	uint32_t lost;
	bool mixed;		/* it may have blocks of several channels */
	int ctrl_fd;
	int data_fd;
	int interrupt_fd;	/* an eventfd; zio_interrupt() makes it readable */
	pid_t owner_pid;	/* the process that takes the blocks */
	void *mem;		/* grows to the size of the largest block */
	size_t mem_size;
	void *to;		/* where the data are read to; NULL: to a pipe */
	struct zio_control *batch;
	unsigned int batch_size;
	unsigned int batch_at;
	unsigned int batch_n;
	unsigned int submitted;	/* bit mask: blocks of the batch that left the input */
	int pipe[2];		/* of zio_splice() */
	size_t piped;		/* bytes in the pipe */
	struct zio_sharing sharing;
	uint64_t at_byte;	/* offset of the block in the file */
	struct zio_mapping map_hdr, map_slots, map_data;
	char *ctrl_path;
	char *data_path;
	char *file_name;	/* of a block file, as the caller gave it */
	struct zio_group *group;	/* NULL: none */
	void (*leave_group)(struct zio_channel *ch);
	struct zio_set *set;	/* whose ring has its blocks; NULL: none */
	enum zio_fault fault;
	int fault_errno;
	struct zio_error error;
};

/* Record the fault, set errno to @code, return -1. */
int zio_fail(struct zio_channel *ch, enum zio_fault fault, int code);

/* Fail with EINVAL because an argument is NULL; @ch may be NULL, too. */
int zio_fail_null(struct zio_channel *ch);

/* --- poll.c */

/*
 * After a failed call on @fd: shall the caller try it again? Waits for @events first,
 * unless the channel is non-blocking. If not, errno is that of the failure.
 */
bool zio_wait_to_retry(struct zio_channel *ch, int fd, short events);

/* --- file.c: block files. Functions return 0, or -1 with errno. */
bool zio_is_file_name(const char *path, int flags);
int zio_open_file(struct zio_channel *ch, int flags, struct zio_error *err);

/* --- tap.c */
int zio_open_tap(struct zio_channel *ch, int flags, struct zio_error *err);

/* Wait until the stream can be read; EAGAIN if it must not wait, or was interrupted. */
int zio_wait_stream(struct zio_channel *ch);

/* Check that ch->control has exactly one of the endianness flags. */
int zio_check_endian_mark(struct zio_channel *ch);

/* Continue behind the data of the block in use. */
int zio_skip_data(struct zio_channel *ch);

/* --- open.c */

int zio_open_node(const char *path, int mode, int flags);

/* Return true if @name has the form of a channel name, or of a node. */
bool zio_is_channel_name(const char *name);

/* Close the nodes for another try; errno is unchanged. */
void zio_close_nodes(struct zio_channel *ch);

/* --- method.c: open and map the nodes by the first allowed method they offer. */
int zio_open_methods(struct zio_channel *ch, int flags, struct zio_error *err);
void zio_unmap(struct zio_channel *ch);

/* --- read.c */
/* Check ch->control, and set ch->size. */
int zio_check_control(struct zio_channel *ch);
void zio_count_block(struct zio_channel *ch);
/* Make ch->mem at least @size bytes; its contents are lost. */
int zio_grow_mem(struct zio_channel *ch, size_t size);

/*
 * Read a block, its control and its data, to @mem. If there is less @room, EMSGSIZE: @blk
 * has the size, and the next call gives the block. A part of a block stays in the library.
 */
int zio_read_into(struct zio_channel *ch, struct zio_block *blk, uint8_t *mem, size_t room);

/* zio_next() of a channel that has no ring. */
int zio_plain_next(struct zio_channel *ch, struct zio_block *blk);

/* --- mapped.c: the functions of zio.h for channels with mapped data */
int zio_mapped_control(struct zio_channel *ch, struct zio_block *blk);
int zio_mapped_next(struct zio_channel *ch, struct zio_block *blk);
int zio_mapped_into(struct zio_channel *ch, struct zio_block *blk, void *mem,
		    size_t size);
int zio_mapped_data(struct zio_channel *ch, struct zio_block *blk);

/* As zio_read_into() */
int zio_mapped_into_room(struct zio_channel *ch, struct zio_block *blk, uint8_t *mem,
			 size_t room);

/* Give out the block of @control with its data. */
int zio_mapped_whole(struct zio_channel *ch, struct zio_block *blk,
		     const struct zio_control *control);

/* Return the blocks in use to the kernel, before a close. */
void zio_mapped_release(struct zio_channel *ch);

/* Set ch->mapped to the data of ch->control; EPROTO if they are not in the mapping. */
int zio_locate_data(struct zio_channel *ch);

/* --- write.c */

/* Write the control, unless it is already written. */
int zio_begin_block(struct zio_channel *ch, const struct zio_control *control);
void zio_end_block(struct zio_channel *ch, size_t size);

/* Check that the channel takes a block of @size bytes with @control. */
int zio_check_block(struct zio_channel *ch, const struct zio_control *control,
		    size_t size);

/* --- ring.c */

/* Release the block in use, wait for the next one; NULL with errno. */
const struct zio_control *zio_ring_control(struct zio_channel *ch);
void zio_ring_release(struct zio_channel *ch);

/* As zio_next(), for a ring. */
int zio_ring_next(struct zio_channel *ch, struct zio_block *blk);

/* Release the block in use. */
void zio_ring_pass(struct zio_channel *ch);

/* Pass all blocks that are in the ring, and release those that are not kept. */
void zio_ring_skip(struct zio_channel *ch);

/* The next control that is in the ring; NULL if there is none. Releases no block. */
const struct zio_control *zio_ring_another(struct zio_channel *ch);

/* Give out the block of @control with its data. Returns as zio_next(). */
int zio_ring_show(struct zio_channel *ch, struct zio_block *blk,
		  const struct zio_control *control);

/* Release the block in use; is there another one? */
bool zio_ring_has_block(struct zio_channel *ch);

/* --- error.c: describe a failed zio_open() in @err, and set errno. */
void zio_explain_open(struct zio_error *err, int code, const char *path,
		      bool output);
void zio_explain_method(struct zio_error *err, int code, const char *path,
			const char *method);
void zio_explain_tail(struct zio_error *err, const char *path, uint64_t whole,
		      uint64_t all);
void zio_explain_missing(struct zio_error *err, const char *name,
			 const char *dirs);

#endif /* LIBZIO_INTERNAL_H */
