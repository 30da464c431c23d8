// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What lies between two blocks: causes of a break, and telling a stream from events
 *
 * Spans are doubles here because they are only compared with tolerances, never turned
 * into times.
 */
#include <string.h>

#include "timeline.h"

#define ROUNDING_NS 2.0		/* both stamps are whole */
#define DRIFT 2e-4		/* two crystals, 100 ppm each */
#define LEAST_SCATTER_NS 1e5	/* latency of an interrupt on a busy machine */
#define LATE_NS 5e6		/* and now and then this, or half a block */
#define SCATTERS 8		/* nearly all steps are within this many */
#define FAR_NS 31536000000000000 /* a year: a longer pause is an outage */

/* Is the median step longer than its samples? Then most blocks are events. */
static bool is_late(const struct zio_steps *steps, const struct zio_rate_used *rate)
{
	double late = (steps->median.period - rate->period) * steps->median.samples;

	return steps->n >= ZIO_STEPS_ENOUGH && rate->num &&
	       rate->source != ZIO_RATE_ESTIMATED && late > LEAST_SCATTER_NS &&
	       late > steps->scatter * steps->median.samples / 2;
}

/* Add the holes from before the decision to the account, or forget them. */
static void settle(struct zio_timeline *tl)
{
	if (zio_timeline_is_stream(tl)) {
		tl->account.pauses += tl->early.pauses;
		tl->account.pause_ns += tl->early.pause_ns;
		tl->account.steps += tl->early.steps;
	}
	memset(&tl->early, 0, sizeof(tl->early));
}

static void add_touch(struct zio_timeline *tl, bool touches)
{
	if (tl->n_steps == ZIO_TOUCHES)
		tl->n_touches -= tl->touches >> (ZIO_TOUCHES - 1) & 1;
	else
		tl->n_steps++;
	tl->touches = tl->touches << 1 | touches;
	tl->n_touches += touches;
}

/* Start to estimate the rate, and to tell a stream from events. */
static void begin_run(struct zio_timeline *tl)
{
	settle(tl);
	tl->n_steps = 0;
	tl->n_touches = 0;
	tl->touches = 0;
	tl->is_late = false;
	tl->behind = 0;
	tl->steps.n = 0;
	tl->steps.at = 0;
	zio_rate_set(&tl->estimate, 0, 0, ZIO_RATE_UNKNOWN);
}

/* A step from one event to the next, and what it should be */
struct span {
	double ns;		/* measured */
	double expected;	/* by the samples */
	double scale;		/* this or a block, whichever is longer */
	double block;		/* the longer of the two blocks */
	double tolerance;
	double touch;		/* the same, to tell a stream from events */
	double back;		/* tolerance for two events, whose distances scatter */
	bool is_told;		/* both controls tell the error of their time */
};

static void set_tolerance(const struct zio_timeline *tl, const struct zio_placed *now,
			  struct span *span)
{
	double errors = tl->last.error && now->error ?
			(double)tl->last.error + now->error : 0;
	double half = span->block / 2, late = half < LATE_NS ? half : LATE_NS;
	double base = ROUNDING_NS + span->scale * DRIFT, most = errors;

	span->back = ROUNDING_NS + (errors ? errors : LEAST_SCATTER_NS);
	span->is_told = errors && now->rate.source != ZIO_RATE_ESTIMATED;
	if (span->is_told) {
		span->tolerance = span->touch = base + errors;
		return;
	}
	if (most < LEAST_SCATTER_NS)
		most = LEAST_SCATTER_NS;
	if (!errors && most < late)
		most = late;
	if (tl->steps.n < ZIO_STEPS_ENOUGH) {
		span->touch = half > errors ? half : errors;
		span->tolerance = half > most ? half : most;
		return;
	}
	if (now->rate.num) {
		double samples = span->scale / now->rate.period, usual = tl->steps.median.samples;
		double scatter = tl->steps.scatter * (usual > samples ? usual : samples);

		if (most < SCATTERS * scatter)
			most = SCATTERS * scatter;
	}
	span->tolerance = base + most;
	span->touch = span->tolerance < half ? span->tolerance : half;
}

