// SPDX-License-Identifier: GPL-2.0-only
/* exports.c: what zio-test uses of zio-configfs; test kernels only */
#include <linux/export.h>

#include "configfs/internal.h"

EXPORT_SYMBOL_NS_GPL(zio_configfs_devices, ZIO_TEST);
