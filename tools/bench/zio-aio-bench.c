// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-aio-bench: a fixed volume, read by one or another interface
 *
 * All methods fill the same memory from the same file with requests of one
 * size. What differs is how a request gets to the kernel and its result back.
 */
#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <liburing.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bench.h"

#define BATCH	16

/* What a thread reads for the other one; state: 'w' wanted, 'd' done, 'q' quit */
struct pool {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wanted, done;
	char state;
	ssize_t result;
};

struct bench {
	const char *label;
	const char *method;
	const char *path;
	size_t size;
	size_t volume;
	unsigned long repeat;
	int fd;
	void *buf;
	struct io_uring ring;
	io_context_t aio;
	struct pool pool;
	unsigned long left;	/* requests to come */
};

/* turn() makes one request, or several, and returns how many. */
struct method {
	struct named named;
	unsigned int (*turn)(struct bench *b);
	void (*set_up)(struct bench *b);
	void (*end)(struct bench *b);
};

/* The result is that of a system call which tells errors in errno. */
static void check_call(const struct bench *b, ssize_t n)
{
	if (n != (ssize_t)b->size)
		die("%s: %s gave %zd of %zu: %s", b->path, b->method, n,
		    b->size, n < 0 ? strerror(errno) : "short");
}

/* The result is that of a kernel interface: an error is negative. */
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

/* All that can be looked up beforehand; but not the buffer, which makes it dearer. */
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

static void *serve_pool(void *arg)
{
	struct bench *b = arg;
	struct pool *pool = &b->pool;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (pool->state == 'd')
			pthread_cond_wait(&pool->wanted, &pool->lock);
		if (pool->state == 'q')
			break;
		pthread_mutex_unlock(&pool->lock);
		pool->result = read(b->fd, b->buf, b->size);
		pthread_mutex_lock(&pool->lock);
		pool->state = 'd';
		pthread_cond_signal(&pool->done);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static void set_up_pool(struct bench *b)
{
	struct pool *pool = &b->pool;

	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->wanted, NULL);
	pthread_cond_init(&pool->done, NULL);
	pool->state = 'd';
	check_set_up("pthread_create",
		     -pthread_create(&pool->thread, NULL, serve_pool, b));
}

static void ask_pool(struct pool *pool, char state)
{
	pthread_mutex_lock(&pool->lock);
	pool->state = state;
	pthread_cond_signal(&pool->wanted);
	pthread_mutex_unlock(&pool->lock);
}

static unsigned int turn_pool(struct bench *b)
{
	struct pool *pool = &b->pool;

	ask_pool(pool, 'w');
	pthread_mutex_lock(&pool->lock);
	while (pool->state != 'd')
		pthread_cond_wait(&pool->done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	check_call(b, pool->result);
	return 1;
}

static void end_pool(struct bench *b)
{
	ask_pool(&b->pool, 'q');
	pthread_join(b->pool.thread, NULL);
}

static const struct method methods[] = {
	{ { "read", "read()" }, turn_read, NULL, NULL },
	{ { "preadv2", "preadv2()" }, turn_preadv2, NULL, NULL },
	{ { "poll+read", "poll(), then read()" }, turn_poll, NULL, NULL },
	{ { "libaio", "io_submit(), io_getevents()" }, turn_aio, set_up_aio, end_aio },
	{ { "uring", "io_uring, READ" }, turn_uring, set_up_ring, end_ring },
	{ { "uring-fixed", "io_uring, READ_FIXED: the buffer is registered" },
	  turn_fixed, set_up_fixed, end_ring },
	{ { "uring-batch", "io_uring, READ, 16 at once; file and ring registered" },
	  turn_batch, set_up_registered, end_ring },
	{ { "uring-async", "io_uring, READ, forced on a worker" }, turn_async,
	  set_up_ring, end_ring },
	{ { "threads", "a second thread does the read()" }, turn_pool, set_up_pool,
	  end_pool },
};

static uint64_t time_requests(struct bench *b, const struct method *m,
			      unsigned long n)
{
	uint64_t start = now_ns();

	for (b->left = n; b->left;)
		b->left -= m->turn(b);
	return now_ns() - start;
}

static void run(struct bench *b, const struct method *m)
{
	unsigned long i, n = (b->volume + b->size - 1) / b->size;
	uint64_t best = UINT64_MAX, ns;

	b->fd = open(b->path, O_RDONLY);
	if (b->fd < 0)
		die("%s: %s", b->path, strerror(errno));
	if (posix_memalign(&b->buf, 4096, b->size))
		die("no memory for %zu bytes", b->size);
	/* Page faults belong to no request. */
	memset(b->buf, 0x55, b->size);
	if (m->set_up)
		m->set_up(b);
	time_requests(b, m, n / 16 + 1);
	for (i = 0; i < b->repeat; i++) {
		ns = time_requests(b, m, n);
		best = ns < best ? ns : best;
	}
	if (m->end)
		m->end(b);
	printf("%s,%zu,%lu,%llu,%.1f\n", b->label, b->size, n,
	       (unsigned long long)best, (double)best / n);
}

static void print_help(const struct bench_option *table)
{
	puts("Usage: zio-aio-bench [options] FILE\n\n"
	     "Prints: label,size,requests,ns,ns per request\n");
	print_options(table);
	PRINT_METHODS(methods);
}

int main(int argc, char **argv)
{
	struct bench b = {
		.method = "read", .size = 4096, .volume = 16 << 20, .repeat = 1,
	};
	const struct bench_option options[] = {
		{ "method", 'm', "NAME", "one of those below (read)",
		  .text = &b.method },
		{ "size", 's', "BYTES", "size of a request (4096)",
		  .number = &b.size, .least = 1 },
		{ "volume", 'v', "BYTES", "how much to read in all (16 MiB)",
		  .number = &b.volume, .least = 1 },
		{ "repeat", 'r', "N", "measure so often, print the least (1)",
		  .number = &b.repeat, .least = 1 },
		{ "label", 'l', "TEXT", "what to print first (the method)",
		  .text = &b.label },
		{ }
	};

	take_options(argc, argv, options, print_help);
	if (optind != argc - 1)
		die("which file? (see --help)");
	b.path = argv[optind];
	if (!b.label)
		b.label = b.method;
	run(&b, FIND_METHOD(methods, b.method));
	return 0;
}
