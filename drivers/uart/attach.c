// SPDX-License-Identifier: GPL-2.0-only
/*
 * attach.c: devices in configfs, each with the tty that it names
 *
 * The device holds the tty open, so its settings persist. stty may change them at any time.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/major.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/tty.h>
#include <linux/version.h>
#include <linux/zio-config.h>

#include "uart.h"

struct uart_attachment {
	struct file *file;
	struct tty_struct *tty;
	struct uart_line *line;
};

static bool uart_is_pty(dev_t dev)
{
	return MAJOR(dev) >= UNIX98_PTY_SLAVE_MAJOR &&
		MAJOR(dev) < UNIX98_PTY_SLAVE_MAJOR + UNIX98_PTY_MAJOR_COUNT;
}

/*
 * The kernel finds a tty by its number, except a pty, which is in its own file system.
 * Every file with the number of a pty is a tty.
 *
 * Returns the tty with a reference, or an ERR_PTR.
 */
static struct tty_struct *uart_find_tty(struct file *file)
{
	struct inode *inode = file_inode(file);
	struct tty_file_private *data;
	struct tty_struct *tty;

	if (!S_ISCHR(inode->i_mode))
		return ERR_PTR(-ENOTTY);
	if (uart_is_pty(inode->i_rdev)) {
		data = file->private_data;
		return tty_kref_get(data->tty);
	}
	tty = tty_kopen_shared(inode->i_rdev);
	return IS_ERR_OR_NULL(tty) ? ERR_PTR(-ENOTTY) : tty;
}

static int uart_open_tty(struct uart_attachment *att, const char *path)
{
	att->file = filp_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK, 0);
	if (IS_ERR(att->file))
		return PTR_ERR(att->file);
	att->tty = uart_find_tty(att->file);
	if (!IS_ERR(att->tty))
		return 0;
	fput(att->file);
	return PTR_ERR(att->tty);
}

static void uart_close_tty(struct uart_attachment *att)
{
	tty_kref_put(att->tty);
	fput(att->file);
}

static int uart_attach_line(struct uart_attachment *att, struct platform_device *pdev)
{
	struct uart_setup setup;
	int ret = uart_setup_read(&pdev->dev, &setup);

	if (ret)
		return ret;
	att->line = uart_line_create(&pdev->dev, &setup,
				     zio_config_id(&pdev->dev, ZIO_ID_AUTO));
	if (IS_ERR(att->line))
		return PTR_ERR(att->line);
	ret = uart_ldisc_attach(att->tty, att->line);
	if (!ret)
		return 0;
	uart_line_unplug(att->line);
	uart_line_put(att->line);
	return ret;
}

static int uart_probe(struct platform_device *pdev)
{
	const char *path = zio_config_text(&pdev->dev, "tty", "");
	struct uart_attachment *att;
	int ret;

	if (!*path) {
		dev_err(&pdev->dev, "the attribute tty is empty: write a path such as /dev/ttyUSB0\n");
		return -EINVAL;
	}
	att = devm_kzalloc(&pdev->dev, sizeof(*att), GFP_KERNEL);
	if (!att)
		return -ENOMEM;
	ret = uart_open_tty(att, path);
	if (ret) {
		dev_err(&pdev->dev, "cannot open %s as a tty: error %d\n", path, ret);
		return ret;
	}
	ret = uart_attach_line(att, pdev);
	if (ret == -EBUSY)
		dev_err(&pdev->dev, "%s is attached to another device\n", path);
	if (ret)
		uart_close_tty(att);
	else
		platform_set_drvdata(pdev, att);
	return ret;
}

static void uart_detach(struct platform_device *pdev)
{
	struct uart_attachment *att = platform_get_drvdata(pdev);

	uart_line_unplug(att->line);
	uart_ldisc_detach(att->tty, att->line);
	uart_line_put(att->line);
	uart_close_tty(att);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
static int uart_remove(struct platform_device *pdev)
{
	uart_detach(pdev);
	return 0;
}
#else
static void uart_remove(struct platform_device *pdev)
{
	uart_detach(pdev);
}
#endif

static struct platform_driver uart_driver = {
	.driver.name = "zio-uart",
	.probe = uart_probe,
	.remove = uart_remove,
};

static const struct zio_attr_desc uart_config_attrs[] = {
	{ .name = "tty", .mode = 0644, .text = "<text>" },
	{ .name = "frame", .mode = 0644, .words = uart_kinds },
	{ .name = "size", .mode = 0644, .value = 16, .min = 1, .max = UART_MAX_SIZE },
	{ .name = "start", .mode = 0644, .text = "<text>" },
	{ .name = "end", .mode = 0644, .text = "<text>" },
	{ .name = "checksum", .mode = 0644, .words = uart_checks },
	{ .name = "ssize", .mode = 0644, .words = uart_ssizes },
	{ .name = "columns", .mode = 0644, .value = 1, .min = 1, .max = UART_MAX_COLUMNS },
	{ .name = "decimals", .mode = 0644, .max = UART_MAX_DECIMALS },
	{ .name = "frames", .mode = 0644, .value = 1, .min = 1, .max = 65536 },
};

static struct zio_config_type uart_config = {
	.name = UART_NAME,
	.owner = THIS_MODULE,
	.driver = &uart_driver,
	.attrs = uart_config_attrs,
	.n_attrs = ARRAY_SIZE(uart_config_attrs),
};

int uart_attach_register(void)
{
	return zio_config_driver_register(&uart_config, 0);
}

void uart_attach_unregister(void)
{
	zio_config_driver_unregister(&uart_config);
}
