// SPDX-License-Identifier: GPL-2.0-only
/*
 * account_test.c: the memory that the files of a user keep is pinned memory of the process
 * that made them
 *
 * Blocks have eight pages. A tap that has read a part of a block keeps a copy of the block
 * and its control: nine pages.
 */
#include <grp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "board.h"
#include "harness.h"

#define BLOCK		(8 * PAGE)
#define HELD		(9 * PAGE)
#define TAPS		150
#define BUDGET		(2048ul * 1024)
#define IN		ZZERO "-0-2"
#define SET		ZZERO "-0"

/* What one of its files keeps */
static unsigned long locked_by(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return kb_in(path, "zio-locked:");
}

SETUP(fresh)
{
	renew_zzero();
	write_text(CSET0 "/current_buffer", "vmalloc");
	write_text(CSET0 "/trigger/nsamples", "32768");
	run("chmod a+r " IN "-data; chmod a+rw " IN "-ctrl " SET "-ctrl");
}

static void become_limited(rlim_t bytes)
{
	struct rlimit most = { bytes, bytes };

	ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &most), 0);
	become_nobody(0, NULL);
}

/* Another reader takes a block, which the taps see. */
static void acquire(void)
{
	static char block[64 * 1024];
	int fd = open_node(IN, "data", O_RDONLY);

	ASSERT_EQ(read(fd, block, BLOCK), BLOCK);
	close(fd);
}

static bool hold_block(int tap)
{
	char byte;

	return read(tap, &byte, 1) == 1;
}

static void close_all(const int *fd, int n)
{
	while (n--)
		close(fd[n]);
}

TEST("taps that are read in part count their copies, and nothing beyond", fresh)
{
	int fd[TAPS], i;

	for (i = 0; i < TAPS; i++)
		fd[i] = open_tap(IN, O_NONBLOCK);
	ASSERT_EQ(locked(), TAPS * PAGE);
	acquire();
	for (i = 0; i < TAPS; i++)
		ASSERT_TRUE(hold_block(fd[i]));
	ASSERT_EQ(locked(), TAPS * (PAGE + HELD));
	ASSERT_EQ(locked_by(fd[7]), PAGE + HELD);
	close_all(fd, TAPS);
	ASSERT_EQ(locked(), 0);
}

/*
 * Other parts of the kernel allocate, too, and free what an earlier test has used: its
 * taps wait for a grace period.
 */
static bool copies_take_what_is_counted(void)
{
	unsigned long before, taken;
	int fd[TAPS], i;

	for (i = 0; i < TAPS; i++)
		fd[i] = open_tap(IN, O_NONBLOCK);
	acquire();
	before = kb_in("/proc/meminfo", "VmallocUsed:");
	for (i = 0; i < TAPS; i++)
		ASSERT_TRUE(hold_block(fd[i]));
	taken = kb_in("/proc/meminfo", "VmallocUsed:") - before;
	close_all(fd, TAPS);
	return taken >= TAPS * HELD && taken < TAPS * HELD * 3 / 2;
}

/* As the machine counts it: the memory of the copies is that of the account. */
TEST("a copy takes no more memory than is counted", fresh)
{
	wait_for(10, copies_take_what_is_counted());
}

/* Return: the number of taps that hold a block; the next one is refused. */
static int hold_all(int *fd)
{
	int n = 0;

	for (;; n++) {
		ASSERT_TRUE(n < TAPS);
		fd[n] = try_tap(IN, O_NONBLOCK);
		if (fd[n] < 0)
			break;
		acquire();
		if (!hold_block(fd[n])) {
			ASSERT_EQ(errno, EDQUOT);
			close(fd[n]);
			return n;
		}
	}
	ASSERT_EQ(errno, EDQUOT);
	return n;
}

static void use_up_budget(void)
{
	int fd[TAPS], n = hold_all(fd);

	ASSERT_TRUE(locked() <= BUDGET);
	ASSERT_TRUE(locked() + PAGE + HELD > BUDGET);
	close(fd[--n]);
	fd[n] = open_tap(IN, O_NONBLOCK);
	acquire();
	ASSERT_TRUE(hold_block(fd[n]));
}

