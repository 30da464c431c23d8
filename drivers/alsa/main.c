// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: an ALSA PCM as a ZIO device
 *
 * Users make a device by mkdir in /sys/kernel/config/zio/devices/zalsa. Capture is an
 * interleaved input, playback an interleaved output stream. See Documentation/alsa.md.
 */
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/pm.h>
#include <linux/zio-config.h>

#include "alsa.h"

enum { ALSA_CAPTURE, ALSA_PLAYBACK, ALSA_BOTH };

static const char *const alsa_directions[] = { "capture", "playback", "both", NULL };

/* The names of alsa_formats, for configfs */
static const char *format_names[ALSA_N_FORMATS + 1];

static const struct zio_attr_desc alsa_config_attrs[] = {
	{ .name = "pcm", .mode = 0644, .text = "<text>" },
	{ .name = "direction", .mode = 0644, .words = alsa_directions },
	{ .name = "format", .mode = 0644, .words = format_names },
	{ .name = "rate", .mode = 0644, .max = 1000000 },
	{ .name = "channels", .mode = 0644, .max = 64 },
	{ .name = "period", .mode = 0644, .max = BIT(20) },
	{ .name = "periods", .mode = 0644, .max = 1024 },
};

/* Full scale is 1 until a user sets the scale. */
static void alsa_describe_scale(struct alsa_stream *s, struct zio_scaling *scaling)
{
	unsigned int i;
	s64 mant = 1;
	s32 exp = 0;

	/* Each bit halves the step: 5 / 10. 18 digits are more than a double has. */
	for (i = 1; i < s->msbits; i++) {
		if (mant > S64_MAX / 5) {
			mant = div_s64(mant + 5, 10);
			exp++;
		}
		mant *= 5;
		exp--;
	}
	scaling->flags = ZIO_SCALING_WRITABLE;
	scaling->mant = mant;
	scaling->exp = exp;
	if (s->format->is_signed)
		scaling->flags |= ZIO_SCALING_SIGNED;
	else
		scaling->offset = -1000000;
}

/* The control of each block has the rate, and programs that store blocks keep it. */
static void alsa_describe_attrs(struct alsa_stream *s, struct zio_attr_desc *attrs)
{
	const struct zio_attr_desc all[] = {
		ZIO_ATTR_EXT("rate", 0444, 0, s->rate, ALSA_RATE),
		ZIO_ATTR_PARAM("period", 0444, s->period, ALSA_PERIOD),
		ZIO_ATTR_PARAM("buffer-frames", 0444, s->buffer, ALSA_BUFFER),
		ZIO_ATTR_PARAM("xruns", 0444, 0, ALSA_XRUNS),
		ZIO_ATTR_PARAM("stalls", 0444, 0, ALSA_STALLS),
	};

	BUILD_BUG_ON(ARRAY_SIZE(all) != ALSA_N_ATTRS);
	memcpy(attrs, all, sizeof(all));
}

static void alsa_describe_cset(struct alsa_device *adev, unsigned int i)
{
	struct alsa_stream *s = &adev->stream[i];
	struct zio_cset_desc *cset = &adev->cset[i];

	alsa_describe_scale(s, &adev->scaling[i]);
	alsa_describe_attrs(s, adev->attrs[i]);
	cset->name = s->is_output ? "playback" : "capture";
	cset->flags = ZIO_CSET_INTERLEAVED;
	if (s->is_output)
		cset->flags |= ZIO_CSET_OUTPUT | ZIO_CSET_STREAM;
	if (s->msbits < s->format->nbits)
		cset->flags |= ZIO_CSET_MSB_ALIGN;
	cset->n_chan = s->channels;
	cset->ssize = s->format->ssize;
	cset->nbits = s->msbits;
	cset->nsamples = s->period;
	cset->trigger = "transparent";
	cset->queue_depth = min(s->buffer, ZIO_MAX_QUEUE_DEPTH);
	cset->ops = s->is_output ? &alsa_output_ops : &alsa_input_ops;
	cset->cset_attrs = adev->attrs[i];
	cset->n_cset_attrs = ALSA_N_ATTRS;
	cset->scaling = &adev->scaling[i];
	cset->n_scaling = 1;
}

