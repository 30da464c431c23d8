// SPDX-License-Identifier: GPL-2.0-only
/*
 * pace.c: when the samples of a stream are taken, from the stamps of interrupts
 *
 * An interrupt is late, and never early. So the samples are taken along a line that is below
 * all stamps. The line touches the lower hull of the stamps. It goes through that edge of the
 * hull which is above the middle of the time: there no line below the stamps is higher
 * (S. Moon, P. Skelly, D. Towsley: Estimation and Removal of Clock Skew from Network Delay
 * Measurements, INFOCOM 1999).
 *
 *        at - nominal time
 *          |      x            x
 *          | x        x     x          x
 *          |   x   x            x   x      line: rises, as the board is slow
 *          |  x       ______x-----------
 *          | x__x-----
 *          +------------------------------ sample
 *
 * A delay-locked loop (F. Adriaensen, Using a DLL to filter time, 2005) takes the mean of the
 * stamps instead. It is wrong by the mean delay, 500 us of delays up to 1 ms, and by a part of
 * the variance. The line finds the rate of the board as the loop does: by its slope.
 *
 * What every stamp is late by, nobody can see.
 */
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/zio-pace.h>

#define PACE_WINDOW	1024	/* stamps: a quartz hardly changes meanwhile */
#define PACE_MIN	8	/* fewer stamps tell neither a rate nor an error */
#define PACE_MEAN	64	/* for the mean delay */
#define PACE_MAX_LATE	16	/* so many in a row that are far behind the line: it is wrong */
#define PACE_FAR_NS	((s64)NSEC_PER_SEC)
#define PACE_MIN_ERROR	1000	/* what a processor needs to read the clock in an interrupt */
#define PACE_MAX_NS	BIT_ULL(60)

/* Returns @value * @num / @den, @den is not 0; or the limit of an s64. */
static s64 pace_part(s64 value, u64 num, u64 den)
{
	u64 size = abs(value), part = S64_MAX;

	if (mul_u64_u64_shr(size, num, 64) < den)
		part = min_t(u64, mul_u64_u64_div_u64(size, num, den), S64_MAX);
	return value < 0 ? -(s64)part : part;
}

/* Returns the nominal time of samples. */
static s64 pace_nominal(const struct zio_pace *pace, s64 samples)
{
	return pace_part(samples, (u64)pace->den * NSEC_PER_SEC, pace->num);
}

/* Returns how much later than nominal @to is, if @from is not. */
static s64 pace_rise(const struct zio_pace *pace, const struct zio_pace_stamp *from,
		     const struct zio_pace_stamp *to)
{
	return to->at - from->at - pace_nominal(pace, to->sample - from->sample);
}

static bool pace_is_hidden(const struct zio_pace *pace, const struct zio_pace_stamp *before,
			   const struct zio_pace_stamp *stamp, const struct zio_pace_stamp *behind)
{
	return pace_rise(pace, before, stamp) >=
		pace_part(pace_rise(pace, before, behind), stamp->sample - before->sample,
			  behind->sample - before->sample);
}

/* What is left of a hull without its first corner is the hull of the stamps behind it. */
static void pace_drop_first(struct zio_pace *pace)
{
	memmove(pace->corner, pace->corner + 1, --pace->n_corners * sizeof(*pace->corner));
}

static void pace_extend_hull(struct zio_pace *pace, const struct zio_pace_stamp *stamp)
{
	struct zio_pace_stamp *corner = pace->corner;

	while (pace->n_corners > 1 &&
	       pace_is_hidden(pace, &corner[pace->n_corners - 2], &corner[pace->n_corners - 1],
			      stamp))
		pace->n_corners--;
	if (pace->n_corners == ZIO_PACE_CORNERS)
		pace_drop_first(pace);
	corner[pace->n_corners++] = *stamp;
	while (pace->n_corners > 2 && stamp->number - corner[1].number >= PACE_WINDOW)
		pace_drop_first(pace);
}

/* Some stamps tell no rate: the line has the nominal one, and touches the least late stamp. */
static void pace_draw_nominal(struct zio_pace *pace)
{
	unsigned int i = 0;

	while (i + 1 < pace->n_corners &&
	       pace_rise(pace, &pace->corner[i], &pace->corner[i + 1]) < 0)
		i++;
	pace->from = pace->corner[i];
	pace->rise = 0;
	pace->run = 1;
}

static void pace_draw_line(struct zio_pace *pace)
{
	const struct zio_pace_stamp *edge = pace->corner;
	const u64 first = edge->sample, last = pace->corner[pace->n_corners - 1].sample;

	if (pace->n < PACE_MIN) {
		pace_draw_nominal(pace);
		return;
	}
	/* Numbers of samples may pass 2^64. */
	while (edge[1].sample - first < (last - first) / 2)
		edge++;
	pace->from = *edge;
	pace->rise = pace_rise(pace, edge, edge + 1);
	pace->run = edge[1].sample - edge->sample;
}

