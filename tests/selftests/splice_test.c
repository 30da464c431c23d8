// SPDX-License-Identifier: GPL-2.0-only
/*
 * splice_test.c: blocks go into a pipe, and on, without a copy
 *
 * The channel counts samples of 32 bits, in blocks of four pages. So each word tells
 * its place in the stream.
 *
 * # leaks
 * # rt
 */
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>

#include "board.h"
#include "harness.h"
#include "libzio/zio.h"

#ifndef SO_ZEROCOPY
#define SO_ZEROCOPY	60
#define MSG_ZEROCOPY	0x4000000
#endif

#define IN	ZZERO "-2-0"
#define CHAN	CSET2 "/chan0"
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

SETUP(kmalloc)
{
	renew_input("kmalloc");
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

static bool can_map(int fd)
{
	void *mem = mmap(NULL, AREA, PROT_READ, MAP_SHARED, fd, 0);

	if (mem == MAP_FAILED) {
		ASSERT_EQ(errno, EBUSY);
		return false;
	}
	munmap(mem, AREA);
	return true;
}

static void wait_until_back(int fd)
{
	while (!can_map(fd))
		usleep(1000);
}

TEST("a block in a pipe is lent, and pins the area", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends ends = open_pipe(MIB);
	int kb = open_file(CHAN "/buffer/max-buffer-kb", O_WRONLY);
	uint64_t at = first_byte(pair.ctrl);

	ASSERT_TRUE(can_map(pair.data));
	/* The block whose control was read ends the splice. */
	ASSERT_EQ(move(pair.data, ends.in, AREA), BLOCK);
	ASSERT_TRUE(!can_map(pair.data));
	ASSERT_ERRNO(write(kb, "256", 3), EBUSY);
	check_next(ends.out, at, BLOCK - 4096);
	ASSERT_TRUE(!can_map(pair.data));
	check_next(ends.out, at + BLOCK - 4096, 4096);
	ASSERT_TRUE(can_map(pair.data));
	ASSERT_TRUE(write(kb, "256", 3) == 3 && write(kb, "128", 3) == 3);
}

TEST("the samples of a mapped area are copied", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends ends = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);
	void *mem = mmap(NULL, AREA, PROT_READ, MAP_SHARED, pair.data, 0);

	ASSERT_TRUE(mem != MAP_FAILED);
	move_all(pair.data, ends.in, BLOCK);
	ASSERT_TRUE(can_map(pair.data));
	check_next(ends.out, at, BLOCK);
}

TEST("the samples of a buffer kmalloc are copied", kmalloc)
{
	int fd = open_node(IN, "data", O_RDONLY);
	struct ends ends = open_pipe(MIB);
	static uint8_t buf[BLOCK];
	uint32_t first;

	move_all(fd, ends.in, BLOCK);
	read_all(ends.out, buf, BLOCK);
	memcpy(&first, buf, 4);
	check_bytes(buf, first * 4ull, BLOCK);
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

TEST("tee() lends a block to two pipes", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends a = open_pipe(MIB), b = open_pipe(MIB);
	uint64_t at;
	int i;

	for (i = 0; i < 100; i++) {
		at = first_byte(pair.ctrl);
		move_all(pair.data, a.in, BLOCK);
		ASSERT_EQ(tee(a.out, b.in, BLOCK, 0), BLOCK);
		check_next(a.out, at, BLOCK);
		ASSERT_TRUE(!can_map(pair.data));
		check_next(b.out, at, BLOCK);
		ASSERT_TRUE(can_map(pair.data));
	}
}

/* Put all memory of the channel into the pipe. Return: how much that is */
static size_t fill_pipe(int fd, struct ends ends)
{
	size_t sum = 0;
	ssize_t n;

	while ((n = move(fd, ends.in, MIB)) > 0)
		sum += n;
	ASSERT_EQ(errno, EAGAIN);
	ASSERT_TRUE(sum <= AREA && sum > AREA / 2);
	return sum;
}

TEST("a process with all memory in its pipe gets EAGAIN and goes on", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY), i;
	struct ends ends = open_pipe(MIB);
	uint64_t at = 0;
	size_t n;

	for (i = 0; i < 10; i++) {
		n = fill_pipe(fd, ends);
		check_next(ends.out, at, n);
		at += n;
	}
}

TEST("others lose nothing while all memory is in a pipe", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY), other, i;
	struct ends ends = open_pipe(MIB);
	size_t n = fill_pipe(fd, ends);
	unsigned long lost = read_number(CHAN "/statistics/lost_blocks");
	static uint8_t buf[BLOCK];

	other = open_node(IN, "data", O_RDONLY | O_NONBLOCK);
	for (i = 0; i < 20; i++)
		ASSERT_ERRNO(read(other, buf, sizeof(buf)), EAGAIN);
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), lost);
	check_next(ends.out, 0, n);
	ASSERT_EQ(read(other, buf, sizeof(buf)), sizeof(buf));
	check_bytes(buf, n, sizeof(buf));
}

TEST("lent samples stay after a close and with another buffer", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends ends = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);
	static uint8_t buf[BLOCK];
	int i;

	move_all(pair.data, ends.in, BLOCK);
	close_pair(pair);
	pair = open_pair(IN, O_RDONLY);
	/* The channel uses the memory again, but not the lent block. */
	for (i = 0; i < 6; i++)
		read_all(pair.data, buf, BLOCK);
	close_pair(pair);
	write_text(CSET2 "/current_buffer", "kmalloc");
	check_next(ends.out, at, BLOCK / 2);
	write_text(CSET2 "/current_buffer", "vmalloc");
	check_next(ends.out, at + BLOCK / 2, BLOCK / 2);
}

