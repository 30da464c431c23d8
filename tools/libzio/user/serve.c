// SPDX-License-Identifier: LGPL-2.1-or-later
/* Requests of the kernel, and the answers of a program that drives a device */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "user.h"

/*
 * How long a wait for a request stays within the one system call that also delivers the
 * answers. Only poll() after it notices zio_user_interrupt().
 */
#define SHORT_WAIT 10

#define NSEC_PER_SEC 1000000000

static int explain_exchange(struct zio_user *dev, int code)
{
	return zio_explain(&dev->error, code, "%s: %s%s", dev->name, strerror(code),
			   code == ENODEV ? " (the device is unplugged: the kernel log tells if "
			   "the program has stalled)" : "");
}

static int explain_canceled(struct zio_user *dev)
{
	return zio_explain(&dev->error, ECANCELED, "%s: interrupted", dev->name);
}

static bool is_interrupted(const struct zio_user *dev)
{
	return __atomic_load_n(&dev->is_interrupted, __ATOMIC_RELAXED);
}

/*
 * Deliver all answers, and fetch requests if @wait_ms is not negative: the program has taken
 * all earlier ones then.
 */
static int exchange(struct zio_user *dev, int wait_ms)
{
	struct uzio_exchange ex = {
		.answers = (uintptr_t)dev->answers,
		.answers_size = dev->answers_size,
	};
	int ret;

	if (wait_ms >= 0) {
		ex.requests = (uintptr_t)dev->requests;
		ex.requests_size = dev->requests_room;
		ex.wait_ms = wait_ms;
	}
	ret = ioctl(dev->fd, UZIO_IOC_EXCHANGE, &ex);
	dev->answers_size -= ex.answers_taken;
	if (zio_unlikely(dev->answers_size))
		memmove(dev->answers, dev->answers + ex.answers_taken, dev->answers_size);
	if (wait_ms >= 0) {
		dev->requests_at = 0;
		dev->requests_size = ex.requests_given;
	}
	dev->late += ex.late;
	return ret ? explain_exchange(dev, errno) : 0;
}

static void hold_arm(struct user_set *set, const struct uzio_arm *arm)
{
	struct uzio_filled *filled = (struct uzio_filled *)(set->done + 1);
	struct zio_user_request *req = &set->request;
	uint32_t i;

	memcpy(set->arm, arm, arm->head.size);
	memset(filled, 0, arm->n_blocks * sizeof(*filled));
	*req = (struct zio_user_request){
		.type = UZIO_ARM,
		.set = arm->head.set,
		.n_blocks = arm->n_blocks,
		.arm = set->arm,
		.blocks = (const struct uzio_block *)(set->arm + 1),
		.filled = filled,
	};
	for (i = 0; i < req->n_blocks; i++)
		filled[i].len = req->blocks[i].len;
	set->is_held = true;
}

/* Return the next request of those that the kernel gave; NULL if there is no other. */
static struct zio_user_request *take_request(struct zio_user *dev)
{
	const struct uzio_record *head;
	struct user_set *set;

	while (dev->requests_at < dev->requests_size) {
		head = (const void *)(dev->requests + dev->requests_at);
		dev->requests_at += head->size;
		set = &dev->sets[head->set];
		if (head->type == UZIO_ARM) {
			hold_arm(set, (const struct uzio_arm *)head);
			return &set->request;
		}
		if (head->type == UZIO_ABORT && set->is_held) {
			set->request.is_aborted = true;
			return &set->request;
		}
	}
	return NULL;
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
	return explain_exchange(dev, errno);
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
			return exchange(dev, -1) ? -1 : explain_canceled(dev);
		*req = take_request(dev);
		if (*req)
			return 1;
		if (exchange(dev, wait_ms))
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
	if (!dev)
		return zio_refuse_null();
	return dev->answers_size ? exchange(dev, -1) : 0;
}

/* Return the set of a request that has no answer; NULL with EINVAL if there is none. */
static struct user_set *find_held(struct zio_user *dev, const struct zio_user_request *req)
{
	struct user_set *set;

	if (!dev || !req) {
		zio_refuse_null();
		return NULL;
	}
	for (set = dev->sets; set < dev->sets + dev->n_sets; set++)
		if (req == &set->request && set->is_held)
			return set;
	zio_explain(&dev->error, EINVAL, "%s: the request has been answered already", dev->name);
	return NULL;
}

