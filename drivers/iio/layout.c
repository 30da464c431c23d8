// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout.c: the channels of an IIO device, and the channel sets made from them
 *
 * An interleaved set has one scale, offset and unit, so channels that differ in one of
 * these, in sign or in size go into different sets. In the mode "separate", each channel
 * has its own blocks and scale, and a set has all channels of one size.
 */
#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "iio.h"

/* The layout of a channel's samples in a scan; @bits 0: ZIO does not support it */
struct ziio_format {
	unsigned int bits;
	unsigned int realbits;
	unsigned int shift;
	unsigned int repeat;
	char sign;
	bool swap;
};

#ifdef __BIG_ENDIAN
#define ZIIO_OTHER_ENDIAN IIO_LE
#else
#define ZIIO_OTHER_ENDIAN IIO_BE
#endif

#define ZIIO_SEPARATORS	", \t\n"	/* of names in a list */

#define ZIIO_FORMAT(_type) {					\
	.bits = (_type)->storagebits,				\
	.realbits = (_type)->realbits,				\
	.shift = (_type)->shift,				\
	.repeat = max_t(unsigned int, (_type)->repeat, 1),	\
	.sign = (_type)->sign | 0x20,				\
	.swap = (_type)->endianness == ZIIO_OTHER_ENDIAN,	\
}

/* The raw value of a channel is an int of the kernel, a processed one has a fraction. */
static struct ziio_format ziio_find_read_format(const struct iio_chan_spec *spec)
{
	unsigned int bits = ziio_has_info(spec, IIO_CHAN_INFO_RAW) ? 32 :
		ziio_has_info(spec, IIO_CHAN_INFO_PROCESSED) ? 64 : 0;

	return (struct ziio_format) {
		.bits = bits,
		.realbits = bits,
		.repeat = 1,
		.sign = 's',
	};
}

static struct ziio_format ziio_find_scan_format(const struct iio_dev *indio,
						const struct iio_chan_spec *spec)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	return (struct ziio_format)ZIIO_FORMAT(&spec->scan_type);
#else
	const struct iio_scan_type *type = iio_get_current_scan_type(indio, spec);

	if (IS_ERR(type))
		return (struct ziio_format){ .repeat = 1 };
	return (struct ziio_format)ZIIO_FORMAT(type);
#endif
}

static struct ziio_format ziio_find_format(const struct ziio_state *state,
					   const struct iio_chan_spec *spec)
{
	return state->mode == ZIIO_READ ? ziio_find_read_format(spec) :
					  ziio_find_scan_format(state->indio, spec);
}

static bool ziio_is_input(const struct ziio_state *state, const struct iio_chan_spec *spec)
{
	return (spec->scan_index >= 0 || state->mode == ZIIO_READ) && !spec->output &&
		spec->type != IIO_TIMESTAMP;
}

static bool ziio_format_is_valid(const struct ziio_format *format)
{
	return (format->sign == 's' || format->sign == 'u') && !(format->bits % 8) &&
		ziio_field_is_valid(format->bits / 8, format->realbits, format->shift);
}

/* Returns the first name of a list, of @len bytes; empty at the end of the list. */
static const char *ziio_first_name(const char *list, size_t *len)
{
	list += strspn(list, ZIIO_SEPARATORS);
	*len = strcspn(list, ZIIO_SEPARATORS);
	return list;
}

/* Returns true if the user's list, where empty means all, has the name. */
static bool ziio_is_wanted(const char *wanted, const char *name)
{
	size_t len;

	if (!*wanted)
		return true;
	for (wanted = ziio_first_name(wanted, &len); len;
	     wanted = ziio_first_name(wanted + len, &len))
		if (len == strlen(name) && !strncmp(wanted, name, len))
			return true;
	return false;
}

static bool ziio_has_channel(const struct ziio_state *state, const char *wanted, size_t len)
{
	const struct iio_dev *indio = state->indio;
	char name[ZIIO_NAME_LEN];
	int i;

	for (i = 0; i < indio->num_channels; i++) {
		ziio_name_channel(name, &indio->channels[i], -1);
		if (ziio_is_input(state, &indio->channels[i]) && strlen(name) == len &&
		    !strncmp(wanted, name, len))
			return true;
	}
	return false;
}

static const char *ziio_purpose(const struct ziio_state *state)
{
	return state->mode == ZIIO_READ ? "to read" : "for a buffer";
}

static int ziio_check_names(const struct ziio_state *state, const char *wanted)
{
	size_t len;

	for (wanted = ziio_first_name(wanted, &len); len;
	     wanted = ziio_first_name(wanted + len, &len)) {
		if (ziio_has_channel(state, wanted, len))
			continue;
		dev_err(&state->pdev->dev, "%s has no channel \"%.*s\" %s\n",
			dev_name(&state->indio->dev), (int)len, wanted,
			ziio_purpose(state));
		return -EINVAL;
	}
	return 0;
}

