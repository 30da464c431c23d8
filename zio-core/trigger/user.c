// SPDX-License-Identifier: GPL-2.0-only
/*
 * user.c: the triggers without events, for which the core fires
 *
 * user: input fires when somebody reads and nothing is queued; output, when
 * every enabled channel has a block.
 *
 * transparent: for boards that know themselves when there is something. Input is
 * armed whenever it is idle and a channel has room; output is as with user.
 */
#include <linux/module.h>

#include "zio-core.h"

struct zio_trigger_type zio_trigger_user = {
	.name = ZIO_DEFAULT_TRIGGER,
	.owner = THIS_MODULE,
	.flags = ZIO_TRIGGER_ON_DEMAND,
};

struct zio_trigger_type zio_trigger_transparent = {
	.name = "transparent",
	.owner = THIS_MODULE,
	.flags = ZIO_TRIGGER_REARM,
};
