/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: declarations that the files of device share; no other folder calls them */
#ifndef _ZIO_DEVICE_INTERNAL_H
#define _ZIO_DEVICE_INTERNAL_H

#include "config/config.h"

/* device.c */
bool zio_device_desc_is_valid(const struct zio_device_desc *desc);

/* power.c */
extern const struct device_type zio_device_type;
int zio_device_suspend(struct device *dev);
int zio_device_resume(struct device *dev);
void zio_device_show_sets(struct zio_device *zdev, bool shown);

/* cset.c */
struct zio_cset_core *zio_cset_create(struct zio_device *zdev,
				      const struct zio_cset_desc *desc,
				      unsigned int index);
void zio_cset_shutdown(struct zio_cset_core *cset);
void zio_cset_remove(struct zio_cset_core *cset);

#endif /* _ZIO_DEVICE_INTERNAL_H */
