// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * When the samples of a channel were taken, and what is missing between its blocks
 *
 * zio_timeline_add() reads a control, places the block, compares it with the one before,
 * and then remembers it. The timeline does not change before the control has been
 * checked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timeline.h"

#define ORDER_FLAGS (ZIO_CONTROL_LITTLE_ENDIAN | ZIO_CONTROL_BIG_ENDIAN |		\
		     ZIO_CONTROL_MSB_ALIGN | ZIO_CONTROL_LSB_ALIGN)

struct zio_timeline *zio_timeline_open(struct zio_error *err)
{
	struct zio_timeline *tl = calloc(1, sizeof(*tl));

	if (!tl)
		zio_explain_memory(err);
	return tl;
}

void zio_timeline_close(struct zio_timeline *tl)
{
	while (tl) {
		struct zio_timeline *next = tl->next;

		free(tl);
		tl = next;
	}
}

static bool is_of(const struct zio_timeline *tl, const struct zio_addr *addr)
{
	return tl->has_addr && !memcmp(&tl->addr, addr, sizeof(*addr));
}

struct zio_timeline *zio_timeline_of(struct zio_timeline **list,
				     const struct zio_control *control, struct zio_error *err)
{
	struct zio_timeline **at = list;

	if (!list || !control) {
		zio_explain_null(err);
		return NULL;
	}
	while (*at && !is_of(*at, &control->addr))
		at = &(*at)->next;
	if (*at)
		return *at;
	*at = zio_timeline_open(err);
	if (*at) {
		(*at)->addr = control->addr;
		(*at)->has_addr = true;
	}
	return *at;
}

struct zio_timeline *zio_timeline_next(const struct zio_timeline *tl)
{
	if (!tl) {
		zio_refuse_null();
		return NULL;
	}
	return tl->next;
}

const struct zio_addr *zio_timeline_addr(const struct zio_timeline *tl)
{
	if (!tl) {
		zio_refuse_null();
		return NULL;
	}
	return tl->has_addr ? &tl->addr : NULL;
}

int zio_timeline_set_rate(struct zio_timeline *tl, uint32_t num, uint32_t den)
{
	if (!tl || !num != !den)
		return zio_refuse_null();
	zio_rate_set(&tl->given, num, den, num ? ZIO_RATE_GIVEN : ZIO_RATE_UNKNOWN);
	return 0;
}

/* --- read a control */

static uint32_t get_clock(const struct zio_ctrl_attr *attr)
{
	if (zio_has_std(attr, ZIO_ATTR_TRIG_CLOCK))
		return attr->std_val[ZIO_ATTR_TRIG_CLOCK];
	return attr->ext_mask >> ZIO_ATTR_TRIG_EXT_CLOCK & 1 ?
	       attr->ext_val[ZIO_ATTR_TRIG_EXT_CLOCK] : 0;
}

static void get_kind(const struct zio_control *control, const struct zio_rate *rate,
		     struct zio_kind *kind)
{
	const struct zio_ctrl_attr *attr = &control->attr_trigger;

	kind->mask = 0;
	if (control->flags & ZIO_CONTROL_INTERLEAVE_DATA &&
	    control->tlv[0].type == ZIO_TLV_CHANNELS)
		memcpy(&kind->mask, control->tlv[0].payload, sizeof(kind->mask));
	kind->order = control->flags & ORDER_FLAGS;
	kind->ssize = control->ssize;
	kind->nbits = control->nbits;
	kind->clock = get_clock(attr);
	kind->num = rate->num;
	kind->den = rate->den;
	kind->pre = zio_get_std(attr, ZIO_ATTR_TRIG_PRE_SAMP);
	kind->post = zio_get_std(attr, ZIO_ATTR_TRIG_POST_SAMP);
	kind->n_shots = control->tlv[0].type == ZIO_TLV_SHOTS ?
			zio_control_shots(control) : 1;
	kind->on_demand = !strncmp(control->triggername, "user", ZIO_OBJ_NAME_LEN);
}

