// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read blocks from the control ring, without a system call while blocks are there
 *
 * The caller has block ch->next - 1. The next call releases it, by storing hdr->tail:
 * the blocks before the tail belong to the kernel. While the caller keeps blocks,
 * ch->head stands still, so that zio_next() leaves the release to the other functions.
 *
 *   A  The load-acquire of the head pairs with the store-release of the kernel in
 *      zio-core's ring.c. Without it, this program could read samples of an old block.
 *   S  The store-release of the tail pairs with the load-acquire of the kernel there.
 *      Without it, the kernel could overwrite samples that are still being read.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "set.h"

/* Returns 1 if there are blocks, 0 if not, -1 if the head is out of range. */
static int look_at_head(struct zio_channel *ch)
{
	uint32_t head;

	if (zio_unlikely(ch->set != NULL))
		zio_set_turn(ch->set);
	head = __atomic_load_n(&ch->hdr->head, __ATOMIC_ACQUIRE); /* A */
	if (head - ch->next > ch->mask + 1)
		return zio_fail(ch, ZIO_FAULT_RING, EPROTO);
	ch->seen_head = head;
	return head != ch->next;
}

/* While a ring is open, read() returns the error of the driver once, then EBUSY. */
static int read_driver_error(struct zio_channel *ch)
{
	struct zio_control unused;

	if (read(ch->ctrl_fd, &unused, sizeof(unused)) < 0 && errno != EBUSY)
		return zio_fail(ch, ZIO_FAULT_DRIVER, errno);
	return 0;
}

/* Wait until the kernel has a block, or until zio_interrupt(). */
static int sleep_for_block(struct zio_channel *ch)
{
	int events;

	ch->owner_pid = getpid();
	events = zio_poll(ch->ctrl_fd, POLLIN, ch->interrupt_fd, ch->nonblock ? 0 : -1);
	if (events < 0)
		return zio_fail(ch, ZIO_FAULT_WAIT, errno);
	if (events & POLLHUP)
		return zio_fail(ch, ZIO_FAULT_WAIT, ENODEV);
	if (events & POLLERR)
		return read_driver_error(ch);
	if (ch->nonblock)
		return zio_fail(ch, ZIO_FAULT_WAIT, EAGAIN);
	return 0;
}

/* The caller gets the blocks in the ring before an error that poll() reports. */
static int wait_for_block(struct zio_channel *ch)
{
	int found = look_at_head(ch);

	while (!found) {
		int ret = sleep_for_block(ch);

		found = look_at_head(ch);
		if (!found && ret)
			return -1;
	}
	return found < 0 ? -1 : 0;
}

static inline void release_up_to(struct zio_channel *ch, uint32_t number)
{
	__atomic_store_n(&ch->hdr->tail, number, __ATOMIC_RELEASE);	/* S */
}

/* Release the blocks that the caller does not keep. */
static void release_others(struct zio_channel *ch)
{
	release_up_to(ch, ch->keeps ? ch->keep_at : ch->next);
}

void zio_ring_pass(struct zio_channel *ch)
{
	release_others(ch);
}

static inline const struct zio_control *take_slot(struct zio_channel *ch)
{
	uint32_t i = ch->next++ & ch->mask;

	return (const void *)(ch->slots + (size_t)i * ch->slot_size);
}

static const struct zio_control *take_seen_slot(struct zio_channel *ch)
{
	const struct zio_control *control = take_slot(ch);

	ch->head = ch->keeps ? ch->next : ch->seen_head;
	return control;
}

/* A head out of range is an error that the next call returns without a wait. */
bool zio_ring_has_block(struct zio_channel *ch)
{
	release_others(ch);
	return ch->next != ch->seen_head || look_at_head(ch);
}

const struct zio_control *zio_ring_control(struct zio_channel *ch)
{
	release_others(ch);
	if (ch->next == ch->seen_head && wait_for_block(ch))
		return NULL;
	return take_seen_slot(ch);
}

void zio_ring_skip(struct zio_channel *ch)
{
	if (look_at_head(ch) > 0)
		ch->next = ch->seen_head;
	ch->head = ch->next;
	release_others(ch);
}

