// SPDX-License-Identifier: GPL-2.0-only
/* suites.c: the module zio-test; Kbuild lists its suites */
#include <linux/module.h>

MODULE_DESCRIPTION("ZIO: KUnit suites");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(ZIO_TEST);

/*
 * A kernel with KUnit runs the suites of a module when the module comes. KUnit as a
 * module cannot: the kernel does not tell it where the suites are. suites.lds does.
 */
#ifndef CONFIG_KUNIT
#include "test-device.h"

static int __init suites_init(void)
{
	__kunit_test_suites_init(zio_suites_begin, zio_suites_end - zio_suites_begin);
	return 0;
}
module_init(suites_init);

static void __exit suites_exit(void)
{
}
module_exit(suites_exit);
#endif
