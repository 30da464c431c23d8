// SPDX-License-Identifier: GPL-2.0-only
/*
 * remap_test.c: mappings that grow, move, are split, dropped, forked, private
 *
 * # check
 */
#include <setjmp.h>

#include "board.h"
#include "harness.h"

#define AREA_KB	128
#define IN	ZZERO "-0-1"
#define OUT	ZZERO "-1-0"
#define MAX_KB	CSET0 "/chan1/buffer/max-buffer-kb"
static sigjmp_buf back;
static volatile int touching;

static void on_sigbus(int signal)
{
	if (!touching)
		FAIL("signal %d", signal);
	siglongjmp(back, signal);
}

/* Read the byte. Return: the signal that this raises, or 0 */
static int touch(const volatile uint8_t *at)
{
	int got = sigsetjmp(back, 1);

	touching = !got;
	if (!got)
		(void)*at;
	touching = 0;
	return got;
}

SETUP(fresh)
{
	signal(SIGBUS, on_sigbus);
	renew_zzero();
	write_text(CSET0 "/current_buffer", "vmalloc");
	write_text(CSET1 "/current_buffer", "vmalloc");
	write_text(CSET0 "/trigger/nsamples", "4096");
}

static uint8_t *map(int fd, size_t offset, size_t size, int prot, int flags)
{
	uint8_t *mem = mmap(NULL, size, prot, flags, fd, offset);

	if (mem == MAP_FAILED)
		FAIL("mmap of %zu at %zu: %s", size, offset,
		     strerrorname_np(errno));
	return mem;
}

/* Read all samples of the area: the first blocks of a fresh buffer begin at 0. */
static uint8_t *fill(const char *prefix, size_t size)
{
	struct pair pair = open_pair(prefix, O_RDONLY);
	uint8_t *mem = malloc(size);
	struct zio_control ctrl;
	size_t n, sum = 0;

	ASSERT_TRUE(mem);
	for (sum = 0; sum < size; sum += n) {
		ctrl = read_control(pair.ctrl);
		n = (size_t)ctrl.nsamples * ctrl.ssize;
		ASSERT_EQ(ctrl.mem_offset, sum);
		ASSERT_EQ(read(pair.data, mem + sum, n), n);
	}
	close_pair(pair);
	return mem;
}

TEST("a mapping grows page by page; beyond the area it gives SIGBUS", fresh)
{
	size_t size = AREA_KB * 1024, n;
	uint8_t *wanted = fill(IN, size), *mem, *at;
	int fd = open_node(IN, "data", O_RDONLY);

	mem = map(fd, 0, PAGE, PROT_READ, MAP_SHARED);
	for (n = 2 * PAGE; n <= size; n += PAGE) {
		mem = mremap(mem, n - PAGE, n, MREMAP_MAYMOVE);
		ASSERT_TRUE(mem != MAP_FAILED);
		ASSERT_EQ(memcmp(mem + n - PAGE, wanted + n - PAGE, PAGE), 0);
	}
	ASSERT_EQ(memcmp(mem, wanted, size), 0);
	mem = mremap(mem, size, size + 2 * PAGE, MREMAP_MAYMOVE);
	ASSERT_TRUE(mem != MAP_FAILED);
	ASSERT_EQ(memcmp(mem, wanted, size), 0);
	ASSERT_EQ(touch(mem + size - 1), 0);
	ASSERT_EQ(touch(mem + size), SIGBUS);
	ASSERT_EQ(touch(mem + size + PAGE), SIGBUS);
	munmap(mem, size + 2 * PAGE);
	/* The fault maps no page beyond the end. */
	mem = mremap(map(fd, size - PAGE, PAGE, PROT_READ, MAP_SHARED), PAGE,
		     3 * PAGE, MREMAP_MAYMOVE);
	ASSERT_TRUE(mem != MAP_FAILED);
	ASSERT_EQ(memcmp(mem, wanted + size - PAGE, PAGE), 0);
	ASSERT_EQ(touch(mem + PAGE), SIGBUS);
	munmap(mem, 3 * PAGE);
	/* The mapping grows in place. */
	at = map(-1, 0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS);
	munmap(at, size);
	ASSERT_TRUE(mmap(at, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, PAGE)
		    == at);
	ASSERT_TRUE(mremap(at, PAGE, size - PAGE, 0) == at);
	ASSERT_EQ(memcmp(at, wanted + PAGE, size - PAGE), 0);
}

TEST("pages that MADV_DONTNEED drops come back", fresh)
{
	size_t size = AREA_KB * 1024;
	uint8_t *wanted = fill(IN, size), *mem;
	int fd = open_node(IN, "data", O_RDONLY);

	mem = map(fd, 0, size, PROT_READ, MAP_SHARED);
	ASSERT_EQ(memcmp(mem, wanted, size), 0);
	ASSERT_EQ(madvise(mem, size, MADV_DONTNEED), 0);
	ASSERT_EQ(memcmp(mem, wanted, size), 0);
	ASSERT_EQ(madvise(mem + PAGE, PAGE, MADV_DONTNEED), 0);
	ASSERT_EQ(memcmp(mem, wanted, size), 0);
	/* A second mapping of the same pages, and one that moves them. */
	mem = mremap(mem + PAGE, 0, size - PAGE, MREMAP_MAYMOVE);
	ASSERT_TRUE(mem != MAP_FAILED);
	ASSERT_EQ(memcmp(mem, wanted + PAGE, size - PAGE), 0);
	ASSERT_TRUE(mremap(mem, size - PAGE, size - PAGE, MREMAP_MAYMOVE |
			   MREMAP_DONTUNMAP) != MAP_FAILED);
	ASSERT_EQ(memcmp(mem, wanted + PAGE, size - PAGE), 0);
}

