// SPDX-License-Identifier: GPL-2.0-only
/*
 * s5933.c: a model of the AMCC S5933: registers, mailboxes, FIFO, resets
 *
 * See s5933.h and Documentation/slink/slink-model.md.
 */
#include <string.h>

#include "s5933-chip.h"
#include "slink.h"

static uint32_t lanes_mask(unsigned int lanes)
{
	uint32_t mask = 0;
	unsigned int lane;

	for (lane = 0; lane < 4; lane++)
		if (lanes & 1u << lane)
			mask |= 0xffu << 8 * lane;
	return mask;
}

uint32_t s5933_convert(const struct s5933 *chip, uint32_t word)
{
	switch (S5933_INT_ENDIAN(chip->intcsr)) {
	case 1:
		return (word & 0x00ff00ff) << 8 | (word >> 8 & 0x00ff00ff);
	case 2:
		return __builtin_bswap32(word);
	}
	return word;
}

/* --- interrupt ------------------------------------------------------------ */

/* Return: the status bits that an enable bit lets through. Aborts share those of DMA. */
static uint32_t irq_pending(uint32_t intcsr)
{
	uint32_t abort = S5933_INT_MASTER_ABORT | S5933_INT_TARGET_ABORT;
	uint32_t through = 0;

	if (intcsr & S5933_INT_OMB_ENABLE)
		through |= S5933_INT_OMB;
	if (intcsr & S5933_INT_IMB_ENABLE)
		through |= S5933_INT_IMB;
	if (intcsr & S5933_INT_WRITE_ENABLE)
		through |= S5933_INT_WRITE | abort;
	if (intcsr & S5933_INT_READ_ENABLE)
		through |= S5933_INT_READ | abort;
	return intcsr & through;
}

static void update_irq(struct s5933 *chip)
{
	bool level = irq_pending(chip->intcsr) && !chip->cfg.gone;

	if (level == chip->irq)
		return;
	chip->irq = level;
	if (level)
		chip->stats.irqs++;
	chip->ops->set_irq(chip->host, level);
}

void s5933_raise(struct s5933 *chip, uint32_t status)
{
	chip->intcsr |= status;
	update_irq(chip);
}

static void write_intcsr(struct s5933 *chip, uint32_t value, uint32_t mask)
{
	s5933_merge(&chip->intcsr, value, mask & S5933_INT_CONTROL);
	chip->intcsr &= ~(value & mask & S5933_INT_STATUS);
	if ((mask & 0xff000000) && S5933_INT_ENDIAN(value) == 3)
		chip->faults.unmodelled++;
	update_irq(chip);
}

static uint32_t read_intcsr(const struct s5933 *chip)
{
	return chip->intcsr | (chip->irq ? S5933_INT_ASSERTED : 0);
}

/* --- mailboxes ------------------------------------------------------------ */

static void write_omb(struct s5933 *chip, unsigned int box, uint32_t value,
		      unsigned int lanes)
{
	s5933_merge(&chip->omb[box], value, lanes_mask(lanes));
	chip->mbef |= lanes << 4 * box;
	chip->ops->omb_written(chip->addon, box);
}

static uint32_t read_imb(struct s5933 *chip, unsigned int box,
			 unsigned int lanes)
{
	chip->mbef &= ~(lanes << (16 + 4 * box));
	return chip->imb[box];
}

void s5933_write_imb(struct s5933 *chip, unsigned int box, unsigned int lane,
		     uint8_t byte)
{
	uint32_t flag = S5933_IMB_FULL(box, lane);

	s5933_merge(&chip->imb[box], (uint32_t)byte << 8 * lane, 0xffu << 8 * lane);
	if (chip->mbef & flag) {
		chip->stats.lost_strobes++;
		return;
	}
	chip->mbef |= flag;
	if (S5933_INT_IMB_BOX(chip->intcsr) == box &&
	    S5933_INT_IMB_BYTE(chip->intcsr) == lane)
		s5933_raise(chip, S5933_INT_IMB);
}

bool s5933_omb_is_full(const struct s5933 *chip, unsigned int box)
{
	return chip->mbef >> 4 * box & 0xf;
}

uint32_t s5933_take_omb(struct s5933 *chip, unsigned int box)
{
	uint32_t lane = S5933_INT_OMB_BYTE(chip->intcsr);
	uint32_t was_full = chip->mbef & S5933_OMB_FULL(box, lane);

	chip->mbef &= ~(0xfu << 4 * box);
	if (was_full && S5933_INT_OMB_BOX(chip->intcsr) == box)
		s5933_raise(chip, S5933_INT_OMB);
	return chip->omb[box];
}

/* --- the FIFO register ---------------------------------------------------- */

static bool advances(const struct s5933 *chip, unsigned int lanes)
{
	return lanes & 1u << S5933_INT_ADVANCE(chip->intcsr);
}

