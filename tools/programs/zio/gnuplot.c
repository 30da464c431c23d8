// SPDX-License-Identifier: GPL-2.0-only
/* Run gnuplot, and send it a script */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/stop.h"
#include "command.h"
#include "plot.h"

static int fail_gnuplot(int code)
{
	if (code == ENOENT)
		complain("plot: there is no gnuplot: apt-get install gnuplot-nox (gnuplot-qt for a window), or draw elsewhere: zio plot --script CHANNEL | ssh HOST gnuplot -persist");
	else
		complain("plot: cannot run gnuplot: %s", strerror(code));
	return -1;
}

int check_output(const char *name)
{
	struct stat st;
	bool is_new = lstat(name, &st) && errno == ENOENT;
	int fd = open(name, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);

	if (fd < 0 && errno != ENXIO) {
		complain("plot: %s: %s%s", name, strerror(errno),
			 errno == ENOENT ? " (its directory does not exist)" : "");
		return -1;
	}
	if (fd >= 0)
		close(fd);
	if (is_new)
		unlink(name);
	return 0;
}

static int spawn_gnuplot(struct gnuplot *gp, int in)
{
	static char name[] = "gnuplot", from[] = "-";
	char *const args[] = { name, from, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	int code;

	/* In its own process group, gnuplot does not get Ctrl-C: zio ends it. */
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
				 POSIX_SPAWN_SETSIGDEF |
				 POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &usual);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	code = posix_spawnp(&gp->pid, name, &actions, &attr, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return code;
}

int start_gnuplot(struct gnuplot *gp, bool script_only)
{
	int pipes[2];
	int code;

	gp->fd = STDOUT_FILENO;
	if (script_only)
		return 0;
	if (pipe2(pipes, O_CLOEXEC))
		return fail_gnuplot(errno);
	code = spawn_gnuplot(gp, pipes[0]);
	close(pipes[0]);
	gp->fd = pipes[1];
	if (!code)
		return 0;
	close(pipes[1]);
	return fail_gnuplot(code);
}

/* After a signal, kill a gnuplot that reads nothing, so that the user need not wait. */
static int kill_gnuplot(struct gnuplot *gp)
{
	if (gp->pid) {
		kill(gp->pid, SIGKILL);
		gp->killed = true;
	}
	return 0;
}

static int fail_send(const struct gnuplot *gp)
{
	if (gp->pid)
		complain("plot: gnuplot has ended");
	else
		complain("standard output: %s", strerror(errno));
	return -1;
}

/* PIPE_BUF bytes fit in whenever POLLOUT is set, so that write() never blocks. */
int send_script(struct gnuplot *gp, const char *text, size_t size)
{
	struct pollfd out = { .fd = gp->fd, .events = POLLOUT };

	while (size) {
		ssize_t n;

		if (wait_unless_stopped(&out, 1, FOREVER) <= 0) {
			if (caught_stop())
				return kill_gnuplot(gp);
			continue;
		}
		n = write(gp->fd, text, size < PIPE_BUF ? size : PIPE_BUF);
		if (n < 0)
			return fail_send(gp);
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

static int wait_gnuplot(const struct gnuplot *gp)
{
	int status;

	while (waitpid(gp->pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail_gnuplot(errno);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFEXITED(status))
		complain("plot: gnuplot failed (status %d)",
			 WEXITSTATUS(status));
	else
		complain("plot: gnuplot was ended by signal %d",
			 WTERMSIG(status));
	return -1;
}

int end_gnuplot(struct gnuplot *gp)
{
	if (!gp->pid)
		return 0;
	close(gp->fd);
	return gp->killed ? waitpid(gp->pid, NULL, 0) < 0 : wait_gnuplot(gp);
}
