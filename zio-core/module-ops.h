/* SPDX-License-Identifier: GPL-2.0-only */
/* module-ops.h: operations of a module that may not be loaded. Part of zio-core.h. */
#ifndef _ZIO_MODULE_OPS_H
#define _ZIO_MODULE_OPS_H

#include <linux/module.h>
#include <linux/rcupdate.h>

/*
 * Gets the operations that a module has put into an __rcu pointer, and holds the module for
 * module_put(); NULL if there is none, or it is leaving. Context: Any.
 */
#define zio_get_module_ops(_place)					\
({									\
	typeof(*(_place)) *_ops;					\
									\
	rcu_read_lock();						\
	_ops = rcu_dereference(_place);					\
	if (_ops && !try_module_get(_ops->owner))			\
		_ops = NULL;						\
	rcu_read_unlock();						\
	_ops;								\
})

#endif /* _ZIO_MODULE_OPS_H */
