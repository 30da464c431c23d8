// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of bench registers, its use, aborts on request, and the times of a front
 * end. The argument is a page of the documentation, which must describe each register.
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

static void put(const char *name, uint32_t value)
{
	bench_write(&host->board, bench_by_name(name)->offset, value);
	host_wait(host, 0);
}

/* --- the table ------------------------------------------------------------ */

static bool is_unique(const struct bench_reg *reg)
{
	const struct bench_reg *other;

	for (other = reg + 1; other->name; other++)
		if (!strcmp(other->name, reg->name) ||
		    other->offset <= reg->offset)
			return false;
	return true;
}

static bool is_sound(const struct bench_reg *reg)
{
	return reg->offset % 4 == 0 && reg->offset < BENCH_WINDOW &&
	       (reg->field || reg->get || reg->set) &&
	       (reg->min <= reg->max || !reg->set) && is_unique(reg);
}

static bool refuses(const struct bench_reg *reg)
{
	uint32_t before = bench_get(&host->board, reg);
	bool good = true;

	if (reg->max < reg->min)
		return !bench_set(&host->board, reg, before);
	if (reg->max < UINT32_MAX)
		good = !bench_set(&host->board, reg, reg->max + 1);
	if (reg->min > 0)
		good = good && !bench_set(&host->board, reg, reg->min - 1);
	return good && bench_get(&host->board, reg) == before;
}

static bool keeps(const struct bench_reg *reg)
{
	if (reg->max < reg->min || !reg->field)
		return true;
	return bench_set(&host->board, reg, reg->max) &&
	       bench_get(&host->board, reg) == reg->max &&
	       bench_set(&host->board, reg, reg->min) &&
	       bench_get(&host->board, reg) == reg->min;
}

TEST("the table of registers", start)
{
	const struct bench_reg *reg;

	for (reg = bench_regs; reg->name; reg++) {
		ASSERT_TRUE(is_sound(reg), reg->name);
		ASSERT_TRUE(refuses(reg), reg->name);
		ASSERT_TRUE(keeps(reg), reg->name);
	}
	ASSERT_EQ(bench_read(&host->board, 0x1fc), UINT32_MAX);
	ASSERT_TRUE(bench_read(NULL, 0) == UINT32_MAX && get("id") == BENCH_ID);
	start(NULL);
	bench_write(&host->board, 0x1fc, 1);
	put("step", 0);
	put("events", 1);
	bench_write(NULL, 0x10, 1);
	ASSERT_EQ(get("bench-errors"), 3, "refused writes are counted");
}

TEST("names and numbers", start)
{
	const struct bench_reg *mode = bench_by_name("mode");
	uint32_t number = 99;

	ASSERT_TRUE(bench_parse(mode, "trigger", &number) && number == SLIDAS_TRIGGER);
	ASSERT_TRUE(bench_parse(mode, "2", &number) && number == SLIDAS_BLOCK);
	ASSERT_TRUE(bench_parse(mode, "0x10", &number) && number == 16);
	number = 99;
	ASSERT_TRUE(!bench_parse(mode, "trig", &number) && !bench_parse(mode, "", &number));
	ASSERT_TRUE(!bench_parse(mode, "-1", &number) && !bench_parse(mode, "1k", &number));
	ASSERT_TRUE(!bench_parse(mode, "4294967296", &number) && number == 99);
	ASSERT_TRUE(!bench_by_name("nothing"), "no such register");
}

/* --- the effects of registers --------------------------------------------- */

TEST("registers run the source, and count", start)
{
	host_link_up(host, HOST_CONTROL);
	put("size", 3);
	put("mode", SLIDAS_SINGLE);
	put("trigger", 2);
	host_wait(host, 1000);
	ASSERT_TRUE(get("events") == 2 && get("words") == 6 && get("level") == 9);
	ASSERT_TRUE(get("trigger") == 0 && get("link") == SLINK_LINK_UP);
	host_read(host, S5933_FIFO);
	host_read(host, S5933_FIFO);
	ASSERT_TRUE(get("faults") == 1 && get("fault-empty-reads") == 1);
	ASSERT_EQ(get("pops"), 1);
	put("clear", BENCH_CLEAR_COUNTERS);
	ASSERT_TRUE(get("faults") == 1 && !get("events") && !get("received"));
	put("clear", BENCH_CLEAR_FAULTS);
	ASSERT_TRUE(!get("faults"), "faults cleared");
	put("cable", 0);
	ASSERT_TRUE(get("link") == SLINK_LINK_DOWN && !get("cable"), "cable out");
	host_wait(host, 0x100000000);
	ASSERT_EQ(get("time-high"), 1, "the model's time");
}

