// SPDX-License-Identifier: GPL-2.0-only
/*
 * export.c: pass ZIO_IOC_DMABUF to the module zio-dmabuf, loading it on first use
 */
#include <linux/export.h>
#include <linux/kmod.h>
#include <linux/module.h>

#include "channel/internal.h"

static const struct zio_dmabuf_ops __rcu *zio_dmabuf;

/*
 * Handles ZIO_IOC_DMABUF of a data node; may load the module. Returns -EOPNOTSUPP without the
 * module, or as zio_dmabuf_ops.export().
 */
long zio_node_export(struct file *file, struct zio_dmabuf __user *to)
{
	const struct zio_dmabuf_ops *ops;
	long ret;

	ops = zio_get_module_ops(zio_dmabuf);
	if (!ops && !request_module("zio-dmabuf"))
		ops = zio_get_module_ops(zio_dmabuf);
	if (!ops) {
		pr_notice_once("zio: ZIO_IOC_DMABUF needs the module zio-dmabuf, which modprobe does not load\n");
		return -EOPNOTSUPP;
	}
	ret = ops->export(file, to);
	module_put(ops->owner);
	return ret;
}

/**
 * zio_dmabuf_set_ops() - let a module handle ZIO_IOC_DMABUF
 * @ops: operations of the module, or NULL when it leaves
 *
 * No call is running in a module that leaves: each holds the module.
 *
 * Context: Process, sleeps; for module_init() and module_exit().
 */
void zio_dmabuf_set_ops(const struct zio_dmabuf_ops *ops)
{
	rcu_assign_pointer(zio_dmabuf, ops);
	if (!ops)
		synchronize_rcu(); /* zio_node_export() may still read the former ones */
}
EXPORT_SYMBOL_GPL(zio_dmabuf_set_ops);
