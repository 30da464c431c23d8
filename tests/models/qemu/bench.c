// SPDX-License-Identifier: GPL-2.0-only
/* bench.c: the test bench of a board; see bench.h */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* --- registers that are not plain fields ---------------------------------- */

static uint32_t get_id(struct board *board)
{
	(void)board;
	return BENCH_ID;
}

static uint32_t get_time_low(struct board *board)
{
	return board->world->now;
}

static uint32_t get_time_high(struct board *board)
{
	return board->world->now >> 32;
}

static void clear(struct board *board, uint32_t what)
{
	if (what & BENCH_CLEAR_COUNTERS) {
		memset(&board->chip.stats, 0, sizeof(board->chip.stats));
		memset(&board->card.stats, 0, sizeof(board->card.stats));
		memset(&board->source.stats, 0, sizeof(board->source.stats));
		memset(&board->sps.stats, 0, sizeof(board->sps.stats));
		board->bench_errors = 0;
		board->sink.words = 0;
		board->sink.controls = 0;
		board->sink.sum = 0;
		board->sink.lost = 0;
	}
	if (what & BENCH_CLEAR_FAULTS)
		memset(&board->chip.faults, 0, sizeof(board->chip.faults));
}

static void restart_source(struct board *board, uint32_t mode)
{
	(void)mode;
	slidas_restart(&board->source);
}

static uint32_t get_wanted(struct board *board)
{
	return board->source.wanted;
}

static void trigger(struct board *board, uint32_t n)
{
	slidas_trigger(&board->source, n);
}

static uint32_t get_missed(struct board *board)
{
	return slidas_missed(&board->source);
}

static uint32_t get_cable(struct board *board)
{
	return board->card.cable;
}

static void set_cable(struct board *board, uint32_t in)
{
	sspci_set_cable(&board->card, in);
}

static uint32_t get_link(struct board *board)
{
	return board->is_source ? board->sps.link : board->card.link;
}

static uint32_t get_lines(struct board *board)
{
	return board->is_source ? board->sps.lines : board->card.lines;
}

static uint32_t get_omb1(struct board *board)
{
	return board->is_source ? board->sps.control : board->card.control;
}

static uint32_t get_chip_level(struct board *board)
{
	return board->chip.a2p.level;
}

static uint32_t get_xoff(struct board *board)
{
	return board->card.cfg.xoff && board->card.full;
}

static uint32_t get_irq(struct board *board)
{
	return board->chip.irq;
}

static void gone_changed(struct board *board, uint32_t gone)
{
	s5933_gone_changed(&board->chip);
	if (gone)
		return;
	sspci_reset(&board->card);
	sps_reset(&board->sps);
}

static void lose_state(struct board *board, uint32_t ns)
{
	board->lose_at = board->world->now + ns;
}

static uint32_t get_peer(struct board *board)
{
	return !!board->peer;
}

static uint32_t take_sink_word(struct board *board)
{
	struct slink_word word;

	return sink_take(&board->sink, &word) ? word.data : UINT32_MAX;
}

/* The type of the word that sink-data would return. */
static uint32_t get_sink_control(struct board *board)
{
	const struct sink *sink = &board->sink;

	return sink->level && sink->word[sink->head].flags & SLINK_CONTROL;
}

static void pull_irq(struct board *board, uint32_t ns)
{
	board_pull_irq(board, ns);
}

uint32_t bench_faults(struct board *board)
{
	const struct s5933_faults *faults = &board->chip.faults;

	return faults->empty_reads + faults->full_writes + faults->races +
	       faults->nvram_busy + faults->unmodelled + faults->bad_accesses +
	       faults->hasty + faults->overtaken;
}

/* --- the table ------------------------------------------------------------ */

static const char *const mode_names[] = {
	"stop", "single", "block", "trigger", "test", NULL
};

static const char *const pattern_names[] = {
	"count", "running", "walk", "alternate", "constant", "random", "atlas",
	NULL
};

static const char *const sizes_names[] = { "fixed", "sweep", "random", NULL };

static const char *const link_names[] = {
	"down", "reset", "ready", "up", NULL
};

static const char *const bus_names[] = { "free", "pci", NULL };

static const char *const abort_names[] = { "none", "master", "target", NULL };