static uint32_t read_fifo(struct s5933 *chip, unsigned int lanes)
{
	uint32_t word;

	if (!chip->a2p.level) {
		chip->faults.empty_reads++;
		return UINT32_MAX;
	}
	word = s5933_convert(chip, s5933_fifo_peek(&chip->a2p, 0));
	if (!advances(chip, lanes))
		return word;
	if ((chip->mcsr & S5933_WRITE_ENABLE) && chip->write.count)
		chip->faults.races++;
	s5933_fifo_drop(&chip->a2p, 1);
	chip->stats.pops++;
	return word;
}

static void write_fifo(struct s5933 *chip, uint32_t value, unsigned int lanes)
{
	s5933_merge(&chip->p2a_bytes, value, lanes_mask(lanes));
	if (!advances(chip, lanes))
		return;
	if ((chip->mcsr & S5933_READ_ENABLE) && chip->read.count)
		chip->faults.races++;
	if (s5933_fifo_put(&chip->p2a, s5933_convert(chip, chip->p2a_bytes)))
		chip->stats.pushes++;
	else
		chip->faults.full_writes++;
}

bool s5933_push(struct s5933 *chip, uint32_t word)
{
	bool done = s5933_fifo_put(&chip->a2p, word);

	s5933_request_bus(chip);
	return done;
}

bool s5933_pull(struct s5933 *chip, uint32_t *word)
{
	if (!chip->p2a.level)
		return false;
	*word = s5933_fifo_peek(&chip->p2a, 0);
	s5933_fifo_drop(&chip->p2a, 1);
	s5933_request_bus(chip);
	return true;
}

/* --- MCSR ----------------------------------------------------------------- */

static uint32_t fifo_status(const struct s5933 *chip)
{
	unsigned int a2p = chip->a2p.level, p2a = chip->p2a.level;

	return (p2a == S5933_DEPTH ? S5933_P2A_FULL : 0) |
	       (p2a <= S5933_DEPTH - 4 ? S5933_P2A_4_EMPTY : 0) |
	       (p2a == 0 ? S5933_P2A_EMPTY : 0) |
	       (a2p == S5933_DEPTH ? S5933_A2P_FULL : 0) |
	       (a2p >= 4 ? S5933_A2P_4_WORDS : 0) |
	       (a2p == 0 ? S5933_A2P_EMPTY : 0) |
	       (chip->read.count == 0 ? S5933_READ_COUNT_ZERO : 0) |
	       (chip->write.count == 0 ? S5933_WRITE_COUNT_ZERO : 0);
}

static bool nvram_is_busy(const struct s5933 *chip)
{
	return *chip->now < chip->nvram_until;
}

static uint32_t read_mcsr(const struct s5933 *chip)
{
	return fifo_status(chip) | chip->mcsr |
	       (uint32_t)chip->nvram_data << 16 |
	       (nvram_is_busy(chip) ? S5933_NVRAM_BUSY : 0);
}

static void command_nvram(struct s5933 *chip, unsigned int command)
{
	uint8_t *cell;

	if (nvram_is_busy(chip)) {
		chip->faults.nvram_busy++;
		return;
	}
	cell = &chip->nvram[chip->nvram_addr % S5933_NVRAM_SIZE];
	switch (command) {
	case 0:
		chip->nvram_addr = (chip->nvram_addr & 0xff00) |
				   chip->nvram_data;
		break;
	case 1:
		chip->nvram_addr = (chip->nvram_addr & 0x00ff) |
				   chip->nvram_data << 8;
		break;
	case 2:
		*cell = chip->nvram_data;
		break;
	case 3:
		chip->nvram_data = *cell;
		break;
	}
	chip->nvram_until = *chip->now + chip->cfg.nvram_ns;
}

static void empty_fifo(struct s5933_fifo *fifo)
{
	fifo->head = 0;
	fifo->level = 0;
}

void s5933_note_reset(struct s5933 *chip, uint64_t since)
{
	if (since != SLINK_NEVER && *chip->now - since < S5933_RESET_NS)
		chip->faults.hasty++;
}

/* The steps: SYSRST# goes low, the flags of the FIFO are reset, SYSRST# goes high. */
static void time_resets(struct s5933 *chip, bool was_held, uint32_t value)
{
	bool is_held = s5933_in_addon_reset(chip);

	if (was_held && (!is_held || (value & S5933_RESET_A2P)))
		s5933_note_reset(chip, chip->reset_at);
	if (is_held != was_held || (is_held && (value & S5933_RESET_A2P)))
		chip->reset_at = *chip->now;
}

