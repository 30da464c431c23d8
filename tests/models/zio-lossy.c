// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-lossy.c: a board and its trigger, which lose and miss on order
 *
 * The events of the board are a millisecond apart, in a time of its own that begins when the
 * module is loaded. Event k has the samples 4 k to 4 k + 3, so a sample tells when it was
 * taken. Nothing happens without an order. A user gives the trigger "lossy" to the set. It has
 * these files, which take numbers:
 *
 *   fire   the next N events make blocks
 *   miss   the trigger misses the next N events
 *   lose   the board loses the blocks of the next N events
 *
 * The time goes on while the board is unbound. The time stamps follow the clock that a user
 * sets.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/zio-trigger.h>
#include <linux/zio.h>

#define SAMPLES		4
#define PERIOD_NS	NSEC_PER_MSEC

enum { LOSSY_FIRE, LOSSY_MISS, LOSSY_LOSE };

/* Events come in the context of a write to the trigger, one at a time. */
static ktime_t lossy_begin;
static u32 lossy_event;
static u32 lossy_lost;
static struct platform_device *lossy_pdev;

static int lossy_raw_io(struct zio_cset *cset)
{
	struct zio_block *block = zio_cset_block(cset);
	u32 *sample = block->data, i;

	for (i = 0; i < block->len / sizeof(*sample); i++)
		sample[i] = lossy_event * SAMPLES + i;
	zio_cset_lost(cset, lossy_lost);
	lossy_lost = 0;
	return 0;
}

static int lossy_check_shape(struct zio_cset *cset, const struct zio_shape *shape)
{
	return shape->post_samples > SAMPLES ? -ERANGE : 0;
}

static void lossy_get_timing(const struct zio_cset *cset, struct zio_timing *timing)
{
	timing->rate_num = SAMPLES * (NSEC_PER_SEC / PERIOD_NS);
	timing->rate_den = 1;
	timing->error_ns = 1;
}

static const struct zio_cset_ops lossy_ops = {
	.raw_io = lossy_raw_io,
	.check_shape = lossy_check_shape,
	.get_timing = lossy_get_timing,
};

static const struct zio_cset_desc lossy_cset = {
	.n_chan = 1,
	.ssize = sizeof(u32),
	.nsamples = SAMPLES,
	.ops = &lossy_ops,
};

static const struct zio_device_desc lossy_desc = {
	.name = "lossy",
	.owner = THIS_MODULE,
	.cset = &lossy_cset,
	.n_cset = 1,
};

static int lossy_probe(struct platform_device *pdev)
{
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &lossy_desc, 0, NULL));
}

static struct platform_driver lossy_driver = {
	.driver.name = "zio-lossy",
	.probe = lossy_probe,
};

static void lossy_fire(struct zio_trigger *trig)
{
	ktime_t at = ktime_add_ns(lossy_begin, (u64)lossy_event * PERIOD_NS);
	struct timespec64 time;

	if (zio_trigger_clock(trig) == CLOCK_REALTIME)
		at = ktime_mono_to_real(at);
	time = ktime_to_timespec64(at);
	zio_trigger_fire_at(trig, &time);
	lossy_event++;
}

static int lossy_act(struct zio_trigger *trig, unsigned int index, u64 n)
{
	switch (index) {
	case LOSSY_FIRE:
		while (n--)
			lossy_fire(trig);
		return 0;
	case LOSSY_MISS:
		zio_trigger_miss(trig, n);
		break;
	case LOSSY_LOSE:
		lossy_lost += n;
		break;
	}
	lossy_event += n;
	return 0;
}

#define LOSSY_ACTION(_name)	{					\
	.name = (_name),						\
	.mode = 0200,							\
	.min = 1,							\
	.max = 1000000,							\
}

static const struct zio_attr_desc lossy_attrs[] = {
	[LOSSY_FIRE] = LOSSY_ACTION("fire"),
	[LOSSY_MISS] = LOSSY_ACTION("miss"),
	[LOSSY_LOSE] = LOSSY_ACTION("lose"),
};

static const struct zio_trigger_ops lossy_trigger_ops = { .act = lossy_act };

static struct zio_trigger_type lossy_trigger = {
	.name = "lossy",
	.owner = THIS_MODULE,
	.ops = &lossy_trigger_ops,
	.attrs = lossy_attrs,
	.n_attrs = ARRAY_SIZE(lossy_attrs),
};

static int __init lossy_init(void)
{
	int ret;

	lossy_begin = ktime_get();
	ret = zio_trigger_type_register(&lossy_trigger);
	if (ret)
		return ret;
	ret = platform_driver_register(&lossy_driver);
	if (ret)
		goto unregister_type;
	lossy_pdev = platform_device_register_simple("zio-lossy", PLATFORM_DEVID_NONE, NULL, 0);
	if (!IS_ERR(lossy_pdev))
		return 0;
	ret = PTR_ERR(lossy_pdev);
	platform_driver_unregister(&lossy_driver);
unregister_type:
	zio_trigger_type_unregister(&lossy_trigger);
	return ret;
}
module_init(lossy_init);

static void __exit lossy_exit(void)
{
	platform_device_unregister(lossy_pdev);
	platform_driver_unregister(&lossy_driver);
	zio_trigger_type_unregister(&lossy_trigger);
}
module_exit(lossy_exit);

MODULE_DESCRIPTION("ZIO tests: a board that loses and misses on order");
MODULE_LICENSE("GPL");
