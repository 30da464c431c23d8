// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdma_test.c: the driver of FPGA cards with AMD's XDMA, with an emulated card
 *
 * The card counts faults of the software, such as a descriptor without its magic; a fault
 * fails the boot. The source of the card numbers its packets: word i of packet n is
 * n << 16 | i. The card has two engines in each direction: sets 0 and 1 are inputs, 2 and 3
 * are outputs.
 *
 * # iommu
 * # device: xdma
 */
#include "xdma-card.h"

TEST("each packet of 1 to 1000 words is a block", card)
{
	struct pair in = open_pair(IN, O_RDONLY);
	struct order order = { .mask = 0xffff };
	static uint32_t words[1024];
	struct zio_control ctrl;
	uint32_t i;

	make_packets(1, 999, 200000, UNDER_WAY);
	for (i = 0; i < 500; i++) {
		ctrl = read_block(in, words);
		order_control(&order, &ctrl);
		expect_words(words, ctrl.nsamples, i, 0);
		make_next_packet(i);
	}
	ASSERT_EQ(peek(XDMA_USER_DROPPED), 0);
	ASSERT_EQ(order.lost, 0);
	order_end(&order, CHAN);
}

static uint32_t end_of_packet(struct zio_control ctrl)
{
	ASSERT_EQ(ctrl.attr_channel.ext_mask, 1);
	return ctrl.attr_channel.ext_val[0];
}

TEST("a packet that is longer than a block goes on in the next one", card)
{
	struct pair in = open_pair(IN, O_RDONLY);
	static uint32_t words[1024];
	struct zio_control ctrl;
	uint32_t i;

	make_packets(1500, 0, 200000, UNDER_WAY);
	for (i = 0; i < 20; i++) {
		ctrl = read_block(in, words);
		ASSERT_EQ(ctrl.nsamples, 1024);
		ASSERT_EQ(end_of_packet(ctrl), 0);
		expect_words(words, 1024, i, 0);
		ctrl = read_block(in, words);
		ASSERT_EQ(ctrl.nsamples, 1500 - 1024);
		ASSERT_EQ(end_of_packet(ctrl), 1);
		expect_words(words, 1500 - 1024, i, 1024);
		make_next_packet(i);
	}
}

static void check_sample_size(unsigned int size)
{
	static uint32_t words[1024];
	struct zio_control ctrl;
	char options[32];
	struct pair in;

	snprintf(options, sizeof(options), "sample_size=%u", size);
	reload("zio-xdma", options);
	in = open_pair(IN, O_RDONLY);
	poke(XDMA_USER_CONTROL, XDMA_FLUSH);
	make_packets(64, 0, 10000, 1);
	ctrl = read_block(in, words);
	ASSERT_EQ(ctrl.ssize, size);
	ASSERT_EQ(ctrl.nsamples * size, 256);
	expect_words(words, 64, 0, 0);
	ASSERT_EQ(read_number(OUTPUT "/ssize"), size);
	close_pair(in);
}

TEST("the parameter of the module is the size of samples", card)
{
	check_sample_size(1);
	check_sample_size(8);
	unload("zio-xdma");
	ASSERT_TRUE(shell("zio-load zio-xdma sample_size=3 2>/dev/null"));
	ASSERT_TRUE(shell("zio-load zio-xdma sample_size=16 2>/dev/null"));
}

TEST("without a reader the card waits for blocks, and goes on with the reader", card)
{
	struct pair in = open_pair(IN, O_RDONLY);
	static uint32_t words[1024];
	struct zio_control ctrl;
	uint32_t i, last = 0;

	make_packets(64, 0, 10000, 0);
	wait_dropped(100);
	ASSERT_TRUE(peek(XDMA_USER_STARVED) > 0);
	for (i = 0; i < 2000; i++) {
		ctrl = read_block(in, words);
		ASSERT_EQ(ctrl.seq_num, i);
		ASSERT_EQ(ctrl.nsamples, 64);
		ASSERT_TRUE(!i || words[0] >> 16 != last);
		last = words[0] >> 16;
		expect_words(words, 64, last, 0);
	}
	ASSERT_EQ(read_number(LOST), 0);
	poke(XDMA_USER_CONTROL, 0);
}

