// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-fake-adc.c: a simulated board with settings and its own trigger
 *
 * cset0: input, 16 bits: two channels, with the trigger of the board. Initially disabled.
 * cset1: input without samples: one pulse per block. Its channel is initially disabled.
 *
 * The trigger of the board fires when a user writes to its file "fire", and every
 * "period-ms" milliseconds. Each sample is the trigger's level plus the channel number.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>
#include <linux/zio-compat.h>
#include <linux/zio-config.h>
#include <linux/zio.h>

static unsigned int ndev = 1;
module_param(ndev, uint, 0444);
MODULE_PARM_DESC(ndev, "number of devices (default 1)");

#define ADC_VERSION	ZIO_VERSION(1, 0, 0)

enum adc_attr {
	ADC_ID,
	ADC_SECONDS,
	ADC_COMMAND,
	ADC_TEMPERATURE,
	ADC_MODE,
	ADC_PERIOD,
	ADC_LEVEL,
	ADC_POLARITY,
	ADC_FIRED,
	ADC_FIRE,
	N_ADC_ATTRS
};

/**
 * struct adc_state - a board
 * @lock: protects @armed
 * @timer: its clock
 * @cset: the set with the board's trigger
 * @armed: the board waits for its trigger
 * @fired: how often the trigger has fired
 * @commands: number of commands received
 * @start: the second at which its seconds counter was 0
 * @reg: values that are only stored
 */
struct adc_state {
	spinlock_t lock; /* armed */
	struct hrtimer timer;
	struct zio_cset *cset;
	bool armed;
	u32 fired;
	u32 commands;
	time64_t start;
	u32 reg[N_ADC_ATTRS];
};

static const u32 adc_modes[] = { 0, 1, 3 };

static const struct zio_attr_desc adc_device_attrs[] = {
	ZIO_ATTR_STD("version", 0444, ZIO_ATTR_DEV_VERSION, ADC_VERSION, ADC_ID),
	ZIO_ATTR_PARAM("seconds", 0644, 0, ADC_SECONDS),
	{ .name = "command", .mode = 0200, .max = 3, .id = ADC_COMMAND },
	{ .name = "temperature", .mode = 0444, .is_signed = true, .id = ADC_TEMPERATURE },
	{
		.name = "transfer-mode",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 5,
		.max = 3,
		.choices = adc_modes,
		.n_choices = ARRAY_SIZE(adc_modes),
		.id = ADC_MODE,
	},
};

static const struct zio_attr_desc adc_trigger_attrs[] = {
	{ .name = "period-ms", .mode = 0644, .place = ZIO_ATTR_PLACE_EXT, .max = 86400000,
	  .id = ADC_PERIOD },
	{
		.name = "level",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 1,
		.min = -1000,
		.max = 1000,
		.is_signed = true,
		.id = ADC_LEVEL,
	},
	{
		.name = "polarity",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 31,
		.max = 1,
		.id = ADC_POLARITY,
	},
	ZIO_ATTR_PARAM("fired", 0444, 0, ADC_FIRED),
	ZIO_ATTR_PARAM("fire", 0200, 0, ADC_FIRE),
};

static const struct zio_board_trigger adc_trigger = {
	.name = "fake-adc",
	.attrs = adc_trigger_attrs,
	.n_attrs = ARRAY_SIZE(adc_trigger_attrs),
};

/* The device */

static int adc_device_set(struct zio_device *zdev, const struct zio_attr_desc *attr, u32 value)
{
	struct adc_state *adc = zio_device_priv(zdev);

	if (attr->id == ADC_SECONDS)
		adc->start = ktime_get_seconds() - value;
	else if (attr->id == ADC_COMMAND)
		adc->commands++;
	else
		adc->reg[attr->id] = value;
	return 0;
}

/* The temperature shows the number of commands, for programs to check. */
static int adc_device_get(struct zio_device *zdev, const struct zio_attr_desc *attr, u32 *value)
{
	struct adc_state *adc = zio_device_priv(zdev);

	if (attr->id == ADC_SECONDS)
		*value = ktime_get_seconds() - adc->start;
	else if (attr->id == ADC_TEMPERATURE)
		*value = adc->commands - 40;
	return 0;
}

static const struct zio_device_ops adc_device_ops = {
	.attr_set = adc_device_set,
	.attr_get = adc_device_get,
};

/* The set with the trigger of the board */

static void adc_fill(struct adc_state *adc, struct zio_cset *cset)
{
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;
	u16 *sample;

	zio_for_each_block(cset, pos, chan, block)
		for (sample = block->data; (void *)sample < block->data + block->len; sample++)
			*sample = READ_ONCE(adc->reg[ADC_LEVEL]) + zio_channel_index(chan);
}

/* Disarms the board. Returns true if it was armed. */
static bool adc_disarm(struct adc_state *adc)
{
	unsigned long flags;
	bool was_armed;

	spin_lock_irqsave(&adc->lock, flags);
	was_armed = adc->armed;
	adc->armed = false;
	spin_unlock_irqrestore(&adc->lock, flags);
	return was_armed;
}

