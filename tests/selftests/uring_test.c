// SPDX-License-Identifier: GPL-2.0-only
/*
 * uring_test.c: requests of io_uring are served at once, or after a poll, and never by a
 * worker; libaio
 *
 * # check
 * # kasan
 */
#include <libaio.h>
#include <liburing.h>

#include "board.h"
#include "harness.h"

#define IN	ZZERO "-2-0"
#define ENABLE	CSET2 "/trigger/enable"
#define BLOCK	64	/* 16 samples of the counter */
static struct io_uring ring;
static char buf[8192] __attribute__((aligned(4096)));
static uint32_t count;	/* the sample that comes next */

SETUP(fresh_aio)
{
	load("zio-trig-hrt");
	renew_zzero();
}

SETUP(fresh)
{
	if (io_uring_queue_init(8, &ring, 0) == -ENOSYS)
		SKIP("this kernel has no io_uring");
	io_uring_queue_exit(&ring);
	fresh_aio(value);
}

/* What a value of TEST_EACH() names: "[OPERATION] KIND [SWITCH]" */
struct request {
	char op[16], kind[8], enable[128];
};

static struct request parse(const char *value)
{
	struct request r = { "", "", "" };
	char file[32] = "";

	if (sscanf(value, "%15s %7s %31s", r.op, r.kind, file) < 2)
		FAIL("no request: %s", value);
	snprintf(r.enable, sizeof(r.enable), CSET2 "/%s", file);
	return r;
}

static void open_uring(void)
{
	struct iovec all = { buf, sizeof(buf) };

	ASSERT_EQ(io_uring_queue_init(8, &ring, 0), 0);
	ASSERT_EQ(io_uring_register_buffers(&ring, &all, 1), 0);
}

/*
 * The kernel threads that serve requests which would have blocked: io_uring_submit() makes
 * them, as threads of the program, which has no other ones.
 */
static int count_workers(void)
{
	/* "." and ".." and the program are there, too. */
	return count_names("/proc/self/task", "") - 3;
}

static void prepare(struct io_uring_sqe *sqe, const char *op, int fd,
		    const struct iovec *v)
{
	if (!strcmp(op, "READ"))
		io_uring_prep_read(sqe, fd, v->iov_base, v->iov_len, -1);
	else if (!strcmp(op, "READ_FIXED"))
		io_uring_prep_read_fixed(sqe, fd, v->iov_base, v->iov_len, -1, 0);
	else if (!strcmp(op, "READV"))
		io_uring_prep_readv(sqe, fd, v, 1, -1);
	else if (!strcmp(op, "WRITE"))
		io_uring_prep_write(sqe, fd, v->iov_base, v->iov_len, -1);
	else if (!strcmp(op, "WRITE_FIXED"))
		io_uring_prep_write_fixed(sqe, fd, v->iov_base, v->iov_len, -1, 0);
	else if (!strcmp(op, "WRITEV"))
		io_uring_prep_writev(sqe, fd, v, 1, -1);
	else if (!strcmp(op, "POLLIN"))
		io_uring_prep_poll_add(sqe, fd, POLLIN);
	else if (!strcmp(op, "POLLOUT"))
		io_uring_prep_poll_add(sqe, fd, POLLOUT);
	else if (!strcmp(op, "NOP"))
		io_uring_prep_nop(sqe);
	else
		FAIL("no operation %s", op);
}

static void submit(const char *op, int fd, void *to, size_t len,
		   unsigned int flags)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	struct iovec v = { to, len };

	ASSERT_TRUE(sqe);
	prepare(sqe, op, fd, &v);
	sqe->flags |= flags;
	sqe->user_data = 1;
	ASSERT_EQ(io_uring_submit(&ring), 1);
}

static int result(void)
{
	struct io_uring_cqe *cqe;
	int res;

	ASSERT_EQ(io_uring_wait_cqe(&ring, &cqe), 0);
	res = cqe->res;
	io_uring_cqe_seen(&ring, cqe);
	return res;
}

