// SPDX-License-Identifier: GPL-2.0-only
/*
 * iio-ramp.c: an IIO device whose samples are known
 *
 * Scan k has samples that follow from k, in formats of all kinds. The bits around the
 * valid ones are noise. The time stamp of scan k is 1.7e18 + 1000 * k ns. The device has
 * a trigger, "ramp-trigger". These files in /sys/module/iio_ramp/parameters take numbers:
 *
 *   fire   fires the trigger N times, and waits for each scan
 *   push   pushes N scans without a trigger
 *   fail   the next N events of the trigger give no scan
 */
#include <linux/iio/buffer.h>
#include <linux/iio/iio.h>
#include <linux/iio/trigger.h>
#include <linux/iio/trigger_consumer.h>
#include <linux/iio/triggered_buffer.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define iio_trigger_poll_nested iio_trigger_poll_chained
#endif

#define FIRST_STAMP	1700000000000000000ll
#define ELEMENTS	4

enum { VOLTAGE0, VOLTAGE1, TEMP, ACCEL_X, ACCEL_Y, ROT, STAMP };

static uint fail;
module_param(fail, uint, 0644);
static bool own;
module_param(own, bool, 0444);
MODULE_PARM_DESC(own, "the device begins with its trigger");

static struct iio_dev *ramp_dev;
static struct iio_trigger *ramp_trigger;
static struct platform_device *ramp_pdev;
static DEFINE_MUTEX(ramp_lock);
static u32 ramp_k;
static int accel_scale = 598550;	/* in 10^-9 */

struct ramp_scan {
	__be16 voltage[2];
	s8 temp;
	u16 accel[2];

	s32 __aligned(16) rot[ELEMENTS];
	s64 __aligned(8) stamp;
};

static void fill_scan(struct ramp_scan *scan, u32 k)
{
	u16 x = -(k % 5000), y = k % 5000;
	int i;

	scan->voltage[0] = cpu_to_be16((k & 0xfff) << 4 | 9);
	scan->voltage[1] = cpu_to_be16(((k + 1000) & 0xfff) << 4 | 6);
	scan->temp = -(int)(k % 100);
	scan->accel[0] = (x & 0x3fff) | (k & 1 ? 0xc000 : 0x4000);
	scan->accel[1] = (y & 0x3fff) | (k & 1 ? 0x8000 : 0);
	for (i = 0; i < ELEMENTS; i++)
		scan->rot[i] = (int)(k * 4 + i) * (i & 1 ? -1 : 1);
}

/* Only the channels that are enabled, as most drivers do it */
static void push_scan(struct iio_dev *indio)
{
	static const u8 size[] = { 2, 2, 1, 2, 2, 16 };
	struct ramp_scan scan = { };
	const void *from[] = { &scan.voltage[0], &scan.voltage[1], &scan.temp,
			       &scan.accel[0], &scan.accel[1], scan.rot };
	u8 data[sizeof(scan) + 16] __aligned(16) = { };
	u32 k = ramp_k++;
	size_t end = 0;
	int i;

	fill_scan(&scan, k);
	for (i = 0; i < STAMP; i++) {
		if (!test_bit(i, indio->active_scan_mask))
			continue;
		end = ALIGN(end, size[i]);
		memcpy(data + end, from[i], size[i]);
		end += size[i];
	}
	iio_push_to_buffers_with_timestamp(indio, data, FIRST_STAMP + 1000ll * k);
}

static irqreturn_t ramp_handle(int irq, void *p)
{
	struct iio_poll_func *pf = p;

	if (fail)
		fail--;
	else
		push_scan(pf->indio_dev);
	iio_trigger_notify_done(pf->indio_dev->trig);
	return IRQ_HANDLED;
}

static int repeat(const char *text, void (*act)(void))
{
	uint n;
	int ret = kstrtouint(text, 0, &n);

	if (ret)
		return ret;
	mutex_lock(&ramp_lock);
	while (n-- && ramp_dev)
		act();
	mutex_unlock(&ramp_lock);
	return 0;
}

static void fire_trigger(void)
{
	iio_trigger_poll_nested(ramp_trigger);
}

static void push_alone(void)
{
	if (iio_buffer_enabled(ramp_dev))
		push_scan(ramp_dev);
}

static int set_fire(const char *text, const struct kernel_param *param)
{
	return repeat(text, fire_trigger);
}

static int set_push(const char *text, const struct kernel_param *param)
{
	return repeat(text, push_alone);
}

static const struct kernel_param_ops fire_ops = { .set = set_fire };
static const struct kernel_param_ops push_ops = { .set = set_push };
module_param_cb(fire, &fire_ops, NULL, 0200);
module_param_cb(push, &push_ops, NULL, 0200);

static int ramp_read(struct iio_dev *indio, const struct iio_chan_spec *chan, int *val,
		     int *val2, long info)
{
	if (info == IIO_CHAN_INFO_OFFSET) {
		*val = -10;
		return IIO_VAL_INT;
	}
	switch (chan->type) {
	case IIO_VOLTAGE:
		*val = 0;
		*val2 = 500000;
		return IIO_VAL_INT_PLUS_MICRO;
	case IIO_TEMP:
		*val = 500;
		return IIO_VAL_INT;
	default:
		*val = 0;
		*val2 = accel_scale;
		return IIO_VAL_INT_PLUS_NANO;
	}
}

