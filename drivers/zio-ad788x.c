// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-ad788x.c: AD7887 and AD7888, 12-bit ADCs on an SPI bus
 *
 * Data sheets of Analog Devices: AD7887 Rev. D, AD7888 Rev. B. A frame has 16 clocks. Its
 * first 8 bits select the input that the chip converts in the next frame. In the same frame
 * the chip sends the previous result: four zeros and 12 bits. Chip select goes high between
 * frames. The blocks of all enabled channels are one SPI message, in which the samples of
 * the channels take turns. The first frame only selects a channel, and the last one only
 * carries a result.
 *
 * A result must begin with four zeros. Otherwise the chip is missing or the bus is
 * disturbed, and the reader gets EIO. It also gets the errors of the bus.
 */
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>
#include <linux/units.h>
#include <linux/zio.h>

#define AD788X_BITS		12
#define AD788X_STEP_MANT	244140625	/* 5^12: a microvolt / 2^12 is 5^12 */
#define AD788X_STEP_EXP		(-18)		/* times 10^-18 V, exactly */
#define AD788X_FRAME_BITS	16
#define AD788X_MAX_CHANNELS	8
#define AD788X_MAX_HZ		2000000	/* clock frequency */
#define AD788X_MIN_RATE		20000	/* the chip holds a sample for 50 us at most */
#define AD788X_ACQUIRE_NS	500
#define AD788X_WAKE_US		5

#define AD788X_PM_SHUTDOWN	2	/* at the end of each conversion */

#define AD7887_NO_REF		BIT(5)
#define AD7887_DUAL		BIT(4)
#define AD7887_CHANNEL(_n)	((_n) << 3)
#define AD7887_PM_ON		1

#define AD7888_NO_REF		BIT(2)
#define AD7888_CHANNEL(_n)	((_n) << 3)
#define AD7888_PM_ON		0

#define AD788X_INTERNAL_UV	2500000
#define AD788X_MAX_UV		5250000

/* Values of the attribute vref-src */
enum { AD788X_VREF_INTERNAL, AD788X_VREF_EXTERNAL, AD788X_VREF_SUPPLY };

enum ad788x_attr { AD788X_VREF, AD788X_POWER_DOWN, AD788X_N_ATTRS };

struct ad788x_chip {
	const char *name;
	unsigned int n_chan;
	u8 power_on;
	u8 (*select)(unsigned int chan, u32 vref);
	struct zio_attr_desc vref;
};

/* Attributes may change during a block, which keeps using the values from its start. */
struct ad788x {
	struct spi_device *spi;
	const struct ad788x_chip *chip;
	u32 max_rate; /* conversions per second */
	u32 rate;
	u32 value[AD788X_N_ATTRS];
	struct zio_attr_desc attrs[AD788X_N_ATTRS];
	u32 vref_uv; /* of the supply or the external reference; 0: unknown */
	struct zio_scaling scaling;
	struct zio_cset_desc cset;
	struct zio_device_desc desc;
	size_t n_frames; /* allocated */
	struct spi_transfer *frame;
	__be16 *sent;
	__be16 *received;
};

/* These functions return the control register without the power bits. */
static u8 ad788x_select_ad7887(unsigned int chan, u32 vref)
{
	return AD7887_DUAL | AD7887_NO_REF | AD7887_CHANNEL(chan);
}

static u8 ad788x_select_ad7888(unsigned int chan, u32 vref)
{
	return AD7888_CHANNEL(chan) |
		(vref == AD788X_VREF_EXTERNAL ? AD7888_NO_REF : 0);
}

/* The AD7887 uses its reference pin as the second input. */
static const struct ad788x_chip ad7887 = {
	.name = "ad7887",
	.n_chan = 2,
	.power_on = AD7887_PM_ON,
	.select = ad788x_select_ad7887,
	.vref = ZIO_ATTR_STD("vref-src", 0444, ZIO_ATTR_VREFTYPE,
			     AD788X_VREF_SUPPLY, AD788X_VREF),
};

