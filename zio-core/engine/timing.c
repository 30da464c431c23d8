// SPDX-License-Identifier: GPL-2.0-only
/*
 * timing.c: when the samples of a set are taken, and the time stamps of its blocks
 *
 * The snapshots of the channels have the timing: see control.c. So a block costs no instruction
 * for it.
 */
#include <linux/export.h>
#include <linux/gcd.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/overflow.h>

#include "engine/internal.h"

/* A stamp that may be wrong by more tells nothing. */
#define TIMING_MAX_ERROR	NSEC_PER_SEC
#define TIMING_MAX_FIRST	(3600LL * 1000 * NSEC_PER_SEC)	/* an hour, in ps */

/* Brings a fraction to its lowest terms. */
void zio_rate_reduce(u32 *num, u32 *den)
{
	u32 common = gcd(*num, *den) ?: 1;

	*num /= common;
	*den /= common;
}

static u64 timing_convergent(u64 whole, u64 last, u64 before)
{
	u64 next;

	if (check_mul_overflow(whole, last, &next) || check_add_overflow(next, before, &next))
		return U64_MAX;
	return next;
}

/**
 * zio_timing_set_rate() - tell a rate that is a quotient of any numbers
 * @timing: receives the best fraction of two u32. A rate that has none is not known
 * @num: samples of one channel, or a multiple
 * @den: seconds, or the same multiple
 *
 * Context: Any.
 */
void zio_timing_set_rate(struct zio_timing *timing, u64 num, u64 den)
{
	u64 n[3] = { 0, 1 }, d[3] = { 1, 0 }, whole, rest;

	/* Convergents of the continued fraction, the best one comes last. */
	while (den) {
		whole = div64_u64_rem(num, den, &rest);
		n[2] = timing_convergent(whole, n[1], n[0]);
		d[2] = timing_convergent(whole, d[1], d[0]);
		if (n[2] > U32_MAX || d[2] > U32_MAX)
			break;
		n[0] = n[1];
		n[1] = n[2];
		d[0] = d[1];
		d[1] = d[2];
		num = den;
		den = rest;
	}
	timing->rate_num = d[1] ? n[1] : 0;
	timing->rate_den = timing->rate_num ? d[1] : 0;
}
EXPORT_SYMBOL_GPL(zio_timing_set_rate);

/**
 * zio_rate_to_ns() - compute how long a board takes for samples
 * @samples: of one channel
 * @num: samples per second are @num / @den; neither is 0
 * @den: see @num
 *
 * Context: Any.
 *
 * Return: nanoseconds, rounded; U32_MAX for more than a second.
 */
u32 zio_rate_to_ns(u32 samples, u32 num, u32 den)
{
	u64 time = (u64)samples * den;

	return time > num ? U32_MAX : div_u64(time * NSEC_PER_SEC + num / 2, num);
}
EXPORT_SYMBOL_GPL(zio_rate_to_ns);

static bool timing_is_valid(const struct zio_timing *timing)
{
	return !timing->rate_num == !timing->rate_den && timing->error_ns <= TIMING_MAX_ERROR &&
		timing->first_ps <= TIMING_MAX_FIRST && timing->first_ps >= -TIMING_MAX_FIRST;
}

/*
 * Asks the driver when the samples of a set are taken, and keeps the answer in cset->timing, with
 * the rate in its lowest terms. If the driver sets no rate, the user's stays, or 0. The caller
 * holds cset->mutex.
 */
void zio_cset_ask_timing(struct zio_cset_core *cset)
{
	struct zio_timing timing = { .rate_num = cset->rate_num, .rate_den = cset->rate_den };

	if (cset->ops->get_timing)
		cset->ops->get_timing(&cset->pub, &timing);
	if (WARN_ON_ONCE(!timing_is_valid(&timing)))
		timing = (struct zio_timing){ 0 };
	zio_rate_reduce(&timing.rate_num, &timing.rate_den);
	cset->timing = timing;
}

/**
 * zio_block_clock() - get the clock of a block's time stamp
 * @block: the block, armed; of an input
 *
 * Context: Any.
 *
 * Return: CLOCK_*; the control of the block names it, also if the trigger has another one
 * meanwhile.
 */
