// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: zio-zero, a device without hardware
 *
 * cset0: input, 8 bits: channel 0 zeros, channel 1 random, channel 2 sawtooth
 * cset1: output, 8 bits: discards its samples
 * cset2: input, 32 bits: counts samples, with gain and offset
 *
 * Module parameters and configfs can replace cset0: another number of channels, wider
 * samples, one pattern for all channels, interleaved channels, a slow conversion. "ncset"
 * or "csets" makes that many sets like cset0, and no others. With "stream", cset0 is a
 * stream.
 */
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/platform_device.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/zio-compat.h>
#include <linux/zio-config.h>

#include "zero.h"

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
MODULE_PARM_DESC(stream, "blocks completed per tick of a stream (default 0: no stream)");

#define ZERO_MAX_STREAM	4096
/* Unplugging waits for the sleep to end, so the sleep is limited. */
#define ZERO_MAX_SLEEP	(10 * USEC_PER_SEC)

enum zero_attr {
	ZERO_PERIOD,
	ZERO_GAIN,
	ZERO_OFFSET,
	ZERO_SEQUENCE,
	ZERO_NEXT,
};

static void zero_stop(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);

	hrtimer_cancel(&state->timer);
}

/* Does nothing: the core counts the blocks and returns them to the buffer. */
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

/* The blocks of a tick follow each other and fill the time until the next tick. */
static u32 zero_samples_of_tick(const struct zio_cset *cset)
{
	const struct zero_state *state = zio_cset_priv(cset);
	u32 n;

	return check_mul_overflow(zio_cset_post_samples(cset), state->stream, &n) ? 0 : n;
}

static void zero_get_timing(const struct zio_cset *cset, struct zio_timing *timing)
{
	const struct zero_state *state = zio_cset_priv(cset);

	zio_timing_set_rate(timing, (u64)zero_samples_of_tick(cset) * NSEC_PER_SEC,
			    READ_ONCE(state->period));
	timing->error_ns = 1; /* the samples are computed for their time */
}

static int zero_set_rate(struct zio_cset *cset, u32 num, u32 den)
{
	struct zero_state *state = zio_cset_priv(cset);
	u32 period = zio_rate_to_ns(zero_samples_of_tick(cset), num, den);

	if (period < NSEC_PER_USEC || period > NSEC_PER_SEC)
		return -ERANGE;
	WRITE_ONCE(state->period, period);
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
	.get_timing = zero_get_timing,
	.set_rate = zero_set_rate,
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

/* Attributes of each channel of an interleaved set, whose blocks carry all channels */
static const struct zio_attr_desc zero_member_attrs[] = {
	ZIO_ATTR_PARAM("next-sample", 0644, 0, ZERO_NEXT),
};

static const struct zio_attr_desc zero_count_attrs[] = {
	ZIO_ATTR_STD("gain-factor", 0644, ZIO_ATTR_GAIN, 1000, ZERO_GAIN),
	ZIO_ATTR_STD("offset", 0644, ZIO_ATTR_OFFSET, 0, ZERO_OFFSET),
	ZIO_ATTR_EXT("sequence", 0644, 0, 0, ZERO_SEQUENCE),
};

/* The samples are plain numbers until a user sets their unit and scale. */
static const struct zio_scaling zero_scaling = {
	.flags = ZIO_SCALING_WRITABLE,
	.mant = 1,
};

static const struct zio_cset_desc zero_csets[] = {
	{
		.name = "zero-input",
		.flags = ZIO_CSET_HARDIRQ | ZIO_CSET_SHOTS | ZIO_CSET_USER_RATE,
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
		.flags = ZIO_CSET_HARDIRQ | ZIO_CSET_SHOTS | ZIO_CSET_USER_RATE,
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

static const struct zio_attr_desc zero_config_attrs[] = {
	{ .name = "channels", .mode = 0644, .value = 3, .min = 1, .max = 64 },
	{ .name = "ssize", .mode = 0644, .words = zero_sizes },
	{ .name = "pattern", .mode = 0644, .words = zero_patterns, .value = ZERO_MIXED },
	{ .name = "interleaved", .mode = 0644, .max = 1 },
	{ .name = "delay-us", .mode = 0644, .max = ZERO_NEVER },
	{ .name = "sleeps", .mode = 0644, .max = 1 },
	{ .name = "nsamples", .mode = 0644, .value = 16, .min = 1, .max = BIT(24) },
	{ .name = "csets", .mode = 0644, .max = U16_MAX },
	{ .name = "stream", .mode = 0644, .max = ZERO_MAX_STREAM },
	{ .name = "device-name", .mode = 0644, .text = "<text>" },
};

/* The conversion of cset0 may take time. Additional sets like it have no timer. */
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
	if (cset->ops == &zero_stream_ops) {
		cset->flags |= ZIO_CSET_STREAM;
		cset->flags &= ~(ZIO_CSET_SHOTS | ZIO_CSET_USER_RATE);
		/* While blocks of one tick are read, those of the next one are in flight. */
		cset->queue_depth = max(2 * state->stream, 16u);
		cset->cset_attrs = zero_stream_attrs;
		cset->n_cset_attrs = ARRAY_SIZE(zero_stream_attrs);
	}
}

static int zero_describe_csets(struct zero_state *state, struct device *dev,
			       unsigned int n_inputs)
{
	unsigned int n = n_inputs ?: ARRAY_SIZE(zero_csets), i;
	const char *name = zio_config_text(dev, "device-name", "");

	state->cset = devm_kcalloc(dev, n, sizeof(*state->cset), GFP_KERNEL);
	if (!state->cset)
		return -ENOMEM;
	if (!n_inputs)
		memcpy(state->cset, zero_csets, sizeof(zero_csets));
	for (i = 0; i < max(n_inputs, 1u); i++)
		zero_describe_input(state, dev, i);
	/* A user may give a device another board's name, for programs that look for it. */
	state->desc.name = *name ? name : "zzero";
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
		zchan->ssize = state->ssize;
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
