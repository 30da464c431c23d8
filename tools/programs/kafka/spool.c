// SPDX-License-Identifier: GPL-2.0-only
/*
 * spool.c: keep blocks on the local disk until the broker has them
 *
 * The spool is a block file. The program appends blocks at its end and drains them from its
 * beginning into messages. Blocks stay in the file until the broker has acknowledged them,
 * so a program that was killed finds them when it restarts. FILE.sent records how much of
 * the file the broker has. Once the broker has everything, the file is truncated.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/channel.h"
#include "common/program.h"
#include "replace.h"
#include "spool.h"

#define SYNC_SECONDS 1
#define TRY_SECONDS 1
#define CONTROL ((off_t)sizeof(struct zio_control))

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

/* Open the file for reading, at a block. */
static struct zio_channel *open_at(struct spool *spool, off_t at)
{
	struct zio_channel *ch = open_channel(spool->file, 0);

	if (ch && lseek(zio_fd(ch), at, SEEK_SET) == at)
		return ch;
	zio_close(ch);
	return NULL;
}

/* --- what an earlier run has left */

/* Return the end of the nonzero bytes from @at on; INT64_MAX if unknown. */
static off_t end_of_bytes(const char *file, off_t at)
{
	FILE *in = fopen(file, "re");
	const off_t limit = at + CONTROL;
	off_t end = at;
	int byte = in && !fseeko(in, at, SEEK_SET) ? 0 : EOF;

	while (byte != EOF && end < limit && (byte = getc(in)) != EOF) {
		at++;
		if (byte)
			end = at;
	}
	if (!in || ferror(in))
		end = INT64_MAX;
	if (in)
		fclose(in);
	return end;
}

/* A control begins with its version number. */
static bool begins_control(const char *file, off_t at)
{
	FILE *in = fopen(file, "re");
	bool begins = in && !fseeko(in, at, SEEK_SET) && getc(in) == ZIO_MAJOR_VERSION;

	if (in)
		fclose(in);
	return begins;
}

/*
 * A killed program or a power failure may leave a partial block. Some file systems then have
 * zeros in place of the bytes that did not reach the disk.
 */
static bool is_part(const struct spool *spool, off_t whole)
{
	off_t end = end_of_bytes(spool->file, whole);

	if (end == whole)
		return true;
	return end < whole + CONTROL && begins_control(spool->file, whole);
}

static int cut_end(struct spool *spool, off_t whole)
{
	complain("spool %s: the last block is incomplete: dropped %lld bytes", spool->file,
		 (long long)(spool->size - whole));
	if (truncate(spool->file, whole))
		return fail_spool(spool, strerror(errno));
	spool->size = whole;
	return 0;
}

/* This program did not write the file: leave every byte of it alone. */
static int refuse(const struct spool *spool, struct zio_channel *ch, int code, off_t whole)
{
	if (code != EPROTO)
		complain("spool: %s", zio_reason(ch));
	else if (!whole)
		complain("spool %s: not a spool: name another file, or remove it",
			 spool->file);
	else
		complain("spool %s: no block begins at byte %lld: name another file, or "
			 "drop what follows by `truncate -s %lld`", spool->file,
			 (long long)whole, (long long)whole);
	return -1;
}

/* Drop a partial block after the blocks up to @whole; refuse anything else there. */
static int check_end(struct spool *spool, struct zio_channel *ch, int code, off_t whole)
{
	if (code == ENODATA || (code == EPROTO && is_part(spool, whole)))
		return cut_end(spool, whole);
	return refuse(spool, ch, code, whole);
}

/* Blocks from an earlier run count as acquired now. */
static int count_blocks(struct spool *spool)
{
	struct zio_channel *ch = open_at(spool, spool->sent);
	unsigned long long blocks = 0;
	struct zio_block blk;
	off_t whole = spool->sent;
	int ret;

	if (!ch)
		return -1;
	while ((ret = zio_next(ch, &blk)) > 0) {
		struct account *account = find_account(blk.control);

		count_block(account, blk.control);
		account->spooled++;
		blocks++;
		whole += CONTROL + (off_t)blk.size;
	}
	if (ret < 0)
		ret = check_end(spool, ch, errno, whole);
	zio_close(ch);
	if (!ret && blocks)
		complain("spool %s: %llu blocks of an earlier run; the broker may already "
			 "have some of them", spool->file, blocks);
	return ret;
}

/* A new mark hides no blocks, so tolerate a full disk, as when it fills later. */
static int begin_empty(struct spool *spool)
{
	if (!reset_mark(&spool->mark))
		return 0;
	fail_spool(spool, strerror(errno));
	return spool->mark.is_empty ? 0 : -1;
}

/* After a power failure, the mark may lie beyond what the disk has kept. */
static int find_blocks(struct spool *spool)
{
	struct stat st;

	if (stat(spool->file, &st) || !st.st_size)
		return begin_empty(spool);
	spool->size = st.st_size;
	spool->sent = read_mark(&spool->mark, st.st_ino);
	if (spool->sent > spool->size)
		spool->sent = spool->size;
	spool->at = spool->sent;
	return count_blocks(spool);
}