/* A rate from a file can make this any number. */
static int64_t whole(double number)
{
	const double most = 9e18;

	if (number > most)
		return (int64_t)most;
	return (int64_t)(number > -most ? number : -most);
}

/*
 * A stamp of unknown error may be late while the next ones are not. The steps after it
 * are too short by as much as the first was too long. The clock was not set then; but if
 * a step of the right length came between, there was a pause.
 */
static bool is_return(const struct zio_timeline *tl, double rest, double tolerance)
{
	return rest < -tolerance && rest + tl->behind >= -tolerance;
}

static void note_late(struct zio_timeline *tl, double rest, const struct span *span)
{
	bool is_even = rest <= span->tolerance && rest >= -span->tolerance;
	double behind = is_even ? rest : tl->behind + rest;

	tl->behind = behind > 0 && !span->is_told ? behind : 0;
}

/*
 * Note a hole in time, or samples that come too early, before it is known whether this is
 * a stream.
 */
static void judge_early(struct zio_timeline *tl, double rest, double tolerance)
{
	if (rest > tolerance) {
		tl->early.pauses++;
		tl->early.pause_ns += (uint64_t)whole(rest);
	} else if (rest < -tolerance && !is_return(tl, rest, tolerance)) {
		tl->early.steps++;
	}
}

static void note_pause(struct zio_place *place, double ns)
{
	place->breaks |= ZIO_BREAK_PAUSE;
	place->pause_ns = whole(ns);
}

static void note_step(struct zio_place *place, double ns)
{
	place->breaks |= ZIO_BREAK_STEP;
	place->step_ns = whole(ns);
}

/* In a stream, both a hole in time and samples that come too early are breaks. */
static void judge(const struct zio_timeline *tl, double rest, double tolerance,
		  struct zio_place *place)
{
	if (!zio_timeline_is_stream(tl))
		return;
	if (rest > tolerance)
		note_pause(place, rest);
	else if (rest < -tolerance && !is_return(tl, rest, tolerance))
		note_step(place, rest);
}

static void add_counts(struct zio_account *account, const struct zio_place *place)
{
	if (place->breaks & ZIO_BREAK_PAUSE) {
		account->pauses++;
		account->pause_ns += (uint64_t)place->pause_ns;
	}
	if (place->breaks & ZIO_BREAK_STEP)
		account->steps++;
}

/* When the first good estimate is there, judge all steps that it was made from. */
static void review(struct zio_timeline *tl, struct zio_placed *now)
{
	unsigned int i;

	tl->n_steps = 0;
	tl->n_touches = 0;
	memset(&tl->early, 0, sizeof(tl->early));
	tl->behind = 0;
	now->rate = tl->estimate;
	for (i = 0; i < tl->steps.n; i++) {
		const struct zio_step *step = &tl->steps.list[i];
		double expected = step->samples * now->rate.period;
		double rest = (double)step->ns - expected;
		struct span span = { .scale = expected, .block = expected };

		set_tolerance(tl, now, &span);
		add_touch(tl, rest <= span.touch && rest >= -span.touch);
		judge_early(tl, rest, span.tolerance);
		note_late(tl, rest, &span);
	}
	settle(tl);
}

static void estimate(struct zio_timeline *tl, struct zio_placed *now)
{
	const struct zio_steps *steps = &tl->steps;
	const struct zio_step *median = &steps->median;
	struct zio_rate rate;
	bool known = steps->are_alike &&
		     !zio_rate_find((double)median->samples * NS_PER_SECOND / (double)median->ns,
				    &rate);

	zio_rate_set(&tl->estimate, known ? rate.num : 0, known ? rate.den : 0,
		     known ? ZIO_RATE_ESTIMATED : ZIO_RATE_UNKNOWN);
	if (known && steps->n == ZIO_STEPS_ENOUGH && !tl->given.num)
		review(tl, now);
}

/* --- compare two blocks */

