// SPDX-License-Identifier: GPL-2.0-only
/*
 * set.c: from scans to blocks
 *
 * raw_io() gives the set a block, and each scan adds samples until it is full. The samples
 * of a block follow each other without a gap: when IIO stops the device, the block ends
 * with what it has. iio.h explains the barriers.
 */
#include <linux/ktime.h>
#include <linux/rcupdate.h>

#include "iio.h"

enum { ZIIO_RESCALE, ZIIO_MISSED, ZIIO_GAPS, ZIIO_FAILED };

const struct zio_attr_desc ziio_set_attrs[] = {
	ZIO_ATTR_EXT("rescale", 0644, 0, 0, ZIIO_RESCALE),
	ZIO_ATTR_PARAM("missed", 0444, 0, ZIIO_MISSED),
	ZIO_ATTR_PARAM("gaps", 0444, 0, ZIIO_GAPS),
	ZIO_ATTR_PARAM("failed", 0444, 0, ZIIO_FAILED),
};

const unsigned int ziio_n_set_attrs = ARRAY_SIZE(ziio_set_attrs);

static bool ziio_is_interleaved(const struct ziio_set *set)
{
	return set->state->mode != ZIIO_SEPARATE;
}

/* With a ZIO trigger, scans between its events belong to no block and are not counted. */
static void ziio_miss_scans(struct ziio_set *set, unsigned int n)
{
	struct zio_cset *cset = READ_ONCE(set->cset);

	if (set->state->trig || !cset || !zio_cset_is_rearmed(cset))
		return;
	atomic_add(n, &set->missed);
	set->lost += n;
	ziio_set_alarm(set, ZIIO_ALARM_MISSED);
}

static void ziio_put_time(struct zio_block *block, s64 ns)
{
	u32 rest;

	block->tstamp.secs = div_u64_rem(ns, NSEC_PER_SEC, &rest);
	block->tstamp.ticks = rest;
	block->tstamp.bins = 0;
}

static s64 ziio_get_time(const struct zio_block *block)
{
	return block->tstamp.secs * NSEC_PER_SEC + block->tstamp.ticks;
}

/*
 * The scan was stamped in an interrupt that may have been late. If the device has a rate,
 * the rate tells when the scan was made. A rate read in the middle of a change is corrected
 * by the next block.
 */
static s64 ziio_find_time(struct ziio_set *set, s64 stamp)
{
	u32 num = READ_ONCE(set->rate_num), den = READ_ONCE(set->rate_den);

	if (!num || !den)
		return stamp;
	if (set->pace.num != num || set->pace.den != den)
		zio_pace_start(&set->pace, num, den);
	if (zio_pace_put(&set->pace, set->state->scans, stamp))
		zio_cset_timing_changed(set->cset);
	return zio_pace_time(&set->pace, set->state->scans);
}

/* Stamps a block with the time of its first scan, by the clock that the control names. */
static void ziio_stamp_block(struct ziio_set *set, struct zio_block *block, const void *scan)
{
	struct ziio_state *state = set->state;
	s64 stamp = 0;

	if (state->stamp_offset)
		memcpy(&stamp, scan + state->stamp_offset, sizeof(stamp));
	if (stamp <= 0) {
		zio_cset_stamp_at(set->cset, block, ziio_find_time(set, ktime_get_ns()));
		return;
	}
	stamp = ziio_find_time(set, stamp);
	if (iio_device_get_clock(state->indio) != zio_block_clock(block)) {
		zio_cset_stamp(set->cset, block);
		stamp += ziio_get_time(block) - iio_get_time_ns(state->indio);
	}
	if (stamp > 0)
		ziio_put_time(block, stamp);
}

/* Each channel has its own block. */
static void ziio_store_separate(struct ziio_set *set, const void *scan)
{
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(set->cset, pos, chan, block)
		ziio_convert(&set->field[zio_channel_index(chan)], scan,
			     block->data + set->fill);
}

static void ziio_store_samples(struct ziio_set *set, struct zio_block *block, const void *scan)
{
	if (set->copies)
		memcpy(block->data + set->fill, scan + set->field->offset, set->step);
	else if (ziio_is_interleaved(set))
		ziio_convert_scan(set->field, set->mask, scan, block->data + set->fill);
	else
		ziio_store_separate(set, scan);
	set->fill += set->step;
}

