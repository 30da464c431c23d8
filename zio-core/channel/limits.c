// SPDX-License-Identifier: GPL-2.0-only
/*
 * limits.c: limits of what one user can take
 *
 * The core charges memory that it allocates for a user to the user's cgroup. Sessions
 * have a limit of their own, as each open() of a channel looks through all of them.
 * Pages of a buffer that pipes and sockets keep have a limit, too.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "channel/internal.h"

static unsigned int user_sessions = 1024;
module_param(user_sessions, uint, 0644);
MODULE_PARM_DESC(user_sessions,
		 "sessions of one user on one channel, at most; 0: no limit");

/**
 * zio_user_has_room() - check that the user may have another session on a channel
 * @chan: the channel, locked
 *
 * CAP_SYS_RESOURCE lifts the limit.
 *
 * Context: Process.
 *
 * Return: true if the user may.
 */
bool zio_user_has_room(const struct zio_channel_core *chan)
{
	unsigned int n = 0, most = READ_ONCE(user_sessions);
	const struct zio_session *sess;

	list_for_each_entry(sess, &chan->sessions, node)
		n += uid_eq(sess->owner, current_uid());
	return !most || n < most || capable(CAP_SYS_RESOURCE);
}

/**
 * zio_pages_pin() - account for pages that the user is about to pin
 * @n: number of pages
 *
 * RLIMIT_MEMLOCK limits the pages that all processes of a user have pinned. CAP_IPC_LOCK
 * lifts the limit.
 *
 * Context: Process.
 *
 * Return: credentials, which hold the user, for zio_pages_unpin(); NULL beyond the limit.
 * (Not all kernels let modules hold a user itself.)
 */
const struct cred *zio_pages_pin(unsigned long n)
{
	unsigned long most = PFN_DOWN(rlimit(RLIMIT_MEMLOCK));
	atomic_long_t *locked = &current_user()->locked_vm;

	if (atomic_long_add_return(n, locked) > most &&
	    !capable(CAP_IPC_LOCK)) {
		atomic_long_sub(n, locked);
		return NULL;
	}
	return get_current_cred();
}

/* Context: Process. */
void zio_pages_unpin(const struct cred *owner, unsigned long n)
{
	atomic_long_sub(n, &owner->user->locked_vm);
	put_cred(owner);
}
