// SPDX-License-Identifier: LGPL-2.1-or-later
/* The calls on a channel, dispatched to its method */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "slot.h"

int zio_close(struct zio_channel *ch)
{
	int code;

	if (!ch)
		return 0;
	if (ch->group)
		ch->leave_group(ch);
	if (ch->ops && ch->ops->release)
		ch->ops->release(ch);
	code = zio_close_nodes(ch) ? errno : 0;
	close(ch->interrupt_fd);
	free(ch->ctrl_path);
	free(ch->data_path);
	free(ch->file.name);
	free(ch->file.ahead);
	zio_sequence_free(&ch->seq);
	free(ch->mem);
	free(ch);
	if (!code)
		return 0;
	errno = code;
	return -1;
}

/*
 * Without a ring there is never a block before the head, so the first test leads to the
 * method. The fast path takes about forty instructions.
 */
int zio_next(struct zio_channel *ch, struct zio_block *blk)
{
	if (zio_unlikely(!ch || !blk))
		return zio_fail_null(ch);
	if (zio_unlikely(ch->ring.next == ch->ring.head))
		return ch->ops->next(ch, blk);
	release_up_to(ch, ch->ring.next);
	return show_slot(ch, blk, take_slot(ch));
}

static int check_input(struct zio_channel *ch, const struct zio_block *blk)
{
	if (!ch || !blk)
		return zio_fail_null(ch);
	return ch->output ? zio_fail(ch, ZIO_FAULT_DIRECTION, EBADF) : 0;
}

int zio_next_control(struct zio_channel *ch, struct zio_block *blk)
{
	return check_input(ch, blk) ? -1 : ch->ops->next_control(ch, blk);
}

int zio_data(struct zio_channel *ch, struct zio_block *blk)
{
	if (check_input(ch, blk))
		return -1;
	if (ch->stage != ZIO_STAGE_HAS_CONTROL && ch->stage != ZIO_STAGE_DATA)
		return zio_fail(ch, ZIO_FAULT_NO_CONTROL, EINVAL);
	return ch->ops->data(ch, blk);
}

int zio_next_into(struct zio_channel *ch, struct zio_block *blk, void *mem,
		  size_t size)
{
	if (!mem && size)
		return zio_fail_null(ch);
	return check_input(ch, blk) ? -1 : ch->ops->next_into(ch, blk, mem, size);
}

/* Treat the next block as the first. */
static void forget_blocks(struct zio_channel *ch)
{
	ch->stage = ZIO_STAGE_CONTROL;
	ch->done = 0;
	ch->seq.known = false;
	ch->data.limit = 0;
	ch->late.code = 0;
}

int zio_flush(struct zio_channel *ch)
{
	if (!ch)
		return zio_fail_null(ch);
	if (ch->output)
		return zio_fail(ch, ZIO_FAULT_DIRECTION, EBADF);
	if (!ch->ops->flush)
		return zio_fail(ch, ZIO_FAULT_FLUSH_FILE, EOPNOTSUPP);
	if (ch->ops->flush(ch))
		return -1;
	forget_blocks(ch);
	return 0;
}

const char *zio_method(const struct zio_channel *ch)
{
	if (!ch)
		errno = EINVAL;
	return ch ? ch->ops->name : NULL;
}

bool zio_is_file(const struct zio_channel *ch)
{
	if (!ch)
		errno = EINVAL;
	return ch && ch->ops->is_file;
}

const char *zio_data_path(const struct zio_channel *ch)
{
	if (!ch)
		errno = EINVAL;
	return ch ? ch->data_path : NULL;
}

const char *zio_control_path(const struct zio_channel *ch)
{
	if (!ch)
		errno = EINVAL;
	return ch ? ch->ctrl_path : NULL;
}

const struct zio_stats *zio_stats(const struct zio_channel *ch)
{
	if (!ch)
		errno = EINVAL;
	return ch ? &ch->stats : NULL;
}

void zio_set_max_block(struct zio_channel *ch, size_t bytes)
{
	if (!ch) {
		zio_refuse_null();
		return;
	}
	ch->max_block = bytes;
	ch->data.limit = 0;
}
