// SPDX-License-Identifier: GPL-2.0-only
/*
 * node-pipe.c: a process that sleeps in splice() does not keep others from the pipe
 *
 * A child splices and sleeps. Others use the same pipe, and are killed. FIRE is a file
 * that makes an event when 1 is written to it.
 */
#include <stdbool.h>
#include <time.h>

#include "node.h"

#define LIMIT	40	/* seconds, which only a hang reaches */
#define BIG	65536

struct stage {
	int rd, wr;
	unsigned int *begun;
};

static struct stage set_up(void)
{
	struct stage s = { .begun = share_memory(sizeof(*s.begun)) };
	int fd[2];

	same(pipe2(fd, O_CLOEXEC), 0);
	s.rd = fd[0];
	s.wr = fd[1];
	return s;
}

/* It has begun, and sleeps: so it is in the call that follows. */
static void wait_asleep(struct stage *s, unsigned int n, pid_t pid)
{
	unsigned int still = 0;

	while (get(s->begun) < n || still < 5) {
		usleep(10000);
		still = strchr("SD", task_state(pid)) ? still + 1 : 0;
	}
}

/* Whether it ends before a hang is certain. */
static bool has_ended(pid_t pid, int *status)
{
	time_t end = time(NULL) + LIMIT;

	while (time(NULL) < end) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		usleep(10000);
	}
	return false;
}

static void must_end(pid_t pid, int wanted)
{
	int status;

	if (!has_ended(pid, &status))
		fail("a process that uses the pipe cannot be killed");
	same(status, wanted);
}

static pid_t begin(struct stage *s)
{
	pid_t pid = fork();

	want(pid >= 0);
	if (!pid)
		__atomic_fetch_add(s->begun, 1, __ATOMIC_SEQ_CST);
	return pid;
}

/* Reads for ever, as the pipe is empty, or waits for its lock. */
static void kill_reader(struct stage *s, unsigned int n)
{
	char byte;
	pid_t pid = begin(s);

	if (!pid)
		_exit(read(s->rd, &byte, 1) == 1);
	wait_asleep(s, n, pid);
	same(kill(pid, SIGKILL), 0);
	must_end(pid, SIGKILL);
}

/* A byte goes through while another process sleeps in splice(). */
static void pass_byte(struct stage *s)
{
	char byte = 0;
	pid_t pid = begin(s);

	if (!pid) {
		want(write(s->wr, "x", 1) == 1);
		want(read(s->rd, &byte, 1) == 1 && byte == 'x');
		_exit(0);
	}
	must_end(pid, 0);
}

static pid_t start_input(struct stage *s, const char *node, const char *bytes)
{
	pid_t pid = begin(s);

	if (!pid) {
		int fd = open_file(node, O_RDONLY);

		same(splice(fd, NULL, s->wr, NULL, BIG, 0), strtol(bytes, NULL, 0));
		_exit(0);
	}
	wait_asleep(s, 1, pid);
	return pid;
}

/* input NODE BYTES FIRE: sleeps for a block of so many bytes */
static void do_input(char **arg)
{
	struct stage s = set_up();
	pid_t pid = start_input(&s, arg[0], arg[1]);
	static char buf[BIG];

	kill_reader(&s, 2);
	pass_byte(&s);
	same(task_state(pid), 'S');
	write_text(arg[2], "1");
	must_end(pid, 0);
	same(read(s.rd, buf, sizeof(buf)), strtol(arg[1], NULL, 0));
}

/* killed NODE: the process that sleeps can be killed, and the pipe goes on */
static void do_killed(char **arg)
{
	struct stage s = set_up();
	pid_t pid = start_input(&s, arg[0], "0");

	same(kill(pid, SIGKILL), 0);
	must_end(pid, SIGKILL);
	pass_byte(&s);
}