static int serve(const char *op, int fd, size_t len)
{
	submit(op, fd, buf, len, 0);
	return result();
}

/* Write all of it, as far as there is room each time: the device plays meanwhile. */
static void serve_all(const char *op, int fd, size_t len)
{
	int n;

	for (; len; len -= n) {
		n = serve(op, fd, len);
		ASSERT_TRUE(n > 0);
	}
}

/* A program reads 30 blocks of another set, each by a tick of a clock. */
static void pass_ticks(void)
{
	int fd = open_node(ZZERO "-0-0", "data", O_RDONLY), i;
	char block[16];

	write_text(CSET0 "/current_trigger", "hrt");
	write_text(CSET0 "/trigger/period-ns", "1000000");
	for (i = 0; i < 30; i++)
		ASSERT_EQ(read(fd, block, sizeof(block)), sizeof(block));
	write_text(CSET0 "/current_trigger", "user");
	close(fd);
}

/* The request waits, and no worker waits with it. */
static void check_pending(void)
{
	struct io_uring_cqe *cqe;

	ASSERT_EQ(count_workers(), 0);
	pass_ticks();
	ASSERT_EQ(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
	ASSERT_EQ(count_workers(), 0);
}

static void check_counter(const char *data, int len)
{
	uint32_t word;

	for (; len > 0; len -= sizeof(word), data += sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		ASSERT_EQ(word, count++);
	}
}

TEST_EACH("%s of data: parts of a block, a block, several, none", fresh,
	  "READ", "READ_FIXED", "READV")
{
	static const int sizes[] = { 4, 60, 64, 0, 200, 1024, 56 };
	struct pair pair;
	size_t i;

	open_uring();
	pair = open_pair(IN, O_RDONLY);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(buf, 0xa5, sizeof(buf));
		ASSERT_EQ(serve(value, pair.data, sizes[i]), sizes[i]);
		check_counter(buf, sizes[i]);
		ASSERT_EQ(buf[sizes[i]], (char)0xa5);
	}
	/* A block whose control was read ends the read. */
	ASSERT_EQ(serve(value, pair.ctrl, 512), 512);
	ASSERT_EQ(serve(value, pair.data, 200), BLOCK);
	check_counter(buf, BLOCK);
	ASSERT_EQ(count_workers(), 0);
}

TEST_EACH("%s of controls: a buffer that is too short takes no block", fresh,
	  "READ", "READ_FIXED", "READV")
{
	const struct zio_control *ctrl = (void *)buf;
	int fd = open_node(IN, "ctrl", O_RDONLY);
	uint32_t i, seq = 0, n;

	open_uring();
	for (i = 0; i < 20; i++) {
		n = 1 + i % 3;
		ASSERT_EQ(serve(value, fd, 511), -EINVAL);
		ASSERT_EQ(serve(value, fd, 0), -EINVAL);
		ASSERT_EQ(serve(value, fd, n * 512 + i), n * 512);
		ASSERT_EQ(ctrl->seq_num, seq);
		seq += n;
		ASSERT_EQ(ctrl->nsamples * ctrl->ssize, BLOCK);
	}
	ASSERT_EQ(count_workers(), 0);
}

TEST_EACH("POLL_ADD of a %s node completes when a read works", fresh,
	  "data", "ctrl")
{
	int fd = open_node(IN, value, O_RDONLY);

	open_uring();
	ASSERT_TRUE(serve("POLLIN", fd, 0) & POLLIN);
	ASSERT_EQ(serve("READ", fd, 512), 512);
	ASSERT_EQ(count_workers(), 0);
}

