/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error.h: faults of channels, and their texts */
#ifndef LIBZIO_ERROR_H
#define LIBZIO_ERROR_H

#include "libzio/zio.h"

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
	ZIO_FAULT_NO_BLOCK,
	ZIO_FAULT_FILE_CONTROL,
	ZIO_FAULT_SHARE,
	ZIO_FAULT_SUBMIT,
	ZIO_FAULT_NOT_SHARED,
	ZIO_FAULT_FLUSH,
	ZIO_FAULT_FLUSH_FILE,
	ZIO_FAULT_KEEP,
};

/* Record the fault, set errno to @code, return -1. */
int zio_fail(struct zio_channel *ch, enum zio_fault fault, int code);

/* Fail with EINVAL because an argument is NULL, possibly @ch itself. */
int zio_fail_null(struct zio_channel *ch);

/* Describe a failed zio_open() in @err, and set errno. */
void zio_explain_open(struct zio_error *err, int code, const char *path,
		      bool output);
void zio_explain_method(struct zio_error *err, int code, const char *path,
			const char *method);
void zio_explain_tail(struct zio_error *err, const char *path, uint64_t whole,
		      uint64_t all);
void zio_explain_missing(struct zio_error *err, const char *name,
			 const char *dirs);

#endif /* LIBZIO_ERROR_H */