/* Bits of the channel attributes that differ */
static uint32_t compare_channel(const struct zio_timeline *tl,
				const struct zio_ctrl_attr *now)
{
	static const uint16_t bits[ZIO_MAX_STD_ATTR] = {
		[ZIO_ATTR_UNIT] = ZIO_CHANGE_UNIT,
		[ZIO_ATTR_SCALE_LOW] = ZIO_CHANGE_SCALE,
		[ZIO_ATTR_SCALE_HIGH] = ZIO_CHANGE_SCALE,
		[ZIO_ATTR_OFFSET_LOW] = ZIO_CHANGE_SCALE,
		[ZIO_ATTR_OFFSET_HIGH] = ZIO_CHANGE_SCALE,
		[ZIO_ATTR_SIGNED] = ZIO_CHANGE_SIGN,
	};
	struct zio_ctrl_attr last;
	uint32_t changes = 0;
	unsigned int i;

	if (!memcmp(tl->channel, now, ZIO_COMPARED_SIZE))
		return 0;
	memcpy(&last, tl->channel, ZIO_COMPARED_SIZE);
	for (i = 0; i < ZIO_MAX_STD_ATTR; i++)
		if (bits[i] && zio_get_std(&last, i) != zio_get_std(now, i))
			changes |= bits[i];
	if (zio_has_std(&last, ZIO_ATTR_SCALE_HIGH) != zio_has_std(now, ZIO_ATTR_SCALE_HIGH))
		changes |= ZIO_CHANGE_SCALE;
	return changes;
}

static uint32_t compare_kind(const struct zio_kind *last, const struct zio_kind *now)
{
	uint32_t changes = 0;

	if (!memcmp(last, now, sizeof(*last)))
		return 0;
	if (last->mask != now->mask)
		changes |= ZIO_CHANGE_MASK;
	if (last->order != now->order)
		changes |= ZIO_CHANGE_ORDER;
	if (last->ssize != now->ssize)
		changes |= ZIO_CHANGE_SSIZE;
	if (last->nbits != now->nbits)
		changes |= ZIO_CHANGE_BITS;
	if (last->clock != now->clock)
		changes |= ZIO_CHANGE_CLOCK;
	if (last->num != now->num || last->den != now->den)
		changes |= ZIO_CHANGE_RATE;
	if (last->pre != now->pre || last->post != now->post ||
	    last->n_shots != now->n_shots)
		changes |= ZIO_CHANGE_SHAPE;
	return changes;
}

/* Find what is missing from the numbers. Returns the gap. */
static uint32_t compare_numbers(struct zio_timeline *tl, const struct zio_control *control,
				const struct zio_placed *now, struct zio_place *place)
{
	const struct zio_ctrl_attr *attr = &control->attr_trigger;
	uint32_t next = tl->last.seq + 1, gap = zio_sequence_lost(next, now->seq);

	place->missed = zio_get_std(attr, ZIO_ATTR_TRIG_MISSED);
	if (!zio_has_std(attr, ZIO_ATTR_TRIG_MISSED) &&
	    control->zio_alarms & ZIO_ALARM_LOST_TRIGGER) {
		place->missed = 1;
		tl->account.missed_at_least = true;
	}
	place->lost = zio_get_std(attr, ZIO_ATTR_TRIG_LOST);
	if (now->has_epoch != tl->last.has_epoch || now->epoch != tl->last.epoch ||
	    (now->seq != next && !gap)) {
		place->breaks |= ZIO_BREAK_OUTAGE;
		gap = place->lost;
	} else if (zio_has_std(attr, ZIO_ATTR_TRIG_LOST)) {
		place->taken = gap > place->lost ? gap - place->lost : 0;
	} else if (control->zio_alarms & ZIO_ALARM_LOST_BLOCK) {
		place->lost = gap;
	} else {
		place->taken = gap;
	}
	return gap;
}

