// SPDX-License-Identifier: GPL-2.0-only
/* node-plain.c: the calls of programs that take a node for a file */
#include <sys/sendfile.h>
#include <sys/socket.h>

#include "node.h"

static uint8_t buf[4096];

/* The samples count up; nothing is missing, whatever the offset was. */
static void check_next(uint8_t *next, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		same(buf[i], (uint8_t)(*next)++);
}

/* read PREFIX: pread(), preadv() and splice() go on where the stream is */
static void do_read(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY), pipes[2];
	struct iovec piece[2] = { { buf, 5 }, { buf + 5, 11 } };
	loff_t at = 4096;
	uint8_t next;

	same(read(fd, &next, 1), 1);
	next++;
	same(pread(fd, buf, 100, 0), 100);
	check_next(&next, 100);
	same(pread(fd, buf, 33, 1ll << 40), 33);
	check_next(&next, 33);
	same(preadv(fd, piece, 2, 12345), 16);
	check_next(&next, 16);
	same(preadv2(fd, piece, 2, 99, 0), 16);
	check_next(&next, 16);
	same(pipe(pipes), 0);
	same(splice(fd, &at, pipes[1], NULL, 64, 0), 64);
	same(read(pipes[0], buf, 64), 64);
	check_next(&next, 64);
	fails(pread(fd, buf, 1, -1), EINVAL);
	fails(lseek(fd, 0, SEEK_CUR), ESPIPE);
	fails(lseek(fd, 0, SEEK_END), ESPIPE);
	fails(pwrite(fd, buf, 1, 0), EBADF);
}

/* direct PREFIX: O_DIRECT asks for no alignment, at the open and later */
static void do_direct(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY | O_DIRECT);
	uint8_t next;

	same(read(fd, &next, 1), 1);
	next++;
	same(read(fd, buf + 3, 29), 29);
	memmove(buf, buf + 3, 29);
	check_next(&next, 29);
	same(fcntl(fd, F_SETFL, 0), 0);
	same(fcntl(fd, F_SETFL, O_DIRECT), 0);
	same(pread(fd, buf, 7, 1), 7);
	check_next(&next, 7);
}

/* write PREFIX FILE: pwrite() and O_DIRECT of an output; bytes count in FILE */
static void do_write(char **arg)
{
	int fd = open_node(arg[0], "data", O_WRONLY | O_DIRECT), pipes[2];
	unsigned long before = read_number(arg[1]);
	loff_t at = 7;

	same(pwrite(fd, buf, 16, 1 << 20), 16);
	same(pwrite(fd, buf, 16, 0), 16);
	same(pipe(pipes), 0);
	same(write(pipes[1], buf, 16), 16);
	same(splice(pipes[0], NULL, fd, &at, 16, 0), 16);
	same(fsync(fd), 0);
	same(read_number(arg[1]), before + 48);
}

/* send PREFIX: what the page says of sendfile() and copy_file_range() */
static void do_send(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY), pipes[2], pair[2], file;
	uint8_t next;

	same(read(fd, &next, 1), 1);
	next++;
	file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	want(file >= 0);
	same(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	same(pipe(pipes), 0);
	fails(sendfile(file, fd, NULL, 16), EINVAL);
	fails(sendfile(pair[0], fd, NULL, 16), EINVAL);
	fails(copy_file_range(fd, NULL, file, NULL, 16, 0), EINVAL);
	same(sendfile(pipes[1], fd, NULL, 64), 64);
	same(read(pipes[0], buf, 64), 64);
	check_next(&next, 64);
	/* The way that the page shows; nothing has been lost by those that failed. */
	same(splice(fd, NULL, pipes[1], NULL, 64, 0), 64);
	same(splice(pipes[0], NULL, pair[0], NULL, 64, 0), 64);
	same(read(pair[1], buf, 64), 64);
	check_next(&next, 64);
}

static const struct command commands[] = {
	{ "read", 1, do_read },
	{ "direct", 1, do_direct },
	{ "write", 2, do_write },
	{ "send", 1, do_send },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 60);
}
