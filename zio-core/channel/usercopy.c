// SPDX-License-Identifier: GPL-2.0-only
/* usercopy.c: fault in user memory that a copy missed */
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "channel/usercopy.h"

/* Most memory to fault in at once: a reader may never need the rest */
#define FAULT_IN_MAX	SZ_64K

/*
 * Another process may keep stealing the page before the copy, even on purpose. This limit ends the
 * system call.
 */
#define MAX_FAULTS	16

/* Returns true once faults no longer bring the copy forward. */
static bool usercopy_count_fault(struct zio_faults *faults, size_t left)
{
	if (faults->left != left)
		*faults = (struct zio_faults){ .left = left };
	return faults->n++ == MAX_FAULTS;
}

/*
 * Faults in memory that a copy missed, from where it stopped. @faults starts as zeros in each
 * system call. Sleeps until the page is served or a fatal signal arrives, so the caller holds no
 * lock. Returns 0 if the copy can continue; -EFAULT for a bad address.
 */
int zio_sink_fault_in(struct zio_sink *to, struct zio_faults *faults)
{
	size_t want = min_t(size_t, to->room, FAULT_IN_MAX), missing;

	if (usercopy_count_fault(faults, to->room))
		return -EFAULT;
	if (!to->iter)
		missing = fault_in_safe_writeable(to->buf, want);
	else if (user_backed_iter(to->iter))
		missing = fault_in_iov_iter_writeable(to->iter, want);
	else
		return -EFAULT;
	return missing == want ? -EFAULT : 0;
}

/* zio_sink_fault_in() for a copy from the user. */
int zio_source_fault_in(struct iov_iter *from, struct zio_faults *faults)
{
	size_t want = min_t(size_t, iov_iter_count(from), FAULT_IN_MAX);

	if (usercopy_count_fault(faults, iov_iter_count(from)) || !user_backed_iter(from))
		return -EFAULT;
	return fault_in_iov_iter_readable(from, want) == want ? -EFAULT : 0;
}
