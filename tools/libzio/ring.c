// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Blocks from the control ring, without a system call while there are any
 *
 * The block given out is ch->next - 1; it is released, by moving hdr->tail,
 * when the next one is asked for. All before it are the kernel's again.
 *
 *   R  head is loaded with acquire: slot and samples were written before it.
 *   S  tail is stored with release: slot and samples were read before it.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "internal.h"

/* 1: there are blocks; 0: none; -1: nonsense. */
static int look_at_head(struct zio_channel *ch)
{
	uint32_t head = __atomic_load_n(&ch->hdr->head, __ATOMIC_ACQUIRE); /* R */

	if (head - ch->next > ch->mask + 1)
		return zio_fail(ch, ZIO_FAULT_RING, EPROTO);
	ch->head = head;
	return head != ch->next;
}

/* While a ring is open, a read gives the driver's error, once, or EBUSY. */
static int ask_for_error(struct zio_channel *ch)
{
	struct zio_control unused;

	if (read(ch->ctrl_fd, &unused, sizeof(unused)) < 0 && errno != EBUSY)
		return zio_fail(ch, ZIO_FAULT_DRIVER, errno);
	return 0;
}

/* Its two ends: the kernel has something to tell, or zio_interrupt() did. */
static int sleep_for_block(struct zio_channel *ch)
{
	struct pollfd fd[2] = {
		{ .fd = ch->ctrl_fd, .events = POLLIN },
		{ .fd = ch->stop_fd, .events = POLLIN },
	};

	ch->user = getpid();
	if (poll(fd, 2, ch->nonblock ? 0 : -1) < 0)
		return zio_fail(ch, ZIO_FAULT_WAIT, errno);
	if (fd[0].revents & POLLHUP)
		return zio_fail(ch, ZIO_FAULT_WAIT, ENODEV);
	if (fd[0].revents & POLLERR)
		return ask_for_error(ch);
	if (ch->nonblock || fd[1].revents)
		return zio_fail(ch, ZIO_FAULT_WAIT, EAGAIN);
	return 0;
}

/* Blocks that are there come first, whatever poll() says. */
static int wait_for_block(struct zio_channel *ch)
{
	int there = look_at_head(ch);

	while (!there) {
		int ret = sleep_for_block(ch);

		there = look_at_head(ch);
		if (!there && ret)
			return -1;
	}
	return there < 0 ? -1 : 0;
}

static inline void release_block(struct zio_channel *ch)
{
	__atomic_store_n(&ch->hdr->tail, ch->next, __ATOMIC_RELEASE);	/* S */
}

static inline const struct zio_control *take_slot(struct zio_channel *ch)
{
	uint32_t i = ch->next++ & ch->mask;

	return (const void *)(ch->slots + (size_t)i * ch->slot_size);
}

const struct zio_control *zio_ring_control(struct zio_channel *ch)
{
	release_block(ch);
	if (ch->next == ch->head && wait_for_block(ch))
		return NULL;
	return take_slot(ch);
}

/*
 * Some forty instructions. What is not as usual (nothing there, a loss, no data,
 * an error) goes the long way, by a jump, so that nothing need be saved for it.
 */
int zio_next(struct zio_channel *ch, struct zio_block *blk)
{
	const struct zio_control *control;
	uint64_t offset, size;

	if (zio_unlikely(!ch->hdr))
		return zio_plain_next(ch, blk);
	release_block(ch);
	if (zio_unlikely(ch->next == ch->head))
		return zio_mapped_next(ch, blk);
	control = take_slot(ch);
	size = (uint64_t)control->nsamples * control->ssize;
	offset = control->mem_offset | (uint64_t)control->reserved << 32;
	if (zio_unlikely(control->seq_num != ch->expected ||
			 control->major_version != ZIO_MAJOR_VERSION ||
			 size - 1 >= ch->limit ||
			 offset > ch->data_size - size))
		return zio_mapped_whole(ch, blk, control);
	ch->expected++;
	ch->stats.blocks++;
	ch->stats.bytes += size;
	blk->control = control;
	blk->data = ch->data + offset;
	blk->size = size;
	blk->lost = 0;
	return 1;
}

/* The block that was given out is done with, unless a parent still has it. */
void zio_ring_leave(struct zio_channel *ch)
{
	if (ch->user == getpid())
		release_block(ch);
}
