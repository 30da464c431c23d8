// SPDX-License-Identifier: GPL-2.0-only
/* uring.c: requests of io_uring: they wait, are cancelled, and outlive their file */
#include <sys/mman.h>

#include <liburing.h>

#include "fuzz.h"

#define ENTRIES		32
#define FIRST_CLOSED	500
#define N_CLOSED	32

/* Tags of requests; those of the others are 1 to 8. */
#define REMOVAL		9
#define FLUSH		10

static struct io_uring ring;
static bool has_ring, has_flushed;
static unsigned int removals;	/* are submitted, and not reaped */

/*
 * Requests complete at any time, so they have an arena of their own: the other operations
 * check what they have read into theirs.
 */
static char *own;

void init_uring(void)
{
	struct iovec all = { .iov_len = ARENA };

	if (!own)
		own = mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(own != MAP_FAILED);
	all.iov_base = own;
	has_ring = !io_uring_queue_init(ENTRIES, &ring, 0);
	if (has_ring)
		io_uring_register_buffers(&ring, &all, 1);
}

/* A child must not use the ring of its parent. */
void leave_uring(void)
{
	has_ring = false;
}

/* The operation that finds a result counts it. */
static void reap(void)
{
	struct io_uring_cqe *cqe;

	while (!io_uring_peek_cqe(&ring, &cqe)) {
		errno = -cqe->res;
		result(cqe->res < 0 ? -1 : cqe->res);
		removals -= cqe->user_data == REMOVAL;
		has_flushed |= cqe->user_data == FLUSH;
		io_uring_cqe_seen(&ring, cqe);
	}
}

static void submit_all(void)
{
	int n = io_uring_submit(&ring);

	if (n < 0)
		errno = -n;
	result(n < 0 ? -1 : n);
	reap();
}

static struct io_uring_sqe *next_entry(void)
{
	struct io_uring_sqe *sqe = has_ring ? io_uring_get_sqe(&ring) : NULL;

	if (!sqe && has_ring)
		submit_all();
	return sqe;
}

static void set_flags(struct io_uring_sqe *sqe)
{
	static const unsigned int flags[] = {
		0, 0, 0, 0, IOSQE_ASYNC, IOSQE_IO_LINK, IOSQE_IO_DRAIN,
		IOSQE_IO_HARDLINK,
	};

	sqe->flags |= flags[dice(8)];
	sqe->user_data = 1 + dice(8);
}

static void submit_often(void)
{
	if (!chance(4))
		submit_all();
}

static void finish(struct io_uring_sqe *sqe)
{
	set_flags(sqe);
	submit_often();
}

static void *own_buffer(size_t *len)
{
	char *buf = any_buffer(len);

	return buf >= arena && buf < arena + ARENA ? own + (buf - arena) : buf;
}

static void do_uring_read(void)
{
	struct io_uring_sqe *sqe = next_entry();
	struct slot *slot = slot_for(false, -1);
	static struct iovec v;
	size_t len;
	void *buf = own_buffer(&len);

	if (!sqe)
		return;
	if (len > ARENA)
		len = ARENA;
	switch (dice(4)) {
	case 0:
		io_uring_prep_read_fixed(sqe, slot->fd, own, len, -1, 0);
		break;
	case 1:
		v = (struct iovec){ buf, len };
		io_uring_prep_readv(sqe, slot->fd, &v, 1, -1);
		break;
	default:
		io_uring_prep_read(sqe, slot->fd, buf, len,
				   chance(8) ? 0 : -1);
	}
	finish(sqe);
}

static void do_uring_write(void)
{
	struct io_uring_sqe *sqe = next_entry();
	struct slot *slot = slot_for(true, -1);
	size_t len;
	void *buf = any_buffer(&len);

	if (!sqe)
		return;
	if (chance(2))
		io_uring_prep_write_fixed(sqe, slot->fd, own, 1 + dice(600), -1, 0);
	else
		io_uring_prep_write(sqe, slot->fd, buf, len, -1);
	finish(sqe);
}

