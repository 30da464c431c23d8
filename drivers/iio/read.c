// SPDX-License-Identifier: GPL-2.0-only
/*
 * read.c: scans of devices without a buffer
 *
 * In the mode "read", a work item of the set reads its channels one after the other, as a
 * read of their files in sysfs does. It may sleep. Without a rate, a set that is armed reads
 * scan after scan. With a rate, each tick of a timer asks for a scan: the first one when the
 * set is armed, or at the next tick if the core arms it again and again.
 *
 * A scan that was begun for another arming is not stored: raw_io() counts the armings. The
 * comparison and the store are in one section of RCU, for which stop_io() waits.
 */
#include <linux/iio/consumer.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/zio-compat.h>

#include "iio.h"

#define ZIIO_MAX_RATE	10000	/* scans per second */

static const char *ziio_channel_name(const struct ziio_set *set, unsigned int index)
{
	const struct ziio_channel *chan = set->state->chan;

	for (;; chan++)
		if (&set->state->set[chan->set] == set && !index--)
			return chan->name;
}

static int ziio_read_raw(struct ziio_state *state, const struct iio_chan_spec *spec, int *value)
{
	struct iio_channel chan = { .indio_dev = state->indio, .channel = spec };
	int ret = iio_read_channel_raw(&chan, value);

	if (ret < 0)
		return ret;
	return ret == IIO_VAL_INT ? 0 : -EOPNOTSUPP;
}

/* A channel whose samples have 64 bits has no raw value: see ziio_find_read_format(). */
static int ziio_read_channel(struct ziio_set *set, unsigned int index)
{
	const struct ziio_field *field = &set->field[index];
	void *sample = set->reader.scan + field->offset;

	if (field->bytes == sizeof(s64))
		return ziio_read_processed(set->state, set->spec[index], sample);
	return ziio_read_raw(set->state, set->spec[index], sample);
}

/* Reads the channels that the block has. */
static int ziio_read_scan(struct ziio_set *set)
{
	u64 mask = READ_ONCE(set->mask);
	unsigned int i;
	int ret;

	for (i = 0; i < set->n; i++) {
		ret = mask >> i & 1 ? ziio_read_channel(set, i) : 0;
		if (!ret)
			continue;
		/* The IIO device has gone: readers get ENODEV when the ZIO device goes, too. */
		if (!READ_ONCE(set->state->is_gone))
			dev_err_ratelimited(&set->state->pdev->dev, "%s: cannot read %s: error %d\n",
					    dev_name(&set->state->indio->dev),
					    ziio_channel_name(set, i), ret);
		return ret;
	}
	return 0;
}

static void ziio_start_ticks(struct ziio_set *set)
{
	struct ziio_reader *reader = &set->reader;
	unsigned long flags;

	spin_lock_irqsave(&reader->lock, flags);
	atomic_set(&reader->ticks, 0);
	hrtimer_start(&reader->timer, 0, HRTIMER_MODE_REL);
	spin_unlock_irqrestore(&reader->lock, flags);
}

/* A set that is armed for an event, or had ticks of an old rate, may have started it anew. */
static enum hrtimer_restart ziio_tick(struct hrtimer *timer)
{
	struct ziio_set *set = container_of(timer, struct ziio_set, reader.timer);
	struct ziio_reader *reader = &set->reader;
	enum hrtimer_restart ret = HRTIMER_NORESTART;
	u64 period = READ_ONCE(reader->period);
	unsigned long flags;

	spin_lock_irqsave(&reader->lock, flags);
	if (!hrtimer_is_queued(timer) &&
	    (READ_ONCE(set->block) || zio_cset_is_rearmed(set->cset))) {
		atomic_add(hrtimer_forward_now(timer, ns_to_ktime(period)), &reader->ticks);
		queue_work(system_freezable_wq, &reader->work);
		ret = HRTIMER_RESTART;
	}
	spin_unlock_irqrestore(&reader->lock, flags);
	return ret;
}

