// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find and open the nodes of a name; close them */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "set.h"

#define DEFAULT_DIRS "/dev/zio:/dev"
#define SUFFIX_LEN 5
#define ALL_FLAGS (ZIO_OPEN_OUTPUT | ZIO_OPEN_NONBLOCK | ZIO_OPEN_CONTROL_ONLY | \
		   ZIO_OPEN_RING | ZIO_OPEN_MMAP | ZIO_OPEN_READ | \
		   ZIO_OPEN_CREATE | ZIO_OPEN_APPEND | ZIO_OPEN_TAP)

static bool has_suffix(const char *name)
{
	size_t len = strlen(name);

	if (len <= SUFFIX_LEN)
		return false;
	name += len - SUFFIX_LEN;
	return !strcmp(name, "-data") || !strcmp(name, "-ctrl");
}

static int stem_len(const char *name)
{
	return (int)strlen(name) - (has_suffix(name) ? SUFFIX_LEN : 0);
}

/* Find the '-' before the last two numbers of "zzero-0-1"; NULL if there are none. */
static const char *find_numbers(const char *stem, int len)
{
	int numbers = 0;
	int digits = 0;

	while (--len >= 0) {
		if (isdigit((unsigned char)stem[len])) {
			digits++;
			continue;
		}
		if (stem[len] != '-' || !digits)
			return NULL;
		if (++numbers == 2)
			return stem + len;
		digits = 0;
	}
	return NULL;
}

bool zio_is_channel_name(const char *name)
{
	return has_suffix(name) || find_numbers(name, stem_len(name));
}

static void forget_paths(struct zio_channel *ch)
{
	free(ch->ctrl_path);
	free(ch->data_path);
	ch->ctrl_path = NULL;
	ch->data_path = NULL;
}

/* The search continues only after a missing file. open() reports other errors. */
static bool is_missing(const char *path)
{
	return access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR);
}

/* Returns 1 found, 0 missing, -1 no memory. Frees @stem. */
static int try_stem(struct zio_channel *ch, char *stem, int flags)
{
	bool missing;

	if (!stem)
		return -1;
	ch->ctrl_path = zio_format("%s-ctrl", stem);
	if (!(flags & ZIO_OPEN_CONTROL_ONLY))
		ch->data_path = zio_format("%s-data", stem);
	free(stem);
	if (!ch->ctrl_path ||
	    (!ch->data_path && !(flags & ZIO_OPEN_CONTROL_ONLY)))
		return -1;
	missing = is_missing(ch->ctrl_path) &&
		  (!ch->data_path || is_missing(ch->data_path));
	if (missing)
		forget_paths(ch);
	return !missing;
}

static int try_dir(struct zio_channel *ch, const char *dir, int dir_len,
		   const char *name, int flags)
{
	int len = stem_len(name);
	const char *numbers = find_numbers(name, len);
	int ret;

	ret = try_stem(ch, zio_format("%.*s/%.*s", dir_len, dir, len, name),
		       flags);
	if (ret || !numbers)
		return ret;
	return try_stem(ch, zio_format("%.*s/%.*s-0000%.*s", dir_len, dir,
				       (int)(numbers - name), name,
				       len - (int)(numbers - name), numbers),
			flags);
}

static int search_dirs(struct zio_channel *ch, const char *dirs,
		       const char *name, int flags)
{
	int ret = 0;

	while (!ret && *dirs) {
		int len = (int)strcspn(dirs, ":");

		if (len)
			ret = try_dir(ch, dirs, len, name, flags);
		dirs += len;
		dirs += strspn(dirs, ":");
	}
	return ret;
}

/* The path of a device that carries only controls needs no suffix of a node. */
static int try_lone_control(struct zio_channel *ch, const char *path,
			    int flags)
{
	struct stat st;

	if (!(flags & ZIO_OPEN_CONTROL_ONLY) || has_suffix(path) ||
	    stat(path, &st) || !S_ISCHR(st.st_mode))
		return 0;
	ch->mixed = true;
	ch->ctrl_path = strdup(path);
	return ch->ctrl_path ? 1 : -1;
}

static int try_path(struct zio_channel *ch, const char *path, int flags)
{
	int ret = try_lone_control(ch, path, flags);

	if (ret)
		return ret;
	return try_stem(ch, zio_format("%.*s", stem_len(path), path), flags);
}

static const char *shown_name(const char *name, int flags)
{
	if (strcmp(name, "-"))
		return name;
	return flags & ZIO_OPEN_OUTPUT ? "standard output" : "standard input";
}

static int try_file(struct zio_channel *ch, const char *name, int flags)
{
	if (!zio_is_file_name(name, flags))
		return 0;
	ch->file = true;
	ch->mixed = true;
	ch->file_name = strdup(name);
	ch->ctrl_path = strdup(shown_name(name, flags));
	ch->data_path = strdup(shown_name(name, flags));
	return ch->file_name && ch->ctrl_path && ch->data_path ? 1 : -1;
}