/* Begins a block with its first scan, and reports what was lost before. */
static void ziio_begin_block(struct ziio_set *set, struct zio_block *block, const void *scan)
{
	struct zio_channel *chan;
	struct zio_armed *pos;
	struct zio_block *any;

	if (unlikely(set->lost)) {
		zio_cset_lost(set->cset, DIV_ROUND_UP(set->lost, max(1u, block->len / set->step)));
		set->lost = 0;
	}
	/* With a ZIO trigger, the block has the time of the event. */
	if (set->state->trig)
		return;
	if (set->state->mode == ZIIO_READ) {
		if (zio_cset_is_rearmed(set->cset))
			zio_cset_stamp_at(set->cset, block, set->reader.at);
		return;
	}
	ziio_stamp_block(set, block, scan);
	zio_for_each_block(set->cset, pos, chan, any)
		any->tstamp = block->tstamp;
}

/**
 * ziio_store_in() - store a scan in the blocks of a set
 * @set: the set
 * @scan: the scan
 *
 * Context: Any, in a section of RCU; one call for a set at a time.
 */
void ziio_store_in(struct ziio_set *set, const void *scan)
{
	struct zio_block *block = smp_load_acquire(&set->block); /* of raw_io() */

	if (unlikely(!block)) {
		ziio_miss_scans(set, 1);
		return;
	}
	if (!set->fill)
		ziio_begin_block(set, block, scan);
	if (likely(set->fill + set->step <= block->len))
		ziio_store_samples(set, block, scan);
	if (set->fill + set->step > block->len && cmpxchg(&set->block, block, NULL) == block)
		zio_cset_done(set->cset);
}

/**
 * ziio_store() - store a scan in the blocks of all sets
 * @state: the device
 * @scan: the scan
 *
 * Context: Any; one call at a time.
 */
void ziio_store(struct ziio_state *state, const void *scan)
{
	unsigned int i;

	rcu_read_lock();
	WRITE_ONCE(state->scans, state->scans + 1);
	for (i = 0; i < state->n_set; i++)
		ziio_store_in(&state->set[i], scan);
	rcu_read_unlock();
}

/* The caller holds the lock. stop_io() waits for it, and returns after zio_cset_done(). */
static void ziio_finish_set(struct ziio_set *set)
{
	struct zio_block *block = xchg(&set->block, NULL);
	struct zio_channel *chan;
	struct zio_armed *pos;

	if (!block)
		return;
	synchronize_rcu();
	if (!set->fill) {
		smp_store_release(&set->block, block); /* for ziio_store_in() */
		return;
	}
	zio_for_each_block(set->cset, pos, chan, block)
		block->len = set->fill;
	zio_cset_done(set->cset);
}

/**
 * ziio_finish() - finish the blocks of a set if they already have samples
 * @set: the set
 *
 * Context: Process, sleeps.
 */
void ziio_finish(struct ziio_set *set)
{
	mutex_lock(&set->state->finish_lock);
	if (READ_ONCE(set->fill))
		ziio_finish_set(set);
	mutex_unlock(&set->state->finish_lock);
}

/**
 * ziio_skip() - note scans that the reader has missed
 * @set: the set
 * @n: number of scans
 *
 * A block that has begun ends in front of them.
 *
 * Context: Process, sleeps; not while a scan is stored.
 */
void ziio_skip(struct ziio_set *set, unsigned int n)
{
	/* Nothing is lost between this block and the next: it tells itself that it is short. */
	if (READ_ONCE(set->block) && set->fill && !zio_cset_is_rearmed(set->cset)) {
		atomic_add(n, &set->missed);
		ziio_set_alarm(set, ZIIO_ALARM_MISSED);
	}
	ziio_finish(set);
	ziio_miss_scans(set, n);
}

/**
 * ziio_finish_all() - finish the blocks that already have samples
 * @state: the device
 *
 * Context: Process, sleeps.
 */
void ziio_finish_all(struct ziio_state *state)
{
	struct ziio_set *set = state->set, *end = set + state->n_set;

	mutex_lock(&state->finish_lock);
	for (; set < end; set++)
		ziio_finish_set(set);
	mutex_unlock(&state->finish_lock);
}

/* The caller holds the lock. The exchange pairs with the barrier in ziio_set_raw_io(). */
static void ziio_fail_set(struct ziio_set *set, int error)
{
	if (!xchg(&set->block, NULL))
		return;
	synchronize_rcu();
	zio_cset_fail(set->cset, error);
}

/**
 * ziio_fail() - fail a set that has not got a scan
 * @set: the set
 * @error: why
 *
 * A block that has begun ends without an error. The scan after it gets the next one.
 *
 * Context: Process, sleeps.
 */
