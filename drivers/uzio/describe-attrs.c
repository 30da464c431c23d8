// SPDX-License-Identifier: GPL-2.0-only
/* describe-attrs.c: the attributes in the description of a device: see describe.c */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uzio.h"

/* The first version of struct uzio_attr */
#define UZIO_ATTR_SIZE_1	offsetofend(struct uzio_attr, reserved)

/* What a file of an attribute takes */
#define UZIO_ATTR_COST		512

#define UZIO_ATTR_FLAGS	\
	(UZIO_ATTR_CHANNELS | UZIO_ATTR_SIGNED | UZIO_ATTR_READ_ONLY | UZIO_ATTR_WRITE_ONLY)

#define UZIO_ATTR_OF_BLOCK	(UZIO_ATTR_CHANNELS | UZIO_ATTR_SIGNED)

static int attr_check_name(struct uzio *dev, unsigned int index,
			   const struct uzio_attr *list)
{
	const struct uzio_attr *from = &list[index];
	size_t len = strnlen(from->name, sizeof(from->name));
	enum zio_object_type kind = from->set == UZIO_DEVICE ? ZIO_DEV :
		from->flags & UZIO_ATTR_CHANNELS ? ZIO_CHAN : ZIO_CSET;
	unsigned int i;

	if (!len || len == sizeof(from->name) ||
	    strspn(from->name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != len)
		return describe_refuse(dev, -EINVAL,
				       "attribute %u: name is not 1 to %u of [a-z0-9_-]", index,
				       UZIO_ATTR_NAME_LEN - 1);
	if (!zio_attr_name_is_free(kind, from->name) ||
	    (kind == ZIO_DEV && !strcmp(from->name, UZIO_REFUSAL)))
		return describe_refuse(dev, -EINVAL, "attribute %u: ZIO has a file %s", index,
				       from->name);
	for (i = 0; i < dev->n_sets && kind == ZIO_DEV; i++)
		if (!strcmp(from->name, dev->set[i].name))
			return describe_refuse(dev, -EINVAL, "attribute %u: name is that of set %u",
					       index, i);
	return 0;
}

/* Names and places of attributes of one object are different. */
static int attr_check_twins(struct uzio *dev, unsigned int index,
			    const struct uzio_attr *list)
{
	const struct uzio_attr *from = &list[index], *other;
	unsigned int i;
	bool is_same;

	for (i = 0, other = list; i < index; i++, other++) {
		if (other->set != from->set ||
		    (other->flags ^ from->flags) & UZIO_ATTR_CHANNELS)
			continue;
		if (!strcmp(other->name, from->name))
			return describe_refuse(dev, -EINVAL,
					       "attribute %u: name is that of attribute %u",
					       index, i);
		is_same = (other->place == UZIO_PLACE_STD) == (from->place == UZIO_PLACE_STD);
		if (from->place && other->place && is_same && other->index == from->index)
			return describe_refuse(dev, -EINVAL,
					       "attribute %u: place is that of attribute %u",
					       index, i);
	}
	return 0;
}

static int attr_check_kind(struct uzio *dev, unsigned int index,
			   const struct uzio_attr *from)
{
	bool is_std = from->place == UZIO_PLACE_STD, good;

	if (from->set >= dev->n_sets && from->set != UZIO_DEVICE)
		return describe_refuse(dev, -ERANGE, "attribute %u: set is %u, not 0 to %u", index,
				       from->set, dev->n_sets - 1);
	if (from->flags & ~UZIO_ATTR_FLAGS || from->reserved)
		return describe_refuse(dev, -ERANGE, "attribute %u: unknown flags", index);
	if (from->set == UZIO_DEVICE && from->flags & UZIO_ATTR_CHANNELS)
		return describe_refuse(dev, -EINVAL, "attribute %u: the device has no channels",
				       index);
	if (from->flags & UZIO_ATTR_READ_ONLY && from->flags & UZIO_ATTR_WRITE_ONLY)
		return describe_refuse(dev, -EINVAL,
				       "attribute %u: nobody may read or write it", index);
	if (from->place == UZIO_PLACE_BLOCK && (from->set == UZIO_DEVICE ||
						from->flags & ~UZIO_ATTR_OF_BLOCK))
		return describe_refuse(dev, -EINVAL,
				       "attribute %u: a value of each block is of a set or its channels, and has no file",
				       index);
	if (from->place && from->flags & UZIO_ATTR_CHANNELS &&
	    dev->cset[from->set].flags & ZIO_CSET_INTERLEAVED)
		return describe_refuse(dev, -EINVAL,
				       "attribute %u: channels of an interleaved set have no place",
				       index);
	good = is_std ? from->index == ZIO_ATTR_VERSION ||
		(from->index >= ZIO_ATTR_GAIN && from->index <= ZIO_ATTR_VREFTYPE) :
		from->index < ZIO_MAX_EXT_ATTR;
	if (from->place > UZIO_PLACE_BLOCK || !good)
		return describe_refuse(dev, -ERANGE,
				       "attribute %u: place %u has no index %u for programs", index,
				       from->place, from->index);
	return 0;
}

static bool attr_is_signed(const struct uzio_attr *from)
{
	return from->flags & UZIO_ATTR_SIGNED ||
		(from->place == UZIO_PLACE_STD && from->index == ZIO_ATTR_OFFSET);
}

static bool attr_fits(const struct uzio_attr *from, s64 value)
{
	return value == (attr_is_signed(from) ? (s64)(s32)value : (s64)(u32)value);
}

static bool attr_accepts(const struct uzio_attr *from, const u32 *choices, s64 value)
{
	u32 i;

	if ((from->min || from->max) && (value < from->min || value > from->max))
		return false;
	for (i = 0; i < from->n_choices; i++)
		if (choices[i] == (u32)value)
			return true;
	return !from->n_choices && attr_fits(from, value);
}

static int attr_check_values(struct uzio *dev, unsigned int index,
			     const struct uzio_attr *from)
{
	const u32 *choices = dev->attr[index].choices;

	if (!attr_fits(from, from->min) || !attr_fits(from, from->max) ||
	    from->min > from->max)
		return describe_refuse(dev, -ERANGE, "attribute %u: min is %lld, but max is %lld",
				       index, from->min, from->max);
	if (!attr_fits(from, from->value) || !attr_accepts(from, choices, from->value))
		return describe_refuse(dev, -EINVAL,
				       "attribute %u: it does not accept its value %lld", index,
				       from->value);
	return 0;
}

static int attr_copy_choices(struct uzio *dev, unsigned int index,
			     const struct uzio_attr *from)
{
	size_t size = from->n_choices * sizeof(u32);
	u32 *choices;

	if (from->n_choices > UZIO_MAX_CHOICES)
		return describe_refuse(dev, -ERANGE, "attribute %u: n_choices is %u, not 0 to %u",
				       index, from->n_choices, UZIO_MAX_CHOICES);
	if (!from->n_choices)
		return 0;
	choices = kmalloc(size, GFP_KERNEL_ACCOUNT);
	dev->attr[index].choices = choices;
	if (!choices)
		return -ENOMEM;
	return copy_from_user(choices, u64_to_user_ptr(from->choices), size) ? -EFAULT : 0;
}

static int attr_copy(struct uzio *dev, const struct uzio_create *create,
		     unsigned int index, struct uzio_attr *list)
{
	const char __user *array = u64_to_user_ptr(create->attrs);
	struct uzio_attr *from = &list[index];
	struct uzio_attribute *to = &dev->attr[index];
	unsigned int files;
	int ret;

	ret = copy_struct_from_user(from, sizeof(*from),
				    array + (size_t)index * create->attr_size, create->attr_size);
	if (ret)
		return ret == -E2BIG ?
			describe_refuse(dev, ret, "attribute %u: unknown fields behind byte %zu",
					index, sizeof(*from)) : ret;
	ret = attr_check_kind(dev, index, from) ?:
		attr_check_name(dev, index, list) ?:
		attr_check_twins(dev, index, list) ?:
		attr_copy_choices(dev, index, from) ?:
		attr_check_values(dev, index, from);
	if (ret)
		return ret;
	memcpy(to->name, from->name, sizeof(to->name));
	to->set = from->set;
	to->of_channels = from->flags & UZIO_ATTR_CHANNELS;
	files = to->of_channels ? dev->cset[to->set].n_chan : 1;
	return zio_charge(&dev->charge, files * UZIO_ATTR_COST);
}

static umode_t attr_mode(const struct uzio_attr *from)
{
	if (from->place == UZIO_PLACE_BLOCK)
		return 0;
	if (from->flags & UZIO_ATTR_READ_ONLY)
		return 0444;
	return from->flags & UZIO_ATTR_WRITE_ONLY ? 0200 : 0644;
}

static void attr_put(struct uzio *dev, unsigned int index, const struct uzio_attr *from,
		     struct zio_attr_desc *to)
{
	*to = (struct zio_attr_desc) {
		.name = dev->attr[index].name,
		.mode = attr_mode(from),
		.place = from->place,
		.index = from->index,
		.value = from->value,
		.min = from->min,
		.max = from->max,
		.is_signed = attr_is_signed(from),
		.choices = dev->attr[index].choices,
		.n_choices = from->n_choices,
		.id = index,
	};
	dev->attr[index].desc = to;
	if (from->place == UZIO_PLACE_BLOCK)
		dev->set[from->set].value_mask |= BIT(from->index);
}

/* Puts the attributes of one object at @to. Returns how many. */
static unsigned int attr_put_all_of(struct uzio *dev, const struct uzio_attr *list,
				    unsigned int set, bool of_channels, struct zio_attr_desc *to)
{
	unsigned int i, n = 0;

	for (i = 0; i < dev->n_attrs; i++)
		if (list[i].set == set && dev->attr[i].of_channels == of_channels)
			attr_put(dev, i, &list[i], &to[n++]);
	return n;
}

static void attr_sort(struct uzio *dev, const struct uzio_attr *list)
{
	struct zio_attr_desc *to = dev->attr_desc;
	struct zio_cset_desc *cset;
	unsigned int i;

	dev->desc.ops = &uzio_device_ops;
	dev->desc.attrs = to;
	dev->desc.n_attrs = attr_put_all_of(dev, list, UZIO_DEVICE, false, to);
	to += dev->desc.n_attrs;
	for (i = 0; i < dev->n_sets; i++) {
		cset = &dev->cset[i];
		cset->cset_attrs = to;
		cset->n_cset_attrs = attr_put_all_of(dev, list, i, false, to);
		to += cset->n_cset_attrs;
		cset->chan_attrs = to;
		cset->n_chan_attrs = attr_put_all_of(dev, list, i, true, to);
		to += cset->n_chan_attrs;
	}
}

/*
 * Makes the descriptors of the attributes, once the sets have theirs, and charges the program
 * for the files. Context and result: as uzio_describe().
 */
int uzio_describe_attrs(struct uzio *dev, const struct uzio_create *create)
{
	struct uzio_attr *list;
	unsigned int i;
	int ret = 0;

	if (create->n_attrs > UZIO_MAX_ATTRS)
		return describe_refuse(dev, -ERANGE, "n_attrs is %u, not 0 to %u", create->n_attrs,
				       UZIO_MAX_ATTRS);
	if (!create->n_attrs)
		return 0;
	if (create->attr_size < UZIO_ATTR_SIZE_1 || create->attr_size > PAGE_SIZE)
		return describe_refuse(dev, -EINVAL, "attr_size is %u, not %zu", create->attr_size,
				       UZIO_ATTR_SIZE_1);
	list = kvcalloc(create->n_attrs, sizeof(*list), GFP_KERNEL_ACCOUNT);
	dev->attr = kvcalloc(create->n_attrs, sizeof(*dev->attr), GFP_KERNEL_ACCOUNT);
	dev->attr_desc = kvcalloc(create->n_attrs, sizeof(*dev->attr_desc), GFP_KERNEL_ACCOUNT);
	if (!list || !dev->attr || !dev->attr_desc)
		ret = -ENOMEM;
	else
		dev->n_attrs = create->n_attrs;
	for (i = 0; i < dev->n_attrs && !ret; i++)
		ret = attr_copy(dev, create, i, list);
	if (!ret)
		attr_sort(dev, list);
	kvfree(list);
	return ret;
}

/* Undoes uzio_describe_attrs(). Context: Process. */
void uzio_forget_attrs(struct uzio *dev)
{
	unsigned int i;

	for (i = 0; i < dev->n_attrs; i++)
		kfree(dev->attr[i].choices);
	kvfree(dev->attr);
	kvfree(dev->attr_desc);
	dev->attr = NULL;
	dev->attr_desc = NULL;
	dev->n_attrs = 0;
}