static void adc_trigger_fires(struct adc_state *adc)
{
	struct zio_block *first, *block;
	struct zio_channel *chan;
	struct zio_armed *pos;

	if (!adc_disarm(adc))
		return;
	WRITE_ONCE(adc->fired, adc->fired + 1);
	adc_fill(adc, adc->cset);
	/* The blocks still have the time at which the board was armed. */
	first = zio_cset_block(adc->cset);
	zio_cset_stamp(adc->cset, first);
	zio_for_each_block(adc->cset, pos, chan, block)
		block->tstamp = first->tstamp;
	zio_cset_done(adc->cset);
}

static enum hrtimer_restart adc_expired(struct hrtimer *timer)
{
	adc_trigger_fires(container_of(timer, struct adc_state, timer));
	return HRTIMER_NORESTART;
}

static int adc_raw_io(struct zio_cset *cset)
{
	struct adc_state *adc = zio_cset_priv(cset);
	u32 period = READ_ONCE(adc->reg[ADC_PERIOD]);
	unsigned long flags;

	/* Another trigger or a user has fired, so the board converts at once. */
	if (!zio_cset_uses_board_trigger(cset)) {
		adc_fill(adc, cset);
		return 0;
	}
	spin_lock_irqsave(&adc->lock, flags);
	adc->armed = true;
	if (period)
		hrtimer_start(&adc->timer, ms_to_ktime(period), HRTIMER_MODE_REL);
	spin_unlock_irqrestore(&adc->lock, flags);
	return ZIO_PENDING;
}

static void adc_stop(struct zio_cset *cset)
{
	struct adc_state *adc = zio_cset_priv(cset);

	hrtimer_cancel(&adc->timer);
	adc_disarm(adc);
}

static int adc_init_set(struct zio_cset *cset)
{
	struct adc_state *adc = zio_cset_priv(cset);

	adc->cset = cset;
	return 0;
}

static int adc_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			const struct zio_attr_desc *attr, u32 value)
{
	struct adc_state *adc = zio_cset_priv(cset);

	if (attr->id == ADC_FIRE)
		adc_trigger_fires(adc);
	else
		WRITE_ONCE(adc->reg[attr->id], value);
	return 0;
}

static int adc_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			const struct zio_attr_desc *attr, u32 *value)
{
	struct adc_state *adc = zio_cset_priv(cset);

	if (attr->id == ADC_FIRED)
		*value = READ_ONCE(adc->fired);
	return 0;
}

static const struct zio_cset_ops adc_ops = {
	.init = adc_init_set,
	.raw_io = adc_raw_io,
	.stop_io = adc_stop,
	.attr_set = adc_attr_set,
	.attr_get = adc_attr_get,
};

/* The pulse comes at once. */
static int adc_pulse_raw_io(struct zio_cset *cset)
{
	return 0;
}

static const struct zio_cset_ops adc_pulse_ops = { .raw_io = adc_pulse_raw_io };

static const struct zio_cset_desc adc_csets[] = {
	{
		.name = "adc",
		.flags = ZIO_CSET_DISABLED | ZIO_CSET_USER_RATE,
		.n_chan = 2,
		.ssize = 2,
		.board_trigger = &adc_trigger,
		.ops = &adc_ops,
	}, {
		.name = "pulse",
		.flags = ZIO_CSET_CHANS_DISABLED,
		.n_chan = 1,
		.ops = &adc_pulse_ops,
	},
};

static const struct zio_device_desc adc_desc = {
	.name = "zadc",
	.owner = THIS_MODULE,
	.cset = adc_csets,
	.n_cset = ARRAY_SIZE(adc_csets),
	.ops = &adc_device_ops,
	.attrs = adc_device_attrs,
	.n_attrs = ARRAY_SIZE(adc_device_attrs),
};

static int adc_probe(struct platform_device *pdev)
{
	int id = zio_config_id(&pdev->dev, pdev->id);
	struct adc_state *adc = devm_kzalloc(&pdev->dev, sizeof(*adc), GFP_KERNEL);

	if (!adc)
		return -ENOMEM;
	spin_lock_init(&adc->lock);
	zio_hrtimer_setup(&adc->timer, adc_expired, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &adc_desc, id, adc));
}

static struct platform_driver adc_driver = {
	.driver.name = "zio-fake-adc",
	.probe = adc_probe,
};

static struct zio_config_type adc_config = {
	.name = "zadc",
	.owner = THIS_MODULE,
	.driver = &adc_driver,
};

static int __init adc_init(void)
{
	return zio_config_driver_register(&adc_config, ndev);
}

static void __exit adc_exit(void)
{
	zio_config_driver_unregister(&adc_config);
}

module_init(adc_init);
module_exit(adc_exit);
MODULE_DESCRIPTION("ZIO: a simulated board with settings and its own trigger");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
