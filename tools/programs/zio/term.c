// SPDX-License-Identifier: GPL-2.0-only
/*
 * The terminal while zio top owns it
 *
 * The program uses only escape sequences that all terminals know. A small system, such
 * as one with busybox, has no terminfo database.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "term.h"

#define ENTER "\033[?1049h\033[?25l"	/* the alternate screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"

static struct termios saved;
static bool active;
static volatile sig_atomic_t suspended;

static void on_suspend(int sig)
{
	suspended = sig;
}

static void on_resize(int sig)
{
	(void)sig;
}

static void set_handler(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(sig, &action, NULL);
}

void catch_signals(void)
{
	sigset_t blocked;

	catch_stop(SIGINT, 0);
	catch_stop(SIGTERM, 0);
	catch_stop(SIGHUP, 0);
	set_handler(SIGWINCH, on_resize);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGHUP);
	sigaddset(&blocked, SIGTSTP);
	sigaddset(&blocked, SIGWINCH);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
}

static void enter_screen(void)
{
	struct termios raw = saved;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	fputs(ENTER, stdout);
	fflush(stdout);
	active = true;
}

void leave_terminal(void)
{
	if (!active)
		return;
	active = false;
	fputs(LEAVE, stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &saved);
}

void enter_terminal(void)
{
	if (tcgetattr(STDIN_FILENO, &saved))
		return;
	set_handler(SIGTSTP, on_suspend);
	atexit(leave_terminal);
	enter_screen();
}

/* On Ctrl-Z, restore the screen of the shell until the shell continues the program. */
static void suspend(void)
{
	suspended = 0;
	leave_terminal();
	raise(SIGSTOP);
	enter_screen();
}

int terminal_rows(void)
{
	struct winsize size;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row ?
	       size.ws_row : 24;
}

int terminal_columns(void)
{
	struct winsize size;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ?
	       size.ws_col : 80;
}

static int read_key(void)
{
	unsigned char key;
	ssize_t n = read(STDIN_FILENO, &key, 1);

	if (n == 1)
		return key;
	return n < 0 && errno == EAGAIN ? KEY_REDRAW : KEY_END;
}

int wait_key(double seconds, bool keys)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int ret = wait_unless_stopped(&in, keys, seconds);

	if (suspended)
		suspend();
	if (ret < 0)
		return KEY_REDRAW;
	return ret ? read_key() : KEY_NONE;
}
