// SPDX-License-Identifier: GPL-2.0-only
/* node-uring.c: io_uring, served without a worker; libaio */
#include "node.h"

#include <dirent.h>
#include <liburing.h>
#include <libaio.h>

#define BLOCK	64	/* 16 samples of the counter */

static struct io_uring ring;
static char buf[8192] __attribute__((aligned(4096)));
static uint32_t count;	/* the sample that comes next */

static void set_up(void)
{
	struct iovec all = { buf, sizeof(buf) };

	same(io_uring_queue_init(8, &ring, 0), 0);
	same(io_uring_register_buffers(&ring, &all, 1), 0);
}

/* Threads of the kernel that serve what could not be served at once. */
static int count_workers(void)
{
	DIR *dir = opendir("/proc/self/task");
	char path[300], name[32];
	struct dirent *entry;
	int fd, n, found = 0;

	want(dir);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
			 entry->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		n = read(fd, name, sizeof(name));
		found += n > 8 && !strncmp(name, "iou-wrk-", 8);
		close(fd);
	}
	closedir(dir);
	return found;
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
	else
		fail("no operation %s", op);
}

static void submit(const char *op, int fd, void *to, size_t len,
		   unsigned int flags)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	struct iovec v = { to, len };

	want(sqe);
	prepare(sqe, op, fd, &v);
	sqe->flags |= flags;
	sqe->user_data = 1;
	same(io_uring_submit(&ring), 1);
}

static int result(void)
{
	struct io_uring_cqe *cqe;
	int res;

	same(io_uring_wait_cqe(&ring, &cqe), 0);
	res = cqe->res;
	io_uring_cqe_seen(&ring, cqe);
	return res;
}

static int serve(const char *op, int fd, size_t len)
{
	submit(op, fd, buf, len, 0);
	return result();
}

/* What was submitted waits, and nobody waits for it. */
static void is_pending(void)
{
	struct io_uring_cqe *cqe;

	usleep(30000);
	same(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
	same(count_workers(), 0);
}

static void check_counts(const char *data, int len)
{
	uint32_t word;

	for (; len > 0; len -= sizeof(word), data += sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		same(word, count++);
	}
}

/* probe: ends with 4 where there is no io_uring */
static void do_probe(char **arg)
{
	(void)arg;
	if (io_uring_queue_init(8, &ring, 0) == -ENOSYS)
		_exit(4);
}

/* data PREFIX OP: parts of a block, a block, several; nothing */
static void do_data(char **arg)
{
	static const int sizes[] = { 4, 60, 64, 0, 200, 1024, 56 };
	struct pair pair;
	size_t i;

	set_up();
	pair = open_pair(arg[0], O_RDONLY);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(buf, 0xa5, sizeof(buf));
		same(serve(arg[1], pair.data, sizes[i]), sizes[i]);
		check_counts(buf, sizes[i]);
		same(buf[sizes[i]], (char)0xa5);
	}
	/* Once its control has been seen, a block ends the read. */
	same(serve(arg[1], pair.ctrl, 512), 512);
	same(serve(arg[1], pair.data, 200), BLOCK);
	check_counts(buf, BLOCK);
	same(count_workers(), 0);
}

/* ctrl PREFIX OP: whole controls; too short is refused and takes no block */
static void do_ctrl(char **arg)
{
	const struct zio_control *ctrl = (void *)buf;
	int fd = open_node(arg[0], "ctrl", O_RDONLY);
	uint32_t i, seq = 0, n;

	set_up();
	for (i = 0; i < 20; i++) {
		n = 1 + i % 3;
		same(serve(arg[1], fd, 511), -EINVAL);
		same(serve(arg[1], fd, 0), -EINVAL);
		same(serve(arg[1], fd, n * 512 + i), n * 512);
		same(ctrl->seq_num, seq);
		seq += n;
		same(ctrl->nsamples * ctrl->ssize, BLOCK);
	}
	same(count_workers(), 0);
}

/* node PREFIX KIND: POLL_ADD says that a read works, which it does */
static void do_poll(char **arg)
{
	int fd = open_node(arg[0], arg[1], O_RDONLY);

	set_up();
	want(serve("POLLIN", fd, 0) & POLLIN);
	same(serve("READ", fd, 512), 512);
	same(count_workers(), 0);
}

