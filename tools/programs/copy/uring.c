// SPDX-License-Identifier: GPL-2.0-only
/*
 * Move blocks by io_uring: one system call writes a block to all outputs and reads
 * the next one, control and data each time.
 *
 * The program reads one of the two slots while it writes the other. The read of the
 * data is linked to the read of the control: after a control, a read of data ends with
 * the block. The write of the data is linked to the write of the control.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/stop.h"
#include "copy.h"

#define FIRST_ROOM	65536
#define STOP_TIMEOUT_S	1

enum part {
	CONTROL,
	DATA,
	PARTS,
};

struct slot {
	struct zio_control control;
	uint8_t *data;
	size_t room;
	int res[PARTS];		/* results of its reads */
};

struct target {
	struct zio_control fit;
	int fd[PARTS];
	int res[PARTS];		/* results of its writes */
};

struct uring {
	struct io_uring ring;
	int in[PARTS];
	struct target *target;
	struct slot slot[2];
	unsigned int at;	/* the slot of the next block */
	bool queued;		/* the reads of that slot were queued */
	unsigned int reading;	/* requests that are not completed */
	unsigned int writing;
	uint32_t expected;
	bool seq_known;
};

/* The user_data of a request: the address of its result; bit 0 is set for a read. */
static void *tag(int *res, bool read)
{
	return (void *)((uintptr_t)res | read);
}

static void queue_read(struct uring *u, struct slot *slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	io_uring_prep_read(sqe, u->in[CONTROL], &slot->control,
			   sizeof(slot->control), (uint64_t)-1);
	io_uring_sqe_set_data(sqe, tag(&slot->res[CONTROL], true));
	sqe->flags |= IOSQE_IO_LINK;
	sqe = io_uring_get_sqe(&u->ring);
	io_uring_prep_read(sqe, u->in[DATA], slot->data,
			   (unsigned int)slot->room, (uint64_t)-1);
	io_uring_sqe_set_data(sqe, tag(&slot->res[DATA], true));
	u->reading += PARTS;
}

static void queue_write(struct uring *u, struct target *to,
			const struct slot *slot, size_t size)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	io_uring_prep_write(sqe, to->fd[CONTROL], &to->fit, sizeof(to->fit),
			    (uint64_t)-1);
	io_uring_sqe_set_data(sqe, tag(&to->res[CONTROL], false));
	u->writing++;
	if (!size)
		return;
	sqe->flags |= IOSQE_IO_LINK;
	sqe = io_uring_get_sqe(&u->ring);
	io_uring_prep_write(sqe, to->fd[DATA], slot->data, (unsigned int)size,
			    (uint64_t)-1);
	io_uring_sqe_set_data(sqe, tag(&to->res[DATA], false));
	u->writing++;
}

static void take_result(struct uring *u, struct io_uring_cqe *cqe)
{
	uintptr_t to = (uintptr_t)io_uring_cqe_get_data(cqe);

	if (!to)
		return;		/* this is the result of a cancellation */
	*(int *)(to & ~(uintptr_t)1) = cqe->res;
	if (to & 1)
		u->reading--;
	else
		u->writing--;
}

static void cancel_read(struct uring *u, struct slot *slot, enum part part)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	io_uring_prep_cancel(sqe, tag(&slot->res[part], true), 0);
	io_uring_sqe_set_data(sqe, NULL);
	io_uring_submit(&u->ring);
}

