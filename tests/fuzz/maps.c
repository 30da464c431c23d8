// SPDX-License-Identifier: GPL-2.0-only
/* maps.c: mappings of nodes, the control ring, and operations on both */
#include <setjmp.h>

#include "fuzz.h"

#define N_MAPS	8

static struct map {
	char *at;
	size_t len;
} maps[N_MAPS];

static sigjmp_buf back;
static volatile sig_atomic_t is_touching;

static void caught(int signal)
{
	if (is_touching)
		siglongjmp(back, 1);
	/* The program has a bug: let the signal end it. */
	sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
}

void init_signals(void)
{
	struct sigaction touch = { .sa_handler = caught, .sa_flags = SA_NODEFER };

	sigaction(SIGBUS, &touch, NULL);
	sigaction(SIGSEGV, &touch, NULL);
	init_ticks();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
}

/* Read or write a byte of each page. Return: 0, or -1 after SIGBUS or SIGSEGV */
static int touch(volatile char *at, size_t len, bool write)
{
	size_t i;

	if (sigsetjmp(back, 1)) {
		is_touching = 0;
		errno = EFAULT;
		return -1;
	}
	is_touching = 1;
	for (i = 0; i < len; i += PAGE) {
		if (write)
			at[i + 200] = i;
		else
			(void)at[i];
	}
	is_touching = 0;
	return 0;
}

static struct map *find_map(void)
{
	unsigned int first = dice(N_MAPS), i;

	for (i = 0; i < N_MAPS; i++)
		if (maps[(first + i) % N_MAPS].at)
			return &maps[(first + i) % N_MAPS];
	return NULL;
}

void *any_map(size_t *len)
{
	struct map *map = find_map();

	if (!map)
		return NULL;
	*len = map->len;
	return map->at;
}

static void keep_map(void *at, size_t len)
{
	struct map *map = &maps[dice(N_MAPS)];

	if (at == MAP_FAILED)
		return;
	if (map->at)
		munmap(map->at, map->len);
	map->at = at;
	map->len = len;
}

static void do_mmap(void)
{
	static const int prots[] = {
		PROT_READ, PROT_READ, PROT_READ, PROT_READ | PROT_WRITE,
		PROT_WRITE, PROT_NONE, PROT_READ | PROT_EXEC,
	};
	int channel = any_channel(chance(4)), fd;
	size_t len = PAGE << dice(6);
	off_t at = chance(4) ? PAGE * dice(40) : 0;
	int prot = prots[dice(7)], flags = chance(4) ? MAP_PRIVATE : MAP_SHARED;
	bool is_data = !chance(4);
	void *map;

	if (chance(2)) {
		keep_map(mmap(NULL, len, prot, flags, slot_for(false, 1)->fd, at),
			 len);
		return;
	}
	fd = open_channel(channel, is_data, channels[channel].is_output ?
			  O_RDWR | O_NONBLOCK : O_RDONLY | O_NONBLOCK);
	map = mmap(NULL, len, prot, flags | (chance(8) ? MAP_POPULATE : 0), fd, at);
	result(map == MAP_FAILED ? -1 : 0);
	keep_map(map, len);
	if (chance(2) && fd >= 0)
		close(fd);
	else
		keep_fd(fd, channel, is_data);
}

static void do_munmap(void)
{
	struct map *map = find_map();

	if (!map)
		return;
	/* Unmap the second half only. */
	if (chance(4) && map->len > PAGE) {
		map->len /= 2;
		result(munmap(map->at + map->len, map->len));
		return;
	}
	result(munmap(map->at, map->len));
	map->at = NULL;
}

static void do_mremap(void)
{
	struct map *map = find_map();
	size_t len;
	void *at;

	if (!map)
		return;
	len = chance(2) ? map->len : PAGE << dice(7);
	at = mremap(map->at, map->len, len, MREMAP_MAYMOVE);
	result(at == MAP_FAILED ? -1 : 0);
	if (at == MAP_FAILED)
		return;
	map->at = at;
	map->len = len;
	touch(map->at, map->len, false);
}

static void do_madvise(void)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_WILLNEED, MADV_DONTFORK, MADV_DOFORK,
		MADV_FREE, MADV_REMOVE, MADV_COLD, MADV_PAGEOUT, MADV_HUGEPAGE,
		MADV_POPULATE_READ, MADV_POPULATE_WRITE, MADV_RANDOM,
	};
	struct map *map = find_map();

	if (!map)
		return;
	result(madvise(map->at, map->len,
		       advice[dice(sizeof(advice) / sizeof(*advice))]));
	touch(map->at, map->len, false);
}

