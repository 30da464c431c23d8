// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace.c: the tracepoints, and what frequent code calls while they are on
 *
 * All functions can be called in any context.
 */
#include "engine/internal.h"

#define CREATE_TRACE_POINTS
#include "engine/trace.h"

/* An event is about to reach a set. */
void zio_trace_fire(const struct zio_binding *bind, const struct timespec64 *at)
{
	trace_zio_fire(bind, at);
}

/* The caller owns the phase; the driver gets the armed blocks. */
void zio_trace_armed(const struct zio_cset_core *cset)
{
	const struct zio_armed *armed;

	for (armed = cset->pub.armed; armed->chan; armed++)
		trace_zio_arm(to_channel_core(armed->chan), armed->block);
}

void zio_trace_done(const struct zio_channel_core *chan, const struct zio_block *block)
{
	trace_zio_block_done(chan, block);
}

/* A reader has taken the block. */
void zio_trace_read(const struct zio_channel_core *chan, const struct zio_block *block)
{
	trace_zio_block_read(chan, block);
}

/* @chan: NULL for events of the set */
void zio_trace_lost(const struct zio_cset_core *cset, const struct zio_channel_core *chan,
		    u64 n, u32 seq, int cause, int error)
{
	trace_zio_lost(cset, chan, n, seq, cause, error);
}
