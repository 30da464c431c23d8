// SPDX-License-Identifier: GPL-2.0-only
/*
 * user.c: the trigger types without events of their own, fired by the core
 *
 * user: the core fires an input when a program reads and no block is queued. It fires an
 * output when every enabled channel has a block.
 *
 * transparent: for boards that decide for themselves when to acquire. The core arms an
 * input whenever it is idle and a channel has room. It fires an output as with user.
 */
#include <linux/module.h>

#include "trigger/internal.h"

static struct zio_trigger_type zio_trigger_user = {
	.name = ZIO_DEFAULT_TRIGGER,
	.owner = THIS_MODULE,
	.flags = ZIO_TRIGGER_ON_DEMAND,
};

static struct zio_trigger_type zio_trigger_transparent = {
	.name = "transparent",
	.owner = THIS_MODULE,
	.flags = ZIO_TRIGGER_REARM,
};

/*
 * Registers the trigger types of the core. Nothing undoes this: the types have no
 * directory, and go with the module. @ops are the operations of the config folder. Context:
 * Process, sleeps. Returns 0, or an error as zio_trigger_type_register().
 */
int zio_triggers_init(const struct zio_trigger_config_ops *ops)
{
	zio_trigger_config = ops;
	return zio_trigger_type_register(&zio_trigger_user) ?:
		zio_trigger_type_register(&zio_trigger_transparent);
}
