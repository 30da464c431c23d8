// SPDX-License-Identifier: GPL-2.0-only
/*
 * account.c: the memory that the files of each user keep
 *
 * The core counts whole pages: rings, the memory of taps, and dma-bufs. A *charge* is the
 * part of one holder. The budget of a user is the parameter user_memory_kb, or
 * RLIMIT_MEMLOCK if that is more.
 *
 * A cgroup counts what the core allocates for a user, and not what the user keeps from a
 * channel. The account is the core's own: that of the kernel (locked_vm) exists only with
 * sockets, io_uring and the like.
 *
 * All charges are in one list. The sum of a user is computed when it is needed: memory is
 * charged rarely, and the budget limits the charges. A charge holds its channel: a dma-buf
 * may outlive the board.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sysfs.h>
#include <linux/vmalloc.h>

#include "channel/internal.h"

static unsigned int user_memory_kb = 65536;
module_param(user_memory_kb, uint, 0644);
MODULE_PARM_DESC(user_memory_kb,
		 "KiB that the files of one user keep, at most; RLIMIT_MEMLOCK if that is more");

static DEFINE_SPINLOCK(account_lock);	/* all charges */
static LIST_HEAD(charges);		/* those of a user in a row */

/* In pages */
static unsigned long account_budget(void)
{
	unsigned long kb = READ_ONCE(user_memory_kb);

	return max(kb >> (PAGE_SHIFT - 10), PFN_DOWN(rlimit(RLIMIT_MEMLOCK)));
}

/* Counts the pages of a user, and of a channel; NULL stands for all of them. */
static unsigned long account_count(const kuid_t *uid, const struct zio_channel_core *chan)
{
	const struct zio_charge *charge;
	unsigned long n = 0;

	lockdep_assert_held(&account_lock);
	list_for_each_entry(charge, &charges, node)
		if ((!uid || uid_eq(charge->uid, *uid)) && (!chan || charge->chan == chan))
			n += charge->pages;
	return n;
}

/* Puts a charge behind another one of its user. */
static void account_add(struct zio_charge *charge)
{
	struct list_head *after = &charges;
	struct zio_charge *other;

	list_for_each_entry(other, &charges, node)
		if (uid_eq(other->uid, charge->uid))
			after = &other->node;
	list_add(&charge->node, after);
}

/* Returns false if @n more pages do not fit into the budget. */
static bool account_grow(struct zio_charge *charge, unsigned long n, unsigned long budget)
{
	bool fits;

	spin_lock(&account_lock);
	fits = n <= budget && account_count(&charge->uid, NULL) <= budget - n;
	if (fits)
		charge->pages += n;
	if (fits && list_empty(&charge->node))
		account_add(charge);
	spin_unlock(&account_lock);
	return fits;
}

/**
 * zio_charge() - count memory that a file of the current user keeps
 * @charge: the part of this holder
 * @chan: the channel that the memory is for
 * @bytes: the memory, rounded up to pages
 *
 * CAP_IPC_LOCK lifts the limit.
 *
 * Context: Process.
 *
 * Return: 0; -EDQUOT beyond the user's budget.
 */
int zio_charge(struct zio_charge *charge, struct zio_channel_core *chan, size_t bytes)
{
	int ret;

	*charge = (struct zio_charge){ .uid = current_uid(), .chan = chan };
	INIT_LIST_HEAD(&charge->node);
	ret = zio_charge_more(charge, bytes);
	if (ret)
		charge->chan = NULL;
	else
		kobject_get(&chan->kobj);
	return ret;
}

/**
 * zio_charge_more() - count more memory of the same holder
 * @charge: its charge
 * @bytes: the memory, rounded up to pages
 *
 * Context: Process.
 *
 * Return: 0; -EDQUOT as zio_charge().
 */
int zio_charge_more(struct zio_charge *charge, size_t bytes)
{
	unsigned long n = PFN_UP(bytes);

	if (account_grow(charge, n, account_budget()))
		return 0;
	return capable(CAP_IPC_LOCK) && account_grow(charge, n, ULONG_MAX) ? 0 : -EDQUOT;
}

/**
 * zio_charge_less() - undo zio_charge_more()
 * @charge: the charge
 * @bytes: as then
 *
 * Context: Process.
 */
void zio_charge_less(struct zio_charge *charge, size_t bytes)
{
	spin_lock(&account_lock);
	charge->pages -= PFN_UP(bytes);
	spin_unlock(&account_lock);
}

/**
 * zio_charge_pass() - pass memory to the user of another charge
 * @charge: the charge, whose user does not keep the memory any more
 * @heir: a charge of the user that keeps it now, also beyond that user's budget
 *
 * Context: Process.
 */
void zio_charge_pass(struct zio_charge *charge, struct zio_charge *heir)
{
	spin_lock(&account_lock);
	charge->uid = heir->uid;
	list_move(&charge->node, &heir->node);
	spin_unlock(&account_lock);
}

/**
 * zio_uncharge() - end a charge: its memory is free, or no user's
 * @charge: the charge; nothing happens without one
 *
 * Context: Process. The caller does not use the channel afterwards, or holds it.
 */
void zio_uncharge(struct zio_charge *charge)
{
	struct zio_channel_core *chan = charge->chan;

	if (!chan)
		return;
	spin_lock(&account_lock);
	list_del(&charge->node);
	spin_unlock(&account_lock);
	charge->chan = NULL;
	kobject_put(&chan->kobj);
}

/**
 * zio_user_alloc() - allocate memory that a user keeps
 * @bytes: its size
 *
 * kvmalloc() would round a block and its control up to twice the block.
 *
 * Context: Process, sleeps.
 *
 * Return: whole pages of zeros for vfree(), as many as a charge of @bytes has; or NULL.
 */
void *zio_user_alloc(size_t bytes)
{
	return __vmalloc(bytes, ZIO_GFP_USER | __GFP_ZERO);
}

/**
 * zio_channel_held_bytes() - count the memory of a channel that files of users keep
 * @chan: the channel
 *
 * Context: Process.
 *
 * Return: bytes.
 */
size_t zio_channel_held_bytes(const struct zio_channel_core *chan)
{
	unsigned long n;

	spin_lock(&account_lock);
	n = account_count(NULL, chan);
	spin_unlock(&account_lock);
	return n << PAGE_SHIFT;
}

static ssize_t account_show(kuid_t uid, const struct zio_channel_core *chan, char *page,
			    ssize_t at)
{
	unsigned long n = account_count(&uid, chan);

	if (!n)
		return 0;
	return sysfs_emit_at(page, at, "%u %lu %lu\n",
			     from_kuid_munged(current_user_ns(), uid), n << PAGE_SHIFT,
			     account_count(&uid, NULL) << PAGE_SHIFT);
}

/**
 * zio_channel_show_holders() - list the users that keep memory of a channel
 * @chan: the channel
 * @page: for the text
 *
 * Context: Process.
 *
 * Return: the length of the text: a line for each user, with its number, its bytes of this
 * channel, and its bytes of all channels. Users that do not fit into the page are left out.
 */
ssize_t zio_channel_show_holders(const struct zio_channel_core *chan, char *page)
{
	const struct zio_charge *charge, *last = NULL;
	ssize_t len = 0;

	spin_lock(&account_lock);
	list_for_each_entry(charge, &charges, node) {
		if (!last || !uid_eq(charge->uid, last->uid))
			len += account_show(charge->uid, chan, page, len);
		last = charge;
	}
	spin_unlock(&account_lock);
	return len;
}