static size_t fill_pipe(struct stage *s)
{
	static char buf[4096];
	size_t sum = 0;

	fcntl(s->wr, F_SETFL, O_NONBLOCK);
	while (write(s->wr, buf, sizeof(buf)) > 0)
		sum += sizeof(buf);
	same(errno, EAGAIN);
	fcntl(s->wr, F_SETFL, 0);
	return sum;
}

static void drain_pipe(struct stage *s, size_t n)
{
	static char buf[4096];

	for (; n; n -= sizeof(buf))
		same(read(s->rd, buf, sizeof(buf)), sizeof(buf));
}

/* full NODE BYTES FIRE: others fill the pipe meanwhile; the block waits, and is whole */
static void do_full(char **arg)
{
	struct stage s = set_up();
	static char buf[BIG];
	pid_t pid = start_input(&s, arg[0], arg[1]);
	size_t n = fill_pipe(&s);
	int status;

	write_text(arg[2], "1");
	wait_asleep(&s, 1, pid);
	same(waitpid(pid, &status, WNOHANG), 0);
	drain_pipe(&s, n);
	want(read(s.rd, buf, sizeof(buf)) > 0);
	must_end(pid, 0);
}

/* closed NODE FIRE: nobody reads the pipe any more */
static void do_closed(char **arg)
{
	struct stage s = set_up();
	pid_t pid;

	signal(SIGPIPE, SIG_IGN);
	pid = begin(&s);
	if (!pid) {
		int fd = open_file(arg[0], O_RDONLY);

		close(s.rd);
		fails(splice(fd, NULL, s.wr, NULL, BIG, 0), EPIPE);
		_exit(0);
	}
	wait_asleep(&s, 1, pid);
	close(s.rd);
	write_text(arg[1], "1");
	must_end(pid, 0);
}

/* output NODE LOOP BYTES: sleeps for room in an output, which holds less than BYTES */
static void do_output(char **arg)
{
	size_t n = strtoul(arg[2], NULL, 0), sum;
	struct stage s = set_up();
	static uint8_t out[BIG], in[BIG];
	pid_t pid, other;
	ssize_t ret;
	int loop;

	want(n <= sizeof(out));
	for (sum = 0; sum < n; sum++)
		out[sum] = sum * 7 + sum / 256;
	same(write(s.wr, out, n), n);
	pid = begin(&s);
	if (!pid) {
		same(splice(s.rd, NULL, open_file(arg[0], O_WRONLY), NULL, n, 0), n);
		_exit(0);
	}
	wait_asleep(&s, 1, pid);
	other = begin(&s);
	if (!other)
		_exit(fcntl(s.wr, F_SETPIPE_SZ, 2 * BIG) < 0);
	must_end(other, 0);
	loop = open_node(arg[1], "data", O_RDONLY);
	for (sum = 0; sum < n; sum += ret) {
		ret = read(loop, in + sum, n - sum);
		want(ret > 0);
	}
	must_end(pid, 0);
	want(!memcmp(in, out, n));
}

/* nowait NODE N: a full output takes a part, then says EAGAIN */
static void do_nowait(char **arg)
{
	int fd = open_file(arg[0], O_WRONLY | O_NONBLOCK);
	size_t n = strtoul(arg[1], NULL, 0);
	struct stage s = set_up();
	static char buf[BIG];
	ssize_t ret;

	same(write(s.wr, buf, n), n);
	ret = splice(s.rd, NULL, fd, NULL, n, 0);
	want(ret > 0 && ret < (ssize_t)n);
	fails(splice(s.rd, NULL, fd, NULL, n - ret, 0), EAGAIN);
	same(read(s.rd, buf, sizeof(buf)), n - ret);
}

static const struct command commands[] = {
	{ "input", 3, do_input },
	{ "killed", 1, do_killed },
	{ "full", 3, do_full },
	{ "closed", 2, do_closed },
	{ "output", 3, do_output },
	{ "nowait", 2, do_nowait },
	{ }
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 200);
}
