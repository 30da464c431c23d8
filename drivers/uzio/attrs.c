// SPDX-License-Identifier: GPL-2.0-only
/*
 * attrs.c: attributes: what users write, and what the program answers
 *
 * A user who writes a file waits here for the answer of the program. No lock of the core is
 * held meanwhile, so reads, events and an unplug go on. The wait is killable and has a time
 * limit. It ends for a suspend, as the program may be frozen already.
 *
 * The program tells each value that an attribute has, and the core keeps it. An answer that
 * nobody waits for any more still tells the value, because the instrument has it.
 */
#include <linux/ctype.h>
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "uzio.h"

/*
 * How often a user who waits looks whether the freezer wants him. He cannot be frozen here: he
 * holds the file's lock.
 */
#define ATTRS_TURN	(HZ / 10 + 1)

/* Who writes to the same open file meanwhile sleeps, and cannot be killed: limits that. */
#define ATTRS_MOST	(30 * HZ)

/*
 * A user who waits. It is in dev->asks until the program has fetched the request, then in
 * dev->asked until the user goes.
 */
struct attrs_ask {
	struct list_head node;
	u64 id;
	u16 attr;
	u16 chan;
	s64 value;
	bool is_fetched;
	int result;	/* 1: there is no answer yet */
};

/* Remembers who serves the device. */
void uzio_note_server(struct uzio *dev)
{
	struct pid *pid = task_tgid(current), *old;

	/* While the device holds a pid, no other one has its address. */
	if (READ_ONCE(dev->server) == pid)
		return;
	spin_lock_irq(&dev->lock);
	old = dev->server;
	WRITE_ONCE(dev->server, get_pid(pid));
	spin_unlock_irq(&dev->lock);
	put_pid(old);
}

/* The program gets and gives numbers, the core has their 32 bits. */
static s64 attrs_number(const struct zio_attr_desc *desc, u32 value)
{
	return desc->is_signed ? (s64)(s32)value : (s64)value;
}

/* Returns 0 or an error. */
static int attrs_begin(struct uzio *dev, struct attrs_ask *ask)
{
	int ret = 0;

	spin_lock_irq(&dev->lock);
	if (dev->dead)
		ret = -ENODEV;
	else if (!dev->live)
		ret = -EAGAIN; /* a registration that fails waits for this user */
	else if (dev->server == task_tgid(current))
		ret = -EDEADLK; /* nobody would answer */
	if (!ret) {
		ask->id = ++dev->last_ask;
		list_add_tail(&ask->node, &dev->asks);
	}
	spin_unlock_irq(&dev->lock);
	wake_up_interruptible(&dev->wq);
	return ret;
}

/* The task freezes on its way back to user mode, and then repeats the call if that is harmless. */
static bool attrs_must_freeze(void)
{
	return freezing(current) && signal_pending(current);
}

/* Returns why the wait is over; 1: it is not. @end: jiffies */
static int attrs_judge(struct uzio *dev, const struct attrs_ask *ask, unsigned long end)
{
	if (READ_ONCE(ask->result) <= 0)
		return ask->result;
	if (READ_ONCE(dev->dead))
		return -ENODEV;
	if (fatal_signal_pending(current))
		return -EINTR;
	if (attrs_must_freeze())
		return ask->is_fetched ? -EINTR : -ERESTARTNOINTR;
	return time_after(jiffies, end) ? -ETIMEDOUT : 1;
}

static int attrs_ask(struct uzio *dev, const struct zio_attr_desc *desc, unsigned int chan,
		     u32 value)
{
	struct attrs_ask ask = {
		.attr = desc->id, .chan = chan, .result = 1,
		.value = attrs_number(desc, value),
	};
	unsigned long end = jiffies + min_t(unsigned long, dev->timeout, ATTRS_MOST), left;
	int ret = attrs_begin(dev, &ask);

	if (ret)
		return ret;
	do {
		left = max_t(long, end + 1 - jiffies, 1);
		wait_event_killable_timeout(dev->wq,
					    READ_ONCE(ask.result) <= 0 || READ_ONCE(dev->dead),
					    min_t(unsigned long, left, ATTRS_TURN));
		spin_lock_irq(&dev->lock);
		ret = attrs_judge(dev, &ask, end);
		if (ret <= 0)
			list_del(&ask.node);
		spin_unlock_irq(&dev->lock);
	} while (ret > 0);
	return ret;
}

/* zio_cset_ops.attr_request of all sets */
int uzio_request_attr(struct zio_cset *cset, struct zio_channel *chan,
		      const struct zio_attr_desc *desc, u32 value)
{
	return attrs_ask(zio_cset_priv(cset), desc, chan ? zio_channel_index(chan) : 0, value);
}

static int attrs_request_device(struct zio_device *zdev, const struct zio_attr_desc *desc,
				u32 value)
{
	return attrs_ask(zio_device_priv(zdev), desc, 0, value);
}

const struct zio_device_ops uzio_device_ops = {
	.attr_request = attrs_request_device,
};

/*
 * Puts what users want into a buffer of @size bytes. Context: Process; the caller holds
 * dev->exchange. Returns the bytes.
 */
u32 uzio_collect_values(struct uzio *dev, void *buffer, u32 size)
{
	struct uzio_value *to = buffer;
	struct attrs_ask *ask, *next;

	spin_lock_irq(&dev->lock);
	list_for_each_entry_safe(ask, next, &dev->asks, node) {
		if (size < sizeof(*to))
			break;
		size -= sizeof(*to);
		*to++ = (struct uzio_value) {
			.head = { .size = sizeof(*to), .type = UZIO_SET, .id = ask->id,
				  .set = dev->attr[ask->attr].set },
			.attr = ask->attr, .chan = ask->chan, .value = ask->value,
		};
		dev->last_fetched = ask->id;
		ask->is_fetched = true;
		list_move_tail(&ask->node, &dev->asked);
	}
	spin_unlock_irq(&dev->lock);
	return (void *)to - buffer;
}

