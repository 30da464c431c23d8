// SPDX-License-Identifier: GPL-2.0-only
/*
 * digitiser.c: the driver of the digitiser, ported from ZIO 1.x
 *
 * Documentation/porting/example.md tells how digitiser-1x.c became this file.
 */
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/regmap.h>
#include <linux/zio.h>

#include "../ex-regs.h"

#define EXADC_VERSION ZIO_VERSION(3, 0, 0)

enum { EXADC_NONE, EXADC_TEMP, EXADC_RANGE0, EXADC_RANGE1, EXADC_SOURCE, EXADC_THRESHOLD };

struct exadc {
	struct regmap *map;
	struct zio_cset *cset;
	spinlock_t lock; /* for is_armed, beside the interrupt */
	bool is_armed;
	int irq;
};

static const struct zio_attr_desc exadc_device_attrs[] = {
	ZIO_ATTR_PARAM("temperature", 0444, 0, EXADC_TEMP),
	ZIO_ATTR_STD("version", 0444, ZIO_ATTR_DEV_VERSION, EXADC_VERSION, EXADC_NONE),
};

static const struct zio_attr_desc exadc_attrs[] = {
	ZIO_ATTR_STD("max-sample-rate", 0444, ZIO_ATTR_MAXRATE, 125000000, EXADC_NONE),
	{
		.name = "ch0-range",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 0,
		.max = 1,
		.id = EXADC_RANGE0,
	}, {
		.name = "ch1-range",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 1,
		.max = 1,
		.id = EXADC_RANGE1,
	},
};

static const struct zio_attr_desc exadc_trigger_attrs[] = {
	{
		.name = "source",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 0,
		.max = 1,
		.id = EXADC_SOURCE,
	}, {
		.name = "threshold",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 1,
		.is_signed = true,
		.id = EXADC_THRESHOLD,
	},
};

static int exadc_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			  const struct zio_attr_desc *attr, u32 value)
{
	struct exadc *board = zio_cset_priv(cset);

	switch (attr->id) {
	case EXADC_RANGE0:
	case EXADC_RANGE1:
		return regmap_write(board->map, EX_ADC_RANGE(attr->id - EXADC_RANGE0), value);
	case EXADC_SOURCE:
		return regmap_write(board->map, EX_ADC_SOURCE, value);
	default:
		return regmap_write(board->map, EX_ADC_THRESHOLD, value);
	}
}

static int exadc_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			  const struct zio_attr_desc *attr, u32 *value)
{
	struct exadc *board = zio_cset_priv(cset);

	switch (attr->id) {
	case EXADC_RANGE0:
	case EXADC_RANGE1:
		return regmap_read(board->map, EX_ADC_RANGE(attr->id - EXADC_RANGE0), value);
	case EXADC_SOURCE:
		return regmap_read(board->map, EX_ADC_SOURCE, value);
	case EXADC_THRESHOLD:
		return regmap_read(board->map, EX_ADC_THRESHOLD, value);
	default:
		*value = attr->value;
		return 0;
	}
}

static int exadc_device_get(struct zio_device *zdev, const struct zio_attr_desc *attr,
			    u32 *value)
{
	struct exadc *board = zio_device_priv(zdev);

	*value = attr->value;
	return attr->id == EXADC_TEMP ? regmap_read(board->map, EX_ADC_TEMP, value) : 0;
}

static int exadc_init(struct zio_cset *cset)
{
	struct exadc *board = zio_cset_priv(cset);

	board->cset = cset;
	return 0;
}

/* The samples of all shots wait in the memory of the board. */
static int exadc_check_shape(struct zio_cset *cset, const struct zio_shape *shape)
{
	u64 samples = (u64)shape->pre_samples + shape->post_samples;

	return shape->nshots > EX_ADC_MEMORY ||
	       samples * shape->nshots > EX_ADC_MEMORY ? -ENOSPC : 0;
}

/* Context: any, as the core promises no better one. The map takes a spinlock. */
static int exadc_raw_io(struct zio_cset *cset)
{
	struct exadc *board = zio_cset_priv(cset);
	unsigned long flags;

	regmap_write(board->map, EX_ADC_PRE, zio_cset_pre_samples(cset));
	regmap_write(board->map, EX_ADC_POST, zio_cset_post_samples(cset));
	regmap_write(board->map, EX_ADC_SHOTS, zio_cset_nshots(cset));
	spin_lock_irqsave(&board->lock, flags);
	board->is_armed = true;
	spin_unlock_irqrestore(&board->lock, flags);
	regmap_write(board->map, EX_ADC_CTRL, EX_ADC_START);
	return ZIO_PENDING;
}

