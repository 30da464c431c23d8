// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-loop-bench: what a block costs, measured in a loop inside one process
 *
 * Under QEMU's -icount shift=0 a nanosecond of the guest is one instruction,
 * so the same program gives instructions there and nanoseconds elsewhere.
 * Nothing is subtracted: a figure includes the system calls it is made of.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/zio-user.h>

#include "bench.h"

#define MAX_NODES	64
#define BULK_SIZE	(1UL << 20)

struct bench {
	const char *label;
	const char *method;
	size_t size;
	unsigned long loops;
	unsigned long warmup;
	unsigned long repeat;
	int announce;
	unsigned int nodes;
	const char *node[MAX_NODES];
	int data[MAX_NODES];
	int ctrl[MAX_NODES];
	uint8_t *buf;
	size_t buf_size;
	uint64_t bytes;
};

/* One turn of the loop: one block of each node. */
struct method {
	struct named named;
	void (*turn)(struct bench *b);
	int data_flags;		/* of open(); -1: the data node is not opened */
	int ctrl_flags;
};

static void read_data(struct bench *b, unsigned int i)
{
	ssize_t n = read(b->data[i], b->buf, b->size);

	if (n != (ssize_t)b->size)
		die("%s: read gave %zd of %zu: %s", b->node[i], n, b->size,
		    n < 0 ? strerror(errno) : "short");
	b->bytes += n;
}

static void read_ctrl(struct bench *b, unsigned int i)
{
	struct zio_control *ctrl = (void *)b->buf;
	ssize_t n = read(b->ctrl[i], ctrl, sizeof(*ctrl));

	if (n != sizeof(*ctrl))
		die("%s: control gave %zd: %s", b->node[i], n,
		    n < 0 ? strerror(errno) : "short");
	if ((size_t)ctrl->nsamples * ctrl->ssize != b->size)
		die("%s: the block has %u * %u bytes, not %zu", b->node[i],
		    ctrl->nsamples, ctrl->ssize, b->size);
}

static void wait_data(struct bench *b, unsigned int i, short events)
{
	struct pollfd pfd = { .fd = b->data[i], .events = events };

	if (poll(&pfd, 1, 1000) != 1 || !(pfd.revents & events))
		die("%s: poll gave 0x%x", b->node[i], pfd.revents);
}

static void turn_floor(struct bench *b)
{
	__asm__ volatile("" : : "r"(b) : "memory");
}

static void turn_syscall(struct bench *b)
{
	(void)b;
	syscall(SYS_getppid);
}

static void turn_read(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->nodes; i++)
		read_data(b, i);
}

static void turn_ctrl(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->nodes; i++) {
		read_ctrl(b, i);
		b->bytes += b->size;
	}
}

static void turn_ctrl_read(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->nodes; i++) {
		read_ctrl(b, i);
		read_data(b, i);
	}
}

static void turn_poll_read(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->nodes; i++) {
		wait_data(b, i, POLLIN);
		read_data(b, i);
	}
}

static void turn_write(struct bench *b)
{
	unsigned int i;
	ssize_t n;

	for (i = 0; i < b->nodes; i++) {
		n = write(b->data[i], b->buf, b->size);
		if (n != (ssize_t)b->size)
			die("%s: write took %zd of %zu: %s", b->node[i], n,
			    b->size, n < 0 ? strerror(errno) : "short");
		b->bytes += n;
	}
}

static void turn_bulk(struct bench *b)
{
	unsigned int i;
	ssize_t n;

	for (i = 0; i < b->nodes; i++) {
		n = read(b->data[i], b->buf, BULK_SIZE);
		if (n <= 0)
			die("%s: read: %s", b->node[i],
			    n ? strerror(errno) : "nothing");
		b->bytes += n;
	}
}

static const struct method methods[] = {
	{ { "floor", "the empty loop" }, turn_floor, -1, -1 },
	{ { "syscall", "getppid, the shortest system call" }, turn_syscall, -1, -1 },
	{ { "read", "read one block of data" }, turn_read, O_RDONLY, -1 },
	{ { "ctrl", "read the control, leave the data" }, turn_ctrl, -1, O_RDONLY },
	{ { "ctrl+read", "read the control, then the data" }, turn_ctrl_read,
	  O_RDONLY, O_RDONLY },
	{ { "poll+read", "poll, then read the data" }, turn_poll_read, O_RDONLY, -1 },
	{ { "write", "write one block of data" }, turn_write, O_WRONLY, -1 },
	{ { "bulk", "reads of 1 MiB over blocks of the given size" }, turn_bulk,
	  O_RDONLY, -1 },
};

