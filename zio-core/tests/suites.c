// SPDX-License-Identifier: GPL-2.0-only
/* suites.c: the module zio-test; Kbuild lists its suites */
#include <linux/module.h>

MODULE_DESCRIPTION("ZIO: KUnit suites");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(ZIO_TEST);
