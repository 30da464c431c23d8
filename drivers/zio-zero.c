// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-zero.c: a device without hardware
 *
 * cset0: input, 8 bits: channel 0 zeros, channel 1 random, channel 2 sawtooth
 * cset1: output, 8 bits: discards its samples
 * cset2: input, 32 bits: counts samples, with gain and offset
 *
 * Module parameters and configfs can replace cset0: another number of channels, wider
 * samples, one pattern for all channels, interleaved channels, a slow conversion. With
 * "ncset" or "csets" the device has that many sets like cset0, and no others. With
 * "stream" cset0 is a stream: a timer completes so many blocks at once. With a slow
 * conversion it is a board with memory for some shots: see zero_convert().
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/zio-compat.h>
#include <linux/zio-config.h>
#include <linux/zio-stream.h>
#include <linux/zio-trigger.h>

static unsigned int ndev = 1, ncset, nchan = 3;
module_param(ndev, uint, 0444);
MODULE_PARM_DESC(ndev, "number of devices (default 1)");
module_param(ncset, uint, 0444);
MODULE_PARM_DESC(ncset, "number of sets like cset0 (default 0: cset0, cset1, cset2)");
module_param(nchan, uint, 0444);
MODULE_PARM_DESC(nchan, "channels of cset0 (default 3)");

static char *pattern = "mixed";
module_param(pattern, charp, 0444);
MODULE_PARM_DESC(pattern, "zero, random, sawtooth, channel, or mixed (default)");

static unsigned int stream;
module_param(stream, uint, 0444);
MODULE_PARM_DESC(stream, "blocks that each tick of a stream completes (default 0: no stream)");

#define ZERO_MAX_STREAM	4096
#define ZERO_NEVER	U32_MAX
/* An unplug waits for the sleep to end, so the sleep has a limit. */
#define ZERO_MAX_SLEEP	(10 * USEC_PER_SEC)
/* Bytes of all shots that the memory of the board has room for */
#define ZERO_MEMORY	BIT(20)

enum zero_attr {
	ZERO_PERIOD,
	ZERO_GAIN,
	ZERO_OFFSET,
	ZERO_SEQUENCE,
	ZERO_NEXT,
};

/* MIXED: channels 0, 1, 2, 3, ... have zero, random, sawtooth, zero, ... */
enum zero_pattern {
	ZERO_ZERO,
	ZERO_RANDOM,
	ZERO_SAWTOOTH,
	ZERO_MIXED,
	ZERO_CHANNEL,
};

/*
 * @value is the next sample of a sawtooth, and the only one of zero and channel. @rnd is
 * for kernels with PREEMPT_RT.
 */
struct zero_chan {
	enum zero_pattern pattern;
	u32 value;
	struct rnd_state rnd;
};

/*
 * The state of one device. attr_set() runs beside raw_io(): a count of samples that is
 * under way may overwrite a sequence that attr_set() stores.
 */
struct zero_state {
	struct zio_device_desc desc;
	struct zio_cset_desc *cset;
	unsigned int n_chan;	/* of cset0, as the next two */
	unsigned int ssize;
	bool interleaved;
	u32 delay_us;
	struct hrtimer timer;
	struct zio_cset *converting;
	struct zio_armed *shot;	/* the blocks of the next shot, of cset0 */
	u32 stream;		/* blocks per tick of cset0, or 0 */
	u32 period;		/* ns between two ticks */
	u64 next;		/* when the next tick is due, in ns of ktime_get_ns() */
	u32 gain;		/* in 1/1000 */
	u32 offset;
	u32 sequence;
	struct zero_chan chan[]; /* n_chan of each set like cset0 */
};

static noinline void zero_fill_sawtooth(u32 *next, void *data, size_t len, unsigned int ssize)
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

/*
 * The lock of get_random_bytes() sleeps under PREEMPT_RT. Other kernels use that function,
 * so that a read can be compared with one of /dev/urandom.
 */
static void zero_fill_random(struct zero_chan *chan, void *data, size_t len)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		prandom_bytes_state(&chan->rnd, data, len);
	else
		get_random_bytes(data, len);
}

static __always_inline void zero_fill_samples(struct zero_chan *chan, void *data,
					      size_t len, unsigned int ssize)
{
	switch (chan->pattern) {
	case ZERO_RANDOM:
		zero_fill_random(chan, data, len);
		break;
	case ZERO_SAWTOOTH:
		zero_fill_sawtooth(&chan->value, data, len, ssize);
		break;
	default:
		memset(data, chan->value, len);
	}
}

