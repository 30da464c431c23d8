// SPDX-License-Identifier: GPL-2.0-only
/*
 * trig-user.c: the default trigger: the user's own reads and writes
 *
 * Input fires when somebody reads and nothing is queued; output, when every
 * enabled channel has a block. The core does both, as the flag tells it to.
 */
#include <linux/module.h>

#include "internal.h"

struct zio_trigger_type zio_trigger_user = {
	.name = ZIO_DEFAULT_TRIGGER,
	.owner = THIS_MODULE,
	.flags = ZIO_TRIGGER_ON_DEMAND,
};