const struct zio_control *zio_ring_another(struct zio_channel *ch)
{
	if (ch->next == ch->seen_head && look_at_head(ch) <= 0)
		return NULL;
	return take_seen_slot(ch);
}

/* Find the number of a block that the caller has; false if there is none. */
static bool find_number(const struct zio_channel *ch, const struct zio_control *control,
			uint32_t *number)
{
	size_t offset = (size_t)((uintptr_t)control - (uintptr_t)ch->slots);
	size_t slot = offset / ch->slot_size;
	uint32_t age = (ch->next - 1 - (uint32_t)slot) & ch->mask;

	*number = ch->next - 1 - age;
	return slot <= ch->mask && offset % ch->slot_size == 0 &&
	       age < ch->next - ch->hdr->tail;
}

int zio_keep(struct zio_channel *ch, const struct zio_control *oldest)
{
	uint32_t number = 0;

	if (!ch)
		return zio_refuse_null();
	if (!ch->hdr)
		return zio_fail(ch, ZIO_FAULT_KEEP, EOPNOTSUPP);
	if (oldest && !find_number(ch, oldest, &number))
		return zio_fail(ch, ZIO_FAULT_KEEP, EINVAL);
	ch->keeps = oldest;
	ch->keep_at = number;
	ch->head = ch->next;
	return 0;
}

int zio_ring_room(const struct zio_channel *ch, struct zio_ring_room *room)
{
	if (!ch || !room)
		return zio_refuse_null();
	if (!ch->hdr) {
		errno = EOPNOTSUPP;
		return -1;
	}
	*room = (struct zio_ring_room){ .blocks = ch->mask + 1, .bytes = ch->data_size };
	room->ready = __atomic_load_n(&ch->hdr->head, __ATOMIC_RELAXED) - ch->next;
	return 0;
}

/*
 * All cases but the fast one (a loss, no data, an error) are tail calls, so that the caller
 * saves no registers for them.
 */
static inline int show_slot(struct zio_channel *ch, struct zio_block *blk,
			    const struct zio_control *control)
{
	uint64_t size = (uint64_t)control->nsamples * control->ssize;
	uint64_t offset = control->mem_offset |
			  (uint64_t)control->mem_offset_high << 32;

	if (zio_unlikely(control->seq_num != ch->seq.expected ||
			 control->major_version != ZIO_MAJOR_VERSION ||
			 size - 1 >= ch->limit ||
			 offset > ch->data_size - size))
		return zio_mapped_whole(ch, blk, control);
	ch->seq.expected++;
	ch->stats.blocks++;
	ch->stats.bytes += size;
	blk->control = control;
	blk->data = ch->data + offset;
	blk->size = size;
	blk->lost = 0;
	return 1;
}

int zio_ring_show(struct zio_channel *ch, struct zio_block *blk,
		  const struct zio_control *control)
{
	return show_slot(ch, blk, control);
}

/* Look for new blocks first; the slow way waits. */
int zio_ring_next(struct zio_channel *ch, struct zio_block *blk)
{
	if (ch->next == ch->head) {
		if (ch->keeps || (ch->next == ch->seen_head && look_at_head(ch) <= 0))
			return zio_mapped_next(ch, blk);
		ch->head = ch->seen_head;
	}
	release_up_to(ch, ch->next);
	return show_slot(ch, blk, take_slot(ch));
}

/* The fast path has about forty instructions. */
int zio_next(struct zio_channel *ch, struct zio_block *blk)
{
	const struct zio_control *control;

	if (zio_unlikely(!ch || !blk))
		return zio_fail_null(ch);
	if (zio_unlikely(!ch->hdr))
		return zio_plain_next(ch, blk);
	if (zio_unlikely(ch->next == ch->head))
		return zio_ring_next(ch, blk);
	release_up_to(ch, ch->next);
	control = take_slot(ch);
	return show_slot(ch, blk, control);
}

/* A child process must not release the block of its parent. */
void zio_ring_release(struct zio_channel *ch)
{
	if (ch->owner_pid == getpid())
		release_up_to(ch, ch->next);
}