/* polled PREFIX KIND ENABLE: POLL_ADD waits for what a read can get */
static void do_polled(char **arg)
{
	int fd = open_node(arg[0], arg[1], O_RDONLY);

	set_up();
	write_text(arg[2], "0\n");
	submit("POLLIN", fd, NULL, 0, 0);
	is_pending();
	write_text(arg[2], "1\n");
	want(result() & POLLIN);
	same(serve("READ", fd, 512), 512);
	same(count_workers(), 0);
}

/* Each got a block of its own, and none is missing. */
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
			check_counts(buf + i * size, size);
	}
	same(seen, 7);
}

/* pending PREFIX KIND OP ENABLE: three requests wait, and are served later */
static void do_pending(char **arg)
{
	int fd = open_node(arg[0], arg[1], O_RDONLY);
	int i, ctrl = !strcmp(arg[1], "ctrl");
	int size = ctrl ? 512 : BLOCK;

	set_up();
	write_text(arg[3], "0\n");
	for (i = 0; i < 3; i++)
		submit(arg[2], fd, buf + i * size, size, 0);
	is_pending();
	write_text(arg[3], "1\n");
	for (i = 0; i < 3; i++)
		same(result(), size);
	same(count_workers(), 0);
	check_three(size, ctrl);
}

/* cancel PREFIX KIND OP ENABLE: a request is taken back; no block goes with it */
static void do_cancel(char **arg)
{
	int fd = open_node(arg[0], arg[1], O_RDONLY);
	struct io_uring_sqe *sqe;
	int first, second;

	set_up();
	write_text(arg[3], "0\n");
	submit(arg[2], fd, buf, 512, 0);
	is_pending();
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_cancel64(sqe, 1, 0);
	same(io_uring_submit(&ring), 1);
	first = result();
	second = result();
	want((first == 0 && second == -ECANCELED) ||
	     (first == -ECANCELED && second == 0));
	write_text(arg[3], "1\n");
	same(serve(arg[2], fd, 512), 512);
	if (!strcmp(arg[1], "data"))
		check_counts(buf, 512);
	else
		same(((struct zio_control *)buf)->seq_num, 0);
	same(count_workers(), 0);
}

/* close PREFIX OP ENABLE: the ring goes with a request that waits; then go */
static void do_close(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);

	set_up();
	write_text(arg[2], "0\n");
	submit(arg[1], pair.data, buf, BLOCK, 0);
	submit(arg[1], pair.ctrl, buf + BLOCK, 512, 0);
	is_pending();
	close(pair.ctrl);
	io_uring_queue_exit(&ring);
	write_text(arg[2], "1\n");
	same(read(pair.data, buf, BLOCK), BLOCK);
	check_counts(buf, BLOCK);
}

/* killed PREFIX OP ENABLE: a process ends with a request that waits */
static void do_killed(char **arg)
{
	pid_t pid;

	write_text(arg[2], "0\n");
	pid = fork();
	if (!pid) {
		set_up();
		submit(arg[1], open_node(arg[0], "data", O_RDONLY), buf, BLOCK, 0);
		is_pending();
		raise(SIGKILL);
	}
	want(waitpid(pid, &(int){ 0 }, 0) == pid);
	write_text(arg[2], "1\n");
	same(read(open_node(arg[0], "data", O_RDONLY), buf, BLOCK), BLOCK);
	check_counts(buf, BLOCK);
}

/* unbind PREFIX KIND OP ENABLE UNBIND DEVICE: what waits ends with ENODEV */
static void do_unbind(char **arg)
{
	int fd = open_node(arg[0], arg[1], O_RDONLY);

	set_up();
	write_text(arg[3], "0\n");
	submit(arg[2], fd, buf, 512, 0);
	is_pending();
	write_text(arg[4], arg[5]);
	same(result(), -ENODEV);
	same(serve(arg[2], fd, 512), -ENODEV);
	want(serve("POLLIN", fd, 0) & POLLHUP);
	same(count_workers(), 0);
}