static void read_dma(uint32_t words)
{
	put("size", words);
	put("mode", SLIDAS_SINGLE);
	put("trigger", 1);
	host_wait(host, 1000);
	host_read(host, S5933_FIFO);
	host_write(host, S5933_MWAR, HOST_BASE);
	host_write(host, S5933_MWTC, 4 * words);
	host_write(host, S5933_MCSR, S5933_WRITE_ENABLE);
	host_expect(host, HOST_DATA);
	host_wait(host, 100000);
}

TEST("aborts on request", start)
{
	host_link_up(host, HOST_CONTROL);
	put("abort-after", 13);
	put("abort", S5933_BUS_TARGET_ABORT);
	read_dma(20);
	ASSERT_TRUE((host_read(host, S5933_INTCSR) & S5933_INT_TARGET_ABORT));
	ASSERT_TRUE(host_read(host, S5933_MWTC) == 4 * 7 && get("aborts") == 1);
	ASSERT_EQ(get("abort"), S5933_BUS_OK, "once");
	host_write(host, S5933_MWAR, HOST_BASE + 4 * 13);
	host_wait(host, 100000);
	ASSERT_TRUE(host_read(host, S5933_MWTC) == 0 && host->memory[19] == 19);
	ASSERT_EQ(host->memory[12], 12);
	put("abort-on", BOARD_READS);
	put("abort-after", 0);
	put("abort", S5933_BUS_TARGET_ABORT);
	read_dma(20);
	ASSERT_TRUE(get("abort") == S5933_BUS_TARGET_ABORT && get("aborts") == 1);
	put("abort-on", BOARD_ANY);
	put("abort", S5933_BUS_MASTER_ABORT);
	host_write(host, S5933_MCSR, 0);
	ASSERT_TRUE(!(host_read(host, S5933_INTCSR) & S5933_INT_MASTER_ABORT));
}

TEST("another device interrupts", start)
{
	put("other-irq", 5000);
	ASSERT_TRUE(host->irq && !get("irq") && !get("irqs"));
	host_wait(host, 5000);
	ASSERT_TRUE(!host->irq, "for a while");
}

/* --- when to come back ---------------------------------------------------- */

/* A host that accesses anything, but does not read an empty FIFO. */
static void poke(uint32_t *seed)
{
	host_read8(host, S5933_IMB(3) + 3);
	host_write(host, S5933_INTCSR, 0x1f00 | S5933_INT_STATUS |
		   S5933_INT_WRITE_ENABLE);
	host_write(host, S5933_MCSR, S5933_WRITE_ENABLE | S5933_RESET_A2P);
	host_write(host, S5933_MWAR, HOST_BASE);
	host_write(host, S5933_MWTC, host_random(seed) % 200 * 4);
	host_expect(host, host_random(seed) % 2 ? HOST_DATA : HOST_CONTROL);
}

/* Advances by single steps. Returns true if an interrupt came before its time. */
static bool comes_early(void)
{
	uint64_t told = world_next_visible(&world);
	uint64_t next = world_next_ns(&world);

	if (host->irq)
		return false;
	while (!host->irq && next != SLINK_NEVER && next < told) {
		world_advance(&world, next);
		next = world_next_ns(&world);
	}
	if (host->irq)
		return world.now < told;
	if (told != SLINK_NEVER)
		world_advance(&world, told);
	return false;
}

TEST("no interrupt before the time that was told", start)
{
	unsigned int steps, irqs = 0;
	uint32_t seed = 1;

	host_link_up(host, HOST_CONTROL);
	put("size", 100);
	put("mode", SLIDAS_BLOCK);
	for (steps = 0; steps < 20000; steps++) {
		host->board.chip.cfg.grant_ns = steps / 1000 % 2 * 240;
		host->board.source.cfg.word_ns = 20 + steps / 5000 * 60;
		ASSERT_TRUE(!comes_early());
		irqs += host->irq;
		if (host->irq || world_next_ns(&world) == SLINK_NEVER)
			poke(&seed);
	}
	ASSERT_TRUE(irqs > 1000);
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
