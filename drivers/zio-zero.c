// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-zero.c: a device without hardware
 *
 * cset0: input, 8 bits: channel 0 zeros, channel 1 random, channel 2 sawtooth
 * cset1: output, 8 bits: eats what it is given
 * cset2: input, 32 bits: counts samples, with gain and offset
 *
 * One that is made in configfs can have another cset0: more channels, wider samples,
 * one pattern for all, all channels in one block, and a conversion that takes
 * its time, or for ever.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/zio-compat.h>
#include <linux/zio-config.h>
#include <linux/zio.h>

static unsigned int ndev = 1;
module_param(ndev, uint, 0444);
MODULE_PARM_DESC(ndev, "number of devices (default 1)");

#define ZERO_N_CSET	3
#define ZERO_NEVER	U32_MAX
/* Whoever unplugs waits as long: a sleep cannot be cut short. */
#define ZERO_MAX_SLEEP	(10 * USEC_PER_SEC)

enum zero_attr {
	ZERO_GAIN,
	ZERO_OFFSET,
	ZERO_SEQUENCE,
};

/* MIXED: channels 0, 1, 2, 3, ...: zero, random, sawtooth, zero, ... */
enum zero_pattern {
	ZERO_ZERO,
	ZERO_RANDOM,
	ZERO_SAWTOOTH,
	ZERO_MIXED,
};

/*
 * Of each device. attr_set() runs beside raw_io(): a sequence that is set just
 * while samples are counted may be overtaken by the count.
 */
struct zero_state {
	struct zio_cset_desc cset[ZERO_N_CSET];
	struct zio_device_desc desc;
	u32 delay_us;
	struct hrtimer timer;
	struct zio_cset *converting;
	u32 gain;	/* in 1/1000 */
	u32 offset;
	u32 sequence;
	struct zero_chan {
		enum zero_pattern pattern;
		u32 tooth;
	} chan[];	/* of cset0 */
};

static noinline void fill_sawtooth(u32 *tooth, void *data, size_t len, unsigned int ssize)
{
	u32 value = *tooth;
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
	*tooth = value;
}

static __always_inline void fill_samples(struct zero_chan *chan, void *data,
					 size_t len, unsigned int ssize)
{
	switch (chan->pattern) {
	case ZERO_ZERO:
		memset(data, 0, len);
		break;
	case ZERO_RANDOM:
		get_random_bytes(data, len);
		break;
	default:
		fill_sawtooth(&chan->tooth, data, len, ssize);
	}
}

/* A sample of each channel of the mask, then the next of each, and so on. */
static noinline void fill_interleaved(struct zero_state *state,
				      struct zio_cset *cset,
				      struct zio_block *block)
{
	unsigned int ssize = state->cset[0].ssize, index;
	u64 mask = zio_cset_mask(cset);
	void *sample = block->data;

	while (sample < block->data + block->len)
		for (index = 0; index < state->cset[0].n_chan; index++) {
			if (!(mask & BIT_ULL(index)))
				continue;
			fill_samples(&state->chan[index], sample, ssize,
				     ssize);
			sample += ssize;
		}
}

static int zero_input(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(cset, pos, chan, block) {
		if (state->cset[0].flags & ZIO_CSET_INTERLEAVED)
			fill_interleaved(state, cset, block);
		else
			fill_samples(&state->chan[zio_channel_index(chan)],
				     block->data, block->len,
				     state->cset[0].ssize);
	}
	return 0;
}

static int zero_convert_asleep(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);

	fsleep(state->delay_us);
	return zero_input(cset);
}

static enum hrtimer_restart zero_converted(struct hrtimer *timer)
{
	struct zero_state *state = container_of(timer, struct zero_state,
						timer);

	zio_cset_done(state->converting);
	return HRTIMER_NORESTART;
}

static int zero_convert(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);

	zero_input(cset);
	state->converting = cset;
	if (state->delay_us != ZERO_NEVER)
		hrtimer_start(&state->timer,
			      ns_to_ktime((u64)state->delay_us * 1000),
			      HRTIMER_MODE_REL);
	return -EAGAIN;
}

static void zero_stop(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);

	hrtimer_cancel(&state->timer);
}

/* Nothing to do: the core takes the blocks back, and counts them. */
static int zero_output(struct zio_cset *cset)
{
	return 0;
}

static u32 count_sample(struct zero_state *state)
{
	u32 n = READ_ONCE(state->sequence);

	WRITE_ONCE(state->sequence, n + 1);
	return (u32)((u64)n * READ_ONCE(state->gain) / 1000) +
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
			*sample = count_sample(state);
	return 0;
}

