/* SPDX-License-Identifier: GPL-2.0-only */
/* zio-file.h: files in sysfs, attributes and their values. Part of zio-core.h. */
#ifndef _ZIO_FILE_H
#define _ZIO_FILE_H

#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/zio-trigger.h>

/**
 * struct zio_limits - the values that an attribute accepts: see config/accepted.c
 * @min: smallest number, an s64 if @is_signed
 * @max: largest number
 * @error: error for a number beyond them; 0: the function that sets the value checks it
 * @is_signed: numbers may be negative
 * @choices: the only numbers accepted; NULL: all from @min to @max
 * @words: the only texts accepted, where an entry may be NULL; NULL for numbers
 * @n: entries of @choices or @words
 * @text: shown instead of all these, or NULL
 * @list: prints the words, each with a newline; or NULL
 */
struct zio_limits {
	u64 min;
	u64 max;
	int error;
	bool is_signed;
	const u32 *choices;
	const char *const *words;
	unsigned int n;
	const char *text;
	ssize_t (*list)(char *page, int at);
};

/**
 * struct zio_file - a file in sysfs
 * @attr: its name and mode
 * @show: prints the value; NULL for the number at @offset
 * @set: sets a number, which is 0 or 1 if the number at @offset is a bool; or NULL
 * @store: parses a text, if @set is NULL; returns 0 or an error
 * @limits: what @set or @store accepts; NULL: all numbers of the type
 * @mode: optional: returns the mode, or 0 if the file does not exist
 * @needs: ZIO_CSET_*: only sets with all of these flags have the file
 * @lacks: sets with any of these flags do not have the file
 * @offset: of the number, from the kobject
 * @size: bytes of the number, 0 for none
 * @index: for @show and @store
 * @lock_show: @show is called with cset->mutex held
 * @no_lock: @set and @store are called without it
 */
struct zio_file {
	struct attribute attr;
	ssize_t (*show)(struct kobject *kobj, const struct zio_file *file, char *page);
	int (*set)(struct kobject *kobj, u32 value);
	int (*store)(struct kobject *kobj, const struct zio_file *file, const char *text);
	struct zio_limits (*limits)(struct kobject *kobj, const struct zio_file *file);
	umode_t (*mode)(struct kobject *kobj, const struct zio_file *file);
	u16 needs, lacks;
	union { s16 offset; u16 index; };
	u8 size;
	bool lock_show : 1, no_lock : 1;
};

/* The file of an attribute. Channels of a set share it, but each has its own value. */
struct zio_attr {
	struct zio_file file;
	const struct zio_attr_desc *desc;
};

/* The attributes of an object and their values. Channels keep the values themselves. */
struct zio_attr_set {
	struct zio_attr *attr;
	u32 *value;
	unsigned int n;
};

static inline void zio_attr_set_free(struct zio_attr_set *set)
{
	kfree(set->attr);
	kfree(set->value);
}

/* The trigger of a set's board. Only its set finds the type, which has no attributes. */
struct zio_own_trigger {
	struct zio_trigger_type type;
	struct zio_attr_set attrs;
};

/* @digits * 10^@exp. The digits do not end with 0. The number 0 has the exponent 0. */
struct zio_decimal {
	u64 digits;
	s32 exp;
	bool negative;
};

/* The values that the attributes of a channel's scale are computed from */
struct zio_scale {
	enum zio_unit unit;
	bool is_signed;
	struct zio_decimal scale;
	struct zio_decimal offset;
};

#endif /* _ZIO_FILE_H */