/* A signal ends the wait, also one that comes just before it. */
static int wait_unless_signal(struct uring *u, struct io_uring_cqe **cqe)
{
	sigset_t before;
	int ret = -EINTR;

	block_stops(&before);
	if (!caught_stop())
		ret = io_uring_wait_cqes(&u->ring, cqe, 1, NULL, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

/* Wait for one result; after a signal only a limited time. 0, or -1 with errno. */
static int wait_result(struct uring *u)
{
	struct __kernel_timespec limit = { .tv_sec = STOP_TIMEOUT_S };
	struct io_uring_cqe *cqe;
	int ret;

	if (caught_stop())
		ret = io_uring_wait_cqe_timeout(&u->ring, &cqe, &limit);
	else if (io_uring_peek_cqe(&u->ring, &cqe))
		ret = wait_unless_signal(u, &cqe);
	else
		ret = 0;
	if (ret) {
		errno = -ret;
		return -1;
	}
	take_result(u, cqe);
	io_uring_cqe_seen(&u->ring, cqe);
	return 0;
}

/* After a signal, cancel the read unless a block is ready. */
static int wait_read(struct uring *u, struct slot *slot)
{
	bool cancelled = false;

	while (u->reading) {
		if (caught_stop() && !cancelled) {
			cancel_read(u, slot, CONTROL);
			cancelled = true;
		}
		if (wait_result(u) && errno != EINTR)
			return -1;
	}
	return 0;
}

static int wait_writes(struct uring *u)
{
	while (u->writing)
		if (wait_result(u) && errno != EINTR)
			return -1;
	return 0;
}

/* Returns 1 after a control, 0 at end of file or after a signal, -1. */
static int check_read(struct copy *c, const struct slot *slot)
{
	const char *path = zio_control_path(c->in.ch);
	int res = slot->res[CONTROL];

	if (!res || res == -ECANCELED || res == -EINTR)
		return 0;
	if (res < 0)
		return fail_call(c, path, "read control", -res);
	if (res != sizeof(slot->control))
		return fail_call(c, path, "read control", EPROTO);
	if (slot->control.major_version != ZIO_MAJOR_VERSION)
		return fail_call(c, path, "read control", EPROTONOSUPPORT);
	if (zio_control_size(&slot->control, &c->size) ||
	    c->size > ZIO_DEFAULT_MAX_BLOCK)
		return fail_call(c, path, "size of a block", EMSGSIZE);
	if (c->size && slot->res[DATA] < 0)
		return fail_call(c, zio_data_path(c->in.ch), "read data",
			       -slot->res[DATA]);
	return 1;
}

static int make_room(struct copy *c, struct slot *slot)
{
	uint8_t *data;

	if (c->size <= slot->room)
		return 0;
	data = realloc(slot->data, c->size);
	if (!data)
		return fail_call(c, zio_data_path(c->in.ch), "read data",
			       ENOMEM);
	slot->data = data;
	slot->room = c->size;
	return 0;
}

/* The memory was too small for the first blocks: read the rest of the data. */
static int read_rest(struct copy *c, const struct uring *u, struct slot *slot)
{
	size_t done = (size_t)slot->res[DATA];

	if (c->size <= done)
		return 0;
	if (make_room(c, slot))
		return -1;
	while (done < c->size) {
		ssize_t n = read(u->in[DATA], slot->data + done,
				 c->size - done);

		if (n <= 0)
			return fail_call(c, zio_data_path(c->in.ch), "read data",
				       n ? errno : ENODATA);
		done += (size_t)n;
	}
	return 0;
}

/* A pipe may accept only a part. */
static int write_rest(struct copy *c, const struct end *end, int fd,
		      const void *from, size_t done, size_t size)
{
	while (done < size) {
		ssize_t n = write(fd, (const char *)from + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail_call(c, end->name, "write", n ? errno : EIO);
		done += (size_t)n;
	}
	return 0;
}

static int check_write(struct copy *c, const struct uring *u, int i,
		       const struct slot *slot)
{
	const struct target *to = &u->target[i];
	int control = to->res[CONTROL], data = c->size ? to->res[DATA] : 0;
	const struct end *end = &c->out[i];

	if (control < 0)
		return fail_call(c, end->name, "write control", -control);
	if (write_rest(c, end, to->fd[CONTROL], &to->fit, (size_t)control,
		       sizeof(to->fit)))
		return -1;
	if (data == -ECANCELED || data == -EINTR)	/* because the control was short */
		data = 0;
	if (data < 0)
		return fail_call(c, end->name, "write data", -data);
	return write_rest(c, end, to->fd[DATA], slot->data, (size_t)data,
			  c->size);
}

static int check_writes(struct copy *c, const struct uring *u,
			const struct slot *slot)
{
	int i, ret = 0;

	for (i = 0; !ret && i < c->n_out; i++)
		ret = check_write(c, u, i, slot);
	return ret;
}

static void count_loss(struct copy *c, struct uring *u, uint32_t seq)
{
	if (u->seq_known)
		c->lost += zio_sequence_lost(u->expected, seq);
	u->expected = seq + 1;
	u->seq_known = true;
}

static void queue_writes(struct copy *c, struct uring *u,
			 const struct slot *slot)
{
	int i;

	for (i = 0; i < c->n_out; i++) {
		fit_control(&u->target[i].fit, &c->out[i], &slot->control);
		queue_write(u, &u->target[i], slot, c->size);
	}
}

static bool is_last(const struct copy *c)
{
	return caught_stop() || (c->count && c->blocks + 1 >= c->count);
}

static int write_and_read_next(struct copy *c, struct uring *u,
			       const struct slot *slot)
{
	queue_writes(c, u, slot);
	u->at = !u->at;
	u->queued = !is_last(c);
	if (u->queued)
		queue_read(u, &u->slot[u->at]);
	if (io_uring_submit(&u->ring) < 0)
		return fail_call(c, c->in.name, "io_uring", EIO);
	if (wait_writes(u))
		return fail_call(c, c->out[0].name, "write", errno);
	return check_writes(c, u, slot);
}

int move_by_uring(struct copy *c)
{
	struct uring *u = c->state;
	struct slot *slot = &u->slot[u->at];
	int ret;

	if (!u->queued && caught_stop())
		return 0;
	if (!u->queued) {
		queue_read(u, slot);
		io_uring_submit(&u->ring);
		u->queued = true;
	}
	if (wait_read(u, slot))
		return fail_call(c, c->in.name, "read", errno);
	ret = check_read(c, slot);
	if (ret <= 0)
		return ret;
	if (read_rest(c, u, slot))
		return -1;
	count_loss(c, u, slot->control.seq_num);
	return write_and_read_next(c, u, slot) ? -1 : 1;
}

static int reopen_blocking(const char *path, int flags, struct zio_error *err)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		snprintf(err->text, sizeof(err->text), "%s: %s", path,
			 strerror(errno));
	return fd;
}

/*
 * The descriptors of libzio for nodes are non-blocking, and io_uring would return
 * EAGAIN. Those for files are blocking.
 */
static int open_target(struct target *to, const struct end *end,
		       struct zio_error *err)
{
	if (end->file) {
		to->fd[CONTROL] = fcntl(zio_fd(end->ch), F_DUPFD_CLOEXEC, 0);
		to->fd[DATA] = fcntl(zio_fd(end->ch), F_DUPFD_CLOEXEC, 0);
	} else {
		to->fd[CONTROL] = reopen_blocking(zio_control_path(end->ch),
						  O_WRONLY, err);
		to->fd[DATA] = reopen_blocking(zio_data_path(end->ch), O_WRONLY,
					       err);
	}
	return to->fd[CONTROL] < 0 || to->fd[DATA] < 0 ? -1 : 0;
}

static int open_all(struct copy *c, struct uring *u, struct zio_error *err)
{
	int i, ret = 0;

	u->in[CONTROL] = reopen_blocking(zio_control_path(c->in.ch), O_RDONLY, err);
	u->in[DATA] = reopen_blocking(zio_data_path(c->in.ch), O_RDONLY, err);
	if (u->in[CONTROL] < 0 || u->in[DATA] < 0)
		return -1;
	for (i = 0; !ret && i < c->n_out; i++)
		ret = open_target(&u->target[i], &c->out[i], err);
	return ret;
}

static int fail_begin(struct zio_error *err, int code)
{
	snprintf(err->text, sizeof(err->text), "io_uring: %s", strerror(code));
	return -1;
}

static void close_all(const struct copy *c, const struct uring *u)
{
	int i, part;

	for (part = 0; part < PARTS; part++) {
		if (u->in[part] >= 0)
			close(u->in[part]);
		for (i = 0; i < c->n_out; i++)
			if (u->target[i].fd[part] >= 0)
				close(u->target[i].fd[part]);
	}
}

static void free_uring(struct uring *u)
{
	int i;

	for (i = 0; i < 2; i++)
		free(u->slot[i].data);
	free(u->target);
	free(u);
}

static struct uring *alloc_uring(const struct copy *c)
{
	struct uring *u = calloc(1, sizeof(*u));
	int i;

	if (!u)
		return NULL;
	u->target = calloc((size_t)c->n_out, sizeof(*u->target));
	for (i = 0; i < 2; i++) {
		u->slot[i].room = FIRST_ROOM;
		u->slot[i].data = malloc(FIRST_ROOM);
	}
	if (!u->target || !u->slot[0].data || !u->slot[1].data) {
		free_uring(u);
		return NULL;
	}
	memset(u->in, -1, sizeof(u->in));
	for (i = 0; i < c->n_out; i++)
		memset(u->target[i].fd, -1, sizeof(u->target[i].fd));
	return u;
}

int begin_uring(struct copy *c, struct zio_error *err)
{
	unsigned int entries = PARTS * ((unsigned int)c->n_out + 2);
	struct uring *u = alloc_uring(c);
	int ret;

	if (!u)
		return fail_begin(err, ENOMEM);
	ret = io_uring_queue_init(entries, &u->ring, 0);
	if (ret < 0) {
		free_uring(u);
		return fail_begin(err, -ret);
	}
	c->state = u;
	ret = open_all(c, u, err);
	if (ret)
		end_uring(c);
	return ret;
}

/* The exit of the ring also ends pending requests. */
void end_uring(struct copy *c)
{
	struct uring *u = c->state;

	io_uring_queue_exit(&u->ring);
	close_all(c, u);
	free_uring(u);
}
