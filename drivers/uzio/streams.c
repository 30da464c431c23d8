// SPDX-License-Identifier: GPL-2.0-only
/*
 * streams.c: the blocks of a stream on their way to the program and back
 *
 * The program has as many blocks as the core gives: free ones of an input, and ones to play of an
 * output. set->memory counts those of each channel. The core calls refill() when there are more of
 * them. A program that has all that the depth of the queue allows gets more when it has completed
 * some.
 *
 * All functions hold set->mutex while they use blocks. stop_io() takes it, and marks the stream as
 * stopped: so nothing is taken or completed from then on. The program does not know this yet, and
 * may still write to its blocks, or play them. The next stream gives it no block before it has
 * answered.
 */
#include <linux/ktime.h>
#include <linux/zio-stream.h>

#include "uzio.h"

/* Begins the stream. Called with set->mutex held; the set is armed. Returns the request's bytes. */
u32 uzio_stream_start(struct uzio_chanset *set, struct uzio_arm *arm)
{
	struct uzio_block *to = (struct uzio_block *)(arm + 1);
	unsigned int i, n_chan = set->dev->cset[set - set->dev->set].n_chan;
	u32 samples = zio_cset_post_samples(set->cset);
	struct uzio_memory *memory;
	struct zio_channel *chan;
	struct zio_armed *pos;

	for (i = 0; i < n_chan; i++)
		set->memory[i].chan = NULL;
	memset(arm, 0, sizeof(*arm));
	arm->clock = zio_cset_clock(set->cset);
	arm->post_samples = samples;
	arm->nshots = 1;
	zio_for_each_channel(set->cset, pos, chan) {
		memory = &set->memory[zio_channel_index(chan)];
		memory->chan = chan;
		memory->in_flight = 0;
		memset(to, 0, sizeof(*to));
		to->chan = zio_channel_index(chan);
		to->len = (u64)samples * zio_cset_ssize(set->cset);
		uzio_find_memory(set, chan, to);
		to++;
		arm->n_blocks++;
	}
	return uzio_arm_size(arm->n_blocks);
}

/* Takes up to @most blocks of a channel. Returns the bytes of the request, or 0. */
static u32 streams_take(struct uzio_chanset *set, struct uzio_memory *memory,
			struct uzio_blocks *to, u32 most)
{
	struct uzio_place *place = (struct uzio_place *)(to + 1);
	u32 i, n = zio_channel_take_blocks(memory->chan, most);
	u32 size = sizeof(*to) + n * sizeof(*place);
	struct zio_block *block;

	if (!n)
		return 0;
	*to = (struct uzio_blocks) {
		.head = { .size = size, .type = UZIO_BLOCKS, .set = set - set->dev->set,
			  .id = set->held },
		.chan = memory - set->memory,
		.n_blocks = n,
	};
	for (i = 0; i < n; i++) {
		block = zio_channel_in_flight(memory->chan, memory->in_flight + i);
		place[i].offset = zio_block_offset(block);
		place[i].len = block->len;
		place[i].time = block->tstamp;
	}
	memory->in_flight += n;
	return size;
}

/*
 * Gives the program more blocks of each channel, as many as fit: each channel has its share of the
 * room, so a busy one leaves the others theirs. Called with set->mutex held; the program has the
 * stream. Returns the bytes of the requests.
 */
u32 uzio_stream_take(struct uzio_chanset *set, void *to, u32 room)
{
	u32 share = room / zio_cset_n_enabled(set->cset), len = 0, size, most;
	struct zio_channel *chan;
	struct zio_armed *pos;
	bool is_full = false;

	most = (share - sizeof(struct uzio_blocks)) / sizeof(struct uzio_place);
	zio_for_each_channel(set->cset, pos, chan) {
		size = streams_take(set, &set->memory[zio_channel_index(chan)], to + len, most);
		is_full = is_full || size > share - sizeof(struct uzio_place);
		len += size;
	}
	if (is_full)
		uzio_look_for_blocks(set);
	return len;
}

