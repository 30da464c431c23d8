// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams through the card model to a reader that works as a driver must. The test
 * compares the words from the reader, one by one, with the words that entered the link.
 *
 * The reader takes data by DMA into pages, one after the other. With the CPU it pops
 * words that did not fit into a page, control words, and words with an error.
 */
#include <stdlib.h>

#include "harness.h"
#include "test-host.h"

#define MOST		(1 << 18)
#define CONTROL_BITS	(S5933_INT_WRITE_ENABLE | 0x1f00)

struct log {
	struct sspci_entry word[MOST];
	unsigned int n;
};

static struct world world;
static struct host the_host, *const host = &the_host;
static struct log logs[2], *const sent = &logs[0], *const got = &logs[1];
static struct slink_end input;
static bool block_error;

/* The reader's own state. */
static uint32_t page_words;
static uint32_t mcsr;		/* control bits beside WTE */
static unsigned int expect;
static bool receiving;		/* a page is given to the chip */
static bool settled;		/* word rates are known to be slower than we */

static void note(struct log *log, uint32_t data, uint8_t type)
{
	if (log->n < MOST)
		log->word[log->n++] = (struct sspci_entry){ data, type };
}

/* --- what should come: the rules of the link, once more, and shorter ------- */

static void tap_put(void *priv, struct slink_word word)
{
	bool bad = word.flags & SLINK_DAMAGED;

	if (word.flags & SLINK_CONTROL) {
		note(sent, (word.data & ~0xfu) | bad << 1 | block_error,
		     bad || block_error ? 0 : HOST_CONTROL);
		block_error = false;
	} else {
		block_error |= bad;
		note(sent, word.data,
		     bad && host->board.card.cfg.word_errors ? SSPCI_LCTRL_N :
							       HOST_DATA);
	}
	input.ops->put(priv, word);
}

static void insert_tap(void)
{
	static struct slink_end_ops ops;

	input = sspci_input(&host->board.card);
	ops = *input.ops;
	ops.put = tap_put;
	host->board.source.to = (struct slink_end){ &ops, input.priv };
}

/* --- the reader ----------------------------------------------------------- */

static uint32_t status(void)
{
	host_wait(host, 50);
	return host_read(host, S5933_MCSR);
}

static void arm_page(void)
{
	host_write(host, S5933_MWAR, HOST_BASE);
	host_write(host, S5933_MWTC, 4 * page_words);
	host_write(host, S5933_MCSR, mcsr | S5933_WRITE_ENABLE);
	receiving = true;
}

static void note_page(void)
{
	uint32_t done = page_words - host_read(host, S5933_MWTC) / 4;
	uint32_t i;

	for (i = 0; i < done; i++)
		note(got, host->memory[i], HOST_DATA);
	receiving = false;
}

/* Until DMA can take no more. */
static void wait_dma(void)
{
	uint32_t now = status();
	uint32_t enough = mcsr & S5933_WRITE_4_WORDS ? S5933_A2P_4_WORDS : 0;

	while (!(now & (S5933_A2P_EMPTY | S5933_WRITE_COUNT_ZERO)) &&
	       (!enough || (now & enough)))
		now = status();
}

static void pop_all(uint8_t type)
{
	while (!(status() & S5933_A2P_EMPTY))
		note(got, host_read(host, S5933_FIFO), type);
}

static void finish_data(void)
{
	wait_dma();
	host_write(host, S5933_MCSR, mcsr);
	note_page();
	pop_all(HOST_DATA);
}

static void revive_link(void)
{
	sspci_set_cable(&host->board.card, true);
	host_write(host, S5933_OMB(0), SSPCI_FRESET_N | SSPCI_UTDO_N |
		   expect << 24);
	while (host->board.card.link != SLINK_LINK_READY)
		host_wait(host, 1000);
	host_expect(host, expect);
}

/* The card has stopped before a word of another type. */
static void change_type(unsigned int type)
{
	if (receiving)
		finish_data();
	else
		pop_all(expect);
	expect = type;
	if (expect == HOST_DATA)
		arm_page();
	host_expect(host, expect);
}

static void serve_mailbox(void)
{
	uint8_t lines = host_read8(host, S5933_IMB(3) + 3);

	if ((lines & HOST_DATA) != expect &&
	    host->board.card.level)
		change_type(lines & HOST_DATA);
	if (!(lines & SSPCI_LDOWN_N))
		revive_link();
}

static bool mailbox_is_full(void)
{
	return host_read(host, S5933_MBEF) & S5933_IMB_FULL(3, 3);
}

/* A page is full: another one only if more than the FIFO's words are there. */
static void serve_page(void)
{
	if (!receiving || !(status() & S5933_WRITE_COUNT_ZERO))
		return;
	if (settled)
		host_wait(host, 2000);
	if (mailbox_is_full() || !(status() & S5933_A2P_FULL))
		return;
	note_page();
	arm_page();
}

static void serve(void)
{
	uint32_t pending = host_read(host, S5933_INTCSR) & S5933_INT_STATUS;

	host_write(host, S5933_INTCSR, CONTROL_BITS | pending);
	if (pending & S5933_INT_IMB)
		serve_mailbox();
	serve_page();
}

static bool fifo_waits(void)
{
	return receiving && host->board.chip.write.count == 0 &&
	       host->board.chip.a2p.level == S5933_DEPTH;
}

