// SPDX-License-Identifier: GPL-2.0-only
/*
 * iiopeer: the zeros of zio-zero as a device of the IIO framework
 *
 * Debian's kernels have IIO and its kfifo buffer, but neither iio_dummy nor a
 * software trigger. This module makes an IIO device of 64 channels of 8 bits. It has
 * two nodes. A program that writes a number N (u32) starts an acquisition:
 *
 *   /dev/zio-iio-push      pushes N scans to the buffer, with no trigger
 *   /dev/zio-iio-trigger   fires the trigger of the device N times
 */
#include <linux/fs.h>
#include <linux/iio/buffer.h>
#include <linux/iio/iio.h>
#include <linux/iio/trigger.h>
#include <linux/iio/trigger_consumer.h>
#include <linux/iio/triggered_buffer.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#define IIOPEER_CHANNELS	64

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define iio_trigger_poll_nested iio_trigger_poll_chained
#endif

static struct iio_chan_spec iiopeer_channels[IIOPEER_CHANNELS];
static struct iio_dev *iiopeer_dev;
static struct iio_trigger *iiopeer_trigger;
static u8 iiopeer_scan[IIOPEER_CHANNELS] __aligned(8);
static struct platform_device *iiopeer_pdev;

static const struct iio_info iiopeer_info = { };
static const struct iio_trigger_ops iiopeer_trigger_ops = { };

static void iiopeer_push(void)
{
	memset(iiopeer_scan, 0, iiopeer_dev->scan_bytes);
	iio_push_to_buffers(iiopeer_dev, iiopeer_scan);
}

static void iiopeer_fire(void)
{
	iio_trigger_poll_nested(iiopeer_trigger);
}

static irqreturn_t iiopeer_handle(int irq, void *pollfunc)
{
	iiopeer_push();
	iio_trigger_notify_done(iiopeer_dev->trig);
	return IRQ_HANDLED;
}

static struct miscdevice iiopeer_nodes[2];

static ssize_t iiopeer_write(struct file *file, const char __user *buf,
			     size_t len, loff_t *pos)
{
	bool pushes = file->private_data == &iiopeer_nodes[0];
	u32 n;

	if (len != sizeof(n))
		return -EINVAL;
	if (copy_from_user(&n, buf, sizeof(n)))
		return -EFAULT;
	if (pushes)
		while (n--)
			iiopeer_push();
	else
		while (n--)
			iiopeer_fire();
	return len;
}

static const struct file_operations iiopeer_fops = {
	.owner = THIS_MODULE,
	.write = iiopeer_write,
};

static struct miscdevice iiopeer_nodes[2] = {
	{ MISC_DYNAMIC_MINOR, "zio-iio-push", &iiopeer_fops },
	{ MISC_DYNAMIC_MINOR, "zio-iio-trigger", &iiopeer_fops },
};

static void iiopeer_name_channels(void)
{
	struct iio_chan_spec *chan;
	int i;

	for (i = 0; i < IIOPEER_CHANNELS; i++) {
		chan = &iiopeer_channels[i];
		chan->type = IIO_VOLTAGE;
		chan->indexed = 1;
		chan->channel = i;
		chan->scan_index = i;
		chan->scan_type.sign = 'u';
		chan->scan_type.realbits = 8;
		chan->scan_type.storagebits = 8;
	}
}

static int iiopeer_add_trigger(struct device *dev)
{
	iiopeer_trigger = devm_iio_trigger_alloc(dev, "iiopeer");
	if (!iiopeer_trigger)
		return -ENOMEM;
	iiopeer_trigger->ops = &iiopeer_trigger_ops;
	return devm_iio_trigger_register(dev, iiopeer_trigger);
}

static int iiopeer_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	int ret;

	iiopeer_dev = devm_iio_device_alloc(dev, 0);
	if (!iiopeer_dev)
		return -ENOMEM;
	ret = iiopeer_add_trigger(dev);
	if (ret)
		return ret;
	iiopeer_dev->name = "iiopeer";
	iiopeer_dev->info = &iiopeer_info;
	iiopeer_dev->modes = INDIO_DIRECT_MODE;
	iiopeer_dev->channels = iiopeer_channels;
	iiopeer_dev->num_channels = IIOPEER_CHANNELS;
	iiopeer_dev->trig = iio_trigger_get(iiopeer_trigger);
	ret = devm_iio_triggered_buffer_setup(dev, iiopeer_dev, NULL,
					      iiopeer_handle, NULL);
	if (ret)
		return ret;
	return devm_iio_device_register(dev, iiopeer_dev);
}

static struct platform_driver iiopeer_driver = {
	.driver.name = "iiopeer",
};

static int __init iiopeer_init(void)
{
	int ret;

	iiopeer_name_channels();
	iiopeer_pdev = platform_create_bundle(&iiopeer_driver, iiopeer_probe,
					      NULL, 0, NULL, 0);
	if (IS_ERR(iiopeer_pdev))
		return PTR_ERR(iiopeer_pdev);
	ret = misc_register(&iiopeer_nodes[0]);
	if (ret)
		goto err_first;
	ret = misc_register(&iiopeer_nodes[1]);
	if (ret)
		goto err_second;
	return 0;

err_second:
	misc_deregister(&iiopeer_nodes[0]);
err_first:
	platform_device_unregister(iiopeer_pdev);
	platform_driver_unregister(&iiopeer_driver);
	return ret;
}

static void __exit iiopeer_exit(void)
{
	misc_deregister(&iiopeer_nodes[1]);
	misc_deregister(&iiopeer_nodes[0]);
	platform_device_unregister(iiopeer_pdev);
	platform_driver_unregister(&iiopeer_driver);
}

module_init(iiopeer_init);
module_exit(iiopeer_exit);

MODULE_DESCRIPTION("ZIO benchmark: zeros by way of IIO");
MODULE_LICENSE("GPL");
