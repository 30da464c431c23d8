// SPDX-License-Identifier: GPL-2.0-only
/*
 * tdc.c: the driver of the TDC, ported from ZIO 1.x
 *
 * Documentation/porting/example.md tells how tdc-1x.c became this file.
 */
#include <linux/interrupt.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/regmap.h>
#include <linux/time64.h>
#include <linux/zio.h>

#include "../ex-regs.h"

enum { EXTDC_DROPPED, EXTDC_TERMINATION, EXTDC_OFFSET };

struct extdc {
	struct regmap *map;
	spinlock_t lock; /* for armed and offset, beside the interrupt */
	struct zio_cset *armed[EX_TDC_N_CHAN];
	s32 offset[EX_TDC_N_CHAN];
	int irq;
};

static const struct zio_attr_desc extdc_device_attrs[] = {
	ZIO_ATTR_EXT("dropped", 0444, 0, 0, EXTDC_DROPPED),
};

static const struct zio_attr_desc extdc_attrs[] = {
	{
		.name = "termination",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 1,
		.max = 1,
		.id = EXTDC_TERMINATION,
	}, {
		/* in ticks */
		.name = "user-offset",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 2,
		.is_signed = true,
		.id = EXTDC_OFFSET,
	},
};

static int extdc_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			  const struct zio_attr_desc *attr, u32 value)
{
	struct extdc *board = zio_cset_priv(cset);
	u32 bit = BIT(zio_cset_index(cset));
	unsigned long flags;

	if (attr->id == EXTDC_TERMINATION)
		return regmap_update_bits(board->map, EX_TDC_TERMINATION, bit,
					  value ? bit : 0);
	spin_lock_irqsave(&board->lock, flags);
	board->offset[zio_cset_index(cset)] = value;
	spin_unlock_irqrestore(&board->lock, flags);
	return 0;
}

static int extdc_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			  const struct zio_attr_desc *attr, u32 *value)
{
	struct extdc *board = zio_cset_priv(cset);
	unsigned int n = zio_cset_index(cset);
	int ret = 0;

	if (attr->id == EXTDC_TERMINATION) {
		ret = regmap_read(board->map, EX_TDC_TERMINATION, value);
		*value = !!(*value & BIT(n));
	} else {
		*value = board->offset[n];
	}
	return ret;
}

static int extdc_device_get(struct zio_device *zdev, const struct zio_attr_desc *attr,
			    u32 *value)
{
	struct extdc *board = zio_device_priv(zdev);

	return regmap_read(board->map, EX_TDC_DROPPED, value);
}

/* The offset may lead into another second. */
static struct zio_timestamp extdc_time(u32 seconds, u32 ticks, s32 offset, u32 fraction)
{
	s64 ns = (s64)seconds * NSEC_PER_SEC + ((s64)ticks + offset) * EX_TICK_NS;
	s32 rest;
	s64 secs = div_s64_rem(ns, NSEC_PER_SEC, &rest);

	return (struct zio_timestamp){ secs, rest, fraction };
}

/* Takes the oldest pulse of a channel, whose FIFO is not empty, into the armed block. */
static void extdc_take(struct extdc *board, struct zio_cset *cset)
{
	unsigned int n = zio_cset_index(cset), seconds, ticks, fraction;

	regmap_read(board->map, EX_TDC_SECONDS(n), &seconds);
	regmap_read(board->map, EX_TDC_TICKS(n), &ticks);
	regmap_read(board->map, EX_TDC_FRACTION(n), &fraction);
	regmap_write(board->map, EX_TDC_NEXT(n), 1);
	zio_cset_block(cset)->tstamp = extdc_time(seconds, ticks, board->offset[n], fraction);
}

static bool extdc_has_pulse(struct extdc *board, unsigned int n)
{
	unsigned int waiting;

	regmap_read(board->map, EX_TDC_IRQ, &waiting);
	return waiting & BIT(n);
}

