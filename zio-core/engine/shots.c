// SPDX-License-Identifier: GPL-2.0-only
/*
 * shots.c: blocks that several events fill, one shot each
 *
 * A driver with ZIO_CSET_SHOTS takes one shot in raw_io(), at once. If a user asks for
 * several shots in a block, the engine collects them. The first event takes a block of each
 * channel. Each event then calls raw_io() for the next part of these blocks. Between two
 * events the set is ARMED, and no context owns the blocks. The last shot finishes them:
 *
 *   IDLE --event--> ARMING ---raw_io() = 0--> ARMED ---event--> ARMING --> ...
 *                     |`------raw_io() = error-----------------> IDLE
 *                     `-------raw_io() = 0, the last shot------> IDLE
 *   ARMED --freeze-> ABORTING: the blocks get the shots so far -> IDLE
 *
 * CSET_SHOTS is set in the state word of such a set. So no other function arms it, at no
 * cost for other sets: the events of its trigger come here. With a trigger without events
 * of its own, each demand fills a whole block, and CSET_SHOTS is not set.
 *
 * While a shot is taken, data and len of a block are those of the shot. So a driver fills
 * it like any block. The block keeps the time of each shot for its control. A shot that the
 * driver has made shorter ends with zeros: so each shot begins at a multiple of its length,
 * and no reader gets the samples of an older block.
 */
#include "engine/block.h"
#include "engine/internal.h"

/**
 * zio_shots_set() - choose whether each event fills a block, or takes a shot of it
 * @cset: the channel set, frozen or not yet visible
 * @collect: take the shots of its shape; ignored without ZIO_CSET_SHOTS
 *
 * Context: Process.
 */
void zio_shots_set(struct zio_cset_core *cset, bool collect)
{
	if (collect && cset->flags & ZIO_CSET_SHOTS)
		atomic_or(CSET_SHOTS, &cset->state);
	else
		atomic_andnot(CSET_SHOTS, &cset->state);
}

/* Gives the blocks their whole memory again, with the shots so far. */
static void restore_blocks(struct zio_cset_core *cset)
{
	size_t len = cset->shots * cset->shot_len;
	struct zio_armed *armed;

	for (armed = cset->pub.armed; armed->chan; armed++) {
		armed->block->data -= len;
		armed->block->len = len;
	}
	cset->shots = 0;
}

/* Finishes the blocks, with the shots so far. The caller owns the phase. */
void zio_shots_end(struct zio_cset_core *cset)
{
	restore_blocks(cset);
	zio_cset_finish_blocks(cset);
}

/* The event is one of a trigger that the set has no more. */
static void leave_shot(struct zio_cset_core *cset)
{
	if (cset->shots)
		zio_cset_leave_armed(cset);
	else
		make_idle(cset);
}

/* Returns the nanoseconds since the first shot. */
static s64 time_of_shot(const struct zio_cset_core *cset, const struct timespec64 *at)
{
	return (at->tv_sec - cset->now.tv_sec) * NSEC_PER_SEC +
		at->tv_nsec - cset->now.tv_nsec;
}

/* A channel without a free block loses one, and the other channels take the shots. */
static void begin_blocks(struct zio_cset_core *cset, const struct timespec64 *at)
{
	struct zio_armed *armed;

	cset->now = *at;
	cset->shot_len = cset->block_len / cset->pub.shape.nshots;
	arm_blocks(cset, false, NULL, NULL);
	for (armed = cset->pub.armed; armed->chan; armed++)
		armed->block->len = cset->shot_len;
}

static void clear_gap(struct zio_block *block, size_t len)
{
	if (unlikely(block->len < len))
		memset(block->data + block->len, 0, len - block->len);
}

/* The driver has taken the shot: the blocks get its time, and room for the next one. */
static void pass_shot(struct zio_cset_core *cset, u32 ns)
{
	unsigned int taken = cset->shots++;
	size_t len = cset->shot_len;
	struct zio_armed *armed;

	for (armed = cset->pub.armed; armed->chan; armed++) {
		u32 *time = to_block_core(armed->block)->shots;

		clear_gap(armed->block, len);
		armed->block->data += len;
		armed->block->len = len;
		if (likely(time)) {
			time[taken] = ns;
			time[0] = taken + 1;
		}
	}
}

static int take_shot(struct zio_cset_core *cset, u32 ns)
{
	int ret = 0;

	cset->fired++;
	if (likely(cset->pub.armed->chan))
		ret = cset->ops->raw_io(&cset->pub);
	if (unlikely(ret)) {
		WARN_ON_ONCE(ret == ZIO_PENDING);
		restore_blocks(cset);
		return zio_cset_fail_arm(cset, ret);
	}
	pass_shot(cset, ns);
	if (cset->shots == cset->pub.shape.nshots)
		zio_shots_end(cset);
	else
		zio_cset_leave_armed(cset);
	return 0;
}

/**
 * zio_shots_fire() - take a shot for an event
 * @bind: the set's binding; the set may have been given another one meanwhile
 * @at: time of the event, by the trigger's clock
 *
 * An event that is earlier than the first shot, or more than 2^32 - 1 ns later, begins
 * another block. The blocks before it have fewer shots.
 *
 * Context: Any, under RCU.
 *
 * Return: 0; -EBUSY if the event is lost; -ESHUTDOWN if the set has another trigger; else
 * the driver's error.
 */
int zio_shots_fire(struct zio_binding *bind, const struct timespec64 *at)
{
	struct zio_cset_core *cset = bind->cset;
	s64 ns;

	if (unlikely(!cset_enter(cset, CSET_SHOTS | CSET_ARMED) &&
		     !cset_enter(cset, CSET_SHOTS | CSET_IDLE)))
		return -EBUSY;
	if (unlikely(cset->bind != bind)) {
		leave_shot(cset);
		return -ESHUTDOWN;
	}
	if (!cset->shots) {
		begin_blocks(cset, at);
		return take_shot(cset, 0);
	}
	ns = time_of_shot(cset, at);
	if (likely(ns >= 0 && ns <= U32_MAX))
		return take_shot(cset, ns);
	zio_shots_end(cset);
	return zio_shots_fire(bind, at);
}
