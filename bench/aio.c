// SPDX-License-Identifier: GPL-2.0-only
/* Methods of "loop": requests by interfaces that are asynchronous, and by preadv2() */
#include <aio.h>
#include <libaio.h>
#include <liburing.h>
#include <sys/uio.h>

#include "loop.h"

static struct io_uring ring;
static io_context_t aio;

/* The result of a kernel interface, where an error is negative. */
static void take_result(struct loop *b, long n)
{
	if (n < 0)
		errno = -n;
	take_bytes(b, 0, n);
}

static void check(const char *what, int ret)
{
	if (ret < 0)
		die("%s: %s", what, strerror(-ret));
}

static void read_preadv2(struct loop *b, unsigned int i)
{
	struct iovec v = { b->buf, b->size };

	take_bytes(b, i, preadv2(b->data[i], &v, 1, -1, 0));
}

static void open_libaio(struct loop *b)
{
	open_data(b);
	check("io_setup", io_setup(BATCH, &aio));
}

static void read_libaio(struct loop *b, unsigned int i)
{
	struct io_event event = { };
	struct iocb cb, *list = &cb;

	io_prep_pread(&cb, b->data[i], b->buf, b->size, 0);
	if (io_submit(aio, 1, &list) != 1 || io_getevents(aio, 1, 1, &event, NULL) != 1)
		die("libaio does not take or give a request");
	take_result(b, event.res);
}

/* glibc has a thread of its own read the file. */
static void read_posix(struct loop *b, unsigned int i)
{
	struct aiocb cb = {
		.aio_fildes = b->data[i], .aio_buf = b->buf, .aio_nbytes = b->size,
	};
	const struct aiocb *list = &cb;

	if (aio_read(&cb) || aio_suspend(&list, 1, NULL))
		die("POSIX AIO does not take or give a request: %s", strerror(errno));
	take_result(b, aio_error(&cb) ? -aio_error(&cb) : aio_return(&cb));
}

static void open_uring(struct loop *b)
{
	open_data(b);
	check("io_uring_queue_init", io_uring_queue_init(BATCH, &ring, 0));
}

static void open_fixed(struct loop *b)
{
	struct iovec v = { b->buf, b->size };

	open_uring(b);
	check("io_uring_register_buffers", io_uring_register_buffers(&ring, &v, 1));
}

/* A registered buffer is left out: with it a request costs more. */
static void open_registered(struct loop *b)
{
	open_uring(b);
	check("io_uring_register_files", io_uring_register_files(&ring, b->data, 1));
	check("io_uring_register_ring_fd", io_uring_register_ring_fd(&ring));
}

static void collect(struct loop *b, unsigned int n)
{
	struct io_uring_cqe *cqe;

	check("io_uring_submit_and_wait", io_uring_submit_and_wait(&ring, n));
	while (n--) {
		if (io_uring_peek_cqe(&ring, &cqe))
			die("io_uring: a completion is missing");
		take_result(b, cqe->res);
		io_uring_cqe_seen(&ring, cqe);
	}
}

static void queue_read(struct loop *b, int fd, unsigned int flags)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	io_uring_prep_read(sqe, fd, b->buf, b->size, -1);
	sqe->flags |= flags;
}

static void read_uring(struct loop *b, unsigned int i)
{
	queue_read(b, b->data[i], 0);
	collect(b, 1);
}

/* Forced on a worker */
static void read_async(struct loop *b, unsigned int i)
{
	queue_read(b, b->data[i], IOSQE_ASYNC);
	collect(b, 1);
}

static void read_fixed(struct loop *b, unsigned int i)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	io_uring_prep_read_fixed(sqe, b->data[i], b->buf, b->size, -1, 0);
	collect(b, 1);
}

static void run_batch(struct loop *b, unsigned long n)
{
	unsigned int i, some;

	for (; n; n -= some) {
		some = n < BATCH ? n : BATCH;
		for (i = 0; i < some; i++)
			queue_read(b, 0, IOSQE_FIXED_FILE);
		collect(b, some);
	}
}

const struct method aio_methods[] = {
	{ "preadv2", open_data, .take = read_preadv2 },
	{ "libaio", open_libaio, .take = read_libaio },
	{ "uring", open_uring, .take = read_uring },
	{ "uring-fixed", open_fixed, .take = read_fixed },
	{ "uring-batch", open_registered, .run = run_batch },
	{ "uring-async", open_uring, .take = read_async },
	{ "posix-aio", open_data, .take = read_posix },
	{ }
};
