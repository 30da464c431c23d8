// SPDX-License-Identifier: GPL-2.0-only
/* zio-bench loop: what a block costs by system calls */
#include <poll.h>
#include <sys/syscall.h>

#include "loop.h"

#define BULK_SIZE	(1UL << 20)

int open_ctrl(const char *data, int flags)
{
	int stem = strlen(data) - 5;

	if (stem < 0 || strcmp(data + stem, "-data"))
		die("%s: the name does not end in -data", data);
	return open_path(flags, "%.*s-ctrl", stem, data);
}

static void get_buffer(struct loop *b)
{
	size_t size = b->size > BULK_SIZE ? b->size : BULK_SIZE;

	b->buf = malloc(size);
	if (!b->buf)
		die("no memory for %zu bytes", size);
	/* The page faults belong to no block. */
	memset(b->buf, 0x55, size);
}

static void open_data_flags(struct loop *b, int flags)
{
	unsigned int i;

	for (i = 0; i < b->nodes; i++)
		b->data[i] = open_path(flags, "%s", b->node[i]);
}

/* A turn without nodes is one call. */
static void open_nothing(struct loop *b)
{
	b->nodes = 1;
}

static void open_data(struct loop *b)
{
	open_data_flags(b, O_RDONLY);
}

static void open_output(struct loop *b)
{
	open_data_flags(b, O_WRONLY);
}

static void open_controls(struct loop *b)
{
	unsigned int i;

	for (i = 0; i < b->nodes; i++)
		b->ctrl[i] = open_ctrl(b->node[i], O_RDONLY);
}

static void open_both(struct loop *b)
{
	open_data(b);
	open_controls(b);
}

/* In the warm-up a block of another size may come that was left by another run. */
static void read_data(struct loop *b, unsigned int i)
{
	ssize_t n = read(b->data[i], b->buf, b->size);

	if (n <= 0)
		die("%s: read of %llu bytes: %s", b->node[i],
		    (unsigned long long)b->size, n ? strerror(errno) : "end");
	b->bytes += n;
	touch(b, b->buf, n);
}

static void read_ctrl(struct loop *b, unsigned int i)
{
	struct zio_control *ctrl = (void *)b->buf;
	ssize_t n = read(b->ctrl[i], ctrl, sizeof(*ctrl));

	if (n != sizeof(*ctrl))
		die("%s: control gave %zd: %s", b->node[i], n,
		    n < 0 ? strerror(errno) : "short");
}

/* The data are dropped: the next control lets go of the block before. */
static void read_ctrl_only(struct loop *b, unsigned int i)
{
	struct zio_control *ctrl = (void *)b->buf;

	read_ctrl(b, i);
	b->bytes += (size_t)ctrl->nsamples * ctrl->ssize;
}

static void read_ctrl_data(struct loop *b, unsigned int i)
{
	read_ctrl(b, i);
	read_data(b, i);
}

static void poll_data(struct loop *b, unsigned int i)
{
	struct pollfd pfd = { .fd = b->data[i], .events = POLLIN };

	if (poll(&pfd, 1, 1000) != 1 || !(pfd.revents & POLLIN))
		die("%s: poll gave 0x%x", b->node[i], pfd.revents);
	read_data(b, i);
}

static void write_data(struct loop *b, unsigned int i)
{
	ssize_t n = write(b->data[i], b->buf, b->size);

	if (n != (ssize_t)b->size)
		die("%s: write took %zd of %llu: %s", b->node[i], n,
		    (unsigned long long)b->size, n < 0 ? strerror(errno) : "short");
	b->bytes += n;
}

static void read_bulk(struct loop *b, unsigned int i)
{
	ssize_t n = read(b->data[i], b->buf, BULK_SIZE);

	if (n <= 0)
		die("%s: read: %s", b->node[i], n ? strerror(errno) : "nothing");
	b->bytes += n;
}

static void call_nothing(struct loop *b, unsigned int i)
{
	(void)i;
	b->bytes += b->size;
}

static void call_syscall(struct loop *b, unsigned int i)
{
	call_nothing(b, i);
	syscall(SYS_getppid);
}

static const struct method methods[] = {
	{ { "floor", "the empty loop" }, open_nothing, .take = call_nothing },
	{ { "syscall", "getppid, the shortest system call" }, open_nothing,
	  .take = call_syscall },
	{ { "read", "read one block of data" }, open_data, .take = read_data },
	{ { "ctrl", "read the control, drop the data" }, open_controls,
	  .take = read_ctrl_only },
	{ { "ctrl+read", "read the control, then the data" }, open_both,
	  .take = read_ctrl_data },
	{ { "poll+read", "poll, then read the data" }, open_data, .take = poll_data },
	{ { "write", "write one block of data" }, open_output, .take = write_data },
	{ { "bulk", "reads of 1 MiB over small blocks" }, open_data, .take = read_bulk },
};

static void run_method(struct loop *b, unsigned long n)
{
	const struct method *m = b->method;
	unsigned int i;

	b->bytes = 0;
	if (m->run) {
		m->run(b, n);
		return;
	}
	while (n--)
		for (i = 0; i < b->nodes; i++)
			m->take(b, i);
}

static uint64_t time_once(struct loop *b)
{
	uint64_t start = now_ns();

	run_method(b, b->turns);
	return now_ns() - start;
}

static void time_loop(struct loop *b)
{
	uint64_t best = UINT64_MAX, i;

	b->method->open(b);
	get_buffer(b);
	run_method(b, b->warmup ? b->warmup : b->turns / 10 + 1);
	if (b->announce)
		announce();
	for (i = 0; i < b->repeat; i++)
		best = min_ns(best, time_once(b));
	if (!b->bytes || b->bytes % b->size)
		die("%s: %llu bytes are no blocks of %llu", b->method->named.name,
		    (unsigned long long)b->bytes, (unsigned long long)b->size);
	PRINT_NUMBERS({ "blocks", b->bytes / b->size }, { "ns", best });
}

int time_method(struct loop *b, int argc, char **argv,
		const struct method *list, size_t n)
{
	const struct bench_option options[] = {
		{ "method", 'm', "how to take the blocks", .choice = &b->method,
		  .table = list, .n = n, .entry = sizeof(*list) },
		{ "size", 's', "bytes of a block (16)", .number = &b->size, .least = 1 },
		{ "turns", 'n', "blocks of each node (20000)", .number = &b->turns,
		  .least = 1 },
		{ "warmup", 'w', "turns before the clock starts (a tenth)",
		  .number = &b->warmup },
		{ "repeat", 'r', "measure so often, print the least (3)",
		  .number = &b->repeat, .least = 1 },
		{ "touch", 't', "use every byte", .flag = &b->touch },
		{ "announce", 'a', "print READY when the clock starts",
		  .flag = &b->announce },
		{ }
	};
	int i = take_options(argc, argv, options, "[DATA_NODE]...");

	if (argc - i > MAX_NODES)
		die("more than %d nodes", MAX_NODES);
	while (i < argc)
		b->node[b->nodes++] = argv[i++];
	time_loop(b);
	return 0;
}

int main_loop(int argc, char **argv)
{
	static struct loop b = {
		.method = &methods[2], .size = 16, .turns = 20000, .repeat = 3,
	};

	return time_method(&b, argc, argv, methods, ARRAY_SIZE(methods));
}
