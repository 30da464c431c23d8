/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of libzio share with each other. */
#ifndef LIBZIO_INTERNAL_H
#define LIBZIO_INTERNAL_H

#include "zio.h"

/* Where in a block the channel stands. */
enum zio_stage {
	ZIO_STAGE_CONTROL,	/* the next thing to move is a control */
	ZIO_STAGE_OFFERED,	/* control read, data not asked for */
	ZIO_STAGE_DATA,		/* data under way */
};

/* What failed; error.c has the words. */
enum zio_fault {
	ZIO_FAULT_NONE,
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
};

struct zio_channel {
	struct zio_control control;
	enum zio_stage stage;
	size_t done;		/* bytes moved of the control or data */
	size_t size;		/* bytes of data of this block */
	uint32_t lost;
	uint32_t seq;
	bool seq_known;
	bool output;
	int ctrl_fd;
	int data_fd;
	void *mem;		/* grows to the largest block */
	size_t mem_size;
	void *to;		/* where the data under way go */
	size_t max_block;
	struct zio_stats stats;
	char *ctrl_path;
	char *data_path;
	enum zio_fault fault;
	int fault_errno;
	struct zio_error error;
};

/* Remember why, set errno, return -1. */
int zio_fail(struct zio_channel *ch, enum zio_fault fault, int code);

/* Put words to a failed open(). */
void zio_explain_open(struct zio_error *err, int code, const char *path,
		      bool output);
void zio_explain_missing(struct zio_error *err, const char *name,
			 const char *dirs);

#endif /* LIBZIO_INTERNAL_H */
