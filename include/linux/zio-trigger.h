/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-trigger.h: what the author of a trigger type needs
 *
 * A trigger decides when a channel set acquires or plays out. It calls
 * zio_trigger_fire(); the core does the rest. See zio-core/trig-user.c.
 */
#ifndef _LINUX_ZIO_TRIGGER_H
#define _LINUX_ZIO_TRIGGER_H

#include <linux/kobject.h>
#include <linux/zio.h>

/**
 * struct zio_trigger - the trigger of one channel set
 * @kobj: directory in sysfs
 * @type: type of the trigger
 * @cset: the channel set
 * @priv: for the type's use
 * @enabled: fires when true
 * @nshots: shots per arm
 * @pre_samples: samples kept from before the event
 * @post_samples: samples taken from the event on
 */
struct zio_trigger {
	struct kobject kobj;
	const struct zio_trigger_type *type;
	struct zio_cset *cset;
	void *priv;
	bool enabled;
	u32 nshots;
	u32 pre_samples;
	u32 post_samples;
};

/**
 * struct zio_trigger_ops - all optional; process context, may sleep, one at
 * a time per trigger
 * @create: makes @priv
 * @destroy: undoes @create; the trigger is stopped
 * @start: from now on zio_trigger_fire() may be called
 * @stop: after it has returned, zio_trigger_fire() is not called any more
 */
struct zio_trigger_ops {
	int (*create)(struct zio_trigger *trig);
	void (*destroy)(struct zio_trigger *trig);
	int (*start)(struct zio_trigger *trig);
	void (*stop)(struct zio_trigger *trig);
};

/* The core fires: on a read with nothing queued, or when output is ready. */
#define ZIO_TRIGGER_ON_DEMAND	BIT(0)

/**
 * struct zio_trigger_type - a kind of trigger, chosen by name
 * @name: at most ZIO_OBJ_NAME_LEN - 1 characters
 * @owner: THIS_MODULE; held while a channel set uses the type
 * @flags: ZIO_TRIGGER_*
 * @ops: may be NULL
 * @node: for the core's use
 */
struct zio_trigger_type {
	const char *name;
	struct module *owner;
	unsigned long flags;
	const struct zio_trigger_ops *ops;
	struct list_head node;
};

int zio_trigger_type_register(struct zio_trigger_type *type);
void zio_trigger_type_unregister(struct zio_trigger_type *type);
int zio_trigger_fire(struct zio_trigger *trig);

#endif /* _LINUX_ZIO_TRIGGER_H */
