// SPDX-License-Identifier: GPL-2.0-only
/* stream.c: cset0 of zio-zero as a stream: a timer completes several blocks at once */
#include <linux/math64.h>
#include <linux/zio-stream.h>
#include <linux/zio-trigger.h>

#include "zero.h"

/* @i: index of the first block behind the one at the time @tick */
static void zero_fill_row(struct zero_state *state, struct zero_chan *zchan,
			  struct zio_block *const *block, unsigned int n, unsigned int i,
			  struct zio_timestamp tick)
{
	/* A block's part of the period, in 2^-20 ns: a division per block would show. */
	u64 step = div_u64((u64)state->tick_ns << 20, state->stream);
	u64 at = (tick.ticks << 20) + i * step;
	struct zio_block *b;

	for (; n--; block++, at += step) {
		b = *block;
		b->tstamp.secs = tick.secs;
		b->tstamp.ticks = at >> 20;
		while (b->tstamp.ticks >= NSEC_PER_SEC) {
			b->tstamp.ticks -= NSEC_PER_SEC;
			b->tstamp.secs++;
		}
		zero_fill_samples(zchan, b->data, b->len);
	}
}

/*
 * The blocks of a tick, and those of late ticks, are completed at once, as if the hardware
 * had kept running. Their times are exact: the first one begins when its tick was due, and
 * each other one where its predecessor ends. Returns how many of @n blocks there are.
 */
static unsigned int zero_fill_in_flight(struct zero_state *state, struct zio_channel *chan,
					unsigned int n)
{
	struct zero_chan *zchan = &state->chan[zio_channel_index(chan)];
	struct zio_block *first = zio_channel_in_flight(chan, 0);
	struct zio_block *const *row;
	struct zio_timestamp tick;
	unsigned int done, len;

	if (!first)
		return 0;
	zio_cset_stamp_at(state->converting, first,
			  state->next - (u64)(n / state->stream) * state->tick_ns);
	tick = first->tstamp;
	for (done = 0; done < n; done += len) {
		len = n - done;
		row = zio_channel_in_flight_row(chan, done, &len);
		if (!row)
			break;
		zero_fill_row(state, zchan, row, len, done, tick);
	}
	return done;
}

/* Returns how many ticks were due since the last one. */
static unsigned int zero_count_ticks(struct zero_state *state, u64 now)
{
	u32 period = READ_ONCE(state->period);
	unsigned int n = 1;

	state->tick_ns = period;
	if (now > state->next + period)
		n += div_u64(now - state->next, period);
	state->next += (u64)n * period;
	return n;
}

enum hrtimer_restart zero_tick(struct hrtimer *timer)
{
	struct zero_state *state = container_of(timer, struct zero_state, timer);
	struct zio_cset *cset = state->converting;
	u64 begin = ktime_get_ns(), end;
	unsigned int n = zero_count_ticks(state, begin) * state->stream, done;
	struct zio_channel *chan;
	struct zio_armed *pos;

	zio_for_each_channel(cset, pos, chan) {
		done = zero_fill_in_flight(state, chan, n);
		zio_channel_complete(chan, done);
		/* The device drops blocks for which it has no memory. */
		zio_channel_lost(chan, n - done);
		zio_channel_take_blocks(chan, UINT_MAX);
	}
	end = ktime_get_ns();
	end += zio_trigger_throttle(begin, end);
	hrtimer_set_expires(timer, ns_to_ktime(max(state->next, end)));
	return HRTIMER_RESTART;
}

int zero_start_stream(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);
	struct zio_channel *chan;
	struct zio_armed *pos;

	zio_for_each_channel(cset, pos, chan)
		zio_channel_take_blocks(chan, UINT_MAX);
	state->converting = cset;
	state->next = ktime_get_ns() + READ_ONCE(state->period);
	hrtimer_start(&state->timer, ns_to_ktime(state->next), HRTIMER_MODE_ABS);
	return ZIO_PENDING;
}
