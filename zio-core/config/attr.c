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
	if (cset->ops->attr_get)
		ret = cset->ops->attr_get(&cset->pub, driver_channel(attr), attr->desc, &value);
	mutex_unlock(&cset->mutex);
	return ret ?: sysfs_emit(page, "%u\n", value);
}

static int refresh(struct zio_attr *attr)
{
	if (attr->desc->place == ZIO_ATTR_PLACE_NONE)
		return 0;
	if (attr->chan)
		return zio_channel_refresh(attr->chan);
	return zio_cset_refresh(attr->cset);
}

static int set_value(struct zio_attr *attr, u32 value)
{
	struct zio_cset_core *cset = attr->cset;
	u32 old = attr->value;
	int ret;

	ret = cset->ops->attr_set(&cset->pub, driver_channel(attr), attr->desc, value);
	if (ret)
		return ret;
	attr->value = value;
	ret = refresh(attr);
	if (ret) {
		attr->value = old;
		cset->ops->attr_set(&cset->pub, driver_channel(attr), attr->desc, old);
	}
	return ret;
}

static ssize_t attr_store(struct kobject *kobj, struct kobj_attribute *kattr,
			  const char *text, size_t count)
{
	struct zio_attr *attr = to_attr(kattr);
	const struct zio_attr_desc *desc = attr->desc;
	u32 value;
	int ret = zio_attr_parse(text, &value);

	if (ret)
		return ret;
	if (value < desc->min || (desc->max && value > desc->max))
		return -ERANGE;
	ret = zio_cset_lock(attr->cset);
	if (ret)
		return ret;
	ret = set_value(attr, value);
	mutex_unlock(&attr->cset->mutex);
	return ret ?: count;
}

static void init_attr(struct zio_attr *attr, const struct zio_attr_desc *desc,
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
	if (WARN_ON((desc->mode & 0222) && !cset->ops->attr_set))
		return -EINVAL;
	return 0;
}

static struct zio_attr *create_attrs(struct zio_cset_core *cset,
				     struct zio_channel_core *chan,
				     const struct zio_attr_desc *desc,
				     unsigned int n)
{
	struct kobject *kobj = chan ? &chan->kobj : &cset->kobj;
	struct zio_attr *attrs;
	unsigned int i;
	int ret;

	attrs = kcalloc(n, sizeof(*attrs), GFP_KERNEL);
	if (!attrs)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < n; i++) {
		init_attr(&attrs[i], &desc[i], cset, chan);
		ret = check_desc(cset, &desc[i]);
		if (!ret)
			ret = sysfs_create_file(kobj, &attrs[i].kattr.attr);
		if (ret)
			goto err_create;
	}
	return attrs;

err_create:
	while (i--)
		sysfs_remove_file(kobj, &attrs[i].kattr.attr);
	kfree(attrs);
	return ERR_PTR(ret);
}

/**
 * zio_attrs_create() - create the files of the driver's attributes
 * @cset: the channel set
 * @chan: the channel; NULL for the attributes of the set
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENOMEM; or an error of sysfs.
 */
int zio_attrs_create(struct zio_cset_core *cset, struct zio_channel_core *chan)
{
	const struct zio_cset_desc *desc = cset->desc;
	unsigned int n = chan ? desc->n_chan_attrs : desc->n_cset_attrs;
	struct zio_attr *attrs;

	if (!n)
		return 0;
	attrs = create_attrs(cset, chan,
			     chan ? desc->chan_attrs : desc->cset_attrs, n);
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
	struct zio_attr *attrs = chan ? chan->attrs : cset->attrs;
	unsigned int n = chan ? chan->n_attrs : cset->n_attrs;

	while (n--)
		sysfs_remove_file(kobj, &attrs[n].kattr.attr);
}