TEST("another reader gets the rest of a block that is half lent", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends ends = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);

	ASSERT_EQ(move(pair.data, ends.in, BLOCK / 2 + 100), BLOCK / 2 + 100);
	close_pair(pair);
	pair = open_pair(IN, O_RDONLY);
	check_next(pair.data, at + BLOCK / 2 + 100, BLOCK / 2 - 100);
	ASSERT_TRUE(!can_map(pair.data));
	check_next(ends.out, at, BLOCK / 2 + 100);
	ASSERT_TRUE(can_map(pair.data));
}

TEST("a ring is opened while pages are in a pipe", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends ends = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);
	struct pollfd pfd = { .events = POLLIN };

	move_all(pair.data, ends.in, BLOCK / 2);
	pfd.fd = open_node(IN, "ctrl", O_RDWR);
	ASSERT_EQ(poll(&pfd, 1, -1), 1);
	ASSERT_EQ(pfd.revents, POLLIN);
	ASSERT_ERRNO(move(pair.data, ends.in, BLOCK), EBUSY);
	ASSERT_TRUE(!can_map(pair.data));
	check_next(ends.out, at, BLOCK / 2);
	ASSERT_TRUE(can_map(pair.data));
}

static struct zio_channel *open_channel(const char *prefix, int flags,
					struct zio_error *err)
{
	char path[64];

	snprintf(path, sizeof(path), "%s-data", prefix);
	return zio_open(path, flags, err);
}

static void check_method(const char *prefix, const char *method)
{
	struct zio_error err;
	struct zio_channel *ch = open_channel(prefix, 0, &err);
	struct zio_block blk;

	ASSERT_TRUE(ch);
	ASSERT_TRUE(!strcmp(zio_method(ch), method));
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(blk.size, BLOCK);
	check_bytes(blk.data, (uint64_t)blk.control->seq_num * BLOCK, BLOCK);
	zio_close(ch);
}

TEST("libzio reads what cannot be mapped, as a part is in a pipe", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct ends ends = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);
	struct zio_error err;

	move_all(pair.data, ends.in, BLOCK);
	check_method(IN, "read");
	ASSERT_TRUE(!open_channel(IN, ZIO_OPEN_MMAP, &err));
	ASSERT_EQ(err.code, EBUSY);
	ASSERT_TRUE(!open_channel(IN, ZIO_OPEN_RING, &err));
	ASSERT_EQ(err.code, EBUSY);
	ASSERT_TRUE(strstr(err.text, "pipe"));
	check_next(ends.out, at, BLOCK);
	check_method(IN, "ring");
}

TEST("the board is unbound while its pages are in a pipe", fresh)
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

TEST("the process that has the pipe is killed", fresh)
{
	int i, n = 30, status, fd, null;
	struct ends ends;
	pid_t child;

	for (i = 0; i < n; i++) {
		child = fork_child();
		if (!child) {
			fd = open_node(IN, "data", O_RDONLY);
			ends = open_pipe(MIB);
			null = open_file("/dev/null", O_WRONLY);
			for (;;) {
				while (move(fd, ends.in, MIB) > 0)
					;
				move(ends.out, null, BLOCK);
			}
		}
		usleep(1000 + i * 337);
		kill(child, SIGKILL);
		ASSERT_TRUE(waitpid(child, &status, 0) == child);
		ASSERT_EQ(WTERMSIG(status), SIGKILL);
	}
	fd = open_node(IN, "data", O_RDONLY);
	wait_until_back(fd);
	ends = open_pipe(MIB);
	move_all(fd, ends.in, BLOCK);
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

static struct ends connect_unix(void)
{
	int fd[2];

	ASSERT_TRUE(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	return (struct ends){ fd[0], fd[1] };
}

static void use_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ASSERT_TRUE(!sched_setaffinity(0, sizeof(set), &set));
}

/*
 * A process may read TCP data on another processor than the one that received them. The
 * kernel then frees them on the receiving processor, when the next packet arrives
 * (net.core.skb_defer_max).
 */
static void send_packets(void)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(9),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int n = sysconf(_SC_NPROCESSORS_ONLN), fd;

	while (n--) {
		use_cpu(n);
		fd = socket(AF_INET, SOCK_DGRAM, 0);
		ASSERT_EQ(sendto(fd, "", 1, 0, (void *)&addr, sizeof(addr)), 1);
		close(fd);
	}
}

/*
 * The peer does not read. The pages are in no pipe, but the channel must not fill them
 * again, however much it acquires. Then the peer reads, on another processor.
 */
static void check_socket(const char *prefix, struct ends sock)
{
	struct pair pair = open_pair(prefix, O_RDONLY);
	int other = open_node(prefix, "data", O_RDONLY | O_NONBLOCK), i;
	struct ends ends = open_pipe(MIB);
	static uint8_t buf[BLOCK];
	int last_cpu = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	uint64_t at;

	for (i = 0; i < 20; i++) {
		use_cpu(0);
		at = first_byte(pair.ctrl);
		move_all(pair.data, ends.in, BLOCK);
		move_all(ends.out, sock.in, BLOCK);
		while (read(other, buf, sizeof(buf)) > 0)
			;
		ASSERT_EQ(errno, EAGAIN);
		use_cpu(last_cpu);
		check_next(sock.out, at, BLOCK);
		while (!can_map(pair.data))
			send_packets();
	}
}

TEST("a local socket keeps pages that its peer has not read", network)
{
	check_socket(IN, connect_unix());
}

TEST("a TCP socket keeps pages that its peer has not read", network)
{
	check_socket(IN, connect_tcp());
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

TEST("no module is held")
{
	unload("zio-zero");
	unload("zio-buf-vmalloc");
	ASSERT_EQ(read_number("/sys/module/zio/refcnt"), 1);
}
