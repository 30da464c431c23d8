// SPDX-License-Identifier: GPL-2.0-only
/*
 * account.c: the memory that the files of each user keep
 *
 * The core counts whole pages: rings, the memory of taps, blocks in pipes and sockets, and
 * dma-bufs. A *charge* is the part of one holder. The budget of a user is the parameter
 * user_memory_kb, or RLIMIT_MEMLOCK if that is more.
 *
 * A cgroup counts what the core allocates for a user, and not what the user keeps from a
 * channel. The account is the core's own: that of the kernel (locked_vm) exists only with
 * sockets, io_uring and the like.
 *
 * All charges are in one list, which the files in statistics/ walk. A charge holds its
 * channel: a dma-buf may outlive the board.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/vmalloc.h>

#include "channel/internal.h"

static unsigned int user_memory_kb = 65536;
module_param(user_memory_kb, uint, 0644);
MODULE_PARM_DESC(user_memory_kb,
		 "KiB that the files of one user keep, at most; RLIMIT_MEMLOCK if that is more");

struct zio_user {
	struct list_head node;
	kuid_t uid;
	unsigned int n_charges;
	unsigned long pages;
	unsigned long counted;	/* by count_pages(), of one channel */
};

static DEFINE_SPINLOCK(account_lock);	/* all charges and users */
static LIST_HEAD(charges);
static LIST_HEAD(users);

/* In pages */
static unsigned long find_budget(void)
{
	unsigned long kb = READ_ONCE(user_memory_kb);

	return max(kb >> (PAGE_SHIFT - 10), PFN_DOWN(rlimit(RLIMIT_MEMLOCK)));
}

static struct zio_user *find_account(kuid_t uid)
{
	struct zio_user *user;

	list_for_each_entry(user, &users, node)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

static struct zio_user *alloc_account(void)
{
	struct zio_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (user)
		user->uid = current_uid();
	return user;
}

static bool take_pages(struct zio_user *user, unsigned long n, unsigned long budget)
{
	if (n > budget || user->pages > budget - n)
		return false;
	user->pages += n;
	return true;
}

/* The lock is held. Returns the user after its last charge, for kfree(); else NULL. */
static struct zio_user *drop_pages(struct zio_user *user, unsigned long n)
{
	user->pages -= n;
	if (--user->n_charges)
		return NULL;
	list_del(&user->node);
	return user;
}

/* Returns -ENOENT if the user has no account yet: then @new becomes it. */
static int add_charge(struct zio_charge *charge, struct zio_user **new,
		      unsigned long budget)
{
	struct zio_user *user;
	int ret = -EDQUOT;

	spin_lock(&account_lock);
	user = find_account(current_uid()) ?: *new;
	if (!user) {
		ret = -ENOENT;
	} else if (take_pages(user, charge->pages, budget)) {
		if (user == *new)
			list_add(&user->node, &users);
		if (user == *new)
			*new = NULL;
		user->n_charges++;
		charge->user = user;
		list_add(&charge->node, &charges);
		ret = 0;
	}
	spin_unlock(&account_lock);
	return ret;
}

/* Makes an account for the user if there is none. */
static int charge_up_to(struct zio_charge *charge, unsigned long budget)
{
	struct zio_user *new = NULL;
	int ret = add_charge(charge, &new, budget);

	if (ret != -ENOENT)
		return ret;
	new = alloc_account();
	if (!new)
		return -ENOMEM;
	ret = add_charge(charge, &new, budget);
	kfree(new);
	return ret;
}

/**
 * zio_charge() - count memory that a file of the current user keeps
 * @charge: the part of this holder
 * @chan: the channel that the memory is for
 * @bytes: the memory, rounded up to pages
 *
 * CAP_IPC_LOCK lifts the limit.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EDQUOT beyond the user's budget; -ENOMEM.
 */
int zio_charge(struct zio_charge *charge, struct zio_channel_core *chan, size_t bytes)
{
	int ret;

	charge->chan = chan;
	charge->pages = PFN_UP(bytes);
	ret = charge_up_to(charge, find_budget());
	if (ret == -EDQUOT && capable(CAP_IPC_LOCK))
		ret = charge_up_to(charge, ULONG_MAX);
	if (ret)
		charge->chan = NULL;
	else
		kobject_get(&chan->kobj);
	return ret;
}

static bool grow_charge(struct zio_charge *charge, unsigned long n, unsigned long budget)
{
	bool fits;

	spin_lock(&account_lock);
	fits = take_pages(charge->user, n, budget);
	if (fits)
		charge->pages += n;
	spin_unlock(&account_lock);
	return fits;
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

	if (grow_charge(charge, n, find_budget()))
		return 0;
	return capable(CAP_IPC_LOCK) && grow_charge(charge, n, ULONG_MAX) ? 0 : -EDQUOT;
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
	charge->user->pages -= PFN_UP(bytes);
	spin_unlock(&account_lock);
}

/**
 * zio_charge_pass() - pass memory to the user of another charge
 * @charge: the charge, whose user does not keep the memory any more
 * @heir: a charge of the user that keeps it now, also beyond that user's budget
 *
 * Context: Process.
 */
void zio_charge_pass(struct zio_charge *charge, const struct zio_charge *heir)
{
	struct zio_user *last;

	spin_lock(&account_lock);
	heir->user->n_charges++;
	heir->user->pages += charge->pages;
	last = drop_pages(charge->user, charge->pages);
	charge->user = heir->user;
	spin_unlock(&account_lock);
	kfree(last);
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
	struct zio_user *last;

	if (!chan)
		return;
	spin_lock(&account_lock);
	list_del(&charge->node);
	last = drop_pages(charge->user, charge->pages);
	spin_unlock(&account_lock);
	kfree(last);
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

/* The lock is held. Counts the pages of a channel, and those of each user. */
static unsigned long count_pages(const struct zio_channel_core *chan)
{
	const struct zio_charge *charge;
	struct zio_user *user;
	unsigned long n = 0;

	list_for_each_entry(user, &users, node)
		user->counted = 0;
	list_for_each_entry(charge, &charges, node)
		if (charge->chan == chan) {
			charge->user->counted += charge->pages;
			n += charge->pages;
		}
	return n;
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
	n = count_pages(chan);
	spin_unlock(&account_lock);
	return n << PAGE_SHIFT;
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
	const struct zio_user *user;
	ssize_t len = 0;

	spin_lock(&account_lock);
	count_pages(chan);
	list_for_each_entry(user, &users, node)
		if (user->counted)
			len += sysfs_emit_at(page, len, "%u %lu %lu\n",
					     from_kuid_munged(current_user_ns(), user->uid),
					     user->counted << PAGE_SHIFT,
					     user->pages << PAGE_SHIFT);
	spin_unlock(&account_lock);
	return len;
}
