// SPDX-License-Identifier: GPL-2.0-only
/*
 * s5933-dma.c: the bus master of the S5933, in both directions
 *
 * A direction requests the bus as soon as its condition holds. It gets the bus grant_ns
 * later and keeps it until the FIFO or the count is at its end. With phase_ns a word of
 * the burst moves each phase_ns. Without it, the burst takes no time.
 */
#include "s5933-chip.h"
#include "slink.h"

static bool is_master(const struct s5933 *chip)
{
	return chip->master && !chip->cfg.gone;
}

/* The number of words, or of free places, for which the chip requests the bus. */
static unsigned int enough_words(const struct s5933 *chip,
				 const struct s5933_dma *dma, uint32_t four)
{
	return !dma->bursting && (chip->mcsr & four) ? 4 : 1;
}

static bool write_wants_bus(const struct s5933 *chip)
{
	unsigned int enough = enough_words(chip, &chip->write,
					   S5933_WRITE_4_WORDS);

	return is_master(chip) && (chip->mcsr & S5933_WRITE_ENABLE) &&
	       chip->write.count && !chip->write.stopped &&
	       chip->a2p.level >= enough;
}

static bool read_wants_bus(const struct s5933 *chip)
{
	unsigned int enough = enough_words(chip, &chip->read, S5933_READ_4_EMPTY);

	return is_master(chip) && (chip->mcsr & S5933_READ_ENABLE) &&
	       chip->read.count && !chip->read.stopped &&
	       S5933_DEPTH - chip->p2a.level >= enough;
}

static void release_bus(struct s5933_dma *dma)
{
	dma->grant_at = SLINK_NEVER;
	dma->bursting = false;
}

static void request(struct s5933 *chip, struct s5933_dma *dma, bool wanted)
{
	if (!wanted)
		release_bus(dma);
	else if (dma->grant_at == SLINK_NEVER)
		dma->grant_at = *chip->now + chip->cfg.grant_ns;
}

void s5933_request_bus(struct s5933 *chip)
{
	request(chip, &chip->write, write_wants_bus(chip));
	request(chip, &chip->read, read_wants_bus(chip));
}

static void stop_dma(struct s5933 *chip, struct s5933_dma *dma,
		     enum s5933_bus how)
{
	dma->stopped = true;
	chip->stats.aborts++;
	s5933_raise(chip, how == S5933_BUS_MASTER_ABORT ?
		     S5933_INT_MASTER_ABORT : S5933_INT_TARGET_ABORT);
}

/* Return: true if this data phase made the count zero. */
static bool advance_dma(struct s5933_dma *dma, unsigned int words)
{
	dma->addr += 4 * words;
	dma->count -= 4 * words;
	return !dma->count;
}

static unsigned int fewest(unsigned int words, const struct s5933_dma *dma)
{
	return words < dma->count / 4 ? words : dma->count / 4;
}

static enum s5933_bus write_words(struct s5933 *chip, unsigned int n)
{
	uint32_t words[S5933_DEPTH];
	enum s5933_bus how;
	unsigned int i;

	for (i = 0; i < n; i++)
		words[i] = s5933_convert(chip, s5933_fifo_peek(&chip->a2p, i));
	how = chip->ops->dma_write(chip->host, chip->write.addr, words, n);
	if (how != S5933_BUS_OK)
		return how;
	s5933_fifo_drop(&chip->a2p, n);
	chip->stats.dma_words += n;
	if (advance_dma(&chip->write, n)) {
		chip->stats.completes++;
		s5933_raise(chip, S5933_INT_WRITE);
	}
	return how;
}

static enum s5933_bus read_words(struct s5933 *chip, unsigned int n)
{
	uint32_t words[S5933_DEPTH];
	enum s5933_bus how;
	unsigned int i;

	how = chip->ops->dma_read(chip->host, chip->read.addr, words, n);
	if (how != S5933_BUS_OK)
		return how;
	for (i = 0; i < n; i++)
		s5933_fifo_put(&chip->p2a, s5933_convert(chip, words[i]));
	chip->stats.read_words += n;
	if (advance_dma(&chip->read, n)) {
		chip->stats.read_completes++;
		s5933_raise(chip, S5933_INT_READ);
	}
	return how;
}

/* Move the first word of a burst, or the next one. */
static void run_phase(struct s5933 *chip, struct s5933_dma *dma,
		      enum s5933_bus (*move)(struct s5933 *, unsigned int))
{
	enum s5933_bus how = move(chip, 1);

	chip->stats.bursts += !dma->bursting;
	dma->bursting = true;
	dma->grant_at = *chip->now + chip->cfg.phase_ns;
	if (how != S5933_BUS_OK)
		stop_dma(chip, dma, how);
}

/* After a failed burst, move the words one by one, up to the bad one. */
static void run_burst(struct s5933 *chip, struct s5933_dma *dma,
		      enum s5933_bus (*move)(struct s5933 *, unsigned int),
		      unsigned int n)
{
	enum s5933_bus how;

	if (chip->cfg.phase_ns) {
		run_phase(chip, dma, move);
		return;
	}
	chip->stats.bursts++;
	how = move(chip, n);
	if (how != S5933_BUS_OK && n > 1)
		do
			how = move(chip, 1);
		while (how == S5933_BUS_OK && --n);
	if (how != S5933_BUS_OK)
		stop_dma(chip, dma, how);
	release_bus(dma);
}

uint64_t s5933_next_grant(const struct s5933 *chip)
{
	return slink_earlier(chip->write.grant_at, chip->read.grant_at);
}

static bool read_goes_first(const struct s5933 *chip)
{
	uint32_t both = S5933_READ_PRIORITY | S5933_WRITE_PRIORITY;

	return chip->read.grant_at < chip->write.grant_at ||
	       (chip->read.grant_at == chip->write.grant_at &&
		(chip->mcsr & both) == S5933_READ_PRIORITY);
}

void s5933_run_master(struct s5933 *chip)
{
	if (s5933_next_grant(chip) > *chip->now)
		return;
	if (read_goes_first(chip))
		run_burst(chip, &chip->read, read_words,
			  fewest(S5933_DEPTH - chip->p2a.level, &chip->read));
	else
		run_burst(chip, &chip->write, write_words,
			  fewest(chip->a2p.level, &chip->write));
	s5933_request_bus(chip);
}

/* After an abort, loading the address or the count lets the transfer continue. */
void s5933_load_addr(struct s5933_dma *dma, uint32_t value, uint32_t mask)
{
	s5933_merge(&dma->addr, value, mask & ~3u);
	dma->stopped = false;
}

void s5933_load_count(struct s5933_dma *dma, uint32_t value, uint32_t mask,
		       uint32_t *starts)
{
	s5933_merge(&dma->count, value, mask & S5933_COUNT_MASK);
	dma->stopped = false;
	if (dma->count)
		++*starts;
}