static int open_node(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

/* The control node has the name of the data node but for its end. */
static int open_ctrl(const char *data, int flags)
{
	size_t stem = strlen(data);
	char path[256];

	if (stem < 5 || strcmp(data + stem - 5, "-data"))
		die("%s: the name does not end in -data", data);
	snprintf(path, sizeof(path), "%.*s-ctrl", (int)stem - 5, data);
	return open_node(path, flags);
}

static void open_nodes(struct bench *b, const struct method *m)
{
	unsigned int i;

	for (i = 0; i < b->nodes; i++) {
		if (m->ctrl_flags >= 0)
			b->ctrl[i] = open_ctrl(b->node[i], m->ctrl_flags);
		if (m->data_flags >= 0)
			b->data[i] = open_node(b->node[i], m->data_flags);
	}
	b->buf_size = b->size > BULK_SIZE ? b->size : BULK_SIZE;
	b->buf = calloc(1, b->buf_size);
	if (!b->buf)
		die("no memory for %zu bytes", b->buf_size);
	/* Page faults belong to no block. */
	memset(b->buf, 0x55, b->buf_size);
}

static uint64_t time_loop(struct bench *b, const struct method *m)
{
	uint64_t start;
	unsigned long i;

	b->bytes = 0;
	start = now_ns();
	for (i = 0; i < b->loops; i++)
		m->turn(b);
	return now_ns() - start;
}

static uint64_t count_blocks(const struct bench *b)
{
	if (!b->nodes || !b->size)
		return b->loops;
	return b->bytes / b->size;
}

static void run_loops(struct bench *b, const struct method *m)
{
	uint64_t best = UINT64_MAX, blocks = 1, ns;
	unsigned long i;

	open_nodes(b, m);
	for (i = 0; i < b->warmup; i++)
		m->turn(b);
	if (b->announce) {
		puts("READY");
		fflush(stdout);
	}
	for (i = 0; i < b->repeat; i++) {
		ns = time_loop(b, m);
		if (ns < best) {
			best = ns;
			blocks = count_blocks(b);
		}
	}
	if (!blocks)
		die("%s: not one block", b->method);
	printf("%s,%zu,%llu,%llu,%.1f\n", b->label, b->size,
	       (unsigned long long)blocks, (unsigned long long)best,
	       (double)best / blocks);
}

static uint64_t child_cpu_ns(void)
{
	struct rusage ru;

	getrusage(RUSAGE_CHILDREN, &ru);
	return (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000ull +
	       (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000ull;
}

/* Time a command; the processor time tells how much of it was waiting. */
static int run_command(struct bench *b, char **argv)
{
	uint64_t start = now_ns(), wall;
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		execvp(argv[0], argv);
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0)
		die("waitpid: %s", strerror(errno));
	wall = now_ns() - start;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		die("%s failed with status 0x%x", argv[0], status);
	printf("%s,%zu,%lu,%llu,%llu\n", b->label, b->size, b->loops,
	       (unsigned long long)wall, (unsigned long long)child_cpu_ns());
	return 0;
}

static void print_help(const struct bench_option *table)
{
	puts("Usage: zio-loop-bench [options] [DATA_NODE...]\n"
	     "       zio-loop-bench [options] --run -- COMMAND [ARGS...]\n\n"
	     "Prints: label,size,blocks,ns,ns per block\n"
	     "  --run prints: label,size,loops,ns,ns of processor time\n");
	print_options(table);
	PRINT_METHODS(methods);
}

int main(int argc, char **argv)
{
	struct bench b = {
		.method = "read", .size = 16,
		.loops = 20000, .warmup = 1000, .repeat = 3,
	};
	int run = 0;
	const struct bench_option options[] = {
		{ "method", 'm', "NAME", "one of those below (read)",
		  .text = &b.method },
		{ "size", 's', "BYTES", "size of a block (16)",
		  .number = &b.size },
		{ "loops", 'n', "N",
		  "turns of the loop; a turn does each node (20000)",
		  .number = &b.loops, .least = 1 },
		{ "warmup", 'w', "N", "turns before the clock starts (1000)",
		  .number = &b.warmup },
		{ "repeat", 'r', "N", "measure so often, print the least (3)",
		  .number = &b.repeat, .least = 1 },
		{ "label", 'l', "TEXT", "what to print first (the method)",
		  .text = &b.label },
		{ "announce", 'a', NULL, "print READY when the clock starts",
		  .flag = &b.announce },
		{ "run", 'R', NULL, "time a command instead of a loop",
		  .flag = &run },
		{ }
	};
	const struct method *m;

	take_options(argc, argv, options, print_help);
	if (!b.label)
		b.label = b.method;
	if (run) {
		if (optind == argc)
			die("--run: no command");
		return run_command(&b, argv + optind);
	}
	m = FIND_METHOD(methods, b.method);
	for (; optind < argc; optind++) {
		if (b.nodes == MAX_NODES)
			die("more than %d nodes", MAX_NODES);
		b.node[b.nodes++] = argv[optind];
	}
	if (!b.nodes && (m->data_flags >= 0 || m->ctrl_flags >= 0))
		die("method %s wants a data node", m->named.name);
	run_loops(&b, m);
	return 0;
}
