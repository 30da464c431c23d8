// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-play.c: an output stream without hardware
 *
 * Each tick of a timer plays several blocks of each channel. A board would send the samples
 * to its converter; this one adds them up. Users make devices with mkdir in configfs. With
 * "repeats", the device repeats its last block itself, like a waveform generator with a
 * memory. Otherwise the core repeats it.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/platform_device.h>
#include <linux/zio-compat.h>
#include <linux/zio-config.h>
#include <linux/zio-stream.h>
#include <linux/zio-trigger.h>

#define PLAY_MAX_BURST	4096

enum play_attr { PLAY_PERIOD, PLAY_SUM };

/**
 * struct play_device - a device
 * @desc: descriptor of the device
 * @cset_desc: descriptor of its set
 * @cset: the set, while it plays
 * @timer: the clock of the device
 * @next: when the next tick is due, in ns of ktime_get_ns()
 * @period: ns between two ticks
 * @burst: blocks per tick and channel
 * @chan: what each channel has played
 */
struct play_device {
	struct zio_device_desc desc;
	struct zio_cset_desc cset_desc;
	struct zio_cset *cset;
	struct hrtimer timer;
	u64 next;
	u32 period;
	u32 burst;
	struct play_channel {
		u32 sum; /* of the bytes */
		bool repeats; /* has already played the oldest block in flight */
	} chan[];
};

static void play_block(u32 *sum, const struct zio_block *block)
{
	const u8 *byte = block->data;
	u32 all = *sum;
	size_t i;

	for (i = 0; i < block->len; i++)
		all += byte[i];
	WRITE_ONCE(*sum, all);
}

/* A device that repeats keeps the last block until another one comes. */
static bool play_keeps_block(const struct play_device *play, struct zio_channel *chan,
			     unsigned int i)
{
	return play->cset_desc.flags & ZIO_CSET_CYCLIC && zio_cset_is_cyclic(play->cset) &&
		!zio_channel_in_flight(chan, i + 1);
}

/*
 * The blocks of a tick are completed at once. The next ones are taken afterwards, so the
 * core counts a tick that finds the device without a block.
 */
static void play_channel(struct play_device *play, struct zio_channel *chan)
{
	struct play_channel *played = &play->chan[zio_channel_index(chan)];
	struct zio_block *block;
	unsigned int i, done = 0;

	for (i = 0; i < play->burst; i++) {
		block = zio_channel_in_flight(chan, done);
		if (!block)
			break;
		play_block(&played->sum, block);
		played->repeats = play_keeps_block(play, chan, done);
		if (!played->repeats)
			done++;
	}
	zio_channel_complete(chan, done);
	zio_channel_take_blocks(chan, UINT_MAX);
}

/* A late tick counts as one tick: nothing was played meanwhile. */
static enum hrtimer_restart play_tick(struct hrtimer *timer)
{
	struct play_device *play = container_of(timer, struct play_device, timer);
	u64 begin = ktime_get_ns(), end;
	struct zio_channel *chan;
	struct zio_armed *pos;

	zio_for_each_channel(play->cset, pos, chan)
		play_channel(play, chan);
	end = ktime_get_ns();
	play->next = max(play->next + READ_ONCE(play->period),
			 end + zio_trigger_throttle(begin, end));
	hrtimer_set_expires(timer, ns_to_ktime(play->next));
	return HRTIMER_RESTART;
}

static int play_start(struct zio_cset *cset)
{
	struct play_device *play = zio_cset_priv(cset);
	struct zio_channel *chan;
	struct zio_armed *pos;

	zio_for_each_channel(cset, pos, chan)
		zio_channel_take_blocks(chan, UINT_MAX);
	play->cset = cset;
	play->next = ktime_get_ns() + READ_ONCE(play->period);
	hrtimer_start(&play->timer, ns_to_ktime(play->next), HRTIMER_MODE_ABS);
	return ZIO_PENDING;
}

static void play_stop(struct zio_cset *cset)
{
	struct play_device *play = zio_cset_priv(cset);
	struct zio_channel *chan;
	struct zio_armed *pos;

	hrtimer_cancel(&play->timer);
	zio_for_each_channel(cset, pos, chan) {
		if (play->chan[zio_channel_index(chan)].repeats && !zio_cset_is_cyclic(cset))
			zio_channel_complete(chan, 1);
		play->chan[zio_channel_index(chan)].repeats = false;
	}
}

static int play_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 value)
{
	struct play_device *play = zio_cset_priv(cset);

	WRITE_ONCE(play->period, value);
	return 0;
}

static int play_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 *value)
{
	struct play_device *play = zio_cset_priv(cset);

	*value = attr->id == PLAY_PERIOD ? READ_ONCE(play->period) :
					   READ_ONCE(play->chan[zio_channel_index(chan)].sum);
	return 0;
}

