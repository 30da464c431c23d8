// SPDX-License-Identifier: LGPL-2.1-or-later
/* Requests of the kernel for a program that drives a device */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "user.h"

/*
 * How long a wait for a request stays within the one system call that also delivers the
 * answers. Only poll() after it notices zio_user_interrupt().
 */
#define SHORT_WAIT 10

static int explain_canceled(struct zio_user *dev)
{
	return zio_explain(&dev->error, ECANCELED, "%s: interrupted", dev->name);
}

static bool is_interrupted(const struct zio_user *dev)
{
	return __atomic_load_n(&dev->is_interrupted, __ATOMIC_RELAXED);
}

/* Nothing is left to answer: the next blocks begin at the start of the memory. */
static void empty_lane(struct user_lane *lane)
{
	lane->request.blocks = lane->blocks;
	lane->request.filled = lane->filled;
	lane->request.n_blocks = 0;
}

static void begin_request(struct user_lane *lane, unsigned int type, unsigned int chan)
{
	lane->request = (struct zio_user_request){
		.type = type, .set = lane->set->index, .chan = chan, .arm = &lane->set->arm,
	};
	empty_lane(lane);
}

/* @time: of the event, or when to play the block; zero: nobody has told */
static void add_block(struct user_lane *lane, const struct uzio_block *block,
		      const struct zio_timestamp *time)
{
	size_t end = (size_t)(lane->request.blocks - lane->blocks) + lane->request.n_blocks++;

	lane->blocks[end] = *block;
	lane->filled[end] = (struct uzio_filled){ .len = block->len, .time = *time };
}

/* An arming may have several blocks of a channel. Return 0, or -1: there is no memory. */
static int grow_lane(struct user_lane *lane, uint32_t n)
{
	void *blocks, *filled;

	if (n <= lane->room)
		return 0;
	blocks = realloc(lane->blocks, n * sizeof(*lane->blocks));
	if (!blocks)
		return -1;
	lane->blocks = blocks;
	filled = realloc(lane->filled, n * sizeof(*lane->filled));
	if (!filled)
		return -1;
	lane->filled = filled;
	lane->room = n;
	return 0;
}

static struct zio_user_request *hold_arm(struct user_set *set, const struct uzio_arm *arm)
{
	const struct uzio_block *block = (const struct uzio_block *)(arm + 1);
	struct user_lane *lane = set->lanes;
	uint32_t i;

	set->arm = *arm;
	if (grow_lane(lane, arm->n_blocks)) {
		zio_user_add_fail(set, ENOMEM);
		return NULL;
	}
	begin_request(lane, UZIO_ARM, 0);
	for (i = 0; i < arm->n_blocks; i++)
		add_block(lane, &block[i], &arm->time);
	lane->is_held = true;
	return &lane->request;
}

static void start_stream(struct user_set *set, const struct uzio_arm *arm)
{
	const struct uzio_block *block = (const struct uzio_block *)(arm + 1);
	uint32_t i;

	set->arm = *arm;
	for (i = 0; i < set->n_lanes; i++)
		begin_request(&set->lanes[i], UZIO_BLOCKS, i);
	for (i = 0; i < arm->n_blocks; i++)
		set->lanes[block[i].chan].template = block[i];
}

/* The blocks go behind those that the program has, which move if there is no room. */
static struct zio_user_request *hold_blocks(struct user_set *set, const struct uzio_blocks *blocks)
{
	const struct uzio_place *place = (const struct uzio_place *)(blocks + 1);
	struct user_lane *lane = &set->lanes[blocks->chan];
	struct zio_user_request *req = &lane->request;
	struct uzio_block block = lane->template;
	uint32_t i;

	if (req->blocks - lane->blocks + req->n_blocks + blocks->n_blocks > lane->room) {
		memmove(lane->blocks, req->blocks, req->n_blocks * sizeof(*lane->blocks));
		memmove(lane->filled, req->filled, req->n_blocks * sizeof(*lane->filled));
		req->blocks = lane->blocks;
		req->filled = lane->filled;
	}
	for (i = 0; i < blocks->n_blocks; i++) {
		block.offset = place[i].offset;
		block.len = place[i].len;
		add_block(lane, &block, &place[i].time);
	}
	lane->is_held = true;
	return req;
}

