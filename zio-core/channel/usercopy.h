/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usercopy.h: copies between blocks and the memory of a user
 *
 * chan->lock is held during a copy. A page fault may take any time: userfaultfd or
 * FUSE may serve the page, or nobody. So a copy runs with page faults disabled. When
 * it falls short, the caller drops the lock, faults the memory in, and copies again.
 */
#ifndef _ZIO_USERCOPY_H
#define _ZIO_USERCOPY_H

#include <linux/uaccess.h>
#include <linux/uio.h>

#include "compat.h"

/* A holder of chan->lock copies no more than this, and then lets others have it. */
#define ZIO_COPY_AT_ONCE	SZ_1M

/*
 * Where a read puts what it has: into plain memory, or wherever readv(),
 * io_uring and the like say. Most reads are plain, and plain memory needs
 * neither an iocb nor an iterator: that is a hundred instructions less.
 */
struct zio_sink {
	char __user *buf;
	struct iov_iter *iter;
	size_t room;
};

/* Copies that made no progress although the memory had been faulted in. */
struct zio_faults {
	size_t left;
	unsigned int n;
};

int zio_sink_fault_in(struct zio_sink *to, struct zio_faults *faults);
int zio_source_fault_in(struct iov_iter *from, struct zio_faults *faults);

/*
 * The caller knows what copy_to_...() and copy_from_...() would check about the
 * kernel's side: the length never exceeds the block. Hence _copy_...().
 */
static __always_inline size_t zio_sink_put(struct zio_sink *to, const void *from,
					   size_t n)
{
	size_t done;

	pagefault_disable();
	if (to->iter) {
		done = _copy_to_iter(from, n, to->iter);
	} else {
		done = n - _copy_to_user(to->buf, from, n);
		to->buf += done;
	}
	pagefault_enable();
	to->room -= done;
	return done;
}

/* Copies from a user; returns bytes that were copied. */
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

/* Many iterators are plain memory, too. */
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
		iov_iter_advance(iter, n);
	return n;
}

#endif /* _ZIO_USERCOPY_H */