/* A failed write has taken a packet from the stream; a failed fetch has not. */
TEST_EACH("an error of a %s is an alarm, and the stream goes on", card, "fetch", "write")
{
	bool is_write = *value == 'w';
	struct pair in = open_pair(IN, O_RDONLY);
	static uint32_t words[1024];
	struct zio_control ctrl;

	make_packets(64, 0, 10000, 1);
	ASSERT_EQ(read_block(in, words).seq_num, 0);
	poke(XDMA_USER_INJECT, is_write ? XDMA_INJECT_WRITE : XDMA_INJECT_FETCH);
	make_packets(64, 0, 10000, 3);
	ctrl = read_block(in, words);
	ASSERT_EQ(ctrl.seq_num, is_write ? 2 : 1);
	ASSERT_EQ(!!(ctrl.zio_alarms & ZIO_ALARM_LOST_BLOCK), is_write);
	ASSERT_TRUE(ctrl.drv_alarms & 1);
	expect_words(words, 64, is_write ? 2 : 1, 0);
	ASSERT_EQ(read_number(LOST), is_write);
	ASSERT_EQ(read_number(INPUT "/errors"), 1);
}

TEST("changes in the middle of a stream", card)
{
	struct pair in = open_pair(IN, O_RDONLY | O_NONBLOCK);
	static uint32_t words[4096];
	uint32_t i;

	make_packets(100, 0, 10000, 0);
	for (i = 0; i < 30; i++) {
		write_text(INPUT "/trigger/nsamples", i & 1 ? "100" : "2000");
		ASSERT_TRUE(poll_events(in.ctrl, POLLIN, -1) & POLLIN);
		write_text(INPUT "/chan0/buffer/max-buffer-len", i & 2 ? "3" : "40");
		write_text(INPUT "/enable", "0");
		write_text(INPUT "/enable", "1");
		ASSERT_TRUE(poll_events(in.ctrl, POLLIN, -1) & POLLIN);
		ASSERT_EQ(read_block(in, words).nsamples, 100);
		expect_words(words, 100, words[0] >> 16, 0);
	}
	poke(XDMA_USER_CONTROL, 0);
}

/* Words that did not loop, since the start of the machine: other tests have some, too. */
static uint32_t count_sunk(void)
{
	return peek(XDMA_USER_SUNK) + peek(XDMA_STRIDE + XDMA_USER_SUNK);
}

TEST("blocks that are written come back", card)
{
	struct pair out = open_pair(OUT, O_WRONLY), in = open_pair(IN, O_RDONLY);
	static uint32_t sent[1024], got[1024];
	uint32_t sunk = count_sunk(), i, k;
	struct zio_control ctrl;

	poke(XDMA_USER_CONTROL, XDMA_LOOP);
	for (i = 0; i < 50; i++) {
		for (k = 0; k < 1024; k++)
			sent[k] = random();
		ASSERT_EQ(write(out.data, sent, sizeof(sent)), sizeof(sent));
		ctrl = read_block(in, got);
		ASSERT_EQ(ctrl.nsamples, 1024);
		ASSERT_TRUE(!memcmp(sent, got, sizeof(sent)));
	}
	ASSERT_EQ(count_sunk(), sunk);
	ASSERT_EQ(read_number(OUTPUT "/errors"), 0);
}

TEST("many packets are in flight to the card", card)
{
	struct pair in = open_pair(IN, O_RDONLY), out = send_slowly(8);
	uint32_t i;

	wait_for(10, read_number(OUTPUT "/chan0/statistics/in-flight") > 4 ||
		 read_number(SENT) == 8);
	poke(XDMA_USER_FETCH_NS, 900);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(receive_number(in), i);
	ASSERT_EQ(fsync(out.data), 0);
	ASSERT_EQ(read_number(SENT), 8);
	ASSERT_EQ(read_number(UNSENT), 0);
}

TEST("a slow writer leaves the card dry: this is counted, and an alarm", card)
{
	struct pair out = open_pair(OUT, O_WRONLY);
	uint32_t i;

	for (i = 1; i <= 3; i++) {
		send_number(out.data, i);
		wait_for(10, read_number(OUTPUT "/chan0/statistics/dry") == i);
	}
	ASSERT_TRUE(read_number(OUTPUT "/chan0/alarms") & ZIO_ALARM_DRY);
	ASSERT_EQ(read_number(SENT), 3);
	ASSERT_EQ(read_number(UNSENT), 0);
}