/* A pulse waits, or the interrupt of the next one takes it: the lock leaves no gap. */
static int extdc_raw_io(struct zio_cset *cset)
{
	struct extdc *board = zio_cset_priv(cset);
	unsigned int n = zio_cset_index(cset);
	unsigned long flags;
	bool is_done;

	regmap_update_bits(board->map, EX_TDC_ENABLE, BIT(n), BIT(n));
	spin_lock_irqsave(&board->lock, flags);
	is_done = extdc_has_pulse(board, n);
	if (is_done)
		extdc_take(board, cset);
	else
		board->armed[n] = cset;
	spin_unlock_irqrestore(&board->lock, flags);
	return is_done ? 0 : ZIO_PENDING;
}

/* Returns the set of a channel that has got a pulse, and has no blocks any more. */
static struct zio_cset *extdc_collect(struct extdc *board, unsigned int n)
{
	struct zio_cset *cset = NULL;
	unsigned long flags;

	spin_lock_irqsave(&board->lock, flags);
	if (board->armed[n] && extdc_has_pulse(board, n)) {
		cset = board->armed[n];
		board->armed[n] = NULL;
		extdc_take(board, cset);
	}
	spin_unlock_irqrestore(&board->lock, flags);
	return cset;
}

static void extdc_stop_io(struct zio_cset *cset)
{
	struct extdc *board = zio_cset_priv(cset);
	unsigned int n = zio_cset_index(cset);
	unsigned long flags;

	regmap_update_bits(board->map, EX_TDC_ENABLE, BIT(n), 0);
	spin_lock_irqsave(&board->lock, flags);
	board->armed[n] = NULL;
	spin_unlock_irqrestore(&board->lock, flags);
	synchronize_irq(board->irq);
}

static irqreturn_t extdc_irq(int irq, void *data)
{
	struct extdc *board = data;
	struct zio_cset *cset;
	unsigned int n;

	for (n = 0; n < EX_TDC_N_CHAN; n++) {
		cset = extdc_collect(board, n);
		if (cset)
			zio_cset_done(cset);
	}
	return IRQ_HANDLED;
}

static const struct zio_cset_ops extdc_ops = {
	.raw_io = extdc_raw_io,
	.stop_io = extdc_stop_io,
	.attr_set = extdc_attr_set,
	.attr_get = extdc_attr_get,
};

#define EXTDC_CHANNEL(_name) {						\
	.name = _name,							\
	.n_chan = 1,							\
	.trigger = "transparent",					\
	.clock_source = "extdc",					\
	.ops = &extdc_ops,						\
	.cset_attrs = extdc_attrs,					\
	.n_cset_attrs = ARRAY_SIZE(extdc_attrs),			\
}

static const struct zio_cset_desc extdc_csets[] = {
	EXTDC_CHANNEL("ex-ch1"),
	EXTDC_CHANNEL("ex-ch2"),
};

static const struct zio_device_ops extdc_device_ops = {
	.attr_get = extdc_device_get,
};

static const struct zio_device_desc extdc_desc = {
	.name = "extdc",
	.owner = THIS_MODULE,
	.cset = extdc_csets,
	.n_cset = ARRAY_SIZE(extdc_csets),
	.ops = &extdc_device_ops,
	.attrs = extdc_device_attrs,
	.n_attrs = ARRAY_SIZE(extdc_device_attrs),
};

static int extdc_probe(struct platform_device *pdev)
{
	struct extdc *board = devm_kzalloc(&pdev->dev, sizeof(*board), GFP_KERNEL);
	int ret;

	if (!board)
		return -ENOMEM;
	spin_lock_init(&board->lock);
	board->map = dev_get_regmap(pdev->dev.parent, NULL);
	if (!board->map)
		return -ENODEV;
	board->irq = platform_get_irq(pdev, 0);
	if (board->irq < 0)
		return board->irq;
	ret = devm_request_irq(&pdev->dev, board->irq, extdc_irq, 0, "extdc", board);
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &extdc_desc, pdev->id,
							board));
}

static struct platform_driver extdc_driver = {
	.driver.name = "ex-tdc",
	.probe = extdc_probe,
};
module_platform_driver(extdc_driver);

MODULE_ALIAS("platform:ex-tdc");
MODULE_DESCRIPTION("The TDC of the guide to porting");
MODULE_LICENSE("GPL");
