/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h: the tracepoints of the core
 *
 * Documentation/ABI/testing/tracefs-zio describes the fields. A tracepoint that is off is one
 * instruction that does nothing. So that it saves no registers either, frequent code tests
 * trace_EVENT_enabled(), and calls a function of trace.c.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM zio

#if !defined(_ZIO_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _ZIO_TRACE_H

#include <linux/tracepoint.h>

#include "zio-core.h"

/* Why blocks or events are lost. Macros, as the format of an event has their values. */
#define ZIO_LOSS_NO_BLOCK	0
#define ZIO_LOSS_OLD		1
#define ZIO_LOSS_HARDWARE	2
#define ZIO_LOSS_ERROR		3
#define ZIO_LOSS_ABORT		4
#define ZIO_LOSS_EMPTY		5
#define ZIO_LOSS_ROUTE		6
#define ZIO_LOSS_BUSY		7
#define ZIO_LOSS_MISSED		8
#define ZIO_LOSS_CHAIN		9
#define ZIO_LOSS_LEFT		10

#define show_zio_loss(_cause)				\
	__print_symbolic(_cause,			\
		{ ZIO_LOSS_NO_BLOCK, "no-block" },	\
		{ ZIO_LOSS_OLD, "old" },		\
		{ ZIO_LOSS_HARDWARE, "hardware" },	\
		{ ZIO_LOSS_ERROR, "error" },		\
		{ ZIO_LOSS_ABORT, "abort" },		\
		{ ZIO_LOSS_EMPTY, "empty" },		\
		{ ZIO_LOSS_ROUTE, "route" },		\
		{ ZIO_LOSS_BUSY, "busy" },		\
		{ ZIO_LOSS_MISSED, "missed" },		\
		{ ZIO_LOSS_CHAIN, "chain" },		\
		{ ZIO_LOSS_LEFT, "left" })

TRACE_EVENT(zio_fire,
	    TP_PROTO(const struct zio_binding *bind, const struct timespec64 *at),
	    TP_ARGS(bind, at),
	    TP_STRUCT__entry(__array(char, dev, ZIO_OBJ_NAME_LEN)
			     __field(u32, id)
			     __field(u32, cset)
			     __array(char, trigger, ZIO_OBJ_NAME_LEN)
			     __field(s64, time)),
	    TP_fast_assign(memcpy(__entry->dev, bind->cset->zdev->name, ZIO_OBJ_NAME_LEN);
			   __entry->id = bind->cset->zdev->id;
			   __entry->cset = bind->cset->pub.index;
			   strscpy(__entry->trigger, bind->trig->type->name, ZIO_OBJ_NAME_LEN);
			   __entry->time = timespec64_to_ns(at);),
	    TP_printk("%s-%04x-%u trigger=%s time=%lld", __entry->dev, __entry->id,
		      __entry->cset, __entry->trigger, __entry->time));

DECLARE_EVENT_CLASS(zio_block,
		    TP_PROTO(const struct zio_channel_core *chan, const struct zio_block *block),
		    TP_ARGS(chan, block),
		    TP_STRUCT__entry(__array(char, dev, ZIO_OBJ_NAME_LEN)
				     __field(u32, id)
				     __field(u32, cset)
				     __field(u32, chan)
				     __field(u32, seq)
				     __field(u32, len)
				     __field(u32, alarms)),
		    TP_fast_assign(memcpy(__entry->dev, chan->cset->zdev->name, ZIO_OBJ_NAME_LEN);
				   __entry->id = chan->cset->zdev->id;
				   __entry->cset = chan->cset->pub.index;
				   __entry->chan = chan->pub.index;
				   __entry->seq = to_block_core(block)->seq;
				   __entry->len = block->len;
				   __entry->alarms = block->zio_alarms | block->drv_alarms << 8;),
		    TP_printk("%s-%04x-%u-%u seq=%u len=%u alarms=%#x", __entry->dev, __entry->id,
			      __entry->cset, __entry->chan, __entry->seq, __entry->len,
			      __entry->alarms));

DEFINE_EVENT(zio_block, zio_arm,
	     TP_PROTO(const struct zio_channel_core *chan, const struct zio_block *block),
	     TP_ARGS(chan, block));

DEFINE_EVENT(zio_block, zio_block_done,
	     TP_PROTO(const struct zio_channel_core *chan, const struct zio_block *block),
	     TP_ARGS(chan, block));

DEFINE_EVENT(zio_block, zio_block_read,
	     TP_PROTO(const struct zio_channel_core *chan, const struct zio_block *block),
	     TP_ARGS(chan, block));

TRACE_EVENT(zio_lost,
	    TP_PROTO(const struct zio_cset_core *cset, const struct zio_channel_core *chan, u64 n,
		     u32 seq, int cause, int error),
	    TP_ARGS(cset, chan, n, seq, cause, error),
	    TP_STRUCT__entry(__array(char, dev, ZIO_OBJ_NAME_LEN)
			     __field(u32, id)
			     __field(u32, cset)
			     __field(s32, chan)
			     __field(u32, seq)
			     __field(u64, n)
			     __field(s32, cause)
			     __field(s32, error)),
	    TP_fast_assign(memcpy(__entry->dev, cset->zdev->name, ZIO_OBJ_NAME_LEN);
			   __entry->id = cset->zdev->id;
			   __entry->cset = cset->pub.index;
			   __entry->chan = chan ? chan->pub.index : -1;
			   __entry->seq = seq;
			   __entry->n = n;
			   __entry->cause = cause;
			   __entry->error = error;),
	    TP_printk("%s-%04x-%u chan=%d seq=%u n=%llu cause=%s error=%d", __entry->dev,
		      __entry->id, __entry->cset, __entry->chan, __entry->seq, __entry->n,
		      show_zio_loss(__entry->cause), __entry->error));

TRACE_EVENT(zio_removed,
	    TP_PROTO(const struct zio_device *zdev),
	    TP_ARGS(zdev),
	    TP_STRUCT__entry(__array(char, dev, ZIO_OBJ_NAME_LEN)
			     __field(u32, id)),
	    TP_fast_assign(memcpy(__entry->dev, zdev->name, ZIO_OBJ_NAME_LEN);
			   __entry->id = zdev->id;),
	    TP_printk("%s-%04x", __entry->dev, __entry->id));

#ifndef ZIO_TRACE_FUNCTIONS
#define ZIO_TRACE_FUNCTIONS
void zio_trace_read(const struct zio_channel_core *chan, const struct zio_block *block);
void zio_trace_lost(const struct zio_cset_core *cset, const struct zio_channel_core *chan,
		    u64 n, u32 seq, int cause, int error);
#endif

#endif /* _ZIO_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH engine
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