/* What the program says of its oldest blocks is right, and the channel has so many. */
static bool streams_are_right(const struct uzio_chanset *set, const struct uzio_memory *memory,
			      const struct uzio_complete *from)
{
	const struct uzio_filled *filled = (const void *)(from + 1);
	u32 i;

	if (from->n_blocks > memory->in_flight)
		return false;
	if (set->is_output)
		return from->lost <= memory->in_flight - from->n_blocks && !from->n_filled;
	/* Before the loop: there is no block behind those in flight. */
	if (from->n_filled && from->n_filled != from->n_blocks)
		return false;
	for (i = 0; i < from->n_filled; i++)
		if (!uzio_filled_is_right(set, zio_channel_in_flight(memory->chan, i), &filled[i]))
			return false;
	return true;
}

/* Returns how long the samples of a block take, up to a second; 0 if that is unknown. */
static u32 streams_duration(const struct uzio_chanset *set, const struct zio_block *block,
			    const struct zio_timing *timing)
{
	u32 ns = 0;

	if (timing->rate_num)
		ns = zio_rate_to_ns(block->len / zio_cset_ssize(set->cset), timing->rate_num,
				    timing->rate_den);
	return ns == U32_MAX ? 0 : ns;
}

/* The newest block ends now, each other one where the next one begins. */
static void streams_fill(struct uzio_chanset *set, struct zio_channel *chan,
			 const struct uzio_complete *from)
{
	const struct uzio_filled *filled = (const void *)(from + 1);
	u64 at = ktime_get_ns();
	struct zio_timing timing;
	struct zio_block *block;
	u32 i = from->n_blocks;

	spin_lock_irq(&set->dev->lock);
	timing = set->timing;
	spin_unlock_irq(&set->dev->lock);
	while (i--) {
		block = zio_channel_in_flight(chan, i);
		if (from->n_filled) {
			block->len = filled[i].len;
			block->drv_alarms = filled[i].alarms;
		}
		at -= min_t(u64, at, streams_duration(set, block, &timing));
		if (from->n_filled && filled[i].flags & UZIO_FILLED_TIME)
			block->tstamp = filled[i].time;
		else if (!set->has_clock)
			zio_cset_stamp_at(set->cset, block, at);
	}
}

/* Called with set->mutex held; the core waits for the answer. Returns 0, or -EINVAL. */
static int streams_complete(struct uzio_chanset *set, const struct uzio_complete *from)
{
	struct uzio_memory *memory = &set->memory[from->chan];

	if (from->chan >= set->dev->cset[set - set->dev->set].n_chan || !memory->chan ||
	    from->reserved || !streams_are_right(set, memory, from))
		return -EINVAL;
	zio_channel_lost(memory->chan, from->lost);
	if (set->is_output)
		memory->in_flight -= from->lost;
	else
		streams_fill(set, memory->chan, from);
	memory->in_flight -= from->n_blocks;
	zio_channel_complete(memory->chan, from->n_blocks);
	uzio_look_for_blocks(set);
	return 0;
}

/*
 * @from: in kernel memory, with a right size. A late answer is dropped: the program still owes
 * that to UZIO_ABORT. Context: Process, sleeps. Returns 0, or -EINVAL and nothing has changed.
 */
int uzio_answer_complete(struct uzio_chanset *set, const struct uzio_complete *from)
{
	struct uzio *dev = set->dev;
	int ret;

	if (!set->is_stream)
		return -EINVAL;
	mutex_lock(&set->mutex);
	ret = uzio_judge(set, from->head.id);
	if (ret > 0) {
		ret = streams_complete(set, from);
	} else if (!ret) {
		spin_lock_irq(&dev->lock);
		dev->late++;
		spin_unlock_irq(&dev->lock);
	}
	mutex_unlock(&set->mutex);
	return ret;
}