/* All that the source has, and what is behind it in the card and the chip. */
static void read_stream(void)
{
	uint64_t next;
	bool idle;

	do {
		next = world_next_ns(&world);
		idle = next == SLINK_NEVER;
		if (!idle)
			world_advance(&world, next);
		if (host->irq)
			serve();
		else if (fifo_waits())
			serve_page();
		else if (!receiving)
			pop_all(expect);
		else if (idle)
			break;
	} while (!idle || host->irq || world_next_ns(&world) != SLINK_NEVER);
	if (receiving)
		finish_data();
	else
		pop_all(expect);
}

static void start(uint32_t page)
{
	memset(&world, 0, sizeof(world));
	host_init(host, &world);
	insert_tap();
	sent->n = 0;
	got->n = 0;
	block_error = false;
	receiving = false;
	settled = false;
	page_words = page;
	mcsr = S5933_WRITE_PRIORITY;
	expect = HOST_CONTROL;
	host_link_up(host, expect);
	host_write(host, S5933_INTCSR, CONTROL_BITS | S5933_INT_STATUS);
}

static void send_events(uint32_t n)
{
	host->board.source.cfg.mode = SLIDAS_BLOCK;
	host->board.source.cfg.count = n;
	slidas_restart(&host->board.source);
	read_stream();
}

static bool all_came(void)
{
	unsigned int i;

	if (sent->n != got->n)
		printf("# %u words sent, %u came\n", sent->n, got->n);
	for (i = 0; i < sent->n && i < got->n; i++)
		if (sent->word[i].data != got->word[i].data ||
		    sent->word[i].type != got->word[i].type) {
			printf("# word %u: sent %08x type %x, came %08x %x\n",
			       i, sent->word[i].data, sent->word[i].type,
			       got->word[i].data, got->word[i].type);
			return false;
		}
	if (host_faults(host))
		printf("# %u faults\n", host_faults(host));
	return sent->n == got->n && sent->n < MOST && !host_faults(host);
}

/* --- sizes at the end of a page ------------------------------------------- */

TEST("events of 1016 to 1044 words, in pages of 1024")
{
	const struct s5933_stats *stats = &host->board.chip.stats;
	unsigned int size;

	for (size = 1016; size <= 1044; size++) {
		start(1024);
		settled = true;
		host->board.source.cfg.size = size;
		send_events(1);
		ASSERT_TRUE(all_came());
		ASSERT_EQ(stats->starts, size > 1032 ? 2 : 1, "the second DMA");
		/* From 1025 to 1032 the CPU pops what is over. */
		ASSERT_EQ(stats->pops, size > 1024 && size <= 1032 ? size - 1022 : 2);
	}
}

TEST("pages of 16: empty, 1-3 beyond, 8 and 9 beyond, exactly at the end")
{
	static const uint32_t sizes[] = { 0, 1, 2, 3, 5, 15, 16, 17, 18, 19,
					  23, 24, 25, 26, 32, 33, 40, 41, 48 };
	unsigned int i, four;

	for (four = 0; four < 2; four++)
		for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			start(16);
			if (four)
				mcsr |= S5933_WRITE_4_WORDS;
			host->board.source.cfg.size = sizes[i];
			send_events(7);
			ASSERT_TRUE(all_came());
		}
}

/* --- anything ------------------------------------------------------------- */

static void randomise(uint32_t *seed)
{
	struct slidas_config *source = &host->board.source.cfg;
	struct sspci_config *card = &host->board.card.cfg;

	if (host_random(seed) % 2)
		mcsr |= S5933_WRITE_4_WORDS;
	settled = host_random(seed) % 2;
	host->board.chip.cfg.grant_ns = host_random(seed) % 3 * 200;
	card->word_ns = host_random(seed) % 60;
	card->fifo_words = 32 + host_random(seed) % 200;
	card->word_errors = host_random(seed) % 2;
	source->word_ns = 1 + host_random(seed) % 100;
	source->gap_ns = host_random(seed) % 5000;
	source->pattern = host_random(seed) % (SLIDAS_ATLAS + 1);
	source->sizes = SLIDAS_SPREAD;
	source->size = host_random(seed) % 20;
	source->size_max = source->size + host_random(seed) % 100;
	source->seed = host_random(seed);
}

static void stream_at_random(uint32_t seed, uint32_t faults)
{
	uint32_t first = seed;

	start(1 + host_random(&seed) % 64);
	randomise(&seed);
	if (faults) {
		host->board.source.cfg.every = 1 + host_random(&seed) % 5;
		host->board.source.cfg.faults = host_random(&seed) & faults;
	}
	send_events(40);
	if (!all_came() || sent->n <= 40)
		FAIL("seed %u, faults %#x, page %u words", first, faults, page_words);
}

/* The argument is the number of streams of each kind. */
TEST("random streams: nothing lost, nothing invented")
{
	uint32_t lossless = SLIDAS_FAULTS & ~SLIDAS_FLOOD;
	unsigned long i, runs = *arguments ? strtoul(*arguments, NULL, 0) : 100;

	for (i = 1; i <= runs; i++) {
		stream_at_random(i, 0);
		stream_at_random(i, lossless & ~SLIDAS_CUT);
		stream_at_random(i, lossless);
	}
}

TEST("XOFF ignored: what is lost is counted, the rest is read")
{
	const struct sspci_stats *stats = &host->board.card.stats;

	start(64);
	host->board.card.cfg.fifo_words = 64;
	host->board.card.cfg.word_ns = 100;
	host->board.source.cfg.word_ns = 10;
	host->board.source.cfg.size = 1000;
	host->board.source.next_fault = SLIDAS_FLOOD;
	send_events(1);
	ASSERT_TRUE(stats->overflowed && got->n + stats->overflowed == sent->n);
}
