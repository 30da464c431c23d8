// SPDX-License-Identifier: GPL-2.0-only
/*
 * splice_test.c: splice() of a node is a read() into a pipe, or a write() out of it
 *
 * The channel counts samples of 32 bits, in blocks of four pages. So each word tells
 * its place in the stream.
 *
 * # kasan
 */
#include <netinet/in.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include "board.h"
#include "harness.h"

#ifndef SO_ZEROCOPY
#define SO_ZEROCOPY	60
#define MSG_ZEROCOPY	0x4000000
#endif

#define IN	ZZERO "-2-0"
#define LOOP	"/dev/zio/zloop-0000"
#define BLOCK	16384
#define AREA	(128 * 1024)
#define MIB	(1 << 20)

static void renew_input(const char *buffer)
{
	renew_zzero();
	write_text(CSET2 "/trigger/nsamples", "4096");
	write_text(CSET2 "/current_buffer", buffer);
}

SETUP(fresh)
{
	renew_input("vmalloc");
}

SETUP(either)
{
	renew_input(value);
}

SETUP(network)
{
	run("ip link set lo up 2>/dev/null || ifconfig lo 127.0.0.1");
	renew_input("vmalloc");
}

struct ends {
	int in, out;
};

static struct ends open_pipe(size_t size)
{
	int fd[2];

	ASSERT_TRUE(!pipe(fd));
	ASSERT_TRUE(fcntl(fd[1], F_SETPIPE_SZ, size) >= (int)size);
	return (struct ends){ fd[1], fd[0] };
}

static ssize_t move(int from, int to, size_t n)
{
	return splice(from, NULL, to, NULL, n, 0);
}

static void move_all(int from, int to, size_t n)
{
	ssize_t ret;

	for (; n; n -= ret) {
		ret = move(from, to, n);
		ASSERT_TRUE(ret > 0);
	}
}

static void read_all(int fd, void *buf, size_t n)
{
	ssize_t ret;

	for (; n; n -= ret, buf += ret) {
		ret = read(fd, buf, n);
		ASSERT_TRUE(ret > 0);
	}
}

/* Check @n bytes of the stream, from its byte @at on. */
static void check_bytes(const uint8_t *buf, uint64_t at, size_t n)
{
	uint32_t word;

	for (; n; n--, at++) {
		word = at / 4;
		ASSERT_EQ(*buf++, ((uint8_t *)&word)[at % 4]);
	}
}

static void check_next(int fd, uint64_t at, size_t n)
{
	static uint8_t buf[AREA];
	size_t part;

	for (; n; n -= part, at += part) {
		part = n < sizeof(buf) ? n : sizeof(buf);
		read_all(fd, buf, part);
		check_bytes(buf, at, part);
	}
}

static uint64_t first_byte(int ctrl)
{
	return (uint64_t)read_control(ctrl).seq_num * BLOCK;
}

TEST_EACH("a block whose control was read ends a splice(), %s", either,
	  "kmalloc", "vmalloc")
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends ends = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);

	ASSERT_EQ(move(pair.data, ends.in, BLOCK / 2 + 100), BLOCK / 2 + 100);
	ASSERT_EQ(move(pair.data, ends.in, AREA), BLOCK / 2 - 100);
	check_next(ends.out, at, BLOCK);
	ASSERT_EQ(move(pair.ctrl, ends.in, sizeof(struct zio_control)),
		  sizeof(struct zio_control));
	ASSERT_EQ(read_control(ends.out).seq_num * BLOCK, at + BLOCK);
}

TEST("parts of any length, by splice() and by read()", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY | O_NONBLOCK);
	struct ends ends = open_pipe(65536);
	static struct { uint64_t at; size_t n; } piece[64];
	unsigned int seed = 6, first = 0, last = 0, i;
	uint64_t at = first_byte(pair.ctrl);
	static uint8_t buf[3 * BLOCK];
	ssize_t n;

	read_all(pair.data, buf, BLOCK);
	for (at += BLOCK, i = 0; i < 5000; i++) {
		n = 1 + rand_r(&seed) % (rand_r(&seed) % 2 ? 3 * BLOCK : 6000);
		if (rand_r(&seed) % 8 == 0) {
			n = read(pair.data, buf, n);
			ASSERT_TRUE(n > 0 || errno == EAGAIN);
			if (n <= 0)
				continue;
			check_bytes(buf, at, n);
			at += n;
		} else if (first != last && rand_r(&seed) % 2) {
			check_next(ends.out, piece[first % 64].at,
				   piece[first % 64].n);
			first++;
		} else {
			n = splice(pair.data, NULL, ends.in, NULL, n, SPLICE_F_NONBLOCK);
			ASSERT_TRUE(n > 0 || errno == EAGAIN);
			if (n <= 0)
				continue;
			piece[last % 64].at = at;
			piece[last++ % 64].n = n;
			at += n;
		}
	}
}

TEST("a block that is half in a pipe keeps its samples, and its rest is dropped", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends ends = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);

	ASSERT_EQ(move(pair.data, ends.in, BLOCK / 2 + 100), BLOCK / 2 + 100);
	close_pair(pair);
	pair = open_pair(IN, O_RDONLY);
	check_next(pair.data, at + BLOCK, BLOCK);
	check_next(ends.out, at, BLOCK / 2 + 100);
}

