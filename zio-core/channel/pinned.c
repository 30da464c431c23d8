// SPDX-License-Identifier: GPL-2.0-only
/*
 * pinned.c: the pinned blocks of a channel, and the processes that pinned them
 *
 * A process that called splice() may pass the pages on, and end. So the core does not know
 * which process has them. It names the process that called splice().
 */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sysfs.h>

#include "channel/pipe.h"

/* Processes that have a line of their own */
#define MAX_USERS	16

struct pin_user {
	pid_t pid;
	size_t bytes;
};

/* The caller need not lock the channel. */
static struct zio_pin_list *get_pin_list(struct zio_channel_core *chan)
{
	/* Pairs with the store in have_pin_list(). */
	return smp_load_acquire(&chan->pins);
}

/**
 * zio_pins_count() - count the pinned blocks of a channel
 * @chan: the channel
 *
 * Blocks of a buffer that was replaced count as long as they are pinned.
 *
 * Context: Process.
 *
 * Return: the blocks, and the bytes in them.
 */
struct zio_pin_count zio_pins_count(struct zio_channel_core *chan)
{
	struct zio_pin_list *list = get_pin_list(chan);
	struct zio_pin_count count = {};
	struct zio_block_pin *pin;

	if (!list)
		return count;
	spin_lock(&list->lock);
	list_for_each_entry(pin, &list->pins, node) {
		count.bytes += pin->block->len;
		count.blocks++;
	}
	spin_unlock(&list->lock);
	return count;
}

/* Returns the pid in the reader's namespace; 0 if the process has none there, or ended. */
static pid_t number_of(struct pid *pid)
{
	pid_t nr;

	rcu_read_lock();
	nr = pid_task(pid, PIDTYPE_TGID) ? pid_vnr(pid) : 0;
	rcu_read_unlock();
	return nr;
}

/* Adds users without a line of their own to process 0, which has the first line. */
static void add_user(struct pin_user *user, unsigned int *n,
		     const struct zio_block_pin *pin)
{
	pid_t pid = number_of(pin->pid);
	unsigned int i = 0;

	while (i < *n && user[i].pid != pid)
		i++;
	if (i == MAX_USERS)
		i = 0;
	else if (i == *n)
		user[(*n)++] = (struct pin_user){ .pid = pid };
	user[i].bytes += pin->block->len;
}

/**
 * zio_pins_show_users() - list the processes that called splice() for pinned blocks
 * @chan: the channel
 * @page: for the text
 *
 * Context: Process.
 *
 * Return: the length of the text: a line for each process, with its number and bytes.
 */
ssize_t zio_pins_show_users(struct zio_channel_core *chan, char *page)
{
	struct zio_pin_list *list = get_pin_list(chan);
	struct pin_user user[MAX_USERS] = {};
	struct zio_block_pin *pin;
	unsigned int i, n = 1;
	ssize_t len = 0;

	if (!list)
		return 0;
	spin_lock(&list->lock);
	list_for_each_entry(pin, &list->pins, node)
		add_user(user, &n, pin);
	spin_unlock(&list->lock);
	for (i = 0; i < n; i++)
		if (user[i].bytes)
			len += sysfs_emit_at(page, len, "%d %zu\n", user[i].pid,
					     user[i].bytes);
	return len;
}
