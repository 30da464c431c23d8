// SPDX-License-Identifier: LGPL-2.1-or-later
/* Write blocks to an output channel */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"

#define HEAD sizeof(struct zio_control)
#define MAX_PIECES 64

/* Write until ch->done is @size. A later call continues at ch->done. */
static int write_rest(struct zio_channel *ch, int fd, const void *from,
		      size_t size)
{
	while (ch->done < size) {
		ssize_t n = write(fd, (const char *)from + ch->done,
				  size - ch->done);

		if (n < 0 && zio_wait_to_retry(ch, fd, POLLOUT))
			continue;
		if (n < 0)
			return -1;
		if (!n) {
			errno = EIO;
			return -1;
		}
		ch->done += (size_t)n;
	}
	ch->done = 0;
	return 0;
}

static int check_block(struct zio_channel *ch, const struct zio_control *control,
		       size_t size)
{
	size_t wanted;

	if (!ch->output)
		return zio_fail(ch, ZIO_FAULT_DIRECTION, EBADF);
	if (ch->data_fd < 0)
		return zio_fail(ch, ZIO_FAULT_NO_DATA_NODE, EBADF);
	if (!control && ch->ops->prepare)
		return zio_fail(ch, ZIO_FAULT_FILE_CONTROL, EINVAL);
	if (!control)
		return 0;
	if (zio_control_size(control, &wanted) || wanted != size)
		return zio_fail(ch, ZIO_FAULT_LENGTH, EINVAL);
	return 0;
}

/* A block without a name was made by the caller. */
static void name_block(struct zio_channel *ch, struct zio_control *control)
{
	struct timespec now;

	strcpy(control->addr.devname, "zio");
	zio_sequence_find(&ch->seq, &control->addr);
	if (!control->seq_num && ch->seq.known)
		control->seq_num = ch->seq.expected;
	if (control->tstamp.secs || control->tstamp.ticks)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	control->tstamp.secs = (uint64_t)now.tv_sec;
	control->tstamp.ticks = (uint64_t)now.tv_nsec;
}

/*
 * Clear requests to the kernel, which are useless to a reader of the file. Complete a
 * control that holds only zeros and sizes. Refuse what the library itself would refuse to
 * read.
 */
static int clean_control(struct zio_channel *ch, const struct zio_control *control)
{
	struct zio_control *clean = &ch->control;

	*clean = *control;
	clean->flags &= ~(ZIO_CONTROL_SHARED | ZIO_CONTROL_KEEP |
			ZIO_CONTROL_SHARE_ONLY);
	if (!(clean->flags & (ZIO_CONTROL_LITTLE_ENDIAN | ZIO_CONTROL_BIG_ENDIAN)))
		clean->flags |= ZIO_NATIVE;
	if (!clean->major_version) {
		clean->major_version = ZIO_MAJOR_VERSION;
		clean->minor_version = ZIO_MINOR_VERSION;
	}
	if (!*clean->addr.devname)
		name_block(ch, clean);
	return zio_check_control(ch);
}

static int begin_block(struct zio_channel *ch, const struct zio_control *control)
{
	if (ch->stage == ZIO_STAGE_DATA)
		return 0;
	if (ch->ops->prepare) {
		if (!ch->done && ch->ops->prepare(ch, control))
			return -1;
		control = &ch->control;
	}
	if (control &&
	    write_rest(ch, ch->ctrl_fd, control, sizeof(*control)))
		return zio_fail(ch, ZIO_FAULT_WRITE_CONTROL, errno);
	ch->stage = ZIO_STAGE_DATA;
	return 0;
}

static void end_block(struct zio_channel *ch, const struct zio_control *control, size_t size)
{
	if (ch->ops->note)
		ch->ops->note(ch, control);
	ch->stage = ZIO_STAGE_CONTROL;
	ch->stats.blocks++;
	ch->stats.bytes += size;
}

/*
 * The file now has that many bytes of the block of ch->control. A later call continues
 * there.
 */
static void begin_part(struct zio_channel *ch, size_t n)
{
	ch->done = n;
	if (n < HEAD)
		return;
	ch->done -= HEAD;
	ch->stage = ZIO_STAGE_DATA;
}

/*
 * Write control and data to a file with one call, as far as possible. The next call
 * continues where this one stopped, and meets any error.
 */
static int begin_file_block(struct zio_channel *ch, const struct zio_control *control,
			    const void *data, size_t size)
{
	struct iovec parts[] = { { &ch->control, HEAD }, { (void *)data, size } };
	ssize_t n;

	if (ch->ops->prepare(ch, control))
		return -1;
	n = writev(ch->ctrl_fd, parts, 2);
	if (n > 0)
		begin_part(ch, (size_t)n);
	return 0;
}

