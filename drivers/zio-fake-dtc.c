// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-fake-dtc.c: a digital-to-time converter based on a timer
 *
 * Each output is a set (cset0, cset1, ...), because pulses on different connectors are
 * independent. Its blocks have no data. A control that a user writes orders a pulse at its
 * time stamp; zero means at once. The clock is the one of the set's trigger. The values of
 * the control tell the rest: the delay from this time to the first pulse, the number of
 * pulses, their distance and their length. The driver executes the orders in the sequence
 * in which they were written. It refuses an impossible order when its turn comes: the
 * channel gets an alarm, and its statistics count an error and a lost block.
 *
 * There is no connector. Instead, an input (csetM, M = n + outputs) hears the pulse of
 * output n. It is a time-to-digital converter: a block has the time at which the pulse
 * came, and the pulse's number, length and delay as its values. The delay shows the
 * precision of a timer of this machine.
 */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>
#include <linux/zio-compat.h>
#include <linux/zio-config.h>
#include <linux/zio.h>

#include "zio-pulse.h"

#define DTC_LATE	BIT(0)	/* the time has passed */
#define DTC_FAR		BIT(1)	/* the time is beyond the horizon */
#define DTC_NO_TIME	BIT(2)	/* ticks are 10^9 or more */

/* Positions of the values in an order */
enum { DTC_DELAY, DTC_WIDTH, DTC_PERIOD, DTC_COUNT };

/* Positions of the values of a pulse that was heard */
enum { DTC_PULSE, DTC_HEARD_WIDTH, DTC_LATE_NS };

#define DTC_MAX_COUNT	1000000
#define DTC_MIN_PERIOD	(100 * NSEC_PER_USEC)
#define DTC_MAX_OUTPUTS	16
#define DTC_HORIZON_S	3600
#define DTC_MAX_HORIZON	(366 * 24 * 3600)

static unsigned int ndev = 1, outputs = 1;
module_param(ndev, uint, 0444);
MODULE_PARM_DESC(ndev, "number of devices (default 1)");
module_param(outputs, uint, 0444);
MODULE_PARM_DESC(outputs, "outputs per device (default 1)");

static const clockid_t dtc_clocks[] = {
	CLOCK_REALTIME, CLOCK_TAI, CLOCK_MONOTONIC, CLOCK_BOOTTIME,
};

struct dtc_output;

struct dtc_timer {
	struct hrtimer hrtimer;
	struct dtc_output *out;
};

/*
 * A timer has one clock; an order waits for the timer of its clock. @pulse counts the
 * pulses of the order, whose values stay in its block.
 */
struct dtc_output {
	struct dtc_timer timer[ARRAY_SIZE(dtc_clocks)];
	struct zio_cset *cset;
	u32 pulse;
	struct zio_pulse heard;
	u32 horizon;
};

struct dtc_state {
	struct zio_device_desc desc;
	unsigned int n_outputs;
	struct zio_cset_desc cset[2 * DTC_MAX_OUTPUTS];
	struct dtc_output output[DTC_MAX_OUTPUTS];
};

static struct dtc_output *dtc_find_output(struct zio_cset *cset)
{
	struct dtc_state *state = zio_cset_priv(cset);

	return &state->output[zio_cset_index(cset) % state->n_outputs];
}

/* dtc_hear_stop() waits for this function with an RCU grace period. */
static void dtc_make_pulse(struct dtc_output *out, const u32 *order, s32 late)
{
	struct zio_block *block;

	rcu_read_lock();
	block = zio_pulse_catch(&out->heard);
	if (block) {
		block->values[DTC_PULSE] = out->pulse;
		block->values[DTC_HEARD_WIDTH] = order[DTC_WIDTH];
		block->values[DTC_LATE_NS] = late;
		zio_cset_done(out->heard.cset);
	}
	rcu_read_unlock();
	out->pulse++;
}

/*
 * A pulse that is already due moves on by whole periods: catching up would occupy the
 * processor forever. zio_cset_done() arms the next order, which starts the timer again.
 */
static enum hrtimer_restart dtc_expired(struct hrtimer *hrtimer)
{
	struct dtc_output *out = container_of(hrtimer, struct dtc_timer, hrtimer)->out;
	const u32 *order = zio_cset_block(out->cset)->values;
	s64 late = ktime_sub(hrtimer_cb_get_time(hrtimer), hrtimer_get_expires(hrtimer));

