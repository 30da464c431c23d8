/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-trigger.h: the interface for trigger types
 *
 * A trigger decides when channel sets acquire or play: it calls zio_trigger_fire(), and the
 * core arms the sets. Copy triggers/zio-trig-timer.c to begin a trigger type of your own.
 */
#ifndef _LINUX_ZIO_TRIGGER_H
#define _LINUX_ZIO_TRIGGER_H

#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/time64.h>
#include <linux/zio.h>

struct config_item;
struct zio_config_group;

#define ZIO_MAX_TRIGGER_ATTRS	8
#define ZIO_MAX_TRIGGER_EXT	30	/* extended attributes of the control */

/* The value of an attribute */
union zio_trigger_value {
	u64 number;
	char *text; /* NULL: the user has set none */
};

/**
 * struct zio_trigger - one event source, of one channel set or shared by many
 * @type: its type
 * @priv: for the type's use
 *
 * The other fields belong to the core. A type reads its values with zio_trigger_number(),
 * zio_trigger_text() and zio_trigger_clock().
 */
struct zio_trigger {
	const struct zio_trigger_type *type;
	void *priv;
	/* private: core */
	char name[ZIO_OBJ_NAME_LEN];
	struct mutex change;	/* shared: a value, until the controls have it, or the old one */
	struct mutex lock;	/* values, bindings, start and stop */
	struct list_head bindings; /* read under RCU */
	struct list_head node;	/* in the list of shared triggers */
	struct config_item *item; /* NULL if it is not shared */
	unsigned int active;
	bool enabled;
	bool running;
	unsigned int suspended;
	clockid_t clock;
	atomic64_t fired;
	atomic64_t missed;
	union zio_trigger_value value[]; /* of type->n_attrs attributes */
};

/**
 * struct zio_trigger_ops - the operations of a trigger type; each is optional
 * @create: sets @priv of the trigger
 * @destroy: undoes @create; the trigger is stopped
 * @start: from now on, the type may call zio_trigger_fire(). A setting that the user has not
 *         made yet, such as the number of an interrupt, is no error: the trigger just does
 *         not fire.
 * @stop: once it has returned, the type does not call zio_trigger_fire()
 * @text_is_valid: returns 0, or the error for the user who writes @text to attribute @index.
 *         The core does not call it for an empty text.
 * @number_is_valid: returns 0, or the error for the user who writes @value to attribute
 *         @index. The value is within the limits.
 * @act: a user has written to attribute @index, an action of a running trigger. The operation
 *       may fire.
 *
 * Context: Process, may sleep; one call at a time per trigger. To change an attribute, the
 * core stops a running trigger and starts it with the new value. If @start fails, the core
 * starts it again with the old one.
 */
struct zio_trigger_ops {
	int (*create)(struct zio_trigger *trig);
	void (*destroy)(struct zio_trigger *trig);
	int (*start)(struct zio_trigger *trig);
	void (*stop)(struct zio_trigger *trig);
	int (*text_is_valid)(struct zio_trigger *trig, unsigned int index,
			     const char *text);
	int (*number_is_valid)(struct zio_trigger *trig, unsigned int index,
			       u64 value);
	int (*act)(struct zio_trigger *trig, unsigned int index, u64 value);
};

/* The core fires when a read finds no block, or when every output channel has a block. */
#define ZIO_TRIGGER_ON_DEMAND	BIT(0)
/* The core fires whenever the set is idle and there is room for a block. */
#define ZIO_TRIGGER_REARM	BIT(1)

/**
 * struct zio_trigger_type - a kind of trigger, chosen by name
 * @name: at most ZIO_OBJ_NAME_LEN - 1 characters
 * @owner: THIS_MODULE; the core holds it while a trigger of this type exists
 * @flags: ZIO_TRIGGER_*
 * @ops: may be NULL
 * @attrs: attributes of each trigger
 * @n_attrs: at most ZIO_MAX_TRIGGER_ATTRS
 * @node: for the core's use
 * @group: for the core's use
 * @ready: for the core's use
 *
 * An attribute is an action if its mode is 0200: a write calls act(). It is a text if it has
 * words or the form of a text. Otherwise it is a number. The mode of texts and numbers is
 * 0644. Numbers may have one of the positions 0 ... 29 of extended attributes, which they do
 * not share. The trigger keeps the values: attr_set() and attr_get() are not called.
 */
struct zio_trigger_type {
	const char *name;
	struct module *owner;
	unsigned long flags;
	const struct zio_trigger_ops *ops;
	const struct zio_attr_desc *attrs;
	unsigned int n_attrs;
	struct list_head node;
	struct zio_config_group *group;
	bool ready;
};

int zio_trigger_type_register(struct zio_trigger_type *type);
void zio_trigger_type_unregister(struct zio_trigger_type *type);

/* For a module that has one trigger type and nothing else */
#define module_zio_trigger(_type)					\
	module_driver(_type, zio_trigger_type_register,			\
		      zio_trigger_type_unregister)

int zio_trigger_fire(struct zio_trigger *trig);
int zio_trigger_fire_at(struct zio_trigger *trig, const struct timespec64 *at);
void zio_trigger_miss(struct zio_trigger *trig, u64 n);
u64 zio_trigger_throttle(u64 begin, u64 end);
void zio_trigger_read_clock(const struct zio_trigger *trig,
			    struct timespec64 *now);

/* Context: Any; in start() and act(), and between start() and stop(). */
static inline u64 zio_trigger_number(const struct zio_trigger *trig,
				     unsigned int index)
{
	return trig->value[index].number;
}

/* As zio_trigger_number(), for a text; "" if the user has set none. */
static inline const char *zio_trigger_text(const struct zio_trigger *trig,
					   unsigned int index)
{
	return trig->value[index].text ?: "";
}

/* The clock of the time stamps: CLOCK_REALTIME, _TAI, _MONOTONIC, _BOOTTIME */
static inline clockid_t zio_trigger_clock(const struct zio_trigger *trig)
{
	return READ_ONCE(trig->clock);
}

/**
 * struct zio_cset_notifier - a call when a channel set is done
 * @done: called in any context, under RCU, after the set has become idle
 * @node: for the core's use
 * @cset: for the core's use
 */
struct zio_cset_notifier {
	void (*done)(struct zio_cset_notifier *notifier);
	struct hlist_node node;
	struct zio_cset_core *cset;
};

int zio_cset_notifier_check(struct zio_trigger *trig, const char *address);
int zio_cset_notifier_add(struct zio_cset_notifier *notifier, const char *address);
void zio_cset_notifier_remove(struct zio_cset_notifier *notifier);

#endif /* _LINUX_ZIO_TRIGGER_H */
