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

/* Returns the channel whose file it is; NULL for a file of the set. */
static struct zio_channel_core *attr_channel(struct kobject *kobj)
{
	return kobj->ktype == &zio_channel_kind.ktype ? kobj_to_channel(kobj) : NULL;
}

/*
 * A channel of an interleaved set, other than channel 0, whose directory is that of the
 * interleaved blocks. It has attributes alone.
 */
struct zio_member {
	struct zio_channel pub; /* its driver sees this */
	struct kobject kobj;
	u32 *values; /* of cset->chan_attrs */
};

#define to_zio_member(_kobj)	container_of(_kobj, struct zio_member, kobj)

static void release_member(struct kobject *kobj)
{
	struct zio_member *member = to_zio_member(kobj);

	kfree(member->values);
	kfree(member);
}

static const struct zio_kind zio_member_kind = {
	.ktype = ZIO_KTYPE(release_member, NULL),
};

/* The directory tells whose value it is: channels share the file. */
static u32 *attr_value(struct kobject *kobj, const struct zio_file *file)
{
	struct zio_channel_core *chan = attr_channel(kobj);

	if (kobj->ktype == &zio_member_kind.ktype)
		return to_zio_member(kobj)->values + file->index;
	return (chan ? chan->values : kobj_to_cset(kobj)->values) + file->index;
}

/* The driver gets NULL for an attribute of the set. */
static struct zio_channel *attr_driver_channel(struct kobject *kobj)
{
	struct zio_channel_core *chan = attr_channel(kobj);

	if (kobj->ktype == &zio_member_kind.ktype)
		return &to_zio_member(kobj)->pub;
	return chan ? &chan->pub : NULL;
}

static ssize_t attr_show(struct kobject *kobj, const struct zio_file *file, char *page)
{
	const struct zio_attr_desc *desc = to_zio_attr(file)->desc;
	struct zio_cset_core *cset = zio_kobj_to_cset(kobj);
	u32 value = *attr_value(kobj, file);
	int ret = 0;

	if (cset->ops->attr_get)
		ret = cset->ops->attr_get(&cset->pub, attr_driver_channel(kobj), desc, &value);
	if (ret)
		return ret;
	if (zio_attr_is_signed(desc))
		return sysfs_emit(page, "%d\n", (s32)value);
	return sysfs_emit(page, "%u\n", value);
}

static int attr_tell_driver(struct kobject *kobj, const struct zio_attr_desc *desc, u32 value)
{
	struct zio_cset_core *cset = zio_kobj_to_cset(kobj);

	return cset->ops->attr_set(&cset->pub, attr_driver_channel(kobj), desc, value);
}

static void attr_refresh(struct kobject *kobj, const struct zio_attr_desc *desc)
{
	struct zio_channel_core *chan = attr_channel(kobj);

	if (desc->place == ZIO_ATTR_PLACE_NONE)
		return;
	if (chan)
		zio_channel_refresh(chan);
	else
		zio_cset_refresh(kobj_to_cset(kobj));
}

static struct zio_limits desc_limits(const struct zio_attr_desc *desc)
{
	struct zio_limits limits = {
		.min = desc->min,
		.max = desc->max ?: U32_MAX,
		.error = -ERANGE,
		.is_signed = zio_attr_is_signed(desc),
		.choices = desc->choices,
		.n = desc->n_choices,
	};

	if (limits.is_signed) {
		limits.min = desc->min || desc->max ? (s32)desc->min : S32_MIN;
		limits.max = desc->min || desc->max ? (s32)desc->max : S32_MAX;
	}
	return limits;
}

static struct zio_limits attr_limits(struct kobject *kobj, const struct zio_file *file)
{
	return desc_limits(to_zio_attr(file)->desc);
}