static int ramp_write(struct iio_dev *indio, const struct iio_chan_spec *chan, int val,
		      int val2, long info)
{
	accel_scale = val2;
	return 0;
}

static int ramp_write_format(struct iio_dev *indio, const struct iio_chan_spec *chan,
			     long info)
{
	return IIO_VAL_INT_PLUS_NANO;
}

static const struct iio_info ramp_info = {
	.read_raw = ramp_read,
	.write_raw = ramp_write,
	.write_raw_get_fmt = ramp_write_format,
};

#define FORMAT(_sign, _real, _bits, _shift, _repeat, _endian)	{	\
	.sign = (_sign), .realbits = (_real), .storagebits = (_bits),	\
	.shift = (_shift), .repeat = (_repeat), .endianness = (_endian) }

static const struct iio_chan_spec ramp_channels[] = {
	{
		.type = IIO_VOLTAGE, .indexed = 1, .channel = 0, .scan_index = VOLTAGE0,
		.info_mask_shared_by_type = BIT(IIO_CHAN_INFO_SCALE),
		.scan_type = FORMAT('u', 12, 16, 4, 0, IIO_BE),
	}, {
		.type = IIO_VOLTAGE, .indexed = 1, .channel = 1, .scan_index = VOLTAGE1,
		.info_mask_shared_by_type = BIT(IIO_CHAN_INFO_SCALE),
		.scan_type = FORMAT('u', 12, 16, 4, 0, IIO_BE),
	}, {
		.type = IIO_TEMP, .scan_index = TEMP,
		.info_mask_separate = BIT(IIO_CHAN_INFO_SCALE) | BIT(IIO_CHAN_INFO_OFFSET),
		.scan_type = FORMAT('s', 8, 8, 0, 0, IIO_CPU),
	}, {
		.type = IIO_ACCEL, .modified = 1, .channel2 = IIO_MOD_X,
		.scan_index = ACCEL_X,
		.info_mask_shared_by_type = BIT(IIO_CHAN_INFO_SCALE),
		.scan_type = FORMAT('s', 14, 16, 0, 0, IIO_CPU),
	}, {
		.type = IIO_ACCEL, .modified = 1, .channel2 = IIO_MOD_Y,
		.scan_index = ACCEL_Y,
		.info_mask_shared_by_type = BIT(IIO_CHAN_INFO_SCALE),
		.scan_type = FORMAT('s', 14, 16, 0, 0, IIO_CPU),
	}, {
		.type = IIO_ROT, .modified = 1, .channel2 = IIO_MOD_QUATERNION,
		.scan_index = ROT,
		.scan_type = FORMAT('s', 32, 32, 0, ELEMENTS, IIO_CPU),
	},
	IIO_CHAN_SOFT_TIMESTAMP(STAMP),
};

static const struct iio_trigger_ops ramp_trigger_ops = { };

static int add_trigger(struct device *dev)
{
	ramp_trigger = devm_iio_trigger_alloc(dev, "ramp-trigger");
	if (!ramp_trigger)
		return -ENOMEM;
	ramp_trigger->ops = &ramp_trigger_ops;
	return devm_iio_trigger_register(dev, ramp_trigger);
}

static void hide(void *unused)
{
	mutex_lock(&ramp_lock);
	ramp_dev = NULL;
	mutex_unlock(&ramp_lock);
}

static int ramp_probe(struct platform_device *pdev)
{
	struct iio_dev *indio = devm_iio_device_alloc(&pdev->dev, 0);
	int ret;

	if (!indio)
		return -ENOMEM;
	ret = add_trigger(&pdev->dev);
	if (ret)
		return ret;
	indio->name = "iio-ramp";
	indio->info = &ramp_info;
	indio->channels = ramp_channels;
	indio->num_channels = ARRAY_SIZE(ramp_channels);
	indio->modes = INDIO_DIRECT_MODE;
	if (own)
		indio->trig = iio_trigger_get(ramp_trigger);
	ret = devm_iio_triggered_buffer_setup(&pdev->dev, indio, iio_pollfunc_store_time,
					      ramp_handle, NULL);
	if (!ret)
		ret = devm_iio_device_register(&pdev->dev, indio);
	if (ret)
		return ret;
	ramp_dev = indio;
	ramp_k = 0;
	return devm_add_action_or_reset(&pdev->dev, hide, NULL);
}

static struct platform_driver ramp_driver = {
	.driver.name = "iio-ramp",
	.probe = ramp_probe,
};

static int __init ramp_init(void)
{
	int ret = platform_driver_register(&ramp_driver);

	if (ret)
		return ret;
	ramp_pdev = platform_device_register_simple("iio-ramp", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(ramp_pdev))
		platform_driver_unregister(&ramp_driver);
	return PTR_ERR_OR_ZERO(ramp_pdev);
}

static void __exit ramp_exit(void)
{
	platform_device_unregister(ramp_pdev);
	platform_driver_unregister(&ramp_driver);
}

module_init(ramp_init);
module_exit(ramp_exit);

MODULE_DESCRIPTION("ZIO tests: an IIO device whose samples are known");
MODULE_LICENSE("GPL");
