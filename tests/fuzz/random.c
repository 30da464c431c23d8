// SPDX-License-Identifier: GPL-2.0-only
/* random.c: random numbers that seed, process and number of the step determine */
#include "fuzz.h"

static uint64_t state;

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

void begin_step(uint64_t step)
{
	state = mix(mix(seed * n_processes + process) + step);
}

uint64_t draw(void)
{
	state += 0x9e3779b97f4a7c15ULL;
	return mix(state);
}

unsigned int dice(unsigned int n)
{
	return draw() % n;
}

bool chance(unsigned int n)
{
	return !dice(n);
}

/* Numbers near limits are more frequent. */
int any_int(void)
{
	static const int odd[] = {
		0, 1, 2, 3, 4, 8, 15, 16, 17, 63, 64, 511, 512, 513, 1024, 4095,
		4096, 4097, 65535, 65536, -1, -2, -4096, INT32_MAX, INT32_MIN,
	};

	if (chance(4))
		return (int)draw();
	return odd[dice(sizeof(odd) / sizeof(*odd))];
}