void ziio_fail(struct ziio_set *set, int error)
{
	mutex_lock(&set->state->finish_lock);
	if (READ_ONCE(set->fill))
		ziio_finish_set(set);
	else
		ziio_fail_set(set, error);
	mutex_unlock(&set->state->finish_lock);
}

/**
 * ziio_fail_all() - fail all sets, now and whenever they are armed
 * @state: the device, which produces no more scans
 * @error: why
 *
 * Otherwise readers would wait forever.
 *
 * Context: Process, sleeps.
 */
void ziio_fail_all(struct ziio_state *state, int error)
{
	struct ziio_set *set = state->set, *end = set + state->n_set;

	mutex_lock(&state->finish_lock);
	WRITE_ONCE(state->error, error);
	for (; set < end; set++)
		ziio_fail_set(set, error);
	mutex_unlock(&state->finish_lock);
}

/* The operations of a set: see struct zio_cset_ops. */

int ziio_set_init(struct zio_cset *cset)
{
	struct ziio_state *state = zio_cset_priv(cset);
	struct ziio_set *set = &state->set[zio_cset_index(cset)];

	set->step = zio_cset_ssize(cset);
	WRITE_ONCE(set->cset, cset);
	return 0;
}

int ziio_set_raw_io(struct zio_cset *cset)
{
	struct ziio_state *state = zio_cset_priv(cset);
	struct ziio_set *set = &state->set[zio_cset_index(cset)];
	u64 mask = zio_cset_mask(cset);
	struct zio_channel *chan;
	struct zio_armed *pos;

	zio_for_each_channel(cset, pos, chan)
		WRITE_ONCE(set->chan[zio_channel_index(chan)], chan);
	set->fill = 0;
	/* The mask changes rarely. */
	if (ziio_is_interleaved(set) && mask != set->mask) {
		set->mask = mask;
		set->step = hweight64(mask) * set->field->bytes;
		set->copies = set->is_plain && hweight64(mask) == set->n;
	}
	WRITE_ONCE(set->arming, set->arming + 1);
	/* For ziio_store_in() */
	smp_store_release(&set->block, zio_cset_block(cset));
	smp_mb(); /* pairs with ziio_fail_all(): it sees the block, or this one the error */
	if (unlikely(READ_ONCE(state->error)) && xchg(&set->block, NULL))
		return READ_ONCE(state->error);
	if (state->trig)
		ziio_ask(state);
	return ZIO_PENDING;
}

void ziio_set_stop(struct zio_cset *cset)
{
	struct ziio_state *state = zio_cset_priv(cset);
	struct ziio_set *set = &state->set[zio_cset_index(cset)];

	mutex_lock(&state->finish_lock);
	xchg(&set->block, NULL);
	mutex_unlock(&state->finish_lock);
	synchronize_rcu();
}

/* The scans of a block follow each other, so a block that has begun ends here. */
bool ziio_set_resumed(struct zio_cset *cset)
{
	struct ziio_state *state = zio_cset_priv(cset);

	ziio_finish(&state->set[zio_cset_index(cset)]);
	return false;
}

int ziio_set_attr_set(struct zio_cset *cset, struct zio_channel *chan,
		      const struct zio_attr_desc *attr, u32 value)
{
	struct ziio_state *state = zio_cset_priv(cset);
	int ret = -ENODEV;

	/* The IIO device has its descriptions of channels until ziio_end_use() has the lock. */
	mutex_lock(&state->attach_lock);
	if (!state->is_gone)
		ret = ziio_rescale(&state->set[zio_cset_index(cset)]);
	mutex_unlock(&state->attach_lock);
	return ret;
}

int ziio_set_attr_get(struct zio_cset *cset, struct zio_channel *chan,
		      const struct zio_attr_desc *attr, u32 *value)
{
	struct ziio_state *state = zio_cset_priv(cset);
	struct ziio_set *set = &state->set[zio_cset_index(cset)];

	if (attr->id == ZIIO_MISSED)
		*value = atomic_read(&set->missed);
	else if (attr->id == ZIIO_GAPS)
		*value = atomic_read(&set->gaps);
	else if (attr->id == ZIIO_FAILED)
		*value = atomic_read(&set->failed);
	return 0;
}

const struct zio_cset_ops ziio_set_ops = {
	.init = ziio_set_init,
	.raw_io = ziio_set_raw_io,
	.stop_io = ziio_set_stop,
	.attr_set = ziio_set_attr_set,
	.attr_get = ziio_set_attr_get,
	.get_timing = ziio_get_timing,
	.resumed = ziio_set_resumed,
};
