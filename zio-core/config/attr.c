// SPDX-License-Identifier: GPL-2.0-only
/*
 * attr.c: the driver's attributes: sysfs files, and values in the control
 *
 * A write holds cset->mutex while the driver puts the value into the hardware, except with
 * attr_request(); the driver may sleep. Blocks that are armed afterwards show the new value.
 */
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "config/internal.h"

/* Returns the channel that a file belongs to, or NULL for a file of the set. */
static struct zio_channel_core *attr_channel(struct kobject *kobj)
{
	return kobj->ktype == &zio_channel_kind.ktype ? kobj_to_channel(kobj) : NULL;
}

/*
 * A channel of an interleaved set, with nothing but attributes. Channel 0 is not a member:
 * its directory is the one of the interleaved blocks.
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

/* Returns the attributes in the directory of a device, a set, or a board's trigger. */
static struct zio_attr_set *attr_set(struct kobject *kobj)
{
	struct zio_cset_core *cset;

	if (zio_kobj_is_device(kobj))
		return &kobj_to_device(kobj)->attrs;
	cset = zio_kobj_to_cset(kobj);
	return kobj == &cset->kobj ? &cset->attrs : &cset->own_trigger->attrs;
}

/* Channels share the file, so the directory determines whose value it is. */
static u32 *attr_value(struct kobject *kobj, const struct zio_file *file)
{
	struct zio_channel_core *chan = attr_channel(kobj);

	if (kobj->ktype == &zio_member_kind.ktype)
		return to_zio_member(kobj)->values + file->index;
	return (chan ? chan->values : attr_set(kobj)->value) + file->index;
}

/* The driver gets NULL for an attribute of the set, or of the board's trigger. */
static struct zio_channel *attr_driver_channel(struct kobject *kobj)
{
	struct zio_channel_core *chan = attr_channel(kobj);

	if (kobj->ktype == &zio_member_kind.ktype)
		return &to_zio_member(kobj)->pub;
	return chan ? &chan->pub : NULL;
}

/* If the driver can read the attribute, puts the current value into @value. */
static int attr_ask_driver(struct kobject *kobj, const struct zio_attr_desc *desc, u32 *value)
{
	const struct zio_device_ops *ops;
	struct zio_cset_core *cset;

	if (zio_kobj_is_device(kobj)) {
		ops = kobj_to_device(kobj)->desc->ops;
		return ops && ops->attr_get ?
			ops->attr_get(kobj_to_device(kobj), desc, value) : 0;
	}
	cset = zio_kobj_to_cset(kobj);
	return cset->ops->attr_get ?
		cset->ops->attr_get(&cset->pub, attr_driver_channel(kobj), desc, value) : 0;
}

static ssize_t attr_show(struct kobject *kobj, const struct zio_file *file, char *page)
{
	const struct zio_attr_desc *desc = to_zio_attr(file)->desc;
	bool is_version = desc->place == ZIO_ATTR_PLACE_STD &&
		desc->index == ZIO_ATTR_VERSION && !(desc->mode & 0222);
	u32 value = *attr_value(kobj, file);
	int ret = attr_ask_driver(kobj, desc, &value);

	if (ret)
		return ret;
	/* Programs for ZIO 1.x expect the version of a driver as this text. */
	if (is_version && zio_version_patch(value))
		return sysfs_emit(page, "%u.%u 0x%04x\n", zio_version_major(value),
				  zio_version_minor(value), zio_version_patch(value));
	if (is_version)
		return sysfs_emit(page, "%u.%u\n", zio_version_major(value),
				  zio_version_minor(value));
	if (zio_attr_is_signed(desc))
		return sysfs_emit(page, "%d\n", (s32)value);
	return sysfs_emit(page, "%u\n", value);
}

/* While a device has files, its sets are not gone. */
static void attr_refresh_device(struct zio_device *zdev)
{
	unsigned int i;

	for (i = 0; i < zdev->desc->n_cset; i++) {
		mutex_lock(&zdev->cset[i]->mutex);
		zio_cset_refresh(zdev->cset[i]);
		mutex_unlock(&zdev->cset[i]->mutex);
	}
}

