// SPDX-License-Identifier: GPL-2.0-only
/*
 * requests.c: what the core wants from the program, and what the program answers
 *
 * A set has at most one request that the program has not answered; a stream is one. See struct
 * uzio_chanset for its states, and streams.c for the blocks of a stream.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "uzio.h"

/* Its works unplug devices, which may take long. They stand still while programs do. */
struct workqueue_struct *uzio_wq;

/* The program has to do the next step. Called with dev->lock held. */
static void requests_add(struct uzio_chanset *set)
{
	set->owes = true;
	set->since = jiffies;
	list_move_tail(&set->ready, &set->dev->ready);
	if (set->dev->live)
		queue_delayed_work(uzio_wq, &set->dev->watch, set->dev->timeout);
}

/* Called with dev->lock held. */
static void requests_del(struct uzio_chanset *set)
{
	set->owes = false;
	list_del_init(&set->ready);
}

static void requests_refill(struct zio_cset *cset, struct zio_channel *chan)
{
	struct uzio *dev = zio_cset_priv(cset);

	uzio_look_for_blocks(&dev->set[zio_cset_index(cset)]);
}

static int requests_arm(struct zio_cset *cset)
{
	struct uzio *dev = zio_cset_priv(cset);
	struct uzio_chanset *set = &dev->set[zio_cset_index(cset)];
	unsigned long flags;

	spin_lock_irqsave(&dev->lock, flags);
	set->gen++;
	set->armed = true;
	/* The end of a dead device takes the blocks back soon, and readers get ENODEV. */
	if (!set->held && !dev->dead)
		requests_add(set);
	spin_unlock_irqrestore(&dev->lock, flags);
	wake_up_interruptible(&dev->wq);
	return ZIO_PENDING;
}

/* The program may still write to the blocks: the set gives it no others before it answers. */
static void requests_stop(struct zio_cset *cset)
{
	struct uzio *dev = zio_cset_priv(cset);
	struct uzio_chanset *set = &dev->set[zio_cset_index(cset)];
	unsigned long flags;

	mutex_lock(&set->mutex);
	spin_lock_irqsave(&dev->lock, flags);
	if (!set->held)
		requests_del(set);
	else if (set->armed && set->held == set->gen)
		requests_add(set);
	set->armed = false;
	spin_unlock_irqrestore(&dev->lock, flags);
	mutex_unlock(&set->mutex);
	wake_up_interruptible(&dev->wq);
}

static int requests_init(struct zio_cset *cset)
{
	struct uzio *dev = zio_cset_priv(cset);

	dev->set[zio_cset_index(cset)].cset = cset;
	return 0;
}

/* The program can map no area any more. What it has mapped stays. */
static void requests_exit(struct zio_cset *cset)
{
	struct uzio *dev = zio_cset_priv(cset);
	unsigned int index = zio_cset_index(cset), i;
	struct uzio_memory *memory = dev->set[index].memory;
	struct zio_area *area;

	for (i = 0; i < dev->cset[index].n_chan; i++) {
		spin_lock_irq(&dev->lock);
		area = memory[i].area;
		memory[i].area = NULL;
		spin_unlock_irq(&dev->lock);
		zio_area_put(area);
	}
}

static int requests_check_shape(struct zio_cset *cset, const struct zio_shape *shape)
{
	struct uzio *dev = zio_cset_priv(cset);
	const struct uzio_chanset *set = &dev->set[zio_cset_index(cset)];
	u64 samples = (u64)shape->pre_samples + shape->post_samples;

	if (set->max_samples && samples > set->max_samples)
		return -ERANGE;
	return shape->nshots > set->max_shots ? -ERANGE : 0;
}

static void requests_get_timing(const struct zio_cset *cset, struct zio_timing *timing)
{
	struct uzio *dev = zio_cset_priv(cset);

	spin_lock_irq(&dev->lock);
	*timing = dev->set[zio_cset_index(cset)].timing;
	spin_unlock_irq(&dev->lock);
}

const struct zio_cset_ops uzio_armed_ops = {
	.init = requests_init,
	.exit = requests_exit,
	.raw_io = requests_arm,
	.stop_io = requests_stop,
	.check_shape = requests_check_shape,
	.get_timing = requests_get_timing,
	.attr_request = uzio_request_attr,
};

const struct zio_cset_ops uzio_stream_ops = {
	.init = requests_init,
	.exit = requests_exit,
	.raw_io = requests_arm,
	.stop_io = requests_stop,
	.refill = requests_refill,
	.check_shape = requests_check_shape,
	.get_timing = requests_get_timing,
	.attr_request = uzio_request_attr,
};