/* A block of vmalloc has a piece for each page. It returns to the writer when all are sent. */
TEST("a packet has more pieces than the engine has descriptors", card)
{
	uint32_t sunk = count_sunk(), sent, n, words = 2 << 20;
	void *block = calloc(words, 4);
	struct pair out;

	load("zio-buf-vmalloc");
	write_text(OUTPUT "/current_buffer", "vmalloc");
	write_text(OUTPUT "/chan0/buffer/max-buffer-len", "2");
	write_text(OUTPUT "/chan0/buffer/max-buffer-kb", "20000");
	write_text(OUTPUT "/trigger/nsamples", "2097152");
	poke(XDMA_USER_KIB_NS, 10000);
	out = open_pair(OUT, O_WRONLY);
	ASSERT_EQ(write(out.data, block, 4 * words), 4 * words);
	do {
		sent = read_number(SENT);
		n = count_sunk() - sunk;
		ASSERT_TRUE(!sent || n == words);
	} while (!sent);
	ASSERT_EQ(read_number(OUTPUT "/errors"), 0);
	free(block);
}

/* A change of the configuration may send a packet once more that was under way. */
TEST("a packet that was not sent before a stop is sent after it", card)
{
	struct pair out = open_pair(OUT, O_WRONLY), in = open_pair(IN, O_RDONLY);
	uint32_t i;

	poke(XDMA_USER_CONTROL, XDMA_LOOP);
	for (i = 0; i < 100; i++) {
		send_number(out.data, i);
		write_text(OUTPUT "/enable", "0");
		ASSERT_EQ(read_number(OUTPUT "/chan0/statistics/in-flight"), 0);
		write_text(OUTPUT "/enable", "1");
		ASSERT_EQ(receive_number(in), i);
	}
	ASSERT_EQ(fsync(out.data), 0);
	ASSERT_EQ(read_number(UNSENT), 0);
}

TEST("a packet that the card cannot read is lost, and the next ones are sent", card)
{
	struct pair in = open_pair(IN, O_RDONLY), out;
	uint32_t i;

	poke(XDMA_USER_INJECT, XDMA_INJECT_READ);
	out = send_slowly(8);
	for (i = 1; i < 8; i++)
		ASSERT_EQ(receive_number(in), i);
	ASSERT_ERRNO(fsync(out.data), EIO);
	ASSERT_EQ(read_number(SENT), 7);
	ASSERT_EQ(read_number(UNSENT), 1);
	ASSERT_EQ(read_number(OUTPUT "/errors"), 1);
	ASSERT_TRUE(read_number(OUTPUT "/chan0/alarms") & 0x100);
}

/* The writer adds packets while the engine is stopped. None is sent twice. */
TEST_EACH("errors of a %s while a program writes", card, "fetch", "read")
{
	struct pair out = open_pair(OUT, O_WRONLY);
	uint32_t sunk = count_sunk(), i;

	for (i = 0; i < 2000; i++) {
		if (i % 16 == 0) {
			/* The card has taken the former one. */
			wait_for(10, !peek(XDMA_USER_INJECT));
			poke(XDMA_USER_INJECT, *value == 'f' ? XDMA_INJECT_FETCH :
								XDMA_INJECT_READ);
		}
		send_number(out.data, i);
	}
	ASSERT_ERRNO(fsync(out.data), EIO);
	ASSERT_EQ(read_number(OUTPUT "/errors"), 2000 / 16);
	ASSERT_EQ(read_number(UNSENT), 2000 / 16);
	ASSERT_EQ(read_number(SENT) + read_number(UNSENT), 2000);
	ASSERT_EQ(count_sunk() - sunk, 1024 * read_number(SENT));
}

/* The card does not loop: it counts the words of the packets. */
TEST("the last packet is repeated until there is another one", card)
{
	struct pair out = open_pair(OUT, O_WRONLY);
	uint32_t sunk = count_sunk();

	write_text(OUTPUT "/cyclic", "1");
	send_number(out.data, 1);
	wait_for(10, read_number(SENT) > 200);
	send_number(out.data, 2);
	ASSERT_EQ(fsync(out.data), 0);
	ASSERT_EQ(read_number(OUTPUT "/chan0/buffer/queued-buffer-len"), 1);
	write_text(OUTPUT "/cyclic", "0");
	ASSERT_EQ(read_number(OUTPUT "/chan0/buffer/queued-buffer-len"), 0);
	ASSERT_TRUE(count_sunk() - sunk >= 1024 * read_number(SENT));
	ASSERT_EQ(read_number(OUTPUT "/chan0/statistics/dry"), 0);
}