/* The board has this value. Called with the lock of zio_file_lock() held. */
static void attr_publish(struct kobject *kobj, const struct zio_file *file, u32 value)
{
	const struct zio_attr_desc *desc = to_zio_attr(file)->desc;
	struct zio_channel_core *chan = attr_channel(kobj);
	bool is_device = zio_kobj_is_device(kobj);
	struct zio_cset_core *cset = is_device ? NULL : zio_kobj_to_cset(kobj);

	WRITE_ONCE(*attr_value(kobj, file), value);
	if (cset && cset->ops->get_timing)
		zio_cset_refresh(cset);
	else if (desc->place == ZIO_ATTR_PLACE_NONE)
		return;
	else if (is_device)
		attr_refresh_device(kobj_to_device(kobj));
	else if (chan)
		zio_channel_refresh(chan);
	else
		zio_cset_refresh(cset);
}

static int attr_use(struct kobject *kobj, const struct zio_file *file, u32 value)
{
	const struct zio_attr_desc *desc = to_zio_attr(file)->desc;
	struct zio_cset_core *cset;
	struct zio_device *zdev;
	int ret;

	if (zio_kobj_is_device(kobj)) {
		zdev = kobj_to_device(kobj);
		ret = zdev->desc->ops->attr_set(zdev, desc, value);
	} else {
		cset = zio_kobj_to_cset(kobj);
		ret = cset->ops->attr_set(&cset->pub, attr_driver_channel(kobj), desc, value);
	}
	if (!ret)
		attr_publish(kobj, file, value);
	return ret;
}

static struct zio_limits attr_limits(struct kobject *kobj, const struct zio_file *file)
{
	return zio_attr_limits(to_zio_attr(file)->desc);
}

static int attr_store(struct kobject *kobj, const struct zio_file *file, const char *text)
{
	u64 value;

	return zio_file_parse(kobj, file, text, &value) ?: attr_use(kobj, file, value);
}

/*
 * The board may take seconds, so no lock is held. Its driver tells the value by
 * zio_cset_attr_changed() or zio_device_attr_changed(), before attr_request() returns.
 */
static int attr_store_request(struct kobject *kobj, const struct zio_file *file, const char *text)
{
	const struct zio_attr_desc *desc = to_zio_attr(file)->desc;
	struct zio_cset_core *cset;
	struct zio_device *zdev;
	u64 value;
	int ret = zio_file_parse(kobj, file, text, &value);

	if (ret)
		return ret;
	if (zio_kobj_is_device(kobj)) {
		zdev = kobj_to_device(kobj);
		return zdev->desc->ops->attr_request(zdev, desc, value);
	}
	cset = zio_kobj_to_cset(kobj);
	return cset->ops->attr_request(&cset->pub, attr_driver_channel(kobj), desc, value);
}

/*
 * The board may be armed long before its event. The core takes the blocks back, so that
 * each block has the values it was triggered with. A value that is not in the control, such
 * as a command, leaves the board armed, and a stream continues.
 */
static int trigger_attr_store(struct kobject *kobj, const struct zio_file *file, const char *text)
{
	struct zio_cset_core *cset = zio_kobj_to_cset(kobj);
	bool abort = to_zio_attr(file)->desc->place != ZIO_ATTR_PLACE_NONE &&
		!zio_cset_is_stream(cset);
	u64 value;
	int ret = zio_file_parse(kobj, file, text, &value);

	if (ret)
		return ret;
	if (abort)
		zio_cset_freeze(cset);
	ret = attr_use(kobj, file, value);
	if (abort)
		zio_cset_unfreeze(cset);
	return ret;
}

/* Returns true for a position where the core has a value of its own. */
static bool is_of_core(const struct zio_attr_desc *desc, unsigned int owner)
{
	if (desc->place != ZIO_ATTR_PLACE_STD)
		return false;
	if (owner & ZIO_OWNER_TRIGGER)
		return desc->index <= ZIO_ATTR_TRIG_EPOCH;
	return desc->index >= ZIO_ATTR_UNIT && desc->index <= ZIO_ATTR_OFFSET_HIGH;
}

/* If each block has its own value, the core has no current one. */
static const char *value_fault(const struct zio_attr_desc *desc, unsigned int owner)
{
	if (!(owner & ZIO_OWNER_BLOCKS))
		return "only sets and channels can have values of each block";
	if (desc->mode & 0222 || (desc->mode && !(owner & ZIO_OWNER_GETS)))
		return "each block has its own value: a file must be read-only, with attr_get()";
	if (owner & ZIO_OWNER_OUTPUT && !zio_attr_accepts(desc, desc->value))
		return "it does not accept its initial value";
	return NULL;
}