static int send_block(struct zio_channel *ch, const struct zio_control *control,
		      const void *data, size_t size)
{
	if (ch->ops->prepare && ch->stage != ZIO_STAGE_DATA && !ch->done &&
	    begin_file_block(ch, control, data, size))
		return -1;
	if (begin_block(ch, control))
		return -1;
	if (write_rest(ch, ch->data_fd, data, size))
		return zio_fail(ch, ZIO_FAULT_WRITE_DATA, errno);
	end_block(ch, &ch->control, size);
	return 0;
}

int zio_write_block(struct zio_channel *ch, const struct zio_control *control,
		    const void *data, size_t size)
{
	if (!ch || (!data && size))
		return zio_fail_null(ch);
	if (check_block(ch, control, size))
		return -1;
	return send_block(ch, control, data, size);
}

/* --- many blocks of a file */

/* What one writev() writes; adjacent pieces of memory are merged. */
struct pieces {
	struct iovec list[MAX_PIECES];
	int n;
};

static void add_piece(struct pieces *to, const void *from, size_t size)
{
	struct iovec *last = to->n ? &to->list[to->n - 1] : NULL;

	if (last && (const char *)last->iov_base + last->iov_len == from)
		last->iov_len += size;
	else if (size)
		to->list[to->n++] = (struct iovec){ (void *)from, size };
}

/*
 * Is the control written to the file unchanged? A block without a name gets its number
 * only after those before it are written.
 */
static bool is_clean(struct zio_channel *ch, const struct zio_block *blk)
{
	return blk->control && *blk->control->addr.devname && (blk->data || !blk->size) &&
	       !clean_control(ch, blk->control) && ch->size == blk->size &&
	       !memcmp(&ch->control, blk->control, HEAD);
}

/* Collect the pieces of whole blocks of this kind only. Returns the number of blocks. */
static unsigned int gather(struct zio_channel *ch, struct pieces *to,
			   const struct zio_block *blks, unsigned int n)
{
	unsigned int i;

	to->n = 0;
	for (i = 0; i < n && to->n <= MAX_PIECES - 2 && is_clean(ch, &blks[i]); i++) {
		add_piece(to, blks[i].control, HEAD);
		add_piece(to, blks[i].data, blks[i].size);
	}
	return i;
}

/*
 * Write as many blocks as one call takes. Returns how many the file now has completely.
 * As above, the next call continues within a partial block, and meets any error.
 */
static unsigned int write_clean(struct zio_channel *ch, const struct zio_block *blks,
				unsigned int n)
{
	struct pieces pieces;
	unsigned int i = 0;
	ssize_t written;
	size_t left;

	n = gather(ch, &pieces, blks, n);
	written = n ? writev(ch->ctrl_fd, pieces.list, pieces.n) : 0;
	left = written > 0 ? (size_t)written : 0;
	while (i < n && left >= HEAD + blks[i].size) {
		end_block(ch, blks[i].control, blks[i].size);
		left -= HEAD + blks[i++].size;
	}
	if (left && !ch->ops->prepare(ch, blks[i].control))
		begin_part(ch, left);
	return i;
}

int zio_write_batch(struct zio_channel *ch, const struct zio_block *blks, unsigned int n)
{
	unsigned int whole = 0;

	if (!ch || !blks || !n)
		return zio_fail_null(ch);
	if (ch->ops->prepare && ch->data_fd >= 0 && ch->stage == ZIO_STAGE_CONTROL &&
	    !ch->done)
		whole = write_clean(ch, blks, n);
	if (whole)
		return (int)whole;
	return zio_write_block(ch, blks->control, blks->data, blks->size) ? -1 : 1;
}

/* The numbers of the channel continue after the number of @control. */
static void note_number(struct zio_channel *ch, const struct zio_control *control)
{
	zio_sequence_find(&ch->seq, &control->addr);
	zio_sequence_count(&ch->seq, control->seq_num);
}

static int refuse_next(struct zio_channel *ch, struct zio_block *blk)
{
	(void)blk;
	return zio_fail(ch, ZIO_FAULT_DIRECTION, EBADF);
}

const struct zio_channel_ops zio_write_ops = {
	.name = "write",
	.can_share = true,
	.next = refuse_next,
};

const struct zio_channel_ops zio_file_write_ops = {
	.name = "file",
	.is_file = true,
	.next = refuse_next,
	.prepare = clean_control,
	.note = note_number,
};
