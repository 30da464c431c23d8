// SPDX-License-Identifier: GPL-2.0-only
/* main.c: loading and unloading of the core */
#include <linux/module.h>

#include "zio-core.h"

static int __init zio_init(void)
{
	int ret = zio_snapshots_init();

	if (ret)
		return ret;
	ret = zio_buffers_init();
	if (ret)
		goto err_buffers;
	ret = zio_bus_init();
	if (ret)
		goto err_bus;
	ret = zio_nodes_init();
	if (ret)
		goto err_nodes;
	ret = zio_configfs_init();
	if (ret)
		goto err_configfs;
	ret = zio_trigger_type_register(&zio_trigger_user);
	if (ret)
		goto err_user;
	ret = zio_trigger_type_register(&zio_trigger_transparent);
	if (ret)
		goto err_transparent;
	ret = zio_sniff_init();
	if (ret)
		goto err_sniff;
	return 0;

err_sniff:
	zio_trigger_type_unregister(&zio_trigger_transparent);
err_transparent:
	zio_trigger_type_unregister(&zio_trigger_user);
err_user:
	zio_configfs_exit();
err_configfs:
	zio_nodes_exit();
err_nodes:
	zio_bus_exit();
err_bus:
	zio_buffers_exit();
err_buffers:
	zio_snapshots_exit();
	return ret;
}

static void __exit zio_exit(void)
{
	zio_sniff_exit();
	zio_trigger_type_unregister(&zio_trigger_transparent);
	zio_trigger_type_unregister(&zio_trigger_user);
	zio_configfs_exit();
	zio_nodes_exit();
	zio_bus_exit();
	zio_buffers_exit();
	zio_snapshots_exit();
}

module_init(zio_init);
module_exit(zio_exit);
MODULE_DESCRIPTION("ZIO: blocks from device to user");
MODULE_LICENSE("GPL");
