// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-trig-timer.c: periodic events by the kernel's timer
 *
 * Ticks are at phase + n * period since boot. A late tick does not delay the following
 * ones. The resolution is one jiffy (1 ... 10 ms); zio-trig-hrt has a better one.
 *
 * The kernel runs all expired timers before it runs processes, so a few timers that
 * together take longer than a jiffy would occupy the processor forever. To prevent this,
 * the trigger skips the ticks that fall into the pause after an event
 * (zio_trigger_throttle()).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/zio-tick.h>
#include <linux/zio-trigger.h>

/* Timers up to this many jiffies are exact to a jiffy; see kernel/time/timer.c */
#define TIMER_EXACT	32

enum { TIMER_PERIOD, TIMER_PHASE };

static const struct zio_attr_desc timer_attrs[] = {
	[TIMER_PERIOD] = {
		.name = "period-ms",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 0,
		.value = 1000,
		.min = 1,
		.max = 24 * 3600 * 1000,
	},
	[TIMER_PHASE] = {
		.name = "phase-ms",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 1,
		.max = 24 * 3600 * 1000,
	},
};

struct timer_state {
	struct timer_list timer;
	struct zio_trigger *trig;
	u64 tick;	/* ms since boot */
};

static u64 timer_now(void)
{
	return jiffies64_to_msecs(get_jiffies_64() - INITIAL_JIFFIES);
}

/*
 * A timer expires one jiffy after the one it is set to, and a long timer up to an eighth of
 * its time later. So the trigger waits for a long time in parts, the last of which is
 * short.
 */
static void timer_arm(struct timer_state *state, u64 now)
{
	unsigned long wait = msecs_to_jiffies(state->tick > now ?
					      state->tick - now : 0);

	if (wait > TIMER_EXACT)
		wait -= wait / 4;
	mod_timer(&state->timer, jiffies + wait - !!wait);
}

static void timer_expired(struct timer_list *timer)
{
	struct timer_state *state = container_of(timer, struct timer_state,
						 timer);
	u64 period = zio_trigger_number(state->trig, TIMER_PERIOD);
	u64 begin = ktime_get_ns(), now = timer_now(), rest, next, missed;

	if (now < state->tick) {
		timer_arm(state, now);
		return;
	}
	zio_trigger_fire(state->trig);
	/* Fractions of a millisecond are dropped: they only delay a later event. */
	rest = div_u64(zio_trigger_throttle(begin, ktime_get_ns()), NSEC_PER_MSEC);
	now = timer_now();
	next = zio_tick_after(max(now + rest, state->tick), state->tick, period);
	missed = zio_ticks_between(state->tick, next, period);
	if (missed)
		zio_trigger_miss(state->trig, missed);
	state->tick = next;
	timer_arm(state, now);
}

static int timer_create_state(struct zio_trigger *trig)
{
	struct timer_state *state = kzalloc(sizeof(*state), GFP_KERNEL);

	if (!state)
		return -ENOMEM;
	state->trig = trig;
	timer_setup(&state->timer, timer_expired, 0);
	trig->priv = state;
	return 0;
}

static void timer_destroy_state(struct zio_trigger *trig)
{
	kfree(trig->priv);
}

static int timer_start(struct zio_trigger *trig)
{
	struct timer_state *state = trig->priv;
	u64 now = timer_now();

	state->tick = zio_tick_after(now, zio_trigger_number(trig, TIMER_PHASE),
				     zio_trigger_number(trig, TIMER_PERIOD));
	timer_arm(state, now);
	return 0;
}

static void timer_stop(struct zio_trigger *trig)
{
	struct timer_state *state = trig->priv;

	timer_delete_sync(&state->timer);
}

static const struct zio_trigger_ops timer_ops = {
	.create = timer_create_state,
	.destroy = timer_destroy_state,
	.start = timer_start,
	.stop = timer_stop,
};

static struct zio_trigger_type zio_trigger_timer = {
	.name = "timer",
	.owner = THIS_MODULE,
	.ops = &timer_ops,
	.attrs = timer_attrs,
	.n_attrs = ARRAY_SIZE(timer_attrs),
};

module_zio_trigger(zio_trigger_timer);

MODULE_DESCRIPTION("ZIO: trigger by the kernel's timer");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
