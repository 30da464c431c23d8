// SPDX-License-Identifier: GPL-2.0-only
/*
 * slink-send.c: send events of the pattern "count" to an output of an S-LINK card
 *
 * Usage: slink-send NODE EVENTS WORDS
 *
 * Returns when the last event has left.
 */
#include "../models/qemu/slidas-pattern.h"
#include "node.h"

#define MAX_WORDS	(1 << 20)

static uint32_t words[MAX_WORDS];

static void send_events(const char *node, uint32_t n, uint32_t size)
{
	struct pair pair = open_pair(node, O_RDWR);
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION,
		.ssize = 4,
		.nsamples = size,
	};
	uint32_t i, k;

	ASSERT_TRUE(size <= MAX_WORDS);
	for (i = 0; i < n; i++) {
		for (k = 0; k < size; k++)
			words[k] = slidas_word(SLIDAS_COUNT, 0, i, size, k, 0);
		ASSERT_EQ(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
		ASSERT_EQ(write(pair.data, words, size * 4), size * 4);
	}
	ASSERT_TRUE(!fsync(pair.data));
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "Usage: slink-send NODE EVENTS WORDS\n");
		return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
	}
	begin_group();
	send_events(argv[1], atoi(argv[2]), atoi(argv[3]));
	return 0;
}