static void ziio_add_elements(struct ziio_state *state, const struct iio_chan_spec *spec,
			      const struct ziio_format *format)
{
	unsigned int i;

	for (i = 0; i < format->repeat; i++) {
		struct ziio_channel *chan = &state->chan[state->n_chan++];

		chan->spec = spec;
		chan->realbits = format->realbits;
		ziio_name_channel(chan->name, spec, format->repeat > 1 ? i : -1);
		ziio_field_init(&chan->field, format->bits / 8, format->realbits,
				format->shift);
		chan->field.is_signed = format->sign == 's';
		chan->field.swap = format->swap;
		chan->field.offset = i * chan->field.bytes; /* within the channel */
	}
}

/* Returns 0, even for a channel that the user does not want, or -EOPNOTSUPP. */
static int ziio_add_channel(struct ziio_state *state, const struct iio_chan_spec *spec,
			    const char *wanted)
{
	struct ziio_format format = ziio_find_format(state, spec);
	char name[ZIIO_NAME_LEN];

	ziio_name_channel(name, spec, -1);
	if (!ziio_is_wanted(wanted, name))
		return 0;
	if (!ziio_format_is_valid(&format)) {
		dev_warn(&state->pdev->dev,
			 "%s: %s %s%s\n", dev_name(&state->indio->dev), name,
			 state->mode == ZIIO_READ ? "has no value that ZIO could read" :
			 "has samples of a format that ZIO does not support",
			 *wanted ? ": remove it from \"channels\"" : "");
		return *wanted ? -EOPNOTSUPP : 0;
	}
	if (state->n_chan + format.repeat > ZIIO_MAX_CHANNELS)
		return -E2BIG;
	ziio_add_elements(state, spec, &format);
	return 0;
}

/* Channels that are no part of a scan come last. They all have the index -1. */
static int ziio_place(const struct ziio_channel *chan)
{
	return chan->spec->scan_index < 0 ? INT_MAX : chan->spec->scan_index;
}

static int ziio_compare(const void *a, const void *b)
{
	const struct ziio_channel *left = a, *right = b;

	return ziio_place(left) - ziio_place(right) ?:
		(int)(left->spec - right->spec) ?:
		(int)left->field.offset - (int)right->field.offset;
}

/* Places the fields as the IIO core does: each channel is aligned to its size. */
static void ziio_place_fields(struct ziio_state *state, bool has_stamp)
{
	const struct iio_chan_spec *former = NULL;
	size_t begin = 0, end = 0, largest = 1, size;
	unsigned int i;

	for (i = 0; i < state->n_chan; i++) {
		struct ziio_channel *chan = &state->chan[i];

		if (chan->spec != former) {
			size = chan->field.bytes *
				ziio_find_format(state, chan->spec).repeat;
			begin = roundup(end, size);
			end = begin + size;
			largest = max(largest, size);
		}
		former = chan->spec;
		chan->field.offset += begin;
	}
	/* Kernels disagree where the time is behind channels of 16 bytes and more. */
	if (has_stamp && largest <= sizeof(s64)) {
		state->stamp_offset = ALIGN(end, sizeof(s64));
		end = state->stamp_offset + sizeof(s64);
		largest = sizeof(s64);
	}
	state->scan_bytes = roundup(end, largest);
}

/**
 * ziio_find_channels() - list the channels of a scan and their places in it
 * @state: the device; receives @chan, @n_chan, @scan_bytes, @stamp_offset
 * @wanted: names of channels, separated by commas or blanks; empty for all
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EINVAL if the device has no channel, or a name is unknown;
 * -EOPNOTSUPP for a format that ZIO does not support; -E2BIG; -ENOMEM.
 */
int ziio_find_channels(struct ziio_state *state, const char *wanted)
{
	struct iio_dev *indio = state->indio;
	int ret = ziio_check_names(state, wanted), i;
	bool has_stamp = false;
	unsigned int n = 0;

	if (ret)
		return ret;
	for (i = 0; i < indio->num_channels; i++) {
		n += ziio_find_format(state, &indio->channels[i]).repeat;
		has_stamp |= state->mode != ZIIO_READ &&
			indio->channels[i].type == IIO_TIMESTAMP &&
			indio->channels[i].scan_index >= 0;
	}
	state->chan = devm_kcalloc(&state->pdev->dev, n, sizeof(*state->chan), GFP_KERNEL);
	if (!state->chan)
		return -ENOMEM;
	for (i = 0; i < indio->num_channels && !ret; i++)
		if (ziio_is_input(state, &indio->channels[i]))
			ret = ziio_add_channel(state, &indio->channels[i], wanted);
	if (ret)
		return ret;
	if (!state->n_chan) {
		dev_err(&state->pdev->dev, "%s has no channel %s%s\n", dev_name(&indio->dev),
			ziio_purpose(state),
			state->mode == ZIIO_READ ? "" : ": try the mode \"read\"");
		return -EINVAL;
	}
	sort(state->chan, state->n_chan, sizeof(*state->chan), ziio_compare, NULL);
	ziio_place_fields(state, has_stamp);
	for (i = 0; i < state->n_chan; i++)
		ziio_read_scaling(state, state->chan[i].spec,
				  state->chan[i].field.is_signed,
				  &state->chan[i].scaling);
	return 0;
}

