// SPDX-License-Identifier: GPL-2.0-only
/*
 * digitiser-1x.c: the driver of the digitiser, for ZIO 1.x. It does not build any more.
 *
 * It has what such drivers had: an interleaved set, a trigger of its own, attributes in
 * three places, and flags that it keeps for the core.
 */
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/regmap.h>
#include <linux/slab.h>

#include <linux/zio.h>
#include <linux/zio-trigger.h>

#include "../ex-regs.h"

#define EXADC_VERSION ZIO_VERSION(2, 1, 0)

enum { EXADC_NONE, EXADC_TEMP, EXADC_RANGE0, EXADC_RANGE1, EXADC_SOURCE, EXADC_THRESHOLD };

struct exadc {
	struct regmap *map;
	struct zio_device *hwzdev;
	struct zio_device *zdev;
	int irq;
};

static const struct zio_attr_desc exadc_dev_ext[] = {
	ZIO_ATTR_PARAM("temperature", 0444, 0, EXADC_TEMP),
	ZIO_ATTR_STD("version", 0444, ZIO_ATTR_DEV_VERSION, EXADC_VERSION, 0),
};

static const struct zio_attr_desc exadc_cset_ext[] = {
	{
		.name = "ch0-range",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 0,
		.value = 0,
		.min = 0,
		.max = 1,
		.id = EXADC_RANGE0,
	},
	{
		.name = "ch1-range",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 1,
		.value = 0,
		.min = 0,
		.max = 1,
		.id = EXADC_RANGE1,
	},
	ZIO_ATTR_STD("resolution-bits", 0444, ZIO_ATTR_NBITS, 14, EXADC_NONE),
	ZIO_ATTR_STD("max-sample-rate", 0444, ZIO_ATTR_MAXRATE, 125000000, EXADC_NONE),
};

static const struct zio_attr_desc exadc_trig_ext[] = {
	ZIO_ATTR_EXT("source", 0644, 0, 0, EXADC_SOURCE),
	ZIO_ATTR_EXT("threshold", 0644, 1, 0, EXADC_THRESHOLD),
};

static ZIO_ATTR_DEFINE_STD(ZIO_TRG, exadc_trig_std) = {
	ZIO_ATTR(trig, ZIO_ATTR_TRIG_N_SHOTS, ZIO_RW_PERM, EXADC_NONE, 1),
	ZIO_ATTR(trig, ZIO_ATTR_TRIG_PRE_SAMP, ZIO_RW_PERM, EXADC_NONE, 0),
	ZIO_ATTR(trig, ZIO_ATTR_TRIG_POST_SAMP, ZIO_RW_PERM, EXADC_NONE, 16),
};

static struct exadc *exadc_find(struct device *dev)
{
	switch (to_zio_head(dev)->zobj_type) {
	case ZIO_DEV:
		return to_zio_dev(dev)->priv_d;
	case ZIO_TI:
		return zio_cset_priv(to_zio_ti(dev)->cset);
	default:
		return zio_cset_priv(to_zio_cset(dev));
	}
}

static int exadc_conf_set(struct zio_cset *cset, struct zio_channel *chan,
			  const struct zio_attr_desc *zattr, uint32_t usr_val)
{
	struct exadc *board = exadc_find(dev);

	switch (zattr->id) {
	case EXADC_RANGE0:
	case EXADC_RANGE1:
		return regmap_write(board->map, EX_ADC_RANGE(zattr->id - EXADC_RANGE0), usr_val);
	case EXADC_SOURCE:
		return usr_val > 1 ? -EINVAL : regmap_write(board->map, EX_ADC_SOURCE, usr_val);
	case EXADC_THRESHOLD:
		return regmap_write(board->map, EX_ADC_THRESHOLD, usr_val);
	}
	return 0;
}

static int exadc_info_get(struct zio_cset *cset, struct zio_channel *chan,
			  const struct zio_attr_desc *zattr,
			  uint32_t *usr_val)
{
	if (zattr->id != EXADC_TEMP)
		return 0;
	return regmap_read(exadc_find(dev)->map, EX_ADC_TEMP, usr_val);
}

static const struct zio_cset_ops exadc_s_op = {
	.attr_set = exadc_conf_set,
	.attr_get = exadc_info_get,
};

static int exadc_raw_io(struct zio_cset *cset)
{
	struct exadc *board = zio_cset_priv(cset);
	const struct zio_attr_desc *std = cset->ti->zattr_set.std_zattr;

	if (!zio_cset_block(cset))
		return -EINVAL;
	regmap_write(board->map, EX_ADC_PRE, std[ZIO_ATTR_TRIG_PRE_SAMP].value);
	regmap_write(board->map, EX_ADC_POST, std[ZIO_ATTR_TRIG_POST_SAMP].value);
	regmap_write(board->map, EX_ADC_SHOTS, std[ZIO_ATTR_TRIG_N_SHOTS].value);
	regmap_write(board->map, EX_ADC_CTRL, EX_ADC_START);
	return ZIO_PENDING;
}

static void exadc_stop_io(struct zio_cset *cset)
{
	struct exadc *board = zio_cset_priv(cset);

	regmap_write(board->map, EX_ADC_CTRL, EX_ADC_STOP);
}

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