/* A block without samples says nothing about the meaning of samples. */
static void keep_meaning(const struct zio_timeline *tl, struct zio_kind *kind)
{
	kind->mask = tl->last.kind.mask;
	kind->order = tl->last.kind.order;
	kind->ssize = tl->last.kind.ssize;
	kind->nbits = tl->last.kind.nbits;
}

static int check(const struct zio_timeline *tl, const struct zio_control *control,
		 struct zio_rate *rate, struct zio_error *err)
{
	if (tl->has_addr && !is_of(tl, &control->addr))
		return zio_explain(err, EINVAL,
				   "block %u is of another channel than the blocks before",
				   control->seq_num);
	if (zio_control_rate(control, rate))
		return zio_explain(err, EINVAL,
				   "block %u: its control has the rate %u/%u, which is not a rate",
				   control->seq_num, rate->num, rate->den);
	if (!zio_is_pair(&control->attr_trigger, ZIO_ATTR_TRIG_FIRST_LOW))
		return zio_explain(err, EINVAL,
				   "block %u: its control has one half of the time of the first sample",
				   control->seq_num);
	return 0;
}

/* A rate from the user overrides a control of an older kernel. */
static void choose_rate(const struct zio_timeline *tl, const struct zio_ctrl_attr *attr,
			struct zio_placed *now)
{
	const struct zio_kind *kind = &now->kind;
	bool is_told = kind->num && zio_has_std(attr, ZIO_ATTR_TRIG_RATE_NUM);

	if (!is_told && tl->given.num)
		now->rate = tl->given;
	else if (!kind->num && zio_can_estimate(kind))
		now->rate = tl->estimate;
	else if (kind->num == tl->last.rate.num && kind->den == tl->last.rate.den &&
		 tl->last.rate.source == ZIO_RATE_CONTROL)
		now->rate = tl->last.rate;
	else
		zio_rate_set(&now->rate, kind->num, kind->den,
			 kind->num ? ZIO_RATE_CONTROL : ZIO_RATE_UNKNOWN);
}

static void get_block(const struct zio_timeline *tl, const struct zio_control *control,
		      struct zio_placed *now)
{
	const struct zio_ctrl_attr *attr = &control->attr_trigger;

	choose_rate(tl, attr, now);
	now->seq = control->seq_num;
	now->event_ns = 0;
	now->end_ns = 0;
	now->samples = control->nsamples;
	if (now->kind.mask)
		now->samples /= (uint32_t)__builtin_popcountll(now->kind.mask);
	if (now->kind.n_shots > 1)
		now->samples /= now->kind.n_shots;
	now->error = zio_get_std(attr, ZIO_ATTR_TRIG_TIME_ERROR);
	now->has_epoch = zio_has_std(attr, ZIO_ATTR_TRIG_EPOCH);
	now->epoch = zio_get_std(attr, ZIO_ATTR_TRIG_EPOCH);
	now->has_time = control->tstamp.secs || control->tstamp.ticks;
	now->has_event = now->has_time;
	now->told_ns = 0;
}

/* --- place a block */

static void place_shots(const struct zio_control *control, struct zio_place *place)
{
	const uint32_t *later = &control->attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT];
	unsigned int i;

	for (i = 1; i < place->n_shots; i++)
		place->shot_ns[i] = later[i - 1];
}

/* Only the rate tells when the samples before the event were taken. */
static int place_first(struct zio_timeline *tl, const struct zio_placed *now,
		       struct zio_place *place)
{
	const struct zio_placed *last = &tl->last;

	place->first = place->event;
	if (!now->kind.pre || !now->rate.num)
		return 0;
	if (!last->has_time || now->kind.pre != last->kind.pre ||
	    now->rate.num != last->rate.num || now->rate.den != last->rate.den)
		return zio_instant_move(&place->first, now->kind.pre, true, now->rate.num,
					now->rate.den);
	place->first.ns += tl->before.ns;
	place->first.ps += tl->before.ps;
	if (place->first.ps >= PS_PER_NS) {
		place->first.ps -= PS_PER_NS;
		place->first.ns++;
	}
	return 0;
}

