// SPDX-License-Identifier: GPL-2.0-only
/*
 * iio-slow.c: an IIO device without a buffer
 *
 * Read k of voltage0 gives k, of voltage1 1000 + k, of temp -k; they count together: a read
 * of voltage0 begins a new k. "humidityrelative" has no raw value, but a processed one:
 * 50.25. "proximity" has none. The descriptions of the channels
 * go with the device. These files in /sys/module/iio_slow/parameters take numbers:
 *
 *   delay  a read of voltage0 takes so many microseconds
 *   fail   reads of voltage1 fail with this error
 *   wide   reads of voltage1 give 64 bits
 *
 * "count" is the number of reads of voltage0.
 */
#include <linux/delay.h>
#include <linux/iio/iio.h>
#include <linux/module.h>
#include <linux/platform_device.h>

enum { VOLTAGE0, VOLTAGE1, TEMP, HUMIDITY, PROXIMITY };

static uint delay;
module_param(delay, uint, 0644);
static uint fail;
module_param(fail, uint, 0644);
static bool wide;
module_param(wide, bool, 0644);
static uint count;
module_param(count, uint, 0644);

static struct platform_device *slow_pdev;

static int slow_read_raw(const struct iio_chan_spec *chan, int *val)
{
	switch (chan->address) {
	case VOLTAGE0:
		if (delay)
			fsleep(delay);
		*val = count++;
		return IIO_VAL_INT;
	case VOLTAGE1:
		*val = 999 + count;
		if (fail)
			return -(int)fail;
		return wide ? IIO_VAL_INT_64 : IIO_VAL_INT;
	default:
		*val = -(int)count++;
		return IIO_VAL_INT;
	}
}

static int slow_read(struct iio_dev *indio, const struct iio_chan_spec *chan, int *val,
		     int *val2, long info)
{
	switch (info) {
	case IIO_CHAN_INFO_RAW:
		return slow_read_raw(chan, val);
	case IIO_CHAN_INFO_OFFSET:
		*val = -10;
		return IIO_VAL_INT;
	case IIO_CHAN_INFO_SCALE:
		*val = chan->type == IIO_TEMP ? 500 : 2;
		return IIO_VAL_INT;
	default:
		*val = 50;
		*val2 = 250000;
		return IIO_VAL_INT_PLUS_MICRO;
	}
}

static const struct iio_info slow_info = { .read_raw = slow_read };

static const struct iio_chan_spec slow_channels[] = {
	{
		.type = IIO_VOLTAGE, .indexed = 1, .channel = 0, .address = VOLTAGE0,
		.scan_index = -1,
		.info_mask_separate = BIT(IIO_CHAN_INFO_RAW),
		.info_mask_shared_by_type = BIT(IIO_CHAN_INFO_SCALE),
	}, {
		.type = IIO_VOLTAGE, .indexed = 1, .channel = 1, .address = VOLTAGE1,
		.scan_index = -1,
		.info_mask_separate = BIT(IIO_CHAN_INFO_RAW),
		.info_mask_shared_by_type = BIT(IIO_CHAN_INFO_SCALE),
	}, {
		.type = IIO_TEMP, .address = TEMP, .scan_index = -1,
		.info_mask_separate = BIT(IIO_CHAN_INFO_RAW) | BIT(IIO_CHAN_INFO_SCALE) |
			BIT(IIO_CHAN_INFO_OFFSET),
	}, {
		.type = IIO_HUMIDITYRELATIVE, .address = HUMIDITY, .scan_index = -1,
		.info_mask_separate = BIT(IIO_CHAN_INFO_PROCESSED),
	}, {
		.type = IIO_PROXIMITY, .address = PROXIMITY, .scan_index = -1,
		.info_mask_separate = BIT(IIO_CHAN_INFO_SCALE),
	},
};

static int slow_probe(struct platform_device *pdev)
{
	struct iio_dev *indio = devm_iio_device_alloc(&pdev->dev, 0);

	if (!indio)
		return -ENOMEM;
	indio->name = "iio-slow";
	indio->info = &slow_info;
	indio->channels = devm_kmemdup(&pdev->dev, slow_channels, sizeof(slow_channels),
				       GFP_KERNEL);
	if (!indio->channels)
		return -ENOMEM;
	indio->num_channels = ARRAY_SIZE(slow_channels);
	indio->modes = INDIO_DIRECT_MODE;
	count = 0;
	return devm_iio_device_register(&pdev->dev, indio);
}

static struct platform_driver slow_driver = {
	.driver.name = "iio-slow",
	.probe = slow_probe,
};

static int __init slow_init(void)
{
	int ret = platform_driver_register(&slow_driver);

	if (ret)
		return ret;
	slow_pdev = platform_device_register_simple("iio-slow", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(slow_pdev))
		platform_driver_unregister(&slow_driver);
	return PTR_ERR_OR_ZERO(slow_pdev);
}

static void __exit slow_exit(void)
{
	platform_device_unregister(slow_pdev);
	platform_driver_unregister(&slow_driver);
}

module_init(slow_init);
module_exit(slow_exit);

MODULE_DESCRIPTION("ZIO tests: an IIO device without a buffer");
MODULE_LICENSE("GPL");
