// SPDX-License-Identifier: GPL-2.0-only
/*
 * account.c: the memory that the files of a user keep
 *
 * Rings, the memory of taps, and dma-bufs count as pinned memory of the process that made
 * them (VmPin), as those of RDMA do: no lock is taken for it, which a process could hold. The
 * limit is RLIMIT_MEMLOCK. A cgroup counts what the core allocates for a user, and not what a
 * user keeps from a channel. A file may outlive its process, or be closed by another one. So a
 * charge holds the mm_struct, not the memory of the process.
 */
#include <linux/capability.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "channel/internal.h"

/*
 * Counts more memory that a file of the current process keeps. CAP_IPC_LOCK lifts the limit. A
 * kernel thread is not charged. @charge: what the file keeps; all zeros at first. @bytes: the
 * memory, rounded up to pages. Context: Process; the caller owns no phase. Returns 0; -EDQUOT
 * beyond RLIMIT_MEMLOCK.
 */
int zio_charge(struct zio_charge *charge, size_t bytes)
{
	unsigned long n = PFN_UP(bytes);
	s64 sum;

	zio_assert_no_phase();
	if (!charge->mm && current->mm) {
		charge->mm = current->mm;
		mmgrab(charge->mm);
	}
	if (!charge->mm)
		return 0;
	sum = atomic64_add_return(n, &charge->mm->pinned_vm);
	if (sum > PFN_DOWN(rlimit(RLIMIT_MEMLOCK)) && !capable(CAP_IPC_LOCK)) {
		atomic64_sub(n, &charge->mm->pinned_vm);
		return -EDQUOT;
	}
	WRITE_ONCE(charge->pages, charge->pages + n);
	return 0;
}
EXPORT_SYMBOL_GPL(zio_charge);

/* Undoes zio_charge(). With SIZE_MAX in place of its @bytes, the whole charge ends. */
void zio_uncharge(struct zio_charge *charge, size_t bytes)
{
	unsigned long n = bytes == SIZE_MAX ? charge->pages : PFN_UP(bytes);

	if (!charge->mm)
		return;
	atomic64_sub(n, &charge->mm->pinned_vm);
	WRITE_ONCE(charge->pages, charge->pages - n);
	if (bytes == SIZE_MAX) {
		mmdrop(charge->mm);
		charge->mm = NULL;
	}
}
EXPORT_SYMBOL_GPL(zio_uncharge);

/* The line of a charge in /proc/PID/fdinfo. */
void zio_charge_show(const struct zio_charge *charge, struct seq_file *to)
{
	seq_printf(to, "zio-locked:\t%lu kB\n", READ_ONCE(charge->pages) << (PAGE_SHIFT - 10));
}

/*
 * Allocates memory that a user keeps. kvmalloc() would round a block and its control up to twice
 * the block. @bytes: its size. Context: Process, sleeps; the caller owns no phase, and holds no
 * lock that others need. Returns whole pages of zeros for vfree(), as many as a charge of @bytes
 * has; or NULL.
 */
void *zio_user_alloc(size_t bytes)
{
	zio_assert_no_phase();
	return __vmalloc(bytes, ZIO_GFP_USER | __GFP_ZERO);
}
