// SPDX-License-Identifier: GPL-2.0-only
/* node-wrap.c: blocks whose sequence numbers wrap */
#include <sys/syscall.h>

#include "node.h"

/* number PREFIX: the sequence number of the next block */
static void do_number(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct zio_control ctrl = read_control(pair.ctrl);
	char buf[16];

	same(read(pair.data, buf, sizeof(buf)), sizeof(buf));
	printf("%u\n", ctrl.seq_num);
}

/* follow PREFIX N: N blocks follow each other; their numbers wrap */
static void do_follow(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	unsigned long n = strtoul(arg[1], NULL, 0), i;
	struct zio_control ctrl = read_control(pair.ctrl);
	uint32_t first = ctrl.seq_num;

	for (i = 1; i < n; i++) {
		ctrl = read_control(pair.ctrl);
		same(ctrl.seq_num, (uint32_t)(first + i));
		same(ctrl.zio_alarms, 0);
	}
	want(ctrl.seq_num < first);
}

/* The child has a block in hand until the pipe ends; a byte of it has been read. */
static void hold_block(const char *prefix, int go)
{
	int fd = open_node(prefix, "data", O_RDONLY);
	char c;

	same(read(fd, &c, 1), 1);
	same(read(go, &c, 1), 1);
	_exit(0);
}

/* Five blocks were left, a byte of one of them is gone: all bytes in their order. */
static void check_order(int fd)
{
	uint8_t byte, last;
	int i, step, holes = 0;

	same(read(fd, &last, 1), 1);
	for (i = 2; i < 5 * 16; i++) {
		same(read(fd, &byte, 1), 1);
		step = (uint8_t)(byte - last);
		want(step == 1 || step == 2);
		holes += step - 1;
		last = byte;
	}
	want(holes <= 1);
}

/* left PREFIX N: what two readers leave comes in its order, where numbers wrap */
static void do_left(char **arg)
{
	unsigned long n = strtoul(arg[1], NULL, 0), i;
	struct zio_control ctrl[4];
	struct pair pair;
	int go[2];
	pid_t child;

	for (i = 0; i < n; i += 5) {
		pair = open_pair(arg[0], O_RDONLY);
		same(pipe(go), 0);
		child = fork();
		want(child >= 0);
		if (!child)
			hold_block(arg[0], go[0]);
		same(read(pair.ctrl, ctrl, sizeof(ctrl)), sizeof(ctrl));
		same(write(go[1], "", 1), 1);
		wait_children(1);
		close_pair(pair);
		close(go[0]);
		close(go[1]);
		pair.data = open_node(arg[0], "data", O_RDONLY);
		check_order(pair.data);
		close(pair.data);
	}
}

/* The child is in that system call, asleep; it has not ended. */
static void wait_syscall(pid_t child, long number)
{
	char path[64], text[64];
	int fd, status;

	snprintf(path, sizeof(path), "/proc/%d/syscall", child);
	do {
		same(waitpid(child, &status, WNOHANG), 0);
		memset(text, 0, sizeof(text));
		fd = open_file(path, O_RDONLY);
		want(read(fd, text, sizeof(text) - 1) > 0);
		close(fd);
		usleep(100);
	} while (strtol(text, NULL, 10) != number || text[0] == 'r');
}

/* play PREFIX N ENABLE: an fsync waits for a block that is not played yet */
static void do_play(char **arg)
{
	int fd = open_node(arg[0], "data", O_WRONLY);
	unsigned long n = strtoul(arg[1], NULL, 0), i;
	char buf[16] = "";
	pid_t child;

	for (i = 1; i <= n; i++) {
		write_text(arg[2], "0");
		same(write(fd, buf, sizeof(buf)), sizeof(buf));
		child = fork();
		want(child >= 0);
		if (!child) {
			same(fsync(fd), 0);
			_exit(0);
		}
		wait_syscall(child, SYS_fsync);
		write_text(arg[2], "1");
		wait_children(1);
	}
}

/* merged PREFIX N: until N numbers have gone by; prints how many are missing */
static void do_merged(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	unsigned long n = strtoul(arg[1], NULL, 0), i, lost = 0;
	struct zio_control ctrl = read_control(pair.ctrl);
	uint32_t next = ctrl.seq_num;

	for (i = 0; i < n; i++, next++) {
		lost += ctrl.seq_num - next;
		next = ctrl.seq_num;
		ctrl = read_control(pair.ctrl);
		same(ctrl.zio_alarms, 0);
	}
	printf("%lu\n", lost);
}

static const struct command commands[] = {
	{ "number", 1, do_number },
	{ "follow", 2, do_follow },
	{ "left", 2, do_left },
	{ "play", 3, do_play },
	{ "merged", 2, do_merged },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 120);
}