static int attr_store(struct kobject *kobj, const struct zio_file *file, const char *text)
{
	const struct zio_attr_desc *desc = to_zio_attr(file)->desc;
	struct zio_limits limits = attr_limits(kobj, file);
	u64 value;
	int ret = zio_limits_parse(&limits, text, &value) ?: attr_tell_driver(kobj, desc, value);

	if (ret)
		return ret;
	*attr_value(kobj, file) = value;
	attr_refresh(kobj, desc);
	return 0;
}

static void init_attr(struct zio_attr *attr, unsigned int index,
		      const struct zio_attr_desc *desc)
{
	attr->desc = desc;
	attr->file = (struct zio_file) {
		.attr = { .name = desc->name, .mode = desc->mode },
		.show = attr_show,
		.lock_show = true,
		.store = desc->mode & 0222 ? attr_store : NULL,
		.limits = attr_limits,
		.index = index,
	};
}

/* With such limits zio_limits_parse() would accept nearly all values. */
static bool is_empty(const struct zio_limits *limits)
{
	return limits->is_signed ? (s64)limits->min > (s64)limits->max :
		limits->min > limits->max;
}

/* Returns what is wrong with a descriptor; NULL if it is right. */
static const char *desc_fault(const struct zio_cset_core *cset, const struct zio_attr_desc *desc)
{
	unsigned int limit = desc->place == ZIO_ATTR_PLACE_STD ?
		ZIO_MAX_STD_ATTR : ZIO_MAX_EXT_ATTR;
	struct zio_limits limits = desc_limits(desc);

	if (!desc->name)
		return "it has no name";
	if (desc->place > ZIO_ATTR_PLACE_EXT || (desc->place && desc->index >= limit))
		return "the control has no such place";
	if (desc->place == ZIO_ATTR_PLACE_STD &&
	    desc->index >= ZIO_ATTR_UNIT && desc->index <= ZIO_ATTR_OFFSET_HIGH)
		return "its place in the control is the core's";
	if (is_empty(&limits))
		return "min is above max";
	return desc->mode & 0222 && !cset->ops->attr_set ? "no attr_set() can set it" : NULL;
}

static int check_desc(const struct zio_cset_core *cset, const struct zio_attr_desc *desc)
{
	const char *fault = desc_fault(cset, desc);

	if (!fault)
		return 0;
	dev_err(&cset->zdev->dev, "cset%u: attribute \"%s\": %s\n", cset->pub.index,
		desc->name ?: "", fault);
	return -EINVAL;
}

/* Makes the attributes of a list, with room for more. They are freed with the set. */
static int create_attrs(struct zio_cset_core *cset, const struct zio_attr_desc *list,
			unsigned int n, unsigned int more, struct zio_attr **attrs)
{
	unsigned int i;
	int ret = 0;

	*attrs = kcalloc(n + more, sizeof(**attrs), GFP_KERNEL);
	if (!*attrs)
		return -ENOMEM;
	for (i = 0; i < n && !ret; i++) {
		ret = check_desc(cset, &list[i]);
		init_attr(&(*attrs)[i], i, &list[i]);
	}
	return ret;
}

static u32 *create_values(const struct zio_attr *attrs, unsigned int n)
{
	u32 *values = kcalloc(n, sizeof(*values), GFP_KERNEL);
	unsigned int i;

	for (i = 0; i < n && values; i++)
		values[i] = attrs[i].desc->value;
	return values;
}

/* An attribute of the core may have no file: see scaling.c */
static int create_files(struct kobject *kobj, struct zio_attr *attrs, unsigned int n)
{
	int ret = 0;

	for (; n-- && !ret; attrs++)
		if (attrs->file.attr.name)
			ret = zio_file_create(kobj, &attrs->file);
	return ret;
}

/**
 * zio_cset_create_attrs() - create the files of the driver's attributes for a set
 * @cset: the channel set
 *
 * The files are removed with the directory; the values are freed with the object. The
 * attributes of the scaling follow those that the driver has for channels.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENOMEM; -EINVAL for a descriptor that is wrong; or an error of sysfs.
 */