static const char *const cycles_names[] = { "any", "write", "read", NULL };

#define AT(path)	offsetof(struct board, path)
#define SOURCE(o, n, f, ...) \
	{ .offset = (o), .name = (n), .field = AT(source.cfg.f), __VA_ARGS__ }
#define CARD(o, n, f, ...) \
	{ .offset = (o), .name = (n), .field = AT(card.cfg.f), __VA_ARGS__ }
#define PLAIN(o, n, f, ...) \
	{ .offset = (o), .name = (n), .field = AT(f), __VA_ARGS__ }
#define CALL(o, n, ...)	{ .offset = (o), .name = (n), __VA_ARGS__ }
#define COUNT(o, n, f) \
	{ .offset = (o), .name = (n), .field = AT(f), .min = 1 }
#define RANGE(least, most)	.min = (least), .max = (most)
#define READ_ONLY		.min = 1, .max = 0

const struct bench_reg bench_regs[] = {
	CALL(0x000, "id", .get = get_id, READ_ONLY),
	CALL(0x004, "time-low", .get = get_time_low, READ_ONLY),
	CALL(0x008, "time-high", .get = get_time_high, READ_ONLY),
	CALL(0x00c, "clear", .set = clear,
	     RANGE(0, BENCH_CLEAR_COUNTERS | BENCH_CLEAR_FAULTS)),

	/* the source */
	SOURCE(0x010, "mode", mode, RANGE(0, SLIDAS_TEST),
	       .choices = mode_names, .set = restart_source),
	SOURCE(0x014, "pattern", pattern, RANGE(0, SLIDAS_ATLAS),
	       .choices = pattern_names),
	SOURCE(0x018, "sizes", sizes, RANGE(0, SLIDAS_SPREAD),
	       .choices = sizes_names),
	SOURCE(0x01c, "size", size, RANGE(0, 1 << 24)),
	SOURCE(0x020, "size-max", size_max, RANGE(0, 1 << 24)),
	SOURCE(0x024, "step", step, RANGE(1, 1 << 24)),
	SOURCE(0x028, "rate", rate, RANGE(1, 10000000)),
	SOURCE(0x02c, "count", count, RANGE(0, UINT32_MAX)),
	SOURCE(0x030, "gap-ns", gap_ns, RANGE(0, UINT32_MAX)),
	SOURCE(0x034, "word-ns", word_ns, RANGE(1, 1000000)),
	SOURCE(0x038, "begin", begin, RANGE(0, UINT32_MAX)),
	SOURCE(0x03c, "end", end, RANGE(0, UINT32_MAX)),
	SOURCE(0x040, "seed", seed, RANGE(0, UINT32_MAX)),
	SOURCE(0x044, "start-line", start_line, RANGE(0, 4)),
	PLAIN(0x048, "event", source.event, RANGE(0, UINT32_MAX)),
	PLAIN(0x04c, "running", source.running, RANGE(0, UINT32_MAX)),
	CALL(0x050, "trigger", .get = get_wanted, .set = trigger,
	     RANGE(0, UINT32_MAX)),
	PLAIN(0x054, "inject", source.next_fault, RANGE(0, SLIDAS_FAULTS)),
	SOURCE(0x058, "inject-faults", faults, RANGE(0, SLIDAS_FAULTS)),
	SOURCE(0x05c, "inject-every", every, RANGE(0, UINT32_MAX)),
	SOURCE(0x060, "inject-at", at, RANGE(0, UINT32_MAX)),

	/* the times of the bus */
	CALL(0x070, "bus-time", .field = AT(bus), .choices = bus_names,
	     .set = board_set_bus, RANGE(0, BOARD_BUS_PCI)),
	PLAIN(0x074, "read-ns", chip.cfg.read_ns, RANGE(0, 1000000)),
	PLAIN(0x078, "write-ns", chip.cfg.write_ns, RANGE(0, 1000000)),
	PLAIN(0x07c, "phase-ns", chip.cfg.phase_ns, RANGE(0, 1000000)),

	/* link and card */
	CALL(0x080, "cable", .get = get_cable, .set = set_cable, RANGE(0, 1)),
	CALL(0x084, "link", .get = get_link, .choices = link_names, READ_ONLY),
	CALL(0x088, "lines", .get = get_lines, READ_ONLY),
	CALL(0x08c, "omb1", .get = get_omb1, READ_ONLY),
	CARD(0x090, "fifo-words", fifo_words, RANGE(32, SSPCI_FIFO_MAX)),
	CARD(0x094, "card-ns", word_ns, RANGE(0, 1000000)),
	PLAIN(0x098, "out-ns", sps.cfg.word_ns, RANGE(1, 1000000)),
	CARD(0x09c, "reset-ns", reset_ns, RANGE(0, UINT32_MAX)),
	CARD(0x0a0, "xoff", xoff, RANGE(0, 1)),
	CARD(0x0a4, "word-errors", word_errors, RANGE(0, 1)),
	CARD(0x0a8, "overflow-low", overflow_low, RANGE(0, 1)),
	PLAIN(0x0ac, "level", card.level, READ_ONLY),
	CALL(0x0b0, "is-xoff", .get = get_xoff, READ_ONLY),
	CALL(0x0b4, "has-peer", .get = get_peer, READ_ONLY),
	PLAIN(0x0b8, "posted", chip.n_posted, READ_ONLY),
	CALL(0x0bc, "other-irq", .set = pull_irq, RANGE(0, 1000000)),

	/* chip and PCI bus */
	PLAIN(0x0c0, "grant-ns", chip.cfg.grant_ns, RANGE(0, 1000000)),
	PLAIN(0x0c4, "nvram-ns", chip.cfg.nvram_ns, RANGE(0, UINT32_MAX)),
	PLAIN(0x0c8, "abort", abort_kind, RANGE(0, S5933_BUS_TARGET_ABORT),
	      .choices = abort_names),
	PLAIN(0x0cc, "abort-after", abort_after, RANGE(0, UINT32_MAX)),
	CALL(0x0d0, "chip-level", .get = get_chip_level, READ_ONLY),
	CALL(0x0d4, "irq", .get = get_irq, READ_ONLY),
	PLAIN(0x0d8, "gone", chip.cfg.gone, RANGE(0, 1), .set = gone_changed),
	PLAIN(0x0dc, "posted-ns", chip.cfg.posted_ns, RANGE(0, 1000000000)),

	/* the sink */
	PLAIN(0x0e0, "sink-hold", sink.hold, RANGE(0, 1)),
	PLAIN(0x0e4, "sink-keep", sink.keep, RANGE(0, 1)),
	PLAIN(0x0e8, "sink-level", sink.level, READ_ONLY),
	CALL(0x0ec, "sink-control", .get = get_sink_control, READ_ONLY),
	CALL(0x0f0, "sink-data", .get = take_sink_word, READ_ONLY),
	PLAIN(0x0f4, "abort-on", abort_on, RANGE(0, BOARD_READS),
	      .choices = cycles_names),
	CALL(0x0f8, "lose-ns", .set = lose_state, RANGE(0, UINT32_MAX)),

	/* counters */
	COUNT(0x100, "events", source.stats.events),
	COUNT(0x104, "complete", source.stats.complete),
	COUNT(0x108, "broken", source.stats.broken),
	COUNT(0x10c, "words", source.stats.words),
	COUNT(0x110, "controls", source.stats.controls),
	CALL(0x114, "missed", .get = get_missed, READ_ONLY),
	COUNT(0x118, "faulty", source.stats.faulty),
	COUNT(0x11c, "received", card.stats.received),
	COUNT(0x120, "passed", card.stats.passed),
	COUNT(0x124, "overflowed", card.stats.overflowed),
	COUNT(0x128, "discarded", card.stats.discarded),
	COUNT(0x12c, "most", card.stats.most),
	COUNT(0x130, "strobes", card.stats.strobes),
	COUNT(0x134, "stops", card.stats.stops),
	COUNT(0x138, "link-drops", card.stats.drops),
	COUNT(0x13c, "test-words", card.stats.test_words),
	COUNT(0x140, "test-errors", card.stats.test_errors),
	COUNT(0x144, "irqs", chip.stats.irqs),
	COUNT(0x148, "pops", chip.stats.pops),
	COUNT(0x14c, "starts", chip.stats.starts),
	COUNT(0x150, "completes", chip.stats.completes),
	COUNT(0x154, "bursts", chip.stats.bursts),
	COUNT(0x158, "dma-words", chip.stats.dma_words),
	COUNT(0x15c, "aborts", chip.stats.aborts),
	COUNT(0x160, "lost-strobes", chip.stats.lost_strobes),
	COUNT(0x164, "reg-reads", chip.stats.reg_reads),
	COUNT(0x168, "reg-writes", chip.stats.reg_writes),
	COUNT(0x16c, "pushes", chip.stats.pushes),
	COUNT(0x170, "read-starts", chip.stats.read_starts),
	COUNT(0x174, "read-completes", chip.stats.read_completes),
	COUNT(0x178, "read-words", chip.stats.read_words),
	COUNT(0x17c, "sent", sps.stats.sent),
	COUNT(0x180, "sink-words", sink.words),
	COUNT(0x184, "sink-controls", sink.controls),
	COUNT(0x188, "sink-sum", sink.sum),
	COUNT(0x18c, "sink-lost", sink.lost),
	COUNT(0x190, "bus-wait-ns", chip.stats.wait_ns),

	/* faults of the software */
	CALL(0x1c0, "faults", .get = bench_faults, READ_ONLY),
	COUNT(0x1c4, "fault-empty-reads", chip.faults.empty_reads),
	COUNT(0x1c8, "fault-full-writes", chip.faults.full_writes),
	COUNT(0x1cc, "fault-races", chip.faults.races),
	COUNT(0x1d0, "fault-nvram-busy", chip.faults.nvram_busy),
	COUNT(0x1d4, "fault-unmodelled", chip.faults.unmodelled),
	COUNT(0x1d8, "fault-bad-accesses", chip.faults.bad_accesses),
	COUNT(0x1dc, "bench-errors", bench_errors),
	COUNT(0x1e0, "fault-hasty", chip.faults.hasty),
	COUNT(0x1e4, "fault-overtaken", chip.faults.overtaken),
	{ 0 }
};