/* Few stamps are wrong by their delay. Of many, the least late ones are hardly late. */
static u32 pace_estimate_error(const struct zio_pace *pace)
{
	u64 error = div_u64(min(pace->delay, PACE_FAR_NS) * 64,
			    clamp_t(u32, pace->n, 32, PACE_WINDOW));

	return clamp_t(u64, error, PACE_MIN_ERROR, NSEC_PER_SEC);
}

/* Powers of two, and a smaller one only if it is much smaller: so controls seldom change. */
static bool pace_tell_error(struct zio_pace *pace)
{
	u32 error = 0;

	if (pace->n >= PACE_MIN)
		error = min_t(u32, roundup_pow_of_two(pace_estimate_error(pace)), NSEC_PER_SEC);
	if (error && error <= pace->error && error > pace->error / 4)
		return false;
	if (error == pace->error)
		return false;
	WRITE_ONCE(pace->error, error);
	return true;
}

static const struct zio_pace_stamp *pace_last(const struct zio_pace *pace)
{
	return &pace->corner[pace->n_corners - 1];
}

/* The count of samples is wrong now, or the clock was set. */
static bool pace_is_broken(struct zio_pace *pace, u64 sample, s64 late)
{
	s64 step = pace_nominal(pace, sample - pace_last(pace)->sample);

	if (sample - pace->corner[0].sample >= pace->furthest)
		return true;
	if (late < 0)
		return -late > max(step, 4 * pace->delay);
	if (late <= max(step / 2, 4 * pace->delay)) {
		pace->n_late = 0;
		return false;
	}
	return ++pace->n_late >= PACE_MAX_LATE || (late > PACE_FAR_NS && late / 16 > step);
}

static void pace_forget(struct zio_pace *pace)
{
	pace->n = 0;
	pace->n_late = 0;
	pace->n_corners = 0;
	pace->delay = 0;
}

/**
 * zio_pace_start() - begin to follow a stream
 * @pace: the pace; all stamps are forgotten
 * @num: nominal samples per second are @num / @den; neither is 0
 * @den: see @num
 *
 * Context: Any.
 */
void zio_pace_start(struct zio_pace *pace, u32 num, u32 den)
{
	pace_forget(pace);
	pace->num = num;
	pace->den = den;
	pace->furthest = div64_u64(PACE_MAX_NS / NSEC_PER_SEC * num, den);
	pace->from = (struct zio_pace_stamp){ 0 };
	pace->rise = 0;
	pace->run = 1;
	WRITE_ONCE(pace->error, 0);
}
EXPORT_SYMBOL_GPL(zio_pace_start);

/**
 * zio_pace_put() - note the stamp of an interrupt
 * @pace: the pace
 * @sample: samples that the board has taken; the number of the next one
 * @at: the time that was read then, in ns
 *
 * If the stamps no longer fit the line, as after a step of the clock or samples that nobody
 * counted, all before this one are forgotten.
 *
 * Context: Any.
 *
 * Return: true if zio_pace_error() has changed.
 */
bool zio_pace_put(struct zio_pace *pace, u64 sample, s64 at)
{
	struct zio_pace_stamp stamp = { sample, at };
	s64 late = at - zio_pace_time(pace, sample);

	if (pace->n && sample == pace_last(pace)->sample)
		return false;
	if (pace->n && pace_is_broken(pace, sample, late))
		pace_forget(pace);
	stamp.number = pace->n++;
	pace_extend_hull(pace, &stamp);
	pace_draw_line(pace);
	late = max(at - zio_pace_time(pace, sample), 0LL);
	if (!pace->n_late || pace->n < PACE_MEAN)
		pace->delay += div_s64(late - pace->delay, min_t(u32, pace->n, PACE_MEAN));
	return pace_tell_error(pace);
}
EXPORT_SYMBOL_GPL(zio_pace_put);

/**
 * zio_pace_time() - compute when a sample was taken
 * @pace: the pace, with a stamp
 * @sample: number of the sample, near those of the last stamps
 *
 * Context: Any.
 *
 * Return: ns, by the clock of the stamps.
 */
s64 zio_pace_time(const struct zio_pace *pace, u64 sample)
{
	s64 samples = sample - pace->from.sample;

	return pace->from.at + pace_nominal(pace, samples) +
		pace_part(samples < 0 ? -pace->rise : pace->rise, abs(samples), pace->run);
}
EXPORT_SYMBOL_GPL(zio_pace_time);

/**
 * zio_pace_rate() - tell the rate of the board, which may differ from the nominal one
 * @pace: the pace
 * @samples: receives a number of samples
 * @ns: receives the time that they take
 *
 * Context: Any.
 *
 * Return: false if there are not enough stamps.
 */
bool zio_pace_rate(const struct zio_pace *pace, u64 *samples, u64 *ns)
{
	if (pace->n < PACE_MIN)
		return false;
	*samples = pace->run;
	*ns = pace_nominal(pace, pace->run) + pace->rise;
	return true;
}
EXPORT_SYMBOL_GPL(zio_pace_rate);