/* A device or a pipe cannot keep blocks. */
static int check_kind(const struct spool *spool)
{
	struct stat st;

	if (stat(spool->file, &st) || S_ISREG(st.st_mode))
		return 0;
	complain("spool %s: not a regular file: name another file", spool->file);
	return -1;
}

/* If the broker has all blocks, a partial one at the end does no harm. */
int open_spool(struct spool *spool, const char *file)
{
	if (!file)
		return 0;
	spool->file = resolve_path(file);
	if (check_kind(spool) || open_mark(&spool->mark, spool->file) || find_blocks(spool))
		return -1;
	spool->earlier = spool->size;
	release_spool(spool, spool->sent);
	if (open_out(spool))
		return -1;
	sync_folder(spool->file);
	return 0;
}

/* --- the end of the file */

bool has_blocks(const struct spool *spool)
{
	return spool->at < spool->size;
}

static int append(struct spool *spool, const struct zio_control *control,
		  const void *data, size_t size)
{
	if (!spool->out && open_out(spool))
		return -1;
	if (zio_write_block(spool->out, control, data, size))
		return -1;
	spool->size += CONTROL + (off_t)size;
	if (!spool->is_dirty)
		spool->next_sync = seconds_now() + SYNC_SECONDS;
	spool->is_dirty = true;
	return 0;
}

/* A full disk may have taken a part of what was appended after @size: remove it. */
static int cut_spool(struct spool *spool, off_t size)
{
	int code = errno;

	spool->next_try = seconds_now() + TRY_SECONDS;
	zio_close(spool->out);
	spool->out = NULL;
	spool->size = size;
	if (truncate(spool->file, size))
		return fail_spool(spool, strerror(errno));
	open_out(spool);
	return fail_spool(spool, strerror(code));
}

int spool_block(struct spool *spool, const struct zio_control *control,
		const void *data, size_t size)
{
	if (append(spool, control, data, size))
		return cut_spool(spool, spool->size);
	spool->is_failing = false;
	return 0;
}

int spool_message(struct spool *spool, struct message *msg)
{
	struct zio_control control;
	const char *samples;
	off_t begin = spool->size;
	size_t at = 0, size;

	while (next_in_message(msg->data, msg->len, &at, &control, &samples, &size))
		if (append(spool, &control, samples, size))
			return cut_spool(spool, begin);
	msg->origin.at = begin;
	spool->at = spool->size;
	return 0;
}

/* --- its beginning */

/* Spooled messages may have moved @at. */
static int read_at(struct spool *spool, struct zio_block *blk)
{
	if (!spool->in)
		spool->in = open_at(spool, spool->at);
	else if (lseek(zio_fd(spool->in), spool->at, SEEK_SET) < 0)
		return -1;
	return spool->in ? zio_next(spool->in, blk) : -1;
}

int next_spooled(struct spool *spool, struct zio_block *blk, struct origin *origin)
{
	if (!has_blocks(spool))
		return 0;
	if (read_at(spool, blk) <= 0) {
		spool->is_unreadable = true;
		return fail_spool(spool, spool->in ? zio_reason(spool->in) :
						     strerror(errno));
	}
	*origin = (struct origin){ .at = spool->at, .again = spool->at < spool->earlier };
	spool->at += CONTROL + (off_t)blk->size;
	return 1;
}

/*
 * Reset the mark first: after a power failure, an old mark must not hide the first blocks of
 * a spool that was emptied and filled again.
 */
static void empty_spool(struct spool *spool)
{
	if (reset_mark(&spool->mark)) {
		fail_spool(spool, strerror(errno));
		return;
	}
	zio_close(spool->in);
	spool->in = NULL;
	zio_close(spool->out);
	spool->out = NULL;
	if (truncate(spool->file, 0)) {
		fail_spool(spool, strerror(errno));
		return;
	}
	spool->sent = 0;
	spool->at = 0;
	spool->size = 0;
	spool->earlier = 0;
	spool->is_dirty = false;
}

void release_spool(struct spool *spool, off_t sent)
{
	struct stat st;

	if (spool->size && sent == spool->size) {
		empty_spool(spool);
	} else if (sent != spool->sent && !stat(spool->file, &st)) {
		write_mark(&spool->mark, st.st_ino, sent);
		spool->sent = sent;
	}
}

double sync_spool(struct spool *spool, double now)
{
	if (!spool->is_dirty)
		return 1e18;
	if (now < spool->next_sync)
		return spool->next_sync;
	spool->is_dirty = false;
	if (spool->out && fdatasync(zio_fd(spool->out)))
		fail_spool(spool, strerror(errno));
	sync_mark(&spool->mark);
	return 1e18;
}

void close_spool(struct spool *spool)
{
	if (!spool->file)
		return;
	sync_spool(spool, 1e18);
	zio_close(spool->in);
	zio_close(spool->out);
	if (!spool->size && is_locked(&spool->mark))
		unlink(spool->file);
	close_mark(&spool->mark, !spool->size);
	free(spool->file);
}