/* --- access --------------------------------------------------------------- */

static uint32_t *field_of(struct board *board, const struct bench_reg *reg)
{
	return (uint32_t *)((char *)board + reg->field);
}

/* No register stands for the first field of struct board, so 0 means no field. */
uint32_t bench_get(struct board *board, const struct bench_reg *reg)
{
	if (reg->get)
		return reg->get(board);
	return reg->field ? *field_of(board, reg) : 0;
}

bool bench_set(struct board *board, const struct bench_reg *reg,
	       uint32_t value)
{
	if (value < reg->min || value > reg->max)
		return false;
	if (reg->field)
		*field_of(board, reg) = value;
	if (reg->set)
		reg->set(board, value);
	return true;
}

static bool parse_choice(const struct bench_reg *reg, const char *text,
			 uint32_t *value)
{
	uint32_t i;

	for (i = 0; reg->choices && reg->choices[i]; i++)
		if (!strcmp(reg->choices[i], text)) {
			*value = i;
			return true;
		}
	return false;
}

bool bench_parse(const struct bench_reg *reg, const char *text,
		 uint32_t *value)
{
	unsigned long number;
	char *end;

	if (parse_choice(reg, text, value))
		return true;
	errno = 0;
	number = strtoul(text, &end, 0);
	if (errno || end == text || *end || *text == '-' ||
	    number > UINT32_MAX)
		return false;
	*value = number;
	return true;
}

const struct bench_reg *bench_by_name(const char *name)
{
	const struct bench_reg *reg;

	for (reg = bench_regs; reg->name; reg++)
		if (!strcmp(reg->name, name))
			return reg;
	return NULL;
}

static const struct bench_reg *bench_at(unsigned int offset)
{
	const struct bench_reg *reg;

	for (reg = bench_regs; reg->name; reg++)
		if (reg->offset == offset)
			return reg;
	return NULL;
}

uint32_t bench_read(struct board *board, unsigned int offset)
{
	const struct bench_reg *reg = bench_at(offset);

	return board && reg ? bench_get(board, reg) : UINT32_MAX;
}

void bench_write(struct board *board, unsigned int offset, uint32_t value)
{
	const struct bench_reg *reg = bench_at(offset);

	if (board && (!reg || !bench_set(board, reg, value)))
		board->bench_errors++;
}