TEST("each engine has a stream of its own", card)
{
	struct pair in = open_pair(IN, O_RDONLY), in1 = open_pair(IN1, O_RDONLY);
	static uint32_t words[1024];
	uint32_t sunk = count_sunk(), i;

	make_packets_at(0, 10, 0, 1000000, 20);
	make_packets_at(XDMA_STRIDE, 20, 0, 700000, 30);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(read_block(in, words).nsamples, 10);
		expect_words(words, 10, i, 0);
	}
	for (i = 0; i < 30; i++) {
		ASSERT_EQ(read_block(in1, words).nsamples, 20);
		expect_words(words, 20, i, 0);
	}
	poke(XDMA_USER_CONTROL, XDMA_LOOP);
	poke(XDMA_STRIDE + XDMA_USER_CONTROL, XDMA_LOOP);
	for (i = 1; i < 20; i++) {
		send_and_compare(open_pair(OUT1, O_WRONLY), in1, 50 * i);
		send_and_compare(open_pair(OUT, O_WRONLY), in, 30 * i);
	}
	ASSERT_EQ(count_sunk(), sunk);
}

TEST("a user interrupt of the card is the trigger of another board", card)
{
	char path[512];
	struct pair zero;

	load("zio-trig-irq");
	renew_zzero();
	write_text(CSET0 "/current_trigger", "irq");
	snprintf(path, sizeof(path), PCI "/devices/%s/user_irqs", pci_name());
	run("set -- $(cat %s); echo $1 >" CSET0 "/trigger/irq", path);
	zero = open_pair(ZZERO "-0-0", O_RDONLY | O_NONBLOCK);
	ASSERT_ERRNO(read(zero.ctrl, path, 512), EAGAIN);
	poke(XDMA_USER_FIRE, 1);
	ASSERT_TRUE(poll_events(zero.ctrl, POLLIN, -1) & POLLIN);
	ASSERT_EQ(read_control(zero.ctrl).seq_num, 0);
	poke(XDMA_USER_FIRE, 2);
	poke(XDMA_USER_FIRE, 1);
	ASSERT_TRUE(poll_events(zero.ctrl, POLLIN, -1) & POLLIN);
	ASSERT_EQ(read_control(zero.ctrl).seq_num, 1);
	write_text(CSET0 "/current_trigger", "user");
}

/* Read or write until the board is gone. */
static int use_to_end(bool is_reader)
{
	struct pair pair = open_pair(is_reader ? IN : OUT, is_reader ? O_RDONLY : O_WRONLY);
	static uint32_t words[1024];

	while ((is_reader ? read(pair.data, words, sizeof(words)) :
			    write(pair.data, words, sizeof(words))) > 0)
		;
	return errno;
}

TEST_EACH("a card is pulled out under its %s", card, "reader", "writer",
	  "reader, by surprise", "writer, by surprise")
{
	bool is_reader = *value == 'r';
	pid_t user = fork();
	int status;

	if (!user)
		_exit(use_to_end(is_reader));
	if (is_reader) {
		make_packets(64, 0, 10000, 0);
		wait_dropped(0);
	} else {
		wait_for(10, read_number(SENT) > 100);
	}
	if (strchr(value, ','))
		poke(XDMA_USER_INJECT, XDMA_INJECT_GONE);
	run("echo 1 >" PCI "/devices/%s/remove", pci_name());
	ASSERT_EQ(waitpid(user, &status, 0), user);
	ASSERT_EQ(WEXITSTATUS(status), ENODEV);
	ASSERT_EQ(count_objects("xdma"), 0);
}

TEST("the driver is bound again and again while packets come", card)
{
	char path[512];
	uint32_t i;

	make_packets(64, 0, 5000, 0);
	for (i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), PCI "/drivers/zio-xdma/unbind");
		write_text(path, pci_name());
		snprintf(path, sizeof(path), PCI "/drivers/zio-xdma/bind");
		write_text(path, pci_name());
	}
	poke(XDMA_USER_CONTROL, 0);
	ASSERT_EQ(peek(XDMA_USER_FAULTS), 0);
}