/* Returns who waits for the answer @id, or NULL. Called with dev->lock held. */
static struct attrs_ask *attrs_find(const struct uzio *dev, u64 id)
{
	struct attrs_ask *ask;

	list_for_each_entry(ask, &dev->asked, node)
		if (ask->id == id)
			return ask;
	return NULL;
}

/* Returns false for an answer to another request, or to one that the program has not got. */
static bool attrs_is_asked(struct uzio *dev, const struct uzio_value *value)
{
	const struct attrs_ask *ask;
	bool good;

	spin_lock_irq(&dev->lock);
	ask = attrs_find(dev, value->head.id);
	good = value->head.id <= dev->last_fetched &&
		(!ask || (ask->attr == value->attr && ask->chan == value->chan));
	spin_unlock_irq(&dev->lock);
	return good;
}

/* Called with dev->plug held. */
static int attrs_publish(struct uzio *dev, const struct uzio_value *value)
{
	const struct uzio_attribute *attr = &dev->attr[value->attr];

	if (!dev->zdev)
		return -ENODEV;
	if (attr->set == UZIO_DEVICE)
		return zio_device_attr_changed(dev->zdev, attr->desc, value->value);
	return zio_cset_attr_changed(dev->set[attr->set].cset, value->chan, attr->desc,
				     value->value);
}

/* Returns 0; -EINVAL and nothing has changed; -ENODEV; -EINTR if the program is being killed. */
int uzio_answer_value(struct uzio *dev, const struct uzio_value *value)
{
	const struct uzio_attribute *attr = dev->attr + value->attr;
	struct attrs_ask *ask;
	int ret;

	if (value->attr >= dev->n_attrs || value->reserved || value->head.set != attr->set ||
	    (value->chan && !attr->of_channels) || !attrs_is_asked(dev, value))
		return -EINVAL;
	if (value->value != attrs_number(attr->desc, value->value))
		return -EINVAL;
	/* An unplug holds it to the end. */
	if (mutex_lock_killable(&dev->plug))
		return -EINTR;
	ret = attrs_publish(dev, value);
	mutex_unlock(&dev->plug);
	if (ret)
		return ret == -ERANGE ? -EINVAL : ret;
	spin_lock_irq(&dev->lock);
	ask = attrs_find(dev, value->head.id);
	if (ask)
		WRITE_ONCE(ask->result, 0);
	spin_unlock_irq(&dev->lock);
	wake_up(&dev->wq);
	return 0;
}

/* Called with dev->lock held. */
static void attrs_note_refusal(struct uzio *dev, const struct attrs_ask *ask,
			       const struct uzio_refuse *refuse)
{
	const struct uzio_attribute *attr = &dev->attr[ask->attr];
	char dir[32] = "";

	if (attr->of_channels)
		snprintf(dir, sizeof(dir), "cset%u/chan%u/", attr->set, ask->chan);
	else if (attr->set != UZIO_DEVICE)
		snprintf(dir, sizeof(dir), "cset%u/", attr->set);
	snprintf(dev->refusal, sizeof(dev->refusal), "%s%s=%lld: %s", dir, attr->name,
		 ask->value, *refuse->reason ? refuse->reason : "the program gives no reason");
}

/* As uzio_answer_value(). */
int uzio_answer_refuse(struct uzio *dev, const struct uzio_refuse *refuse)
{
	size_t len = strnlen(refuse->reason, sizeof(refuse->reason)), i;
	struct attrs_ask *ask;
	int ret = 0;

	if (!refuse->error || refuse->error >= ERESTARTSYS || refuse->reserved ||
	    len == sizeof(refuse->reason))
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (!isascii(refuse->reason[i]) || iscntrl(refuse->reason[i]))
			return -EINVAL;
	spin_lock_irq(&dev->lock);
	ask = attrs_find(dev, refuse->head.id);
	if (!refuse->head.id || refuse->head.id > dev->last_fetched ||
	    (ask && dev->attr[ask->attr].set != refuse->head.set))
		ret = -EINVAL;
	if (!ret && ask) {
		attrs_note_refusal(dev, ask, refuse);
		WRITE_ONCE(ask->result, -(int)refuse->error);
	}
	spin_unlock_irq(&dev->lock);
	wake_up(&dev->wq);
	return ret;
}

/* The file "refusal" of the device: why the program has refused the last value */
static ssize_t attrs_show_refusal(struct device *zdev, struct device_attribute *file, char *page)
{
	struct uzio *dev = container_of(file, struct uzio, refusal_file);
	ssize_t len;

	spin_lock_irq(&dev->lock);
	len = sysfs_emit(page, "%s\n", dev->refusal);
	spin_unlock_irq(&dev->lock);
	return len;
}

/* Adds the file "refusal". It goes with the directory. Returns 0 or an error of sysfs. */
int uzio_add_refusal(struct uzio *dev)
{
	struct device_attribute *file = &dev->refusal_file;

	if (!dev->n_attrs)
		return 0;
	sysfs_attr_init(&file->attr);
	file->attr.name = UZIO_REFUSAL;
	file->attr.mode = 0444;
	file->show = attrs_show_refusal;
	return device_create_file(zio_device_dev(dev->zdev), file);
}
