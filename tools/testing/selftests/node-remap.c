// SPDX-License-Identifier: GPL-2.0-only
/* node-remap.c: mappings that grow, move, are split, dropped, forked, private */
#include <setjmp.h>
#include <time.h>

#include "node.h"

#define PAGE 4096

static sigjmp_buf stung;
static volatile int looking;

static void sting(int signal)
{
	if (!looking)
		fail("signal %d", signal);
	siglongjmp(stung, signal);
}

/* The signal that a look at the byte gives, or 0. */
static int look(const volatile uint8_t *at)
{
	int got = sigsetjmp(stung, 1);

	looking = !got;
	if (!got)
		(void)*at;
	looking = 0;
	return got;
}

static uint8_t *map(int fd, size_t offset, size_t size, int prot, int flags)
{
	uint8_t *mem = mmap(NULL, size, prot, flags, fd, offset);

	if (mem == MAP_FAILED)
		fail("mmap of %zu at %zu: %s", size, offset,
		     strerrorname_np(errno));
	return mem;
}

/* What the area has, by read(): the first blocks of a fresh buffer lie from 0 on. */
static uint8_t *fill(const char *prefix, size_t size)
{
	struct pair pair = open_pair(prefix, O_RDONLY);
	uint8_t *mem = malloc(size);
	struct zio_control ctrl;
	size_t n, sum = 0;

	want(mem);
	for (sum = 0; sum < size; sum += n) {
		ctrl = read_control(pair.ctrl);
		n = (size_t)ctrl.nsamples * ctrl.ssize;
		same(ctrl.mem_offset, sum);
		same(read(pair.data, mem + sum, n), n);
	}
	close_pair(pair);
	return mem;
}

/* grow PREFIX KB: page by page, as programs of ZIO 1.x do; and beyond the end */
static void do_grow(char **arg)
{
	size_t size = strtoul(arg[1], NULL, 0) * 1024, n;
	uint8_t *wanted = fill(arg[0], size), *mem, *at;
	int fd = open_node(arg[0], "data", O_RDONLY);

	mem = map(fd, 0, PAGE, PROT_READ, MAP_SHARED);
	for (n = 2 * PAGE; n <= size; n += PAGE) {
		mem = mremap(mem, n - PAGE, n, MREMAP_MAYMOVE);
		want(mem != MAP_FAILED);
		same(memcmp(mem + n - PAGE, wanted + n - PAGE, PAGE), 0);
	}
	same(memcmp(mem, wanted, size), 0);
	mem = mremap(mem, size, size + 2 * PAGE, MREMAP_MAYMOVE);
	want(mem != MAP_FAILED);
	same(memcmp(mem, wanted, size), 0);
	same(look(mem + size - 1), 0);
	same(look(mem + size), SIGBUS);
	same(look(mem + size + PAGE), SIGBUS);
	munmap(mem, size + 2 * PAGE);
	/* The pages around the one that is touched lie beyond the end. */
	mem = mremap(map(fd, size - PAGE, PAGE, PROT_READ, MAP_SHARED), PAGE,
		     3 * PAGE, MREMAP_MAYMOVE);
	want(mem != MAP_FAILED);
	same(memcmp(mem, wanted + size - PAGE, PAGE), 0);
	same(look(mem + PAGE), SIGBUS);
	munmap(mem, 3 * PAGE);
	/* In place: there is room behind it. */
	at = map(-1, 0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS);
	munmap(at, size);
	want(mmap(at, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, PAGE) == at);
	want(mremap(at, PAGE, size - PAGE, 0) == at);
	same(memcmp(at, wanted + PAGE, size - PAGE), 0);
}

/* drop PREFIX KB: pages that are given up come again */
static void do_drop(char **arg)
{
	size_t size = strtoul(arg[1], NULL, 0) * 1024;
	uint8_t *wanted = fill(arg[0], size), *mem;
	int fd = open_node(arg[0], "data", O_RDONLY);

	mem = map(fd, 0, size, PROT_READ, MAP_SHARED);
	same(memcmp(mem, wanted, size), 0);
	same(madvise(mem, size, MADV_DONTNEED), 0);
	same(memcmp(mem, wanted, size), 0);
	same(madvise(mem + PAGE, PAGE, MADV_DONTNEED), 0);
	same(memcmp(mem, wanted, size), 0);
	/* A second mapping of the same pages; and one that takes them along. */
	mem = mremap(mem + PAGE, 0, size - PAGE, MREMAP_MAYMOVE);
	want(mem != MAP_FAILED);
	same(memcmp(mem, wanted + PAGE, size - PAGE), 0);
	want(mremap(mem, size - PAGE, size - PAGE,
		    MREMAP_MAYMOVE | MREMAP_DONTUNMAP) != MAP_FAILED);
	same(memcmp(mem, wanted + PAGE, size - PAGE), 0);
}

static void refuse_kb(const char *path, const char *kb)
{
	int fd = open_file(path, O_WRONLY);

	fails(write(fd, kb, strlen(kb)), EBUSY);
	close(fd);
}

/*
 * count PREFIX KB FILE OTHER: as long as a piece of it is mapped anywhere, the area
 * stays; after that OTHER can be written to FILE
 */
