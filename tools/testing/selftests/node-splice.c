// SPDX-License-Identifier: GPL-2.0-only
/*
 * node-splice.c: blocks that go into a pipe, and on, without a copy
 *
 * The channel counts samples of 32 bits, in blocks of whole pages: so each word
 * tells where in the stream it is.
 */
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "libzio/zio.h"
#include "node.h"

#ifndef SO_ZEROCOPY
#define SO_ZEROCOPY	60
#define MSG_ZEROCOPY	0x4000000
#endif

#define BLOCK	16384
#define AREA	(128 * 1024)
#define MIB	(1 << 20)

struct way {
	int in, out;
};

static struct way open_pipe(size_t size)
{
	int fd[2];

	want(!pipe(fd));
	want(fcntl(fd[1], F_SETPIPE_SZ, size) >= (int)size);
	return (struct way){ fd[1], fd[0] };
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
		want(ret > 0);
	}
}

static void read_all(int fd, void *buf, size_t n)
{
	ssize_t ret;

	for (; n; n -= ret, buf += ret) {
		ret = read(fd, buf, n);
		want(ret > 0);
	}
}

/* @n bytes of the stream, from byte @at of it on. */
static void check_bytes(const uint8_t *buf, uint64_t at, size_t n)
{
	uint32_t word;

	for (; n; n--, at++) {
		word = at / 4;
		same(*buf++, ((uint8_t *)&word)[at % 4]);
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
		same(errno, EBUSY);
		return false;
	}
	munmap(mem, AREA);
	return true;
}

/* What was lent comes back within the time that the alarm allows. */
static void wait_until_back(int fd)
{
	while (!can_map(fd))
		usleep(1000);
}

/* lent PREFIX MAX-BUFFER-KB: who has the pages in a pipe has the block */
static void do_lent(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct way way = open_pipe(MIB);
	int kb = open_file(arg[1], O_WRONLY);
	uint64_t at = first_byte(pair.ctrl);

	want(can_map(pair.data));
	/* It stops at the end of a block whose control was read. */
	same(move(pair.data, way.in, AREA), BLOCK);
	want(!can_map(pair.data));
	fails(write(kb, "256", 3), EBUSY);
	check_next(way.out, at, BLOCK - 4096);
	want(!can_map(pair.data));
	check_next(way.out, at + BLOCK - 4096, 4096);
	want(can_map(pair.data));
	want(write(kb, "256", 3) == 3 && write(kb, "128", 3) == 3);
}

/* copied PREFIX: what is mapped is not lent, and read all the same */
static void do_copied(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct way way = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);
	void *mem = mmap(NULL, AREA, PROT_READ, MAP_SHARED, pair.data, 0);

	want(mem != MAP_FAILED);
	move_all(pair.data, way.in, BLOCK);
	want(can_map(pair.data));
	check_next(way.out, at, BLOCK);
}

/* none PREFIX: a buffer without an area is copied */
static void do_none(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY);
	struct way way = open_pipe(MIB);
	static uint8_t buf[BLOCK];
	uint32_t first;

	move_all(fd, way.in, BLOCK);
	read_all(way.out, buf, BLOCK);
	memcpy(&first, buf, 4);
	check_bytes(buf, first * 4ull, BLOCK);
}

/* model PREFIX: pieces of any length, by splice and by read, in any order */
static void do_model(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY | O_NONBLOCK);
	struct way way = open_pipe(65536);
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
			want(n > 0 || errno == EAGAIN);
			if (n <= 0)
				continue;
			check_bytes(buf, at, n);
			at += n;
		} else if (first != last && rand_r(&seed) % 2) {
			check_next(way.out, piece[first % 64].at,
				   piece[first % 64].n);
			first++;
		} else {
			n = splice(pair.data, NULL, way.in, NULL, n,
				   SPLICE_F_NONBLOCK);
			want(n > 0 || errno == EAGAIN);
			if (n <= 0)
				continue;
			piece[last % 64].at = at;
			piece[last++ % 64].n = n;
			at += n;
		}
	}
}

/* twice PREFIX: tee() */
static void do_twice(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct way a = open_pipe(MIB), b = open_pipe(MIB);
	uint64_t at;
	int i;

	for (i = 0; i < 100; i++) {
		at = first_byte(pair.ctrl);
		move_all(pair.data, a.in, BLOCK);
		same(tee(a.out, b.in, BLOCK, 0), BLOCK);
		check_next(a.out, at, BLOCK);
		want(!can_map(pair.data));
		check_next(b.out, at, BLOCK);
		want(can_map(pair.data));
	}
}

/* Puts all memory of the channel into the pipe; how much that is. */
static size_t fill_pipe(int fd, struct way way)
{
	size_t sum = 0;
	ssize_t n;

	while ((n = move(fd, way.in, MIB)) > 0)
		sum += n;
	same(errno, EAGAIN);
	want(sum <= AREA && sum > AREA / 2);
	return sum;
}