/* The reset of the add-on is a level; the others are pulses. */
static void write_resets(struct s5933 *chip, uint32_t value)
{
	bool was_held = s5933_in_addon_reset(chip);

	s5933_merge(&chip->mcsr, value, S5933_ADDON_RESET);
	time_resets(chip, was_held, value);
	if (value & S5933_RESET_P2A)
		empty_fifo(&chip->p2a);
	if (value & S5933_RESET_A2P)
		empty_fifo(&chip->a2p);
	if (value & S5933_RESET_MAILBOX)
		chip->mbef = 0;
	if (s5933_in_addon_reset(chip) != was_held)
		chip->ops->addon_reset(chip->addon, !was_held);
}

static void write_mcsr(struct s5933 *chip, uint32_t value, unsigned int lanes)
{
	s5933_merge(&chip->mcsr, value, lanes_mask(lanes) & 0x0000f700);
	if (!(chip->mcsr & S5933_WRITE_ENABLE))
		chip->write.stopped = false;
	if (!(chip->mcsr & S5933_READ_ENABLE))
		chip->read.stopped = false;
	if (lanes & 1u << 2)
		chip->nvram_data = value >> 16;
	if (!(lanes & 1u << 3))
		return;
	write_resets(chip, value);
	if (value & S5933_NVRAM_BUSY)
		command_nvram(chip, value >> 29 & 3);
}

/* --- the registers -------------------------------------------------------- */

static uint32_t read_register(struct s5933 *chip, unsigned int reg,
			      unsigned int lanes)
{
	switch (reg) {
	case S5933_FIFO:
		return read_fifo(chip, lanes);
	case S5933_MWAR:
		return chip->write.addr;
	case S5933_MWTC:
		return chip->write.count;
	case S5933_MRAR:
		return chip->read.addr;
	case S5933_MRTC:
		return chip->read.count;
	case S5933_MBEF:
		return chip->mbef;
	case S5933_INTCSR:
		return read_intcsr(chip);
	case S5933_MCSR:
		return read_mcsr(chip);
	}
	if (reg < S5933_IMB(0))
		return chip->omb[reg / 4];
	return read_imb(chip, (reg - S5933_IMB(0)) / 4, lanes);
}

static void write_register(struct s5933 *chip, unsigned int reg,
			   uint32_t value, unsigned int lanes)
{
	uint32_t mask = lanes_mask(lanes);

	switch (reg) {
	case S5933_FIFO:
		write_fifo(chip, value, lanes);
		break;
	case S5933_MWAR:
		s5933_load_addr(&chip->write, value, mask);
		break;
	case S5933_MWTC:
		s5933_load_count(&chip->write, value, mask, &chip->stats.starts);
		break;
	case S5933_MRAR:
		s5933_load_addr(&chip->read, value, mask);
		break;
	case S5933_MRTC:
		s5933_load_count(&chip->read, value, mask, &chip->stats.read_starts);
		break;
	case S5933_INTCSR:
		write_intcsr(chip, value, mask);
		break;
	case S5933_MCSR:
		write_mcsr(chip, value, lanes);
		break;
	default:
		if (reg < S5933_IMB(0))
			write_omb(chip, reg / 4, value, lanes);
	}
	s5933_request_bus(chip);
}

static bool is_bad_access(struct s5933 *chip, unsigned int offset,
			  unsigned int size)
{
	bool good = (size == 1 || size == 2 || size == 4) &&
		    offset < S5933_SIZE && offset % 4 + size <= 4;

	chip->faults.bad_accesses += !good;
	return !good;
}

static unsigned int lanes_of(unsigned int offset, unsigned int size)
{
	return ((1u << size) - 1) << offset % 4;
}

/* --- posted writes -------------------------------------------------------- */

static void take_write(struct s5933 *chip, const struct s5933_write *write)
{
	write_register(chip, write->offset & ~3u,
		       write->value << 8 * (write->offset % 4),
		       lanes_of(write->offset, write->size));
}

/* Pass the posted writes whose time has come to the chip, in their order. */
static void take_posted(struct s5933 *chip, uint64_t now)
{
	uint32_t n = 0;

	while (n < chip->n_posted && chip->posted[n].at <= now)
		take_write(chip, &chip->posted[n++]);
	chip->n_posted -= n;
	memmove(chip->posted, chip->posted + n,
		chip->n_posted * sizeof(chip->posted[0]));
}

static uint64_t last_posted_at(const struct s5933 *chip)
{
	uint64_t at = chip->n_posted ? chip->posted[chip->n_posted - 1].at : 0;

	return slink_later(at, *chip->now);
}

static void post_write(struct s5933 *chip, const struct s5933_write *write)
{
	uint64_t from = slink_later(last_posted_at(chip),
				    *chip->now + chip->cfg.posted_ns);

	chip->posted[chip->n_posted] = *write;
	chip->posted[chip->n_posted++].at = from + chip->cfg.write_ns;
}