TEST_EACH("POLL_ADD waits for a block: %s", fresh,
	  "POLLIN data chan0/enable", "POLLIN data trigger/enable",
	  "POLLIN ctrl chan0/enable", "POLLIN ctrl trigger/enable")
{
	struct request r = parse(value);
	int fd = open_node(IN, r.kind, O_RDONLY);

	open_uring();
	write_text(r.enable, "0\n");
	submit("POLLIN", fd, NULL, 0, 0);
	check_pending();
	write_text(r.enable, "1\n");
	ASSERT_TRUE(result() & POLLIN);
	ASSERT_EQ(serve("READ", fd, 512), 512);
	ASSERT_EQ(count_workers(), 0);
}

/* Each request has a block of its own, and none is missing. */
static void check_three(int size, int ctrl)
{
	unsigned int i, seen = 0;

	for (i = 0; i < 3; i++) {
		count = *(uint32_t *)(buf + i * size);
		if (!ctrl)
			seen |= 1 << count / 16;
		else
			seen |= 1 << ((struct zio_control *)(buf + i * size))->seq_num;
		if (!ctrl)
			check_counter(buf + i * size, size);
	}
	ASSERT_EQ(seen, 7);
}

TEST_EACH("three requests wait and are served later: %s", fresh,
	  "READ data chan0/enable", "READ_FIXED data chan0/enable",
	  "READV data chan0/enable", "READ ctrl chan0/enable",
	  "READ_FIXED ctrl chan0/enable", "READV ctrl chan0/enable",
	  "READ data trigger/enable", "READ_FIXED data trigger/enable",
	  "READV data trigger/enable", "READ ctrl trigger/enable",
	  "READ_FIXED ctrl trigger/enable", "READV ctrl trigger/enable")
{
	struct request r = parse(value);
	int fd = open_node(IN, r.kind, O_RDONLY);
	int i, ctrl = !strcmp(r.kind, "ctrl");
	int size = ctrl ? 512 : BLOCK;

	open_uring();
	write_text(r.enable, "0\n");
	for (i = 0; i < 3; i++)
		submit(r.op, fd, buf + i * size, size, 0);
	check_pending();
	write_text(r.enable, "1\n");
	for (i = 0; i < 3; i++)
		ASSERT_EQ(result(), size);
	ASSERT_EQ(count_workers(), 0);
	check_three(size, ctrl);
}

TEST_EACH("a cancelled request takes no block: %s", fresh,
	  "READ data", "READ ctrl", "READ_FIXED data", "READ_FIXED ctrl")
{
	struct request r = parse(value);
	int fd = open_node(IN, r.kind, O_RDONLY);
	struct io_uring_sqe *sqe;
	int first, second;

	open_uring();
	write_text(ENABLE, "0\n");
	submit(r.op, fd, buf, 512, 0);
	check_pending();
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_cancel64(sqe, 1, 0);
	ASSERT_EQ(io_uring_submit(&ring), 1);
	first = result();
	second = result();
	/* The request and its cancellation complete in any order. */
	ASSERT_TRUE(!first || !second);
	ASSERT_EQ(first + second, -ECANCELED);
	write_text(ENABLE, "1\n");
	ASSERT_EQ(serve(r.op, fd, 512), 512);
	if (!strcmp(r.kind, "data"))
		check_counter(buf, 512);
	else
		ASSERT_EQ(((struct zio_control *)buf)->seq_num, 0);
	ASSERT_EQ(count_workers(), 0);
}

TEST_EACH("a ring is closed while a %s waits, and takes no block", fresh,
	  "READ", "READ_FIXED")
{
	struct pair pair = open_pair(IN, O_RDONLY);

	open_uring();
	write_text(ENABLE, "0\n");
	submit(value, pair.data, buf, BLOCK, 0);
	submit(value, pair.ctrl, buf + BLOCK, 512, 0);
	check_pending();
	close(pair.ctrl);
	io_uring_queue_exit(&ring);
	write_text(ENABLE, "1\n");
	ASSERT_EQ(read(pair.data, buf, BLOCK), BLOCK);
	check_counter(buf, BLOCK);
}

