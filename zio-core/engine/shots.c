// SPDX-License-Identifier: GPL-2.0-only
/*
 * shots.c: one arming, several blocks of each channel
 *
 * A set with ZIO_CSET_SHOTS gets a block of each channel for each shot that a user wants. A
 * channel gets all of them, or none. So no driver sees an arming that is incomplete, and the
 * n-th block of an arming is the n-th shot. The list for zio_for_each_block() has the
 * blocks of the first shot, then those of the second, and so on. All else is as for a set
 * with one shot: engine.c finishes each block in the order of the list.
 */
#include <linux/export.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "engine/block.h"
#include "engine/internal.h"

/* Returns an empty list for the armed blocks of a set; NULL without memory, and above 2 GiB. */
struct zio_armed *zio_shots_alloc(unsigned int n_chan, u32 nshots)
{
	size_t n = size_add(array_size(n_chan, nshots), 1);

	return kvcalloc(n, sizeof(struct zio_armed), GFP_KERNEL | __GFP_NOWARN);
}

static void shots_arm_channel(struct zio_channel_core *chan, struct zio_armed *armed)
{
	struct zio_cset_core *cset = chan->cset;
	u32 seq = chan->seq, n = cset->pub.shape.nshots, i;
	unsigned int stride = cset->n_active;

	chan->seq += n;
	if (!zio_channel_take_shots(chan, armed, stride, true)) {
		armed->chan = NULL;
		zio_channel_count_no_block(chan, n, seq);
		return;
	}
	for (i = 0; i < n; i++)
		zio_block_prepare(chan, armed[i * stride].block, seq + i, i);
}

/*
 * Takes the blocks of all shots, and lists them by shots. A channel that has fewer blocks than
 * shots loses a block for each shot. The caller owns the phase.
 */
void zio_shots_arm(struct zio_cset_core *cset)
{
	struct zio_armed *armed = cset->pub.armed, *to = armed;
	size_t n = (size_t)cset->pub.shape.nshots * cset->n_active, i;

	for (i = 0; i < n; i++)
		armed[i].chan = NULL;
	for (i = 0; i < cset->n_active; i++)
		shots_arm_channel(cset->active[i], armed + i);
	for (i = 0; i < n; i++)
		if (armed[i].chan)
			*to++ = armed[i];
	to->chan = NULL;
}

/**
 * zio_cset_give_back() - give the last shots of an arming back untouched
 * @pub: the channel set, with ZIO_CSET_SHOTS
 * @n: how many shots, of all channels: less than zio_cset_nshots()
 *
 * For a board that has taken fewer shots. zio_cset_done() follows, or raw_io() returns 0: it
 * finishes the other shots. Those that are given back have no number, and are no loss. A driver
 * that gives all shots back calls zio_cset_fail(), or returns an error.
 *
 * Context: Any; the driver has the blocks, see zio_for_each_block().
 */
void zio_cset_give_back(struct zio_cset *pub, unsigned int n)
{
	if (WARN_ON_ONCE(n >= pub->shape.nshots))
		return;
	to_cset_core(pub)->given_back = n;
}
EXPORT_SYMBOL_GPL(zio_cset_give_back);

static bool shots_has_block(const struct zio_cset_core *cset, const struct zio_channel_core *chan)
{
	const struct zio_armed *armed;

	for (armed = cset->pub.armed; armed->chan; armed++)
		if (armed->chan == &chan->pub)
			return true;
	return false;
}

/*
 * Takes back the shots that the driver has given back. All channels continue with the same number,
 * even one that had no block and has counted all shots as lost. The caller owns the phase.
 */
void zio_shots_take_back(struct zio_cset_core *cset)
{
	unsigned int n = cset->given_back, first = cset->pub.shape.nshots - n, i;
	struct zio_armed *armed = zio_armed_end(cset);

	cset->given_back = 0;
	while (armed != cset->pub.armed && armed[-1].block->shot >= first) {
		armed--;
		zio_block_cancel(to_channel_core(armed->chan), armed->block);
		armed->chan = NULL;
	}
	for (i = 0; i < cset->n_active; i++) {
		cset->active[i]->seq -= n;
		if (!shots_has_block(cset, cset->active[i]))
			atomic_sub(n, &cset->active[i]->lost_before);
	}
}
