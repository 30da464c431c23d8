// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench loop: what a block costs, by one method or another
 *
 *   method=NAME   how to take the blocks: here, in map.c, and in aio.c
 *   size=BYTES    of a block (16)
 *   turns=N       blocks of each node (20000)
 *   warmup=N      turns before the clock starts (a tenth)
 *   repeat=N      measure so often, print the least (3)
 *   touch=1       use every byte
 *   announce=1    print READY when the clock starts
 *
 * Other words are data nodes.
 */
#include <poll.h>

#include "loop.h"

#define BULK_SIZE	(1UL << 20)

static void open_data_flags(struct loop *b, int flags)
{
	unsigned int i;

	for (i = 0; i < b->nodes; i++)
		b->data[i] = open_path(flags, "%s", b->node[i]);
}

void open_data(struct loop *b)
{
	open_data_flags(b, O_RDONLY);
}

static void open_output(struct loop *b)
{
	open_data_flags(b, O_WRONLY);
}

/* The file name of a control node is that of the data node, but for its end. */
void open_controls(struct loop *b, int flags)
{
	unsigned int i;

	for (i = 0; i < b->nodes; i++)
		b->ctrl[i] = open_path(flags, "%.*sctrl", (int)strlen(b->node[i]) - 4,
				       b->node[i]);
}

static void open_ctrl(struct loop *b)
{
	open_controls(b, O_RDONLY);
}

static void open_both(struct loop *b)
{
	open_data(b);
	open_ctrl(b);
}

/* A turn without nodes is one call. */
static void read_data(struct loop *b, unsigned int i)
{
	take_bytes(b, i, read(b->data[i], b->buf, b->size));
}

static void read_bulk(struct loop *b, unsigned int i)
{
	take_bytes(b, i, read(b->data[i], b->buf, BULK_SIZE));
}

static const struct zio_control *read_control(struct loop *b, unsigned int i)
{
	struct zio_control *ctrl = (void *)b->buf;
	ssize_t n = read(b->ctrl[i], ctrl, sizeof(*ctrl));

	if (n != sizeof(*ctrl))
		die("%s: control gave %zd: %s", b->node[i], n,
		    n < 0 ? strerror(errno) : "short");
	return ctrl;
}

/* The data are dropped: the next control lets go of the block before. */
static void read_ctrl_only(struct loop *b, unsigned int i)
{
	const struct zio_control *ctrl = read_control(b, i);

	b->bytes += (size_t)ctrl->nsamples * ctrl->ssize;
}

static void read_ctrl_data(struct loop *b, unsigned int i)
{
	read_control(b, i);
	read_data(b, i);
}

void wait_for_input(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	if (poll(&pfd, 1, 1000) != 1 || !(pfd.revents & POLLIN))
		die("poll gave 0x%x", pfd.revents);
}

static void poll_data(struct loop *b, unsigned int i)
{
	wait_for_input(b->data[i]);
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

static const struct method call_methods[] = {
	{ "read", open_data, .take = read_data },
	{ "ctrl", open_ctrl, .take = read_ctrl_only },
	{ "ctrl+read", open_both, .take = read_ctrl_data },
	{ "poll+read", open_data, .take = poll_data },
	{ "write", open_output, .take = write_data },
	/* Reads of 1 MiB over small blocks */
	{ "bulk", open_data, .take = read_bulk },
	{ }
};

static const struct method *find_method(const char *name)
{
	const struct method *lists[] = { call_methods, map_methods, aio_methods };
	const struct method *m;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		for (m = lists[i]; m->name; m++)
			if (!strcmp(m->name, name))
				return m;
	die("method: there is no '%s'", name);
}

static void get_buffer(struct loop *b)
{
	size_t size = b->size > BULK_SIZE ? b->size : BULK_SIZE;

	if (posix_memalign((void **)&b->buf, PAGE, size))
		die("no memory for %zu bytes", size);
	/* The page faults belong to no block. */
	memset(b->buf, 0x55, size);
}

static uint64_t time_turns(struct loop *b, const struct method *m, unsigned long n)
{
	uint64_t start = now_ns();
	unsigned int i;

	b->bytes = 0;
	if (m->run)
		m->run(b, n);
	else
		while (n--)
			for (i = 0; i < b->nodes; i++)
				m->take(b, i);
	return now_ns() - start;
}

void main_loop(char **argv)
{
	static struct loop b;
	const struct method *m = find_method(take_text(argv, "method", "read"));
	uint64_t turns = take_count(argv, "turns", 20000), best = UINT64_MAX;
	uint64_t warmup = take_count(argv, "warmup", turns / 10 + 1);
	uint64_t repeat = take_count(argv, "repeat", 3);
	bool announces = take_number(argv, "announce", 0);

	b.size = take_count(argv, "size", 16);
	b.touch = take_number(argv, "touch", 0);
	while (argv[b.nodes] && b.nodes < MAX_NODES) {
		b.node[b.nodes] = argv[b.nodes];
		b.nodes++;
	}
	expect_words(argv, b.nodes);
	get_buffer(&b);
	m->open(&b);
	time_turns(&b, m, warmup);
	if (announces)
		announce();
	while (repeat--)
		best = min_ns(best, time_turns(&b, m, turns));
	if (!b.bytes || b.bytes % b.size)
		die("%s: %llu bytes are no blocks of %llu", m->name,
		    (unsigned long long)b.bytes, (unsigned long long)b.size);
	PRINT_NUMBERS({ "blocks", b.bytes / b.size }, { "ns", best });
}
