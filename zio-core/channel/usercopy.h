/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usercopy.h: copies between blocks and user memory
 *
 * Copies hold chan->lock. A page fault may take any time, because a process may serve it by
 * userfaultfd or FUSE, so copies disable page faults. When a copy stops early, the caller drops the
 * lock, faults the memory in and copies again.
 */
#ifndef _ZIO_USERCOPY_H
#define _ZIO_USERCOPY_H

#include <linux/uaccess.h>
#include <linux/uio.h>

#include "compat.h"

/* Most bytes to copy under chan->lock before other users get their turn */
#define ZIO_COPY_AT_ONCE	SZ_1M

/*
 * The destination of a read: plain memory, or an iterator of readv(), io_uring and the like. Most
 * reads are plain and need neither iocb nor iterator, which saves a hundred instructions.
 */
struct zio_sink {
	char __user *buf;
	struct iov_iter *iter;
	size_t room;
};

/* Counts copies that made no progress even though the memory was faulted in. */
struct zio_faults {
	size_t left;
	unsigned int n;
};

int zio_sink_fault_in(struct zio_sink *to, struct zio_faults *faults);
int zio_source_fault_in(struct iov_iter *from, struct zio_faults *faults);

/*
 * copy_to_user() and copy_from_user() also check the kernel's side. zio_copy_to_user() and
 * _copy_...() do not, because callers limit the length to that of the block.
 */
static __always_inline size_t zio_sink_put(struct zio_sink *to, const void *from,
					   size_t n)
{
	size_t done;

	pagefault_disable();
	if (to->iter) {
		done = _copy_to_iter(from, n, to->iter);
	} else {
		done = n - zio_copy_to_user(to->buf, from, n);
		to->buf += done;
	}
	pagefault_enable();
	to->room -= done;
	return done;
}

/* Copies from the user; returns the number of bytes copied. */
static __always_inline size_t zio_source_get(void *to, size_t n,
					     struct iov_iter *from)
{
	pagefault_disable();
	n = _copy_from_iter(to, n, from);
	pagefault_enable();
	return n;
}

/* Takes back the last @n bytes. */
static inline void zio_sink_revert(struct zio_sink *to, size_t n)
{
	if (to->iter)
		iov_iter_revert(to->iter, n);
	else
		to->buf -= n;
	to->room += n;
}

/* Returns a plain destination if the iterator is plain memory. */
static inline struct zio_sink zio_sink_of(struct iov_iter *iter)
{
	struct zio_sink to = { .room = iov_iter_count(iter) };

	to.buf = zio_iter_plain(iter);
	if (!to.buf)
		to.iter = iter;
	return to;
}

static inline ssize_t zio_sink_end(const struct zio_sink *to,
				   struct iov_iter *iter, ssize_t n)
{
	if (!to->iter && n > 0)
		zio_iter_pass(iter, n);
	return n;
}

#endif /* _ZIO_USERCOPY_H */