static int place_block(struct zio_timeline *tl, const struct zio_control *control,
		       struct zio_placed *now, struct zio_place *place)
{
	const struct zio_ctrl_attr *attr = &control->attr_trigger;
	uint64_t first_ps = zio_get_std(attr, ZIO_ATTR_TRIG_FIRST_LOW) |
			    (uint64_t)zio_get_std(attr, ZIO_ATTR_TRIG_FIRST_HIGH) << 32;

	memset(place, 0, offsetof(struct zio_place, shot_ns) + sizeof(place->shot_ns[0]));
	place->rate_num = now->rate.num;
	place->rate_den = now->rate.den;
	place->rate_source = now->rate.source;
	place->error_ns = now->error;
	place->samples = now->samples * now->kind.n_shots;
	place->pre = now->kind.pre;
	place->n_shots = now->kind.n_shots;
	place->has_time = now->has_time;
	if (now->kind.n_shots > 1)
		place_shots(control, place);
	if (!now->has_time)
		return 0;
	if (zio_instant_of(&place->event, &control->tstamp, (int64_t)first_ps) ||
	    place_first(tl, now, place))
		return -1;
	now->event_ns = place->event.ns;
	now->end_ns = place->event.ns + place->shot_ns[now->kind.n_shots - 1];
	now->told_ns = now->end_ns;
	return 0;
}

int zio_sample_time(const struct zio_place *place, uint32_t k, struct zio_instant *time)
{
	uint32_t each, shot = 0;

	if (!place || !time)
		return zio_refuse_null();
	if (!place->has_time) {
		errno = ENODATA;
		return -1;
	}
	*time = place->event;
	if (place->n_shots > 1 && place->n_shots <= ZIO_MAX_SHOTS) {
		each = place->samples / place->n_shots;
		shot = each ? k / each : 0;
		shot = shot < place->n_shots ? shot : place->n_shots - 1;
		k -= shot * each;
		time->ns += place->shot_ns[shot];
	}
	if (!place->rate_num)
		return 0;
	if (k < place->pre)
		return zio_instant_move(time, place->pre - k, true, place->rate_num,
					place->rate_den);
	return zio_instant_move(time, k - place->pre, false, place->rate_num,
				place->rate_den);
}

/* What rounding down takes from a time before the event, in 1 / @num ps */
static uint64_t rounded_off(uint64_t samples, uint64_t num, uint64_t den)
{
	uint64_t rest = samples % num * (den % num) % num * NS_PER_SECOND % num * PS_PER_NS;

	return rest % num ? num - rest % num : 0;
}

/*
 * Fill in times that are a period apart. The fraction of a nanosecond is kept as a whole
 * number of 1 / num ps, so each time is exact and needs no division.
 */
static void fill_times(const struct zio_place *place, const struct zio_instant *first,
		       int64_t *times, uint32_t n)
{
	const uint64_t num = place->rate_num, one = num * PS_PER_NS;
	const uint64_t period = (uint64_t)place->rate_den * NS_PER_SECOND;
	const uint64_t whole = num ? period / num : 0;
	const uint64_t step = num ? period % num * PS_PER_NS : 0;
	uint64_t time = (uint64_t)first->ns, rest = 0;
	uint32_t i;

	if (num)
		rest = first->ps * num + rounded_off(place->pre, num, place->rate_den);
	for (i = 0; i < n; i++) {
		times[i] = (int64_t)time;
		time += whole;
		rest += step;
		if (step && rest >= one) {
			rest -= one;
			time++;
		}
	}
}

