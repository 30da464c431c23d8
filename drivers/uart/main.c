// SPDX-License-Identifier: GPL-2.0-only
/* main.c: the module zio-uart */
#include <linux/module.h>

#include "uart.h"

static int __init uart_module_init(void)
{
	struct uart_setup setup;
	int ret = uart_setup_read(NULL, &setup);

	if (!ret)
		ret = uart_ldisc_register();
	if (ret)
		return ret;
	ret = uart_serdev_register();
	if (ret)
		goto err_serdev;
	ret = uart_attach_register();
	if (!ret)
		return 0;
	uart_serdev_unregister();
err_serdev:
	uart_ldisc_unregister();
	return ret;
}

static void __exit uart_module_exit(void)
{
	uart_attach_unregister();
	uart_serdev_unregister();
	uart_ldisc_unregister();
}

module_init(uart_module_init);
module_exit(uart_module_exit);
MODULE_DESCRIPTION("ZIO: a serial line");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