/* output PREFIX OP ENABLE: a write fills the 16 blocks; what is over waits */
static void do_output(char **arg)
{
	int fd = open_node(arg[0], "data", O_WRONLY);

	set_up();
	want(serve("POLLOUT", fd, 0) & POLLOUT);
	same(serve(arg[1], fd, 1000), 1000);
	same(serve(arg[1], fd, 0), 0);
	same(serve(arg[1], fd, 8), 8);
	write_text(arg[2], "0\n");
	same(serve(arg[1], fd, 1000), 256);
	submit("POLLOUT", fd, NULL, 0, 0);
	submit(arg[1], fd, buf, 24, 0);
	is_pending();
	write_text(arg[2], "1\n");
	want(result() > 0 && result() > 0);
	same(serve(arg[1], fd, 16), 16);
	same(count_workers(), 0);
}

/* forced PREFIX OP: what is forced on a worker shows one, and works as well */
static void do_forced(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY);

	set_up();
	submit(arg[1], fd, buf, BLOCK, IOSQE_ASYNC);
	same(result(), BLOCK);
	check_counts(buf, BLOCK);
	want(count_workers() > 0);
}

static long long serve_aio(io_context_t context, struct iocb *cb)
{
	struct timespec limit = { 5, 0 };
	struct io_event event;

	same(io_submit(context, 1, &cb), 1);
	same(io_getevents(context, 1, 1, &event, &limit), 1);
	want(event.obj == cb);
	return (long)event.res;
}

static long long read_aio(io_context_t context, int fd, size_t len, int flags)
{
	struct iocb cb;

	io_prep_pread(&cb, fd, buf, len, 0);
	cb.aio_rw_flags = flags;
	return serve_aio(context, &cb);
}

/* aio PREFIX ENABLE: libaio, which serves within io_submit() */
static void do_aio(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	io_context_t context = NULL;
	struct iocb cb;

	same(io_setup(4, &context), 0);
	same(read_aio(context, pair.data, 200, 0), 200);
	check_counts(buf, 200);
	same(read_aio(context, pair.data, 0, 0), 0);
	same(read_aio(context, pair.data, 56, RWF_NOWAIT), 56);
	check_counts(buf, 56);
	same(read_aio(context, pair.ctrl, 511, 0), -EINVAL);
	same(read_aio(context, pair.ctrl, 512, 0), 512);
	same(read_aio(context, pair.data, 200, 0), BLOCK);
	check_counts(buf, BLOCK);
	write_text(arg[1], "0\n");
	same(read_aio(context, pair.data, 64, RWF_NOWAIT), -EAGAIN);
	same(read_aio(context, pair.ctrl, 512, RWF_NOWAIT), -EAGAIN);
	write_text(arg[1], "1\n");
	io_prep_poll(&cb, pair.ctrl, POLLIN);
	want(serve_aio(context, &cb) & POLLIN);
	same(io_destroy(context), 0);
}

/* aio-poll PREFIX KIND ENABLE: a poll by libaio waits, without a worker */
static void do_aio_poll(char **arg)
{
	int fd = open_node(arg[0], arg[1], O_RDONLY);
	struct timespec none = { 0, 30000000 }, limit = { 5, 0 };
	io_context_t context = NULL;
	struct io_event event;
	struct iocb cb, *list = &cb;

	same(io_setup(4, &context), 0);
	write_text(arg[2], "0\n");
	io_prep_poll(&cb, fd, POLLIN);
	same(io_submit(context, 1, &list), 1);
	same(io_getevents(context, 1, 1, &event, &none), 0);
	write_text(arg[2], "1\n");
	same(io_getevents(context, 1, 1, &event, &limit), 1);
	want(event.res & POLLIN);
	same(read(fd, buf, 512), 512);
	same(io_destroy(context), 0);
}

static const struct command commands[] = {
	{ "probe", 0, do_probe },
	{ "data", 2, do_data },
	{ "ctrl", 2, do_ctrl },
	{ "poll", 2, do_poll },
	{ "polled", 3, do_polled },
	{ "pending", 4, do_pending },
	{ "cancel", 4, do_cancel },
	{ "close", 3, do_close },
	{ "killed", 3, do_killed },
	{ "unbind", 6, do_unbind },
	{ "output", 3, do_output },
	{ "forced", 2, do_forced },
	{ "aio", 2, do_aio },
	{ "aio-poll", 3, do_aio_poll },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 20);
}
