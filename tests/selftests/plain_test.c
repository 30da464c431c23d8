// SPDX-License-Identifier: GPL-2.0-only
/*
 * plain_test.c: programs that take a node for a file
 *
 * # not kasan: it compares values; basic_test and splice_test take the same ways
 */
#include <sys/sendfile.h>
#include <sys/socket.h>

#include "board.h"
#include "harness.h"

#define IN	ZZERO "-0-2"
#define OUT	ZZERO "-1-0"

SETUP(fresh)
{
	renew_zzero();
	write_text(CSET0 "/current_buffer", value);
}

static uint8_t buf[4096];

/* The samples count up and none is missing. */
static void check_next(uint8_t *next, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		ASSERT_EQ(buf[i], (uint8_t)(*next)++);
}

TEST_EACH("pread(), preadv() and splice() ignore the offset, %s", fresh,
	  "kmalloc", "vmalloc")
{
	int fd = open_node(IN, "data", O_RDONLY), pipes[2];
	struct iovec piece[2] = { { buf, 5 }, { buf + 5, 11 } };
	loff_t at = 4096;
	uint8_t next;

	ASSERT_EQ(read(fd, &next, 1), 1);
	next++;
	ASSERT_EQ(pread(fd, buf, 100, 0), 100);
	check_next(&next, 100);
	ASSERT_EQ(pread(fd, buf, 33, 1ll << 40), 33);
	check_next(&next, 33);
	ASSERT_EQ(preadv(fd, piece, 2, 12345), 16);
	check_next(&next, 16);
	ASSERT_EQ(preadv2(fd, piece, 2, 99, 0), 16);
	check_next(&next, 16);
	ASSERT_EQ(pipe(pipes), 0);
	ASSERT_EQ(splice(fd, &at, pipes[1], NULL, 64, 0), 64);
	ASSERT_EQ(read(pipes[0], buf, 64), 64);
	check_next(&next, 64);
	ASSERT_ERRNO(pread(fd, buf, 1, -1), EINVAL);
	ASSERT_ERRNO(lseek(fd, 0, SEEK_CUR), ESPIPE);
	ASSERT_ERRNO(lseek(fd, 0, SEEK_END), ESPIPE);
	ASSERT_ERRNO(pwrite(fd, buf, 1, 0), EBADF);
}

TEST_EACH("O_DIRECT asks for no alignment, %s", fresh, "kmalloc", "vmalloc")
{
	int fd = open_node(IN, "data", O_RDONLY | O_DIRECT);
	uint8_t next;

	ASSERT_EQ(read(fd, &next, 1), 1);
	next++;
	ASSERT_EQ(read(fd, buf + 3, 29), 29);
	memmove(buf, buf + 3, 29);
	check_next(&next, 29);
	ASSERT_EQ(fcntl(fd, F_SETFL, 0), 0);
	ASSERT_EQ(fcntl(fd, F_SETFL, O_DIRECT), 0);
	ASSERT_EQ(pread(fd, buf, 7, 1), 7);
	check_next(&next, 7);
}

TEST_EACH("pwrite() and O_DIRECT of an output, %s", fresh, "kmalloc", "vmalloc")
{
	int fd = open_node(OUT, "data", O_WRONLY | O_DIRECT), pipes[2];
	unsigned long before = read_number(CSET1 "/chan0/statistics/bytes");
	loff_t at = 7;

	ASSERT_EQ(pwrite(fd, buf, 16, 1 << 20), 16);
	ASSERT_EQ(pwrite(fd, buf, 16, 0), 16);
	ASSERT_EQ(pipe(pipes), 0);
	ASSERT_EQ(write(pipes[1], buf, 16), 16);
	ASSERT_EQ(splice(pipes[0], NULL, fd, &at, 16, 0), 16);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(read_number(CSET1 "/chan0/statistics/bytes"), before + 48);
}

TEST_EACH("sendfile() and copy_file_range() work with pipes only, %s", fresh,
	  "kmalloc", "vmalloc")
{
	int fd = open_node(IN, "data", O_RDONLY), pipes[2], pair[2], file;
	uint8_t next;

	ASSERT_EQ(read(fd, &next, 1), 1);
	next++;
	file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	ASSERT_TRUE(file >= 0);
	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ASSERT_EQ(pipe(pipes), 0);
	ASSERT_ERRNO(sendfile(file, fd, NULL, 16), EINVAL);
	ASSERT_ERRNO(sendfile(pair[0], fd, NULL, 16), EINVAL);
	ASSERT_ERRNO(copy_file_range(fd, NULL, file, NULL, 16, 0), EINVAL);
	ASSERT_EQ(sendfile(pipes[1], fd, NULL, 64), 64);
	ASSERT_EQ(read(pipes[0], buf, 64), 64);
	check_next(&next, 64);
	/* The failed calls have lost nothing; splice() works by way of a pipe. */
	ASSERT_EQ(splice(fd, NULL, pipes[1], NULL, 64, 0), 64);
	ASSERT_EQ(splice(pipes[0], NULL, pair[0], NULL, 64, 0), 64);
	ASSERT_EQ(read(pair[1], buf, 64), 64);
	check_next(&next, 64);
}

TEST("dd with iflag=direct")
{
	renew_zzero();
	run("dd if=" IN "-data of=/dev/null bs=100 count=3 iflag=direct 2>/dev/null");
}