static void do_count(char **arg)
{
	size_t size = strtoul(arg[1], NULL, 0) * 1024;
	int fd = open_node(arg[0], "data", O_RDONLY), pipes[2];
	uint8_t *mem = map(fd, 0, size, PROT_READ, MAP_SHARED);
	pid_t child;
	char c;

	same(pipe(pipes), 0);
	child = fork();
	want(child >= 0);
	if (!child) {
		close(pipes[1]);
		read(pipes[0], &c, 1);
		same(look(mem + PAGE), 0);
		_exit(0);
	}
	munmap(mem + PAGE, PAGE);
	munmap(mem, PAGE);
	mem = mremap(mem + 2 * PAGE, size - 2 * PAGE, size + PAGE,
		     MREMAP_MAYMOVE);
	want(mem != MAP_FAILED);
	same(look(mem), 0);
	munmap(mem + PAGE, size - PAGE);
	refuse_kb(arg[2], arg[3]);
	munmap(mem, size + PAGE);
	refuse_kb(arg[2], arg[3]);
	close(pipes[1]);
	wait_children(1);
	write_text(arg[2], arg[3]);
}

/* ring PREFIX: header and slots do not grow; what is given up comes again */
static void do_ring(char **arg)
{
	int fd = open_node(arg[0], "ctrl", O_RDWR);
	uint8_t *mem = map(fd, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	struct zio_ring_header *hdr = (void *)mem;
	struct pollfd pfd = { fd, POLLIN, 0 };
	size_t size = (size_t)hdr->slot_size * hdr->n_slots;
	uint8_t *slots = map(fd, hdr->slots_offset, size, PROT_READ, MAP_SHARED);
	struct zio_control first;

	same(poll(&pfd, 1, -1), 1);
	memcpy(&first, slots, sizeof(first));
	same(first.major_version, ZIO_MAJOR_VERSION);
	want(mremap(mem, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	want(mremap(mem, 0, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	want(mremap(slots, size, size + PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	fails(mprotect(slots, size, PROT_READ | PROT_WRITE), EACCES);
	hdr->tail++;
	same(madvise(mem, PAGE, MADV_DONTNEED), 0);
	same(madvise(slots, size, MADV_DONTNEED), 0);
	same(hdr->magic, ZIO_RING_MAGIC);
	same(hdr->tail, 1);
	same(memcmp(&first, slots, sizeof(first)), 0);
	want(mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
	     MAP_FAILED);
	same(errno, EACCES);
}

/* private PREFIX KB: a private copy may be written; others see what they saw */
static void do_private(char **arg)
{
	size_t size = strtoul(arg[1], NULL, 0) * 1024, i;
	uint8_t *wanted = fill(arg[0], size), *shared, *mine, *later;
	int fd = open_node(arg[0], "data", O_RDONLY);

	shared = map(fd, 0, size, PROT_READ, MAP_SHARED);
	mine = map(fd, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	later = map(fd, 0, size, PROT_READ, MAP_PRIVATE);
	same(look(later), 0);
	same(mprotect(later, size, PROT_READ | PROT_WRITE), 0);
	for (i = 0; i < size; i++)
		mine[i] = later[i] = ~wanted[i];
	same(memcmp(shared, wanted, size), 0);
	for (i = 0; i < size; i++)
		same(mine[i], (uint8_t)~wanted[i]);
	same(memcmp(mine, later, size), 0);
	same(madvise(mine, size, MADV_DONTNEED), 0);
	same(memcmp(mine, wanted, size), 0);
	want(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
	     MAP_FAILED);
	same(errno, EACCES);
}

/* output PREFIX KB: the mapping of an output grows, and is written */
static void do_output(char **arg)
{
	size_t size = strtoul(arg[1], NULL, 0) * 1024;
	int fd = open_node(arg[0], "data", O_RDWR);
	uint8_t *mem = map(fd, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	uint8_t *all = map(fd, 0, size, PROT_READ, MAP_SHARED);

	mem = mremap(mem, PAGE, size, MREMAP_MAYMOVE);
	want(mem != MAP_FAILED);
	memset(mem, 0x5a, size);
	same(memcmp(mem, all, size), 0);
	same(all[size - 1], 0x5a);
}

static long long nanoseconds(const struct timespec *from,
			     const struct timespec *to)
{
	return (to->tv_sec - from->tv_sec) * 1000000000ll +
		to->tv_nsec - from->tv_nsec;
}

/* touch PREFIX KB N: maps and reads the area N times; prints the nanoseconds of each */
static void do_touch(char **arg)
{
	size_t size = strtoul(arg[1], NULL, 0) * 1024, i;
	int fd = open_node(arg[0], "data", O_RDONLY);
	unsigned int n = strtoul(arg[2], NULL, 0);
	struct timespec from, mapped, to;
	volatile uint8_t *mem;

	while (n--) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		mem = map(fd, 0, size, PROT_READ, MAP_SHARED);
		clock_gettime(CLOCK_MONOTONIC, &mapped);
		for (i = 0; i < size; i += 64)
			(void)mem[i];
		clock_gettime(CLOCK_MONOTONIC, &to);
		munmap((void *)mem, size);
		printf("map %lld, read %lld\n", nanoseconds(&from, &mapped),
		       nanoseconds(&mapped, &to));
	}
}

static const struct command commands[] = {
	{ "grow", 2, do_grow },
	{ "drop", 2, do_drop },
	{ "count", 4, do_count },
	{ "ring", 1, do_ring },
	{ "private", 2, do_private },
	{ "output", 2, do_output },
	{ "touch", 3, do_touch },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	signal(SIGBUS, sting);
	return run_command(commands, argc, argv, 120);
}
