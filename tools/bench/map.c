// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench map: what a block costs by a mapping, by splice, or dropped
 *
 * The ring is used without any library, as include/uapi/linux/zio-user.h has it.
 */
#include <poll.h>
#include <sys/mman.h>

#include "loop.h"

#define BATCH	16

static const void *samples(const struct loop *b, const struct zio_control *c)
{
	return b->area + (c->mem_offset | (uint64_t)c->reserved << 32);
}

static void open_node(struct loop *b)
{
	if (b->nodes != 1)
		die("one node is wanted, not %u", b->nodes);
	b->data[0] = open_path(O_RDONLY, "%s", b->node[0]);
}

static void open_ring(struct loop *b)
{
	int ctrl;

	open_node(b);
	ctrl = open_ctrl(b->node[0], O_RDWR);
	b->ctrl[0] = ctrl;
	b->hdr = map_file(ctrl, 0, PAGE, PROT_READ | PROT_WRITE);
	b->slot = map_file(ctrl, b->hdr->slots_offset,
			   (size_t)b->hdr->n_slots * b->hdr->slot_size, PROT_READ);
	b->area = map_file(b->data[0], 0, b->hdr->data_size, PROT_READ);
}

static void wait_ring(struct loop *b)
{
	struct pollfd pfd = { .fd = b->ctrl[0], .events = POLLIN };

	if (poll(&pfd, 1, 1000) != 1 || pfd.revents != POLLIN)
		die("poll gave %#x", pfd.revents);
}

static void run_ring(struct loop *b, unsigned long n)
{
	uint32_t tail = b->hdr->tail, mask = b->hdr->n_slots - 1;

	b->bytes = n * b->size;
	while (n--) {
		const struct zio_control *c = &b->slot[tail & mask];

		while (__atomic_load_n(&b->hdr->head, __ATOMIC_ACQUIRE) == tail)
			wait_ring(b);
		touch(b, samples(b, c), b->size);
		__atomic_store_n(&b->hdr->tail, ++tail, __ATOMIC_RELEASE);
	}
}

static bool fits(int fd, size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (mem == MAP_FAILED)
		return false;
	munmap(mem, size);
	return true;
}

/* Only a ring's header has the size of the area; this tries to map more and more. */
static size_t find_area(int fd)
{
	size_t size = 0, step = 1UL << 40;

	for (; step >= PAGE; step >>= 1)
		if (fits(fd, size + step))
			size += step;
	return size;
}

static void open_mapped(struct loop *b)
{
	open_node(b);
	b->ctrl[0] = open_ctrl(b->node[0], O_RDONLY);
	b->area = map_file(b->data[0], 0, find_area(b->data[0]), PROT_READ);
}

static inline __attribute__((always_inline)) void
take_batches(struct loop *b, unsigned long n, size_t batch)
{
	static struct zio_control ctrl[BATCH];
	ssize_t got, i;

	b->bytes = n * b->size;
	while (n) {
		got = read(b->ctrl[0], ctrl, sizeof(*ctrl) * (n < batch ? n : batch)) /
			(ssize_t)sizeof(*ctrl);
		if (got < 1)
			die("read of controls: %s", strerror(errno));
		for (i = 0; i < got; i++)
			touch(b, samples(b, &ctrl[i]), b->size);
		n -= got;
	}
}

static void run_mmap(struct loop *b, unsigned long n)
{
	take_batches(b, n, 1);
}

static void run_batch(struct loop *b, unsigned long n)
{
	take_batches(b, n, BATCH);
}

static void open_splice(struct loop *b)
{
	open_node(b);
	b->null = open_path(O_WRONLY, "/dev/null");
	if (pipe(b->pipe))
		die("pipe: %s", strerror(errno));
	fcntl(b->pipe[1], F_SETPIPE_SZ, 1 << 20);
}

/* The kernel does not lend to pipes what is mapped: it copies. */
static void open_splice_copy(struct loop *b)
{
	open_splice(b);
	b->area = map_file(b->data[0], 0, PAGE, PROT_READ);
}

static ssize_t move(int from, int to, size_t n)
{
	ssize_t ret = splice(from, NULL, to, NULL, n, 0);

	if (ret <= 0)
		die("splice: %s", strerror(errno));
	return ret;
}

static void run_splice(struct loop *b, unsigned long n)
{
	size_t left;
	ssize_t in;

	b->bytes = n * b->size;
	while (n--)
		for (left = b->size; left; left -= in) {
			in = move(b->data[0], b->pipe[1], left);
			if (move(b->pipe[0], b->null, in) != in)
				die("splice: a part stays in the pipe");
		}
}

static const struct method methods[] = {
	{ { "ring", "control ring and mapped data" }, open_ring, .run = run_ring },
	{ { "batch", "16 controls a read, mapped data" }, open_mapped, .run = run_batch },
	{ { "mmap", "a control a read, mapped data" }, open_mapped, .run = run_mmap },
	{ { "splice", "data by splice, to /dev/null" }, open_splice, .run = run_splice },
	{ { "splice-copy", "the same, while the area is mapped" }, open_splice_copy,
	  .run = run_splice },
};

int main_map(int argc, char **argv)
{
	static struct loop b = {
		.method = methods, .size = 16, .turns = 20000, .repeat = 3,
	};

	return time_method(&b, argc, argv, methods, ARRAY_SIZE(methods));
}
