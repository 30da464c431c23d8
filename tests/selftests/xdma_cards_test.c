// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdma_cards_test.c: FPGA cards whose DMA is elsewhere, or is none for streams
 *
 * # check
 * # device: xdma,wide=on
 * # device: xdma,memory=on
 */
#include "xdma-card.h"

SETUP(cards)
{
	unload("zio-xdma");
	run("echo 1 >" PCI "/rescan");
	run("zio-load zio-xdma");
}

static bool has_driver(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), PCI "/devices/%s/driver", name);
	return exists(path);
}

/* Finds the nodes of the first input of a card. */
static void find_input(const char *name, char *prefix, size_t size)
{
	char path[512];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), PCI "/devices/%s", name);
	dir = opendir(path);
	ASSERT_TRUE(dir);
	while ((entry = readdir(dir)) && strncmp(entry->d_name, "xdma-", 5))
		;
	ASSERT_TRUE(entry);
	snprintf(prefix, size, "/dev/zio/%.9s-0-0", entry->d_name);
	closedir(dir);
}

TEST("the DMA is in BAR 2, behind the 64 bits of the user's logic", cards)
{
	const char *name = find_card(CARD_WIDE);
	struct zio_control ctrl;
	uint32_t words[8], i;
	struct pair pair;
	char prefix[64];

	ASSERT_TRUE(name);
	ASSERT_TRUE(has_driver(name));
	find_input(name, prefix, sizeof(prefix));
	map_user(name);
	pair = open_pair(prefix, O_RDONLY);
	make_packets(8, 0, 100000, 5);
	for (i = 0; i < 5; i++) {
		ctrl = read_control(pair.ctrl);
		ASSERT_EQ(ctrl.nsamples, 8);
		ASSERT_EQ(read(pair.data, words, 32), 32);
		ASSERT_EQ(words[7], i << 16 | 7);
	}
}

TEST("engines for memory are refused, and the log says why", cards)
{
	const char *name = find_card(CARD_MEMORY);

	ASSERT_TRUE(name);
	ASSERT_TRUE(!has_driver(name));
	run("dmesg | grep 'zio-xdma %s' | grep -q 'has memory-mapped engines'", name);
}