static void do_mprotect(void)
{
	struct map *map = find_map();

	if (map)
		result(mprotect(map->at, chance(2) ? map->len : PAGE,
				chance(2) ? PROT_READ : (int)dice(8)));
}

static void do_touch(void)
{
	struct map *map = find_map();

	if (map)
		result(touch(map->at, map->len, chance(4)));
}

static void do_msync(void)
{
	static unsigned char in_core[64];
	struct map *map = find_map();

	if (!map)
		return;
	switch (dice(4)) {
	case 0:
		result(msync(map->at, map->len, 1 << dice(3)));
		break;
	case 1:
		result(mincore(map->at, map->len < PAGE << 6 ? map->len : PAGE,
			       in_core));
		break;
	case 2:
		result(mlock(map->at, PAGE));
		break;
	default:
		result(munlock(map->at, PAGE));
	}
}

/* The ring: most of the time, the program keeps the rules */

struct ring {
	struct zio_ring_header *header;
	char *slots;
	struct slot slot;
};

static uint32_t load(uint32_t *number)
{
	return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

static void store_tail(struct ring *ring, uint32_t tail)
{
	__atomic_store_n(&ring->header->tail, tail, __ATOMIC_RELEASE);
}

static bool open_ring(struct ring *ring)
{
	int channel = any_channel(false);

	ring->slot.channel = channel;
	ring->slot.fd = result(open_channel(channel, false,
					    O_RDWR | O_CLOEXEC | O_NONBLOCK));
	if (ring->slot.fd < 0)
		return false;
	ring->header = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			    ring->slot.fd, 0);
	if (result(ring->header == MAP_FAILED ? -1 : 0)) {
		close(ring->slot.fd);
		return false;
	}
	holds(ring->header->magic == ZIO_RING_MAGIC, ring->header->magic,
	      ZIO_RING_MAGIC);
	return true;
}

/* Check the control of block @i, which this process owns. */
static void look_at(struct ring *ring, uint32_t i)
{
	uint32_t n = i & (ring->header->n_slots - 1);
	struct zio_control ctrl;

	memcpy(&ctrl, ring->slots + n * ring->header->slot_size, sizeof(ctrl));
	check_control(&ctrl, &ring->slot);
}

static void take_blocks(struct ring *ring)
{
	struct pollfd p = { ring->slot.fd, POLLIN, 0 };
	uint32_t tail, head, rounds = 1 + dice(10);

	while (rounds--) {
		result(poll(&p, 1, dice(10)));
		tail = load(&ring->header->tail);
		for (head = load(&ring->header->head); tail != head; tail++)
			look_at(ring, tail);
		store_tail(ring, tail);
	}
}

static void spoil_tail(struct ring *ring)
{
	uint32_t n = 1 + dice(20);
	char byte;

	while (n--) {
		store_tail(ring, chance(2) ? (uint32_t)any_int() :
			   load(&ring->header->head) + dice(600) - 300);
		if (chance(4))
			memset(&ring->header->magic, any_int(), 1 + dice(200));
		if (chance(2))
			result(poll(&(struct pollfd){ ring->slot.fd, POLLIN, 0 },
				    1, dice(5)));
		if (chance(4))
			result(read(ring->slot.fd, &byte, 1));
	}
}

static void do_ring(void)
{
	struct ring ring = { 0 };
	size_t size, keep;
	char *slots;

	if (!open_ring(&ring))
		return;
	size = (size_t)ring.header->slot_size * ring.header->n_slots;
	slots = mmap(NULL, size, PROT_READ, MAP_SHARED, ring.slot.fd,
		     ring.header->slots_offset);
	if (!result(slots == MAP_FAILED ? -1 : 0)) {
		ring.slots = slots;
		if (!chance(4))
			take_blocks(&ring);
		munmap(slots, size);
	}
	if (chance(3))
		spoil_tail(&ring);
	keep = chance(4);
	if (keep)
		keep_map(ring.header, PAGE);
	else
		munmap(ring.header, PAGE);
	close(ring.slot.fd);
}

const struct op map_ops[] = {
	{ "mmap", do_mmap, 30, 5, MEMBER },
	{ "munmap", do_munmap, 10, 3, MEMBER },
	{ "mremap", do_mremap, 8, 2, MEMBER },
	{ "madvise", do_madvise, 8, 2, MEMBER },
	{ "mprotect", do_mprotect, 6, 2, MEMBER },
	{ "msync", do_msync, 6, 1, MEMBER },
	{ "touch", do_touch, 12, 3, MEMBER },
	{ "ring", do_ring, 25, 5, MEMBER },
	{}
};
