// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-trig-hrt.c: periodic events by a high-resolution timer
 *
 * Ticks are at phase + n * period on the trigger's clock. So no trigger drifts, and two
 * triggers with the same clock and period keep their distance. "start" is the time of the
 * first tick. "shots" is the number of events, after which the trigger stays silent until a
 * user writes one of its attributes or enables it again. "burst" is the number of events
 * per tick, which follow each other as fast as the sets take them.
 *
 * Other interrupts take longer than a short period, so a tick may be late by up to a
 * period, or by up to HRT_LATE. The trigger counts a tick that would be later as missed.
 * The pause after an event (zio_trigger_throttle()) leaves half of the processor's time to
 * other code.
 *
 * The timer uses the monotonic clock, so it does not expire early or late when a user sets
 * the trigger's clock. From then on, ticks are at phase + n * period of the new time. The
 * trigger does not count ticks that the clock has jumped over.
 *
 * The timer expires in hard interrupt context even under PREEMPT_RT, where a thread would
 * run microseconds later. zio_trigger_fire() defers to a thread what must not run there.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/zio-compat.h>
#include <linux/zio-tick.h>
#include <linux/zio-trigger.h>

#define HRT_LATE	(10 * NSEC_PER_USEC)
#define HRT_MAX_BURST	16

enum { HRT_PERIOD, HRT_PHASE, HRT_SLACK, HRT_START, HRT_SHOTS, HRT_BURST };

static const struct zio_attr_desc hrt_attrs[] = {
	[HRT_PERIOD] = {
		.name = "period-ns",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 0,
		.wide = true,
		.value = NSEC_PER_SEC,
		.min = NSEC_PER_USEC,
		.max = 365ULL * 24 * 3600 * NSEC_PER_SEC,
	},
	[HRT_PHASE] = {
		.name = "phase-ns",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 2,
		.wide = true,
		.max = 365ULL * 24 * 3600 * NSEC_PER_SEC,
	},
	[HRT_SLACK] = {
		.name = "slack-ns",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 4,
		.max = NSEC_PER_SEC,
	},
	[HRT_START] = {
		.name = "start-ns",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 6,
		.wide = true,
	},
	[HRT_SHOTS] = {
		.name = "shots",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 5,
	},
	[HRT_BURST] = {
		.name = "burst",
		.mode = 0644,
		.value = 1,
		.min = 1,
		.max = HRT_MAX_BURST,
	},
};

struct hrt_state {
	struct hrtimer timer;
	struct zio_trigger *trig;
	u64 tick;	/* the next one to serve; by the trigger's clock */
	u64 due;	/* the same, monotonic */
	u64 left;	/* shots; 0: no limit */
};

static u64 hrt_number(const struct hrt_state *state, unsigned int index)
{
	return zio_trigger_number(state->trig, index);
}

/* Converts @monotonic to the trigger's clock. */
static u64 hrt_time(const struct hrt_state *state, u64 monotonic)
{
	switch (zio_trigger_clock(state->trig)) {
	case CLOCK_REALTIME:
		return ktime_mono_to_any(monotonic, TK_OFFS_REAL);
	case CLOCK_TAI:
		return ktime_mono_to_any(monotonic, TK_OFFS_TAI);
	case CLOCK_BOOTTIME:
		return ktime_mono_to_any(monotonic, TK_OFFS_BOOT);
	default:
		return monotonic;
	}
}

/*
 * Sets the tick to serve next. @end is the current monotonic time, and @now the same time
 * by the trigger's clock. A start beyond the range of timers gives KTIME_MAX.
 */
static void hrt_set_tick(struct hrt_state *state, u64 tick, u64 end, u64 now)
{
	state->tick = tick;
	state->due = min_t(u64, end + tick - now, KTIME_MAX);
}

/* Sets the expiry time. hrtimer_set_expires_range_ns() guards its sum against overflow. */
static void hrt_set_timer(struct hrt_state *state, u64 expires)
{
	u64 slack = hrt_number(state, HRT_SLACK);

	if (slack)
		hrtimer_set_expires_range_ns(&state->timer, ns_to_ktime(expires), slack);
	else
		hrtimer_set_expires(&state->timer, ns_to_ktime(expires));
}