static void alsa_main_close_stream(void *data)
{
	alsa_close_stream(data);
}

static void alsa_close_device(void *data)
{
	alsa_close(data);
}

static int alsa_add_stream(struct alsa_device *adev, bool is_output)
{
	unsigned int i = adev->n_streams;
	struct alsa_stream *s = &adev->stream[i];
	const struct alsa_wish wish = {
		.format = zio_config_value(adev->dev, "format", 0),
		.rate = zio_config_value(adev->dev, "rate", 0),
		.channels = zio_config_value(adev->dev, "channels", 0),
		.period = zio_config_value(adev->dev, "period", 0),
		.periods = zio_config_value(adev->dev, "periods", 0),
	};
	int ret;

	s->dev = adev->dev;
	s->is_output = is_output;
	ret = alsa_open_stream(adev, s);
	if (!ret)
		ret = devm_add_action_or_reset(adev->dev, alsa_main_close_stream, s);
	if (!ret)
		ret = alsa_configure(s, &wish);
	if (!ret)
		ret = alsa_init_stream(s);
	if (ret)
		return ret;
	alsa_describe_cset(adev, i);
	adev->n_streams++;
	return 0;
}

static int alsa_probe(struct platform_device *pdev)
{
	struct alsa_device *adev = devm_kzalloc(&pdev->dev, sizeof(*adev), GFP_KERNEL);
	unsigned int direction = zio_config_value(&pdev->dev, "direction", ALSA_CAPTURE);
	int ret;

	if (!adev)
		return -ENOMEM;
	adev->dev = &pdev->dev;
	ret = alsa_open(adev, zio_config_text(&pdev->dev, "pcm", ""));
	if (!ret)
		ret = devm_add_action_or_reset(&pdev->dev, alsa_close_device, adev);
	if (!ret && direction != ALSA_PLAYBACK)
		ret = alsa_add_stream(adev, false);
	if (!ret && direction != ALSA_CAPTURE)
		ret = alsa_add_stream(adev, true);
	if (ret)
		return ret;
	adev->desc.name = "zalsa";
	adev->desc.owner = THIS_MODULE;
	adev->desc.cset = adev->cset;
	adev->desc.n_cset = adev->n_streams;
	platform_set_drvdata(pdev, adev);
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &adev->desc,
							zio_config_id(&pdev->dev, pdev->id),
							adev));
}

static int alsa_suspend_device(struct device *dev)
{
	struct alsa_device *adev = dev_get_drvdata(dev);
	unsigned int i;

	for (i = 0; i < adev->n_streams; i++)
		alsa_suspend(&adev->stream[i]);
	return 0;
}

static int alsa_resume_device(struct device *dev)
{
	struct alsa_device *adev = dev_get_drvdata(dev);
	unsigned int i;

	for (i = 0; i < adev->n_streams; i++)
		alsa_resume(&adev->stream[i]);
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(alsa_pm, alsa_suspend_device, alsa_resume_device);

static struct platform_driver alsa_driver = {
	.driver.name = "zio-alsa",
	.driver.pm = pm_sleep_ptr(&alsa_pm),
	.probe = alsa_probe,
};

static struct zio_config_type alsa_config = {
	.name = "zalsa",
	.owner = THIS_MODULE,
	.driver = &alsa_driver,
	.attrs = alsa_config_attrs,
	.n_attrs = ARRAY_SIZE(alsa_config_attrs),
};

static int __init alsa_module_init(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ALSA_N_FORMATS; i++)
		format_names[i] = alsa_formats[i].name;
	/* Freezable: the service must not start a PCM while the machine goes to sleep. */
	alsa_wq = alloc_workqueue("zio-alsa", WQ_FREEZABLE | WQ_UNBOUND, 0);
	if (!alsa_wq)
		return -ENOMEM;
	ret = zio_config_driver_register(&alsa_config, 0);
	if (ret)
		destroy_workqueue(alsa_wq);
	return ret;
}

static void __exit alsa_module_exit(void)
{
	zio_config_driver_unregister(&alsa_config);
	destroy_workqueue(alsa_wq);
}

module_init(alsa_module_init);
module_exit(alsa_module_exit);
MODULE_DESCRIPTION("ZIO: sound cards (ALSA)");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