int zio_sample_times(const struct zio_place *place, int64_t *times)
{
	uint32_t n_shots, shot, each, k;

	if (!place || !times)
		return zio_refuse_null();
	n_shots = place->n_shots > 1 && place->n_shots <= ZIO_MAX_SHOTS ? place->n_shots : 1;
	each = place->samples / n_shots;
	for (shot = 0, k = 0; shot < n_shots && each; shot++, k += each) {
		struct zio_instant first, last;

		if (zio_sample_time(place, k, &first) ||
		    zio_sample_time(place, k + each - 1, &last))
			return -1;
		fill_times(place, &first, times + k, each);
	}
	return 0;
}

static void count(struct zio_account *account, const struct zio_place *place)
{
	account->lost += place->lost;
	account->gaps += place->lost > 0;
	account->lost_samples += place->lost_samples;
	account->taken += place->taken;
	account->missed += place->missed;
	account->outages += !!(place->breaks & ZIO_BREAK_OUTAGE);
	account->outage_ns += (uint64_t)place->outage_ns;
	account->changes += place->changes > 0;
	account->changed |= place->changes;
	if (place->lost && !place->lost_samples && place->samples)
		account->some_samples_unknown = true;
}

static void remember(struct zio_timeline *tl, const struct zio_control *control,
		     const struct zio_placed *now, const struct zio_place *place)
{
	if (place->has_time) {
		tl->before.ns = place->first.ns - place->event.ns;
		tl->before.ps = place->first.ps - place->event.ps;
		if (place->first.ps < place->event.ps) {
			tl->before.ps += PS_PER_NS;
			tl->before.ns--;
		}
	}
	tl->last = *now;
	if (control->nsamples) {
		memcpy(tl->channel, &control->attr_channel, ZIO_COMPARED_SIZE);
		tl->has_samples = true;
	}
}

int zio_timeline_add(struct zio_timeline *tl, const struct zio_control *control,
		     struct zio_place *place, struct zio_error *err)
{
	struct zio_placed now;
	struct zio_rate rate;

	if (!tl || !control || !place)
		return zio_explain_null(err);
	if (check(tl, control, &rate, err))
		return -1;
	get_kind(control, &rate, &now.kind);
	if (!control->nsamples)
		keep_meaning(tl, &now.kind);
	get_block(tl, control, &now);
	if (place_block(tl, control, &now, place))
		return zio_explain(err, ERANGE,
				   "block %u: its time, %llu s and %llu ns, is beyond 64 bits of nanoseconds",
				   control->seq_num, (unsigned long long)control->tstamp.secs,
				   (unsigned long long)control->tstamp.ticks);
	if (tl->account.blocks++) {
		zio_timeline_compare(tl, control, &now, place);
		if (place->breaks)
			count(&tl->account, place);
	} else {
		tl->addr = control->addr;
		tl->has_addr = true;
	}
	remember(tl, control, &now, place);
	return 0;
}

/* --- what a timeline knows */

int zio_timeline_rate(const struct zio_timeline *tl, struct zio_rate *rate)
{
	const struct zio_rate_used *known;

	if (!tl || !rate)
		return zio_refuse_null();
	known = &tl->last.rate;
	if (known->source != ZIO_RATE_CONTROL)
		known = tl->given.num ? &tl->given : &tl->estimate;
	rate->num = known->num;
	rate->den = known->den;
	rate->source = known->source;
	rate->steps = tl->steps.n;
	rate->scatter_ns = -1;
	if (tl->steps.n >= ZIO_STEPS_ENOUGH)
		rate->scatter_ns = (int64_t)(tl->steps.scatter * tl->steps.median.samples);
	return 0;
}

int zio_timeline_account(const struct zio_timeline *tl, struct zio_account *account)
{
	if (!tl || !account)
		return zio_refuse_null();
	*account = tl->account;
	account->is_stream = zio_timeline_is_stream(tl);
	if (account->is_stream) {
		account->pauses += tl->early.pauses;
		account->pause_ns += tl->early.pause_ns;
		account->steps += tl->early.steps;
	}
	return 0;
}
