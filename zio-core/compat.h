/* SPDX-License-Identifier: GPL-2.0-only */
/* compat.h: all differences between kernels, from 6.1 on */
#ifndef _ZIO_COMPAT_H
#define _ZIO_COMPAT_H

#include <linux/device.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/version.h>
#include <linux/zio-compat.h>

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

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define ZIO_BUS_TYPE_CONST
#else
#define ZIO_BUS_TYPE_CONST	const
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

/* Since 7.2, the name of the module leads to the directory of a built-in driver. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define zio_platform_driver_register(_driver, _owner) \
	__platform_driver_register(_driver, _owner)
#else
#define zio_platform_driver_register(_driver, _owner) \
	__platform_driver_register(_driver, _owner, module_name(_owner))
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define zio_import_dma_buf()	MODULE_IMPORT_NS(DMA_BUF)
#else
#define zio_import_dma_buf()	MODULE_IMPORT_NS("DMA_BUF")
#endif

/* Returns the position of an iterator over one range of user memory; otherwise NULL. */
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

/* iov_iter_advance() for iterators that zio_iter_plain() accepts: they have one segment. */
static inline void zio_iter_pass(struct iov_iter *iter, size_t n)
{
	n = min(n, iter->count);
	iter->iov_offset += n;
	iter->count -= n;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define zio_copy_splice_read	generic_file_splice_read
#else
#define zio_copy_splice_read	copy_splice_read
#endif

/*
 * copy_to_user() without its check of the kernel's side. Architectures that inline the copy
 * do not export a function for it.
 */
#ifdef INLINE_COPY_TO_USER
#define zio_copy_to_user	copy_to_user
#else
#define zio_copy_to_user	_copy_to_user
#endif

#endif /* _ZIO_COMPAT_H */
