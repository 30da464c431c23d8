// SPDX-License-Identifier: GPL-2.0-only
/* pipes.c: blocks that go by reference to pipes, sockets and files */
#include <sys/sendfile.h>

#include "fuzz.h"

#define N_PIPES	4

/* Three pipes, and a pair of sockets. */
static int ends[N_PIPES][2];
static int file;

void init_pipes(void)
{
	int i;

	for (i = 0; i < N_PIPES - 1; i++)
		ASSERT_TRUE(!pipe2(ends[i], O_CLOEXEC | O_NONBLOCK));
	ASSERT_TRUE(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK |
				SOCK_CLOEXEC, 0, ends[i]));
	file = memfd_create("fuzz", MFD_CLOEXEC);
	ASSERT_TRUE(file >= 0);
}

static unsigned int any_splice_flags(void)
{
	unsigned int flags = chance(4) ? 0 : SPLICE_F_NONBLOCK;

	if (chance(4))
		flags |= SPLICE_F_MOVE | SPLICE_F_MORE;
	return chance(32) ? draw() : flags;
}

static size_t any_size(void)
{
	return chance(8) ? (size_t)any_int() : 1 + dice(1 << dice(17));
}

static void drain(int fd)
{
	while (read(fd, arena, ARENA) > 0)
		;
}

static void do_splice_in(void)
{
	struct slot *slot = slot_for(false, chance(8) ? -1 : 1);
	int *pipe = ends[dice(N_PIPES - 1)];

	if (result(splice(slot->fd, NULL, pipe[1], NULL, any_size(),
			  any_splice_flags())) < 0 && errno == EAGAIN)
		drain(pipe[0]);
}

/* Close the node after the splice: the pages stay in the pipe. */
static void do_splice_close(void)
{
	int channel = any_channel(false);
	int fd = open_channel(channel, true, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int *pipe = ends[dice(N_PIPES - 1)];

	result(splice(fd, NULL, pipe[1], NULL, any_size(), SPLICE_F_NONBLOCK));
	if (fd >= 0)
		close(fd);
}

static void do_splice_out(void)
{
	struct slot *slot = slot_for(true, chance(8) ? -1 : 1);
	int *pipe = ends[dice(N_PIPES - 1)];

	if (chance(2))
		vmsplice(pipe[1], &(struct iovec){ arena, 4096 }, 1,
			 SPLICE_F_NONBLOCK);
	result(splice(pipe[0], NULL, slot->fd, NULL, any_size(),
		      any_splice_flags()));
}

/* Splice from a pipe to a pipe, a socket, or a file. */
static void do_splice_on(void)
{
	int *from = ends[dice(N_PIPES)], *to = ends[dice(N_PIPES)];
	loff_t at = 0;

	if (chance(4))
		result(splice(from[0], NULL, file, &at, any_size(),
			      any_splice_flags()));
	else
		result(splice(from[0], NULL, to[1], NULL, any_size(),
			      SPLICE_F_NONBLOCK));
}

static void do_tee(void)
{
	result(tee(ends[dice(N_PIPES)][0], ends[dice(N_PIPES - 1)][1], any_size(),
		   SPLICE_F_NONBLOCK));
}

static void do_vmsplice(void)
{
	struct iovec v[4];
	int n = any_iovec(v, 4), i = dice(N_PIPES - 1);
	size_t len;

	/* The pipe keeps pages of a mapped node. */
	if (chance(2) && n) {
		v[0].iov_base = any_map(&len);
		v[0].iov_len = 4096;
	}
	result(vmsplice(ends[i][chance(4) ? 0 : 1], v, n, SPLICE_F_NONBLOCK |
			(chance(4) ? SPLICE_F_GIFT : 0)));
}

static void do_sendfile(void)
{
	struct slot *from = slot_for(false, 1);
	int to = chance(4) ? file : chance(2) ? ends[N_PIPES - 1][1] :
		chance(2) ? slot_for(true, 1)->fd : ends[dice(N_PIPES)][1];
	off_t at = 0;

	result(sendfile(to, from->fd, chance(4) ? &at : NULL,
			1 + dice(ARENA)));
}

static void do_sendfile_out(void)
{
	off_t at = 0;

	if (pwrite(file, arena, 4096, 0) == 4096)
		result(sendfile(slot_for(true, 1)->fd, file, &at,
				1 + dice(4096)));
}

static void do_copy_range(void)
{
	loff_t at = 0;

	if (chance(2))
		result(copy_file_range(slot_for(false, 1)->fd, NULL, file, &at,
				       any_size(), 0));
	else
		result(copy_file_range(file, &at, slot_for(true, 1)->fd, NULL,
				       any_size(), 0));
}

static void do_drain(void)
{
	int *pipe = ends[dice(N_PIPES)];

	result(read(pipe[0], arena, 1 + dice(ARENA)));
	if (!chance(4))
		drain(pipe[0]);
	if (chance(8) && ftruncate(file, 0))
		errno = 0;
}

/* Close a pipe with what is in it. */
static void do_close_pipe(void)
{
	int *pipe = ends[dice(N_PIPES - 1)];

	close(pipe[0]);
	close(pipe[1]);
	result(pipe2(pipe, O_CLOEXEC | O_NONBLOCK));
	if (chance(4))
		result(fcntl(pipe[1], F_SETPIPE_SZ, 4096 << dice(6)));
}

const struct op pipe_ops[] = {
	{ "splice-in", do_splice_in, 30, 5, MEMBER },
	{ "splice-close", do_splice_close, 12, 3, MEMBER },
	{ "splice-out", do_splice_out, 15, 3, MEMBER },
	{ "splice-on", do_splice_on, 15, 3, MEMBER },
	{ "tee", do_tee, 8, 2, MEMBER },
	{ "vmsplice", do_vmsplice, 8, 3, MEMBER },
	{ "sendfile", do_sendfile, 12, 0, MEMBER },
	{ "sendfile-out", do_sendfile_out, 6, 2, MEMBER },
	{ "copy-range", do_copy_range, 3, 0, MEMBER },
	{ "drain", do_drain, 15, 5, MEMBER },
	{ "close-pipe", do_close_pipe, 8, 3, MEMBER },
	{}
};