/* Time from event to event, from the samples of both blocks and of the missing ones */
static bool get_span(const struct zio_timeline *tl, const struct zio_placed *now,
		     const struct zio_place *place, uint32_t gap, struct span *span)
{
	const struct zio_placed *last = &tl->last;
	const double period = now->rate.period;
	double before = place->changes & ZIO_CHANGE_RATE ? last->rate.period : period;
	uint32_t longer = now->samples > last->samples ? now->samples : last->samples;

	span->ns = (double)(now->event_ns - last->end_ns);
	span->expected = ((double)last->samples - last->kind.pre) * before +
			 now->kind.pre * period + gap * (now->samples * period);
	span->block = longer * period;
	span->scale = span->expected > span->block ? span->expected : span->block;
	set_tolerance(tl, now, span);
	return period && before;
}

/* Blocks of another length are missing: in a stream the time tells how many samples. */
static void find_samples(const struct zio_timeline *tl, const struct zio_placed *now,
			 const struct span *span, struct zio_place *place)
{
	double missing = span->ns - span->expected +
			 place->lost * (now->samples * now->rate.period);

	if (place->lost && !place->taken && missing > 0 && zio_timeline_is_stream(tl))
		place->lost_samples = (uint64_t)whole(missing / now->rate.period + 0.5);
}

/* Do the samples continue, as far as the times can tell? */
static bool fits(const struct zio_timeline *tl, double rest, const struct span *span)
{
	double most = zio_timeline_is_stream(tl) ? span->tolerance : span->back;

	return rest <= most && rest >= -most;
}

/*
 * Only a step that consists of nothing but samples tells the rate, and a stream from
 * events.
 */
static void learn(struct zio_timeline *tl, struct zio_placed *now, const struct span *span,
		  bool known, struct zio_place *place)
{
	const struct zio_placed *last = &tl->last;
	bool early = tl->n_steps < ZIO_STEPS_ENOUGH;
	double rest = span->ns - span->expected;

	if (known) {
		add_touch(tl, rest <= span->touch && rest >= -span->touch);
		judge(tl, rest, span->tolerance, place);
		if (early)
			judge_early(tl, rest, span->tolerance);
		else
			add_counts(&tl->account, place);
		if (early && tl->n_steps == ZIO_STEPS_ENOUGH)
			settle(tl);
		note_late(tl, rest, span);
		place->continues = fits(tl, rest, span);
	}
	if (now->rate.source == ZIO_RATE_CONTROL && last->error && now->error)
		return;
	if (!now->rate.num && !zio_can_estimate(&now->kind))
		return;
	if (!zio_steps_add(&tl->steps, now->event_ns - last->end_ns, last->samples))
		return;
	tl->is_late = is_late(&tl->steps, &now->rate);
	if (zio_can_estimate(&now->kind) && !now->kind.num)
		estimate(tl, now);
}

/* Compare the times of two blocks with something missing between them. */
static void compare_broken(struct zio_timeline *tl, const struct zio_placed *now, double rest,
			   const struct span *span, struct zio_place *place)
{
	bool missing = place->lost || place->taken;

	if (missing && tl->last.samples != now->samples) {
		find_samples(tl, now, span, place);
		return;
	}
	/* Missed events need less time than this, and lost blocks may, too. */
	if (rest > 0 || !(missing || place->missed || !tl->last.has_time))
		judge(tl, rest, span->tolerance, place);
	note_late(tl, rest, span);
	place->continues = tl->last.has_time && fits(tl, rest, span);
}

/*
 * Was the clock set between the two blocks? @rest is the time that samples do not
 * explain.
 */
static bool is_set(const struct zio_timeline *tl, const struct zio_placed *now,
		   const struct span *span, double rest)
{
	double back = zio_timeline_is_stream(tl) ? span->tolerance : span->back;

	return (double)(now->event_ns - tl->last.told_ns) < -back || rest > FAR_NS;
}

/* Compare the times of two blocks of one run. */
static void compare_times(struct zio_timeline *tl, const struct zio_control *control,
			  struct zio_placed *now, uint32_t gap, struct zio_place *place)
{
	struct span span;
	bool known = get_span(tl, now, place, gap, &span);
	double rest = known ? span.ns - span.expected : span.ns;

