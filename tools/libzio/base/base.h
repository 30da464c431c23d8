/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* base.h: texts, faults and waits, for all files of libzio */
#ifndef LIBZIO_BASE_H
#define LIBZIO_BASE_H

#include "libzio/zio.h"

#define zio_unlikely(x) __builtin_expect(!!(x), 0)

/* --- text.c */

/* Like asprintf(), but returns the text, which the caller frees, or NULL. */
char *zio_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Does @text consist of one or more digits? */
bool zio_is_digits(const char *text);

/* --- fault.c */

/* Set errno to EINVAL because an argument is NULL. Returns -1. */
int zio_refuse_null(void);

/* Describe a failure in @err, which may be NULL; set errno to @code. Returns -1. */
int zio_explain(struct zio_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for ENOMEM, or for an argument that is NULL. */
int zio_explain_memory(struct zio_error *err);
int zio_explain_null(struct zio_error *err);

/* --- wait.c */

/*
 * Wait for @events of @fd, at most @timeout milliseconds, or without limit if it is -1.
 * Returns the events; 0 on timeout; -1 with errno: EAGAIN if @interrupt_fd is readable.
 */
int zio_poll(int fd, short events, int interrupt_fd, int timeout);

/* Make an eventfd permanently readable, or not readable. errno is unchanged. */
void zio_signal(int fd);
void zio_unsignal(int fd);

#endif /* LIBZIO_BASE_H */
