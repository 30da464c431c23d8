// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rate of blocks that lack one: the median of the steps from block to block
 *
 * A mean would let a pause, or a clock that was set, distort the rate. The median ignores
 * them while they are fewer than half. For the same reason the scatter is the distance of
 * the quartiles.
 */
#include "timeline.h"

#define LEAST_STEPS 3
#define LOOK_EVERY 16
/* Maximum scatter of an estimate, as a fraction of a step: events scatter more. */
#define LARGEST_SCATTER 0.25

/* Most entries are still in order since the last look. */
static void sort(struct zio_steps *steps)
{
	unsigned int i, to;

	for (i = 1; i < steps->n; i++) {
		uint8_t place = steps->sorted[i];
		double period = steps->list[place].period;

		for (to = i; to && steps->list[steps->sorted[to - 1]].period > period; to--)
			steps->sorted[to] = steps->sorted[to - 1];
		steps->sorted[to] = place;
	}
}

static void look(struct zio_steps *steps)
{
	unsigned int low = steps->n / 4, high = steps->n - 1 - low;

	sort(steps);
	steps->median = steps->list[steps->sorted[(steps->n - 1) / 2]];
	steps->scatter = (steps->list[steps->sorted[high]].period -
			  steps->list[steps->sorted[low]].period) / 2;
	steps->are_alike = steps->n >= LEAST_STEPS && steps->median.ns > 0 &&
			   steps->scatter <= LARGEST_SCATTER * steps->median.period;
}

/* The median moves slowly, and looking at each step would cost more than all the rest. */
bool zio_steps_add(struct zio_steps *steps, int64_t ns, uint32_t samples)
{
	steps->list[steps->at] = (struct zio_step){ (double)ns / samples, ns, samples };
	if (steps->n < ZIO_STEPS) {
		steps->sorted[steps->n] = (uint8_t)steps->at;
		steps->n++;
	}
	steps->at = steps->at + 1 < ZIO_STEPS ? steps->at + 1 : 0;
	if (steps->n > ZIO_STEPS_ENOUGH && steps->at % LOOK_EVERY)
		return false;
	look(steps);
	return true;
}
