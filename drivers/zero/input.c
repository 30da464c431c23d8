// SPDX-License-Identifier: GPL-2.0-only
/*
 * input.c: samples of zio-zero, at once or after a conversion that takes time
 *
 * A slow conversion models a board with memory for several shots: see zero_convert().
 */
#include <linux/delay.h>
#include <linux/random.h>

#include "zero.h"

/* Size of the board's memory for shots, in bytes */
#define ZERO_MEMORY	BIT(20)

static void zero_fill_sawtooth(u32 *next, void *data, size_t len, unsigned int ssize)
{
	u32 value = *next;
	size_t i;

	switch (ssize) {
	case 1:
		for (i = 0; i < len; i++)
			((u8 *)data)[i] = value++;
		break;
	case 2:
		for (i = 0; i < len / 2; i++)
			((u16 *)data)[i] = value++;
		break;
	default:
		for (i = 0; i < len / 4; i++)
			((u32 *)data)[i] = value++;
	}
	*next = value;
}

/* Like zero_fill_samples(), for the other patterns */
void zero_fill_pattern(struct zero_chan *chan, void *data, size_t len)
{
	switch (chan->pattern) {
	case ZERO_RANDOM:
		/*
		 * The lock of get_random_bytes() sleeps under PREEMPT_RT. Other kernels use
		 * the function so that a read can be compared with one of /dev/urandom.
		 */
		if (IS_ENABLED(CONFIG_PREEMPT_RT))
			prandom_bytes_state(&chan->rnd, data, len);
		else
			get_random_bytes(data, len);
		break;
	case ZERO_SAWTOOTH:
		zero_fill_sawtooth(&chan->value, data, len, chan->ssize);
		break;
	default:
		memset(data, chan->value, len);
	}
}

/* Stores a sample of each channel of the mask, then the next sample of each, and so on. */
static noinline void zero_fill_interleaved(struct zero_state *state, struct zero_chan *zchan,
					   struct zio_cset *cset, struct zio_block *block)
{
	unsigned int ssize = state->ssize, index;
	u64 mask = zio_cset_mask(cset);
	void *sample = block->data;

	while (sample < block->data + block->len)
		for (index = 0; index < state->n_chan; index++) {
			if (!(mask & BIT_ULL(index)))
				continue;
			zero_fill_samples(&zchan[index], sample, ssize);
			sample += ssize;
		}
}

static __always_inline void zero_fill_blocks(struct zero_chan *zchan, struct zio_cset *cset)
{
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(cset, pos, chan, block)
		zero_fill_samples(&zchan[zio_channel_index(chan)], block->data, block->len);
}

/* The common case, a plain cset0. Benchmarks count its instructions. */
int zero_input(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);

	zero_fill_blocks(state->chan, cset);
	return 0;
}

/* Any set like cset0, interleaved or not. Its channels are contiguous in state->chan. */
int zero_any_input(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);
	struct zero_chan *zchan = state->chan + zio_cset_index(cset) * state->n_chan;
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	if (!state->interleaved)
		zero_fill_blocks(zchan, cset);
	else
		zio_for_each_block(cset, pos, chan, block)
			zero_fill_interleaved(state, zchan, cset, block);
	return 0;
}

int zero_convert_asleep(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);

	fsleep(state->delay_us);
	return zero_any_input(cset);
}

/* The board stores the time of the shot behind the samples of all channels. */
static void zero_tag_shot(struct zero_state *state, unsigned int shot)
{
	struct zio_cset *cset = state->converting;
	struct zio_armed *pos = state->shot;
	struct zio_block *block;

	for (; pos->chan && pos->block->shot == shot; pos++) {
		block = pos->block;
		if (shot)
			zio_cset_stamp(cset, block);
		memcpy(block->data + block->size, &block->tstamp, sizeof(block->tstamp));
	}
	state->shot = pos;
}

/* Finally, the driver reads the times from the memory that the board has written. */
enum hrtimer_restart zero_converted(struct hrtimer *timer)
{
	struct zero_state *state = container_of(timer, struct zero_state, timer);
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	if (state->shot->chan) {
		zero_tag_shot(state, state->shot->block->shot);
		hrtimer_forward_now(timer, ns_to_ktime((u64)state->delay_us * 1000));
		return HRTIMER_RESTART;
	}
	zio_for_each_block(state->converting, pos, chan, block)
		memcpy(&block->tstamp, block->data + block->size, sizeof(block->tstamp));
	zio_cset_done(state->converting);
	return HRTIMER_NORESTART;
}

/* One arming takes all shots. The event is the first one, each conversion the next. */
int zero_convert(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);

	zero_any_input(cset);
	state->converting = cset;
	state->shot = cset->armed;
	zero_tag_shot(state, 0);
	if (state->delay_us != ZERO_NEVER)
		hrtimer_start(&state->timer, ns_to_ktime((u64)state->delay_us * 1000),
			      HRTIMER_MODE_REL);
	return ZIO_PENDING;
}

int zero_check_shape(struct zio_cset *cset, const struct zio_shape *shape)
{
	const struct zero_state *state = zio_cset_priv(cset);
	u64 n = (u64)shape->pre_samples + shape->post_samples;

	n = (n * state->ssize * state->n_chan + sizeof(struct zio_timestamp)) * shape->nshots;
	return n > ZERO_MEMORY && shape->nshots > 1 ? -ERANGE : 0;
}