static u32 *find_value(struct zero_state *state, unsigned long id)
{
	switch (id) {
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
	WRITE_ONCE(*find_value(zio_cset_priv(cset), attr->id), value);
	return 0;
}

static int zero_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 *value)
{
	*value = READ_ONCE(*find_value(zio_cset_priv(cset), attr->id));
	return 0;
}

static const struct zio_cset_ops zero_input_ops = {
	.raw_io = zero_input,
};

static const struct zio_cset_ops zero_asleep_ops = {
	.raw_io = zero_convert_asleep,
};

static const struct zio_cset_ops zero_convert_ops = {
	.raw_io = zero_convert,
	.stop_io = zero_stop,
};

static const struct zio_cset_ops zero_output_ops = {
	.raw_io = zero_output,
};

static const struct zio_cset_ops zero_count_ops = {
	.raw_io = zero_count,
	.attr_set = zero_attr_set,
	.attr_get = zero_attr_get,
};

static const struct zio_attr_desc zero_count_attrs[] = {
	ZIO_ATTR_STD("gain-factor", 0644, ZIO_ATTR_GAIN, 1000, ZERO_GAIN),
	ZIO_ATTR_STD("offset", 0644, ZIO_ATTR_OFFSET, 0, ZERO_OFFSET),
	ZIO_ATTR_EXT("sequence", 0644, 0, 0, ZERO_SEQUENCE),
};

static const struct zio_cset_desc zero_csets[ZERO_N_CSET] = {
	{
		.name = "zero-input",
		.n_chan = 3,
		.ssize = 1,
		.ops = &zero_input_ops,
	}, {
		.name = "zero-output",
		.flags = ZIO_CSET_OUTPUT,
		.n_chan = 1,
		.ssize = 1,
		.ops = &zero_output_ops,
	}, {
		.name = "zero-count",
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
};

static void describe_input(struct zio_cset_desc *cset, struct device *dev)
{
	u32 delay = zio_config_value(dev, "delay-us", 0);

	cset->n_chan = zio_config_value(dev, "channels", cset->n_chan);
	cset->ssize = BIT(zio_config_value(dev, "ssize", 0));
	cset->nsamples = zio_config_value(dev, "nsamples", 0);
	if (zio_config_value(dev, "interleaved", 0))
		cset->flags |= ZIO_CSET_INTERLEAVED;
	if (zio_config_value(dev, "sleeps", 0)) {
		cset->flags |= ZIO_CSET_SLEEPS;
		cset->ops = &zero_asleep_ops;
	} else if (delay) {
		cset->ops = &zero_convert_ops;
	}
}

static void choose_patterns(struct zero_state *state, struct device *dev)
{
	u32 pattern = zio_config_value(dev, "pattern", ZERO_MIXED);
	unsigned int i;

	for (i = 0; i < state->cset[0].n_chan; i++)
		state->chan[i].pattern = pattern == ZERO_MIXED ?
			i % ZERO_MIXED : pattern;
}

static struct zero_state *alloc_state(struct device *dev)
{
	unsigned int n_chan = zio_config_value(dev, "channels",
					       zero_csets[0].n_chan);
	struct zero_state *state;

	state = devm_kzalloc(dev, struct_size(state, chan, n_chan),
			     GFP_KERNEL);
	if (!state)
		return NULL;
	memcpy(state->cset, zero_csets, sizeof(zero_csets));
	describe_input(&state->cset[0], dev);
	state->desc.name = "zzero";
	state->desc.owner = THIS_MODULE;
	state->desc.cset = state->cset;
	state->desc.n_cset = ZERO_N_CSET;
	choose_patterns(state, dev);
	state->delay_us = zio_config_value(dev, "delay-us", 0);
	state->gain = 1000;
	zio_hrtimer_setup(&state->timer, zero_converted, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL);
	return state;
}

static int zero_probe(struct platform_device *pdev)
{
	struct zero_state *state = alloc_state(&pdev->dev);
	int id = zio_config_id(&pdev->dev, pdev->id);

	if (!state)
		return -ENOMEM;
	if (zio_config_value(&pdev->dev, "sleeps", 0) &&
	    state->delay_us > ZERO_MAX_SLEEP)
		return -EINVAL;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev,
							&state->desc, id,
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
	return zio_config_driver_register(&zero_config, ndev);
}

static void __exit zero_exit(void)
{
	zio_config_driver_unregister(&zero_config);
}

module_init(zero_init);
module_exit(zero_exit);
MODULE_DESCRIPTION("ZIO: a device without hardware");
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("pre: zio-buf-kmalloc");
