// SPDX-License-Identifier: GPL-2.0-only
/*
 * ldisc.c: the line discipline, which receives the bytes of a tty
 *
 * attach.c attaches the discipline to the tty that a device in configfs names. A program
 * may also attach it ("ldattach 29 /dev/ttyS1"); then the module parameters define the
 * format of frames. A hang-up or another discipline unplugs the device.
 *
 * Programs may write to the tty, to send commands to the board, but cannot read from it.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/tty.h>
#include <linux/tty_ldisc.h>
#include <linux/version.h>
#include <linux/wait.h>

#include "uart.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define UART_FLAG	char
#define UART_COUNT	int
#else
#define UART_FLAG	u8
#define UART_COUNT	size_t
#endif

/* Linux reserves number 29 (N_DEVELOPMENT) for out-of-tree modules. */
static int ldisc = 29;
module_param(ldisc, int, 0444);
MODULE_PARM_DESC(ldisc, "number of the line discipline (default 29)");

/*
 * uart_ldisc_attach() passes a line to uart_open(), which runs in the same task. Other
 * tasks may open other ttys concurrently.
 */
static DEFINE_MUTEX(attach_lock);
static struct task_struct *attach_task;
static struct uart_line *attach_line;

static struct uart_line *uart_create_line(struct tty_struct *tty)
{
	struct uart_setup setup;
	struct uart_line *line;
	int ret = uart_setup_read(NULL, &setup);

	if (ret)
		return ERR_PTR(ret);
	line = uart_line_create(tty->dev, &setup, ZIO_ID_AUTO);
	if (!IS_ERR(line))
		pr_info("zio-uart: a program has attached %s\n", tty_name(tty));
	return line;
}

/* Returns the line for this tty, with a reference for it, or an ERR_PTR. */
static struct uart_line *uart_find_line(struct tty_struct *tty)
{
	if (READ_ONCE(attach_task) == current) {
		kref_get(&attach_line->ref);
		return attach_line;
	}
	return capable(CAP_SYS_ADMIN) ? uart_create_line(tty) : ERR_PTR(-EPERM);
}

/* A pty has no speed. The speed of a USB board may differ from its tty's. */
static void uart_note_speed(struct tty_struct *tty, const struct ktermios *old)
{
	bool is_pty = tty->driver->type == TTY_DRIVER_TYPE_PTY;

	uart_line_set_speed(tty->disc_data, tty_get_frame_size(tty->termios.c_cflag),
			    is_pty ? 0 : tty_get_baud_rate(tty));
}

/* Port drivers report errors only with INPCK and BRKINT. */
static void uart_report_errors(struct tty_struct *tty)
{
	struct ktermios termios;

	down_read(&tty->termios_rwsem);
	termios = tty->termios;
	up_read(&tty->termios_rwsem);
	termios.c_iflag &= ~(IGNBRK | IGNPAR | ISTRIP | IXON | IXOFF);
	termios.c_iflag |= INPCK | BRKINT;
	tty_set_termios(tty, &termios);
}

static int uart_open(struct tty_struct *tty)
{
	struct uart_line *line;

	if (!tty->ops->write)
		return -EOPNOTSUPP;
	/* The tty of a console gets its discipline back after a hang-up. */
	if (test_bit(TTY_HUPPING, &tty->flags))
		return -EIO;
	line = uart_find_line(tty);
	if (IS_ERR(line))
		return PTR_ERR(line);
	tty->disc_data = line;
	tty->receive_room = 65536;
	uart_report_errors(tty);
	uart_note_speed(tty, NULL);
	/* The previous discipline may have throttled the port, which would stay silent. */
	tty_unthrottle(tty);
	return 0;
}

static void uart_close(struct tty_struct *tty)
{
	struct uart_line *line = tty->disc_data;

	/* Otherwise the next program that opens the tty after a hang-up would attach it. */
	down_write(&tty->termios_rwsem);
	tty->termios.c_line = N_TTY;
	up_write(&tty->termios_rwsem);
	tty->disc_data = NULL;
	uart_line_unplug(line);
	uart_line_put(line);
}

/* Returns true if the other end of the line has gone. */
static bool uart_is_cut(struct tty_struct *tty, struct file *file)
{
	return tty_hung_up_p(file) || (tty->link && !READ_ONCE(tty->link->count));
}

/* The kernel wakes writers when it changes the discipline. */
static bool uart_must_wait(struct tty_struct *tty, struct file *file)
{
	return !tty_write_room(tty) && !uart_is_cut(tty, file) &&
		!test_bit(TTY_LDISC_CHANGING, &tty->flags);
}

static ssize_t uart_write(struct tty_struct *tty, struct file *file,
			  const unsigned char *data, size_t n)
{
	unsigned int room;
	int ret = 0;

	if (!(file->f_flags & O_NONBLOCK))
		ret = wait_event_interruptible(tty->write_wait, !uart_must_wait(tty, file));
	if (ret)
		return ret;
	if (uart_is_cut(tty, file))
		return -EIO;
	room = tty_write_room(tty);
	if (room)
		return tty->ops->write(tty, data, min_t(size_t, n, room));
	/* The discipline is changing: the next one takes the data. */
	return file->f_flags & O_NONBLOCK ? -EAGAIN : restart_syscall();
}

static void uart_receive(struct tty_struct *tty, const unsigned char *data,
			 const UART_FLAG *flags, UART_COUNT n)
{
	uart_line_receive(tty->disc_data, data, (const u8 *)flags, n);
}

static struct tty_ldisc_ops uart_ldisc = {
	.owner = THIS_MODULE,
	.name = "zio-uart",
	.open = uart_open,
	.close = uart_close,
	.write = uart_write,
	.ioctl = n_tty_ioctl_helper, /* stty */
	.set_termios = uart_note_speed,
	.receive_buf = uart_receive,
};

/**
 * uart_ldisc_attach() - attach a line to a tty
 * @tty: the tty
 * @line: the line
 *
 * Context: process, sleeps.
 * Return: 0; -EBUSY if the tty already has this discipline; -EIO after a hang-up; an error
 *         of the tty's driver.
 */
int uart_ldisc_attach(struct tty_struct *tty, struct uart_line *line)
{
	unsigned int users = kref_read(&line->ref);
	int ret;

	mutex_lock(&attach_lock);
	attach_line = line;
	WRITE_ONCE(attach_task, current);
	ret = tty_set_ldisc(tty, ldisc);
	/* If the tty already has the discipline, the kernel does nothing. */
	if (!ret && kref_read(&line->ref) == users)
		ret = -EBUSY;
	WRITE_ONCE(attach_task, NULL);
	attach_line = NULL;
	mutex_unlock(&attach_lock);
	return ret;
}

/**
 * uart_ldisc_detach() - give a tty its default discipline if it has the line
 * @tty: the tty
 * @line: the line, unplugged; the caller holds a reference
 *
 * A program may already have given the tty another discipline. A tty that keeps this one
 * drops its bytes.
 *
 * Context: process, sleeps.
 */
void uart_ldisc_detach(struct tty_struct *tty, struct uart_line *line)
{
	if (kref_read(&line->ref) > 1 && tty_set_ldisc(tty, N_TTY))
		pr_warn("zio-uart: %s keeps the line discipline until it is closed\n",
			tty_name(tty));
}

int uart_ldisc_register(void)
{
	uart_ldisc.num = ldisc;
	return tty_register_ldisc(&uart_ldisc);
}

void uart_ldisc_unregister(void)
{
	tty_unregister_ldisc(&uart_ldisc);
}