/* A sample of each channel of the mask, then the next sample of each, and so on. */
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
			zero_fill_samples(&zchan[index], sample, ssize, ssize);
			sample += ssize;
		}
}

static __always_inline void zero_fill_blocks(struct zero_state *state, struct zero_chan *zchan,
					     struct zio_cset *cset)
{
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(cset, pos, chan, block)
		zero_fill_samples(&zchan[zio_channel_index(chan)], block->data,
				  block->len, state->ssize);
}

/* The usual case, for which benchmarks count instructions: a plain cset0. */
static int zero_input(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);

	zero_fill_blocks(state, state->chan, cset);
	return 0;
}

/* Any set like cset0, interleaved or not. Their channels are in a row in state->chan. */
static int zero_any_input(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);
	struct zero_chan *zchan = state->chan + zio_cset_index(cset) * state->n_chan;
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	if (!state->interleaved)
		zero_fill_blocks(state, zchan, cset);
	else
		zio_for_each_block(cset, pos, chan, block)
			zero_fill_interleaved(state, zchan, cset, block);
	return 0;
}

static int zero_convert_asleep(struct zio_cset *cset)
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

/* At last, the driver reads the times from the memory that the board has written. */
static enum hrtimer_restart zero_converted(struct hrtimer *timer)
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

/* One arming takes all shots. The event is the first one, and each conversion the next. */
static int zero_convert(struct zio_cset *cset)
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

static int zero_check_shape(struct zio_cset *cset, const struct zio_shape *shape)
{
	const struct zero_state *state = zio_cset_priv(cset);
	u64 n = (u64)shape->pre_samples + shape->post_samples;

	n = (n * state->ssize * state->n_chan + sizeof(struct zio_timestamp)) * shape->nshots;
	return n > ZERO_MEMORY && shape->nshots > 1 ? -ERANGE : 0;
}

static void zero_stop(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);

	hrtimer_cancel(&state->timer);
}

static void zero_fill_row(struct zero_state *state, struct zero_chan *zchan,
			  struct zio_block *const *block, unsigned int n,
			  struct zio_timestamp tstamp)
{
	struct zio_block *b;

	for (; n--; block++) {
		b = *block;
		b->tstamp = tstamp;
		zero_fill_samples(zchan, b->data, b->len, state->ssize);
	}
}

/*
 * The blocks of a tick are complete at once, and have one time stamp. Returns how many of
 * @n blocks there are.
 */
static unsigned int zero_fill_in_flight(struct zero_state *state, struct zio_cset *cset,
					struct zio_channel *chan, unsigned int n)
{
	struct zero_chan *zchan = &state->chan[zio_channel_index(chan)];
	struct zio_block *first = zio_channel_in_flight(chan, 0);
	struct zio_block *const *row;
	unsigned int done, len;

	if (!first)
		return 0;
	zio_cset_stamp(cset, first);
	for (done = 0; done < n; done += len) {
		len = n - done;
		row = zio_channel_in_flight_row(chan, done, &len);
		if (!row)
			break;
		zero_fill_row(state, zchan, row, len, first->tstamp);
	}
	return done;
}

/* @n blocks are due. The device drops those for which it has no memory. */
static void zero_complete_blocks(struct zero_state *state, struct zio_cset *cset,
				 struct zio_channel *chan, unsigned int n)
{
	unsigned int done = zero_fill_in_flight(state, cset, chan, n);

	zio_channel_complete(chan, done);
	zio_channel_lost(chan, n - done);
	zio_channel_take_blocks(chan, UINT_MAX);
}

/* Returns how many ticks were due since the last one. */
static unsigned int zero_count_ticks(struct zero_state *state, u64 now)
{
	u32 period = READ_ONCE(state->period);
	unsigned int n = 1;

	if (now > state->next + period)
		n += div_u64(now - state->next, period);
	state->next += (u64)n * period;
	return n;
}

static enum hrtimer_restart zero_tick(struct hrtimer *timer)
{
	struct zero_state *state = container_of(timer, struct zero_state, timer);
	struct zio_cset *cset = state->converting;
	u64 begin = ktime_get_ns(), end;
	unsigned int ticks = zero_count_ticks(state, begin);
	struct zio_channel *chan;
	struct zio_armed *pos;

