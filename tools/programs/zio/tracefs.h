/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints of ZIO, in an instance of tracefs that belongs to this process. */
#ifndef ZIO_TRACEFS_H
#define ZIO_TRACEFS_H

#include <limits.h>
#include <stdbool.h>

#include "libzio/zio.h"

struct tracefs {
	char dir[PATH_MAX];	/* the instance; empty if there is none */
	int pipe;		/* its trace_pipe, which never blocks; or -1 */
};

/*
 * Make an instance, and turn the events of @obj on, or all of them if it is NULL. 0; or -1
 * after a message, with nothing left.
 */
int begin_tracing(struct tracefs *trace, const struct zio_object *obj);

/* Return true unless the module zio, which has the events, has been unloaded. */
bool is_tracing(const struct tracefs *trace);

/* Turn the events off. What the kernel has recorded can still be read. */
void stop_tracing(const struct tracefs *trace);

/* Remove the instance. */
void end_tracing(struct tracefs *trace);

#endif /* ZIO_TRACEFS_H */
