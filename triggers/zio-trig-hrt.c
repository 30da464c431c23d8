// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-trig-hrt.c: periodic events by a high-resolution timer
 *
 * Ticks are at phase + n * period on the trigger's clock. So no trigger drifts, and two
 * triggers with the same clock and period keep their distance. "start" is the time of
 * the first tick. "shots" is the number of ticks; then the trigger is silent until a
 * user writes one of its attributes or enables it again.
 *
 * The trigger counts a tick as missed if the timer expires too late for the tick. It also
 * misses the ticks in the rest after an event. The rest (zio_trigger_throttle()) leaves
 * half of the processor's time to other code.
 *
 * The timer uses the monotonic clock. So it does not expire early or late when a user sets
 * the trigger's clock. From then on ticks are at phase + n * period of the new time. The
 * trigger does not count ticks that the clock has jumped over.
 *
 * The timer expires in hard interrupt context, with PREEMPT_RT, too: a thread would come
 * microseconds later. zio_trigger_fire() leaves to a thread what must not run there.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/zio-compat.h>
#include <linux/zio-tick.h>
#include <linux/zio-trigger.h>

enum { HRT_PERIOD, HRT_PHASE, HRT_SLACK, HRT_START, HRT_SHOTS };

static const struct zio_trigger_attr hrt_attrs[] = {
	[HRT_PERIOD] = {
		.name = "period-ns",
		.ext = 0,
		.wide = true,
		.value = NSEC_PER_SEC,
		.min = NSEC_PER_USEC,
		.max = 365ULL * 24 * 3600 * NSEC_PER_SEC,
	},
	[HRT_PHASE] = {
		.name = "phase-ns",
		.ext = 2,
		.wide = true,
		.max = 365ULL * 24 * 3600 * NSEC_PER_SEC,
	},
	[HRT_SLACK] = {
		.name = "slack-ns",
		.ext = 4,
		.max = NSEC_PER_SEC,
	},
	[HRT_START] = {
		.name = "start-ns",
		.ext = 6,
		.wide = true,
	},
	[HRT_SHOTS] = {
		.name = "shots",
		.ext = 5,
	},
};

struct hrt_state {
	struct hrtimer timer;
	struct zio_trigger *trig;
	u64 expires;	/* monotonic */
	u64 left;	/* shots; 0: no limit */
};

static u64 hrt_number(const struct hrt_state *state, unsigned int index)
{
	return zio_trigger_number(state->trig, index);
}

static u64 hrt_now(const struct hrt_state *state)
{
	struct timespec64 now;

	zio_trigger_read_clock(state->trig, &now);
	return timespec64_to_ns(&now);
}

/*
 * Return: the next tick, by the monotonic clock. The caller reads @now, by the trigger's
 * clock, before @monotonic, so the result may be late but never early. A start beyond the
 * range of timers gives KTIME_MAX.
 */
static u64 hrt_next(const struct hrt_state *state, u64 monotonic, u64 now,
		    u64 not_before)
{
	u64 tick = zio_tick_after(max(now, not_before),
				  hrt_number(state, HRT_PHASE),
				  hrt_number(state, HRT_PERIOD));

	return min_t(u64, monotonic + tick - now, KTIME_MAX);
}

/* Set the timer to the next tick. @begin is the start of the event, monotonic. */
static void hrt_advance(struct hrt_state *state, u64 begin)
{
	u64 now = hrt_now(state), end = ktime_get_ns(), next, missed;

	next = hrt_next(state, end, now, now + zio_trigger_throttle(begin, end));
	missed = zio_ticks_between(state->expires, next,
				   hrt_number(state, HRT_PERIOD));
	if (missed)
		zio_trigger_miss(state->trig, missed);
	state->expires = next;
	hrtimer_set_expires_range_ns(&state->timer, ns_to_ktime(next),
				     hrt_number(state, HRT_SLACK));
}

static enum hrtimer_restart hrt_expired(struct hrtimer *timer)
{
	struct hrt_state *state = container_of(timer, struct hrt_state, timer);
	u64 begin = ktime_get_ns();

	zio_trigger_fire(state->trig);
	if (state->left && !--state->left)
		return HRTIMER_NORESTART;
	hrt_advance(state, begin);
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
	u64 start = hrt_number(state, HRT_START), now = hrt_now(state);

	state->left = hrt_number(state, HRT_SHOTS);
	/* A tick may be exactly at the start. */
	state->expires = hrt_next(state, ktime_get_ns(), now,
				  start ? start - 1 : 0);
	hrtimer_start_range_ns(&state->timer, ns_to_ktime(state->expires),
			       hrt_number(state, HRT_SLACK), HRTIMER_MODE_ABS_HARD);
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
