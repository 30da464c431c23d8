// SPDX-License-Identifier: GPL-2.0-only
/*
 * serdev-line.c: a serial port with a device, as a device tree would describe it
 *
 * The driver zio-uart must be loaded. A write of hexadecimal digits to the parameter
 * "send" sends these bytes from the device. "speed" is what the driver has set.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/property.h>
#include <linux/serdev.h>
#include <linux/string.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#include <linux/hex.h>
#endif

static uint speed;
module_param(speed, uint, 0444);

static struct platform_device *host;
static struct serdev_controller *port;
static struct serdev_device *board;
static bool is_open;
static DEFINE_MUTEX(open_lock); /* is_open; a port that is closed passes no bytes */

static int port_open(struct serdev_controller *controller)
{
	mutex_lock(&open_lock);
	is_open = true;
	mutex_unlock(&open_lock);
	return 0;
}

static void port_close(struct serdev_controller *controller)
{
	mutex_lock(&open_lock);
	is_open = false;
	mutex_unlock(&open_lock);
}

static unsigned int port_set_speed(struct serdev_controller *controller, unsigned int hz)
{
	speed = hz;
	return hz;
}

static const struct serdev_controller_ops port_ops = {
	.open = port_open,
	.close = port_close,
	.set_baudrate = port_set_speed,
};

static int send(const char *text, const struct kernel_param *param)
{
	unsigned char raw[256];
	size_t n = strcspn(text, "\n") / 2;

	if (n > sizeof(raw) || hex2bin(raw, text, n))
		return -EINVAL;
	mutex_lock(&open_lock);
	if (is_open)
		serdev_controller_receive_buf(port, raw, n);
	mutex_unlock(&open_lock);
	return 0;
}

static const struct kernel_param_ops send_ops = { .set = send };
module_param_cb(send, &send_ops, NULL, 0200);

static const struct property_entry properties[] = {
	PROPERTY_ENTRY_STRING("frame", "length"),
	PROPERTY_ENTRY_STRING("checksum", "sum8"),
	PROPERTY_ENTRY_STRING("start", "7e"),
	PROPERTY_ENTRY_U32("size", 8),
	PROPERTY_ENTRY_U32("ssize", 2),
	PROPERTY_ENTRY_U32("current-speed", 57600),
	{ }
};

static const struct software_node board_node = { .properties = properties };

static struct serdev_controller *alloc_port(struct device *parent)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
	return serdev_controller_alloc(parent, 0);
#else
	return serdev_controller_alloc(parent, parent, 0);
#endif
}

/* serdev_controller_add() wants a device of the firmware. */
static int add_port(void)
{
	int ret;

	port = alloc_port(&host->dev);
	if (!port)
		return -ENOMEM;
	port->ops = &port_ops;
	ret = device_add(&port->dev);
	if (ret)
		serdev_controller_put(port);
	else
		pm_runtime_enable(&port->dev);
	return ret;
}

static void remove_port(void)
{
	pm_runtime_disable(&port->dev);
	device_unregister(&port->dev);
}

/* No firmware matches the board with the driver: attach it. */
static int add_board(void)
{
	struct device_driver *driver;
	int ret = -ENOMEM;

	board = serdev_device_alloc(port);
	if (!board)
		return -ENOMEM;
	ret = device_add_software_node(&board->dev, &board_node);
	if (!ret)
		ret = serdev_device_add(board);
	if (ret) {
		serdev_device_put(board);
		return ret;
	}
	driver = driver_find("zio-uart", board->dev.bus);
	ret = driver ? device_driver_attach(driver, &board->dev) : -ENODEV;
	if (ret)
		serdev_device_remove(board);
	return ret;
}

static int __init line_init(void)
{
	int ret;

	host = platform_device_register_simple("serdev-line", -1, NULL, 0);
	if (IS_ERR(host))
		return PTR_ERR(host);
	ret = add_port();
	if (ret)
		goto err_port;
	ret = add_board();
	if (!ret)
		return 0;
	remove_port();
err_port:
	platform_device_unregister(host);
	return ret;
}
module_init(line_init);

static void __exit line_exit(void)
{
	serdev_device_remove(board);
	remove_port();
	platform_device_unregister(host);
}
module_exit(line_exit);

MODULE_DESCRIPTION("A serial port with a device, for tests");
MODULE_LICENSE("GPL");
