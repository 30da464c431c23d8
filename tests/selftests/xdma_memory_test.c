// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdma_memory_test.c: where the blocks of an emulated FPGA card lie; what is lost, and what is
 * told, when accesses fail
 *
 * # iommu
 * # kasan
 * # device: xdma
 */
#include "xdma-card.h"

/* The write of the next packet fails, and three more packets come. */
static void lose_packet(uint32_t number)
{
	poke(XDMA_USER_INJECT, XDMA_INJECT_WRITE);
	make_packets(64, 0, 10000, number + 4);
}

TEST("each loss is told by the first packet behind it", card)
{
	struct pair in = open_pair(IN, O_RDONLY);
	struct order order = { .mask = 0xffff };
	static uint32_t words[1024];
	struct zio_control ctrl;
	uint32_t i;

	make_packets(64, 0, 10000, 3);
	for (i = 0; i < 3 * 20; i++) {
		if (i && i % 3 == 0)
			lose_packet(i / 3 * 4 - 1);
		ctrl = read_block(in, words);
		order_control(&order, &ctrl);
		order_data(&order, words[0] >> 16, 1, 1);
	}
	ASSERT_EQ(order.gaps, 19);
	ASSERT_EQ(order.lost, 19);
	order_end(&order, CHAN);
}

/* The set does not stay silent: its reader gets an error, and the next read a block. */
TEST("errors without an end fail the set, and a read begins it again", card)
{
	struct pair in = open_pair(IN, O_RDONLY);
	static uint32_t words[1024];
	struct zio_control ctrl;
	unsigned long lost;

	make_packets(64, 0, 10000, 1);
	ASSERT_EQ(read_block(in, words).seq_num, 0);
	poke(XDMA_USER_INJECT, XDMA_INJECT_WRITE | XDMA_INJECT_ALL);
	make_packets(64, 0, 10000000, 0);
	ASSERT_ERRNO(read(in.ctrl, &ctrl, sizeof(ctrl)), EIO);
	poke(XDMA_USER_INJECT, 0);
	lost = read_number(LOST);
	ASSERT_TRUE(lost >= 17);
	ctrl = read_block(in, words);
	/* Until the faults end, a transfer that has begun again loses more. */
	ASSERT_TRUE(ctrl.seq_num > lost && ctrl.seq_num <= 1 + read_number(LOST));
	ASSERT_EQ(ctrl.zio_alarms, ZIO_ALARM_LOST_BLOCK);
	ASSERT_TRUE(ctrl.drv_alarms & 1);
	poke(XDMA_USER_CONTROL, 0);
}

/* The third bit of the command register: the card may do DMA, and so interrupt. */
static void set_master(bool may)
{
	char path[512];
	uint16_t command;
	int fd;

	snprintf(path, sizeof(path), PCI "/devices/%s/config", pci_name());
	fd = open_file(path, O_RDWR);
	ASSERT_EQ(pread(fd, &command, sizeof(command), 4), sizeof(command));
	command = may ? command | 4 : command & ~4;
	ASSERT_EQ(pwrite(fd, &command, sizeof(command), 4), sizeof(command));
	close(fd);
}

TEST("a card that may do no DMA for a while goes on, and the reader is told", card)
{
	struct pair in = open_pair(IN, O_RDONLY);
	struct order order = { .mask = 0xffff };
	static uint32_t words[1024];
	struct zio_control ctrl;
	unsigned int i;

	make_packets(64, 0, 10000, 1);
	ctrl = read_block(in, words);
	order_control(&order, &ctrl);
	set_master(false);
	make_packets(64, 0, 10000, 4);
	ASSERT_EQ(poll_events(in.ctrl, POLLIN, 200), 0);
	set_master(true);
	make_packets(64, 0, 10000, 20);
	ASSERT_EQ(poll_events(in.ctrl, POLLIN, 30000), POLLIN);
	ctrl = read_block(in, words);
	order_control(&order, &ctrl);
	ASSERT_TRUE(ctrl.drv_alarms & 1);
	for (i = words[0] >> 16; i < 19; i = words[0] >> 16) {
		ctrl = read_block(in, words);
		order_control(&order, &ctrl);
		ASSERT_EQ(words[0] >> 16, i + 1);
	}
	order_end(&order, CHAN);
}

TEST("a card that may do no DMA any more fails the set", card)
{
	struct pair in = open_pair(IN, O_RDONLY);
	static uint32_t words[1024];
	struct zio_control ctrl;

	make_packets(64, 0, 10000, 1);
	read_block(in, words);
	set_master(false);
	make_packets(64, 0, 10000, 0);
	ASSERT_TRUE(poll_events(in.ctrl, POLLIN, 100000));
	ASSERT_ERRNO(read(in.ctrl, &ctrl, sizeof(ctrl)), EIO);
	poke(XDMA_USER_CONTROL, 0);
	set_master(true);
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