static const struct ad788x_chip ad7888 = {
	.name = "ad7888",
	.n_chan = 8,
	.power_on = AD7888_PM_ON,
	.select = ad788x_select_ad7888,
	.vref = {
		.name = "vref-src",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_STD,
		.index = ZIO_ATTR_VREFTYPE,
		.max = AD788X_VREF_EXTERNAL,
		.id = AD788X_VREF,
	},
};

static void ad788x_free_frames(struct ad788x *adc)
{
	kvfree(adc->frame);
	kfree(adc->sent);
	kfree(adc->received);
	adc->frame = NULL;
	adc->sent = NULL;
	adc->received = NULL;
	adc->n_frames = 0;
}

/* Blocks rarely grow, so the frames are reallocated and never shrink. */
static int ad788x_prepare_frames(struct ad788x *adc, size_t n)
{
	size_t i;

	if (n * sizeof(__be16) > spi_max_message_size(adc->spi))
		return -EMSGSIZE;
	if (n <= adc->n_frames)
		return 0;
	ad788x_free_frames(adc);
	adc->frame = kvcalloc(n, sizeof(*adc->frame), GFP_KERNEL);
	adc->sent = kcalloc(n, sizeof(*adc->sent), GFP_KERNEL | __GFP_NOWARN);
	adc->received = kcalloc(n, sizeof(*adc->received),
				GFP_KERNEL | __GFP_NOWARN);
	if (!adc->frame || !adc->sent || !adc->received) {
		ad788x_free_frames(adc);
		return -ENOMEM;
	}
	adc->n_frames = n;
	for (i = 0; i < n; i++) {
		adc->frame[i].tx_buf = &adc->sent[i];
		adc->frame[i].rx_buf = &adc->received[i];
		adc->frame[i].len = sizeof(__be16);
	}
	return 0;
}

/* A conversion takes one frame and the pause in which chip select is high. */
static u32 ad788x_rate_of(u32 hz)
{
	return div64_u64((u64)NSEC_PER_SEC * hz,
			 (u64)AD788X_FRAME_BITS * NSEC_PER_SEC + (u64)AD788X_ACQUIRE_NS * hz);
}

static u32 ad788x_speed_of(u32 rate)
{
	return DIV64_U64_ROUND_UP((u64)AD788X_FRAME_BITS * NSEC_PER_SEC * rate,
				  NSEC_PER_SEC - (u64)AD788X_ACQUIRE_NS * rate);
}

/* Frame i selects the input whose result frame i + 1 carries. */
static void ad788x_fill_frames(struct ad788x *adc, const u8 *chan, unsigned int n_chan,
			       size_t n)
{
	u32 speed = ad788x_speed_of(READ_ONCE(adc->rate));
	bool power_down = READ_ONCE(adc->value[AD788X_POWER_DOWN]);
	u32 vref = READ_ONCE(adc->value[AD788X_VREF]);
	struct spi_transfer *frame = adc->frame;
	u8 power = adc->chip->power_on, select;
	size_t i;

	for (i = 0; i < n; i++) {
		if (power_down && i == n - 1)
			power = AD788X_PM_SHUTDOWN;
		select = adc->chip->select(chan[i % n_chan], vref);
		adc->sent[i] = cpu_to_be16((select | power) << 8);
		frame[i].speed_hz = speed;
		frame[i].cs_change = i < n - 1;
		frame[i].cs_change_delay.value = AD788X_ACQUIRE_NS;
		frame[i].cs_change_delay.unit = SPI_DELAY_UNIT_NSECS;
	}
	/* This frame wakes the chip if it is asleep. */
	frame[0].cs_change_delay.value = AD788X_WAKE_US;
	frame[0].cs_change_delay.unit = SPI_DELAY_UNIT_USECS;
}

static int ad788x_take_samples(struct ad788x *adc, struct zio_cset *cset,
			       unsigned int n_chan)
{
	const __be16 *first = adc->received + 1, *from;
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;
	u16 *sample, *end;

	zio_for_each_block(cset, pos, chan, block) {
		from = first++;
		end = block->data + block->len;
		for (sample = block->data; sample < end; sample++) {
			*sample = be16_to_cpu(*from);
			if (*sample >> AD788X_BITS)
				return -EIO;
			from += n_chan;
		}
	}
	return 0;
}

