// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-board.c: platform devices for a driver whose board is not enumerated
 *
 * A platform device comes from the device tree, from ACPI, or from board code. This module
 * is such code: "modprobe zio-board driver=zio-mini" creates the device zio-mini.0, and
 * rmmod removes it.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

static char *driver = "";
module_param(driver, charp, 0444);
MODULE_PARM_DESC(driver, "name of a platform driver");

static unsigned int count = 1;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "number of devices (default 1)");

static struct platform_device **boards;
static unsigned int n_boards;

static void board_exit(void)
{
	while (n_boards)
		platform_device_unregister(boards[--n_boards]);
	kvfree(boards);
}

static int __init board_init(void)
{
	struct platform_device *board;

	if (!*driver || !count)
		return -EINVAL;
	boards = kvcalloc(count, sizeof(*boards), GFP_KERNEL);
	if (!boards)
		return -ENOMEM;
	while (n_boards < count) {
		board = platform_device_register_simple(driver, n_boards, NULL, 0);
		if (IS_ERR(board)) {
			board_exit();
			return PTR_ERR(board);
		}
		boards[n_boards++] = board;
	}
	return 0;
}

module_init(board_init);
module_exit(board_exit);
MODULE_DESCRIPTION("ZIO: platform devices for a driver");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