/* Returns what is wrong with a descriptor, or NULL. */
static const char *desc_fault(const struct zio_attr_desc *desc, unsigned int owner)
{
	unsigned int limit = desc->place == ZIO_ATTR_PLACE_STD ?
		ZIO_MAX_STD_ATTR : ZIO_MAX_EXT_ATTR;
	struct zio_limits accepted = zio_attr_limits(desc);

	if (!desc->name || !*desc->name || strchr(desc->name, '/'))
		return "its name is missing, or not a file name";
	if (desc->mode & ~0664)
		return "its mode is not valid in sysfs";
	if (desc->place > ZIO_ATTR_PLACE_BLOCK || (desc->place && desc->index >= limit))
		return "its place is not in the control";
	if (is_of_core(desc, owner))
		return "its place in the control belongs to the core";
	/* zio_limits_parse() would accept nearly all values. */
	if ((s64)accepted.min > (s64)accepted.max)
		return "min is above max";
	if (desc->wide || (s64)accepted.max > U32_MAX)
		return "only the types of triggers have numbers of 64 bits";
	if (owner & ZIO_OWNER_CONFIG)
		return desc->mode != 0644 || desc->place || desc->is_signed || desc->choices ?
			"a created device has words, texts and plain numbers, mode 0644" : NULL;
	if (desc->words || desc->text || desc->raw_io)
		return "its values are numbers, and writing it needs no capability";
	if (desc->place == ZIO_ATTR_PLACE_BLOCK)
		return value_fault(desc, owner);
	return desc->mode & 0222 && !(owner & ZIO_OWNER_SETS) ? "no attr_set() can set it" : NULL;
}

/*
 * Checks @n descriptors of attributes, and logs the first fault. @owner is ZIO_OWNER_*:
 * what has the attributes. Context: Any. Returns true if all are valid.
 */
bool zio_attrs_are_valid(const struct zio_attr_desc *list, unsigned int n, unsigned int owner)
{
	const char *fault = NULL;
	unsigned int i, k;

	for (i = 0; i < n && !fault; i++) {
		fault = desc_fault(&list[i], owner);
		for (k = 0; k < i && !fault; k++)
			if (!strcmp(list[k].name, list[i].name))
				fault = "another attribute has the same name";
	}
	if (fault)
		pr_err("zio: attribute \"%s\": %s\n", list[i - 1].name ?: "", fault);
	return !fault;
}

