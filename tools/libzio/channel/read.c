// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read blocks from an input channel */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channel.h"

static ssize_t read_some(struct zio_channel *ch, int fd, void *to, size_t size)
{
	return ch->file.reads_ahead ? zio_read_ahead(ch, to, size) : read(fd, to, size);
}

/*
 * Read until ch->done is @size. Returns 1, 0 at end of file, or -1. A later call
 * continues at ch->done.
 */
static int read_rest(struct zio_channel *ch, int fd, void *to, size_t size)
{
	while (ch->done < size) {
		ssize_t n;

		if (ch->ops->wait && ch->ops->wait(ch))
			return -1;
		n = read_some(ch, fd, (char *)to + ch->done, size - ch->done);
		if (n < 0 && zio_wait_to_retry(ch, fd, POLLIN))
			continue;
		if (n <= 0)
			return (int)n;
		ch->done += (size_t)n;
	}
	return 1;
}

static int read_control(struct zio_channel *ch)
{
	int ret = read_rest(ch, ch->ctrl_fd, &ch->control,
			    sizeof(ch->control));

	if (ret < 0)
		return zio_fail(ch, ZIO_FAULT_READ_CONTROL, errno);
	if (!ret && ch->done)
		return zio_fail(ch, ZIO_FAULT_SHORT_CONTROL, EPROTO);
	if (!ret)
		ch->fault = ZIO_FAULT_END;
	return ret;
}

static int take_control(struct zio_channel *ch)
{
	int ret;

	if (ch->stage != ZIO_STAGE_CONTROL && ch->ops->skip && ch->ops->skip(ch))
		return -1;
	if (ch->stage != ZIO_STAGE_CONTROL) {
		ch->stage = ZIO_STAGE_CONTROL;
		ch->done = 0;
	}
	ret = read_control(ch);
	if (ret <= 0)
		return ret;
	ch->done = 0;
	if (zio_check_control(ch)) {
		if (ch->ops->is_file)
			ch->stage = ZIO_STAGE_LOST;
		return -1;
	}
	ch->file.at_byte += sizeof(ch->control) + ch->size;
	zio_count_block(ch);
	ch->stage = ZIO_STAGE_HAS_CONTROL;
	return 1;
}

static void show_block(struct zio_channel *ch, struct zio_block *blk,
		       const void *data)
{
	blk->control = &ch->control;
	blk->data = ch->size ? data : NULL;
	blk->size = ch->size;
	blk->lost = ch->lost;
}

static int read_data(struct zio_channel *ch)
{
	int ret = read_rest(ch, ch->data_fd, ch->to, ch->size);

	if (ret < 0)
		return zio_fail(ch, ZIO_FAULT_READ_DATA, errno);
	if (!ret)
		return zio_fail(ch, ZIO_FAULT_SHORT_DATA, ENODATA);
	ch->stats.bytes += ch->size;
	ch->stage = ZIO_STAGE_CONTROL;
	ch->done = 0;
	return 1;
}

static int begin_data(struct zio_channel *ch)
{
	if (ch->data_fd < 0)
		return zio_fail(ch, ZIO_FAULT_NO_DATA_NODE, EBADF);
	if (ch->size > ch->max_block)
		return zio_fail(ch, ZIO_FAULT_LIMIT, EMSGSIZE);
	if (zio_grow_mem(ch, ch->size))
		return -1;
	ch->to = ch->mem;
	ch->stage = ZIO_STAGE_DATA;
	return 0;
}

static int begin_data_into(struct zio_channel *ch, void *mem, size_t size)
{
	if (ch->data_fd < 0)
		return zio_fail(ch, ZIO_FAULT_NO_DATA_NODE, EBADF);
	if (ch->size > size)
		return zio_fail(ch, ZIO_FAULT_CALLER_SIZE, EMSGSIZE);
	ch->to = mem;
	ch->stage = ZIO_STAGE_DATA;
	return 0;
}

/* The caller must finish a partly read block in the same memory. */
static int finish_data(struct zio_channel *ch, struct zio_block *blk,
		       const void *to)
{
	int ret;

	if (to != ch->to)
		return zio_fail(ch, ZIO_FAULT_MEM_CHANGED, EINVAL);
	ret = read_data(ch);
	if (ret > 0)
		show_block(ch, blk, ch->to);
	return ret;
}

int zio_read_control(struct zio_channel *ch, struct zio_block *blk)
{
	int ret = take_control(ch);

	if (ret > 0)
		show_block(ch, blk, NULL);
	return ret;
}

int zio_read_next(struct zio_channel *ch, struct zio_block *blk)
{
	if (ch->stage != ZIO_STAGE_DATA) {
		int ret = zio_read_control(ch, blk);

		if (ret <= 0)
			return ret;
		if (begin_data(ch))
			return -1;
	}
	return finish_data(ch, blk, ch->mem);
}

int zio_read_next_into(struct zio_channel *ch, struct zio_block *blk, void *mem,
		       size_t size)
{
	if (ch->stage != ZIO_STAGE_DATA) {
		int ret = zio_read_control(ch, blk);

		if (ret <= 0)
			return ret;
		if (begin_data_into(ch, mem, size))
			return -1;
	}
	return finish_data(ch, blk, mem);
}

/* Move a partly read block to the memory of the library. */
static int keep_part(struct zio_channel *ch)
{
	int code = errno;

	if (zio_grow_mem(ch, ch->size))
		return -1;
	memcpy(ch->mem, ch->to, ch->done);
	ch->to = ch->mem;
	errno = code;
	return -1;
}

/* Read the control and choose where its data go. */
static int begin_block(struct zio_channel *ch, uint8_t *mem, size_t room)
{
	int ret = take_control(ch);

	if (ret <= 0)
		return ret;
	if (ch->size > room - sizeof(ch->control))
		ret = begin_data(ch);
	else
		ret = begin_data_into(ch, mem + sizeof(ch->control), ch->size);
	return ret ? -1 : 1;
}

int zio_read_into_room(struct zio_channel *ch, struct zio_block *blk, uint8_t *mem,
		       size_t room)
{
	uint8_t *data = mem + sizeof(ch->control);
	int ret = 1;

	show_block(ch, blk, NULL);
	if (room < sizeof(ch->control))
		return zio_fail(ch, ZIO_FAULT_CALLER_SIZE, EMSGSIZE);
	if (ch->stage != ZIO_STAGE_DATA)
		ret = begin_block(ch, mem, room);
	show_block(ch, blk, data);
	if (ret <= 0)
		return ret;
	if (ch->to != data && ch->size > room - sizeof(ch->control))
		return zio_fail(ch, ZIO_FAULT_CALLER_SIZE, EMSGSIZE);
	ret = read_data(ch);
	if (ret <= 0)
		return ch->to == data ? keep_part(ch) : ret;
	if (ch->to != data)
		memcpy(data, ch->to, ch->size);
	memcpy(mem, &ch->control, sizeof(ch->control));
	blk->control = (void *)mem;
	return 1;
}

int zio_read_data(struct zio_channel *ch, struct zio_block *blk)
{
	if (ch->stage == ZIO_STAGE_HAS_CONTROL && begin_data(ch))
		return -1;
	return finish_data(ch, blk, ch->mem);
}

const struct zio_channel_ops zio_read_ops = {
	.name = "read",
	.can_share = true,
	.next = zio_read_next,
	.next_control = zio_read_control,
	.data = zio_read_data,
	.next_into = zio_read_next_into,
	.into_room = zio_read_into_room,
	.flush = zio_flush_node,
};