static bool ziio_is_same_kind(const struct ziio_state *state, const struct ziio_channel *a,
			      const struct ziio_channel *b)
{
	if (a->field.bytes != b->field.bytes)
		return false;
	return state->mode == ZIIO_SEPARATE ||
		(a->spec->type == b->spec->type &&
		 ziio_is_same_scaling(&a->scaling, &b->scaling));
}

/* An interleaved set has at most 64 channels. */
static bool ziio_is_full(const struct ziio_state *state, unsigned int set,
			 const struct ziio_channel *end)
{
	const struct ziio_channel *chan;
	unsigned int n = 0;

	for (chan = state->chan; chan < end; chan++)
		n += chan->set == set;
	return state->mode != ZIIO_SEPARATE && n >= 64;
}

/* Puts a channel into the set of a matching earlier channel, or into a new set. */
static void ziio_choose_set(struct ziio_state *state, struct ziio_channel *chan)
{
	const struct ziio_channel *other;

	for (other = state->chan; other < chan; other++) {
		if (!ziio_is_same_kind(state, other, chan) || ziio_is_full(state, other->set, chan))
			continue;
		chan->set = other->set;
		return;
	}
	chan->set = state->n_set++;
}

static int ziio_fill_set(struct ziio_state *state, unsigned int index)
{
	struct ziio_set *set = &state->set[index];
	struct device *dev = &state->pdev->dev;
	unsigned int i;

	set->state = state;
	set->spec = devm_kcalloc(dev, state->n_chan, sizeof(*set->spec), GFP_KERNEL);
	set->field = devm_kcalloc(dev, state->n_chan, sizeof(*set->field), GFP_KERNEL);
	set->scaling = devm_kcalloc(dev, state->n_chan, sizeof(*set->scaling), GFP_KERNEL);
	set->chan = devm_kcalloc(dev, state->n_chan, sizeof(*set->chan), GFP_KERNEL);
	if (state->mode == ZIIO_READ)
		set->reader.scan = devm_kzalloc(dev, state->scan_bytes, GFP_KERNEL);
	if (!set->spec || !set->field || !set->scaling || !set->chan ||
	    (state->mode == ZIIO_READ && !set->reader.scan))
		return -ENOMEM;
	for (i = 0; i < state->n_chan; i++) {
		if (state->chan[i].set != index)
			continue;
		set->spec[set->n] = state->chan[i].spec;
		set->field[set->n] = state->chan[i].field;
		set->scaling[set->n] = state->chan[i].scaling;
		set->n++;
	}
	set->is_plain = ziio_fields_are_plain(set->field, set->n);
	return 0;
}

static void ziio_describe_set(struct ziio_state *state, unsigned int index)
{
	struct zio_cset_desc *desc = &state->cset[index];
	struct ziio_set *set = &state->set[index];
	unsigned int i;

	/* The device has a link "iio" and links named after its sets. */
	desc->name = state->mode == ZIIO_SEPARATE ? "channels" :
		ziio_type_name(set->spec[0]->type) ?: "channels";
	/* A work item cannot be queued in hard interrupt context of PREEMPT_RT. */
	desc->flags = state->mode == ZIIO_READ ? 0 : ZIO_CSET_HARDIRQ;
	desc->n_chan = set->n;
	desc->ssize = set->field->bytes;
	for (i = 0; i < state->n_chan; i++)
		if (state->chan[i].set == index)
			desc->nbits = max(desc->nbits, state->chan[i].realbits);
	desc->ops = state->mode == ZIIO_READ ? &ziio_read_ops : &ziio_set_ops;
	desc->cset_attrs = ziio_set_attrs;
	desc->n_cset_attrs = ziio_n_set_attrs;
	desc->scaling = set->scaling;
	desc->n_scaling = 1;
	if (state->mode == ZIIO_SEPARATE)
		desc->n_scaling = set->n;
	else
		desc->flags |= ZIO_CSET_INTERLEAVED;
}

/**
 * ziio_make_sets() - make the channel sets
 * @state: the device; receives @set, @n_set, @cset
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENOMEM.
 */
int ziio_make_sets(struct ziio_state *state)
{
	struct device *dev = &state->pdev->dev;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < state->n_chan; i++)
		ziio_choose_set(state, &state->chan[i]);
	state->set = devm_kcalloc(dev, state->n_set, sizeof(*state->set), GFP_KERNEL);
	state->cset = devm_kcalloc(dev, state->n_set, sizeof(*state->cset), GFP_KERNEL);
	if (!state->set || !state->cset)
		return -ENOMEM;
	for (i = 0; i < state->n_set && !ret; i++) {
		ret = ziio_fill_set(state, i);
		if (!ret)
			ziio_describe_set(state, i);
	}
	return ret;
}
