// SPDX-License-Identifier: GPL-2.0-only
/*
 * serdev.c: serial devices that the firmware describes
 *
 * In a device tree, the node of the serial port has a child with the compatible "zio,uart".
 * Its properties are those of configfs (frame, size, start, end, checksum, ssize, columns,
 * decimals, frames) and current-speed. The bus passes only bytes, not the errors of the line.
 */
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/property.h>
#include <linux/serdev.h>
#include <linux/version.h>

#include "uart.h"

#define UART_BITS	10	/* per byte: 8 data bits, no parity */

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define UART_TAKEN	int
#else
#define UART_TAKEN	size_t
#endif

static UART_TAKEN uart_serdev_receive(struct serdev_device *serdev,
				      const unsigned char *data, size_t n)
{
	uart_line_receive(serdev_device_get_drvdata(serdev), data, NULL, n);
	return n;
}

static const struct serdev_device_ops uart_serdev_ops = {
	.receive_buf = uart_serdev_receive,
	.write_wakeup = serdev_device_write_wakeup,
};

static int uart_open_serdev(struct serdev_device *serdev)
{
	u32 speed = 115200;
	int ret;

	device_property_read_u32(&serdev->dev, "current-speed", &speed);
	serdev_device_set_client_ops(serdev, &uart_serdev_ops);
	ret = serdev_device_open(serdev);
	if (ret)
		return ret;
	speed = serdev_device_set_baudrate(serdev, speed);
	uart_line_set_speed(serdev_device_get_drvdata(serdev), UART_BITS, speed);
	serdev_device_set_flow_control(serdev, false);
	return 0;
}

static int uart_serdev_probe(struct serdev_device *serdev)
{
	struct uart_setup setup;
	struct uart_line *line;
	int ret = uart_setup_read(&serdev->dev, &setup);

	if (ret)
		return ret;
	line = uart_line_create(&serdev->dev, &setup, ZIO_ID_AUTO);
	if (IS_ERR(line))
		return PTR_ERR(line);
	serdev_device_set_drvdata(serdev, line);
	ret = uart_open_serdev(serdev);
	if (!ret)
		return 0;
	uart_line_unplug(line);
	uart_line_put(line);
	return ret;
}

/* After the port is closed, it passes no bytes. */
static void uart_serdev_remove(struct serdev_device *serdev)
{
	struct uart_line *line = serdev_device_get_drvdata(serdev);

	serdev_device_close(serdev);
	uart_line_unplug(line);
	uart_line_put(line);
}

static const struct of_device_id uart_of_match[] = {
	{ .compatible = "zio,uart" },
	{ }
};
MODULE_DEVICE_TABLE(of, uart_of_match);

static struct serdev_device_driver uart_serdev_driver = {
	.driver.name = "zio-uart",
	.driver.of_match_table = uart_of_match,
	.probe = uart_serdev_probe,
	.remove = uart_serdev_remove,
};

int uart_serdev_register(void)
{
	return serdev_device_driver_register(&uart_serdev_driver);
}

void uart_serdev_unregister(void)
{
	serdev_device_driver_unregister(&uart_serdev_driver);
}
