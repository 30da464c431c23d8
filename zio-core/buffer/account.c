// SPDX-License-Identifier: GPL-2.0-only
/*
 * account.c: memory that a user's files keep
 *
 * Rings, tap memory, dma-bufs, and the devices and areas of programs count as pinned memory (VmPin)
 * of the process that made them, like RDMA memory. Accounting takes no lock, so no process can
 * block it. The limit is RLIMIT_MEMLOCK. A cgroup counts what the core allocates for a user, but
 * not what a user keeps from a channel. A file may outlive its process, or be closed by another
 * one, so a charge holds the mm_struct but not the process's memory.
 */
#include <linux/capability.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "buffer/buffer.h"

/*
 * Charges the current process for @bytes, rounded up to pages, unless it is a kernel thread.
 * Returns -EDQUOT beyond RLIMIT_MEMLOCK without CAP_IPC_LOCK. @charge starts as zeros. Process
 * context, outside a phase.
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

/* Undoes zio_charge() of @bytes. SIZE_MAX ends the whole charge. */
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

/* Prints the charge's line in /proc/PID/fdinfo. */
void zio_charge_show(const struct zio_charge *charge, struct seq_file *to)
{
	seq_printf(to, "zio-locked:\t%lu kB\n", READ_ONCE(charge->pages) << (PAGE_SHIFT - 10));
}
EXPORT_SYMBOL_GPL(zio_charge_show);

/*
 * Allocates zeroed whole pages for vfree(), exactly as many as zio_charge() counts; NULL on
 * failure. kvmalloc() would round a block and its control up to twice the block. Sleeps; the caller
 * owns no phase and holds no lock that others need.
 */
void *zio_user_alloc(size_t bytes)
{
	zio_assert_no_phase();
	return __vmalloc(bytes, ZIO_GFP_USER | __GFP_ZERO);
}
