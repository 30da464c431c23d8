/* SPDX-License-Identifier: GPL-2.0-only */
/* ring.h: a program that reads a control ring */
#ifndef RING_H
#define RING_H

#include "node.h"

struct ring {
	struct zio_ring_header *hdr;
	struct zio_control *slot;
	uint8_t *data;
	int ctrl, fd;
};

struct map {
	uint8_t *mem;
	size_t size;
};

static inline struct map map_file(int fd, off_t offset, size_t size, int prot)
{
	struct map map = { .size = size };

	map.mem = mmap(NULL, size, prot, MAP_SHARED, fd, offset);
	if (map.mem == MAP_FAILED)
		FAIL("cannot map %zu bytes at %jd: %s", size, (intmax_t)offset,
		     strerrorname_np(errno));
	return map;
}

static inline struct ring open_ring(const char *prefix)
{
	struct ring r;

	r.ctrl = open_node(prefix, "ctrl", O_RDWR);
	r.fd = open_node(prefix, "data", O_RDONLY);
	r.hdr = (void *)map_file(r.ctrl, 0, PAGE, PROT_READ | PROT_WRITE).mem;
	ASSERT_EQ(r.hdr->magic, ZIO_RING_MAGIC);
	ASSERT_EQ(r.hdr->version, ZIO_RING_VERSION);
	ASSERT_EQ(r.hdr->slot_size, sizeof(struct zio_control));
	ASSERT_TRUE(r.hdr->n_slots && !(r.hdr->n_slots & (r.hdr->n_slots - 1)));
	r.slot = (void *)map_file(r.ctrl, r.hdr->slots_offset,
				  (size_t)r.hdr->n_slots * r.hdr->slot_size,
				  PROT_READ).mem;
	r.data = map_file(r.fd, 0, r.hdr->data_size, PROT_READ).mem;
	return r;
}

static inline void close_ring(struct ring *r)
{
	munmap(r->data, r->hdr->data_size);
	munmap(r->slot, (size_t)r->hdr->n_slots * r->hdr->slot_size);
	munmap(r->hdr, PAGE);
	close(r->ctrl);
	close(r->fd);
}

static inline uint32_t count_blocks(const struct ring *r)
{
	return __atomic_load_n(&r->hdr->head, __ATOMIC_ACQUIRE) - r->hdr->tail;
}

/* The oldest block; waits for one. */
static inline const struct zio_control *next_block(struct ring *r)
{
	if (!count_blocks(r))
		ASSERT_EQ(poll_events(r->ctrl, POLLIN, -1), POLLIN);
	ASSERT_TRUE(count_blocks(r));
	return &r->slot[r->hdr->tail & (r->hdr->n_slots - 1)];
}

static inline void release_block(struct ring *r)
{
	__atomic_store_n(&r->hdr->tail, r->hdr->tail + 1, __ATOMIC_RELEASE);
}

static inline void check_sawtooth_block(const struct ring *r,
					const struct zio_control *ctrl, uint8_t *next)
{
	const uint8_t *sample = r->data + offset_of(ctrl);
	uint32_t i;

	ASSERT_TRUE(offset_of(ctrl) + ctrl->nsamples <= r->hdr->data_size);
	for (i = 0; i < ctrl->nsamples; i++)
		ASSERT_EQ(sample[i], (*next)++);
}

/* Take @n blocks of a sawtooth. Return: how many times the ring was polled */
static inline unsigned int read_sawtooth_ring(const char *prefix, uint32_t n)
{
	struct ring r = open_ring(prefix);
	const struct zio_control *ctrl = next_block(&r);
	uint32_t i, polls = 0, seq = ctrl->seq_num;
	uint8_t next = r.data[offset_of(ctrl)];

	for (i = 0; i < n; i++) {
		polls += !count_blocks(&r);
		ctrl = next_block(&r);
		ASSERT_EQ(ctrl->major_version, ZIO_MAJOR_VERSION);
		ASSERT_EQ(ctrl->ssize, 1);
		ASSERT_EQ(ctrl->seq_num, (uint32_t)(seq + i));
		ASSERT_TRUE(ctrl->tstamp.secs);
		check_sawtooth_block(&r, ctrl, &next);
		release_block(&r);
	}
	close_ring(&r);
	return polls;
}

/* Write nonsense to the header of the ring; the kernel must bear it. */
static inline void write_nonsense(const char *prefix)
{
	struct ring r = open_ring(prefix);
	uint32_t n_slots = r.hdr->n_slots, i, head;
	size_t data_size = r.hdr->data_size;
	unsigned int seed = 1;

	for (i = 0; i < 20000; i++) {
		head = __atomic_load_n(&r.hdr->head, __ATOMIC_ACQUIRE);
		switch (rand_r(&seed) % 5) {
		case 0:
			r.hdr->tail = head + 1 + rand_r(&seed) % 1000;
			break;
		case 1:
			r.hdr->tail = rand_r(&seed) * 7u;
			break;
		case 2:
			r.hdr->tail = head;
			break;
		case 3:
			memset(r.hdr, rand_r(&seed), 64);
			break;
		default:
			r.hdr->tail = head - rand_r(&seed) % 300;
		}
		poll_events(r.ctrl, POLLIN, 0);
	}
	munmap(r.data, data_size);
	munmap(r.slot, (size_t)n_slots * sizeof(struct zio_control));
	munmap(r.hdr, PAGE);
	close(r.ctrl);
	close(r.fd);
}

/* Play 1000 blocks of an output, each filled in place; their bytes are counted. */
static inline void play_in_place(const char *prefix, const char *statistics)
{
	struct pair pair = open_pair(prefix, O_RDWR);
	struct zio_control ctrl = read_control(pair.ctrl), bad;
	struct map map = map_file(pair.data, 0, 128 * 1024, PROT_READ | PROT_WRITE);
	unsigned long blocks, bytes;
	char blocks_file[128], bytes_file[128], byte = 0;
	int i;

	snprintf(blocks_file, sizeof(blocks_file), "%s/blocks", statistics);
	snprintf(bytes_file, sizeof(bytes_file), "%s/bytes", statistics);
	blocks = read_number(blocks_file);
	bytes = read_number(bytes_file);
	ASSERT_ERRNO(write(pair.data, &byte, 1), EBUSY);
	bad = ctrl;
	bad.mem_offset++;
	ASSERT_ERRNO(write(pair.ctrl, &bad, sizeof(bad)), EINVAL);
	bad = ctrl;
	bad.nsamples++;
	ASSERT_ERRNO(write(pair.ctrl, &bad, sizeof(bad)), EMSGSIZE);
	for (i = 0; i < 1000; i++) {
		memset(map.mem + offset_of(&ctrl), i, ctrl.nsamples);
		ctrl.nsamples = 1 + i % 16;
		bytes += ctrl.nsamples;
		ASSERT_EQ(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
		ctrl = read_control(pair.ctrl);
	}
	ASSERT_EQ(read_number(blocks_file), blocks + 1000);
	ASSERT_EQ(read_number(bytes_file), bytes);
	munmap(map.mem, map.size);
	close_pair(pair);
}

#endif /* RING_H */
