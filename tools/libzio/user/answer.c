// SPDX-License-Identifier: LGPL-2.1-or-later
/* The answers of a program that drives a device */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "user.h"

#define NSEC_PER_SEC 1000000000

/* Return the lane of a request that has no answer; NULL with EINVAL if there is none. */
static struct user_lane *find_held(struct zio_user *dev, struct zio_user_request *req)
{
	struct user_lane *lane;

	if (!dev || !req) {
		zio_refuse_null();
		return NULL;
	}
	if (req->type == UZIO_SET) {
		zio_explain(&dev->error, EINVAL, "%s: a request for an attribute has no blocks",
			    dev->name);
		return NULL;
	}
	lane = (struct user_lane *)((char *)req - offsetof(struct user_lane, request));
	if (lane->is_held && lane->set->dev == dev)
		return lane;
	zio_user_refuse_answered(dev);
	return NULL;
}

static char *map_memory(struct user_set *set, const struct uzio_block *block)
{
	int prot = user_is_output(set) ? PROT_READ : PROT_READ | PROT_WRITE;
	struct user_memory *memory = &set->memory[block->chan];
	struct zio_user *dev = set->dev;
	void *addr;

	addr = mmap(NULL, block->map_size, prot, MAP_SHARED, dev->fd, (off_t)block->map);
	if (addr == MAP_FAILED) {
		zio_explain(&dev->error, errno, "%s: cannot map the memory of channel %u: %s",
			    dev->name, block->chan, strerror(errno));
		return NULL;
	}
	if (memory->addr)
		munmap(memory->addr, memory->size);
	*memory = (struct user_memory){ block->map, block->map_size, addr };
	return addr;
}

static int check_block(struct zio_user *dev, const struct zio_user_request *req, unsigned int i)
{
	if (i < req->n_blocks)
		return 0;
	return zio_explain(&dev->error, EINVAL, "%s: there is no block %u: the request has %u",
			   dev->name, i, req->n_blocks);
}

void *zio_user_data(struct zio_user *dev, struct zio_user_request *req, unsigned int i)
{
	struct user_lane *lane = find_held(dev, req);
	const struct user_memory *memory;
	const struct uzio_block *block;

	if (!lane || check_block(dev, req, i))
		return NULL;
	block = &req->blocks[i];
	memory = &lane->set->memory[block->chan];
	if (zio_unlikely(!memory->addr || memory->map != block->map) &&
	    !map_memory(lane->set, block))
		return NULL;
	return memory->addr + block->offset;
}

static bool is_full(const struct zio_user_request *req, uint32_t i)
{
	const struct uzio_filled *filled = &req->filled[i];

	return filled->len == req->blocks[i].len && !filled->flags && !filled->alarms;
}

/* Bytes of one sample of each channel that the block carries */
static uint32_t sample_size(const struct user_set *set)
{
	if (!user_is_interleaved(set))
		return set->ssize;
	return set->ssize * (uint32_t)__builtin_popcount(set->arm.mask);
}

/* Refuse what the kernel would refuse, with a reason. Return 0, or -1. */
static int check_filled(const struct user_set *set, const struct zio_user_request *req,
			uint32_t i)
{
	const struct uzio_filled *filled = &req->filled[i];
	const struct uzio_block *block = &req->blocks[i];
	struct zio_error *err = &set->dev->error;
	const char *name = set->dev->name;

	if (filled->len > block->len)
		return zio_explain(err, EINVAL,
				   "%s: set %u: channel %u: the block has room for %llu bytes, not %llu",
				   name, req->set, block->chan, (unsigned long long)block->len,
				   (unsigned long long)filled->len);
	if (filled->len % sample_size(set))
		return zio_explain(err, EINVAL,
				   "%s: set %u: channel %u: %llu bytes are not whole samples of %u bytes",
				   name, req->set, block->chan, (unsigned long long)filled->len,
				   sample_size(set));
	if (filled->flags & ~UZIO_FILLED_TIME)
		return zio_explain(err, EINVAL, "%s: set %u: channel %u: unknown flags %#x", name,
				   req->set, block->chan, filled->flags);
	if (filled->flags & UZIO_FILLED_TIME && !set->has_clock &&
	    filled->time.ticks >= NSEC_PER_SEC)
		return zio_explain(err, EINVAL,
				   "%s: set %u: channel %u: %llu ticks: a second has 1000000000",
				   name, req->set, block->chan,
				   (unsigned long long)filled->time.ticks);
	return 0;
}

/*
 * Tell what the kernel has to know of the oldest @n blocks. Return @n; 0: they are all full;
 * -1: one is wrong. An output has no more to tell.
 */
static int64_t count_filled(const struct user_set *set, const struct zio_user_request *req,
			    uint32_t n)
{
	int64_t n_filled = 0;
	uint32_t i;

	if (user_is_output(set))
		return 0;
	for (i = 0; i < n; i++) {
		if (is_full(req, i))
			continue;
		if (check_filled(set, req, i))
			return -1;
		n_filled = n;
	}
	return n_filled;
}

static int add_done(struct user_lane *lane, uint32_t n_filled)
{
	size_t more = n_filled * sizeof(struct uzio_filled);
	struct uzio_done done = {
		.head = zio_user_head_of(lane->set, UZIO_DONE, sizeof(done) + more),
		.lost = lane->request.lost,
		.n_blocks = n_filled,
	};

	return zio_user_add_answer(lane->set->dev, &done, sizeof(done), lane->request.filled, more);
}

