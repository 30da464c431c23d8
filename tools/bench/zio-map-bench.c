// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-map-bench: what a block costs by a mapping, or by a read, in one process
 *
 * The ring is used without any library, as include/uapi/linux/zio-user.h has
 * it. Prints what zio-loop-bench prints: label, size, blocks, ns, ns per block.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/zio-user.h>

#include "bench.h"

#define BATCH	16

struct bench {
	const char *node;
	size_t size;
	unsigned long blocks;
	int touch;
	int ctrl, data, pipe[2], null;
	struct zio_ring_header *hdr;
	const struct zio_control *slot;
	const uint8_t *area;
	uint8_t *buf;
	uint64_t polls;
	volatile uint64_t sum;
};

static int open_kind(const struct bench *b, const char *kind, int flags)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s-%s", b->node, kind);
	fd = open(path, flags);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

static void *map(int fd, size_t offset, size_t size, int prot)
{
	void *mem = mmap(NULL, size, prot, MAP_SHARED | MAP_POPULATE, fd,
			 offset);

	if (mem == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return mem;
}

/* Every byte, eight at a time. */
static void touch(struct bench *b, const void *mem, size_t size)
{
	const uint64_t *word = mem;
	uint64_t sum = 0;
	size_t i;

	if (!b->touch)
		return;
	for (i = 0; i < size / 8; i++)
		sum += word[i];
	b->sum += sum;
}

static const void *samples(const struct bench *b, const struct zio_control *c)
{
	return b->area + (c->mem_offset | (uint64_t)c->reserved << 32);
}

static void map_area(struct bench *b, size_t size)
{
	b->area = map(b->data, 0, size, PROT_READ);
}

static void open_ring(struct bench *b)
{
	b->ctrl = open_kind(b, "ctrl", O_RDWR);
	b->data = open_kind(b, "data", O_RDONLY);
	b->hdr = map(b->ctrl, 0, 4096, PROT_READ | PROT_WRITE);
	b->slot = map(b->ctrl, b->hdr->slots_offset,
		      (size_t)b->hdr->n_slots * b->hdr->slot_size, PROT_READ);
	map_area(b, b->hdr->data_size);
}

static void wait_ring(struct bench *b)
{
	struct pollfd pfd = { .fd = b->ctrl, .events = POLLIN };

	if (poll(&pfd, 1, 1000) != 1 || pfd.revents != POLLIN)
		die("poll gave %#x", pfd.revents);
	b->polls++;
}

static void loop_ring(struct bench *b, unsigned long n)
{
	uint32_t tail = b->hdr->tail, mask = b->hdr->n_slots - 1;

	while (n--) {
		const struct zio_control *c = &b->slot[tail & mask];

		while (__atomic_load_n(&b->hdr->head, __ATOMIC_ACQUIRE) == tail)
			wait_ring(b);
		touch(b, samples(b, c), b->size);
		__atomic_store_n(&b->hdr->tail, ++tail, __ATOMIC_RELEASE);
	}
}

static int fits(int fd, size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (mem == MAP_FAILED)
		return 0;
	munmap(mem, size);
	return 1;
}

/* The area's size is in sysfs, and in a ring's header; here it is tried. */
static size_t find_area(int fd)
{
	size_t size = 0, step = 1UL << 40;

	for (; step >= 4096; step >>= 1)
		if (fits(fd, size + step))
			size += step;
	return size;
}

static void open_mapped(struct bench *b)
{
	b->ctrl = open_kind(b, "ctrl", O_RDONLY);
	b->data = open_kind(b, "data", O_RDONLY);
	map_area(b, find_area(b->data));
}

static void loop_batch(struct bench *b, unsigned long n, size_t batch)
{
	static struct zio_control ctrl[BATCH];
	ssize_t got, i;

	while (n) {
		got = read(b->ctrl, ctrl, sizeof(*ctrl) *
			   (n < batch ? n : batch)) / (ssize_t)sizeof(*ctrl);
		if (got < 1)
			die("read of controls: %s", strerror(errno));
		for (i = 0; i < got; i++)
			touch(b, samples(b, &ctrl[i]), b->size);
		n -= got;
	}
}

static void loop_mmap(struct bench *b, unsigned long n)
{
	loop_batch(b, n, 1);
}

static void loop_mmap_batch(struct bench *b, unsigned long n)
{
	loop_batch(b, n, BATCH);
}

static void open_to_read(struct bench *b)
{
	b->data = open_kind(b, "data", O_RDONLY);
	b->buf = malloc(b->size);
	if (!b->buf)
		die("no memory");
	memset(b->buf, 0x55, b->size);
}

/* The first block may be one that was left, and of another size. */
static void loop_read(struct bench *b, unsigned long n)
{
	while (n--) {
		if (read(b->data, b->buf, b->size) <= 0)
			die("read of data: %s", strerror(errno));
		touch(b, b->buf, b->size);
	}
}

static void open_to_drop(struct bench *b)
{
	b->ctrl = open_kind(b, "ctrl", O_RDONLY);
}

/* The next control lets go of the block before. */
static void loop_drop(struct bench *b, unsigned long n)
{
	struct zio_control ctrl;

	while (n--)
		if (read(b->ctrl, &ctrl, sizeof(ctrl)) != sizeof(ctrl))
			die("read of a control: %s", strerror(errno));
}

static void open_to_splice(struct bench *b)
{
	b->data = open_kind(b, "data", O_RDONLY);
	b->null = open("/dev/null", O_WRONLY);
	if (pipe(b->pipe) || b->null < 0)
		die("pipe: %s", strerror(errno));
	fcntl(b->pipe[1], F_SETPIPE_SZ, 1 << 20);
}

/* What is mapped is not lent to pipes. */
static void open_to_splice_copy(struct bench *b)
{
	open_to_splice(b);
	map_area(b, 4096);
}

static ssize_t move(int from, int to, size_t n)
{
	ssize_t ret = splice(from, NULL, to, NULL, n, 0);

	if (ret <= 0)
		die("splice: %s", strerror(errno));
	return ret;
}

/* Into a pipe, and out of it. */
static void loop_splice(struct bench *b, unsigned long n)
{
	size_t left;
	ssize_t in;

	while (n--)
		for (left = b->size; left; left -= in) {
			in = move(b->data, b->pipe[1], left);
			if (move(b->pipe[0], b->null, in) != in)
				die("splice: a part stays in the pipe");
		}
}

static const struct method {
	struct named named;
	void (*open)(struct bench *b);
	void (*loop)(struct bench *b, unsigned long n);
} methods[] = {
	{ { "ring", "control ring and mapped data" }, open_ring, loop_ring },
	{ { "batch", "16 controls a read, mapped data" }, open_mapped,
	  loop_mmap_batch },
	{ { "mmap", "a control a read, mapped data" }, open_mapped, loop_mmap },
	{ { "read", "data by read, no control" }, open_to_read, loop_read },
	{ { "drop", "a control a read, no data" }, open_to_drop, loop_drop },
	{ { "splice", "data by splice, to /dev/null" }, open_to_splice,
	  loop_splice },
	{ { "splice-copy", "the same, while the area is mapped" },
	  open_to_splice_copy, loop_splice },
};

static void run(struct bench *b, const struct method *m, const char *label,
		unsigned long repeat, int announce)
{
	uint64_t best = UINT64_MAX, start, ns;

	m->open(b);
	m->loop(b, announce ? 1000 : b->blocks / 10 + 1);
	if (announce) {
		puts("READY");
		fflush(stdout);
	}
	while (repeat--) {
		start = now_ns();
		m->loop(b, b->blocks);
		ns = now_ns() - start;
		best = ns < best ? ns : best;
	}
	printf("%s,%zu,%lu,%llu,%.1f\n", label, b->size, b->blocks,
	       (unsigned long long)best, (double)best / b->blocks);
}

static void print_help(const struct bench_option *table)
{
	puts("Usage: zio-map-bench [options] NODE_WITHOUT_-data\n\n"
	     "Prints: label,size,blocks,ns,ns per block\n");
	print_options(table);
	PRINT_METHODS(methods);
}

int main(int argc, char **argv)
{
	struct bench b = { .size = 16, .blocks = 20000 };
	const char *method = "ring", *label = NULL;
	unsigned long repeat = 3;
	int announce = 0;
	const struct bench_option options[] = {
		{ "method", 'm', "NAME", "one of those below (ring)",
		  .text = &method },
		{ "size", 's', "BYTES", "size of a block (16)",
		  .number = &b.size, .least = 1 },
		{ "blocks", 'n', "N", "blocks to take (20000)",
		  .number = &b.blocks, .least = 1 },
		{ "repeat", 'r', "N", "measure so often, print the least (3)",
		  .number = &repeat, .least = 1 },
		{ "touch", 't', NULL, "read every byte", .flag = &b.touch },
		{ "announce", 'a', NULL, "print READY when the clock starts",
		  .flag = &announce },
		{ "label", 'l', "TEXT", "what to print first (the method)",
		  .text = &label },
		{ }
	};

	take_options(argc, argv, options, print_help);
	if (optind != argc - 1)
		die("one node, please (see --help)");
	b.node = argv[optind];
	run(&b, FIND_METHOD(methods, method), label ? label : method, repeat,
	    announce);
	return 0;
}