/* The interrupt may be on its way: it finds nothing armed after this. */
static void exadc_stop_io(struct zio_cset *cset)
{
	struct exadc *board = zio_cset_priv(cset);
	unsigned long flags;

	regmap_write(board->map, EX_ADC_CTRL, EX_ADC_STOP);
	spin_lock_irqsave(&board->lock, flags);
	board->is_armed = false;
	spin_unlock_irqrestore(&board->lock, flags);
	synchronize_irq(board->irq);
}

static const struct zio_cset_ops exadc_ops = {
	.init = exadc_init,
	.raw_io = exadc_raw_io,
	.stop_io = exadc_stop_io,
	.check_shape = exadc_check_shape,
	.attr_set = exadc_attr_set,
	.attr_get = exadc_attr_get,
};

static const struct zio_board_trigger exadc_trigger = {
	.name = "exadc",
	.attrs = exadc_trigger_attrs,
	.n_attrs = ARRAY_SIZE(exadc_trigger_attrs),
};

static const struct zio_cset_desc exadc_cset = {
	.flags = ZIO_CSET_INTERLEAVED | ZIO_CSET_PRE_SAMPLES | ZIO_CSET_SHOTS,
	.n_chan = EX_ADC_N_CHAN,
	.ssize = 2,
	.nbits = 14,
	.buffer = "vmalloc",
	.board_trigger = &exadc_trigger,
	.clock_source = "exadc",
	.ops = &exadc_ops,
	.cset_attrs = exadc_attrs,
	.n_cset_attrs = ARRAY_SIZE(exadc_attrs),
};

static const struct zio_device_ops exadc_device_ops = {
	.attr_get = exadc_device_get,
};

static const struct zio_device_desc exadc_desc = {
	.name = "exadc",
	.owner = THIS_MODULE,
	.cset = &exadc_cset,
	.n_cset = 1,
	.ops = &exadc_device_ops,
	.attrs = exadc_device_attrs,
	.n_attrs = ARRAY_SIZE(exadc_device_attrs),
};

static void exadc_read_fifo(struct exadc *board, struct zio_block *block)
{
	u16 *sample = block->data;
	unsigned int value;
	size_t i;

	for (i = 0; i < block->len / sizeof(*sample); i++) {
		regmap_read(board->map, EX_ADC_FIFO, &value);
		sample[i] = value;
	}
}

static void exadc_stamp(struct exadc *board, struct zio_block *block)
{
	unsigned int seconds, ticks;

	regmap_read(board->map, EX_ADC_SECONDS, &seconds);
	regmap_read(board->map, EX_ADC_TICKS, &ticks);
	block->tstamp = (struct zio_timestamp){ seconds, ticks * EX_TICK_NS, 0 };
}

static bool exadc_disarm(struct exadc *board)
{
	unsigned long flags;
	bool was_armed;

	spin_lock_irqsave(&board->lock, flags);
	was_armed = board->is_armed;
	board->is_armed = false;
	spin_unlock_irqrestore(&board->lock, flags);
	return was_armed;
}

/* A block for each shot. zio_cset_done() arms the set again, and raw_io() starts it. */
static irqreturn_t exadc_irq(int irq, void *data)
{
	struct exadc *board = data;
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;
	unsigned int status;

	regmap_read(board->map, EX_ADC_STATUS, &status);
	if (!(status & EX_ADC_DONE))
		return IRQ_NONE;
	regmap_write(board->map, EX_ADC_STATUS, EX_ADC_DONE);
	if (!exadc_disarm(board))
		return IRQ_HANDLED;
	zio_for_each_block(board->cset, pos, chan, block) {
		exadc_stamp(board, block);
		exadc_read_fifo(board, block);
	}
	zio_cset_done(board->cset);
	return IRQ_HANDLED;
}

/* The interrupt comes first, so devm frees it after the device of ZIO. */
static int exadc_probe(struct platform_device *pdev)
{
	struct exadc *board = devm_kzalloc(&pdev->dev, sizeof(*board), GFP_KERNEL);
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
	ret = devm_request_irq(&pdev->dev, board->irq, exadc_irq, 0, "exadc", board);
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &exadc_desc, pdev->id,
							board));
}

static struct platform_driver exadc_driver = {
	.driver.name = "ex-adc",
	.probe = exadc_probe,
};
module_platform_driver(exadc_driver);

MODULE_ALIAS("platform:ex-adc");
MODULE_DESCRIPTION("The digitiser of the guide to porting");
MODULE_LICENSE("GPL");