/* After an error the set is idle until a program reads. Its ticks would count as missed. */
static void ziio_fail_reader(struct ziio_set *set, int error)
{
	if (error == -ENODEV && READ_ONCE(set->state->is_gone))
		return;
	hrtimer_cancel(&set->reader.timer);
	atomic_inc(&set->failed);
	ziio_set_alarm(set, ZIIO_ALARM_FAILED);
	ziio_fail(set, error);
}

static void ziio_read(struct work_struct *work)
{
	struct ziio_set *set = container_of(work, struct ziio_set, reader.work);
	struct ziio_reader *reader = &set->reader;
	bool has_rate = READ_ONCE(reader->period);
	int ticks = atomic_xchg(&reader->ticks, 0), ret;
	u32 arming;

	if (has_rate && !ticks)
		return;
	if (ticks > 1)
		ziio_skip(set, ticks - 1);
	if (!smp_load_acquire(&set->block)) {	/* of raw_io() */
		if (has_rate)
			ziio_skip(set, 1);
		return;
	}
	arming = READ_ONCE(set->arming);
	reader->at = ktime_get_ns();
	ret = ziio_read_scan(set);
	if (ret) {
		if (READ_ONCE(set->arming) == arming)
			ziio_fail_reader(set, ret);
		return;
	}
	rcu_read_lock();
	if (READ_ONCE(set->arming) == arming)
		ziio_store_in(set, reader->scan);
	rcu_read_unlock();
	if (!has_rate && READ_ONCE(set->block))
		queue_work(system_freezable_wq, &reader->work);
}

static int ziio_read_raw_io(struct zio_cset *cset)
{
	struct ziio_state *state = zio_cset_priv(cset);
	struct ziio_set *set = &state->set[zio_cset_index(cset)];
	struct ziio_reader *reader = &set->reader;
	int ret = ziio_set_raw_io(cset);

	if (ret != ZIO_PENDING)
		return ret;
	if (!READ_ONCE(reader->period))
		queue_work(system_freezable_wq, &reader->work);
	else if (!zio_cset_is_rearmed(cset) || !hrtimer_active(&reader->timer))
		ziio_start_ticks(set);
	return ZIO_PENDING;
}

/* A block has scans of one rate. */
static int ziio_read_set_rate(struct zio_cset *cset, u32 num, u32 den)
{
	struct ziio_state *state = zio_cset_priv(cset);
	struct ziio_set *set = &state->set[zio_cset_index(cset)];

	if (num > (u64)den * ZIIO_MAX_RATE)
		return -ERANGE;
	WRITE_ONCE(set->reader.period, div_u64((u64)den * NSEC_PER_SEC, num));
	set->rate_num = num;
	set->rate_den = den;
	ziio_finish(set);
	if (READ_ONCE(set->block))
		ziio_start_ticks(set);
	return 0;
}

static int ziio_read_init(struct zio_cset *cset)
{
	struct ziio_state *state = zio_cset_priv(cset);
	struct ziio_reader *reader = &state->set[zio_cset_index(cset)].reader;

	spin_lock_init(&reader->lock);
	INIT_WORK(&reader->work, ziio_read);
	zio_hrtimer_setup(&reader->timer, ziio_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	return ziio_set_init(cset);
}

/* The set is not armed any more. */
static void ziio_read_exit(struct zio_cset *cset)
{
	struct ziio_state *state = zio_cset_priv(cset);
	struct ziio_reader *reader = &state->set[zio_cset_index(cset)].reader;

	hrtimer_cancel(&reader->timer);
	cancel_work_sync(&reader->work);
}

const struct zio_cset_ops ziio_read_ops = {
	.init = ziio_read_init,
	.exit = ziio_read_exit,
	.raw_io = ziio_read_raw_io,
	.stop_io = ziio_set_stop,
	.attr_set = ziio_set_attr_set,
	.attr_get = ziio_set_attr_get,
	.get_timing = ziio_get_timing,
	.set_rate = ziio_read_set_rate,
	.resumed = ziio_set_resumed,
};
