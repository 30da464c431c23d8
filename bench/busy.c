// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench busy: what a command costs that mostly waits
 *
 *   window=NS      how long to look (4000000000)
 *   after=NS       the command runs for so long before (1000000000)
 *   WORD...        the command; none: the machine alone
 *
 * The program spins whenever the processor has nothing else to do, and counts its turns.
 * The difference to the turns beside no command is the cost of the command. It includes
 * the kernel's work for it, and interrupts. For machines with one processor.
 */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "bench.h"

#define TURN_SPINS	5000

static pid_t start(char **argv)
{
	pid_t pid = fork();
	int null;

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid)
		return pid;
	null = open_path(O_WRONLY, "/dev/null");
	dup2(null, STDOUT_FILENO);
	execvp(argv[0], argv);
	die("%s: %s", argv[0], strerror(errno));
}

static uint64_t count_turns(uint64_t ns, uint64_t *passed)
{
	uint64_t begin = now_ns(), now = begin, turns = 0;

	for (; now < begin + ns; now = now_ns(), turns++)
		spin(TURN_SPINS);
	*passed = now - begin;
	return turns;
}

/* A command that has ended by itself has not run for the whole window. */
static void stop(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, WNOHANG))
		die("the command has ended, with status 0x%x", status);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

void main_busy(char **argv)
{
	uint64_t window = take_count(argv, "window", 4 * NS_PER_S);
	uint64_t after = take_count(argv, "after", NS_PER_S);
	const struct sched_param param = { 0 };
	pid_t pid = argv[0] ? start(argv) : 0;
	uint64_t passed, turns;

	if (sched_setscheduler(0, SCHED_IDLE, &param))
		die("SCHED_IDLE: %s", strerror(errno));
	count_turns(after, &passed);
	turns = count_turns(window, &passed);
	if (pid)
		stop(pid);
	PRINT_NUMBERS({ "turns", turns }, { "ns", passed });
}
