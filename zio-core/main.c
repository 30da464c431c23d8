// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: loading and unloading of the core
 *
 * Lower folders do not call higher ones. Instead, this file passes each folder the
 * operations of higher folders when it initialises it.
 */
#include <linux/module.h>

#include "config/config.h"
#include "share/share.h"

static int __init zio_init(void)
{
	int ret = zio_snapshots_init();

	if (ret)
		return ret;
	ret = zio_buffers_init(&zio_buffer_kind.ktype);
	if (ret)
		goto err_buffers;
	ret = zio_bus_init();
	if (ret)
		goto err_bus;
	ret = zio_nodes_init(&zio_node_share_ops);
	if (ret)
		goto err_nodes;
	ret = zio_triggers_init(&zio_trigger_config_ops);
	if (ret)
		goto err_triggers;
	ret = zio_sniff_init();
	if (ret)
		goto err_triggers;
	return 0;

err_triggers:
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
	zio_nodes_exit();
	zio_bus_exit();
	zio_buffers_exit();
	zio_snapshots_exit();
}

module_init(zio_init);
module_exit(zio_exit);
MODULE_DESCRIPTION("ZIO: blocks from device to user");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
/* An asynchronous probe cannot wait for modprobe: see zio_may_load(). */
MODULE_SOFTDEP("post: zio-buf-" ZIO_DEFAULT_BUFFER);