TEST_EACH("a process is killed while its %s waits, and takes no block", fresh,
	  "READ", "READ_FIXED")
{
	pid_t pid;

	write_text(ENABLE, "0\n");
	pid = fork();
	if (!pid) {
		open_uring();
		submit(value, open_node(IN, "data", O_RDONLY), buf, BLOCK, 0);
		check_pending();
		raise(SIGKILL);
	}
	ASSERT_TRUE(waitpid(pid, &(int){ 0 }, 0) == pid);
	write_text(ENABLE, "1\n");
	ASSERT_EQ(read(open_node(IN, "data", O_RDONLY), buf, BLOCK), BLOCK);
	check_counter(buf, BLOCK);
}

TEST_EACH("a waiting request ends with ENODEV when the board is unbound: %s", fresh,
	  "READ data", "READ ctrl", "READ_FIXED data", "READ_FIXED ctrl")
{
	struct request r = parse(value);
	int fd = open_node(IN, r.kind, O_RDONLY);

	open_uring();
	write_text(ENABLE, "0\n");
	submit(r.op, fd, buf, 512, 0);
	check_pending();
	unbind_board("zio-zero", 0);
	ASSERT_EQ(result(), -ENODEV);
	ASSERT_EQ(serve(r.op, fd, 512), -ENODEV);
	ASSERT_TRUE(serve("POLLIN", fd, 0) & POLLHUP);
	ASSERT_EQ(count_workers(), 0);
}

TEST_EACH("%s fills the output, and then waits for room", fresh,
	  "WRITE", "WRITE_FIXED", "WRITEV")
{
	int fd = open_node(ZZERO "-1-0", "data", O_WRONLY);

	open_uring();
	ASSERT_TRUE(serve("POLLOUT", fd, 0) & POLLOUT);
	serve_all(value, fd, 1000);
	ASSERT_EQ(serve(value, fd, 0), 0);
	ASSERT_EQ(serve(value, fd, 8), 8);
	write_text(CSET1 "/trigger/enable", "0\n");
	ASSERT_EQ(serve(value, fd, 1000), 256);
	submit("POLLOUT", fd, NULL, 0, 0);
	submit(value, fd, buf, 24, 0);
	check_pending();
	write_text(CSET1 "/trigger/enable", "1\n");
	ASSERT_TRUE(result() > 0 && result() > 0);
	ASSERT_EQ(serve(value, fd, 16), 16);
	ASSERT_EQ(count_workers(), 0);
}

TEST("a read that is forced on a worker shows one", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY);

	open_uring();
	submit("READ", fd, buf, BLOCK, IOSQE_ASYNC);
	/* It ends when it has nothing to do for some time. */
	ASSERT_EQ(count_workers(), 1);
	ASSERT_EQ(result(), BLOCK);
	check_counter(buf, BLOCK);
}

/* By a worker of the kernel, not by this call */
static void submit_removal(void)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	io_uring_prep_poll_remove(sqe, 1);
	sqe->user_data = 2;
	sqe->flags |= IOSQE_ASYNC;
	ASSERT_EQ(io_uring_submit(&ring), 1);
}

/* A worker of the kernel removes the poll of @fd. Return: is the poll completed, too? */
static bool remove_poll(int fd, short events)
{
	bool is_completed = false, is_removed = false;
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	struct io_uring_cqe *cqe;

	io_uring_prep_poll_add(sqe, fd, events);
	sqe->user_data = 1;
	ASSERT_EQ(io_uring_submit(&ring), 1);
	submit_removal();
	while (!is_removed) {
		ASSERT_EQ(io_uring_wait_cqe(&ring, &cqe), 0);
		is_completed |= cqe->user_data == 1;
		is_removed = cqe->user_data == 2;
		io_uring_cqe_seen(&ring, cqe);
	}
	/* The kernel does the rest of what the removal has asked for. */
	io_uring_get_events(&ring);
	return is_completed || !io_uring_peek_cqe(&ring, &cqe);
}

