// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdma_reset_test.c: an FPGA card that is suspended or reset, with an emulated card
 *
 * The source of the card numbers its packets, as xdma_test.c tells.
 *
 * # suspends
 * # model: zio-shutdown
 * # iommu
 * # device: xdma
 */
#include "power.h"
#include "xdma-card.h"

/* Meanwhile the engines lose all registers. */
static void suspend_without_power(void)
{
	need_suspend();
	poke(XDMA_USER_LOSE, 500000000);
	suspend();
}

static void reset_by_error(void)
{
	run("insmod /selftests/zio-shutdown.ko what=error device=%s && rmmod zio_shutdown", pci_name());
}

static void call(const char *what)
{
	if (!strcmp(what, "suspend"))
		suspend();
	else if (!strcmp(what, "suspend without power"))
		suspend_without_power();
	else
		reset_by_error();
}

#define INTERRUPTIONS	"suspend", "suspend without power", "reset of the slot"

/* The first block after it has an alarm. Each block is a whole packet of the stream. */
static void read_past_reset(struct pair in)
{
	static uint32_t words[1024];
	uint32_t i, alarm_at = 0, last = 0;
	struct zio_control ctrl;

	for (i = 1; !alarm_at || i < alarm_at + 100; i++) {
		ctrl = read_block(in, words);
		ASSERT_EQ(ctrl.nsamples, 64);
		expect_words(words, 64, words[0] >> 16, 0);
		ASSERT_TRUE(i == 1 || words[0] >> 16 != last);
		last = words[0] >> 16;
		if (ctrl.drv_alarms & 4)
			ASSERT_EQ(alarm_at, 0);
		if (ctrl.drv_alarms & 4)
			alarm_at = i;
		ASSERT_TRUE(i < 2000);
	}
}

TEST_EACH("a stream goes on after a %s", card, INTERRUPTIONS)
{
	struct pair in = open_pair(IN, O_RDONLY);
	static uint32_t words[1024];
	uint32_t i;

	make_packets(64, 0, 200000, 0);
	for (i = 0; i < 3; i++) {
		read_block(in, words);
		call(value);
		read_past_reset(in);
	}
	/* It was not stopped: it began once, with the driver. */
	ASSERT_EQ(read_number(INPUT "/statistics/fired"), 1);
	poke(XDMA_USER_CONTROL, 0);
	ASSERT_EQ(peek(XDMA_USER_FAULTS), 0);
}

TEST_EACH("a set that is disabled during a %s works after it", card, INTERRUPTIONS)
{
	struct pair in = open_pair(IN, O_RDONLY);
	static uint32_t words[1024];
	uint32_t i;

	write_text(INPUT "/enable", "0");
	call(value);
	write_text(INPUT "/enable", "1");
	make_packets(64, 0, 200000, 5);
	ASSERT_EQ(read_block(in, words).drv_alarms, 0);
	expect_words(words, 64, 0, 0);
	for (i = 1; i < 5; i++)
		read_block(in, words);
	poke(XDMA_USER_CONTROL, XDMA_LOOP);
	send_and_compare(open_pair(OUT, O_WRONLY), in, 100);
}

/* The engine waits three seconds for its descriptor. The card loses its power before. */
TEST("a block that is being sent is sent again", card)
{
	struct pair out = open_pair(OUT, O_WRONLY), in = open_pair(IN, O_RDONLY);
	static uint32_t words[1024], sent[1024] = { 1, 2, 3 };
	struct zio_control ctrl;

	need_suspend();
	poke(XDMA_USER_CONTROL, XDMA_LOOP);
	poke(XDMA_USER_FETCH_NS, 3000000000u);
	poke(XDMA_USER_LOSE, 1000000000);
	ASSERT_EQ(write(out.data, sent, sizeof(sent)), sizeof(sent));
	suspend();
	poke(XDMA_USER_FETCH_NS, 900);
	ctrl = read_block(in, words);
	ASSERT_EQ(ctrl.nsamples, 1024);
	ASSERT_TRUE(!memcmp(words, sent, sizeof(sent)));
	wait_for(10, read_number(SENT) == 1);
}

/* A packet that was under way may come twice. */
TEST_EACH("packets in flight are sent after a %s", card, INTERRUPTIONS)
{
	struct pair in = open_pair(IN, O_RDONLY), out = send_slowly(8);
	uint32_t number = 0, last = 0;

	call(value);
	poke(XDMA_USER_FETCH_NS, 900);
	while (number < 7) {
		number = receive_number(in);
		ASSERT_TRUE(number == last || number == last + 1);
		last = number;
	}
	ASSERT_EQ(fsync(out.data), 0);
	ASSERT_EQ(read_number(SENT), 8);
	ASSERT_EQ(read_number(UNSENT), 0);
}

TEST("a card that nothing mends is left alone", card)
{
	struct pair in = open_pair(IN, O_RDONLY | O_NONBLOCK);
	uint32_t reads;

	make_packets(64, 0, 200000, 0);
	ASSERT_TRUE(poll_events(in.ctrl, POLLIN, -1) & POLLIN);
	run("insmod /selftests/zio-shutdown.ko what=failure device=%s && rmmod zio_shutdown", pci_name());
	poke(XDMA_USER_CONTROL, 0);
	reads = peek(XDMA_USER_READS);
	write_text(INPUT "/enable", "0");
	write_text(INPUT "/enable", "1");
	ASSERT_EQ(peek(XDMA_USER_READS), reads);
}