	zio_for_each_channel(cset, pos, chan) {
		zero_complete_blocks(state, cset, chan, state->stream);
		zio_channel_lost(chan, (ticks - 1) * state->stream);
	}
	end = ktime_get_ns();
	end += zio_trigger_throttle(begin, end);
	hrtimer_set_expires(timer, ns_to_ktime(max(state->next, end)));
	return HRTIMER_RESTART;
}

static int zero_start_stream(struct zio_cset *cset)
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

/* The core counts the blocks and gives them back to the buffer. */
static int zero_output(struct zio_cset *cset)
{
	return 0;
}

static u32 zero_count_sample(struct zero_state *state)
{
	u32 n = READ_ONCE(state->sequence);

	WRITE_ONCE(state->sequence, n + 1);
	return (u32)div_u64((u64)n * READ_ONCE(state->gain), 1000) +
		READ_ONCE(state->offset);
}

static int zero_count(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;
	u32 *sample;

	zio_for_each_block(cset, pos, chan, block)
		for (sample = block->data;
		     (void *)sample < block->data + block->len; sample++)
			*sample = zero_count_sample(state);
	return 0;
}

static u32 *zero_find_value(struct zio_cset *cset, const struct zio_channel *chan,
			    unsigned long id)
{
	struct zero_state *state = zio_cset_priv(cset);

	switch (id) {
	case ZERO_NEXT:
		return &state->chan[zio_cset_index(cset) * state->n_chan +
				    zio_channel_index(chan)].value;
	case ZERO_PERIOD:
		return &state->period;
	case ZERO_GAIN:
		return &state->gain;
	case ZERO_OFFSET:
		return &state->offset;
	default:
		return &state->sequence;
	}
}

static int zero_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 value)
{
	WRITE_ONCE(*zero_find_value(cset, chan, attr->id), value);
	return 0;
}

static int zero_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 *value)
{
	*value = READ_ONCE(*zero_find_value(cset, chan, attr->id));
	return 0;
}

static const struct zio_cset_ops zero_input_ops = {
	.raw_io = zero_input,
};

static const struct zio_cset_ops zero_any_ops = {
	.raw_io = zero_any_input,
	.attr_set = zero_attr_set,
	.attr_get = zero_attr_get,
};

static const struct zio_cset_ops zero_asleep_ops = {
	.raw_io = zero_convert_asleep,
	.attr_set = zero_attr_set,
	.attr_get = zero_attr_get,
};

static const struct zio_cset_ops zero_convert_ops = {
	.raw_io = zero_convert,
	.stop_io = zero_stop,
	.attr_set = zero_attr_set,
	.attr_get = zero_attr_get,
	.check_shape = zero_check_shape,
};

static const struct zio_cset_ops zero_stream_ops = {
	.raw_io = zero_start_stream,
	.stop_io = zero_stop,
	.attr_set = zero_attr_set,
	.attr_get = zero_attr_get,
};

static const struct zio_cset_ops zero_output_ops = {
	.raw_io = zero_output,
};

static const struct zio_cset_ops zero_count_ops = {
	.raw_io = zero_count,
	.attr_set = zero_attr_set,
	.attr_get = zero_attr_get,
};

static const struct zio_attr_desc zero_stream_attrs[] = {
	{
		.name = "period-ns",
		.mode = 0644,
		.value = NSEC_PER_MSEC,
		.min = NSEC_PER_USEC,
		.max = NSEC_PER_SEC,
		.id = ZERO_PERIOD,
	},
};

/* What each channel of an interleaved set has beside the block that carries all of them */
static const struct zio_attr_desc zero_member_attrs[] = {
	ZIO_ATTR_PARAM("next-sample", 0644, 0, ZERO_NEXT),
};

static const struct zio_attr_desc zero_count_attrs[] = {
	ZIO_ATTR_STD("gain-factor", 0644, ZIO_ATTR_GAIN, 1000, ZERO_GAIN),
	ZIO_ATTR_STD("offset", 0644, ZIO_ATTR_OFFSET, 0, ZERO_OFFSET),
	ZIO_ATTR_EXT("sequence", 0644, 0, 0, ZERO_SEQUENCE),
};