TEST("a user's taps end at RLIMIT_MEMLOCK, and a closed one makes room", fresh)
{
	int status;
	pid_t child = fork_child();

	if (!child) {
		become_limited(BUDGET);
		use_up_budget();
		raise(SIGKILL);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void refuse_dmabuf(int fd, uint32_t flags)
{
	struct zio_dmabuf arg = { .flags = flags };

	ASSERT_ERRNO(ioctl(fd, ZIO_IOC_DMABUF, &arg), EDQUOT);
}

static void check_refusals(void)
{
	int data = open_node(IN, "data", O_RDONLY);

	ASSERT_ERRNO(open(IN "-ctrl", O_RDWR), EDQUOT);
	ASSERT_ERRNO(open(SET "-ctrl", O_RDWR), EDQUOT);
	ASSERT_ERRNO(ioctl(data, ZIO_IOC_TAP), EDQUOT);
	refuse_dmabuf(data, 0);
	refuse_dmabuf(data, ZIO_DMABUF_BLOCK);
	ASSERT_EQ(locked(), 0);
}

TEST("rings, taps and dma-bufs beyond the limit are refused, and leave nothing", fresh)
{
	if (!fork_child()) {
		become_limited(0);
		check_refusals();
		_exit(0);
	}
	wait_children(1);
	/* The superuser has what it needs. */
	close(open_file(IN "-ctrl", O_RDWR));
	close(open_tap(IN, 0));
}

TEST("a ring, the ring of a set and dma-bufs count until they are closed", fresh)
{
	unsigned long size = read_number(CSET0 "/chan2/buffer/max-buffer-kb") * 1024;
	struct zio_dmabuf area = { 0 }, block = { .flags = ZIO_DMABUF_BLOCK };
	int data = open_node(IN, "data", O_RDONLY), ring;

	ASSERT_EQ(ioctl(data, ZIO_IOC_DMABUF, &area), 0);
	ASSERT_EQ(locked(), size);
	ASSERT_EQ(ioctl(data, ZIO_IOC_DMABUF, &block), 0);
	ASSERT_EQ(locked(), size + BLOCK);
	close(area.fd);
	close(block.fd);
	/* A work item of the kernel frees a dma-buf. */
	wait_for(60, !locked());
	close(data);
	ring = open_file(IN "-ctrl", O_RDWR);
	ASSERT_TRUE(locked() >= 16 * 512);
	ASSERT_EQ(locked_by(ring), locked());
	close(ring);
	ASSERT_EQ(locked(), 0);
	ring = open_file(SET "-ctrl", O_RDWR);
	ASSERT_TRUE(locked() >= 3 * 16 * 512);
	ASSERT_EQ(locked_by(ring), locked());
	close(ring);
	ASSERT_EQ(locked(), 0);
}

TEST("a ring that a child inherits counts for its parent", fresh)
{
	int ring, status;
	pid_t child;

	ring = open_file(IN "-ctrl", O_RDWR);
	child = fork_child();
	if (!child) {
		ASSERT_EQ(locked(), 0);
		ASSERT_TRUE(locked_by(ring));
		close(ring);
		_exit(0);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	ASSERT_EQ(status, 0);
	ASSERT_TRUE(locked());
	close(ring);
	ASSERT_EQ(locked(), 0);
}

TEST("memory of a board that is gone counts until the files are closed", fresh)
{
	struct zio_dmabuf area = { 0 }, block = { .flags = ZIO_DMABUF_BLOCK };
	int data = open_node(IN, "data", O_RDONLY), old = open_tap(IN, O_NONBLOCK);

	ASSERT_EQ(ioctl(data, ZIO_IOC_DMABUF, &area), 0);
	ASSERT_EQ(ioctl(data, ZIO_IOC_DMABUF, &block), 0);
	acquire();
	ASSERT_TRUE(hold_block(old));
	unbind_board("zio-zero", 0);
	ASSERT_TRUE(locked() > BLOCK + HELD);
	bind_board("zio-zero", 0);
	close(data);
	close(old);
	close(area.fd);
	close(block.fd);
	wait_for(60, !locked());
}