/* Called with set->mutex held; the set is armed. Returns the bytes of the request. */
static u32 requests_describe_arm(struct uzio_chanset *set, struct uzio_arm *arm)
{
	struct uzio_block *to = (struct uzio_block *)(arm + 1);
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	memset(arm, 0, sizeof(*arm));
	block = zio_cset_block(set->cset);
	arm->time = block->tstamp;
	arm->clock = set->is_output ? zio_cset_clock(set->cset) : zio_block_clock(block);
	arm->pre_samples = zio_cset_pre_samples(set->cset);
	arm->post_samples = zio_cset_post_samples(set->cset);
	arm->nshots = zio_cset_nshots(set->cset);
	arm->mask = zio_cset_mask(set->cset);
	zio_for_each_block(set->cset, pos, chan, block) {
		memset(to, 0, sizeof(*to));
		to->chan = zio_channel_index(chan);
		to->shot = block->shot;
		to->offset = zio_block_offset(block);
		to->len = block->len;
		uzio_find_memory(set, chan, to);
		to++;
		arm->n_blocks++;
	}
	set->n_blocks = arm->n_blocks;
	return uzio_arm_size(arm->n_blocks);
}

/*
 * The program gets the request of a set from now on. Returns its type; 0 if the core has taken
 * the request back. Called with set->mutex held.
 */
static u32 requests_fetch(struct uzio_chanset *set)
{
	struct uzio *dev = set->dev;
	u32 type = 0;

	spin_lock_irq(&dev->lock);
	if (list_empty(&set->ready))
		goto out;
	list_del_init(&set->ready);
	if (!set->held) {
		type = set->is_stream ? UZIO_START : UZIO_ARM;
		set->held = set->gen;
		set->owes = false;
		/* The first blocks follow. */
		if (set->is_stream)
			list_add_tail(&set->ready, &dev->ready);
	} else if (set->armed && set->held == set->gen) {
		type = UZIO_BLOCKS;
	} else {
		type = UZIO_ABORT;
		set->since = jiffies;
	}
out:
	spin_unlock_irq(&dev->lock);
	return type;
}

/*
 * Puts the request of a set into a buffer of @room bytes, where one of each type fits. Returns its
 * bytes; 0 if there is none.
 */
static u32 requests_take(struct uzio_chanset *set, struct uzio_record *to, u32 room)
{
	u32 type, size = 0;

	mutex_lock(&set->mutex);
	type = requests_fetch(set);
	switch (type) {
	case UZIO_ARM:
		size = requests_describe_arm(set, (struct uzio_arm *)to);
		break;
	case UZIO_START:
		size = uzio_stream_start(set, (struct uzio_arm *)to);
		break;
	case UZIO_ABORT:
		size = sizeof(*to);
		break;
	case UZIO_BLOCKS:
		size = uzio_stream_take(set, to, room);
		break;
	}
	if (type && type != UZIO_BLOCKS)
		*to = (struct uzio_record) {
			.size = size, .type = type, .set = set - set->dev->set, .id = set->held,
		};
	mutex_unlock(&set->mutex);
	return size;
}

static struct uzio_chanset *requests_first(struct uzio *dev)
{
	struct uzio_chanset *set;

	spin_lock_irq(&dev->lock);
	set = list_first_entry_or_null(&dev->ready, struct uzio_chanset, ready);
	spin_unlock_irq(&dev->lock);
	return set;
}

/*
 * Takes requests of users and of the sets, as many as dev->out has room for. Context: Process,
 * sleeps; the caller holds dev->exchange. Returns their bytes.
 */
u32 uzio_collect(struct uzio *dev)
{
	struct uzio_chanset *set;
	u32 len, most;

	/* No more, so that users who write values keep no request of a set out. */
	len = uzio_collect_values(dev, dev->out, UZIO_VALUES_SIZE);
	while ((set = requests_first(dev))) {
		most = uzio_request_size(set->max_blocks);
		if (most > dev->buffer_size - len)
			break;
		len += requests_take(set, dev->out + len, dev->buffer_size - len);
	}
	return len;
}

/* Ends a request that the core has taken back. The next one may wait already. */
static void requests_drop(struct uzio_chanset *set, bool is_done)
{
	struct uzio *dev = set->dev;

	spin_lock_irq(&dev->lock);
	dev->late += is_done;
	requests_del(set);
	set->held = 0;
	if (set->armed)
		requests_add(set);
	spin_unlock_irq(&dev->lock);
}