TEST("a channel with a ring has no block for splice()", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	int ring = open_node(IN, "ctrl", O_RDWR);
	struct ends ends = open_pipe(MIB);

	ASSERT_ERRNO(move(pair.data, ends.in, BLOCK), EBUSY);
	ASSERT_ERRNO(move(ring, ends.in, BLOCK), EBUSY);
}

TEST("the board is unbound while its samples are in a pipe", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends ends = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);

	move_all(pair.data, ends.in, BLOCK);
	ASSERT_EQ(move(pair.data, ends.in, 5000), 5000);
	unbind_board("zio-zero", 0);
	ASSERT_ERRNO(move(pair.data, ends.in, BLOCK), ENODEV);
	close_pair(pair);
	bind_board("zio-zero", 0);
	check_next(ends.out, at, BLOCK + 5000);
}

static struct ends connect_tcp(void)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0), in;

	ASSERT_TRUE(listener >= 0 && !bind(listener, (void *)&addr, len));
	ASSERT_TRUE(!listen(listener, 1));
	ASSERT_TRUE(!getsockname(listener, (void *)&addr, &len));
	in = socket(AF_INET, SOCK_STREAM, 0);
	ASSERT_TRUE(!connect(in, (void *)&addr, len));
	return (struct ends){ in, accept(listener, NULL, NULL) };
}

/* No event comes: only a splice() that sleeps does not end. */
static void await_events(void)
{
	load("zio-trig-sysfs");
	write_text(CSET2 "/current_trigger", "sysfs");
}

TEST_EACH("O_NONBLOCK, or SPLICE_F_NONBLOCK, of an input without a block, %s", either,
	  "kmalloc", "vmalloc")
{
	static const char *const node[] = { IN "-data", IN "-ctrl", "/dev/zio/sniff-ctrl" };
	struct ends ends = open_pipe(65536);
	unsigned int i;
	int fd;

	await_events();
	for (i = 0; i < 3; i++) {
		fd = open_file(node[i], O_RDONLY);
		ASSERT_ERRNO(splice(fd, NULL, ends.in, NULL, BLOCK, SPLICE_F_NONBLOCK),
			     EAGAIN);
		fcntl(fd, F_SETFL, O_NONBLOCK);
		ASSERT_ERRNO(move(fd, ends.in, BLOCK), EAGAIN);
		close(fd);
	}
}

static void fill(uint8_t *buf, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		buf[i] = i * 7 + i / 256;
}

static struct ends open_loop(void)
{
	reload("zio-loop", "");
	return (struct ends){ open_node(LOOP "-0-0", "data", O_WRONLY),
			      open_node(LOOP "-1-0", "data", O_RDONLY) };
}

/* Samples reach the other side of a loop, which are more than its memory. */
static void check_loop(struct ends loop, const uint8_t *sent, size_t n, pid_t pid)
{
	static uint8_t got[AREA];

	read_all(loop.out, got, n);
	ASSERT_TRUE(!memcmp(got, sent, n));
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
}

TEST("splice() from a pipe sleeps until an output has taken all")
{
	struct ends loop = open_loop(), ends = open_pipe(MIB);
	static uint8_t sent[AREA];
	pid_t pid;

	fill(sent, AREA);
	ASSERT_EQ(write(ends.in, sent, AREA), AREA);
	pid = fork_child();
	if (!pid)
		_exit(move(ends.out, loop.in, AREA) != AREA);
	check_loop(loop, sent, AREA, pid);
}

TEST("sendfile() from a file to an output")
{
	int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	struct ends loop = open_loop();
	static uint8_t sent[AREA];
	pid_t pid;

	fill(sent, AREA);
	ASSERT_EQ(pwrite(file, sent, AREA, 0), AREA);
	pid = fork_child();
	if (!pid)
		_exit(sendfile(loop.in, file, NULL, AREA) != AREA);
	check_loop(loop, sent, AREA, pid);
}

TEST("vmsplice() and MSG_ZEROCOPY of mapped samples", network)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends ends = open_pipe(MIB), sock = connect_tcp();
	uint8_t *mem = mmap(NULL, AREA, PROT_READ, MAP_SHARED, pair.data, 0);
	struct zio_control ctrl;
	struct iovec iov;
	uint64_t at;
	int i, one = 1;

	ASSERT_TRUE(mem != MAP_FAILED);
	ASSERT_TRUE(!setsockopt(sock.in, SOL_SOCKET, SO_ZEROCOPY, &one,
				sizeof(one)));
	for (i = 0; i < 50; i++) {
		ctrl = read_control(pair.ctrl);
		at = (uint64_t)ctrl.seq_num * BLOCK;
		iov.iov_base = mem + ctrl.mem_offset;
		iov.iov_len = BLOCK;
		ASSERT_EQ(vmsplice(ends.in, &iov, 1, 0), BLOCK);
		check_next(ends.out, at, BLOCK);
		ASSERT_EQ(send(sock.in, iov.iov_base, BLOCK, MSG_ZEROCOPY), BLOCK);
		check_next(sock.out, at, BLOCK);
	}
}