static irqreturn_t exadc_irq(int irq, void *data)
{
	struct exadc *board = data;
	struct zio_cset *cset = board->zdev->cset;
	unsigned int status, seconds, ticks;

	regmap_read(board->map, EX_ADC_STATUS, &status);
	if (!(status & EX_ADC_DONE))
		return IRQ_NONE;
	regmap_write(board->map, EX_ADC_STATUS, EX_ADC_DONE);
	if (!(cset->ti->flags & ZIO_TI_ARMED))
		return IRQ_HANDLED;
	regmap_read(board->map, EX_ADC_SECONDS, &seconds);
	regmap_read(board->map, EX_ADC_TICKS, &ticks);
	zio_cset_block(cset)->tstamp.secs = seconds;
	zio_cset_block(cset)->tstamp.ticks = ticks * EX_TICK_NS;
	exadc_read_fifo(board, zio_cset_block(cset));
	zio_cset_done(cset);
	zio_arm_trigger(cset->ti);
	return IRQ_HANDLED;
}

static struct zio_ti *exadc_trig_create(struct zio_trigger_type *trig, struct zio_cset *cset,
					struct zio_control *ctrl, fmode_t flags)
{
	struct zio_ti *ti = kzalloc(sizeof(*ti), GFP_KERNEL);

	if (!ti)
		return ERR_PTR(-ENOMEM);
	ti->flags = ZIO_DISABLED;
	ti->cset = cset;
	return ti;
}

static void exadc_trig_destroy(struct zio_ti *ti)
{
	kfree(ti);
}

static void exadc_trig_change(struct zio_ti *ti, unsigned int status)
{
	if (status == ZIO_ENABLED)
		zio_arm_trigger(ti);
	else
		zio_trigger_abort_disable(ti->cset, 0);
}

static const struct zio_trigger_operations exadc_t_op = {
	.create = exadc_trig_create,
	.destroy = exadc_trig_destroy,
	.change_status = exadc_trig_change,
};

static struct zio_trigger_type exadc_trig = {
	.owner = THIS_MODULE,
	.s_op = &exadc_s_op,
	.t_op = &exadc_t_op,
	.zattr_set = {
		.std_zattr = exadc_trig_std,
		.ext_zattr = exadc_trig_ext,
		.n_ext_attr = ARRAY_SIZE(exadc_trig_ext),
	},
};

static struct zio_cset exadc_cset[] = {
	{
		.raw_io = exadc_raw_io,
		.stop_io = exadc_stop_io,
		.n_chan = EX_ADC_N_CHAN,
		.ssize = 2,
		.flags = ZIO_DIR_INPUT | ZIO_CSET_TYPE_ANALOG | ZIO_CSET_INTERLEAVE_ONLY,
		.zattr_set = {
			.std_zattr = exadc_cset_std,
			.ext_zattr = exadc_cset_ext,
			.n_ext_attr = ARRAY_SIZE(exadc_cset_ext),
		},
	},
};

static struct zio_device exadc_tmpl = {
	.owner = THIS_MODULE,
	.s_op = &exadc_s_op,
	.cset = exadc_cset,
	.n_cset = ARRAY_SIZE(exadc_cset),
	.preferred_trigger = "exadc",
	.preferred_buffer = "vmalloc",
	.zattr_set = {
		.std_zattr = exadc_dev_std,
		.ext_zattr = exadc_dev_ext,
		.n_ext_attr = ARRAY_SIZE(exadc_dev_ext),
	},
};

static int exadc_zio_probe(struct zio_device *zdev)
{
	struct exadc *board = zdev->priv_d;

	board->zdev = zdev;
	return 0;
}

static const struct zio_device_id exadc_table[] = {
	{ "exadc", &exadc_tmpl },
	{ },
};

static struct zio_driver exadc_zdrv = {
	.driver = { .name = "exadc", .owner = THIS_MODULE },
	.id_table = exadc_table,
	.probe = exadc_zio_probe,
	.min_version = ZIO_VERSION(1, 1, 0),
};

static int exadc_probe(struct platform_device *pdev)
{
	struct exadc *board = devm_kzalloc(&pdev->dev, sizeof(*board), GFP_KERNEL);
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
	ret = zio_register_device(board->hwzdev, "exadc", pdev->id);
	if (ret)
		goto free_device;
	ret = request_irq(board->irq, exadc_irq, 0, "exadc", board);
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

static int exadc_remove(struct platform_device *pdev)
{
	struct exadc *board = platform_get_drvdata(pdev);

	free_irq(board->irq, board);
	zio_unregister_device(board->hwzdev);
	zio_free_device(board->hwzdev);
	return 0;
}

static struct platform_driver exadc_driver = {
	.driver.name = "ex-adc",
	.probe = exadc_probe,
	.remove = exadc_remove,
};

static int __init exadc_init(void)
{
	int ret = zio_register_trig(&exadc_trig, "exadc");

	if (ret)
		return ret;
	ret = zio_register_driver(&exadc_zdrv);
	if (ret)
		goto unregister_trig;
	ret = platform_driver_register(&exadc_driver);
	if (!ret)
		return 0;
	zio_unregister_driver(&exadc_zdrv);
unregister_trig:
	zio_unregister_trig(&exadc_trig);
	return ret;
}

static void __exit exadc_exit(void)
{
	platform_driver_unregister(&exadc_driver);
	zio_unregister_driver(&exadc_zdrv);
	zio_unregister_trig(&exadc_trig);
}

module_init(exadc_init);
module_exit(exadc_exit);
MODULE_DESCRIPTION("The digitiser, for ZIO 1.x");
MODULE_LICENSE("GPL");
