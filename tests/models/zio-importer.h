/* SPDX-License-Identifier: GPL-2.0-only */
/* zio-importer.h: /dev/zio-importer, a device that reads dma-bufs */
#ifndef _ZIO_IMPORTER_H
#define _ZIO_IMPORTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Bytes of the mapped dma-buf, which the device copies by their DMA addresses */
struct importer_copy {
	__u64 offset;
	__u64 size;
	__u64 user;		/* address in the program */
};

#define IMPORTER_ATTACH	_IOW('i', 0, int)	/* a descriptor of a dma-buf */
#define IMPORTER_MAP	_IO('i', 1)		/* argument: DMA_* direction */
#define IMPORTER_READ	_IOW('i', 2, struct importer_copy)
#define IMPORTER_WRITE	_IOW('i', 3, struct importer_copy)
#define IMPORTER_FENCE	_IO('i', 4)		/* the device works on the memory */
#define IMPORTER_SIGNAL	_IO('i', 5)		/* it is done */
#define IMPORTER_DETACH	_IO('i', 6)

#endif /* _ZIO_IMPORTER_H */