static void refuse_kb(const char *path, const char *kb)
{
	int fd = open_file(path, O_WRONLY);

	ASSERT_ERRNO(write(fd, kb, strlen(kb)), EBUSY);
	close(fd);
}

TEST("each part of a mapping pins the area", fresh)
{
	size_t size = AREA_KB * 1024;
	int fd = open_node(IN, "data", O_RDONLY), pipes[2];
	uint8_t *mem = map(fd, 0, size, PROT_READ, MAP_SHARED);
	pid_t child;
	char c;

	ASSERT_EQ(pipe(pipes), 0);
	child = fork();
	ASSERT_TRUE(child >= 0);
	if (!child) {
		close(pipes[1]);
		read(pipes[0], &c, 1);
		ASSERT_EQ(touch(mem + PAGE), 0);
		_exit(0);
	}
	munmap(mem + PAGE, PAGE);
	munmap(mem, PAGE);
	mem = mremap(mem + 2 * PAGE, size - 2 * PAGE, size + PAGE, MREMAP_MAYMOVE);
	ASSERT_TRUE(mem != MAP_FAILED);
	ASSERT_EQ(touch(mem), 0);
	munmap(mem + PAGE, size - PAGE);
	refuse_kb(MAX_KB, "64");
	munmap(mem, size + PAGE);
	refuse_kb(MAX_KB, "64");
	close(pipes[1]);
	wait_children(1);
	write_text(MAX_KB, "64");
	ASSERT_EQ(read_number(MAX_KB), 64);
}

TEST("header and slots do not grow and stay read-only", fresh)
{
	int fd = open_node(IN, "ctrl", O_RDWR);
	uint8_t *mem = map(fd, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	struct zio_ring_header *hdr = (void *)mem;
	struct pollfd pfd = { fd, POLLIN, 0 };
	size_t size = (size_t)hdr->slot_size * hdr->n_slots;
	uint8_t *slots = map(fd, hdr->slots_offset, size, PROT_READ, MAP_SHARED);
	struct zio_control first;

	ASSERT_EQ(poll(&pfd, 1, -1), 1);
	memcpy(&first, slots, sizeof(first));
	ASSERT_EQ(first.major_version, ZIO_MAJOR_VERSION);
	ASSERT_TRUE(mremap(mem, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	ASSERT_TRUE(mremap(mem, 0, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	ASSERT_TRUE(mremap(slots, size, size + PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	ASSERT_ERRNO(mprotect(slots, size, PROT_READ | PROT_WRITE), EACCES);
	hdr->tail++;
	ASSERT_EQ(madvise(mem, PAGE, MADV_DONTNEED), 0);
	ASSERT_EQ(madvise(slots, size, MADV_DONTNEED), 0);
	ASSERT_EQ(hdr->magic, ZIO_RING_MAGIC);
	ASSERT_EQ(hdr->tail, 1);
	ASSERT_EQ(memcmp(&first, slots, sizeof(first)), 0);
	ASSERT_TRUE(mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 0) == MAP_FAILED);
	ASSERT_EQ(errno, EACCES);
}

TEST("a private mapping may be written and changes nothing", fresh)
{
	size_t size = AREA_KB * 1024, i;
	uint8_t *wanted = fill(IN, size), *shared, *mine, *later;
	int fd = open_node(IN, "data", O_RDONLY);

	shared = map(fd, 0, size, PROT_READ, MAP_SHARED);
	mine = map(fd, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	later = map(fd, 0, size, PROT_READ, MAP_PRIVATE);
	ASSERT_EQ(touch(later), 0);
	ASSERT_EQ(mprotect(later, size, PROT_READ | PROT_WRITE), 0);
	for (i = 0; i < size; i++)
		mine[i] = later[i] = ~wanted[i];
	ASSERT_EQ(memcmp(shared, wanted, size), 0);
	for (i = 0; i < size; i++)
		ASSERT_EQ(mine[i], (uint8_t)~wanted[i]);
	ASSERT_EQ(memcmp(mine, later, size), 0);
	ASSERT_EQ(madvise(mine, size, MADV_DONTNEED), 0);
	ASSERT_EQ(memcmp(mine, wanted, size), 0);
	ASSERT_TRUE(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
		    == MAP_FAILED);
	ASSERT_EQ(errno, EACCES);
}

TEST("the mapping of an output grows and is written", fresh)
{
	size_t size = AREA_KB * 1024;
	int fd = open_node(OUT, "data", O_RDWR);
	uint8_t *mem = map(fd, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	uint8_t *all = map(fd, 0, size, PROT_READ, MAP_SHARED);

	mem = mremap(mem, PAGE, size, MREMAP_MAYMOVE);
	ASSERT_TRUE(mem != MAP_FAILED);
	memset(mem, 0x5a, size);
	ASSERT_EQ(memcmp(mem, all, size), 0);
	ASSERT_EQ(all[size - 1], 0x5a);
}
