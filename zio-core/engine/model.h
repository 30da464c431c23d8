/* SPDX-License-Identifier: GPL-2.0-only */
/* model.h: what differs between inputs, outputs, and streams of both */
#ifndef _ZIO_ENGINE_MODEL_H
#define _ZIO_ENGINE_MODEL_H

#include "zio-core.h"

/**
 * struct zio_cset_model - how the sets of one kind are armed, and give their blocks back
 * @state: flags that are always set in the state word
 * @goes_on: after an error of the driver, a set goes on with its next block. Otherwise it
 *           waits until it is kicked
 * @kick: arm the set as often as its blocks allow; the caller owns no phase
 * @start: call raw_io(); the set is ARMING since its event, or its kick
 * @drop: put the blocks that the driver has; the caller owns the phase. @lost: count them
 * @progress: return a number that changes while the driver gives blocks back
 * @close: streams; prepare for stop_io(). Sleeps; the caller owns the phase
 * @is_idle: optional. Return true if the driver owes no block: it does not hang
 * @fire: streams; pass an event to the driver. Returns 0, or -EBUSY if the event is lost
 * @open: streams; the driver may take blocks of the channel from now on
 * @in_flight: streams; return how many blocks of a channel the driver has
 * @give_back: streams; take the newest @n blocks in flight back
 * @lose: streams; the hardware has lost @n blocks
 *
 * A set keeps its model for its whole life. All but @close are called in any context.
 */
struct zio_cset_model {
	int state;
	bool goes_on;
	void (*kick)(struct zio_cset_core *cset);
	void (*start)(struct zio_cset_core *cset);
	void (*drop)(struct zio_cset_core *cset, bool lost, int error);
	unsigned long (*progress)(const struct zio_cset_core *cset);
	void (*close)(struct zio_cset_core *cset);
	bool (*is_idle)(const struct zio_cset_core *cset);
	int (*fire)(struct zio_binding *bind, const struct timespec64 *at);
	void (*open)(struct zio_channel_core *chan);
	unsigned int (*in_flight)(const struct zio_channel_core *chan);
	void (*give_back)(struct zio_channel_core *chan, unsigned int n);
	void (*lose)(struct zio_channel_core *chan, unsigned int n);
};

/* engine.c */
extern const struct zio_cset_model zio_input_model, zio_output_model;

/* stream.c */
extern const struct zio_cset_model zio_istream_model, zio_ostream_model;

#endif /* _ZIO_ENGINE_MODEL_H */
