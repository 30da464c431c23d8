// SPDX-License-Identifier: GPL-2.0-only
/*
 * tdc-1x.c: the driver of the TDC, for ZIO 1.x. It does not build any more.
 *
 * Each connector is a set of its own. A block has no data: its time is the pulse.
 */
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/regmap.h>

#include <linux/zio.h>
#include <linux/zio-trigger.h>

#include "../ex-regs.h"

enum { EXTDC_DROPPED, EXTDC_TERMINATION, EXTDC_OFFSET };

struct extdc {
	struct regmap *map;
	struct zio_device *hwzdev;
	struct zio_device *zdev;
	int irq;
	s32 offset[EX_TDC_N_CHAN];
};

static const struct zio_attr_desc extdc_dev_ext[] = {
	ZIO_ATTR_EXT("dropped", 0444, 0, 0, EXTDC_DROPPED),
};

static const struct zio_attr_desc extdc_cset_ext[] = {
	ZIO_ATTR_EXT("termination", 0644, 1, 0, EXTDC_TERMINATION),
	/* in ticks, signed */
	ZIO_ATTR_EXT("user-offset", 0644, 2, 0, EXTDC_OFFSET),
};

static int extdc_set_channel(struct zio_cset *cset, struct zio_channel *chan,
			     const struct zio_attr_desc *zattr,
			     uint32_t usr_val)
{
	struct extdc *board = zio_cset_priv(cset);

	switch (zattr->id) {
	case EXTDC_TERMINATION:
		return regmap_update_bits(board->map, EX_TDC_TERMINATION, BIT(cset->index),
					  usr_val ? BIT(cset->index) : 0);
	case EXTDC_OFFSET:
		board->offset[cset->index] = usr_val;
		return 0;
	}
	return -EINVAL;
}

static int extdc_conf_set(struct zio_cset *cset, struct zio_channel *chan,
			  const struct zio_attr_desc *zattr, uint32_t usr_val)
{
	return extdc_set_channel(cset, chan, zattr, usr_val);
}

static int extdc_info_get(struct zio_cset *cset, struct zio_channel *chan,
			  const struct zio_attr_desc *zattr,
			  uint32_t *usr_val)
{
	struct extdc *board;

	if (zattr->id != EXTDC_DROPPED)
		return 0;
	board = to_zio_dev(dev)->priv_d;
	return regmap_read(board->map, EX_TDC_DROPPED, usr_val);
}

static const struct zio_cset_ops extdc_s_op = {
	.attr_set = extdc_conf_set,
	.attr_get = extdc_info_get,
};

/* Takes the oldest pulse of a channel, whose FIFO is not empty. */
static void extdc_take(struct zio_cset *cset)
{
	struct extdc *board = zio_cset_priv(cset);
	unsigned int n = cset->index, seconds, ticks, fraction;

	regmap_read(board->map, EX_TDC_SECONDS(n), &seconds);
	regmap_read(board->map, EX_TDC_TICKS(n), &ticks);
	regmap_read(board->map, EX_TDC_FRACTION(n), &fraction);
	regmap_write(board->map, EX_TDC_NEXT(n), 1);
	zio_cset_block(cset)->tstamp.secs = seconds;
	zio_cset_block(cset)->tstamp.ticks = (ticks + board->offset[n]) * EX_TICK_NS;
	zio_cset_block(cset)->tstamp.bins = fraction;
}

static int extdc_raw_io(struct zio_cset *cset)
{
	struct extdc *board = zio_cset_priv(cset);
	unsigned int waiting;

	regmap_update_bits(board->map, EX_TDC_ENABLE, BIT(cset->index), BIT(cset->index));
	regmap_read(board->map, EX_TDC_IRQ, &waiting);
	if (!(waiting & BIT(cset->index)))
		return ZIO_PENDING;
	extdc_take(cset);
	return 0;
}

