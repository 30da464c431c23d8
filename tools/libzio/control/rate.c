// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sample rates: from a control, and as the fraction for a number */
#include <errno.h>

#include "timeline.h"

/*
 * Version 1.4 had no place for the rate but max-sample-rate. Later versions put an epoch
 * in each control, and the rate if they know it.
 */
static uint32_t get_old_rate(const struct zio_control *control)
{
	if (zio_has_std(&control->attr_trigger, ZIO_ATTR_TRIG_RATE_NUM) ||
	    zio_has_std(&control->attr_trigger, ZIO_ATTR_TRIG_EPOCH))
		return 0;
	return zio_get_std(&control->attr_channel, ZIO_ATTR_MAXRATE);
}

int zio_control_rate(const struct zio_control *control, struct zio_rate *rate)
{
	const struct zio_ctrl_attr *attr;
	uint32_t old;

	if (!control || !rate)
		return zio_refuse_null();
	attr = &control->attr_trigger;
	*rate = (struct zio_rate){
		.num = zio_get_std(attr, ZIO_ATTR_TRIG_RATE_NUM),
		.den = zio_get_std(attr, ZIO_ATTR_TRIG_RATE_DEN),
		.scatter_ns = -1,
	};
	if (!zio_is_pair(attr, ZIO_ATTR_TRIG_RATE_NUM) || !rate->num != !rate->den) {
		errno = EINVAL;
		return -1;
	}
	old = get_old_rate(control);
	if (old) {
		rate->num = old;
		rate->den = 1;
	}
	if (rate->num)
		rate->source = ZIO_RATE_CONTROL;
	return 0;
}

/* Each step of the continued fraction is closer to @value than the one before. */
int zio_rate_find(double value, struct zio_rate *rate)
{
	uint64_t num = 1, num_before = 0, den = 0, den_before = 1;
	double rest = value;

	if (!rate)
		return zio_refuse_null();
	if (!(value >= 1.0 / UINT32_MAX && value <= UINT32_MAX)) {
		errno = ERANGE;
		return -1;
	}
	while (rest <= UINT32_MAX && (!den || (double)num / (double)den != value)) {
		uint32_t whole = (uint32_t)rest;
		uint64_t next_num = whole * num + num_before, next_den = whole * den + den_before;

		if (next_num > UINT32_MAX || next_den > UINT32_MAX)
			break;
		num_before = num;
		den_before = den;
		num = next_num;
		den = next_den;
		rest = 1 / (rest - whole);
	}
	*rate = (struct zio_rate){
		.num = (uint32_t)num,
		.den = (uint32_t)den,
		.source = ZIO_RATE_GIVEN,
		.scatter_ns = -1,
	};
	return 0;
}
