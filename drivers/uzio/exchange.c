// SPDX-License-Identifier: GPL-2.0-only
/*
 * exchange.c: UZIO_IOC_EXCHANGE: takes answers of the program, and gives it requests
 *
 * A piece of the answers is copied, and only the copy is looked at. Requests stay in dev->out
 * until the program has got them, so a wrong address loses none.
 */
#include <linux/jiffies.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "uzio.h"

static int exchange_block_values(struct uzio *dev, const struct uzio_record *head)
{
	const struct uzio_block_values *values = (const void *)head;

	if (head->set >= dev->n_sets || head->size < sizeof(*values) ||
	    head->size - sizeof(*values) !=
	    size_mul(values->n_values, sizeof(struct uzio_block_value)))
		return -EINVAL;
	return uzio_answer_block_values(&dev->set[head->set], values);
}

static int exchange_answer_attr(struct uzio *dev, const struct uzio_record *head)
{
	if (head->type == UZIO_VALUE && head->size == sizeof(struct uzio_value))
		return uzio_answer_value(dev, (const void *)head);
	if (head->type == UZIO_REFUSE && head->size == sizeof(struct uzio_refuse))
		return uzio_answer_refuse(dev, (const void *)head);
	if (head->type == UZIO_BLOCK_VALUES)
		return exchange_block_values(dev, head);
	if (head->type == UZIO_TIMING && head->size == sizeof(struct uzio_timing))
		return uzio_answer_timing(dev, (const void *)head);
	if (head->type == UZIO_SCALE && head->size == sizeof(struct uzio_scale))
		return uzio_answer_scale(dev, (const void *)head);
	return -EINVAL;
}

static int exchange_answer(struct uzio *dev, const struct uzio_record *head)
{
	const struct uzio_complete *complete = (const void *)head;
	const struct uzio_done *done = (const void *)head;
	struct uzio_chanset *set;

	if (head->type >= UZIO_VALUE)
		return exchange_answer_attr(dev, head);
	if (head->set >= dev->n_sets)
		return -EINVAL;
	set = &dev->set[head->set];
	switch (head->type) {
	case UZIO_DONE:
		if (head->size < sizeof(*done) ||
		    head->size - sizeof(*done) !=
		    size_mul(done->n_blocks, sizeof(struct uzio_filled)))
			return -EINVAL;
		return uzio_answer_done(set, done);
	case UZIO_FAIL:
		if (head->size != sizeof(struct uzio_fail))
			return -EINVAL;
		return uzio_answer_fail(set, (const void *)head);
	case UZIO_COMPLETE:
		if (head->size < sizeof(*complete) ||
		    head->size - sizeof(*complete) !=
		    size_mul(complete->n_filled, sizeof(struct uzio_filled)))
			return -EINVAL;
		return uzio_answer_complete(set, complete);
	default:
		return -EINVAL;
	}
}

/* Takes the whole records of dev->in. Returns how many bytes of @len; *@ret: 0 or an error. */
static u32 exchange_take_piece(struct uzio *dev, u32 len, int *ret)
{
	const struct uzio_record *head;
	u32 at = 0;

	while (!*ret && len - at >= sizeof(*head)) {
		/* Some answers can be repeated for ever, such as values: 4 GiB of them. */
		cond_resched();
		if (fatal_signal_pending(current)) {
			*ret = -EINTR;
			break;
		}
		head = dev->in + at;
		if (head->size < sizeof(*head) || head->size % 8 || head->size > dev->buffer_size) {
			*ret = -EINVAL;
			break;
		}
		if (head->size > len - at)
			break;
		*ret = exchange_answer(dev, head);
		if (!*ret)
			at += head->size;
	}
	return at;
}

static int exchange_take(struct uzio *dev, struct uzio_exchange *ex)
{
	const char __user *from = u64_to_user_ptr(ex->answers);
	u32 len, taken;
	int ret = 0;

	while (!ret && ex->answers_taken < ex->answers_size) {
		len = min(ex->answers_size - ex->answers_taken, dev->buffer_size);
		if (copy_from_user(dev->in, from + ex->answers_taken, len))
			return -EFAULT;
		taken = exchange_take_piece(dev, len, &ret);
		ex->answers_taken += taken;
		if (!ret && !taken)
			ret = -EINVAL; /* the record is longer than what follows it */
	}
	return ret;
}

/* Returns true if there is a request, or the device is gone. Context: Any. */
bool uzio_has_request(struct uzio *dev)
{
	return READ_ONCE(dev->out_len) || !list_empty_careful(&dev->ready) ||
		!list_empty_careful(&dev->asks) || READ_ONCE(dev->dead);
}

static int exchange_give(struct uzio *dev, struct uzio_exchange *ex)
{
	if (!dev->out_len)
		WRITE_ONCE(dev->out_len, uzio_collect(dev));
	if (copy_to_user(u64_to_user_ptr(ex->requests), dev->out, dev->out_len))
		return -EFAULT;
	ex->requests_given = dev->out_len;
	WRITE_ONCE(dev->out_len, 0);
	return 0;
}

/* One turn. Returns 0 or an error. */
static int exchange_once(struct uzio *dev, struct uzio_exchange *ex)
{
	int ret = mutex_lock_interruptible(&dev->exchange);

	if (ret)
		return -EINTR;
	ret = exchange_take(dev, ex);
	if (!ret && ex->requests_size)
		ret = exchange_give(dev, ex);
	spin_lock_irq(&dev->lock);
	ex->late += dev->late;
	dev->late = 0;
	if (dev->dead && !ret)
		ret = -ENODEV;
	spin_unlock_irq(&dev->lock);
	mutex_unlock(&dev->exchange);
	return ret;
}

/* Returns the jiffies that are left; 0: the time is over; -EINTR. */
static long exchange_wait(struct uzio *dev, long left)
{
	left = wait_event_interruptible_timeout(dev->wq, uzio_has_request(dev), left);
	return left < 0 ? -EINTR : left;
}

/*
 * Answers, then requests. Waits for a request if there is none. What a signal ends after an
 * answer has been taken is a success without a request, so that no program repeats the answer.
 * Context: Process, sleeps. Returns 0 or an error, for which @ex is right, too.
 */
long uzio_exchange(struct uzio *dev, struct uzio_exchange *ex, bool nonblock)
{
	long left, ret;

	ex->answers_taken = 0;
	ex->requests_given = 0;
	ex->late = 0;
	/* The sets are complete, and stay. */
	if (!smp_load_acquire(&dev->live))
		return READ_ONCE(dev->dead) ? -ENODEV : -ENOTCONN;
	uzio_note_server(dev);
	if (ex->wait_ms < -1 || (ex->requests_size && ex->requests_size < dev->buffer_size))
		return -EINVAL;
	left = ex->wait_ms < 0 ? MAX_SCHEDULE_TIMEOUT : msecs_to_jiffies(ex->wait_ms);
	if (nonblock || !ex->requests_size)
		left = 0;
	for (;;) {
		ret = exchange_once(dev, ex);
		if (ret || ex->requests_given || !left)
			break;
		left = exchange_wait(dev, left);
		if (left < 0)
			ret = left;
		if (left <= 0)
			break;
	}
	return ret == -EINTR && ex->answers_taken ? 0 : ret;
}
