// SPDX-License-Identifier: GPL-2.0-only
/*
 * The terminal while zio top owns it
 *
 * A handful of escape sequences that every terminal of today knows: a front end
 * without a terminfo database, as with busybox, is the usual place to run this.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "term.h"

#define ENTER "\033[?1049h\033[?25l"	/* the other screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"

static struct termios saved;
static bool taken;
static volatile sig_atomic_t stopped;
static sigset_t outside;	/* signals blocked while we wait */

static void on_suspend(int sig)
{
	stopped = sig;
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
	sigset_t inside;

	catch_stop(SIGINT, 0);
	catch_stop(SIGTERM, 0);
	catch_stop(SIGHUP, 0);
	set_handler(SIGWINCH, on_resize);
	sigemptyset(&inside);
	sigaddset(&inside, SIGINT);
	sigaddset(&inside, SIGTERM);
	sigaddset(&inside, SIGHUP);
	sigaddset(&inside, SIGTSTP);
	sigaddset(&inside, SIGWINCH);
	sigprocmask(SIG_BLOCK, &inside, &outside);
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
	taken = true;
}

void give_terminal(void)
{
	if (!taken)
		return;
	taken = false;
	fputs(LEAVE, stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &saved);
}

void take_terminal(void)
{
	if (tcgetattr(STDIN_FILENO, &saved))
		return;
	set_handler(SIGTSTP, on_suspend);
	atexit(give_terminal);
	enter_screen();
}

/* Ctrl-Z: the shell gets its own screen, and we ours when it lets us go on. */
static void suspend(void)
{
	stopped = 0;
	give_terminal();
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

double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int wait_input(int fd, double seconds)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct timespec left = { 0 };

	if (seconds > 0) {
		left.tv_sec = (time_t)seconds;
		left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	}
	return ppoll(&pfd, 1, &left, &outside);
}

int wait_output(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	return ppoll(&pfd, 1, NULL, &outside);
}

int wait_key(double seconds, bool keys)
{
	int ret = wait_input(keys ? STDIN_FILENO : -1, seconds);

	if (stopped)
		suspend();
	if (ret < 0)
		return KEY_REDRAW;
	return ret ? read_key() : KEY_NONE;
}
