// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults of the software that the model of the S-LINK cards must see: the tests of the
 * drivers fail by these counts, and cannot tell that a model forgives. The argument is a
 * page of the documentation, which must describe each register of the bench.
 */
#include "bench.h"
#include "harness.h"
#include "test-host.h"

static struct world world;
static struct host the_host, *const host = &the_host;

SETUP(start)
{
	memset(&world, 0, sizeof(world));
	host_init(host, &world);
}

static uint32_t get(const char *name)
{
	return bench_read(&host->board, bench_by_name(name)->offset);
}

/* Return true if this is the one fault since the last one, or since start(). */
static bool is_fault(const char *name)
{
	bool found = get("faults") == 1 && get(name) == 1;

	memset(&host->board.chip.faults, 0, sizeof(host->board.chip.faults));
	return found;
}

/* --- the chip ------------------------------------------------------------- */

TEST("a read of an empty FIFO", start)
{
	s5933_push(&host->board.chip, 5);
	ASSERT_TRUE(host_read(host, S5933_FIFO) == 5 && !get("faults"));
	ASSERT_EQ(host_read(host, S5933_FIFO), UINT32_MAX);
	ASSERT_TRUE(is_fault("fault-empty-reads"));
}

TEST("a write of a full FIFO", start)
{
	int i;

	host_write(host, S5933_MCSR, S5933_ADDON_RESET);
	for (i = 0; i < S5933_DEPTH; i++)
		host_write(host, S5933_FIFO, i);
	ASSERT_EQ(get("faults"), 0);
	host_write(host, S5933_FIFO, i);
	ASSERT_TRUE(is_fault("fault-full-writes"));
}

TEST("a read of the FIFO while DMA may run", start)
{
	host_write(host, S5933_MWAR, HOST_BASE);
	host_write(host, S5933_MWTC, 64);
	host_write(host, S5933_MCSR, S5933_WRITE_4_WORDS | S5933_WRITE_ENABLE);
	s5933_push(&host->board.chip, 1);
	s5933_push(&host->board.chip, 2);
	host_read(host, S5933_FIFO);
	ASSERT_TRUE(is_fault("fault-races"));
	host_write(host, S5933_MCSR, S5933_WRITE_4_WORDS);
	host_read(host, S5933_FIFO);
	ASSERT_EQ(get("faults"), 0, "not when DMA was switched off before");
}

TEST("a command to an NVRAM that is busy", start)
{
	host->board.chip.cfg.nvram_ns = 100;
	host_write8(host, S5933_MCSR + 3, 0x80);
	ASSERT_EQ(get("faults"), 0);
	host_write8(host, S5933_MCSR + 3, 0x80);
	ASSERT_TRUE(is_fault("fault-nvram-busy"));
}

TEST("what the model does not have, and odd accesses", start)
{
	host_write(host, S5933_INTCSR, 3u << 24);
	ASSERT_TRUE(is_fault("fault-unmodelled"), "conversion of 64 bits");
	host_read(host, 0x3a);
	ASSERT_TRUE(is_fault("fault-bad-accesses"), "across two registers");
}

/* --- the cards ------------------------------------------------------------ */

/* The reset of libSLINK.c, which waits so long before each of its steps. */
static void reset_slowly(unsigned int on, unsigned int off, unsigned int high)
{
	start(NULL);
	host_link_up(host, HOST_CONTROL);
	host_write(host, S5933_OMB(0), 0x01000006);
	host_write(host, S5933_MCSR, S5933_ADDON_RESET);
	host_wait(host, on);
	host_write(host, S5933_MCSR, S5933_ADDON_RESET | S5933_RESET_A2P);
	host_wait(host, off);
	host_write(host, S5933_MCSR, 0);
	host_wait(host, high);
	host_write(host, S5933_OMB(0), 0x01000007);
}

TEST("resets that are too short", start)
{
	reset_slowly(10000, 10000, 10000);
	ASSERT_EQ(get("faults"), 0, "a reset with its waits");
	reset_slowly(5000, 10000, 10000);
	ASSERT_TRUE(is_fault("fault-hasty"), "no wait after SYSRST#");
	reset_slowly(10000, 5000, 10000);
	ASSERT_TRUE(is_fault("fault-hasty"), "SYSRST# high too soon");
	reset_slowly(10000, 10000, 5000);
	ASSERT_TRUE(is_fault("fault-hasty"), "FRESET# high too soon");
	host_write(host, S5933_OMB(0), 0x01000006);
	host_wait(host, 5000);
	host_write(host, S5933_OMB(0), 0x01000007);
	ASSERT_TRUE(is_fault("fault-hasty"), "FRESET# alone is too short");
}

TEST("SPS: a type of word that overtakes a word", start)
{
	board_make_source(&host->board);
	board_reset(&host->board);
	s5933_set_master(&host->board.chip, true);
	host_write(host, S5933_OMB(0), SPS_UTEST_N | SPS_UCTRL_N);
	host_write(host, S5933_FIFO, 9);
	ASSERT_EQ(get("faults"), 0);
	host_write(host, S5933_OMB(0), SPS_UTEST_N);
	ASSERT_TRUE(is_fault("fault-overtaken"));
}

/* --- the page ------------------------------------------------------------- */

/* A row of its tables begins "| 000 | `name` |". */
static bool is_told(FILE *page, const struct bench_reg *reg)
{
	char line[400], start[100];

	snprintf(start, sizeof(start), "| %03x | `%s` |", reg->offset,
		 reg->name);
	rewind(page);
	while (fgets(line, sizeof(line), page))
		if (!strncmp(line, start, strlen(start)))
			return true;
	return false;
}

TEST("the page tells of each register")
{
	const struct bench_reg *reg;
	FILE *page;

	if (!*arguments)
		SKIP("no page was given");
	page = fopen(*arguments, "r");
	ASSERT_TRUE(page, *arguments);
	for (reg = bench_regs; reg->name; reg++)
		ASSERT_TRUE(is_told(page, reg), reg->name);
	fclose(page);
}