static int ad788x_raw_io(struct zio_cset *cset)
{
	struct ad788x *adc = zio_cset_priv(cset);
	u8 list[AD788X_MAX_CHANNELS];
	struct spi_message message;
	struct zio_channel *chan;
	struct zio_armed *pos;
	unsigned int n_chan = 0;
	size_t n;
	int ret;

	zio_for_each_channel(cset, pos, chan)
		list[n_chan++] = zio_channel_index(chan);
	n = zio_cset_block(cset)->len / sizeof(u16) * n_chan + 1;
	ret = ad788x_prepare_frames(adc, n);
	if (ret)
		return ret;
	ad788x_fill_frames(adc, list, n_chan, n);
	spi_message_init_with_transfers(&message, adc->frame, n);
	ret = spi_sync(adc->spi, &message);
	return ret ?: ad788x_take_samples(adc, cset, n_chan);
}

/*
 * A step is the reference divided by 4096. If the reference is unknown, the samples are
 * plain numbers, and a user can set their scale.
 */
static struct zio_scaling ad788x_describe_scale(const struct ad788x *adc, u32 vref)
{
	u32 uv = vref == AD788X_VREF_INTERNAL ? AD788X_INTERNAL_UV : adc->vref_uv;
	struct zio_scaling scaling = { .flags = ZIO_SCALING_WRITABLE, .mant = 1 };

	if (uv) {
		scaling.unit = ZIO_UNIT_V;
		scaling.mant = (s64)uv * AD788X_STEP_MANT;
		scaling.exp = AD788X_STEP_EXP;
	}
	return scaling;
}

static int ad788x_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			   const struct zio_attr_desc *attr, u32 value)
{
	struct ad788x *adc = zio_cset_priv(cset);
	struct zio_scaling scaling;

	WRITE_ONCE(adc->value[attr->id], value);
	if (attr->id == AD788X_VREF) {
		scaling = ad788x_describe_scale(adc, value);
		zio_cset_set_scaling(cset, ZIO_ALL_CHANNELS, &scaling);
	}
	return 0;
}

/*
 * The chip converts the channels in turn. The first frame wakes it. How long after the
 * event the bus begins is unknown.
 */
static void ad788x_get_timing(const struct zio_cset *cset, struct zio_timing *timing)
{
	const struct ad788x *adc = zio_cset_priv(cset);
	unsigned int n_chan = zio_cset_n_enabled(cset);

	if (!n_chan)
		return;
	timing->rate_num = adc->rate;
	timing->rate_den = n_chan;
	timing->first_ps = AD788X_WAKE_US * NSEC_PER_USEC * PSEC_PER_NSEC +
		div_u64(AD788X_FRAME_BITS * PSEC_PER_SEC, ad788x_speed_of(adc->rate));
}

static int ad788x_set_rate(struct zio_cset *cset, u32 num, u32 den)
{
	struct ad788x *adc = zio_cset_priv(cset);
	u64 rate = div_u64((u64)num * max(zio_cset_n_enabled(cset), 1u) + den / 2, den);

	if (rate < AD788X_MIN_RATE || rate > adc->max_rate)
		return -ERANGE;
	WRITE_ONCE(adc->rate, rate);
	return 0;
}

static const struct zio_cset_ops ad788x_ops = {
	.raw_io = ad788x_raw_io,
	.get_timing = ad788x_get_timing,
	.set_rate = ad788x_set_rate,
	.attr_set = ad788x_attr_set,
};

/* ad788x_describe() adds the name, the channels and the attributes of the chip. */
static const struct zio_cset_desc ad788x_cset = {
	.flags = ZIO_CSET_SLEEPS,
	.ssize = sizeof(u16),
	.nbits = AD788X_BITS,
	.ops = &ad788x_ops,
	.n_cset_attrs = AD788X_N_ATTRS,
};

