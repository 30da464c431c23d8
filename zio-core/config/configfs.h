/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * configfs.h: attributes that types and drivers define at run time
 *
 * Configfs does not pass the attribute to its show and store functions. So each position
 * of an attribute has a pair of functions. A file that includes this header defines
 * show_slot() and store_slot() before.
 */
#ifndef _ZIO_CONFIGFS_H
#define _ZIO_CONFIGFS_H

#include <linux/configfs.h>

#define ZIO_SLOTS	10

#define ZIO_SLOT(_n)							\
static ssize_t slot##_n##_show(struct config_item *item, char *page)	\
{									\
	return show_slot(item, _n, page);				\
}									\
									\
static ssize_t slot##_n##_store(struct config_item *item,		\
				const char *text, size_t count)		\
{									\
	return store_slot(item, _n, text) ?: count;			\
}

ZIO_SLOT(0)
ZIO_SLOT(1)
ZIO_SLOT(2)
ZIO_SLOT(3)
ZIO_SLOT(4)
ZIO_SLOT(5)
ZIO_SLOT(6)
ZIO_SLOT(7)
ZIO_SLOT(8)
ZIO_SLOT(9)

static const struct {
	ssize_t (*show)(struct config_item *item, char *page);
	ssize_t (*store)(struct config_item *item, const char *text,
			 size_t count);
} zio_slots[ZIO_SLOTS] = {
	{ slot0_show, slot0_store },
	{ slot1_show, slot1_store },
	{ slot2_show, slot2_store },
	{ slot3_show, slot3_store },
	{ slot4_show, slot4_store },
	{ slot5_show, slot5_store },
	{ slot6_show, slot6_store },
	{ slot7_show, slot7_store },
	{ slot8_show, slot8_store },
	{ slot9_show, slot9_store },
};

static inline void zio_slot_init(struct configfs_attribute *attr,
				 unsigned int slot, const char *name,
				 umode_t mode, struct module *owner)
{
	attr->ca_name = name;
	attr->ca_owner = owner;
	attr->ca_mode = mode;
	if (mode & 0444)
		attr->show = zio_slots[slot].show;
	if (mode & 0222)
		attr->store = zio_slots[slot].store;
}

#endif /* _ZIO_CONFIGFS_H */