static u32 play_samples_of_tick(const struct zio_cset *cset)
{
	const struct play_device *play = zio_cset_priv(cset);
	u32 n;

	return check_mul_overflow(zio_cset_post_samples(cset), play->burst, &n) ? 0 : n;
}

static void play_get_timing(const struct zio_cset *cset, struct zio_timing *timing)
{
	const struct play_device *play = zio_cset_priv(cset);

	zio_timing_set_rate(timing, (u64)play_samples_of_tick(cset) * NSEC_PER_SEC,
			    READ_ONCE(play->period));
}

static int play_set_rate(struct zio_cset *cset, u32 num, u32 den)
{
	struct play_device *play = zio_cset_priv(cset);
	u32 period = zio_rate_to_ns(play_samples_of_tick(cset), num, den);

	if (period < NSEC_PER_USEC || period > NSEC_PER_SEC)
		return -ERANGE;
	WRITE_ONCE(play->period, period);
	return 0;
}

/* No refill() is needed: the next tick takes what was written. */
static const struct zio_cset_ops play_ops = {
	.raw_io = play_start,
	.stop_io = play_stop,
	.get_timing = play_get_timing,
	.set_rate = play_set_rate,
	.attr_set = play_attr_set,
	.attr_get = play_attr_get,
};

static const struct zio_attr_desc play_set_attrs[] = {
	{
		.name = "period-ns",
		.mode = 0644,
		.value = NSEC_PER_MSEC,
		.min = NSEC_PER_USEC,
		.max = NSEC_PER_SEC,
		.id = PLAY_PERIOD,
	},
};

static const struct zio_attr_desc play_chan_attrs[] = {
	ZIO_ATTR_PARAM("sum", 0444, 0, PLAY_SUM),
};

/* The samples are plain numbers until a user sets their unit and scale. */
static const struct zio_scaling play_scaling = {
	.flags = ZIO_SCALING_WRITABLE,
	.mant = 1,
};

static const char *const play_sizes[] = { "1", "2", "4", NULL };

static const struct zio_attr_desc play_config_attrs[] = {
	{ .name = "channels", .mode = 0644, .value = 1, .min = 1, .max = 64 },
	{ .name = "ssize", .mode = 0644, .words = play_sizes },
	{ .name = "nsamples", .mode = 0644, .value = 16, .min = 1, .max = BIT(24) },
	{ .name = "burst", .mode = 0644, .value = 1, .min = 1, .max = PLAY_MAX_BURST },
	{ .name = "repeats", .mode = 0644, .max = 1 },
};

/* While the blocks of one tick are played, those of the next one are in flight. */
static void play_describe(struct play_device *play, struct device *dev, unsigned int n_chan)
{
	play->cset_desc = (struct zio_cset_desc) {
		.name = "play",
		.flags = ZIO_CSET_STREAM | ZIO_CSET_OUTPUT |
			 (zio_config_value(dev, "repeats", 0) ? ZIO_CSET_CYCLIC : 0),
		.n_chan = n_chan,
		.ssize = BIT(zio_config_value(dev, "ssize", 0)),
		.nsamples = zio_config_value(dev, "nsamples", 16),
		.queue_depth = max(2 * play->burst, 16u),
		.ops = &play_ops,
		.cset_attrs = play_set_attrs,
		.n_cset_attrs = ARRAY_SIZE(play_set_attrs),
		.chan_attrs = play_chan_attrs,
		.n_chan_attrs = ARRAY_SIZE(play_chan_attrs),
		.scaling = &play_scaling,
		.n_scaling = 1,
	};
	play->desc = (struct zio_device_desc) {
		.name = "zplay",
		.owner = THIS_MODULE,
		.cset = &play->cset_desc,
		.n_cset = 1,
	};
}

static int play_probe(struct platform_device *pdev)
{
	unsigned int n_chan = zio_config_value(&pdev->dev, "channels", 1);
	struct play_device *play;

	play = devm_kzalloc(&pdev->dev, struct_size(play, chan, n_chan), GFP_KERNEL);
	if (!play)
		return -ENOMEM;
	play->burst = zio_config_value(&pdev->dev, "burst", 1);
	play->period = NSEC_PER_MSEC;
	play_describe(play, &pdev->dev, n_chan);
	zio_hrtimer_setup(&play->timer, play_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &play->desc,
							zio_config_id(&pdev->dev, ZIO_ID_AUTO),
							play));
}

static struct platform_driver play_driver = {
	.driver.name = "zio-play",
	.probe = play_probe,
};

static struct zio_config_type play_config = {
	.name = "zplay",
	.owner = THIS_MODULE,
	.driver = &play_driver,
	.attrs = play_config_attrs,
	.n_attrs = ARRAY_SIZE(play_config_attrs),
};

static int __init play_init(void)
{
	return zio_config_driver_register(&play_config, 0);
}

static void __exit play_exit(void)
{
	zio_config_driver_unregister(&play_config);
}

module_init(play_init);
module_exit(play_exit);
MODULE_DESCRIPTION("ZIO: an output stream without hardware");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
