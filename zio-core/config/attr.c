// SPDX-License-Identifier: GPL-2.0-only
/*
 * attr.c: the driver's attributes: sysfs files, and values in the control
 *
 * A write holds cset->mutex while the driver puts the value into the hardware; the driver
 * may sleep. Blocks that are armed later show the new value.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "config/internal.h"

/*
 * Returns 0; -EINVAL for text that is not a number, or is negative; -ERANGE from 2^32 on.
 */
int zio_attr_parse(const char *text, u32 *value)
{
	return kstrtou32(text, 0, value);
}

/* Accepts 0 and 1 only, so that a typing error switches nothing. */
int zio_attr_parse_bool(const char *text, bool *value)
{
	u32 number;
	int ret = zio_attr_parse(text, &number);

	if (ret)
		return ret;
	if (number > 1)
		return -EINVAL;
	*value = number;
	return 0;
}

/* Is the value an s32? */
bool zio_attr_is_signed(const struct zio_attr_desc *desc)
{
	return desc->is_signed || (desc->place == ZIO_ATTR_PLACE_STD &&
				   desc->index == ZIO_ATTR_OFFSET);
}

/* The directory tells whose value it is: channels share the file's attribute. */
struct zio_attr_value zio_attr_find(struct kobject *kobj, struct kobj_attribute *kattr)
{
	const struct zio_attr *attr = container_of(kattr, struct zio_attr, kattr);
	struct zio_attr_value found = { .desc = attr->desc };

	if (kobj->ktype == &zio_channel_ktype) {
		found.chan = kobj_to_channel(kobj);
		found.cset = found.chan->cset;
		found.value = &found.chan->values[attr->index];
	} else {
		found.cset = kobj_to_cset(kobj);
		found.value = &found.cset->values[attr->index];
	}
	return found;
}

/* The driver gets NULL for an attribute of the set. */
static struct zio_channel *driver_channel(const struct zio_attr_value *attr)
{
	return attr->chan ? &attr->chan->pub : NULL;
}

static ssize_t attr_show(struct kobject *kobj, struct kobj_attribute *kattr,
			 char *page)
{
	struct zio_attr_value attr = zio_attr_find(kobj, kattr);
	struct zio_cset_core *cset = attr.cset;
	int ret = zio_cset_lock(cset);
	u32 value;

	if (ret)
		return ret;
	value = *attr.value;
	if (cset->ops->attr_get && !zio_scaling_has(attr.desc))
		ret = cset->ops->attr_get(&cset->pub, driver_channel(&attr), attr.desc, &value);
	mutex_unlock(&cset->mutex);
	if (ret)
		return ret;
	if (zio_attr_is_signed(attr.desc))
		return sysfs_emit(page, "%d\n", (s32)value);
	return sysfs_emit(page, "%u\n", value);
}

static int refresh(const struct zio_attr_value *attr)
{
	if (attr->desc->place == ZIO_ATTR_PLACE_NONE)
		return 0;
	if (attr->chan)
		return zio_channel_refresh(attr->chan);
	return zio_cset_refresh(attr->cset);
}

static int tell_driver(const struct zio_attr_value *attr, u32 value)
{
	struct zio_cset_core *cset = attr->cset;

	return cset->ops->attr_set(&cset->pub, driver_channel(attr), attr->desc, value);
}

static int set_value(const struct zio_attr_value *attr, u32 value)
{
	u32 old = *attr->value;
	int ret = tell_driver(attr, value);

	if (ret)
		return ret;
	*attr->value = value;
	ret = refresh(attr);
	if (ret) {
		*attr->value = old;
		tell_driver(attr, old);
	}
	return ret;
}

static int parse_signed(const struct zio_attr_desc *desc, const char *text, u32 *value)
{
	s32 min = desc->min, max = desc->max, number;
	int ret = kstrtos32(text, 0, &number);

	if (ret)
		return ret;
	*value = number;
	return (min || max) && (number < min || number > max) ? -ERANGE : 0;
}

static int parse_value(const struct zio_attr_desc *desc, const char *text, u32 *value)
{
	int ret;

	if (zio_attr_is_signed(desc))
		return parse_signed(desc, text, value);
	ret = zio_attr_parse(text, value);
	if (ret)
		return ret;
	return *value < desc->min || (desc->max && *value > desc->max) ? -ERANGE : 0;
}

static ssize_t attr_store(struct kobject *kobj, struct kobj_attribute *kattr,
			  const char *text, size_t count)
{
	struct zio_attr_value attr = zio_attr_find(kobj, kattr);
	u32 value;
	int ret = parse_value(attr.desc, text, &value);

	if (!ret)
		ret = zio_cset_lock(attr.cset);
	if (ret)
		return ret;
	ret = set_value(&attr, value);
	mutex_unlock(&attr.cset->mutex);
	return ret ?: count;
}