	dtc_make_pulse(out, order, min_t(s64, late, S32_MAX));
	if (out->pulse < order[DTC_COUNT]) {
		hrtimer_forward_now(hrtimer, max_t(u32, order[DTC_PERIOD], DTC_MIN_PERIOD));
		return HRTIMER_RESTART;
	}
	zio_cset_done(out->cset);
	return HRTIMER_NORESTART;
}

static struct hrtimer *dtc_find_timer(struct dtc_output *out, clockid_t clock)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(dtc_clocks) - 1 && dtc_clocks[i] != clock)
		i++;
	return &out->timer[i].hrtimer;
}

/* Returns the alarm if no pulse is possible at that time, or 0. */
static u8 dtc_check_time(const struct dtc_output *out, struct hrtimer *timer,
			 const struct zio_timestamp *at)
{
	struct timespec64 now = ktime_to_timespec64(hrtimer_cb_get_time(timer));

	if (at->ticks >= NSEC_PER_SEC)
		return DTC_NO_TIME;
	if (at->secs < now.tv_sec ||
	    (at->secs == now.tv_sec && at->ticks < now.tv_nsec))
		return DTC_LATE;
	if (at->secs - now.tv_sec > READ_ONCE(out->horizon))
		return DTC_FAR;
	return 0;
}

static bool dtc_has_time(const struct zio_timestamp *at)
{
	return at->secs || at->ticks;
}

static int dtc_start(struct zio_cset *cset, struct hrtimer *timer, ktime_t begin)
{
	dtc_find_output(cset)->cset = cset;
	hrtimer_start(timer, ktime_add_ns(begin, zio_cset_block(cset)->values[DTC_DELAY]),
		      HRTIMER_MODE_ABS);
	return ZIO_PENDING;
}

static int dtc_raw_io(struct zio_cset *cset)
{
	const struct zio_timestamp *at = &zio_cset_block(cset)->tstamp;
	const u32 *order = zio_cset_block(cset)->values;
	struct dtc_output *out = dtc_find_output(cset);
	struct hrtimer *timer = dtc_find_timer(out, zio_cset_clock(cset));
	u8 alarm;

	out->pulse = 0;
	if (!dtc_has_time(at) && !order[DTC_DELAY] && order[DTC_COUNT] <= 1) {
		dtc_make_pulse(out, order, 0);
		return 0;
	}
	if (!dtc_has_time(at))
		return dtc_start(cset, timer, hrtimer_cb_get_time(timer));
	alarm = dtc_check_time(out, timer, at);
	if (alarm) {
		zio_channel_alarm(zio_cset_channel(cset), alarm);
		return alarm == DTC_LATE ? -ETIME : alarm == DTC_FAR ? -ERANGE : -EINVAL;
	}
	return dtc_start(cset, timer, ktime_set(at->secs, at->ticks));
}

static void dtc_stop(struct zio_cset *cset)
{
	struct dtc_output *out = dtc_find_output(cset);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(dtc_clocks); i++)
		hrtimer_cancel(&out->timer[i].hrtimer);
}

static int dtc_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			const struct zio_attr_desc *attr, u32 value)
{
	WRITE_ONCE(dtc_find_output(cset)->horizon, value);
	return 0;
}

static const struct zio_cset_ops dtc_ops = {
	.raw_io = dtc_raw_io,
	.stop_io = dtc_stop,
	.attr_set = dtc_attr_set,
};

static int dtc_hear_raw_io(struct zio_cset *cset)
{
	return zio_pulse_listen(&dtc_find_output(cset)->heard, cset);
}

static void dtc_hear_stop(struct zio_cset *cset)
{
	zio_pulse_ignore(&dtc_find_output(cset)->heard);
	synchronize_rcu();
}

static int dtc_hear_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			     const struct zio_attr_desc *attr, u32 *value)
{
	*value = atomic_read(&dtc_find_output(cset)->heard.missed);
	return 0;
}

static const struct zio_cset_ops hear_ops = {
	.raw_io = dtc_hear_raw_io,
	.stop_io = dtc_hear_stop,
	.attr_get = dtc_hear_attr_get,
};

