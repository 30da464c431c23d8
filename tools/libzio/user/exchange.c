// SPDX-License-Identifier: LGPL-2.1-or-later
/* The system call of a program that drives a device, and the answers that wait for it */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "user.h"

int zio_user_explain_exchange(struct zio_user *dev, int code)
{
	const char *hint = "";

	if (code == ENODEV)
		hint = " (the device is unplugged: the kernel log tells if the program stalled)";
	return zio_explain(&dev->error, code, "%s: %s%s", dev->name, strerror(code), hint);
}

static const char *refusal_of(unsigned int type)
{
	switch (type) {
	case UZIO_DONE:
		return "blocks cannot have the lengths and times of zio_user_done()";
	case UZIO_COMPLETE:
		return "blocks cannot have the lengths, times and losses of zio_user_complete()";
	case UZIO_TIMING:
		return "no set can have the rate, first sample and error of zio_user_put_timing()";
	case UZIO_SCALE:
		return "the set has no scale, or cannot have that of zio_user_put_scale()";
	default:
		return "an attribute cannot have the value of zio_user_put(), or of an answer";
	}
}

/* The kernel has refused the first answer that is left: it must not come again. */
static int drop_answer(struct zio_user *dev)
{
	const struct uzio_record *head = (const void *)dev->answers;
	const char *refusal = refusal_of(head->type);
	uint32_t size = head->size;

	dev->answers_size -= size;
	memmove(dev->answers, dev->answers + size, dev->answers_size);
	return zio_explain(&dev->error, EINVAL, "%s: %s", dev->name, refusal);
}

int zio_user_exchange(struct zio_user *dev, int wait_ms)
{
	struct uzio_exchange ex = {
		.answers = (uintptr_t)dev->answers,
		.answers_size = dev->answers_size,
	};
	int ret;

	if (wait_ms >= 0) {
		ex.requests = (uintptr_t)dev->requests;
		ex.requests_size = dev->room;
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
	if (!ret)
		return 0;
	if (errno == EINVAL && dev->answers_size)
		return drop_answer(dev);
	return zio_user_explain_exchange(dev, errno);
}

int zio_user_deliver(struct zio_user *dev)
{
	return dev->answers_size ? zio_user_exchange(dev, -1) : 0;
}

int zio_user_add_answer(struct zio_user *dev, const void *record, size_t size, const void *more,
			size_t more_size)
{
	if (dev->answers_size + size + more_size > dev->room && zio_user_deliver(dev))
		return -1;
	memcpy(dev->answers + dev->answers_size, record, size);
	memcpy(dev->answers + dev->answers_size + size, more, more_size);
	dev->answers_size += (uint32_t)(size + more_size);
	return 0;
}

int zio_user_refuse_answered(struct zio_user *dev)
{
	return zio_explain(&dev->error, EINVAL, "%s: the request has been answered already",
			   dev->name);
}

int zio_user_check_error(struct zio_user *dev, int error)
{
	if (error >= 1 && error <= 511)
		return 0;
	return zio_explain(&dev->error, EINVAL, "%s: %d is no errno: 1 to 511", dev->name, error);
}

struct uzio_record zio_user_head_of(const struct user_set *set, unsigned int type, size_t size)
{
	return (struct uzio_record){
		.size = (uint32_t)size, .type = (uint16_t)type, .set = (uint16_t)set->index,
		.id = set->arm.head.id,
	};
}

void zio_user_forget_blocks(struct user_lane *lane, uint32_t n)
{
	struct zio_user_request *req = &lane->request;

	req->blocks += n;
	req->filled += n;
	req->n_blocks -= n;
	req->lost = 0;
	lane->is_held = req->n_blocks;
	if (lane->is_held)
		return;
	req->blocks = lane->blocks;
	req->filled = lane->filled;
}

int zio_user_add_fail(struct user_set *set, int error)
{
	const struct uzio_fail fail = {
		.head = zio_user_head_of(set, UZIO_FAIL, sizeof(fail)), .error = (uint32_t)error,
	};

	return zio_user_add_answer(set->dev, &fail, sizeof(fail), "", 0);
}

int zio_user_end_stream(struct user_set *set, int error)
{
	uint32_t i;

	if (zio_user_add_fail(set, error))
		return -1;
	set->arm.head.id = 0;
	for (i = 0; i < set->n_lanes; i++)
		zio_user_forget_blocks(&set->lanes[i], set->lanes[i].request.n_blocks);
	return 0;
}