/* A bridge that must make room, or that has a read to pass, no longer holds writes. */
static void push_posted(struct s5933 *chip)
{
	uint64_t at = *chip->now;
	uint32_t i;

	for (i = 0; i < chip->n_posted; i++) {
		at += chip->cfg.write_ns;
		chip->posted[i].at = slink_earlier(chip->posted[i].at, at);
	}
}

static uint64_t posted_next_ns(const struct s5933 *chip)
{
	return chip->n_posted ? chip->posted[0].at : SLINK_NEVER;
}

static uint64_t wait_cpu(struct s5933 *chip, uint64_t ns)
{
	chip->stats.wait_ns += ns;
	return ns;
}

/* The chip sees the read half way. */
uint64_t s5933_begin_read(struct s5933 *chip)
{
	push_posted(chip);
	return wait_cpu(chip, last_posted_at(chip) - *chip->now +
			chip->cfg.read_ns / 2);
}

uint64_t s5933_end_read(struct s5933 *chip)
{
	return wait_cpu(chip, chip->cfg.read_ns - chip->cfg.read_ns / 2);
}

uint64_t s5933_begin_write(struct s5933 *chip)
{
	if (chip->n_posted < S5933_POSTED)
		return 0;
	push_posted(chip);
	return wait_cpu(chip, posted_next_ns(chip) - *chip->now);
}

uint32_t s5933_read(struct s5933 *chip, unsigned int offset,
		    unsigned int size)
{
	unsigned int lanes = lanes_of(offset, size);
	uint32_t word;

	if (chip->cfg.gone || is_bad_access(chip, offset, size))
		return UINT32_MAX;
	take_posted(chip, SLINK_NEVER);
	chip->stats.reg_reads++;
	word = read_register(chip, offset & ~3u, lanes);
	s5933_request_bus(chip);
	return (word & lanes_mask(lanes)) >> 8 * (offset % 4);
}

void s5933_write(struct s5933 *chip, unsigned int offset, uint32_t value,
		 unsigned int size)
{
	struct s5933_write write = { 0, value, offset, size };

	if (chip->cfg.gone || is_bad_access(chip, offset, size))
		return;
	chip->stats.reg_writes++;
	if (chip->n_posted == S5933_POSTED)
		take_posted(chip, SLINK_NEVER);
	if (chip->cfg.posted_ns || chip->cfg.write_ns || chip->n_posted)
		post_write(chip, &write);
	else
		take_write(chip, &write);
}

uint64_t s5933_next_ns(const struct s5933 *chip)
{
	return slink_earlier(s5933_next_grant(chip), posted_next_ns(chip));
}

void s5933_run(struct s5933 *chip)
{
	take_posted(chip, *chip->now);
	s5933_run_master(chip);
}

/* --- life ----------------------------------------------------------------- */

void s5933_set_master(struct s5933 *chip, bool on)
{
	chip->master = on;
	s5933_request_bus(chip);
}

void s5933_reset(struct s5933 *chip)
{
	memset(chip->omb, 0, sizeof(chip->omb));
	memset(chip->imb, 0, sizeof(chip->imb));
	chip->mbef = 0;
	chip->intcsr = 0;
	chip->mcsr = 0;
	chip->p2a_bytes = 0;
	empty_fifo(&chip->a2p);
	empty_fifo(&chip->p2a);
	chip->write = (struct s5933_dma){ .grant_at = SLINK_NEVER };
	chip->read = (struct s5933_dma){ .grant_at = SLINK_NEVER };
	chip->master = false;
	chip->nvram_until = 0;
	chip->n_posted = 0;
	chip->reset_at = SLINK_NEVER;
	update_irq(chip);
}

void s5933_gone_changed(struct s5933 *chip)
{
	bool master = chip->master;

	/* The bus master bit is in the configuration space, which stays. */
	if (!chip->cfg.gone) {
		s5933_reset(chip);
		chip->master = master;
	}
	update_irq(chip);
	s5933_request_bus(chip);
}

static void put_le(uint8_t *to, uint32_t value, unsigned int bytes)
{
	for (; bytes--; value >>= 8)
		*to++ = value;
}

void s5933_set_boot(struct s5933 *chip, uint16_t vendor, uint16_t device,
		    uint32_t class, uint32_t bar0)
{
	put_le(&chip->nvram[0x40], vendor, 2);
	put_le(&chip->nvram[0x42], device, 2);
	chip->nvram[0x45] = 0x80;
	put_le(&chip->nvram[0x49], class, 3);
	put_le(&chip->nvram[0x50], bar0, 4);
	chip->nvram[0x7d] = 1;
}

void s5933_init(struct s5933 *chip, const struct s5933_ops *ops, void *host,
		void *addon, const uint64_t *now)
{
	memset(chip, 0, sizeof(*chip));
	chip->ops = ops;
	chip->host = host;
	chip->addon = addon;
	chip->now = now;
	s5933_reset(chip);
}