clockid_t zio_block_clock(const struct zio_block *block)
{
	const struct zio_block_core *core = to_block_core(block);

	return zio_control_clock(&core->snap->common);
}
EXPORT_SYMBOL_GPL(zio_block_clock);

/**
 * zio_cset_clock() - get the clock of a set's trigger
 * @cset: the channel set
 *
 * For outputs, whose blocks name no clock: the times that a user writes are by this one.
 *
 * Context: raw_io().
 *
 * Return: CLOCK_*.
 */
clockid_t zio_cset_clock(const struct zio_cset *cset)
{
	return zio_trigger_clock(to_cset_core(cset)->bind->trig);
}
EXPORT_SYMBOL_GPL(zio_cset_clock);

static void timing_set(struct zio_block *block, struct timespec64 time)
{
	block->tstamp.secs = time.tv_sec;
	block->tstamp.ticks = time.tv_nsec;
	block->tstamp.bins = 0;
}

/**
 * zio_cset_stamp() - set the time of a block to now
 * @cset: the channel set
 * @block: the block, armed
 *
 * A board that is armed long before its event calls this at the event: the block has the
 * time at which it was armed. The clock is the one that the control of the block names.
 *
 * Context: Any but NMI.
 */
void zio_cset_stamp(const struct zio_cset *cset, struct zio_block *block)
{
	struct timespec64 now;

	zio_clock_read(zio_block_clock(block), &now);
	timing_set(block, now);
}
EXPORT_SYMBOL_GPL(zio_cset_stamp);

/**
 * zio_cset_stamp_at() - set the time of a block to a known one
 * @cset: the channel set
 * @block: the block, armed
 * @at: the time by CLOCK_MONOTONIC, in ns
 *
 * As zio_cset_stamp(), for a board whose event was a while ago. To read two clocks and take
 * the difference is less exact: the host of a virtual machine may do something else between.
 *
 * Context: Any but NMI.
 */
void zio_cset_stamp_at(const struct zio_cset *cset, struct zio_block *block, u64 at)
{
	clockid_t clock = zio_block_clock(block);
	ktime_t then = ns_to_ktime(at);

	if (clock == CLOCK_REALTIME)
		then = ktime_mono_to_real(then);
	else if (clock == CLOCK_TAI)
		then = ktime_mono_to_any(then, TK_OFFS_TAI);
	else if (clock == CLOCK_BOOTTIME)
		then = ktime_mono_to_any(then, TK_OFFS_BOOT);
	timing_set(block, ktime_to_timespec64(then));
}
EXPORT_SYMBOL_GPL(zio_cset_stamp_at);

/* Returns the time from the first sample of a block to the last one; 0 without a rate. */
static u64 timing_duration(const struct zio_cset_core *cset, const struct zio_block *block)
{
	const u32 *value = to_block_core(block)->snap->common.attr_trigger.std_val;
	u32 num = value[ZIO_ATTR_TRIG_RATE_NUM], den = value[ZIO_ATTR_TRIG_RATE_DEN];
	u64 n;

	if (likely(!num) || block->len <= cset->ssize)
		return 0;
	n = block->len / cset->ssize;
	if (cset->flags & ZIO_CSET_INTERLEAVED)
		n = div_u64(n, hweight64(cset->pub.shape.mask));
	/* A rate that a user has told may be nonsense. */
	return div_u64((n - 1) * den, 3600) > num ? 0 :
		mul_u64_u64_div_u64((n - 1) * den, NSEC_PER_SEC, num);
}

/**
 * zio_cset_stamp_end() - set the time of a block whose last sample was taken now
 * @cset: the channel set
 * @block: the block, armed, with its final length
 *
 * As zio_cset_stamp(), for a board that interrupts at the end of a block. If the control of the
 * block has a rate, its time is that of the first sample.
 *
 * Context: Any but NMI.
 */
void zio_cset_stamp_end(const struct zio_cset *cset, struct zio_block *block)
{
	u64 duration = timing_duration(to_cset_core(cset), block);

	if (duration)
		zio_cset_stamp_at(cset, block, ktime_get_ns() - duration);
	else
		zio_cset_stamp(cset, block);
}
EXPORT_SYMBOL_GPL(zio_cset_stamp_end);
