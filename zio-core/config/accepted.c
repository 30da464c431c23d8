// SPDX-License-Identifier: GPL-2.0-only
/*
 * accepted.c: the file "accepted" of a set or a device: what each attribute accepts.
 * configfs/dir.c has the one of objects that users create.
 *
 * A line has the path of an attribute and its values: "enable 0 1",
 * "trigger/period-ns [1000 1 31536000000000000]", "trigger/line <label:offset>". The values
 * come from the struct zio_limits that the core uses to parse what users write.
 */
#include <linux/export.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "config/internal.h"

static int put_number(char *page, int len, const struct zio_limits *limits,
		      const char *before, u64 value)
{
	return len + sysfs_emit_at(page, len, limits->is_signed ? "%s%lld" : "%s%llu",
				   before, value);
}

static int put_choices(char *page, int len, const struct zio_limits *limits)
{
	unsigned int i;

	/* A choice is a u32, even if it represents a negative number. */
	for (i = 0; i < limits->n; i++)
		if (!limits->words)
			len = put_number(page, len, limits, " ", limits->is_signed ?
					 (u64)(s32)limits->choices[i] : limits->choices[i]);
		else if (limits->words[i])
			len += sysfs_emit_at(page, len, " %s", limits->words[i]);
	return len;
}

/*
 * Prints a space and what the limits accept: choices, a text, or a range. A range of one or
 * two numbers is printed as choices. Returns the new length.
 */
int zio_limits_print(char *page, int len, const struct zio_limits *limits)
{
	u64 span = limits->max - limits->min;
	int begin;

	if (limits->list) {
		len = put_choices(page, len, limits);
		begin = len + sysfs_emit_at(page, len, " ");
		len = begin + limits->list(page, begin);
		/* Each word ends with a newline. The caller prints the last one. */
		strreplace(page + begin, '\n', ' ');
		return len > begin ? len - 1 : len;
	}
	if (limits->text)
		return len + sysfs_emit_at(page, len, " %s", limits->text);
	if (limits->n)
		return put_choices(page, len, limits);
	len = put_number(page, len, limits, span > 1 ? " [" : " ", limits->min);
	if (span)
		len = put_number(page, len, limits, span > 1 ? " 1 " : " ", limits->max);
	return span > 1 ? len + sysfs_emit_at(page, len, "]") : len;
}

/* Prints the line of a file. Returns the new length. */
int zio_limits_line(char *page, int len, const char *dir, const char *name,
		    const struct zio_limits *limits)
{
	len += sysfs_emit_at(page, len, "%s%s", dir, name);
	len = zio_limits_print(page, len, limits);
	return len + sysfs_emit_at(page, len, "\n");
}
EXPORT_SYMBOL_GPL(zio_limits_line);

/* Prints the line of a file, if users can write it. */
static int put_file(char *page, int len, const char *dir, struct kobject *kobj,
		    struct zio_file *file)
{
	struct zio_limits limits;

	if (!(zio_file_mode(kobj, &file->attr, 0) & 0222))
		return len;
	limits = zio_file_limits(kobj, file);
	return zio_limits_line(page, len, dir, file->attr.name, &limits);
}

/*
 * Prints the standard files of a directory. Groups with a name have no writable files. A
 * directory that the core could not add has neither files nor a parent.
 */
static int put_dir(char *page, int len, const char *dir, struct kobject *kobj)
{
	struct attribute **attr = kobj->ktype->default_groups[0]->attrs;

	for (; kobj->state_in_sysfs && *attr; attr++)
		len = put_file(page, len, dir, kobj, to_zio_file(*attr));
	return len;
}

static int put_channels(char *page, int len, const struct zio_cset_core *cset)
{
	struct zio_file *file;
	unsigned int i, k;
	int begin;

	len = put_dir(page, len, "chan*/", &cset->chan[0]->kobj);
	for (i = 0; i < cset->n_chan_attrs; i++) {
		file = &cset->chan_attrs[i].file;
		begin = len;
		/* Each channel has the file, but a scale may be writable in some only. */
		for (k = 0; file->attr.name && k < cset->n_chan && len == begin; k++)
			len = put_file(page, len, "chan*/", &cset->chan[k]->kobj, file);
	}
	return put_dir(page, len, "chan*/buffer/", &cset->chan[0]->buf->kobj);
}

static int put_attrs(char *page, int len, const char *dir, struct kobject *kobj,
		     const struct zio_attr_set *set)
{
	unsigned int i;

	for (i = 0; i < set->n; i++)
		len = put_file(page, len, dir, kobj, &set->attr[i].file);
	return len;
}

static int put_trigger(char *page, int len, struct zio_binding *bind)
{
	const struct zio_own_trigger *own = zio_binding_own(bind);
	unsigned int i;

	len = put_dir(page, len, "trigger/", &bind->kobj);
	for (i = 0; bind->kobj.state_in_sysfs && i < bind->trig->type->n_attrs; i++)
		len = put_file(page, len, "trigger/", &bind->kobj, &bind->file[i]);
	if (own && bind->kobj.state_in_sysfs)
		len = put_attrs(page, len, "trigger/", &bind->kobj, &own->attrs);
	return len;
}

/* Ends a text that does not fit with the line "...". */
static int end_page(char *page, int len)
{
	const char *last;

	if (len < PAGE_SIZE - 1)
		return len;
	page[len - sizeof("...\n")] = '\0';
	/* The choices of a driver may fill the page with the first line. */
	last = strrchr(page, '\n');
	len = last ? last + 1 - page : 0;
	return len + sysfs_emit_at(page, len, "...\n");
}

/*
 * Shows what the attributes of a device accept. Its directory has files of others, too, so
 * each attribute has a line, without values if it is read-only.
 */
ssize_t zio_device_show_accepted(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct zio_attr_set *set = &to_zio_device(dev)->attrs;
	struct zio_file *file;
	unsigned int i;
	int len = 0;

	for (i = 0; i < set->n; i++) {
		file = &set->attr[i].file;
		if (file->attr.mode & 0222)
			len = put_file(page, len, "", &dev->kobj, file);
		else
			len += sysfs_emit_at(page, len, "%s\n", file->attr.name);
	}
	return end_page(page, len);
}

/* A new trigger or buffer gets its directory under cset->change, but not cset->mutex. */
ssize_t zio_cset_show_accepted(struct kobject *kobj, const struct zio_file *file, char *page)
{
	struct zio_cset_core *cset = kobj_to_cset(kobj);
	ssize_t ret;
	int len;

	if (mutex_lock_killable(&cset->change))
		return -EINTR;
	ret = zio_cset_lock(cset);
	if (!ret) {
		len = put_attrs(page, 0, "", &cset->kobj, &cset->attrs);
		len = put_trigger(page, len, cset->bind);
		len = put_channels(page, len, cset);
		ret = end_page(page, put_dir(page, len, "", &cset->kobj));
		mutex_unlock(&cset->mutex);
	}
	mutex_unlock(&cset->change);
	return ret;
}
