// SPDX-License-Identifier: GPL-2.0-only
/*
 * tty-line.c: the tty /dev/ttyLINE0, whose bytes and errors come from the parameter "send"
 *
 * A write of "a5 5a p01 f02 b00 o00" sends six bytes: two good ones, one with an error of
 * its parity, one with a framing error, a break, and an overrun. A write to "unplug" is
 * what a USB adapter does when it is pulled out.
 *
 * While the line is throttled, the other end sends nothing: the bytes are dropped.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tty.h>
#include <linux/tty_driver.h>
#include <linux/tty_flip.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define LINE_DONE	int
#define LINE_COUNT	int
#else
#include <linux/hex.h>
#define LINE_DONE	ssize_t
#define LINE_COUNT	size_t
#endif

static struct tty_driver *line_driver;
static struct tty_port line_port;
static bool is_plugged, is_throttled;
module_param_named(throttled, is_throttled, bool, 0400);
static DEFINE_MUTEX(plug_lock); /* is_plugged */

static int line_open(struct tty_struct *tty, struct file *file)
{
	return tty_port_open(&line_port, tty, file);
}

static void line_close(struct tty_struct *tty, struct file *file)
{
	tty_port_close(&line_port, tty, file);
}

static LINE_DONE line_write(struct tty_struct *tty, const unsigned char *data,
			    LINE_COUNT n)
{
	return n;
}

static unsigned int line_write_room(struct tty_struct *tty)
{
	return 4096;
}

static void line_hangup(struct tty_struct *tty)
{
	tty_port_hangup(&line_port);
}

static void line_throttle(struct tty_struct *tty)
{
	WRITE_ONCE(is_throttled, true);
}

static void line_unthrottle(struct tty_struct *tty)
{
	WRITE_ONCE(is_throttled, false);
}

static const struct tty_operations line_ops = {
	.open = line_open,
	.close = line_close,
	.write = line_write,
	.write_room = line_write_room,
	.hangup = line_hangup,
	.throttle = line_throttle,
	.unthrottle = line_unthrottle,
};

static const struct tty_port_operations line_port_ops = { };

static int flag_of(char letter)
{
	switch (letter) {
	case 'p':
		return TTY_PARITY;
	case 'f':
		return TTY_FRAME;
	case 'b':
		return TTY_BREAK;
	case 'o':
		return TTY_OVERRUN;
	}
	return TTY_NORMAL;
}

/* Hexadecimal digits begin with no letter of flag_of() where a blank was before. */
static int send(const char *text, const struct kernel_param *param)
{
	unsigned char byte;
	int flag;

	for (text = skip_spaces(text); *text; text = skip_spaces(text + 2)) {
		flag = strcspn(text, "\n ") == 3 ? flag_of(*text++) : TTY_NORMAL;
		if (hex2bin(&byte, text, 1))
			return -EINVAL;
		if (!READ_ONCE(is_throttled))
			tty_insert_flip_char(&line_port, byte, flag);
	}
	tty_flip_buffer_push(&line_port);
	return 0;
}

static const struct kernel_param_ops send_ops = { .set = send };
module_param_cb(send, &send_ops, NULL, 0200);

static void pull_out(void)
{
	struct tty_struct *tty;

	mutex_lock(&plug_lock);
	tty = tty_port_tty_get(&line_port);
	if (tty)
		tty_vhangup(tty);
	tty_kref_put(tty);
	if (is_plugged)
		tty_unregister_device(line_driver, 0);
	is_plugged = false;
	mutex_unlock(&plug_lock);
}

static int unplug(const char *text, const struct kernel_param *param)
{
	pull_out();
	return 0;
}

static const struct kernel_param_ops unplug_ops = { .set = unplug };
module_param_cb(unplug, &unplug_ops, NULL, 0200);

static void describe(void)
{
	line_driver->driver_name = "tty-line";
	line_driver->name = "ttyLINE";
	line_driver->type = TTY_DRIVER_TYPE_SERIAL;
	line_driver->subtype = SERIAL_TYPE_NORMAL;
	line_driver->init_termios = tty_std_termios;
	tty_set_operations(line_driver, &line_ops);
}

static int plug_in(void)
{
	struct device *dev;
	int ret = tty_register_driver(line_driver);

	if (ret)
		return ret;
	dev = tty_port_register_device(&line_port, line_driver, 0, NULL);
	is_plugged = !IS_ERR(dev);
	if (!is_plugged)
		tty_unregister_driver(line_driver);
	return PTR_ERR_OR_ZERO(dev);
}

static int __init line_init(void)
{
	int ret;

	line_driver = tty_alloc_driver(1, TTY_DRIVER_REAL_RAW | TTY_DRIVER_DYNAMIC_DEV);
	if (IS_ERR(line_driver))
		return PTR_ERR(line_driver);
	describe();
	tty_port_init(&line_port);
	line_port.ops = &line_port_ops;
	ret = plug_in();
	if (!ret)
		return 0;
	tty_driver_kref_put(line_driver);
	tty_port_destroy(&line_port);
	return ret;
}
module_init(line_init);

static void __exit line_exit(void)
{
	pull_out();
	tty_unregister_driver(line_driver);
	tty_driver_kref_put(line_driver);
	tty_port_destroy(&line_port);
}
module_exit(line_exit);

MODULE_DESCRIPTION("A tty with errors, for tests");
MODULE_LICENSE("GPL");