static void do_uring_poll(void)
{
	struct io_uring_sqe *sqe = next_entry();
	int fd = slot_for(chance(4), -1)->fd;

	if (!sqe)
		return;
	if (chance(3))
		io_uring_prep_poll_multishot(sqe, fd, POLLIN | POLLOUT);
	else
		io_uring_prep_poll_add(sqe, fd, chance(4) ? any_int() : POLLIN);
	finish(sqe);
}

static void do_uring_cancel(void)
{
	struct io_uring_sqe *sqe = next_entry();
	bool removes = chance(3);

	if (!sqe)
		return;
	if (removes)
		io_uring_prep_poll_remove(sqe, 1 + dice(8));
	else
		io_uring_prep_cancel64(sqe, 1 + dice(8),
				       chance(2) ? IORING_ASYNC_CANCEL_ALL : 0);
	set_flags(sqe);
	if (removes) {
		sqe->user_data = REMOVAL;
		removals++;
	}
	submit_often();
}

static void do_uring_splice(void)
{
	struct io_uring_sqe *sqe = next_entry();

	if (!sqe)
		return;
	io_uring_prep_splice(sqe, slot_for(false, 1)->fd, -1, any_slot()->fd, -1,
			     1 + dice(ARENA), SPLICE_F_NONBLOCK);
	finish(sqe);
}

/*
 * The descriptor is from a range of its own. The request may be served at any time, and
 * must not close another file.
 */
static void do_uring_close(void)
{
	struct io_uring_sqe *sqe = next_entry();
	int fd = FIRST_CLOSED + dice(N_CLOSED);

	if (!sqe)
		return;
	if (dup3(any_slot()->fd, fd, O_CLOEXEC) < 0)
		fd = -1;
	io_uring_prep_close(sqe, fd);
	sqe->user_data = 1;
	submit_all();
}

/* A request that completes at once, and is reaped. */
static void flush_uring(void)
{
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;

	has_flushed = false;
	while (!(sqe = io_uring_get_sqe(&ring)))
		submit_all();
	io_uring_prep_nop(sqe);
	sqe->user_data = FLUSH;
	submit_all();
	/* A request before it may be the head of a chain: then this one waits, too. */
	if (!has_flushed)
		io_uring_wait_cqe_timeout(&ring, &cqe, &(struct __kernel_timespec){
					  .tv_nsec = 1000000 });
	reap();
}

/*
 * When a worker of the kernel removes a poll, Linux before 6.9 leaves the poll on a list.
 * The next submission empties the list. The end of the ring does not. Then the poll keeps
 * its file for ever, and the file keeps the modules. A removal behind a request that
 * waits never runs: the number of tries is limited.
 */
static void close_ring(void)
{
	unsigned int tries = 50;

	do
		flush_uring();
	while (removals && --tries);
	removals = 0;
	io_uring_queue_exit(&ring);
}

void end_uring(void)
{
	if (has_ring)
		close_ring();
	has_ring = false;
}

/* Close the ring with all requests that wait. */
static void do_uring_exit(void)
{
	if (!has_ring)
		return;
	close_ring();
	close_range(FIRST_CLOSED, FIRST_CLOSED + N_CLOSED - 1, 0);
	init_uring();
	result(has_ring ? 0 : -1);
}

const struct op uring_ops[] = {
	{ "uring-read", do_uring_read, 25, 5, MEMBER },
	{ "uring-write", do_uring_write, 10, 3, MEMBER },
	{ "uring-poll", do_uring_poll, 12, 3, MEMBER },
	{ "uring-cancel", do_uring_cancel, 8, 2, MEMBER },
	{ "uring-splice", do_uring_splice, 4, 1, MEMBER },
	{ "uring-close", do_uring_close, 2, 1, MEMBER },
	{ "uring-exit", do_uring_exit, 2, 1, MEMBER },
	{}
};