/*
 * Sets the timer to the next tick. The event began at @begin, monotonic, which is @at by
 * the trigger's clock.
 */
static void hrt_advance(struct hrt_state *state, u64 begin, u64 at)
{
	u64 period = hrt_number(state, HRT_PERIOD), due = state->due, missed;
	u64 end = ktime_get_ns(), now = at + end - begin;
	u64 rest = zio_trigger_throttle(begin, end), next;

	next = zio_tick_next(state->tick, now, now + rest, hrt_number(state, HRT_PHASE),
			     period, max_t(u64, period, HRT_LATE));
	missed = next != state->tick + period;
	hrt_set_tick(state, next, end, now);
	if (unlikely(missed))
		missed = zio_ticks_between(due, state->due, period);
	if (unlikely(missed))
		zio_trigger_miss(state->trig, missed * hrt_number(state, HRT_BURST));
	hrt_set_timer(state, max(state->due, end + rest));
}

/* Fires the events of a tick, each with its own time. Returns false after the last shot. */
static bool hrt_fire(struct hrt_state *state, u64 at)
{
	u64 n = hrt_number(state, HRT_BURST);
	struct timespec64 time;

	for (;;) {
		time = ns_to_timespec64(at);
		zio_trigger_fire_at(state->trig, &time);
		if (state->left && !--state->left)
			return false;
		if (!--n)
			return true;
		at = hrt_time(state, ktime_get_ns());
	}
}

static enum hrtimer_restart hrt_expired(struct hrtimer *timer)
{
	struct hrt_state *state = container_of(timer, struct hrt_state, timer);
	u64 begin = ktime_get_ns(), at = hrt_time(state, begin);

	if (!hrt_fire(state, at))
		return HRTIMER_NORESTART;
	hrt_advance(state, begin, at);
	return HRTIMER_RESTART;
}

static int hrt_create(struct zio_trigger *trig)
{
	struct hrt_state *state = kzalloc(sizeof(*state), GFP_KERNEL);

	if (!state)
		return -ENOMEM;
	state->trig = trig;
	zio_hrtimer_setup(&state->timer, hrt_expired, CLOCK_MONOTONIC,
			  HRTIMER_MODE_ABS_HARD);
	trig->priv = state;
	return 0;
}

static void hrt_destroy(struct zio_trigger *trig)
{
	kfree(trig->priv);
}

static int hrt_start(struct zio_trigger *trig)
{
	struct hrt_state *state = trig->priv;
	u64 start = hrt_number(state, HRT_START);
	u64 begin = ktime_get_ns(), now = hrt_time(state, begin), tick;

	state->left = hrt_number(state, HRT_SHOTS);
	/* The first tick may coincide with the start. */
	tick = zio_tick_after(max(now, start ? start - 1 : 0), hrt_number(state, HRT_PHASE),
			      hrt_number(state, HRT_PERIOD));
	hrt_set_tick(state, tick, begin, now);
	hrt_set_timer(state, state->due);
	hrtimer_start_expires(&state->timer, HRTIMER_MODE_ABS_HARD);
	return 0;
}

static void hrt_stop(struct zio_trigger *trig)
{
	struct hrt_state *state = trig->priv;

	hrtimer_cancel(&state->timer);
}

static const struct zio_trigger_ops hrt_ops = {
	.create = hrt_create,
	.destroy = hrt_destroy,
	.start = hrt_start,
	.stop = hrt_stop,
};

static struct zio_trigger_type zio_trigger_hrt = {
	.name = "hrt",
	.owner = THIS_MODULE,
	.ops = &hrt_ops,
	.attrs = hrt_attrs,
	.n_attrs = ARRAY_SIZE(hrt_attrs),
};

module_zio_trigger(zio_trigger_hrt);

MODULE_DESCRIPTION("ZIO: trigger by a high-resolution timer");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