static irqreturn_t extdc_irq(int irq, void *data)
{
	struct extdc *board = data;
	struct zio_cset *cset;
	unsigned int waiting;
	int i;

	regmap_read(board->map, EX_TDC_IRQ, &waiting);
	if (!waiting)
		return IRQ_NONE;
	for (i = 0; i < board->zdev->n_cset; i++) {
		cset = &board->zdev->cset[i];
		if (!(waiting & BIT(i)) || !(cset->ti->flags & ZIO_TI_ARMED))
			continue;
		extdc_take(cset);
		zio_cset_done(cset);
	}
	return IRQ_HANDLED;
}

#define EXTDC_CHANNEL(_name) {						\
	ZIO_SET_OBJ_NAME(_name),					\
	.raw_io = extdc_raw_io,						\
	.n_chan = 1,							\
	.ssize = 0,							\
	.flags = ZIO_DIR_INPUT | ZIO_CSET_TYPE_TIME | ZIO_CSET_SELF_TIMED, \
	.zattr_set = {							\
		.ext_zattr = extdc_cset_ext,				\
		.n_ext_attr = ARRAY_SIZE(extdc_cset_ext),		\
	},								\
}

static struct zio_cset extdc_cset[] = {
	EXTDC_CHANNEL("ex-ch1"),
	EXTDC_CHANNEL("ex-ch2"),
};

static struct zio_device extdc_tmpl = {
	.owner = THIS_MODULE,
	.s_op = &extdc_s_op,
	.cset = extdc_cset,
	.n_cset = ARRAY_SIZE(extdc_cset),
	.preferred_trigger = "user",
	.zattr_set = {
		.ext_zattr = extdc_dev_ext,
		.n_ext_attr = ARRAY_SIZE(extdc_dev_ext),
	},
};

static int extdc_zio_probe(struct zio_device *zdev)
{
	struct extdc *board = zdev->priv_d;

	board->zdev = zdev;
	return 0;
}

static const struct zio_device_id extdc_table[] = {
	{ "extdc", &extdc_tmpl },
	{ },
};

static struct zio_driver extdc_zdrv = {
	.driver = { .name = "extdc", .owner = THIS_MODULE },
	.id_table = extdc_table,
	.probe = extdc_zio_probe,
	.min_version = ZIO_VERSION(1, 1, 0),
};

static int extdc_probe(struct platform_device *pdev)
{
	struct extdc *board = devm_kzalloc(&pdev->dev, sizeof(*board), GFP_KERNEL);
	int ret;

	if (!board)
		return -ENOMEM;
	board->map = dev_get_regmap(pdev->dev.parent, NULL);
	board->irq = platform_get_irq(pdev, 0);
	board->hwzdev = zio_allocate_device();
	if (IS_ERR(board->hwzdev))
		return PTR_ERR(board->hwzdev);
	board->hwzdev->owner = THIS_MODULE;
	board->hwzdev->priv_d = board;
	board->hwzdev->head.dev.parent = &pdev->dev;
	ret = zio_register_device(board->hwzdev, "extdc", pdev->id);
	if (ret)
		goto free_device;
	ret = request_irq(board->irq, extdc_irq, 0, "extdc", board);
	if (ret)
		goto unregister_device;
	platform_set_drvdata(pdev, board);
	return 0;

unregister_device:
	zio_unregister_device(board->hwzdev);
free_device:
	zio_free_device(board->hwzdev);
	return ret;
}

static int extdc_remove(struct platform_device *pdev)
{
	struct extdc *board = platform_get_drvdata(pdev);

	free_irq(board->irq, board);
	zio_unregister_device(board->hwzdev);
	zio_free_device(board->hwzdev);
	return 0;
}

static struct platform_driver extdc_driver = {
	.driver.name = "ex-tdc",
	.probe = extdc_probe,
	.remove = extdc_remove,
};

static int __init extdc_init(void)
{
	int ret = zio_register_driver(&extdc_zdrv);

	if (ret)
		return ret;
	ret = platform_driver_register(&extdc_driver);
	if (ret)
		zio_unregister_driver(&extdc_zdrv);
	return ret;
}

static void __exit extdc_exit(void)
{
	platform_driver_unregister(&extdc_driver);
	zio_unregister_driver(&extdc_zdrv);
}

module_init(extdc_init);
module_exit(extdc_exit);
MODULE_DESCRIPTION("The TDC, for ZIO 1.x");
MODULE_LICENSE("GPL");
