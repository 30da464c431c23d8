/* SPDX-License-Identifier: GPL-2.0-only */
/* zero.h: the state of a zio-zero device, and its samples */
#ifndef ZERO_H
#define ZERO_H

#include <linux/hrtimer.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <linux/zio.h>

#define ZERO_NEVER	U32_MAX	/* as delay-us: the conversion never ends */
/* MIXED: channels 0, 1, 2, 3, ... have zero, random, sawtooth, zero, ... */
enum zero_pattern {
	ZERO_ZERO,
	ZERO_RANDOM,
	ZERO_SAWTOOTH,
	ZERO_MIXED,
	ZERO_CHANNEL,
};

/*
 * @value is the next sample of a sawtooth, and every sample of "channel". @rnd is for
 * kernels with PREEMPT_RT.
 */
struct zero_chan {
	enum zero_pattern pattern;
	u32 value;
	unsigned int ssize;
	struct rnd_state rnd;
};

/*
 * The state of one device. attr_set() runs concurrently with raw_io(): a count of samples
 * in progress may overwrite a sequence that attr_set() stores.
 */
struct zero_state {
	struct zio_device_desc desc;
	struct zio_cset_desc *cset;
	unsigned int n_chan;	/* of cset0, like the next two */
	unsigned int ssize;
	bool interleaved;
	u32 delay_us;
	struct hrtimer timer;
	struct zio_cset *converting;
	struct zio_armed *shot;	/* the blocks of the next shot of cset0 */
	u32 stream;		/* blocks per tick of cset0, or 0 */
	u32 period;		/* ns between two ticks */
	u32 tick_ns;		/* the same, for the current tick: users may write period */
	u64 next;		/* when the next tick is due, in ns of ktime_get_ns() */
	u32 gain;		/* in 1/1000 */
	u32 offset;
	u32 sequence;
	struct zero_chan chan[]; /* n_chan of each set like cset0 */
};

void zero_fill_pattern(struct zero_chan *chan, void *data, size_t len);

/* Zeros are what benchmarks count. */
static __always_inline void zero_fill_samples(struct zero_chan *chan, void *data, size_t len)
{
	if (likely(chan->pattern == ZERO_ZERO))
		memset(data, 0, len);
	else
		zero_fill_pattern(chan, data, len);
}

int zero_input(struct zio_cset *cset);
int zero_any_input(struct zio_cset *cset);
int zero_convert_asleep(struct zio_cset *cset);
int zero_convert(struct zio_cset *cset);
int zero_check_shape(struct zio_cset *cset, const struct zio_shape *shape);
enum hrtimer_restart zero_converted(struct hrtimer *timer);
int zero_start_stream(struct zio_cset *cset);
enum hrtimer_restart zero_tick(struct hrtimer *timer);

#endif
