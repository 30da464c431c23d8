// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench aio: a fixed volume, read by one or another interface
 *
 * All methods fill the same memory from the same file with requests of one size. They
 * differ in how a request reaches the kernel, and in how its result comes back.
 */
#include <aio.h>
#include <libaio.h>
#include <liburing.h>
#include <poll.h>
#include <sys/uio.h>

#include "bench.h"

#define BATCH	16

struct method;

struct bench {
	const struct method *method;
	const char *path;
	uint64_t size;
	uint64_t volume;
	uint64_t repeat;
	int fd;
	void *buf;
	struct io_uring ring;
	io_context_t aio;
	unsigned long left;	/* requests to come */
};

/**
 * struct method - an interface
 * @named: its name
 * @turn: makes one request, or several, and returns how many
 * @set_up: prepares the interface. May be NULL
 * @end: undoes @set_up. May be NULL
 */
struct method {
	struct named named;
	unsigned int (*turn)(struct bench *b);
	void (*set_up)(struct bench *b);
	void (*end)(struct bench *b);
};

/* The result of a system call, which tells errors in errno. */
static void check_call(const struct bench *b, ssize_t n)
{
	if (n != (ssize_t)b->size)
		die("%s: %s gave %zd of %llu: %s", b->path, b->method->named.name, n,
		    (unsigned long long)b->size, n < 0 ? strerror(errno) : "short");
}

/* The result of a kernel interface, where an error is negative. */
static void check_result(const struct bench *b, long n)
{
	if (n < 0)
		errno = -n;
	check_call(b, n);
}

static void check_set_up(const char *what, int ret)
{
	if (ret < 0)
		die("%s: %s", what, strerror(-ret));
}

static unsigned int turn_read(struct bench *b)
{
	check_call(b, read(b->fd, b->buf, b->size));
	return 1;
}

static unsigned int turn_preadv2(struct bench *b)
{
	struct iovec v = { b->buf, b->size };

	check_call(b, preadv2(b->fd, &v, 1, -1, 0));
	return 1;
}

static unsigned int turn_poll(struct bench *b)
{
	struct pollfd pfd = { .fd = b->fd, .events = POLLIN };

	if (poll(&pfd, 1, 1000) != 1 || !(pfd.revents & POLLIN))
		die("%s: poll gave 0x%x", b->path, pfd.revents);
	return turn_read(b);
}

static void set_up_aio(struct bench *b)
{
	check_set_up("io_setup", io_setup(BATCH, &b->aio));
}

static void end_aio(struct bench *b)
{
	io_destroy(b->aio);
}

static unsigned int turn_aio(struct bench *b)
{
	struct io_event event = { };
	struct iocb cb, *list = &cb;

	io_prep_pread(&cb, b->fd, b->buf, b->size, 0);
	if (io_submit(b->aio, 1, &list) != 1 ||
	    io_getevents(b->aio, 1, 1, &event, NULL) != 1)
		die("libaio does not take or give a request");
	check_result(b, event.res);
	return 1;
}

/* glibc has a thread of its own read the file. */
static unsigned int turn_posix(struct bench *b)
{
	struct aiocb cb = {
		.aio_fildes = b->fd, .aio_buf = b->buf, .aio_nbytes = b->size,
	};
	const struct aiocb *list = &cb;

	if (aio_read(&cb) || aio_suspend(&list, 1, NULL))
		die("POSIX AIO does not take or give a request: %s",
		    strerror(errno));
	check_result(b, aio_error(&cb) ? -aio_error(&cb) : aio_return(&cb));
	return 1;
}

static void set_up_ring(struct bench *b)
{
	check_set_up("io_uring_queue_init",
		     io_uring_queue_init(BATCH, &b->ring, 0));
}

static void set_up_fixed(struct bench *b)
{
	struct iovec v = { b->buf, b->size };

	set_up_ring(b);
	check_set_up("io_uring_register_buffers",
		     io_uring_register_buffers(&b->ring, &v, 1));
}

/* A registered buffer is left out: with it a request costs more. */
static void set_up_registered(struct bench *b)
{
	set_up_ring(b);
	check_set_up("io_uring_register_files",
		     io_uring_register_files(&b->ring, &b->fd, 1));
	check_set_up("io_uring_register_ring_fd",
		     io_uring_register_ring_fd(&b->ring));
}

static void end_ring(struct bench *b)
{
	io_uring_queue_exit(&b->ring);
}