static int find_nodes(struct zio_channel *ch, const char *name, int flags,
		      struct zio_error *err)
{
	const char *dirs = NULL;
	int ret;

	if (strchr(name, '/')) {
		ret = try_path(ch, name, flags);
	} else {
		dirs = secure_getenv("ZIO_DEV_PATH");
		if (!dirs)
			dirs = DEFAULT_DIRS;
		ret = search_dirs(ch, dirs, name, flags);
	}
	if (!ret)
		ret = try_file(ch, name, flags);
	if (ret > 0)
		return 0;
	if (ret < 0)
		zio_explain_open(err, ENOMEM, name, ch->output);
	else
		zio_explain_missing(err, name, dirs);
	return -1;
}

int zio_open_node(const char *path, int mode, int flags)
{
	int fd;

	if (flags & ZIO_OPEN_NONBLOCK)
		mode |= O_NONBLOCK;
	fd = open(path, mode | O_CLOEXEC);
	/* Only the open of a FIFO may wait in the kernel; see poll.c. */
	if (fd >= 0)
		fcntl(fd, F_SETFL, mode | O_NONBLOCK);
	return fd;
}

static struct zio_channel *alloc_channel(const char *name, int flags,
					 struct zio_error *err)
{
	struct zio_channel *ch = calloc(1, sizeof(*ch));
	int fd = ch ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;

	if (fd < 0) {
		zio_explain_open(err, ch ? errno : ENOMEM, name,
				 flags & ZIO_OPEN_OUTPUT);
		free(ch);
		return NULL;
	}
	ch->interrupt_fd = fd;
	ch->output = flags & ZIO_OPEN_OUTPUT;
	ch->max_block = ZIO_DEFAULT_MAX_BLOCK;
	ch->nonblock = flags & ZIO_OPEN_NONBLOCK;
	ch->batch_size = ZIO_BATCH;
	ch->ctrl_fd = -1;
	ch->data_fd = -1;
	ch->pipe[0] = -1;
	ch->pipe[1] = -1;
	return ch;
}

static const char *find_argument_fault(const char *name, int flags)
{
	if (!name)
		return "the name is NULL";
	if (flags & ~ALL_FLAGS)
		return "open: flags that this library does not have";
	if ((flags & ZIO_OPEN_TAP) && (flags & ~(ZIO_OPEN_TAP | ZIO_OPEN_NONBLOCK)))
		return "open: a tap only reads, and has no other method";
	return NULL;
}

static int check_arguments(const char *name, int flags, struct zio_error *err)
{
	const char *fault = find_argument_fault(name, flags);

	if (!fault)
		return 0;
	return zio_explain(err, EINVAL, "%s: %s", name ? name : "open", fault);
}

struct zio_channel *zio_open(const char *name, int flags,
			     struct zio_error *err)
{
	struct zio_channel *ch;
	int code;

	if (check_arguments(name, flags, err))
		return NULL;
	ch = alloc_channel(name, flags, err);
	if (!ch)
		return NULL;
	if (!find_nodes(ch, name, flags, err) &&
	    !zio_open_methods(ch, flags, err))
		return ch;
	code = errno;
	zio_close(ch);
	errno = code;
	return NULL;
}

static int close_node(int *fd)
{
	int ret = *fd < 0 ? 0 : close(*fd);

	*fd = -1;
	return ret;
}

/* Returns -1 with the errno of the data node, or else of the control node. */
static int close_both(struct zio_channel *ch)
{
	int code = close_node(&ch->data_fd) ? errno : 0;

	if (close_node(&ch->ctrl_fd) && !code)
		code = errno;
	if (!code)
		return 0;
	errno = code;
	return -1;
}

void zio_close_nodes(struct zio_channel *ch)
{
	int saved = errno;

	zio_unmap(ch);
	close_both(ch);
	errno = saved;
}

int zio_close(struct zio_channel *ch)
{
	int code;

	if (!ch)
		return 0;
	if (ch->group)
		ch->leave_group(ch);
	if (ch->hdr)
		zio_ring_release(ch);
	else if (ch->method == ZIO_METHOD_MMAP && !ch->output)
		zio_mapped_release(ch);
	if (ch->set)
		zio_set_leave(ch);
	zio_unmap(ch);
	code = close_both(ch) ? errno : 0;
	close_node(&ch->interrupt_fd);
	close_node(&ch->pipe[0]);
	close_node(&ch->pipe[1]);
	forget_paths(ch);
	free(ch->file_name);
	free(ch->batch);
	zio_sequence_free(&ch->seq);
	free(ch->mem);
	free(ch);
	if (!code)
		return 0;
	errno = code;
	return -1;
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
	ch->limit = 0;
}

void zio_set_batch(struct zio_channel *ch, unsigned int blocks)
{
	if (!ch) {
		zio_refuse_null();
		return;
	}
	ch->batch_size = blocks && blocks < ZIO_BATCH ? blocks : ZIO_BATCH;
}