/* The samples mean nothing, until a user says what they mean. */
static const struct zio_scaling zero_scaling = {
	.flags = ZIO_SCALING_WRITABLE,
	.mant = 1,
};

static const struct zio_cset_desc zero_csets[] = {
	{
		.name = "zero-input",
		.flags = ZIO_CSET_HARDIRQ | ZIO_CSET_SHOTS,
		.n_chan = 3,
		.ssize = 1,
		.ops = &zero_input_ops,
		.scaling = &zero_scaling,
		.n_scaling = 1,
	}, {
		.name = "zero-output",
		.flags = ZIO_CSET_OUTPUT | ZIO_CSET_HARDIRQ,
		.n_chan = 1,
		.ssize = 1,
		.ops = &zero_output_ops,
		.scaling = &zero_scaling,
		.n_scaling = 1,
	}, {
		.name = "zero-count",
		.flags = ZIO_CSET_HARDIRQ | ZIO_CSET_SHOTS,
		.n_chan = 1,
		.ssize = 4,
		.ops = &zero_count_ops,
		.chan_attrs = zero_count_attrs,
		.n_chan_attrs = ARRAY_SIZE(zero_count_attrs),
	},
};

static const char *const zero_patterns[] = {
	[ZERO_ZERO] = "zero",
	[ZERO_RANDOM] = "random",
	[ZERO_SAWTOOTH] = "sawtooth",
	[ZERO_MIXED] = "mixed",
	[ZERO_CHANNEL] = "channel",
	NULL
};

static const char *const zero_sizes[] = { "1", "2", "4", NULL };

static const struct zio_config_attr zero_config_attrs[] = {
	{ .name = "channels", .value = 3, .min = 1, .max = 64 },
	{ .name = "ssize", .choices = zero_sizes },
	{ .name = "pattern", .choices = zero_patterns, .value = ZERO_MIXED },
	{ .name = "interleaved", .max = 1 },
	{ .name = "delay-us", .max = ZERO_NEVER },
	{ .name = "sleeps", .max = 1 },
	{ .name = "nsamples", .value = 16, .min = 1, .max = BIT(24) },
	{ .name = "csets", .max = U16_MAX },
	{ .name = "stream", .max = ZERO_MAX_STREAM },
	{ .name = "device-name", .text = true },
};

/* The conversion of cset0 may last some time. The sets like it have no timer. */
static const struct zio_cset_ops *zero_choose_ops(struct zero_state *state,
						  struct device *dev, unsigned int index)
{
	if (index)
		return &zero_any_ops;
	if (state->stream)
		return &zero_stream_ops;
	if (zio_config_value(dev, "sleeps", 0))
		return &zero_asleep_ops;
	if (state->delay_us)
		return &zero_convert_ops;
	return state->interleaved ? &zero_any_ops : &zero_input_ops;
}

/* While blocks of one tick are read, those of the next one are in flight. */
static void zero_describe_stream(const struct zero_state *state, struct zio_cset_desc *cset)
{
	cset->flags |= ZIO_CSET_STREAM;
	cset->flags &= ~ZIO_CSET_SHOTS;
	cset->queue_depth = max(2 * state->stream, 16u);
	cset->cset_attrs = zero_stream_attrs;
	cset->n_cset_attrs = ARRAY_SIZE(zero_stream_attrs);
}

static void zero_describe_input(struct zero_state *state, struct device *dev,
				unsigned int index)
{
	struct zio_cset_desc *cset = &state->cset[index];

	*cset = zero_csets[0];
	cset->n_chan = state->n_chan;
	cset->ssize = state->ssize;
	cset->nsamples = zio_config_value(dev, "nsamples", 0);
	cset->ops = zero_choose_ops(state, dev, index);
	if (state->interleaved) {
		cset->flags |= ZIO_CSET_INTERLEAVED;
		cset->chan_attrs = zero_member_attrs;
		cset->n_chan_attrs = ARRAY_SIZE(zero_member_attrs);
	}
	if (cset->ops == &zero_convert_ops) {
		cset->flags |= ZIO_CSET_PRE_SAMPLES;
		cset->trailer = sizeof(struct zio_timestamp);
	}
	if (cset->ops == &zero_asleep_ops)
		cset->flags |= ZIO_CSET_SLEEPS;
	if (cset->ops == &zero_stream_ops)
		zero_describe_stream(state, cset);
}

