// SPDX-License-Identifier: GPL-2.0-only
/*
 * in-order.c: read blocks of any driver, and check that each loss is told where it is
 *
 *   in-order NODE COUNT [BITS [LOST]]
 *
 * With BITS above 0 the first sample of each block is a running number of so many bits, and a
 * missing block has as many samples as any other. In the middle the program does not read until
 * the number in the file LOST has changed: then more is lost. It prints the numbers of blocks,
 * of gaps, and of lost blocks.
 */
#include "board.h"
#include "order.h"

static uint64_t first_sample(struct pair pair, const struct zio_control *ctrl)
{
	static uint8_t data[1 << 20];
	size_t len = (size_t)ctrl->nsamples * ctrl->ssize;
	uint64_t first = 0;

	ASSERT_TRUE(len && len <= sizeof(data));
	ASSERT_EQ(read(pair.data, data, len), len);
	memcpy(&first, data, ctrl->ssize);
	return first;
}

int main(int argc, char **argv)
{
	struct order order = { 0 };
	struct zio_control ctrl;
	unsigned int i, n, bits;
	unsigned long before;
	struct pair pair;

	if (argc < 3)
		FAIL("Usage: in-order NODE COUNT [BITS [LOST]]");
	n = atoi(argv[2]);
	bits = argc > 3 ? atoi(argv[3]) : 0;
	order.mask = (1ull << bits) - 1;
	pair = open_pair(argv[1], O_RDONLY);
	for (i = 0; i < n; i++) {
		if (i == n / 2 && argc > 4) {
			before = read_number(argv[4]);
			wait_for(60, read_number(argv[4]) != before);
		}
		ctrl = read_control(pair.ctrl);
		order_control(&order, &ctrl);
		if (bits)
			order_data(&order, first_sample(pair, &ctrl), ctrl.nsamples, ctrl.nsamples);
	}
	printf("%llu %llu %llu\n", (unsigned long long)order.blocks,
	       (unsigned long long)order.gaps, (unsigned long long)order.lost);
	return 0;
}
