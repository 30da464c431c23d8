// SPDX-License-Identifier: GPL-2.0-only
/* Move blocks from the input to each output with libzio */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "common/channel.h"
#include "common/place.h"
#include "common/stop.h"
#include "common/text.h"
#include "copy.h"

#define BATCH_SIZE ((size_t)256 << 10)
#define BATCH_BLOCKS (BATCH_SIZE / sizeof(struct zio_control))
/* For a larger block, the cost per call hardly matters. */
#define LARGEST_OF_BATCH ((size_t)16 << 10)

/* Blocks of a file to move at once */
struct batch {
	uint64_t memory[BATCH_SIZE / sizeof(uint64_t)];
	struct zio_block blocks[BATCH_BLOCKS];
};

/* Returns 1 after a block, 0 at the end of the input or after a signal, or -1. */
static int check_input(struct copy *c, int ret, const struct zio_block *blk)
{
	struct zio_place place;

	if (ret > 0) {
		place_block(&c->timelines, NULL, blk->control, NULL, &place);
		c->pending = true;
		c->moved = 1;
		c->size = blk->size;
		return 1;
	}
	return c->code ? -1 : 0;
}

/* @next is zio_next() or zio_next_control(). */
static int read_next(struct copy *c, struct zio_block *blk,
		     int (*next)(struct zio_channel *ch, struct zio_block *blk))
{
	int ret;

	do {
		ret = next(c->in.ch, blk);
	} while (ret < 0 && try_again(c, &c->in, POLLIN));
	return check_input(c, ret, blk);
}

static int read_block(struct copy *c, struct zio_block *blk)
{
	return read_next(c, blk, zio_next);
}

static int read_control(struct copy *c, struct zio_block *blk)
{
	return read_next(c, blk, zio_next_control);
}

static int write_to(struct copy *c, const struct end *out,
		    const struct zio_block *blk)
{
	struct zio_control fit;
	int ret;

	fit_control(&fit, out, blk->control);
	do {
		ret = zio_write_block(out->ch, &fit, blk->data, blk->size);
	} while (ret && try_again(c, out, POLLOUT));
	return ret;
}

static int move_block(struct copy *c)
{
	struct zio_block blk;
	int i, ret = read_block(c, &blk);

	for (i = 0; ret > 0 && i < c->n_out; i++)
		if (write_to(c, &c->out[i], &blk))
			return -1;
	return ret;
}

/* --- Many blocks of a file at once */

/* Another program may go on reading standard input, so copy every block that was read. */
static bool takes_batches(const struct copy *c)
{
	struct stat st;
	int i;

	if (!c->in.file || !strcmp(c->in.name, "-") || fstat(zio_fd(c->in.ch), &st) ||
	    !S_ISREG(st.st_mode))
		return false;
	for (i = 0; i < c->n_out; i++)
		if (!c->out[i].file)
			return false;
	return true;
}

int begin_write(struct copy *c, struct zio_error *err)
{
	(void)err;
	if (takes_batches(c))
		c->batch = allocate(1, sizeof(*c->batch));
	return 0;
}

/* Returns the number of blocks read, 0 at the end of the input, or -1. */
static int read_batch(struct copy *c)
{
	struct batch *b = c->batch;
	uint64_t left = c->count ? c->count - c->blocks : BATCH_BLOCKS;
	unsigned int n = left < BATCH_BLOCKS ? (unsigned int)left : BATCH_BLOCKS;

	return zio_next_batch(c->in.ch, b->blocks, n, b->memory, sizeof(b->memory));
}

/* Is the block too large for the batch, so that the library must read it alone? */
static bool is_for_next(const struct zio_block *blk)
{
	return errno == EMSGSIZE && blk->size <= ZIO_DEFAULT_MAX_BLOCK;
}

/*
 * Write the batch to a target, and return how many blocks it got: @n, unless it fails. A
 * signal ends the batch at the first target, after the block that it may have begun.
 */
static unsigned int write_batch(struct copy *c, const struct end *out, unsigned int n)
{
	unsigned int done = 0;

	while (done < n) {
		int ret = zio_write_batch(out->ch, c->batch->blocks + done, n - done);

		if (ret > 0)
			done += (unsigned int)ret;
		else if (!try_again(c, out, POLLOUT))
			break;
		if (caught_stop() && out == c->out && done + 1 < n)
			n = done + 1;
	}
	return done;
}

/*
 * After a failure at one target, do not write more to the next ones: all get c->moved
 * blocks.
 */
static int write_all(struct copy *c, unsigned int n)
{
	struct zio_place place;
	unsigned int i;
	int k;

	c->pending = true;
	for (k = 0; k < c->n_out; k++)
		n = write_batch(c, &c->out[k], n);
	c->moved = n;
	c->size = 0;
	for (i = 0; i < n; i++) {
		const struct zio_block *blk = &c->batch->blocks[i];

		place_block(&c->timelines, NULL, blk->control, NULL, &place);
		c->size += blk->size;
	}
	return n ? 1 : -1;
}

static int move_batch(struct copy *c)
{
	int ret;

	do {
		ret = read_batch(c);
		if (ret < 0 && is_for_next(c->batch->blocks))
			return move_block(c);
	} while (ret < 0 && try_again(c, &c->in, POLLIN));
	if (ret > 0)
		return write_all(c, (unsigned int)ret);
	return c->code ? -1 : 0;
}

int move_by_write(struct copy *c)
{
	if (c->batch && c->size <= c->moved * LARGEST_OF_BATCH)
		return move_batch(c);
	return move_block(c);
}

/* --- Without reading the data */

int begin_share(struct copy *c, struct zio_error *err)
{
	int i;

	for (i = 0; i < c->n_out; i++) {
		if (!zio_share(c->out[i].ch, c->in.ch))
			continue;
		snprintf(err->text, sizeof(err->text), "%s",
			 zio_reason(c->out[i].ch));
		return -1;
	}
	return 0;
}

/* Submitting to the last output releases the block. */
int move_by_share(struct copy *c)
{
	struct zio_block blk;
	int i, ret = read_control(c, &blk);

	for (i = 0; ret > 0 && i < c->n_out; i++) {
		int keep = i < c->n_out - 1 ? ZIO_SUBMIT_KEEP : 0;

		do {
			ret = zio_submit(c->out[i].ch, c->in.ch, keep);
		} while (ret < 0 && try_again(c, &c->out[i], POLLOUT));
		if (ret < 0)
			return -1;
		ret = 1;
	}
	return ret;
}
