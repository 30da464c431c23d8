// SPDX-License-Identifier: GPL-2.0-only
/* rate.c: the file "sample-rate" of a channel set */
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "config/internal.h"
#include "engine/engine.h"

/* A fraction of two u32, in lowest terms */
struct rate {
	u32 num;
	u32 den;
};

static int rate_parse_decimal(const char *text, struct rate *rate)
{
	struct zio_decimal dec;
	int ret = zio_decimal_parse(text, &dec);
	u64 num, den = 1;

	if (ret)
		return ret;
	num = dec.digits;
	for (; dec.exp > 0 && num <= U32_MAX; dec.exp--)
		num *= 10;
	for (; dec.exp < 0 && den <= U32_MAX; dec.exp++)
		den *= 10;
	if (dec.negative || num > U32_MAX || den > U32_MAX)
		return -ERANGE;
	*rate = (struct rate){ num, den };
	zio_rate_reduce(&rate->num, &rate->den);
	return 0;
}

/* @by is not 0. */
static int rate_divide(struct rate *rate, struct rate by)
{
	zio_rate_reduce(&rate->num, &by.num);
	zio_rate_reduce(&rate->den, &by.den);
	return check_mul_overflow(rate->num, by.den, &rate->num) ||
		check_mul_overflow(rate->den, by.num, &rate->den) ? -ERANGE : 0;
}

/* "48000", "0.5" or "1411200/29", with or without a newline */
static int rate_parse(const char *text, struct rate *rate)
{
	size_t len = strcspn(text, "/\n");
	struct rate by;
	char above[32];
	int ret;

	if (text[len] != '/')
		return rate_parse_decimal(text, rate);
	if (len >= sizeof(above))
		return -EINVAL;
	memcpy(above, text, len);
	above[len] = 0;
	ret = rate_parse_decimal(above, rate) ?: rate_parse_decimal(text + len + 1, &by);
	if (!ret)
		ret = by.num ? rate_divide(rate, by) : -EDOM;
	return ret;
}

/* Called with cset->mutex held. */
int zio_rate_store(struct kobject *kobj, const struct zio_file *file, const char *text)
{
	struct zio_cset_core *cset = kobj_to_cset(kobj);
	struct rate rate;
	int ret = rate_parse(text, &rate);

	if (ret)
		return ret;
	if (cset->ops->set_rate) {
		ret = rate.num ? cset->ops->set_rate(&cset->pub, rate.num, rate.den) : -ERANGE;
		if (ret)
			return ret;
	} else {
		cset->rate_num = rate.num;
		cset->rate_den = rate.num ? rate.den : 0; /* "0": unknown */
	}
	zio_cset_refresh(cset);
	return 0;
}

/* Called with cset->mutex held. */
ssize_t zio_rate_show(struct kobject *kobj, const struct zio_file *file, char *page)
{
	const struct zio_timing *timing = &kobj_to_cset(kobj)->timing;

	if (timing->rate_den <= 1)
		return sysfs_emit(page, "%u\n", timing->rate_num);
	return sysfs_emit(page, "%u/%u\n", timing->rate_num, timing->rate_den);
}

umode_t zio_rate_mode(struct kobject *kobj, const struct zio_file *file)
{
	const struct zio_cset_core *cset = kobj_to_cset(kobj);

	if (cset->ops->set_rate || cset->flags & ZIO_CSET_USER_RATE)
		return 0644;
	return cset->ops->get_timing ? 0444 : 0;
}