/* The driver gives the blocks back. The core may arm the set again before it returns. */
static void requests_end(struct uzio_chanset *set)
{
	spin_lock_irq(&set->dev->lock);
	list_del_init(&set->ready);
	set->held = 0;
	set->armed = false;
	spin_unlock_irq(&set->dev->lock);
}

/* Called with set->mutex held, while the set is armed. Changes nothing unless all is right. */
static int requests_fill(struct uzio_chanset *set, const struct uzio_done *done)
{
	const struct uzio_filled *filled = (const void *)(done + 1);
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;
	u32 n = 0;

	if (set->is_output)
		return done->n_blocks || done->lost ? -EINVAL : 0;
	if (!done->n_blocks)
		return 0;
	zio_for_each_block(set->cset, pos, chan, block) {
		if (n == done->n_blocks || !uzio_filled_is_right(set, block, &filled[n]))
			return -EINVAL;
		n++;
	}
	if (n != done->n_blocks)
		return -EINVAL;
	zio_for_each_block(set->cset, pos, chan, block) {
		block->len = filled->len;
		block->drv_alarms = filled->alarms;
		if (filled->flags & UZIO_FILLED_TIME)
			block->tstamp = filled->time;
		filled++;
	}
	return 0;
}

/* @done: in kernel memory, with a right size. Returns 0, or -EINVAL and nothing has changed. */
int uzio_answer_done(struct uzio_chanset *set, const struct uzio_done *done)
{
	int ret;

	if (set->is_stream)
		return -EINVAL;
	mutex_lock(&set->mutex);
	ret = uzio_judge(set, done->head.id);
	if (!ret)
		requests_drop(set, true);
	if (ret > 0) {
		ret = requests_fill(set, done);
		if (!ret) {
			if (done->lost)
				zio_cset_lost(set->cset, done->lost);
			requests_end(set);
			/* If it is false, requests_stop() finds nothing to stop. */
			zio_cset_done(set->cset);
		}
	}
	mutex_unlock(&set->mutex);
	if (!ret)
		wake_up_interruptible(&set->dev->wq);
	return ret;
}

/* As uzio_answer_done(). */
int uzio_answer_fail(struct uzio_chanset *set, const struct uzio_fail *fail)
{
	int ret;

	/* From ERESTARTSYS on, the codes are the kernel's own. */
	if (!fail->error || fail->error >= ERESTARTSYS || fail->reserved)
		return -EINVAL;
	mutex_lock(&set->mutex);
	ret = uzio_judge(set, fail->head.id);
	if (!ret)
		requests_drop(set, false);
	if (ret > 0) {
		requests_end(set);
		zio_cset_fail(set->cset, -(int)fail->error);
		ret = 0;
	}
	mutex_unlock(&set->mutex);
	if (!ret)
		wake_up_interruptible(&set->dev->wq);
	return ret;
}

/* As uzio_answer_done(). */
int uzio_answer_block_values(struct uzio_chanset *set, const struct uzio_block_values *values)
{
	const struct uzio_block_value *value = (const void *)(values + 1);
	struct zio_block *block;
	u32 i;
	int ret;

	if (set->is_stream || set->is_output || !values->n_values)
		return -EINVAL;
	for (i = 0; i < values->n_values; i++)
		if (value[i].index >= ZIO_MAX_EXT_ATTR || !(set->value_mask & BIT(value[i].index)))
			return -EINVAL;
	mutex_lock(&set->mutex);
	ret = uzio_judge(set, values->head.id);
	if (ret > 0) {
		block = values->block < set->n_blocks ?
			set->cset->armed[values->block].block : NULL;
		ret = block && block->values ? 0 : -EINVAL;
		for (i = 0; i < values->n_values && !ret; i++)
			block->values[value[i].index] = value[i].value;
	}
	mutex_unlock(&set->mutex);
	return ret;
}

/*
 * Called with dev->lock held. Returns true if the program owes a step; then *@end is when the
 * oldest one is overdue, in jiffies.
 */
bool uzio_owes_step(struct uzio *dev, unsigned long *end)
{
	const struct uzio_chanset *set, *oldest = NULL;

	for (set = dev->set; set < dev->set + dev->n_sets; set++)
		if (set->owes && (!oldest || time_before(set->since, oldest->since)))
			oldest = set;
	if (oldest)
		*end = oldest->since + dev->timeout;
	return oldest;
}