int zio_cset_create_attrs(struct zio_cset_core *cset)
{
	const struct zio_cset_desc *desc = cset->desc;
	int ret = create_attrs(cset, desc->cset_attrs, desc->n_cset_attrs, 0, &cset->attrs) ?:
		create_attrs(cset, desc->chan_attrs, desc->n_chan_attrs,
			     desc->scaling ? ZIO_SCALING_ATTRS : 0, &cset->chan_attrs);

	if (ret)
		return ret;
	cset->n_attrs = desc->n_cset_attrs;
	cset->n_chan_attrs = zio_scaling_add(cset, cset->chan_attrs, desc->n_chan_attrs);
	cset->values = create_values(cset->attrs, cset->n_attrs);
	if (!cset->values)
		return -ENOMEM;
	return create_files(&cset->kobj, cset->attrs, cset->n_attrs);
}

/* As zio_cset_create_attrs(), which comes first; and sets the scaling of the channel. */
int zio_channel_create_attrs(struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;
	int ret;

	chan->values = create_values(cset->chan_attrs, cset->n_chan_attrs);
	if (!chan->values)
		return -ENOMEM;
	ret = zio_scaling_set_values(chan);
	return ret ?: create_files(&chan->kobj, cset->chan_attrs, cset->n_chan_attrs);
}

static struct zio_member *create_member(struct zio_cset_core *cset, unsigned int index)
{
	struct zio_member *member = kzalloc(sizeof(*member), GFP_KERNEL);
	unsigned int n = cset->desc->n_chan_attrs;
	int ret;

	if (!member)
		return ERR_PTR(-ENOMEM);
	kobject_init(&member->kobj, &zio_member_kind.ktype);
	member->pub.index = index;
	member->values = create_values(cset->chan_attrs, n);
	ret = member->values ? 0 : -ENOMEM;
	ret = ret ?: kobject_add(&member->kobj, &cset->kobj, "chan%u", index) ?:
		create_files(&member->kobj, cset->chan_attrs, n);
	if (!ret)
		return member;
	zio_kobj_del(&member->kobj);
	kobject_put(&member->kobj);
	return ERR_PTR(ret);
}

/**
 * zio_cset_create_members() - create what sysfs has of the channels of an interleaved set
 * @cset: the channel set, which has its channel 0
 *
 * The link "chani" is the name that ZIO 1.x gives to the channel of the blocks. Channels from
 * 1 on have directories if the driver has attributes for each channel. Other sets need
 * nothing. After an error, zio_cset_remove_members() follows.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENOMEM; or an error of sysfs.
 */
int zio_cset_create_members(struct zio_cset_core *cset)
{
	const struct zio_cset_desc *desc = cset->desc;
	struct zio_member *member;
	unsigned int i;
	int ret;

	if (!(desc->flags & ZIO_CSET_INTERLEAVED))
		return 0;
	ret = sysfs_create_link(&cset->kobj, &cset->chan[0]->kobj, "chani");
	if (ret || !desc->n_chan_attrs)
		return ret;
	cset->members = kcalloc(desc->n_chan, sizeof(*cset->members), GFP_KERNEL);
	if (!cset->members)
		return -ENOMEM;
	for (i = 1; i < desc->n_chan; i++) {
		member = create_member(cset, i);
		if (IS_ERR(member))
			return PTR_ERR(member);
		cset->members[i - 1] = member;
	}
	return 0;
}

/**
 * zio_cset_remove_members() - undo zio_cset_create_members()
 * @cset: the channel set, which is gone
 *
 * Context: Process, sleeps.
 */
void zio_cset_remove_members(struct zio_cset_core *cset)
{
	struct zio_member **member;

	for (member = cset->members; member && *member; member++) {
		kobject_del(&(*member)->kobj);
		kobject_put(&(*member)->kobj);
	}
}
