// SPDX-License-Identifier: GPL-2.0-only
/*
 * Methods of "loop": by a mapping
 *
 * The ring is used without any library, as include/uapi/linux/zio-user.h has it.
 */
#include <sys/mman.h>

#include "loop.h"

static struct zio_ring_header *hdr;
static const struct zio_control *slot;
static const uint8_t *area;

static const void *samples(const struct zio_control *c)
{
	return area + (c->mem_offset | (uint64_t)c->mem_offset_high << 32);
}

static void open_ring(struct loop *b)
{
	open_data(b);
	open_controls(b, O_RDWR);
	hdr = map_file(b->ctrl[0], 0, PAGE, PROT_READ | PROT_WRITE);
	slot = map_file(b->ctrl[0], hdr->slots_offset,
			(size_t)hdr->n_slots * hdr->slot_size, PROT_READ);
	area = map_file(b->data[0], 0, hdr->data_size, PROT_READ);
}

static void run_ring(struct loop *b, unsigned long n)
{
	struct zio_ring_header *h = hdr;
	uint32_t tail = h->tail, mask = h->n_slots - 1;

	b->bytes = n * b->size;
	while (n--) {
		while (__atomic_load_n(&h->head, __ATOMIC_ACQUIRE) == tail)
			wait_for_input(b->ctrl[0]);
		touch(b, samples(&slot[tail & mask]), b->size);
		__atomic_store_n(&h->tail, ++tail, __ATOMIC_RELEASE);
	}
}

static bool fits(int fd, size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	return mem != MAP_FAILED && !munmap(mem, size);
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
	open_data(b);
	open_controls(b, O_RDONLY);
	area = map_file(b->data[0], 0, find_area(b->data[0]), PROT_READ);
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
			touch(b, samples(&ctrl[i]), b->size);
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

const struct method map_methods[] = {
	{ "ring", open_ring, .run = run_ring },
	{ "batch", open_mapped, .run = run_batch },
	{ "mmap", open_mapped, .run = run_mmap },
	{ }
};
