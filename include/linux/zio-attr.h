/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-attr.h: attributes of devices, channel sets, channels, triggers and of devices that
 * users create, and the scaling of samples. A part of zio.h.
 */
#ifndef _LINUX_ZIO_ATTR_H
#define _LINUX_ZIO_ATTR_H

#include <linux/bits.h>
#include <linux/types.h>
#include <linux/zio-user.h>

/* Where the control has an attribute's value */
#define ZIO_ATTR_PLACE_NONE	0	/* sysfs only */
#define ZIO_ATTR_PLACE_STD	1
#define ZIO_ATTR_PLACE_EXT	2
#define ZIO_ATTR_PLACE_BLOCK	3	/* extended; each block has its own value */

/**
 * struct zio_attr_desc - one attribute of an object
 * @name: name of the file
 * @mode: 0444; 0644 if it can be set; 0200 if it can only be set, such as a command. For a
 *        value of each block: 0, or 0444 for a file whose value attr_get() returns
 * @place: ZIO_ATTR_PLACE_*
 * @index: position in the control: enum zio_chan_std_attr for a standard attribute, 0 ... 31
 *         for an extended one or a value of each block. A device, its channel sets and their
 *         channels share the positions. Those from ZIO_ATTR_UNIT to ZIO_ATTR_OFFSET_HIGH
 *         belong to the core: see struct zio_scaling. Triggers have positions of their own:
 *         see struct zio_board_trigger and struct zio_trigger_type.
 * @wide: a number of 64 bits at two positions, low half first; trigger types only
 * @value: initial value; for a value of each block: the default, unless the driver or the
 *         user of an output sets another one
 * @min: smallest value accepted (-ERANGE below). For a value of each block, the limits apply
 *       to the controls that users write to outputs
 * @max: largest value accepted (-ERANGE above); 0 stands for 2^32 - 1, or for 2^63 - 1 if
 *       @wide
 * @is_signed: @value, @min, @max and the values of attr_set() and attr_get() are s32, and
 *             sysfs shows negative numbers. If @min and @max are both 0, every value is
 *             accepted. ZIO_ATTR_OFFSET is always signed.
 * @choices: the only values accepted from @min to @max (-EINVAL for others; -ERANGE in a
 *           control); or NULL
 * @n_choices: number of @choices
 * @words: the only texts accepted (-EINVAL for others), up to a NULL; for struct
 *         zio_trigger_type and struct zio_config_type only
 * @text: the value is a text of this form, shown to users: "<label:offset>"; for struct
 *        zio_trigger_type and struct zio_config_type only
 * @raw_io: names an interrupt, a line or an address of the machine: writing it needs
 *          CAP_SYS_RAWIO (-EPERM); for struct zio_config_type only
 * @id: for the driver, to tell attributes apart in attr_set() and attr_get()
 *
 * Registration of a device with an invalid descriptor, such as a @min above @max, fails with
 * -EINVAL, and the kernel log names the attribute.
 */
struct zio_attr_desc {
	const char *name;
	umode_t mode;
	u8 place;
	u8 index;
	bool wide;
	u64 value;
	u64 min;
	u64 max;
	bool is_signed;
	const u32 *choices;
	unsigned int n_choices;
	const char *const *words;
	const char *text;
	bool raw_io;
	unsigned long id;
};

#define ZIO_ATTR_STD(_name, _mode, _index, _value, _id) {		\
	.name = _name, .mode = _mode, .place = ZIO_ATTR_PLACE_STD,	\
	.index = _index, .value = _value, .id = _id }
#define ZIO_ATTR_EXT(_name, _mode, _index, _value, _id) {		\
	.name = _name, .mode = _mode, .place = ZIO_ATTR_PLACE_EXT,	\
	.index = _index, .value = _value, .id = _id }
#define ZIO_ATTR_BLOCK(_name, _index, _value) {				\
	.name = _name, .place = ZIO_ATTR_PLACE_BLOCK, .index = _index,	\
	.value = _value }
#define ZIO_ATTR_PARAM(_name, _mode, _value, _id) {			\
	.name = _name, .mode = _mode, .value = _value, .id = _id }

/**
 * struct zio_board_trigger - the trigger of a board that decides for itself when to acquire
 * @name: 1 ... 11 characters, shown as the set's trigger and in controls
 * @attrs: its attributes, in the directory of the set's trigger
 * @n_attrs: number of @attrs
 *
 * The values are in the control's attr_trigger, at one of its 32 extended positions or at a
 * standard position behind ZIO_ATTR_TRIG_CLOCK; the other positions belong to the core.
 * attr_set() and attr_get() of the set are called with a NULL channel.
 */
struct zio_board_trigger {
	const char *name;
	const struct zio_attr_desc *attrs;
	unsigned int n_attrs;
};

#define ZIO_SCALING_SIGNED	BIT(0)	/* samples are two's complement */
#define ZIO_SCALING_WRITABLE	BIT(1)	/* users may set unit, scale and offset */

/**
 * struct zio_scaling - how the samples of a channel become physical values
 * @flags: ZIO_SCALING_*
 * @unit: unit of the value
 * @mant: mantissa of the scale, neither 0 nor S64_MIN
 * @exp: decimal exponent of the scale
 * @offset: added to the value, in millionths of the unit if @offset_exp is 0
 * @offset_exp: decimal exponent of @offset; 6: @offset is in the unit itself
 *
 * value = raw * @mant * 10^@exp + @offset * 10^(@offset_exp - 6), and raw is the number in
 * the valid bits of a sample. Scale and offset are at most 9.99...e280 and at least 1e-280.
 * For a 16-bit ADC with a range of +-2.5 V, one step is 2.5 / 2^15 V: .mant = 762939453125
 * and .exp = -16. The core makes the files "unit", "scale", "offset" and "signed", and puts
 * the values into the controls. A driver's attribute cannot have one of these names.
 */
struct zio_scaling {
	unsigned long flags;
	enum zio_unit unit;
	s64 mant;
	s32 exp;
	s32 offset_exp;
	s64 offset;
};

#define ZIO_ALL_CHANNELS	(~0u)	/* for zio_cset_set_scaling() */

#endif /* _LINUX_ZIO_ATTR_H */