TEST_EACH("a poll that a worker removes keeps no file after the process, %s", fresh,
	  "with a request behind it", "alone")
{
	bool is_alone = !strcmp(value, "alone");
	int pipes[2];

	open_uring();
	ASSERT_EQ(pipe(pipes), 0);
	if (is_alone && !remove_poll(pipes[0], POLLIN))
		SKIP("Linux before 6.9 keeps such a poll: it lacks commit 5e3afe580a9f");
	if (!fork_child()) {
		open_uring();
		remove_poll(open_node(IN, "data", O_RDONLY), POLLPRI);
		if (!is_alone)
			serve("NOP", -1, 0);
		_exit(0);
	}
	wait_children(1);
	wait_for(10, !shell("rmmod zio-zero 2>/dev/null"));
}

static long long serve_aio(io_context_t context, struct iocb *cb)
{
	struct io_event event;

	ASSERT_EQ(io_submit(context, 1, &cb), 1);
	ASSERT_EQ(io_getevents(context, 1, 1, &event, NULL), 1);
	ASSERT_TRUE(event.obj == cb);
	return (long)event.res;
}

static long long read_aio(io_context_t context, int fd, size_t len, int flags)
{
	struct iocb cb;

	io_prep_pread(&cb, fd, buf, len, 0);
	cb.aio_rw_flags = flags;
	return serve_aio(context, &cb);
}

TEST("libaio reads within io_submit()", fresh_aio)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	io_context_t context = NULL;
	struct iocb cb;

	ASSERT_EQ(io_setup(4, &context), 0);
	ASSERT_EQ(read_aio(context, pair.data, 200, 0), 200);
	check_counter(buf, 200);
	ASSERT_EQ(read_aio(context, pair.data, 0, 0), 0);
	ASSERT_EQ(read_aio(context, pair.data, 56, RWF_NOWAIT), 56);
	check_counter(buf, 56);
	ASSERT_EQ(read_aio(context, pair.ctrl, 511, 0), -EINVAL);
	ASSERT_EQ(read_aio(context, pair.ctrl, 512, 0), 512);
	ASSERT_EQ(read_aio(context, pair.data, 200, 0), BLOCK);
	check_counter(buf, BLOCK);
	write_text(ENABLE, "0\n");
	ASSERT_EQ(read_aio(context, pair.data, 64, RWF_NOWAIT), -EAGAIN);
	ASSERT_EQ(read_aio(context, pair.ctrl, 512, RWF_NOWAIT), -EAGAIN);
	write_text(ENABLE, "1\n");
	io_prep_poll(&cb, pair.ctrl, POLLIN);
	ASSERT_TRUE(serve_aio(context, &cb) & POLLIN);
	ASSERT_EQ(io_destroy(context), 0);
}

TEST_EACH("a poll of a %s node by libaio waits", fresh_aio, "data", "ctrl")
{
	int fd = open_node(IN, value, O_RDONLY);
	struct timespec none = { 0, 0 };
	io_context_t context = NULL;
	struct io_event event;
	struct iocb cb, *list = &cb;

	ASSERT_EQ(io_setup(4, &context), 0);
	write_text(ENABLE, "0\n");
	io_prep_poll(&cb, fd, POLLIN);
	ASSERT_EQ(io_submit(context, 1, &list), 1);
	pass_ticks();
	ASSERT_EQ(io_getevents(context, 1, 1, &event, &none), 0);
	write_text(ENABLE, "1\n");
	ASSERT_EQ(io_getevents(context, 1, 1, &event, NULL), 1);
	ASSERT_TRUE(event.res & POLLIN);
	ASSERT_EQ(read(fd, buf, 512), 512);
	ASSERT_EQ(io_destroy(context), 0);
}

/* A closed ring releases its files later; so does a killed process. */
TEST("no file is held", fresh)
{
	wait_for(10, !shell("rmmod zio-zero 2>/dev/null"));
}