/* Creates the attributes of a list, with room for more. They are freed with the object. */
static struct zio_attr *create_attrs(const struct zio_attr_desc *list, unsigned int n,
				     unsigned int more)
{
	struct zio_attr *attrs = kcalloc(n + more, sizeof(*attrs), GFP_KERNEL);
	unsigned int i;

	for (i = 0; i < n && attrs; i++) {
		attrs[i].desc = &list[i];
		attrs[i].file = (struct zio_file) {
			.attr = { .name = list[i].mode ? list[i].name : NULL,
				  .mode = list[i].mode },
			.show = attr_show,
			.lock_show = true,
			.store = list[i].mode & 0222 ? attr_store : NULL,
			.limits = attr_limits,
			.index = i,
		};
	}
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

static void attrs_use_requests(struct zio_attr *attrs, unsigned int n)
{
	for (; n--; attrs++)
		if (attrs->file.store) {
			attrs->file.store = attr_store_request;
			attrs->file.no_lock = true;
		}
}

static int create_set(struct zio_attr_set *set, const struct zio_attr_desc *list,
		      unsigned int n)
{
	set->attr = create_attrs(list, n, 0);
	if (!set->attr)
		return -ENOMEM;
	set->value = create_values(set->attr, n);
	if (!set->value)
		return -ENOMEM;
	set->n = n;
	return 0;
}

/* Creates the attributes of a device, but no files. They are freed with the device. */
int zio_device_create_attrs(struct zio_device *zdev)
{
	const struct zio_device_ops *ops = zdev->desc->ops;
	int ret = create_set(&zdev->attrs, zdev->desc->attrs, zdev->desc->n_attrs);

	if (!ret && ops && ops->attr_request)
		attrs_use_requests(zdev->attrs.attr, zdev->attrs.n);
	return ret;
}

/* Attributes of the core and values of each block may have no file: see scaling.c */
static int create_files(struct kobject *kobj, struct zio_attr *attrs, unsigned int n)
{
	int ret = 0;

	for (; n-- && !ret; attrs++)
		if (attrs->file.attr.name)
			ret = zio_file_create(kobj, &attrs->file);
	return ret;
}

static int create_own_trigger(struct zio_cset_core *cset)
{
	const struct zio_board_trigger *desc = cset->desc->board_trigger;
	struct zio_own_trigger *own;
	unsigned int i;
	int ret;

	if (!desc)
		return 0;
	own = kzalloc(sizeof(*own), GFP_KERNEL);
	if (!own)
		return -ENOMEM;
	cset->own_trigger = own;
	own->type.name = desc->name;
	own->type.flags = ZIO_TRIGGER_REARM;
	ret = create_set(&own->attrs, desc->attrs, desc->n_attrs);
	for (i = 0; i < own->attrs.n; i++)
		if (desc->attrs[i].mode & 0222)
			own->attrs.attr[i].file.store = trigger_attr_store;
	return ret;
}

/*
 * Creates the attributes of a set and their files. The files go with the directory, and the
 * values with the object. For channels, the scaling follows the driver's attributes.
 * Context: Process, sleeps. Returns 0; -ENOMEM; or an error of sysfs.
 */
int zio_cset_create_attrs(struct zio_cset_core *cset)
{
	const struct zio_cset_desc *desc = cset->desc;
	int ret = create_set(&cset->attrs, desc->cset_attrs, desc->n_cset_attrs) ?:
		create_own_trigger(cset);

	if (ret)
		return ret;
	cset->value_mask = zio_values_mask(desc->cset_attrs, desc->n_cset_attrs) |
		zio_values_mask(desc->chan_attrs, desc->n_chan_attrs);
	cset->chan_attrs = create_attrs(desc->chan_attrs, desc->n_chan_attrs,
					desc->scaling ? ZIO_SCALING_ATTRS : 0);
	if (!cset->chan_attrs)
		return -ENOMEM;
	if (cset->ops->attr_request) {
		attrs_use_requests(cset->attrs.attr, cset->attrs.n);
		attrs_use_requests(cset->chan_attrs, desc->n_chan_attrs);
	}
	cset->n_chan_attrs = zio_scaling_add(cset, cset->chan_attrs, desc->n_chan_attrs);
	return create_files(&cset->kobj, cset->attrs.attr, cset->attrs.n);
}

/* Creates the files of the board's trigger, if the binding uses it. */
int zio_binding_create_attrs(struct zio_binding *bind)
{
	const struct zio_own_trigger *own = zio_binding_own(bind);

	return own ? create_files(&bind->kobj, own->attrs.attr, own->attrs.n) : 0;
}

/* As zio_cset_create_attrs(), which comes first. Also sets the scaling of the channel. */
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

/*
 * Creates what sysfs shows of the channels of an interleaved set, once channel 0 exists.
 * The link "chani" is the name that ZIO 1.x gives to the channel of the blocks. If the
 * driver has attributes of channels, those from 1 on get directories. Other sets need
 * nothing. On error the caller calls zio_cset_remove_members(). Context: Process, sleeps.
 * Returns 0; -ENOMEM; or an error of sysfs.
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

/* Undoes zio_cset_create_members(). The set is gone. */
void zio_cset_remove_members(struct zio_cset_core *cset)
{
	struct zio_member **member;

	for (member = cset->members; member && *member; member++) {
		kobject_del(&(*member)->kobj);
		kobject_put(&(*member)->kobj);
	}
}

static int attr_change(struct kobject *kobj, const struct zio_attr *attr, u32 value)
{
	int ret;

	if (attr->desc->place == ZIO_ATTR_PLACE_BLOCK)
		return -EINVAL;
	if (!zio_attr_accepts(attr->desc, value))
		return -ERANGE;
	ret = zio_file_lock(kobj);
	if (ret)
		return ret;
	attr_publish(kobj, &attr->file, value);
	zio_file_unlock(kobj);
	sysfs_notify(kobj, NULL, attr->desc->name);
	return 0;
}

/**
 * zio_cset_attr_changed() - tell the value that an attribute of a set or channel has now
 * @cset: the channel set
 * @index: the channel, for an attribute of channels
 * @attr: the attribute, one of @cset_attrs or @chan_attrs of the set's descriptor
 * @value: its value; an s32 if it is signed
 *
 * The file shows the value, and wakes its users in poll(). Blocks that are armed later have
 * it in their controls. This completes an attr_request(), and it also serves a board that
 * changes a value by itself.
 *
 * Context: Process, sleeps. Between zio_device_register() and zio_device_unregister();
 * attr_request(), but no other operation of the driver.
 *
 * Return: 0; -ERANGE for a value that the attribute does not accept; -EINVAL for a value of
 * each block, or a wrong index; -ENODEV if the set is being removed; -EINTR if the process is
 * being killed. After an error, the old value stays.
 */
int zio_cset_attr_changed(struct zio_cset *cset, unsigned int index,
			  const struct zio_attr_desc *attr, u32 value)
{
	struct zio_cset_core *core = to_cset_core(cset);
	const struct zio_cset_desc *desc = core->desc;
	struct kobject *kobj;

	if (attr >= desc->cset_attrs && attr < desc->cset_attrs + desc->n_cset_attrs)
		return attr_change(&core->kobj, &core->attrs.attr[attr - desc->cset_attrs], value);
	if (index >= desc->n_chan)
		return -EINVAL;
	kobj = index && core->flags & ZIO_CSET_INTERLEAVED ? &core->members[index - 1]->kobj :
		&core->chan[index]->kobj;
	return attr_change(kobj, &core->chan_attrs[attr - desc->chan_attrs], value);
}
EXPORT_SYMBOL_GPL(zio_cset_attr_changed);

/**
 * zio_device_attr_changed() - tell the value that an attribute of a device has now
 * @zdev: the device
 * @attr: the attribute, one of @attrs of the device's descriptor
 * @value: its value; an s32 if it is signed
 *
 * As zio_cset_attr_changed().
 *
 * Context: Process, sleeps. As zio_cset_attr_changed().
 *
 * Return: as zio_cset_attr_changed().
 */
int zio_device_attr_changed(struct zio_device *zdev, const struct zio_attr_desc *attr, u32 value)
{
	return attr_change(&zdev->dev.kobj, &zdev->attrs.attr[attr - zdev->desc->attrs], value);
}
EXPORT_SYMBOL_GPL(zio_device_attr_changed);

static bool attr_name_is_in(const struct attribute_group **groups, const char *name)
{
	const struct attribute_group *group;
	unsigned int i;

	for (; *groups; groups++) {
		group = *groups;
		if (group->name && !strcmp(group->name, name))
			return true;
		for (i = 0; !group->name && group->attrs && group->attrs[i]; i++)
			if (!strcmp(group->attrs[i]->name, name))
				return true;
		for (i = 0; !group->name && group->bin_attrs && group->bin_attrs[i]; i++)
			if (!strcmp(group->bin_attrs[i]->attr.name, name))
				return true;
	}
	return false;
}

/* Is it the directory or link of an object that has a number? */
static bool attr_name_is_numbered(const char *name, const char *prefix)
{
	return str_has_prefix(name, prefix) && isdigit(name[strlen(prefix)]);
}

/**
 * zio_attr_name_is_free() - check the name of an attribute that a user has chosen
 * @kind: what has the attribute: ZIO_DEV, ZIO_CSET or ZIO_CHAN
 * @name: the name
 *
 * Context: Any.
 *
 * Return: false if the core or the kernel may have a file of this name in the same directory.
 */
bool zio_attr_name_is_free(enum zio_object_type kind, const char *name)
{
	static const char *const of_device[] = {
		"accepted", "driver", "power", "subsystem", "uevent", "zio" };
	static const char *const of_cset[] = { "chani", "trigger" };
	static const char *const of_channel[] = {
		"buffer", "offset", "scale", "signed", "unit" };

	switch (kind) {
	case ZIO_DEV:
		return !attr_name_is_numbered(name, "cset") &&
			match_string(of_device, ARRAY_SIZE(of_device), name) < 0;
	case ZIO_CSET:
		return !attr_name_is_numbered(name, "chan") &&
			match_string(of_cset, ARRAY_SIZE(of_cset), name) < 0 &&
			!attr_name_is_in(zio_cset_kind.ktype.default_groups, name);
	default:
		return match_string(of_channel, ARRAY_SIZE(of_channel), name) < 0 &&
			!attr_name_is_in(zio_channel_kind.ktype.default_groups, name);
	}
}
EXPORT_SYMBOL_GPL(zio_attr_name_is_free);
