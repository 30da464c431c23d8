// SPDX-License-Identifier: GPL-2.0-only
/*
 * spool.c: blocks on the local disk while the broker is away
 *
 * The spool is a block file. The program appends blocks to its end and drains them from
 * its beginning. It truncates the file when all are drained.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/channel.h"
#include "common/program.h"
#include "common/text.h"
#include "spool.h"

static off_t size_of(const char *file)
{
	struct stat st;

	return stat(file, &st) ? 0 : st.st_size;
}

static int fail_spool(struct spool *spool, const char *reason)
{
	if (!spool->is_failing)
		complain("spool %s: %s", spool->file, reason);
	spool->is_failing = true;
	return -1;
}

static int open_out(struct spool *spool)
{
	spool->out = open_channel(spool->file, ZIO_OPEN_OUTPUT | ZIO_OPEN_APPEND);
	return spool->out ? 0 : -1;
}

static int open_in(struct spool *spool)
{
	spool->in = open_channel(spool->file, 0);
	return spool->in ? 0 : -1;
}

/* A program that was killed, or a power failure, may have left a part of a block. */
static int cut_end(struct spool *spool, off_t whole, bool is_block)
{
	off_t rest = spool->size - whole;

	if (!is_block && !(whole && rest < (off_t)sizeof(struct zio_control)))
		return -1;
	complain("spool %s: the last block is not whole: dropped %lld bytes", spool->file,
		 (long long)rest);
	if (truncate(spool->file, whole))
		return fail_spool(spool, strerror(errno));
	spool->size = whole;
	return 0;
}

/* The blocks of an earlier run count as acquired now. */
static int count_blocks(struct spool *spool)
{
	struct zio_block blk;
	struct zio_channel *ch = open_channel(spool->file, 0);
	off_t whole = 0;
	int ret;

	if (!ch)
		return -1;
	while ((ret = zio_next(ch, &blk)) > 0) {
		struct account *account = find_account(blk.control);

		count_block(account, blk.control);
		account->spooled++;
		spool->earlier++;
		whole += (off_t)(sizeof(*blk.control) + blk.size);
	}
	if (ret < 0 && errno != EINTR)
		ret = cut_end(spool, whole, errno == ENODATA);
	if (ret < 0)
		complain("spool: %s", zio_reason(ch));
	zio_close(ch);
	return ret;
}

int open_spool(struct spool *spool)
{
	if (!spool->file)
		return 0;
	spool->size = size_of(spool->file);
	if (spool->size && count_blocks(spool))
		return -1;
	spool->written = spool->earlier;
	if (spool->earlier)
		complain("spool %s: %llu blocks of an earlier run; the broker may have "
			 "some of them", spool->file, (unsigned long long)spool->earlier);
	return open_out(spool);
}

bool has_blocks(const struct spool *spool)
{
	return spool->drained < spool->written;
}

/* A disk that is full may have taken a part of the block. */
static int cut_spool(struct spool *spool)
{
	int code = errno;

	zio_close(spool->out);
	spool->out = NULL;
	if (truncate(spool->file, spool->size))
		return fail_spool(spool, strerror(errno));
	open_out(spool);
	return fail_spool(spool, strerror(code));
}

int spool_block(struct spool *spool, const struct zio_control *control,
		const void *data, size_t size)
{
	if (!spool->out && open_out(spool))
		return -1;
	if (zio_write_block(spool->out, control, data, size))
		return cut_spool(spool);
	spool->is_failing = false;
	spool->size += (off_t)(sizeof(*control) + size);
	spool->written++;
	return 0;
}

static int empty_spool(struct spool *spool)
{
	zio_close(spool->in);
	spool->in = NULL;
	zio_close(spool->out);
	spool->out = NULL;
	spool->written = 0;
	spool->drained = 0;
	spool->earlier = 0;
	spool->size = 0;
	if (truncate(spool->file, 0))
		return fail_spool(spool, strerror(errno));
	return open_out(spool);
}

int next_spooled(struct spool *spool, struct zio_block *blk, bool *again)
{
	if (!has_blocks(spool))
		return spool->in ? empty_spool(spool) : 0;
	if (!spool->in && open_in(spool))
		return -1;
	if (zio_next(spool->in, blk) <= 0) {
		spool->is_unreadable = true;
		return fail_spool(spool, zio_reason(spool->in));
	}
	*again = spool->drained++ < spool->earlier;
	return 1;
}

static int copy_rest(struct spool *spool, struct zio_channel *to)
{
	struct zio_block blk;
	bool again;
	int ret = 0;

	while (has_blocks(spool) && (ret = next_spooled(spool, &blk, &again)) > 0)
		if (zio_write_block(to, blk.control, blk.data, blk.size))
			return fail_spool(spool, zio_reason(to));
	return ret < 0 ? -1 : 0;
}

static int copy_messages(struct spool *spool, struct zio_channel *to,
			 const struct message *msg)
{
	struct zio_control control;
	const char *samples;
	size_t at, size;

	for (; msg; msg = msg->next)
		for (at = 0; next_in_message(msg->data, msg->len, &at, &control, &samples,
					     &size);)
			if (zio_write_block(to, &control, samples, size))
				return fail_spool(spool, zio_reason(to));
	return 0;
}

int return_to_spool(struct spool *spool, const struct message *first)
{
	char name[4096];
	struct zio_channel *to;
	int ret;

	put_text(name, sizeof(name), "%s.new", spool->file);
	to = open_channel(name, ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE);
	if (!to)
		return -1;
	ret = copy_messages(spool, to, first) || copy_rest(spool, to) ? -1 : 0;
	if (zio_close(to))
		ret = fail_spool(spool, strerror(errno));
	if (!ret && rename(name, spool->file))
		ret = fail_spool(spool, strerror(errno));
	if (ret)
		unlink(name);
	return ret;
}

void close_spool(struct spool *spool)
{
	zio_close(spool->in);
	zio_close(spool->out);
	if (spool->file && !size_of(spool->file))
		unlink(spool->file);
}
