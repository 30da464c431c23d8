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
 * zio_triggers_init() - make ready for triggers, and register those of the core
 * @ops: what the folder config does for triggers
 *
 * Return: 0; -ENOMEM and the like.
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

void zio_triggers_exit(void)
{
	zio_trigger_type_unregister(&zio_trigger_transparent);
	zio_trigger_type_unregister(&zio_trigger_user);
}
