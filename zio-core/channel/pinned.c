// SPDX-License-Identifier: GPL-2.0-only
/*
 * pinned.c: what of a channel's memory pipes and sockets have, and who asked for it
 *
 * A process that splices may pass the pages on, and end. So the kernel cannot tell who
 * has them. It tells who called splice(), which is where to look first.
 */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sysfs.h>

#include "channel/pipe.h"

/* Processes that are told of one by one */
#define MAX_BORROWERS	16

struct borrower {
	pid_t pid;
	size_t bytes;
};

/* For those who do not lock the channel. */
static struct zio_lender *get_lender(struct zio_channel_core *chan)
{
	/* Pairs with the store in have_lender(). */
	return smp_load_acquire(&chan->lender);
}

/**
 * zio_loans_count() - how much is lent at present
 * @chan: the channel
 *
 * Process context. Blocks of a buffer that was replaced count as long as pipes have them.
 *
 * Return: the blocks, and the bytes in them.
 */
struct zio_lent zio_loans_count(struct zio_channel_core *chan)
{
	struct zio_lender *lender = get_lender(chan);
	struct zio_lent lent = {};
	struct zio_loan *loan;

	if (!lender)
		return lent;
	spin_lock(&lender->lock);
	list_for_each_entry(loan, &lender->loans, node) {
		lent.bytes += loan->len;
		lent.blocks++;
	}
	spin_unlock(&lender->lock);
	return lent;
}

/* As the reader knows it; 0 if it has ended, or is in another namespace. */
static pid_t number_of(struct pid *pid)
{
	pid_t nr;

	rcu_read_lock();
	nr = pid_task(pid, PIDTYPE_TGID) ? pid_vnr(pid) : 0;
	rcu_read_unlock();
	return nr;
}

/* Those that there is no room for are with process 0, which is the first. */
static void add_borrower(struct borrower *borrower, unsigned int *n,
			 const struct zio_loan *loan)
{
	pid_t pid = number_of(loan->lent_to);
	unsigned int i = 0;

	while (i < *n && borrower[i].pid != pid)
		i++;
	if (i == MAX_BORROWERS)
		i = 0;
	else if (i == *n)
		borrower[(*n)++] = (struct borrower){ .pid = pid };
	borrower[i].bytes += loan->len;
}

/**
 * zio_loans_show_users() - who has called splice() for what is lent
 * @chan: the channel
 * @page: to be filled in
 *
 * Process context.
 *
 * Return: the length of the text: a line for each process, with its number and bytes.
 */
ssize_t zio_loans_show_users(struct zio_channel_core *chan, char *page)
{
	struct zio_lender *lender = get_lender(chan);
	struct borrower borrower[MAX_BORROWERS] = {};
	unsigned int i, n = 1;
	struct zio_loan *loan;
	ssize_t len = 0;

	if (!lender)
		return 0;
	spin_lock(&lender->lock);
	list_for_each_entry(loan, &lender->loans, node)
		add_borrower(borrower, &n, loan);
	spin_unlock(&lender->lock);
	for (i = 0; i < n; i++)
		if (borrower[i].bytes)
			len += sysfs_emit_at(page, len, "%d %zu\n", borrower[i].pid,
					     borrower[i].bytes);
	return len;
}
