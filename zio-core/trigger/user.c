// SPDX-License-Identifier: GPL-2.0-only
/*
 * user.c: the trigger types without events of their own; the core fires
 *
 * user: the core fires an input when a program reads and no block is queued. It fires an
 * output when every enabled channel has a block.
 *
 * transparent: for boards that decide themselves when to acquire. The core arms an input
 * whenever it is idle and a channel has room. It fires an output as with user.
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

/**
 * zio_triggers_init() - initialise triggers, and register the types of the core
 * @ops: operations of the config folder
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENOMEM.
 */
int zio_triggers_init(const struct zio_trigger_config_ops *ops)
{
	int ret;

	zio_trigger_config = ops;
	ret = zio_trigger_type_register(&zio_trigger_user);
	if (ret)
		return ret;
	ret = zio_trigger_type_register(&zio_trigger_transparent);
	if (ret)
		zio_trigger_type_unregister(&zio_trigger_user);
	return ret;
}

/**
 * zio_triggers_exit() - undo zio_triggers_init()
 *
 * Context: Process, sleeps.
 */
void zio_triggers_exit(void)
{
	zio_trigger_type_unregister(&zio_trigger_transparent);
	zio_trigger_type_unregister(&zio_trigger_user);
}