/* full PREFIX: who has all memory in his own pipe is told, and goes on */
static void do_full(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY), i;
	struct way way = open_pipe(MIB);
	uint64_t at = 0;
	size_t n;

	for (i = 0; i < 10; i++) {
		n = fill_pipe(fd, way);
		check_next(way.out, at, n);
		at += n;
	}
}

/*
 * idle PREFIX LOST: somebody keeps all memory in a pipe for ever; others find that
 * there is none, nothing is lost by asking, and what he has stays.
 */
static void do_idle(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY), other, i;
	struct way way = open_pipe(MIB);
	size_t n = fill_pipe(fd, way);
	unsigned long lost = read_number(arg[1]);
	static uint8_t buf[BLOCK];

	other = open_node(arg[0], "data", O_RDONLY | O_NONBLOCK);
	for (i = 0; i < 20; i++)
		fails(read(other, buf, sizeof(buf)), EAGAIN);
	same(read_number(arg[1]), lost);
	check_next(way.out, 0, n);
	same(read(other, buf, sizeof(buf)), sizeof(buf));
	check_bytes(buf, n, sizeof(buf));
}

/* closed PREFIX BUFFER: what is in the pipe is right after all has gone */
static void do_closed(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct way way = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);
	static uint8_t buf[BLOCK];
	int i;

	move_all(pair.data, way.in, BLOCK);
	close_pair(pair);
	pair = open_pair(arg[0], O_RDONLY);
	/* Memory comes round, but to what is lent. */
	for (i = 0; i < 6; i++)
		read_all(pair.data, buf, BLOCK);
	close_pair(pair);
	write_text(arg[1], "kmalloc");
	check_next(way.out, at, BLOCK / 2);
	write_text(arg[1], "vmalloc");
	check_next(way.out, at + BLOCK / 2, BLOCK / 2);
}

/* half PREFIX: of a block half spliced, another reads the rest */
static void do_half(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct way way = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);

	same(move(pair.data, way.in, BLOCK / 2 + 100), BLOCK / 2 + 100);
	close_pair(pair);
	pair = open_pair(arg[0], O_RDONLY);
	check_next(pair.data, at + BLOCK / 2 + 100, BLOCK / 2 - 100);
	want(!can_map(pair.data));
	check_next(way.out, at, BLOCK / 2 + 100);
	want(can_map(pair.data));
}

/* ring PREFIX: a ring is opened while pages are in a pipe */
static void do_ring(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct way way = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);
	struct pollfd pfd = { .events = POLLIN };

	move_all(pair.data, way.in, BLOCK / 2);
	pfd.fd = open_node(arg[0], "ctrl", O_RDWR);
	same(poll(&pfd, 1, -1), 1);
	same(pfd.revents, POLLIN);
	fails(move(pair.data, way.in, BLOCK), EBUSY);
	want(!can_map(pair.data));
	check_next(way.out, at, BLOCK / 2);
	want(can_map(pair.data));
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

	want(ch);
	want(!strcmp(zio_method(ch), method));
	same(zio_next(ch, &blk), 1);
	same(blk.size, BLOCK);
	check_bytes(blk.data, (uint64_t)blk.control->seq_num * BLOCK, BLOCK);
	zio_close(ch);
}

/* method PREFIX: libzio reads what cannot be mapped, as some of it is in a pipe */
static void do_method(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct way way = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);
	struct zio_error err;

	move_all(pair.data, way.in, BLOCK);
	check_method(arg[0], "read");
	want(!open_channel(arg[0], ZIO_OPEN_MMAP, &err));
	same(err.code, EBUSY);
	want(!open_channel(arg[0], ZIO_OPEN_RING, &err));
	same(err.code, EBUSY);
	want(strstr(err.text, "pipe"));
	check_next(way.out, at, BLOCK);
	check_method(arg[0], "ring");
}

/* gone PREFIX UNBIND BIND NAME: the board goes while its pages are in a pipe */
static void do_gone(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct way way = open_pipe(MIB);
	uint64_t at = first_byte(pair.ctrl);

	move_all(pair.data, way.in, BLOCK);
	same(move(pair.data, way.in, 5000), 5000);
	write_text(arg[1], arg[3]);
	fails(move(pair.data, way.in, BLOCK), ENODEV);
	close_pair(pair);
	write_text(arg[2], arg[3]);
	check_next(way.out, at, BLOCK + 5000);
}

