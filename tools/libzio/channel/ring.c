// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read blocks from the control ring, without a system call while blocks are available
 *
 * The caller holds block next - 1 of the ring. The next call releases it by storing
 * hdr->tail: blocks before the tail belong to the kernel. While the caller keeps blocks,
 * head does not move, so that zio_next() leaves the release to the other calls.
 *
 *   A  The load-acquire of the head pairs with the store-release of the kernel in
 *      zio-core's ring.c. Without it, this program could read samples of an old block.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "slot.h"

/* Returns 1 if there are blocks, 0 if there are none, -1 if the head is out of range. */
static int look_at_head(struct zio_channel *ch)
{
	uint32_t head;

	if (zio_unlikely(ch->of_set.set != NULL))
		ch->of_set.turn(ch->of_set.set);
	head = __atomic_load_n(&ch->ring.hdr->head, __ATOMIC_ACQUIRE); /* A */
	if (head - ch->ring.next > ch->ring.mask + 1)
		return zio_fail(ch, ZIO_FAULT_RING, EPROTO);
	ch->ring.seen_head = head;
	return head != ch->ring.next;
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

/* Deliver the blocks in the ring before an error that poll() reports. */
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

/* Release the blocks that the caller does not keep. */
static void release_others(struct zio_channel *ch)
{
	release_up_to(ch, ch->ring.keeps ? ch->ring.keep_at : ch->ring.next);
}

void zio_ring_pass(struct zio_channel *ch)
{
	release_others(ch);
}

static const struct zio_control *take_seen_slot(struct zio_channel *ch)
{
	const struct zio_control *control = take_slot(ch);

	ch->ring.head = ch->ring.keeps ? ch->ring.next : ch->ring.seen_head;
	return control;
}

/* The next call returns a head out of range as an error, without waiting. */
static bool has_block(struct zio_channel *ch)
{
	release_others(ch);
	return ch->ring.next != ch->ring.seen_head || look_at_head(ch);
}

/* Return the next control, or NULL with the fault. */
static const struct zio_control *take(struct zio_channel *ch)
{
	release_others(ch);
	ch->stage = ZIO_STAGE_CONTROL;
	if (ch->ring.next == ch->ring.seen_head && wait_for_block(ch))
		return NULL;
	return take_seen_slot(ch);
}

static int skip_all(struct zio_channel *ch)
{
	if (look_at_head(ch) > 0)
		ch->ring.next = ch->ring.seen_head;
	ch->ring.head = ch->ring.next;
	release_others(ch);
	return 0;
}

/* Return the next control in the ring, or NULL. Does not release a block. */
static const struct zio_control *take_another(struct zio_channel *ch)
{
	if (ch->ring.next == ch->ring.seen_head && look_at_head(ch) <= 0)
		return NULL;
	return take_seen_slot(ch);
}

/* Find the number of a block that the caller holds; false if it holds no such block. */
static bool find_number(const struct zio_channel *ch, const struct zio_control *control,
			uint32_t *number)
{
	size_t offset = (size_t)((uintptr_t)control - (uintptr_t)ch->ring.slots);
	size_t slot = offset / ch->ring.slot_size;
	uint32_t age = (ch->ring.next - 1 - (uint32_t)slot) & ch->ring.mask;

	*number = ch->ring.next - 1 - age;
	return slot <= ch->ring.mask && offset % ch->ring.slot_size == 0 &&
	       age < ch->ring.next - ch->ring.hdr->tail;
}

int zio_keep(struct zio_channel *ch, const struct zio_control *oldest)
{
	uint32_t number = 0;

	if (!ch)
		return zio_refuse_null();
	if (!ch->ring.hdr)
		return zio_fail(ch, ZIO_FAULT_KEEP, EOPNOTSUPP);
	if (oldest && !find_number(ch, oldest, &number))
		return zio_fail(ch, ZIO_FAULT_KEEP, EINVAL);
	ch->ring.keeps = oldest;
	ch->ring.keep_at = number;
	ch->ring.head = ch->ring.next;
	return 0;
}

int zio_ring_room(const struct zio_channel *ch, struct zio_ring_room *room)
{
	if (!ch || !room)
		return zio_refuse_null();
	if (!ch->ring.hdr) {
		errno = EOPNOTSUPP;
		return -1;
	}
	*room = (struct zio_ring_room){ .blocks = ch->ring.mask + 1, .bytes = ch->data.size };
	room->ready = __atomic_load_n(&ch->ring.hdr->head, __ATOMIC_RELAXED) - ch->ring.next;
	return 0;
}

/*
 * Find the data of ch->control; NULL if it has none. Check offset and size, so that not
 * even a wrong control leads out of the mapping.
 */
static int locate_data(struct zio_channel *ch, const uint8_t **data)
{
	uint64_t offset = ch->control.mem_offset |
			  (uint64_t)ch->control.mem_offset_high << 32;

	*data = NULL;
	if (ch->data_fd < 0)
		return zio_fail(ch, ZIO_FAULT_NO_DATA_NODE, EBADF);
	if (!ch->size)
		return 0;
	if (ch->size > ch->data.size || offset > ch->data.size - ch->size)
		return zio_fail(ch, ZIO_FAULT_OFFSET, EPROTO);
	*data = ch->data.mem + offset;
	return 0;
}

/*
 * Check and use only a copy of the control: the original may change. A limit of 0 keeps
 * zio_next() off the fast path.
 */
static int open_block(struct zio_channel *ch, struct zio_block *blk,
		      const struct zio_control *control)
{
	ch->control = *control;
	ch->current = control;
	if (zio_check_control(ch))
		return -1;
	zio_count_block(ch);
	ch->data.limit = 0;
	*blk = (struct zio_block){ .control = control, .size = ch->size,
				   .lost = ch->lost };
	ch->stage = ZIO_STAGE_HAS_CONTROL;
	return 1;
}

static int show_data(struct zio_channel *ch, struct zio_block *blk,
		     const void *data)
{
	*blk = (struct zio_block){ .control = ch->current, .size = ch->size,
				   .data = data, .lost = ch->lost };
	ch->stats.bytes += ch->size;
	ch->data.limit = ch->max_block < ch->data.size ? ch->max_block :
						    ch->data.size;
	ch->stage = ZIO_STAGE_CONTROL;
	return 1;
}

static int data(struct zio_channel *ch, struct zio_block *blk)
{
	const uint8_t *data;

	if (ch->data_fd >= 0 && ch->size > ch->max_block)
		return zio_fail(ch, ZIO_FAULT_LIMIT, EMSGSIZE);
	return locate_data(ch, &data) ? -1 : show_data(ch, blk, data);
}

static int next_control(struct zio_channel *ch, struct zio_block *blk)
{
	const struct zio_control *control = take(ch);

	return control ? open_block(ch, blk, control) : -1;
}

static int next_into(struct zio_channel *ch, struct zio_block *blk, void *mem,
		     size_t size)
{
	const uint8_t *data;

	if (next_control(ch, blk) < 0)
		return -1;
	if (ch->data_fd >= 0 && ch->size > size)
		return zio_fail(ch, ZIO_FAULT_CALLER_SIZE, EMSGSIZE);
	if (locate_data(ch, &data))
		return -1;
	if (data)
		memcpy(mem, data, ch->size);
	return show_data(ch, blk, data ? mem : NULL);
}

int zio_ring_whole(struct zio_channel *ch, struct zio_block *blk,
		   const struct zio_control *control)
{
	return open_block(ch, blk, control) < 0 ? -1 : data(ch, blk);
}

/* Look for new blocks first; the slow way waits. */
static int next(struct zio_channel *ch, struct zio_block *blk)
{
	if (ch->ring.next == ch->ring.head) {
		if (ch->ring.keeps || (ch->ring.next == ch->ring.seen_head && look_at_head(ch) <= 0))
			return next_control(ch, blk) < 0 ? -1 : data(ch, blk);
		ch->ring.head = ch->ring.seen_head;
	}
	release_up_to(ch, ch->ring.next);
	return show_slot(ch, blk, take_slot(ch));
}

static int next_batch(struct zio_batch *b)
{
	struct zio_channel *ch = b->ch;
	const struct zio_control *control = take(ch);
	unsigned int i = 0;
	int ret = -1;

	for (; control; control = take_another(ch)) {
		ret = show_slot(ch, &b->blks[i], control);
		if (ret < 0 || ++i == b->n)
			break;
	}
	if (ret < 0 && i)
		zio_note_late_error(ch);
	return i ? (int)i : -1;
}

/* A child process must not release the block of its parent. */
static void release(struct zio_channel *ch)
{
	if (ch->owner_pid == getpid())
		release_up_to(ch, ch->ring.next);
	if (ch->of_set.leave)
		ch->of_set.leave(ch);
}

const struct zio_channel_ops zio_ring_ops = {
	.name = "ring",
	.polls_control = true,
	.in_place = true,
	.next = next,
	.next_control = next_control,
	.data = data,
	.next_into = next_into,
	.next_batch = next_batch,
	.has_block = has_block,
	.flush = skip_all,
	.release = release,
};
