// SPDX-License-Identifier: GPL-2.0-only
/*
 * tsc.c: prints the rate of this processor's clock (TSC) in kHz
 *
 * QEMU's emulated processors have the same clock. A kernel that measures it while the host
 * is busy can be wrong by a factor.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct sample {
	uint64_t ns, ticks, width;
};

/* The best of some attempts: nothing has come between the two clocks. */
static struct sample look(void)
{
	struct sample best = { .width = UINT64_MAX };
	struct timespec now;
	uint64_t before, after;
	int i;

	for (i = 0; i < 1000; i++) {
		before = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		after = __rdtsc();
		if (after - before >= best.width)
			continue;
		best.width = after - before;
		best.ticks = before + best.width / 2;
		best.ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	}
	return best;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 200000000 };
	struct sample first = look(), last;

	nanosleep(&pause, NULL);
	last = look();
	printf("%.0f\n", (last.ticks - first.ticks) * 1e6 / (last.ns - first.ns));
	return 0;
}