static void collect(struct bench *b, unsigned int n)
{
	struct io_uring_cqe *cqe;

	check_set_up("io_uring_submit_and_wait",
		     io_uring_submit_and_wait(&b->ring, n));
	while (n--) {
		if (io_uring_peek_cqe(&b->ring, &cqe))
			die("io_uring: a completion is missing");
		check_result(b, cqe->res);
		io_uring_cqe_seen(&b->ring, cqe);
	}
}

static unsigned int turn_uring_flags(struct bench *b, unsigned int flags)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&b->ring);

	io_uring_prep_read(sqe, b->fd, b->buf, b->size, -1);
	sqe->flags |= flags;
	collect(b, 1);
	return 1;
}

static unsigned int turn_uring(struct bench *b)
{
	return turn_uring_flags(b, 0);
}

static unsigned int turn_async(struct bench *b)
{
	return turn_uring_flags(b, IOSQE_ASYNC);
}

static unsigned int turn_fixed(struct bench *b)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&b->ring);

	io_uring_prep_read_fixed(sqe, b->fd, b->buf, b->size, -1, 0);
	collect(b, 1);
	return 1;
}

static unsigned int turn_batch(struct bench *b)
{
	unsigned int i, n = b->left < BATCH ? b->left : BATCH;
	struct io_uring_sqe *sqe;

	for (i = 0; i < n; i++) {
		sqe = io_uring_get_sqe(&b->ring);
		io_uring_prep_read(sqe, 0, b->buf, b->size, -1);
		sqe->flags |= IOSQE_FIXED_FILE;
	}
	collect(b, n);
	return n;
}

static const struct method methods[] = {
	{ { "read", "read()" }, turn_read, NULL, NULL },
	{ { "preadv2", "preadv2()" }, turn_preadv2, NULL, NULL },
	{ { "poll+read", "poll(), then read()" }, turn_poll, NULL, NULL },
	{ { "libaio", "io_submit(), io_getevents()" }, turn_aio, set_up_aio, end_aio },
	{ { "uring", "io_uring, READ" }, turn_uring, set_up_ring, end_ring },
	{ { "uring-fixed", "io_uring, READ_FIXED: a registered buffer" },
	  turn_fixed, set_up_fixed, end_ring },
	{ { "uring-batch", "io_uring, 16 READ at once; registered file and ring" },
	  turn_batch, set_up_registered, end_ring },
	{ { "uring-async", "io_uring, READ, forced on a worker" }, turn_async,
	  set_up_ring, end_ring },
	{ { "posix-aio", "aio_read(), aio_suspend() of glibc" }, turn_posix, NULL, NULL },
};

static uint64_t time_requests(struct bench *b, unsigned long n)
{
	const struct method *m = b->method;
	uint64_t start = now_ns();

	for (b->left = n; b->left;)
		b->left -= m->turn(b);
	return now_ns() - start;
}

static void time_method(struct bench *b)
{
	unsigned long i, n = (b->volume + b->size - 1) / b->size;
	uint64_t best = UINT64_MAX;

	b->fd = open_path(O_RDONLY, "%s", b->path);
	if (posix_memalign(&b->buf, PAGE, b->size))
		die("no memory for %llu bytes", (unsigned long long)b->size);
	/* The page faults belong to no request. */
	memset(b->buf, 0x55, b->size);
	if (b->method->set_up)
		b->method->set_up(b);
	time_requests(b, n / 16 + 1);
	for (i = 0; i < b->repeat; i++)
		best = min_ns(best, time_requests(b, n));
	if (b->method->end)
		b->method->end(b);
	PRINT_NUMBERS({ "blocks", n }, { "ns", best });
}

int main_aio(int argc, char **argv)
{
	static struct bench b = {
		.method = methods, .size = 4096, .volume = 16 << 20, .repeat = 1,
	};
	const struct bench_option options[] = {
		{ "method", 'm', "the interface", CHOICE(&b.method, methods) },
		{ "size", 's', "bytes of a request (4096)", .number = &b.size,
		  .least = 1 },
		{ "volume", 'v', "bytes to read in all (16 MiB)", .number = &b.volume,
		  .least = 1 },
		{ "repeat", 'r', "measure so often, print the least (1)",
		  .number = &b.repeat, .least = 1 },
		{ }
	};
	int i = take_options(argc, argv, options, "FILE");

	if (i != argc - 1)
		die("aio: which file?");
	b.path = argv[i];
	time_method(&b);
	return 0;
}