void zio_attr_init(struct zio_attr *attr, unsigned int index,
		   const struct zio_attr_desc *desc)
{
	sysfs_attr_init(&attr->kattr.attr);
	attr->kattr.attr.name = desc->name;
	attr->kattr.attr.mode = desc->mode;
	attr->kattr.show = attr_show;
	attr->kattr.store = desc->mode & 0222 ? attr_store : NULL;
	attr->desc = desc;
	attr->index = index;
}

static int check_desc(const struct zio_cset_core *cset,
		      const struct zio_attr_desc *desc)
{
	unsigned int limit = desc->place == ZIO_ATTR_PLACE_STD ?
		ZIO_MAX_STD_ATTR : ZIO_MAX_EXT_ATTR;

	if (WARN_ON(!desc->name || desc->place > ZIO_ATTR_PLACE_EXT))
		return -EINVAL;
	if (WARN_ON(desc->place && desc->index >= limit))
		return -EINVAL;
	if (WARN_ON(desc->place == ZIO_ATTR_PLACE_STD &&
		    desc->index >= ZIO_ATTR_UNIT && desc->index <= ZIO_ATTR_OFFSET_HIGH))
		return -EINVAL;
	if (WARN_ON((desc->mode & 0222) && !cset->ops->attr_set))
		return -EINVAL;
	return 0;
}

/*
 * Returns the attributes of the set or of its channels. Those of the driver come first,
 * then those of the scaling. Sets *n_attrs to their number.
 */
static struct zio_attr *create_attrs(struct zio_cset_core *cset, bool of_channels,
				     unsigned int *n_attrs)
{
	const struct zio_cset_desc *desc = cset->desc;
	const struct zio_attr_desc *list = of_channels ? desc->chan_attrs : desc->cset_attrs;
	unsigned int i, n = of_channels ? desc->n_chan_attrs : desc->n_cset_attrs;
	struct zio_attr *attrs;
	int ret = 0;

	attrs = kcalloc(n + (of_channels && desc->scaling ? ZIO_SCALING_ATTRS : 0),
			sizeof(*attrs), GFP_KERNEL);
	if (!attrs)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < n && !ret; i++) {
		zio_attr_init(&attrs[i], i, &list[i]);
		ret = check_desc(cset, &list[i]);
	}
	if (ret) {
		kfree(attrs);
		return ERR_PTR(ret);
	}
	*n_attrs = of_channels ? zio_scaling_add(cset, attrs, n) : n;
	return attrs;
}

static u32 *create_values(const struct zio_attr *attrs, unsigned int n)
{
	u32 *values = kcalloc(n, sizeof(*values), GFP_KERNEL);
	unsigned int i;

	for (i = 0; i < n && values; i++)
		values[i] = attrs[i].desc->value;
	return values;
}

static umode_t mode_of(struct kobject *kobj, struct attribute *attr, int i)
{
	const struct zio_attr *own = container_of(attr, struct zio_attr, kattr.attr);

	if (kobj->ktype != &zio_channel_ktype)
		return attr->mode;
	return zio_scaling_mode(kobj_to_channel(kobj), own->desc);
}

/* The files "scale" and "offset" stand for several attributes, which have none. */
static int create_files(struct kobject *kobj, struct zio_attr *attrs, unsigned int n)
{
	struct attribute **list = kcalloc(n + 1, sizeof(*list), GFP_KERNEL);
	struct attribute_group group = { .is_visible = mode_of, .attrs = list };
	unsigned int i, used = 0;
	int ret;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (attrs[i].desc->name)
			list[used++] = &attrs[i].kattr.attr;
	ret = used ? sysfs_create_group(kobj, &group) : 0;
	kfree(list);
	return ret;
}

static int create_of_set(struct zio_cset_core *cset)
{
	struct zio_attr *attrs = create_attrs(cset, false, &cset->n_attrs);

	if (IS_ERR(attrs))
		return PTR_ERR(attrs);
	cset->attrs = attrs;
	attrs = create_attrs(cset, true, &cset->n_chan_attrs);
	if (IS_ERR(attrs))
		return PTR_ERR(attrs);
	cset->chan_attrs = attrs;
	cset->values = create_values(cset->attrs, cset->n_attrs);
	if (!cset->values)
		return -ENOMEM;
	return create_files(&cset->kobj, cset->attrs, cset->n_attrs);
}

static int create_of_channel(struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;
	int ret;

	chan->values = create_values(cset->chan_attrs, cset->n_chan_attrs);
	if (!chan->values)
		return -ENOMEM;
	ret = zio_scaling_set_values(chan);
	return ret ?: create_files(&chan->kobj, cset->chan_attrs, cset->n_chan_attrs);
}

/**
 * zio_attrs_create() - create the files of the driver's attributes and of the scaling
 * @cset: the channel set
 * @chan: the channel; NULL for the attributes of the set, which come first
 *
 * The files are removed with the directory; the values are freed with the object.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENOMEM; -EINVAL for a descriptor that is wrong; or an error of sysfs.
 */
int zio_attrs_create(struct zio_cset_core *cset, struct zio_channel_core *chan)
{
	return chan ? create_of_channel(chan) : create_of_set(cset);
}
