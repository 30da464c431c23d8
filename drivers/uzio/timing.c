// SPDX-License-Identifier: GPL-2.0-only
/* timing.c: the program tells when samples are taken, and what they mean, from now on */
#include <linux/time64.h>

#include "uzio.h"

/* Returns 0; -EINVAL and nothing has changed; -EINTR if the program is being killed. */
int uzio_answer_timing(struct uzio *dev, const struct uzio_timing *timing)
{
	struct uzio_chanset *set = &dev->set[timing->head.set];
	const struct zio_timing now = {
		.rate_num = timing->rate_num, .rate_den = timing->rate_den,
		.error_ns = timing->error_ns, .first_ps = timing->first_ps,
	};

	if (timing->head.set >= dev->n_sets || timing->head.id || timing->reserved ||
	    !timing->rate_num != !timing->rate_den || timing->error_ns > NSEC_PER_SEC ||
	    timing->first_ps < -UZIO_MAX_FIRST || timing->first_ps > UZIO_MAX_FIRST)
		return -EINVAL;
	if (mutex_lock_killable(&dev->plug))
		return -EINTR;
	spin_lock_irq(&dev->lock);
	set->timing = now;
	spin_unlock_irq(&dev->lock);
	if (dev->zdev)
		zio_cset_timing_changed(set->cset);
	mutex_unlock(&dev->plug);
	return 0;
}

/* As uzio_answer_timing(). */
int uzio_answer_scale(struct uzio *dev, const struct uzio_scale *scale)
{
	const struct uzio_scaling *from = &scale->scaling;
	struct zio_scaling scaling = { };
	int ret = -ENODEV;

	if (scale->head.set >= dev->n_sets || scale->head.id || scale->reserved ||
	    !(from->flags & UZIO_SCALING_VALID) || from->flags & ~UZIO_SCALING_FLAGS ||
	    from->unit >= _ZIO_UNIT_NUM || uzio_check_scaling(dev, scale->head.set, from))
		return -EINVAL;
	uzio_convert_scaling(&scaling, from);
	if (mutex_lock_killable(&dev->plug))
		return -EINTR;
	if (dev->zdev)
		ret = zio_cset_scaling_changed(dev->set[scale->head.set].cset, scale->chan,
					       &scaling);
	mutex_unlock(&dev->plug);
	return ret;
}