	if (is_set(tl, now, &span, rest)) {
		note_step(place, zio_timeline_is_stream(tl) ? rest : span.ns);
	} else if (!place->breaks && tl->last.samples && tl->last.has_time &&
		   !(control->zio_alarms & ZIO_ALARM_SUSPENDED)) {
		learn(tl, now, &span, known, place);
		return;
	} else {
		rest -= place->missed * (now->samples * now->rate.period);
		if (control->zio_alarms & ZIO_ALARM_SUSPENDED)
			note_pause(place, known && rest > span.tolerance ? rest : 0);
		else if (known)
			compare_broken(tl, now, rest, &span, place);
	}
	add_counts(&tl->account, place);
}

/*
 * Place a block without a time after the samples before it and the missing ones. A hole
 * beside it then shows up before the next block with a time. The duration of lost blocks
 * of another length is unknown.
 */
static void guess_event(const struct zio_timeline *tl, struct zio_placed *now, uint32_t gap,
			const struct zio_place *place)
{
	const struct zio_placed *last = &tl->last;
	bool is_alike = last->samples == now->samples || !(gap || place->missed);
	struct span span;
	int64_t ns;

	if (!last->has_event || place->breaks & ZIO_BREAK_OUTAGE ||
	    place->changes & ZIO_CHANGE_CLOCK || now->kind.n_shots > 1 || !is_alike ||
	    !get_span(tl, now, place, gap, &span))
		return;
	ns = whole(span.expected + place->missed * (now->samples * now->rate.period));
	if (__builtin_add_overflow(last->end_ns, ns, &now->event_ns))
		return;
	now->end_ns = now->event_ns;
	now->told_ns = last->told_ns;
	now->has_event = true;
}

/* From the end of the block before to the first sample; 0 if the clock cannot tell */
static int64_t outage_length(const struct zio_timeline *tl, const struct zio_placed *now,
			     const struct zio_place *place)
{
	struct span span;
	bool known = get_span(tl, now, place, 0, &span);
	int64_t ns = whole(known ? span.ns - span.expected : span.ns);

	return ns > 0 ? ns : 0;
}

void zio_timeline_compare(struct zio_timeline *tl, const struct zio_control *control,
			  struct zio_placed *now, struct zio_place *place)
{
	const uint32_t renewing = ZIO_CHANGE_RATE | ZIO_CHANGE_SHAPE | ZIO_CHANGE_MASK;
	const uint32_t of_samples = ZIO_CHANGE_MASK | ZIO_CHANGE_ORDER | ZIO_CHANGE_SSIZE |
				    ZIO_CHANGE_BITS;
	uint32_t gap = compare_numbers(tl, control, now, place);
	bool one_clock;

	place->changes = compare_kind(&tl->last.kind, &now->kind);
	if (!tl->has_samples)
		place->changes &= ~of_samples;
	else if (control->nsamples)
		place->changes |= compare_channel(tl, &control->attr_channel);
	one_clock = now->has_time && tl->last.has_event &&
		    !(place->changes & ZIO_CHANGE_CLOCK);
	if (place->lost)
		place->breaks |= ZIO_BREAK_LOST;
	if (place->lost && tl->last.samples == now->samples)
		place->lost_samples = place->lost * (uint64_t)place->samples;
	if (place->taken)
		place->breaks |= ZIO_BREAK_TAKEN;
	if (place->missed)
		place->breaks |= ZIO_BREAK_MISSED;
	if (place->changes)
		place->breaks |= ZIO_BREAK_CHANGE;
	if (one_clock && place->breaks & ZIO_BREAK_OUTAGE)
		place->outage_ns = outage_length(tl, now, place);
	else if (one_clock)
		compare_times(tl, control, now, gap, place);
	else if (!now->has_time)
		guess_event(tl, now, gap, place);
	place->continues &= !place->breaks;
	if (place->breaks & ZIO_BREAK_OUTAGE || place->changes & renewing)
		begin_run(tl);
}