void *zio_user_data(struct zio_user *dev, struct zio_user_request *req, unsigned int i)
{
	struct user_set *set = find_held(dev, req);
	const struct uzio_block *block;
	struct user_memory *memory;
	void *addr;

	if (!set)
		return NULL;
	if (i >= req->n_blocks) {
		zio_explain(&dev->error, EINVAL, "%s: there is no block %u: the request has %u",
			    dev->name, i, req->n_blocks);
		return NULL;
	}
	block = &req->blocks[i];
	memory = &set->memory[block->chan];
	if (zio_unlikely(!memory->addr || memory->map != block->map)) {
		addr = mmap(NULL, block->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd,
			    (off_t)block->map);
		if (addr == MAP_FAILED) {
			zio_explain(&dev->error, errno, "%s: cannot map the memory of channel %u: %s",
				    dev->name, block->chan, strerror(errno));
			return NULL;
		}
		if (memory->addr)
			munmap(memory->addr, memory->size);
		*memory = (struct user_memory){ block->map, block->map_size, addr };
	}
	return memory->addr + block->offset;
}

static bool is_full(const struct zio_user_request *req, uint32_t i)
{
	const struct uzio_filled *filled = &req->filled[i];

	return filled->len == req->blocks[i].len && !filled->flags && !filled->alarms;
}

/* Refuse what the kernel would refuse, with a reason. Return 0, or -1. */
static int check_filled(struct zio_user *dev, const struct user_set *set, uint32_t i)
{
	const struct uzio_filled *filled = &set->request.filled[i];
	const struct uzio_block *block = &set->request.blocks[i];
	struct zio_error *err = &dev->error;

	if (filled->len > block->len)
		return zio_explain(err, EINVAL, "%s: set %u: channel %u: the block has room for "
				   "%llu bytes, not %llu", dev->name, set->request.set, block->chan,
				   (unsigned long long)block->len, (unsigned long long)filled->len);
	if (filled->len % set->ssize)
		return zio_explain(err, EINVAL, "%s: set %u: channel %u: %llu bytes are not whole "
				   "samples of %u bytes", dev->name, set->request.set, block->chan,
				   (unsigned long long)filled->len, set->ssize);
	if (filled->flags & ~UZIO_FILLED_TIME)
		return zio_explain(err, EINVAL, "%s: set %u: channel %u: unknown flags %#x",
				   dev->name, set->request.set, block->chan, filled->flags);
	if (filled->flags & UZIO_FILLED_TIME && !set->has_clock &&
	    filled->time.ticks >= NSEC_PER_SEC)
		return zio_explain(err, EINVAL, "%s: set %u: channel %u: %llu ticks: a second has "
				   "1000000000", dev->name, set->request.set, block->chan,
				   (unsigned long long)filled->time.ticks);
	return 0;
}

/* There is room: a set has one answer at most until the kernel takes it. */
static void add_answer(struct zio_user *dev, struct user_set *set, const void *answer,
		       size_t size)
{
	memcpy(dev->answers + dev->answers_size, answer, size);
	dev->answers_size += (uint32_t)size;
	set->is_held = false;
}

int zio_user_done(struct zio_user *dev, struct zio_user_request *req)
{
	struct user_set *set = find_held(dev, req);
	uint32_t i, n_blocks = 0;
	size_t size;

	if (!set)
		return -1;
	for (i = 0; i < req->n_blocks; i++) {
		if (is_full(req, i))
			continue;
		if (check_filled(dev, set, i))
			return -1;
		n_blocks = req->n_blocks;
	}
	size = user_done_size(n_blocks);
	*set->done = (struct uzio_done){
		.head = { .size = (uint32_t)size, .type = UZIO_DONE,
			  .set = (uint16_t)req->set, .id = set->arm->head.id },
		.lost = req->lost,
		.n_blocks = n_blocks,
	};
	add_answer(dev, set, set->done, size);
	return 0;
}

int zio_user_fail(struct zio_user *dev, struct zio_user_request *req, int error)
{
	struct user_set *set = find_held(dev, req);
	struct uzio_fail fail;

	if (!set)
		return -1;
	if (error < 1 || error > 511)
		return zio_explain(&dev->error, EINVAL, "%s: %d is no errno: 1 to 511", dev->name,
				   error);
	fail = (struct uzio_fail){
		.head = { .size = sizeof(fail), .type = UZIO_FAIL, .set = (uint16_t)req->set,
			  .id = set->arm->head.id },
		.error = (uint32_t)error,
	};
	add_answer(dev, set, &fail, sizeof(fail));
	return 0;
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