static int ad788x_find_rate(struct ad788x *adc)
{
	adc->max_rate = ad788x_rate_of(min_t(u32, AD788X_MAX_HZ, adc->spi->max_speed_hz));
	adc->rate = adc->max_rate;
	if (adc->max_rate >= AD788X_MIN_RATE)
		return 0;
	return dev_err_probe(&adc->spi->dev, -EINVAL, "the SPI bus of %u Hz is too slow\n",
			     adc->spi->max_speed_hz);
}

/* The reference is an input of the chip, so it must not exceed the supply's 5.25 V. */
static int ad788x_describe_reference(struct ad788x *adc)
{
	struct device *dev = &adc->spi->dev;

	if (device_property_read_u32(dev, "vref-microvolt", &adc->vref_uv))
		adc->vref_uv = 0;
	if (adc->vref_uv > AD788X_MAX_UV)
		return dev_err_probe(dev, -EINVAL, "vref-microvolt is above %u\n",
				     AD788X_MAX_UV);
	adc->scaling = ad788x_describe_scale(adc, adc->chip->vref.value);
	return 0;
}

static void ad788x_describe(struct ad788x *adc)
{
	unsigned int i;

	adc->attrs[AD788X_VREF] = adc->chip->vref;
	adc->attrs[AD788X_POWER_DOWN] = (struct zio_attr_desc)
		ZIO_ATTR_EXT("power-down", 0644, 0, 0, AD788X_POWER_DOWN);
	adc->attrs[AD788X_POWER_DOWN].max = 1;
	for (i = 0; i < AD788X_N_ATTRS; i++)
		adc->value[i] = adc->attrs[i].value;
	adc->cset = ad788x_cset;
	adc->cset.name = adc->chip->name;
	adc->cset.n_chan = adc->chip->n_chan;
	adc->cset.cset_attrs = adc->attrs;
	adc->cset.scaling = &adc->scaling;
	adc->cset.n_scaling = 1;
	adc->desc.name = adc->chip->name;
	adc->desc.owner = THIS_MODULE;
	adc->desc.cset = &adc->cset;
	adc->desc.n_cset = 1;
}

static void ad788x_release_frames(void *adc)
{
	ad788x_free_frames(adc);
}

static int ad788x_probe(struct spi_device *spi)
{
	const struct ad788x_chip *chip = device_get_match_data(&spi->dev);
	struct ad788x *adc;
	int ret;

	if (!chip)
		chip = (void *)spi_get_device_id(spi)->driver_data;
	adc = devm_kzalloc(&spi->dev, sizeof(*adc), GFP_KERNEL);
	if (!adc)
		return -ENOMEM;
	adc->spi = spi;
	adc->chip = chip;
	ret = ad788x_find_rate(adc) ?: ad788x_describe_reference(adc);
	if (ret)
		return ret;
	ad788x_describe(adc);
	ret = devm_add_action(&spi->dev, ad788x_release_frames, adc);
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&spi->dev, &adc->desc,
							ZIO_ID_AUTO, adc));
}

static const struct of_device_id ad788x_of_match[] = {
	{ .compatible = "adi,ad7887", .data = &ad7887 },
	{ .compatible = "adi,ad7888", .data = &ad7888 },
	{ }
};
MODULE_DEVICE_TABLE(of, ad788x_of_match);

static const struct spi_device_id ad788x_ids[] = {
	{ "ad7887", (kernel_ulong_t)&ad7887 },
	{ "ad7888", (kernel_ulong_t)&ad7888 },
	{ }
};
MODULE_DEVICE_TABLE(spi, ad788x_ids);

static struct spi_driver ad788x_driver = {
	.driver.name = "zio-ad788x",
	.driver.of_match_table = ad788x_of_match,
	.id_table = ad788x_ids,
	.probe = ad788x_probe,
};
module_spi_driver(ad788x_driver);

MODULE_DESCRIPTION("ZIO: AD7887 and AD7888");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