/* killed PREFIX N: the one who splices, and has the pipe, is killed */
static void do_killed(char **arg)
{
	int i, n = strtoul(arg[1], NULL, 0), status, fd, null;
	struct way way;
	pid_t child;

	for (i = 0; i < n; i++) {
		child = fork();
		want(child >= 0);
		if (!child) {
			fd = open_node(arg[0], "data", O_RDONLY);
			way = open_pipe(MIB);
			null = open_file("/dev/null", O_WRONLY);
			for (;;) {
				while (move(fd, way.in, MIB) > 0)
					;
				move(way.out, null, BLOCK);
			}
		}
		usleep(1000 + i * 337);
		kill(child, SIGKILL);
		want(waitpid(child, &status, 0) == child);
		same(WTERMSIG(status), SIGKILL);
	}
	fd = open_node(arg[0], "data", O_RDONLY);
	wait_until_back(fd);
	way = open_pipe(MIB);
	move_all(fd, way.in, BLOCK);
}

static struct way connect_tcp(void)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0), in;

	want(listener >= 0 && !bind(listener, (void *)&addr, len));
	want(!listen(listener, 1));
	want(!getsockname(listener, (void *)&addr, &len));
	in = socket(AF_INET, SOCK_STREAM, 0);
	want(!connect(in, (void *)&addr, len));
	return (struct way){ in, accept(listener, NULL, NULL) };
}

static struct way connect_unix(void)
{
	int fd[2];

	want(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	return (struct way){ fd[0], fd[1] };
}

/* into PREFIX FIFO: a block goes into a pipe with a name */
static void do_into(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY);

	same(move(fd, open_file(arg[1], O_WRONLY), BLOCK), BLOCK);
}

static void use_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	want(!sched_setaffinity(0, sizeof(set), &set));
}

/*
 * What has come by TCP and was read on another processor, the kernel frees on the
 * one that it came to, when the next packet does (net.core.skb_defer_max).
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
		same(sendto(fd, "", 1, 0, (void *)&addr, sizeof(addr)), 1);
		close(fd);
	}
}

/*
 * A peer who does not read: the pages are in no pipe, but must not be filled anew,
 * however much is acquired meanwhile. Then it reads, on another processor.
 */
static void check_socket(const char *prefix, struct way sock)
{
	struct pair pair = open_pair(prefix, O_RDONLY);
	int other = open_node(prefix, "data", O_RDONLY | O_NONBLOCK), i;
	struct way way = open_pipe(MIB);
	static uint8_t buf[BLOCK];
	int last_cpu = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	uint64_t at;

	for (i = 0; i < 20; i++) {
		use_cpu(0);
		at = first_byte(pair.ctrl);
		move_all(pair.data, way.in, BLOCK);
		move_all(way.out, sock.in, BLOCK);
		while (read(other, buf, sizeof(buf)) > 0)
			;
		same(errno, EAGAIN);
		use_cpu(last_cpu);
		check_next(sock.out, at, BLOCK);
		while (!can_map(pair.data))
			send_packets();
	}
}

static void do_unix(char **arg)
{
	check_socket(arg[0], connect_unix());
}

static void do_tcp(char **arg)
{
	check_socket(arg[0], connect_tcp());
}

/* mapped PREFIX: vmsplice() and MSG_ZEROCOPY of mapped samples */
static void do_mapped(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct way way = open_pipe(MIB), sock = connect_tcp();
	uint8_t *mem = mmap(NULL, AREA, PROT_READ, MAP_SHARED, pair.data, 0);
	struct zio_control ctrl;
	struct iovec iov;
	uint64_t at;
	int i, one = 1;

	want(mem != MAP_FAILED);
	want(!setsockopt(sock.in, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)));
	for (i = 0; i < 50; i++) {
		ctrl = read_control(pair.ctrl);
		at = (uint64_t)ctrl.seq_num * BLOCK;
		iov.iov_base = mem + ctrl.mem_offset;
		iov.iov_len = BLOCK;
		same(vmsplice(way.in, &iov, 1, 0), BLOCK);
		check_next(way.out, at, BLOCK);
		same(send(sock.in, iov.iov_base, BLOCK, MSG_ZEROCOPY), BLOCK);
		check_next(sock.out, at, BLOCK);
	}
}

static const struct command commands[] = {
	{ "lent", 2, do_lent },
	{ "copied", 1, do_copied },
	{ "none", 1, do_none },
	{ "model", 1, do_model },
	{ "twice", 1, do_twice },
	{ "full", 1, do_full },
	{ "idle", 2, do_idle },
	{ "closed", 2, do_closed },
	{ "half", 1, do_half },
	{ "ring", 1, do_ring },
	{ "method", 1, do_method },
	{ "gone", 4, do_gone },
	{ "killed", 2, do_killed },
	{ "unix", 1, do_unix },
	{ "tcp", 1, do_tcp },
	{ "mapped", 1, do_mapped },
	{ "into", 2, do_into },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 120);
}
