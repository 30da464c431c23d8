// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read blocks whose data are mapped. Their controls come from a ring, or by read(),
 * several at once.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "channel.h"

#define DISCARD_SIZE ((size_t)65536)

/* Return a batch of at most half of the memory, by the size of the last block; or 1. */
static size_t batch_limit(const struct zio_channel *ch)
{
	size_t limit = ch->seq.known ? ch->ahead.most : 1;
	size_t half = ch->data.size / 2;

	if (ch->size && limit > half / ch->size)
		limit = half / ch->size;
	return limit ? limit : 1;
}

/* This read() also returns the blocks of the previous batch to the kernel. */
static int read_batch(struct zio_channel *ch)
{
	const size_t one = sizeof(*ch->ahead.control);
	ssize_t n;

	ch->ahead.at = 0;
	ch->ahead.n = 0;
	ch->ahead.submitted = 0;
	do {
		n = read(ch->ctrl_fd, ch->ahead.control, batch_limit(ch) * one);
	} while (n < 0 && zio_wait_to_retry(ch, ch->ctrl_fd, POLLIN));
	if (n < 0)
		return zio_fail(ch, ZIO_FAULT_READ_CONTROL, errno);
	ch->done = (size_t)n % one;
	if (ch->done)
		return zio_fail(ch, ZIO_FAULT_SHORT_CONTROL, EPROTO);
	ch->ahead.n = (unsigned int)((size_t)n / one);
	if (!n)
		ch->fault = ZIO_FAULT_END;
	return n > 0;
}

/* Returns 1 with the next control in @control, 0 at end of file, -1. */
static int take(struct zio_channel *ch, const struct zio_control **control)
{
	int ret;

	ch->stage = ZIO_STAGE_CONTROL;
	if (ch->ahead.at == ch->ahead.n) {
		ret = read_batch(ch);
		if (ret <= 0)
			return ret;
	}
	*control = &ch->ahead.control[ch->ahead.at++];
	return 1;
}

/*
 * Only a copy of the control is checked and used: the original may change. While the
 * limit is 0, zio_next() takes no shortcut.
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

int zio_mapped_data(struct zio_channel *ch, struct zio_block *blk)
{
	if (ch->data_fd < 0)
		return zio_fail(ch, ZIO_FAULT_NO_DATA_NODE, EBADF);
	if (ch->size > ch->max_block)
		return zio_fail(ch, ZIO_FAULT_LIMIT, EMSGSIZE);
	if (zio_locate_data(ch))
		return -1;
	return show_data(ch, blk, ch->mapped);
}

int zio_mapped_control(struct zio_channel *ch, struct zio_block *blk)
{
	const struct zio_control *control;
	int ret = ch->ops->take(ch, &control);

	return ret > 0 ? open_block(ch, blk, control) : ret;
}

int zio_mapped_whole(struct zio_channel *ch, struct zio_block *blk,
		     const struct zio_control *control)
{
	int ret = open_block(ch, blk, control);

	return ret > 0 ? zio_mapped_data(ch, blk) : ret;
}

int zio_mapped_next(struct zio_channel *ch, struct zio_block *blk)
{
	int ret = zio_mapped_control(ch, blk);

	return ret > 0 ? zio_mapped_data(ch, blk) : ret;
}

int zio_mapped_next_into(struct zio_channel *ch, struct zio_block *blk, void *mem,
			 size_t size)
{
	int ret = zio_mapped_control(ch, blk);

	if (ret <= 0)
		return ret;
	if (ch->data_fd < 0)
		return zio_fail(ch, ZIO_FAULT_NO_DATA_NODE, EBADF);
	if (ch->size > size)
		return zio_fail(ch, ZIO_FAULT_CALLER_SIZE, EMSGSIZE);
	if (zio_locate_data(ch))
		return -1;
	if (ch->mapped)
		memcpy(mem, ch->mapped, ch->size);
	return show_data(ch, blk, ch->mapped ? mem : NULL);
}

static int into_room(struct zio_channel *ch, struct zio_block *blk, uint8_t *mem,
		     size_t room)
{
	const struct zio_control *next;
	size_t size = 0;
	int ret = ch->ahead.at == ch->ahead.n ? read_batch(ch) : 1;

	if (ret <= 0)
		return ret;
	next = &ch->ahead.control[ch->ahead.at];
	zio_control_size(next, &size);
	*blk = (struct zio_block){ .control = next, .size = size };
	if (room < sizeof(*next) || size > room - sizeof(*next))
		return zio_fail(ch, ZIO_FAULT_CALLER_SIZE, EMSGSIZE);
	ret = zio_mapped_next_into(ch, blk, mem + sizeof(*next), size);
	if (ret <= 0)
		return ret;
	memcpy(mem, blk->control, sizeof(*next));
	blk->control = (void *)mem;
	return 1;
}

/* The kernel takes a block back when its data are read to the end. */
static void discard_data(struct zio_channel *ch, size_t size)
{
	ssize_t n;

	do {
		size_t part = size < ch->mem_size ? size : ch->mem_size;

		n = read(ch->data_fd, ch->mem, part ? part : 1);
		size -= n > 0 ? (size_t)n : 0;
	} while (n > 0 && size);
}

/*
 * The next reader of the channel would get a block again that is not released. A child
 * process leaves the release to its parent.
 */
static void release(struct zio_channel *ch)
{
	unsigned int i;
	size_t size;

	if (ch->owner_pid != getpid() || zio_grow_mem(ch, DISCARD_SIZE))
		return;
	for (i = 0; i < ch->ahead.at; i++)
		if (!(ch->ahead.submitted & 1u << i) &&
		    !zio_control_size(&ch->ahead.control[i], &size))
			discard_data(ch, size);
}

static bool has_block(struct zio_channel *ch)
{
	return ch->ahead.at < ch->ahead.n;
}

static void hand_over(struct zio_channel *ch)
{
	ch->ahead.submitted |= 1u << (ch->ahead.at - 1);
}

const struct zio_channel_ops zio_mapped_ops = {
	.name = "mmap",
	.polls_control = true,
	.can_share = true,
	.next = zio_mapped_next,
	.next_control = zio_mapped_control,
	.data = zio_mapped_data,
	.next_into = zio_mapped_next_into,
	.into_room = into_room,
	.take = take,
	.has_block = has_block,
	.flush = zio_flush_node,
	.hand_over = hand_over,
	.release = release,
};
