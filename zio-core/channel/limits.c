// SPDX-License-Identifier: GPL-2.0-only
/*
 * limits.c: how many sessions a user can have
 *
 * Each open() of a channel looks through all of its sessions. account.c limits memory.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/module.h>

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
