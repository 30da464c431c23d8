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

static struct zio_attr *to_attr(struct kobj_attribute *kattr)
{
	return container_of(kattr, struct zio_attr, kattr);
}

/* The driver gets NULL for an attribute of the set. */
static struct zio_channel *driver_channel(const struct zio_attr *attr)
{
	return attr->chan ? &attr->chan->pub : NULL;
}

static ssize_t attr_show(struct kobject *kobj, struct kobj_attribute *kattr,
			 char *page)
{
	struct zio_attr *attr = to_attr(kattr);
	struct zio_cset_core *cset = attr->cset;
	int ret = zio_cset_lock(cset);
	u32 value;

	if (ret)
		return ret;
	value = attr->value;
	if (cset->ops->attr_get && !zio_scaling_has(attr->desc))
		ret = cset->ops->attr_get(&cset->pub, driver_channel(attr), attr->desc, &value);
	mutex_unlock(&cset->mutex);
	if (ret)
		return ret;
	if (zio_attr_is_signed(attr->desc))
		return sysfs_emit(page, "%d\n", (s32)value);
	return sysfs_emit(page, "%u\n", value);
}

static int refresh(struct zio_attr *attr)
{
	if (attr->desc->place == ZIO_ATTR_PLACE_NONE)
		return 0;
	if (attr->chan)
		return zio_channel_refresh(attr->chan);
	return zio_cset_refresh(attr->cset);
}

/* The driver knows nothing of the attributes of the core. */
static int tell_driver(struct zio_attr *attr, u32 value)
{
	struct zio_cset_core *cset = attr->cset;

	if (zio_scaling_has(attr->desc))
		return 0;
	return cset->ops->attr_set(&cset->pub, driver_channel(attr), attr->desc, value);
}

static int set_value(struct zio_attr *attr, u32 value)
{
	u32 old = attr->value;
	int ret = tell_driver(attr, value);

	if (ret)
		return ret;
	attr->value = value;
	ret = refresh(attr);
	if (ret) {
		attr->value = old;
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
	struct zio_attr *attr = to_attr(kattr);
	u32 value;
	int ret = parse_value(attr->desc, text, &value) ?: zio_cset_lock(attr->cset);

	if (ret)
		return ret;
	ret = set_value(attr, value);
	mutex_unlock(&attr->cset->mutex);
	return ret ?: count;
}

/* Initialises an attribute; its value is that of the descriptor. */
void zio_attr_init(struct zio_attr *attr, const struct zio_attr_desc *desc,
		   struct zio_cset_core *cset, struct zio_channel_core *chan)
{
	sysfs_attr_init(&attr->kattr.attr);
	attr->kattr.attr.name = desc->name;
	attr->kattr.attr.mode = desc->mode;
	attr->kattr.show = attr_show;
	attr->kattr.store = desc->mode & 0222 ? attr_store : NULL;
	attr->desc = desc;
	attr->cset = cset;
	attr->chan = chan;
	attr->value = desc->value;
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
		    desc->index >= ZIO_ATTR_UNIT && desc->index <= ZIO_ATTR_SIGNED))
		return -EINVAL;
	if (WARN_ON((desc->mode & 0222) && !cset->ops->attr_set))
		return -EINVAL;
	return 0;
}

static int fill_attrs(struct zio_attr *attrs, struct zio_cset_core *cset,
		      struct zio_channel_core *chan, const struct zio_attr_desc *desc,
		      unsigned int n)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++) {
		zio_attr_init(&attrs[i], &desc[i], cset, chan);
		ret = check_desc(cset, &desc[i]);
	}
	return ret;
}

/* The exponent of a scale has no file: the file of the mantissa shows both. */
static bool has_file(const struct zio_attr *attr)
{
	return attr->desc->name;
}

static void remove_files(struct kobject *kobj, struct zio_attr *attrs, unsigned int n)
{
	while (n--)
		if (has_file(&attrs[n]))
			sysfs_remove_file(kobj, &attrs[n].kattr.attr);
}

static int create_files(struct kobject *kobj, struct zio_attr *attrs, unsigned int n)
{
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = has_file(&attrs[i]) ?
			sysfs_create_file(kobj, &attrs[i].kattr.attr) : 0;
		if (ret) {
			remove_files(kobj, attrs, i);
			return ret;
		}
	}
	return 0;
}

/* Those of the driver come first, then those of the scaling. Sets *n to their number. */
static struct zio_attr *create_attrs(struct zio_cset_core *cset,
				     struct zio_channel_core *chan, unsigned int *n)
{
	const struct zio_cset_desc *desc = cset->desc;
	unsigned int n_driver = chan ? desc->n_chan_attrs : desc->n_cset_attrs;
	struct zio_attr *attrs;
	int ret;

	attrs = kcalloc(n_driver + (chan && desc->scaling ? ZIO_SCALING_ATTRS : 0),
			sizeof(*attrs), GFP_KERNEL);
	if (!attrs)
		return ERR_PTR(-ENOMEM);
	ret = fill_attrs(attrs, cset, chan, chan ? desc->chan_attrs : desc->cset_attrs,
			 n_driver);
	*n = n_driver;
	if (!ret && chan)
		ret = zio_scaling_init(attrs, n, chan);
	if (!ret)
		ret = create_files(chan ? &chan->kobj : &cset->kobj, attrs, *n);
	if (!ret)
		return attrs;
	kfree(attrs);
	return ERR_PTR(ret);
}

/**
 * zio_attrs_create() - create the files of the driver's attributes and of the scaling
 * @cset: the channel set
 * @chan: the channel; NULL for the attributes of the set
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENOMEM; -EINVAL for a descriptor that is wrong; or an error of sysfs.
 */
int zio_attrs_create(struct zio_cset_core *cset, struct zio_channel_core *chan)
{
	struct zio_attr *attrs;
	unsigned int n;

	attrs = create_attrs(cset, chan, &n);
	if (IS_ERR(attrs))
		return PTR_ERR(attrs);
	if (chan) {
		chan->attrs = attrs;
		chan->n_attrs = n;
	} else {
		cset->attrs = attrs;
		cset->n_attrs = n;
	}
	return 0;
}

/**
 * zio_attrs_remove() - remove the files of the driver's attributes
 * @cset: the channel set
 * @chan: the channel; NULL for the attributes of the set
 *
 * The values are freed with the object.
 *
 * Context: Process, sleeps.
 */
void zio_attrs_remove(struct zio_cset_core *cset, struct zio_channel_core *chan)
{
	struct kobject *kobj = chan ? &chan->kobj : &cset->kobj;

	remove_files(kobj, chan ? chan->attrs : cset->attrs,
		     chan ? chan->n_attrs : cset->n_attrs);
}
