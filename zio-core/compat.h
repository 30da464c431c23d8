/* SPDX-License-Identifier: GPL-2.0-only */
/* compat.h: differences between kernels, 6.1 and newer; nowhere else */
#ifndef _ZIO_COMPAT_H
#define _ZIO_COMPAT_H

#include <linux/device.h>
#include <linux/mm.h>
#include <linux/uio.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "ZIO needs Linux 6.1 or newer"
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define zio_class_create(_name)	class_create(THIS_MODULE, _name)
#define ZIO_BUS_CONST
#else
#define zio_class_create(_name)	class_create(_name)
#define ZIO_BUS_CONST		const
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define ZIO_DEV_CONST
#else
#define ZIO_DEV_CONST		const
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define ZIO_MATCH_CONST
#else
#define ZIO_MATCH_CONST		const
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define ZIO_BIN_ATTR_CONST
#else
#define ZIO_BIN_ATTR_CONST	const
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define zio_vm_flags_clear(_vma, _flags)	((_vma)->vm_flags &= ~(_flags))
#define zio_vm_flags_set(_vma, _flags)		((_vma)->vm_flags |= (_flags))
#else
#define zio_vm_flags_clear(_vma, _flags)	vm_flags_clear(_vma, _flags)
#define zio_vm_flags_set(_vma, _flags)		vm_flags_set(_vma, _flags)
#endif

/* Returns the place of an iterator over one range of user memory; otherwise NULL. */
static inline void __user *zio_iter_plain(const struct iov_iter *iter)
{
	if (iter_is_ubuf(iter))
		return iter->ubuf + iter->iov_offset;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	if (iter_is_iovec(iter) && iter->nr_segs == 1)
		return iter->iov->iov_base + iter->iov_offset;
#endif
	return NULL;
}

#endif /* _ZIO_COMPAT_H */
