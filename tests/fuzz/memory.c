// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory.c: buffers for system calls: good, bad, and slow
 *
 * A slow buffer is a missing page. A thread of the process serves it by userfaultfd some
 * milliseconds after the page fault.
 */
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <linux/userfaultfd.h>

#include "fuzz.h"

char *arena;
static char *edge;	/* a page, and a page behind it without access */
static char *slow;
static int uffd = -1;

static void *map_pages(size_t n)
{
	void *map = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_TRUE(map != MAP_FAILED);
	return map;
}

static void *serve_faults(void *arg)
{
	static char page[1 << 16] __attribute__((aligned(1 << 16))); /* the largest */
	struct uffdio_copy copy = { .src = (unsigned long)page, .len = PAGE };
	struct uffd_msg msg;
	unsigned int n = 0;

	while (read(uffd, &msg, sizeof(msg)) == sizeof(msg)) {
		if (msg.event != UFFD_EVENT_PAGEFAULT)
			continue;
		usleep(n++ % 8 * 2000);
		copy.dst = msg.arg.pagefault.address & -(uint64_t)PAGE;
		ioctl(uffd, UFFDIO_COPY, &copy);
	}
	return arg;
}

static bool start_server(void)
{
	struct uffdio_register area = {
		.range = { (unsigned long)slow, PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_api api = { .api = UFFD_API };
	sigset_t all, old;
	pthread_t thread;
	int error;

	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &area))
		return false;
	/* The thread that makes the calls gets all signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&thread, NULL, serve_faults, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !error;
}

void init_memory(void)
{
	arena = map_pages(ARENA / PAGE);
	edge = map_pages(2);
	ASSERT_TRUE(!mprotect(edge + PAGE, PAGE, PROT_NONE));
	slow = map_pages(1);
	uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (uffd >= 0 && !start_server()) {
		close(uffd);
		uffd = -1;
	}
}

static size_t any_length(void)
{
	static const size_t usual[] = {
		1, 4, 16, 64, 100, 512, 512, 512, 1024, 4096, 8192, 16384, 65536,
	};

	if (chance(8))
		return dice(ARENA + 1);
	return usual[dice(sizeof(usual) / sizeof(*usual))];
}

static void *bad_buffer(size_t *len)
{
	static void *const bad[] = {
		NULL, (void *)1, (void *)-4096L, (void *)0xffff888000001000UL,
		(void *)0x00007ffffffff000UL,
	};
	size_t map_len = 0;
	void *map;

	switch (dice(4)) {
	case 0:
		return bad[dice(sizeof(bad) / sizeof(*bad))];
	case 1:
		return edge + PAGE - dice(600);
	case 2:
		*len = chance(2) ? (size_t)any_int() : draw();
		return edge + PAGE - dice(600);
	default:
		map = any_map(&map_len);
		if (map && *len > map_len)
			*len = map_len;
		return map;
	}
}

/* Return: any buffer; @len is its length */
void *any_buffer(size_t *len)
{
	*len = any_length();
	if (chance(8))
		return bad_buffer(len);
	if (uffd >= 0 && chance(24)) {
		madvise(slow, PAGE, MADV_DONTNEED);
		if (*len > PAGE)
			*len = PAGE;
		return slow;
	}
	return arena + dice(ARENA - *len + 1);
}

int any_iovec(struct iovec *v, int n)
{
	int used = chance(16) ? 0 : 1 + dice(n), i;

	for (i = 0; i < used; i++) {
		v[i].iov_base = any_buffer(&v[i].iov_len);
		if (chance(16))
			v[i].iov_len = 0;
	}
	return used;
}