static const struct zio_attr_desc dtc_attrs[] = {
	{
		.name = "horizon-s",
		.mode = 0644,
		.value = DTC_HORIZON_S,
		.min = 1,
		.max = DTC_MAX_HORIZON,
	},
	ZIO_ATTR_BLOCK("delay-ns", DTC_DELAY, 0),
	ZIO_ATTR_BLOCK("width-ns", DTC_WIDTH, 100),
	ZIO_ATTR_BLOCK("period-ns", DTC_PERIOD, NSEC_PER_MSEC),
	{
		.name = "count",
		.place = ZIO_ATTR_PLACE_BLOCK,
		.index = DTC_COUNT,
		.value = 1,
		.max = DTC_MAX_COUNT,
	},
};

static const struct zio_attr_desc dtc_heard_attrs[] = {
	ZIO_ATTR_BLOCK("pulse", DTC_PULSE, 0),
	ZIO_ATTR_BLOCK("width-ns", DTC_HEARD_WIDTH, 0),
	{
		.name = "late-ns",
		.place = ZIO_ATTR_PLACE_BLOCK,
		.index = DTC_LATE_NS,
		.is_signed = true,
	},
};

static const struct zio_cset_desc dtc_output_desc = {
	.name = "dtc-output",
	.flags = ZIO_CSET_OUTPUT,
	.n_chan = 1,
	.ops = &dtc_ops,
	.cset_attrs = dtc_attrs,
	.n_cset_attrs = ARRAY_SIZE(dtc_attrs),
};

static const struct zio_cset_desc dtc_input_desc = {
	.name = "dtc-heard",
	.n_chan = 1,
	.trigger = "transparent",
	.ops = &hear_ops,
	.cset_attrs = zio_pulse_attrs,
	.n_cset_attrs = ARRAY_SIZE(zio_pulse_attrs),
	.chan_attrs = dtc_heard_attrs,
	.n_chan_attrs = ARRAY_SIZE(dtc_heard_attrs),
};

static const struct zio_attr_desc dtc_config_attrs[] = {
	{ .name = "outputs", .mode = 0644, .value = 1, .min = 1, .max = DTC_MAX_OUTPUTS },
};

static void dtc_describe(struct dtc_state *state)
{
	unsigned int i, k, n = state->n_outputs;
	struct dtc_output *out;

	for (i = 0; i < n; i++) {
		state->cset[i] = dtc_output_desc;
		state->cset[n + i] = dtc_input_desc;
		out = &state->output[i];
		out->horizon = DTC_HORIZON_S;
		for (k = 0; k < ARRAY_SIZE(dtc_clocks); k++) {
			out->timer[k].out = out;
			zio_hrtimer_setup(&out->timer[k].hrtimer, dtc_expired, dtc_clocks[k],
					  HRTIMER_MODE_ABS);
		}
	}
	state->desc.name = "zdtc";
	state->desc.owner = THIS_MODULE;
	state->desc.cset = state->cset;
	state->desc.n_cset = 2 * n;
}

static int dtc_probe(struct platform_device *pdev)
{
	int id = zio_config_id(&pdev->dev, pdev->id);
	struct dtc_state *state;

	state = devm_kzalloc(&pdev->dev, sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	state->n_outputs = zio_config_value(&pdev->dev, "outputs", outputs);
	dtc_describe(state);
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev,
							&state->desc, id,
							state));
}

static struct platform_driver dtc_driver = {
	.driver.name = "zio-fake-dtc",
	.probe = dtc_probe,
};

static struct zio_config_type dtc_config = {
	.name = "zdtc",
	.owner = THIS_MODULE,
	.driver = &dtc_driver,
	.attrs = dtc_config_attrs,
	.n_attrs = ARRAY_SIZE(dtc_config_attrs),
};

static int __init dtc_init(void)
{
	if (!outputs || outputs > DTC_MAX_OUTPUTS)
		return -EINVAL;
	return zio_config_driver_register(&dtc_config, ndev);
}

static void __exit dtc_exit(void)
{
	zio_config_driver_unregister(&dtc_config);
}

module_init(dtc_init);
module_exit(dtc_exit);
MODULE_DESCRIPTION("ZIO: a digital-to-time converter without hardware");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
