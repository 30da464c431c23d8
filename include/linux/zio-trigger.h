/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-trigger.h: what the author of a trigger type needs
 *
 * A trigger decides when channel sets acquire or play out. It calls
 * zio_trigger_fire(); the core does the rest. triggers/zio-trig-timer.c is one
 * to copy and change.
 */
#ifndef _LINUX_ZIO_TRIGGER_H
#define _LINUX_ZIO_TRIGGER_H

#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/time64.h>
#include <linux/zio.h>

struct config_item;

#define ZIO_MAX_TRIGGER_ATTRS	8
#define ZIO_MAX_TRIGGER_EXT	30	/* extended attributes of the control */

/* What kind of value an attribute of a trigger has. */
#define ZIO_TRIGGER_NUMBER	0
#define ZIO_TRIGGER_TEXT	1	/* ops->text_is_valid() looks at it */
#define ZIO_TRIGGER_ACTION	2	/* no value: a write calls ops->act() */

#define ZIO_TRIGGER_NO_EXT	0xff

/**
 * struct zio_trigger_attr - one attribute of a trigger
 * @name: name of the file
 * @kind: ZIO_TRIGGER_NUMBER, _TEXT, _ACTION
 * @ext: where a number goes in the extended attributes of the control, 0 ...
 *       29; ZIO_TRIGGER_NO_EXT for nowhere
 * @wide: the number has 64 bits, and takes two positions: low half first
 * @value: initial value
 * @min: smallest value accepted (-ERANGE below)
 * @max: largest value accepted (-ERANGE above); 0 stands for 2^32 - 1, or for
 *       2^63 - 1 if wide
 */
struct zio_trigger_attr {
	const char *name;
	u8 kind;
	u8 ext;
	bool wide;
	u64 value;
	u64 min;
	u64 max;
};

/**
 * struct zio_trigger - one event source, of one channel set or shared by many
 * @type: what kind it is
 * @priv: for the type's use
 *
 * The rest is the core's; see zio_trigger_number(), zio_trigger_text() and
 * zio_trigger_clock().
 */
struct zio_trigger {
	const struct zio_trigger_type *type;
	void *priv;
	/* private: core */
	char name[ZIO_OBJ_NAME_LEN];
	struct mutex lock;	/* values, bindings, start and stop */
	struct list_head bindings; /* read under RCU */
	struct list_head node;	/* of the shared ones */
	struct config_item *item; /* NULL if it is not shared */
	unsigned int active;
	bool enabled;
	bool running;
	unsigned int suspended;
	clockid_t clock;
	atomic64_t fired;
	atomic64_t missed;
	u64 number[ZIO_MAX_TRIGGER_ATTRS];
	char *text[ZIO_MAX_TRIGGER_ATTRS];
};

/**
 * struct zio_trigger_ops - what a trigger type does; each is optional
 * @create: makes @priv
 * @destroy: undoes @create; the trigger is stopped
 * @start: from now on zio_trigger_fire() may be called. What has not been told
 *         yet (which interrupt, say) is no error: nothing fires.
 * @stop: after it has returned, zio_trigger_fire() is not called any more
 * @text_is_valid: 0, or the error for whoever writes @text to attribute @index.
 *         An empty text is never asked about.
 * @number_is_valid: 0, or the error for whoever writes @value, which is within the
 *                   limits, to attribute @index
 * @act: a write to attribute @index, of kind ZIO_TRIGGER_ACTION; only while
 *       the trigger is running. It may fire.
 *
 * All in process context; they may sleep, and are called one at a time per
 * trigger. A change of an attribute stops a running trigger, and starts it again
 * with the new value; if @start says no, once more with the old one.
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

/* The core fires: on a read with nothing queued, or when output is ready. */
#define ZIO_TRIGGER_ON_DEMAND	BIT(0)
/* The core fires whenever the set is idle, and there is room for a block. */
#define ZIO_TRIGGER_REARM	BIT(1)

/**
 * struct zio_trigger_type - a kind of trigger, chosen by name
 * @name: at most ZIO_OBJ_NAME_LEN - 1 characters
 * @owner: THIS_MODULE; held while there is a trigger of this type
 * @flags: ZIO_TRIGGER_*
 * @ops: may be NULL
 * @attrs: attributes of each trigger
 * @n_attrs: how many, at most ZIO_MAX_TRIGGER_ATTRS; no two numbers at one @ext
 * @node: for the core's use
 * @group: for the core's use
 * @ready: for the core's use
 */
struct zio_trigger_type {
	const char *name;
	struct module *owner;
	unsigned long flags;
	const struct zio_trigger_ops *ops;
	const struct zio_trigger_attr *attrs;
	unsigned int n_attrs;
	struct list_head node;
	struct zio_trigger_group *group;
	bool ready;
};

int zio_trigger_type_register(struct zio_trigger_type *type);
void zio_trigger_type_unregister(struct zio_trigger_type *type);

/* For a module that is nothing but a trigger type. */
#define module_zio_trigger(_type)					\
	module_driver(_type, zio_trigger_type_register,			\
		      zio_trigger_type_unregister)

int zio_trigger_fire(struct zio_trigger *trig);
int zio_trigger_fire_at(struct zio_trigger *trig, const struct timespec64 *at);
void zio_trigger_miss(struct zio_trigger *trig, u64 n);
u64 zio_trigger_throttle(u64 begin, u64 end);
void zio_trigger_read_clock(const struct zio_trigger *trig,
			    struct timespec64 *now);

/* In start(), and from then to stop(); and in act(). */
static inline u64 zio_trigger_number(const struct zio_trigger *trig,
				     unsigned int index)
{
	return trig->number[index];
}

/* As above; "" if there is none. */
static inline const char *zio_trigger_text(const struct zio_trigger *trig,
					   unsigned int index)
{
	return trig->text[index] ?: "";
}

/* The clock of the time stamps: CLOCK_REALTIME, _TAI, _MONOTONIC, _BOOTTIME */
static inline clockid_t zio_trigger_clock(const struct zio_trigger *trig)
{
	return READ_ONCE(trig->clock);
}

/**
 * struct zio_cset_notifier - who wants to know when a channel set is done
 * @done: any context, right after the set has become idle; under RCU
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