/* A user may give a device the name of another board, whose programs then find it. */
static const char *zero_name(struct device *dev)
{
	const char *name = zio_config_text(dev, "device-name", "");

	return *name ? name : "zzero";
}

static int zero_describe_csets(struct zero_state *state, struct device *dev,
			       unsigned int n_inputs)
{
	unsigned int n = n_inputs ?: ARRAY_SIZE(zero_csets), i;

	state->cset = devm_kcalloc(dev, n, sizeof(*state->cset), GFP_KERNEL);
	if (!state->cset)
		return -ENOMEM;
	if (!n_inputs)
		memcpy(state->cset, zero_csets, sizeof(zero_csets));
	for (i = 0; i < max(n_inputs, 1u); i++)
		zero_describe_input(state, dev, i);
	state->desc.name = zero_name(dev);
	state->desc.owner = THIS_MODULE;
	state->desc.cset = state->cset;
	state->desc.n_cset = n;
	return 0;
}

static void zero_choose_patterns(struct zero_state *state, struct device *dev,
				 unsigned int n_inputs)
{
	int which = zio_config_value(dev, "pattern",
				     match_string(zero_patterns, -1, pattern));
	struct zero_chan *zchan = state->chan;
	unsigned int i;

	for (i = 0; i < max(n_inputs, 1u) * state->n_chan; i++, zchan++) {
		unsigned int index = i % state->n_chan;

		zchan->pattern = which == ZERO_MIXED ? index % ZERO_MIXED : which;
		zchan->value = which == ZERO_CHANNEL ? index : 0;
		prandom_seed_state(&zchan->rnd, get_random_u64());
	}
}

static struct zero_state *zero_alloc_state(struct device *dev, unsigned int n_inputs)
{
	unsigned int n_chan = zio_config_value(dev, "channels", nchan);
	struct zero_state *state;

	state = devm_kzalloc(dev, struct_size(state, chan,
					      array_size(max(n_inputs, 1u), n_chan)),
			     GFP_KERNEL);
	if (!state)
		return NULL;
	state->n_chan = n_chan;
	state->ssize = BIT(zio_config_value(dev, "ssize", 0));
	state->interleaved = zio_config_value(dev, "interleaved", 0);
	state->delay_us = zio_config_value(dev, "delay-us", 0);
	state->stream = zio_config_value(dev, "stream", stream);
	state->period = NSEC_PER_MSEC;
	if (state->stream && state->delay_us)
		state->period = min(state->delay_us, (u32)USEC_PER_SEC) * NSEC_PER_USEC;
	state->gain = 1000;
	zero_choose_patterns(state, dev, n_inputs);
	zio_hrtimer_setup(&state->timer, state->stream ? zero_tick : zero_converted,
			  CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	return state;
}

static int zero_probe(struct platform_device *pdev)
{
	unsigned int n_inputs = zio_config_value(&pdev->dev, "csets", ncset);
	struct zero_state *state = zero_alloc_state(&pdev->dev, n_inputs);
	int ret;

	if (!state)
		return -ENOMEM;
	if (state->stream && (state->interleaved || zio_config_value(&pdev->dev, "sleeps", 0)))
		return -EINVAL;
	if (zio_config_value(&pdev->dev, "sleeps", 0) && state->delay_us > ZERO_MAX_SLEEP)
		return -EINVAL;
	ret = zero_describe_csets(state, &pdev->dev, n_inputs);
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &state->desc,
							zio_config_id(&pdev->dev,
								      pdev->id),
							state));
}

static struct platform_driver zero_driver = {
	.driver.name = "zio-zero",
	.probe = zero_probe,
};

static struct zio_config_type zero_config = {
	.name = "zzero",
	.owner = THIS_MODULE,
	.driver = &zero_driver,
	.attrs = zero_config_attrs,
	.n_attrs = ARRAY_SIZE(zero_config_attrs),
};

static int __init zero_init(void)
{
	if (ncset > U16_MAX || !nchan || nchan > U16_MAX ||
	    match_string(zero_patterns, -1, pattern) < 0 || stream > ZERO_MAX_STREAM)
		return -EINVAL;
	return zio_config_driver_register(&zero_config, ndev);
}

static void __exit zero_exit(void)
{
	zio_config_driver_unregister(&zero_config);
}

module_init(zero_init);
module_exit(zero_exit);
MODULE_DESCRIPTION("ZIO: a device without hardware");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