/* Return a request of the set that has no answer; NULL if there is none. */
static struct zio_user_request *abort_set(struct user_set *set, uint64_t id)
{
	struct zio_user_request *req = NULL;
	uint32_t i;

	if (set->arm.head.id != id)
		return NULL;
	for (i = 0; i < set->n_lanes; i++) {
		set->lanes[i].request.is_aborted = true;
		if (!req && set->lanes[i].is_held)
			req = &set->lanes[i].request;
	}
	if (!req && user_is_stream(set))
		zio_user_end_stream(set, ECANCELED);
	return req;
}

static struct zio_user_request *hold(struct zio_user *dev, const struct uzio_record *head)
{
	struct user_set *set = &dev->sets[head->set];

	switch (head->type) {
	case UZIO_SET:
		return zio_user_hold_value(dev, (const struct uzio_value *)head);
	case UZIO_ARM:
		return hold_arm(set, (const struct uzio_arm *)head);
	case UZIO_START:
		start_stream(set, (const struct uzio_arm *)head);
		return NULL;
	case UZIO_BLOCKS:
		/* The program may have ended the stream since. */
		if (set->arm.head.id != head->id)
			return NULL;
		return hold_blocks(set, (const struct uzio_blocks *)head);
	case UZIO_ABORT:
		return abort_set(set, head->id);
	default:
		return NULL;
	}
}

/* Return the next request of those that the kernel gave; NULL if there is no other. */
static struct zio_user_request *take_request(struct zio_user *dev)
{
	struct zio_user_request *req = NULL;
	const struct uzio_record *head;

	while (!req && dev->requests_at < dev->requests_size) {
		head = (const void *)(dev->requests + dev->requests_at);
		dev->requests_at += head->size;
		req = hold(dev, head);
	}
	return req;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait in poll(), at most until @end. Return 1; 0 the time is over; -1. */
static int wait_long(struct zio_user *dev, int64_t end)
{
	int64_t left = end < 0 ? -1 : end - now_ms();
	int ret;

	if (end >= 0 && left <= 0)
		return 0;
	ret = zio_poll(dev->fd, POLLIN, dev->interrupt_fd, (int)left);
	if (ret >= 0)
		return ret > 0;
	if (errno == EAGAIN)
		return explain_canceled(dev);
	return zio_user_explain_exchange(dev, errno);
}

int zio_user_next(struct zio_user *dev, struct zio_user_request **req, int timeout)
{
	int wait_ms = timeout < 0 || timeout > SHORT_WAIT ? SHORT_WAIT : timeout;
	int64_t end = timeout > 0 ? now_ms() + timeout : timeout;
	int ret;

	if (!dev || !req)
		return zio_refuse_null();
	for (;;) {
		if (is_interrupted(dev))
			return zio_user_exchange(dev, -1) ? -1 : explain_canceled(dev);
		*req = take_request(dev);
		if (*req)
			return 1;
		if (zio_user_exchange(dev, wait_ms))
			return -1;
		if (dev->requests_size)
			continue;
		ret = wait_long(dev, end);
		if (ret <= 0)
			return ret;
		wait_ms = 0;
	}
}

int zio_user_flush(struct zio_user *dev)
{
	return dev ? zio_user_deliver(dev) : zio_refuse_null();
}

int zio_user_fd(const struct zio_user *dev)
{
	return dev ? dev->fd : zio_refuse_null();
}

void zio_user_interrupt(struct zio_user *dev)
{
	if (!dev)
		return;
	__atomic_store_n(&dev->is_interrupted, true, __ATOMIC_RELAXED);
	zio_signal(dev->interrupt_fd);
}

void zio_user_resume(struct zio_user *dev)
{
	if (!dev)
		return;
	__atomic_store_n(&dev->is_interrupted, false, __ATOMIC_RELAXED);
	zio_unsignal(dev->interrupt_fd);
}

uint64_t zio_user_late(const struct zio_user *dev)
{
	return dev ? dev->late : 0;
}

const char *zio_user_reason(struct zio_user *dev)
{
	if (!dev) {
		zio_refuse_null();
		return NULL;
	}
	return dev->error.text;
}
