// SPDX-License-Identifier: GPL-2.0-only
/* state.c: what requests and streams ask of a set: see struct uzio_chanset */
#include <linux/string.h>

#include "uzio.h"

/*
 * There may be free blocks for the stream. Does nothing unless the program has it. Context: Any.
 */
void uzio_look_for_blocks(struct uzio_chanset *set)
{
	struct uzio *dev = set->dev;
	unsigned long flags;

	spin_lock_irqsave(&dev->lock, flags);
	if (set->armed && set->held == set->gen)
		list_move_tail(&set->ready, &dev->ready);
	spin_unlock_irqrestore(&dev->lock, flags);
	wake_up_interruptible(&dev->wq);
}

/*
 * Tells what an answer is for. Called with set->mutex held. Returns 1 if the core waits for it;
 * 0 if the core has taken the blocks back; -EINVAL if the program does not have that request.
 */
int uzio_judge(struct uzio_chanset *set, u64 id)
{
	int ret = -EINVAL;

	spin_lock_irq(&set->dev->lock);
	if (id && id == set->held)
		ret = set->armed && set->gen == id;
	spin_unlock_irq(&set->dev->lock);
	return ret;
}

/*
 * Finds out where a channel's blocks are. Called with set->mutex held, while the set is armed.
 * Context: Process.
 */
void uzio_find_memory(struct uzio_chanset *set, struct zio_channel *chan, struct uzio_block *to)
{
	struct uzio_memory *memory = &set->memory[zio_channel_index(chan)];
	struct zio_area *area = zio_channel_area(chan), *old = area;
	struct uzio *dev = set->dev;

	if (memory->area != area) {
		spin_lock_irq(&dev->lock);
		old = memory->area;
		memory->area = area;
		dev->next_map = (dev->next_map + 1) & UZIO_MAP_MAX;
		memory->map = dev->next_map;
		spin_unlock_irq(&dev->lock);
	}
	to->map = (u64)memory->map << UZIO_MAP_SHIFT;
	to->map_size = zio_area_size(area);
	zio_area_put(old);
}

/* Returns the bytes of one sample of all channels in a block. Context: the set is armed. */
static unsigned int state_frame(const struct uzio_chanset *set)
{
	return zio_cset_ssize(set->cset) * (zio_cset_mask(set->cset) ?
					    zio_cset_n_enabled(set->cset) : 1);
}

/* Whether a program may say this of a block that is still as it got it. Context: Any. */
bool uzio_filled_is_right(const struct uzio_chanset *set, const struct zio_block *block,
			  const struct uzio_filled *filled)
{
	if (filled->flags & ~UZIO_FILLED_TIME ||
	    memchr_inv(filled->reserved, 0, sizeof(filled->reserved)))
		return false;
	if (filled->len > block->len || (size_t)filled->len % state_frame(set))
		return false;
	return !(filled->flags & UZIO_FILLED_TIME) || set->has_clock ||
		filled->time.ticks < NSEC_PER_SEC;
}
