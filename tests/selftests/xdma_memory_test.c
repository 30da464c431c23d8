// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdma_memory_test.c: where the blocks of an emulated FPGA card lie, and what becomes of it when
 * all accesses fail
 *
 * # iommu
 * # device: xdma
 */
#include "xdma-card.h"

/* The set does not stay silent: its reader gets an error, and the next read a block. */
TEST("errors without an end fail the set, and a read begins it again", card)
{
	struct pair in = open_pair(IN, O_RDONLY);
	static uint32_t words[1024];
	struct zio_control ctrl;
	unsigned long lost;

	make_packets(64, 0, 10000, 1);
	ASSERT_EQ(read_block(in, words).seq_num, 0);
	make_packets(64, 0, 10000000, 0);
	poke(XDMA_USER_INJECT, XDMA_INJECT_WRITE | XDMA_INJECT_ALL);
	ASSERT_ERRNO(read(in.ctrl, &ctrl, sizeof(ctrl)), EIO);
	poke(XDMA_USER_INJECT, 0);
	lost = read_number(LOST);
	ASSERT_TRUE(lost >= 17);
	ctrl = read_block(in, words);
	ASSERT_EQ(ctrl.seq_num, 1 + lost);
	ASSERT_EQ(ctrl.zio_alarms, ZIO_ALARM_LOST_BLOCK);
	ASSERT_TRUE(ctrl.drv_alarms & 1);
	poke(XDMA_USER_CONTROL, 0);
}

/*
 * With vmalloc, each page may be a piece of memory of its own. The engine writes a packet
 * into one piece: no block is in two of them.
 */
TEST_EACH("blocks of %s samples are in one piece each", card, "384", "700", "1024")
{
	struct pair in;
	static uint32_t words[1024];
	struct zio_control ctrl;
	uint32_t i;

	load("zio-buf-vmalloc");
	write_text(INPUT "/enable", "0");
	write_text(INPUT "/current_buffer", "vmalloc");
	write_text(INPUT "/trigger/nsamples", value);
	write_text(INPUT "/enable", "1");
	in = open_pair(IN, O_RDONLY);
	make_packets(100, 0, 200000, UNDER_WAY);
	for (i = 0; i < 300; i++) {
		ctrl = read_block(in, words);
		ASSERT_EQ(ctrl.seq_num, i);
		ASSERT_EQ(ctrl.zio_alarms, 0);
		ASSERT_EQ(ctrl.nsamples, 100);
		expect_words(words, 100, i, 0);
		make_next_packet(i);
	}
}