static int check_block_value(const struct user_set *set, unsigned int attr, int64_t value)
{
	struct zio_user *dev = set->dev;
	const struct user_attr *found = attr < dev->n_attrs ? &dev->attrs[attr] : NULL;
	int64_t low, high;

	if (user_is_stream(set) || user_is_output(set))
		return zio_explain(&dev->error, EINVAL,
				   "%s: set %u is a stream or an output: its blocks have no values",
				   dev->name, set->index);
	if (!found || found->place != UZIO_PLACE_BLOCK || found->set != set->index)
		return zio_explain(&dev->error, EINVAL,
				   "%s: attribute %u is none of each block of set %u", dev->name,
				   attr, set->index);
	low = found->is_signed ? INT32_MIN : 0;
	high = found->is_signed ? INT32_MAX : UINT32_MAX;
	if (value < low || value > high)
		return zio_explain(&dev->error, EINVAL,
				   "%s: attribute %u: %lld is not %lld to %lld", dev->name, attr,
				   (long long)value, (long long)low, (long long)high);
	return 0;
}

int zio_user_put_block_value(struct zio_user *dev, struct zio_user_request *req, unsigned int i,
			     unsigned int attr, int64_t value)
{
	struct user_lane *lane = find_held(dev, req);
	struct uzio_block_values values = { .block = i, .n_values = 1 };
	struct uzio_block_value one;

	if (!lane || check_block(dev, req, i) || check_block_value(lane->set, attr, value))
		return -1;
	one = (struct uzio_block_value){ dev->attrs[attr].index, (uint32_t)value };
	values.head = zio_user_head_of(lane->set, UZIO_BLOCK_VALUES, sizeof(values) + sizeof(one));
	return zio_user_add_answer(dev, &values, sizeof(values), &one, sizeof(one));
}

/* A record has no more than the kernel takes at once. Return 0, or -1 with errno. */
static int add_complete(struct user_lane *lane, uint32_t n, uint32_t n_filled)
{
	struct zio_user_request *req = &lane->request;
	struct zio_user *dev = lane->set->dev;
	uint32_t lost = user_is_output(lane->set) ? req->lost : 0;
	struct uzio_complete complete = {
		.head = zio_user_head_of(lane->set, UZIO_COMPLETE, 0),
		.chan = (uint16_t)req->chan,
		.lost = req->lost,
	};
	const uint32_t most = (dev->room - sizeof(complete)) / sizeof(*req->filled);
	uint32_t each;
	size_t more;

	for (; n; n -= each) {
		each = n_filled && n > most ? most : n;
		complete.n_blocks = each - lost;
		complete.n_filled = n_filled ? each : 0;
		more = complete.n_filled * sizeof(*req->filled);
		complete.head.size = (uint32_t)(sizeof(complete) + more);
		if (zio_user_add_answer(dev, &complete, sizeof(complete), req->filled, more))
			return -1;
		complete.lost = 0;
		zio_user_forget_blocks(lane, each);
	}
	return 0;
}

int zio_user_complete(struct zio_user *dev, struct zio_user_request *req, unsigned int n)
{
	struct user_lane *lane = find_held(dev, req);
	int64_t n_filled;

	if (!lane)
		return -1;
	if (!user_is_stream(lane->set))
		return zio_explain(&dev->error, EINVAL,
				   "%s: set %u is no stream: answer all blocks at once", dev->name,
				   req->set);
	if (!n || n > req->n_blocks)
		return zio_explain(&dev->error, EINVAL, "%s: set %u: channel %u: %u blocks of %u",
				   dev->name, req->set, req->chan, n, req->n_blocks);
	if (user_is_output(lane->set) && req->lost > n)
		return zio_explain(&dev->error, EINVAL,
				   "%s: set %u: channel %u: %u of %u blocks are lost", dev->name,
				   req->set, req->chan, req->lost, n);
	if (req->is_aborted)
		return zio_user_end_stream(lane->set, ECANCELED);
	n_filled = count_filled(lane->set, req, n);
	return n_filled < 0 ? -1 : add_complete(lane, n, (uint32_t)n_filled);
}

static bool is_value(const struct zio_user *dev, const struct zio_user_request *req)
{
	return dev && req && req->type == UZIO_SET;
}

int zio_user_done(struct zio_user *dev, struct zio_user_request *req)
{
	struct user_lane *lane;
	int64_t n_filled;

	if (is_value(dev, req))
		return zio_user_value_done(dev, req);
	lane = find_held(dev, req);
	if (!lane)
		return -1;
	if (user_is_stream(lane->set))
		return zio_user_complete(dev, req, req->n_blocks);
	if (user_is_output(lane->set) && req->lost)
		return zio_explain(&dev->error, EINVAL,
				   "%s: set %u: an armed output cannot lose blocks: answer with zio_user_fail()",
				   dev->name, req->set);
	n_filled = count_filled(lane->set, req, req->n_blocks);
	if (n_filled < 0 || add_done(lane, (uint32_t)n_filled))
		return -1;
	lane->is_held = false;
	return 0;
}

int zio_user_fail(struct zio_user *dev, struct zio_user_request *req, int error)
{
	struct user_lane *lane;

	if (is_value(dev, req))
		return zio_user_refuse(dev, req, error, "");
	lane = find_held(dev, req);
	if (!lane || zio_user_check_error(dev, error))
		return -1;
	if (user_is_stream(lane->set))
		return zio_user_end_stream(lane->set, error);
	if (zio_user_add_fail(lane->set, error))
		return -1;
	lane->is_held = false;
	return 0;
}
