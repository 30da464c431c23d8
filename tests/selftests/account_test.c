// SPDX-License-Identifier: GPL-2.0-only
/*
 * account_test.c: the memory that the files of a user keep, and its limit
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
#define BUDGET_KB	2048ul
#define IN		ZZERO "-0-2"
#define SET		ZZERO "-0"
#define STATS		CSET0 "/chan2/statistics"
#define HELD_BYTES	STATS "/held-bytes"
#define HELD_BY		STATS "/held-by"
#define SET_BYTES	CSET0 "/chan0/statistics/held-bytes"
#define USER_MEMORY	"/sys/module/zio/parameters/user_memory_kb"

/* A line of held-by: the bytes that a user keeps of this channel, and of all channels */
struct account {
	unsigned long here, all;
};

static struct account account_of(unsigned int uid)
{
	struct account found = { 0 }, line;
	FILE *f = fopen(HELD_BY, "r");
	unsigned int user;

	ASSERT_TRUE(f);
	while (fscanf(f, "%u %lu %lu", &user, &line.here, &line.all) == 3)
		if (user == uid)
			found = line;
	fclose(f);
	return found;
}

/* Bytes that all of the kernel has from vmalloc() */
static unsigned long vmalloc_used(void)
{
	unsigned long kb = 0;
	char line[200];
	FILE *f = fopen("/proc/meminfo", "r");

	ASSERT_TRUE(f);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "VmallocUsed: %lu", &kb);
	fclose(f);
	return kb * 1024;
}

/* A work item of the kernel frees a dma-buf. */
static void wait_for_bytes(const char *file, unsigned long bytes)
{
	while (read_number(file) != bytes)
		usleep(1000);
}

SETUP(fresh)
{
	renew_zzero();
	write_text(CSET0 "/current_buffer", "vmalloc");
	write_text(CSET0 "/trigger/nsamples", "32768");
	run("chmod a+r " IN "-data; chmod a+rw " IN "-ctrl " SET "-ctrl");
	write_text(USER_MEMORY, "65536");
}

SETUP(small)
{
	fresh(value);
	set_number(USER_MEMORY, BUDGET_KB);
}

static void become_limited(rlim_t locked)
{
	struct rlimit most = { locked, locked };

	ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &most), 0);
	become_nobody(0, NULL);
}

/* Return: a new tap; -1 with errno if it is refused */
static int open_tap(void)
{
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK), code;

	if (!ioctl(fd, ZIO_IOC_TAP))
		return fd;
	code = errno;
	close(fd);
	errno = code;
	return -1;
}

static int need_tap(void)
{
	int fd = open_tap();

	if (fd < 0)
		FAIL("tap: %s", strerrorname_np(errno));
	return fd;
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
	unsigned long ring;

	fd[0] = need_tap();
	ring = read_number(HELD_BYTES) - PAGE;
	ASSERT_TRUE(ring >= 128 * 1024 && ring < 256 * 1024);
	for (i = 1; i < TAPS; i++)
		fd[i] = need_tap();
	ASSERT_EQ(read_number(HELD_BYTES), ring + TAPS * PAGE);
	acquire();
	for (i = 0; i < TAPS; i++)
		ASSERT_TRUE(hold_block(fd[i]));
	ASSERT_EQ(read_number(HELD_BYTES), ring + TAPS * (PAGE + HELD));
	ASSERT_EQ(account_of(0).here, read_number(HELD_BYTES));
	ASSERT_EQ(account_of(0).all, account_of(0).here);
	close_all(fd, TAPS);
	ASSERT_EQ(read_number(HELD_BYTES), 0);
	ASSERT_EQ(account_of(0).all, 0);
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
		fd[i] = need_tap();
	acquire();
	before = vmalloc_used();
	for (i = 0; i < TAPS; i++)
		ASSERT_TRUE(hold_block(fd[i]));
	taken = vmalloc_used() - before;
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

	for (;;) {
		ASSERT_TRUE(n < TAPS);
		fd[n] = open_tap();
		if (fd[n] < 0)
			break;
		acquire();
		if (!hold_block(fd[n])) {
			ASSERT_EQ(errno, EDQUOT);
			close(fd[n]);
			return n;
		}
		n++;
	}
	ASSERT_EQ(errno, EDQUOT);
	return n;
}

static void use_up_budget(void)
{
	int fd[TAPS], n = hold_all(fd);
	struct account mine = account_of(NOBODY);

	ASSERT_TRUE(mine.all <= BUDGET_KB * 1024);
	ASSERT_TRUE(mine.all + PAGE + HELD > BUDGET_KB * 1024);
	close(fd[--n]);
	fd[n] = need_tap();
	acquire();
	ASSERT_TRUE(hold_block(fd[n]));
}

TEST("a user's taps end at the budget, and a closed one makes room", small)
{
	int tap = need_tap(), status;
	pid_t child = fork_child();

	if (!child) {
		become_limited(0);
		use_up_budget();
		raise(SIGKILL);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ASSERT_EQ(account_of(NOBODY).all, 0);
	ASSERT_EQ(account_of(0).here, read_number(HELD_BYTES));
	close(tap);
	ASSERT_EQ(read_number(HELD_BYTES), 0);
}

/* The first tap makes the ring. It ends, and the ring stays for the tap of another user. */
TEST("the ring of taps counts for a user that has one", fresh)
{
	int go[2], said[2], tap, status;
	unsigned long ring;
	pid_t child;
	char c = 0;

	ASSERT_EQ(pipe(go), 0);
	ASSERT_EQ(pipe(said), 0);
	child = fork_child();
	if (!child) {
		become_limited(0);
		tap = need_tap();
		ASSERT_EQ(write(said[1], &c, 1), 1);
		ASSERT_EQ(read(go[0], &c, 1), 1);
		_exit(0);
	}
	ASSERT_EQ(read(said[0], &c, 1), 1);
	ring = account_of(NOBODY).here - PAGE;
	tap = need_tap();
	ASSERT_EQ(account_of(0).here, PAGE);
	ASSERT_EQ(write(go[1], &c, 1), 1);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	ASSERT_EQ(status, 0);
	ASSERT_EQ(account_of(NOBODY).all, 0);
	ASSERT_EQ(account_of(0).here, ring + PAGE);
	close(tap);
	ASSERT_EQ(read_number(HELD_BYTES), 0);
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
	ASSERT_EQ(account_of(NOBODY).all, 0);
}

TEST("rings, taps and dma-bufs beyond the budget are refused, and leave nothing", fresh)
{
	write_text(USER_MEMORY, "0");
	if (!fork_child()) {
		become_limited(0);
		check_refusals();
		_exit(0);
	}
	wait_children(1);
	/* The superuser has what it needs. */
	close(open_file(IN "-ctrl", O_RDWR));
	close(need_tap());
}

/* RLIMIT_MEMLOCK raises the budget of the processes that have it. */
TEST("RLIMIT_MEMLOCK counts if it is more than the parameter", fresh)
{
	int fd;

	write_text(USER_MEMORY, "0");
	if (!fork_child()) {
		become_limited(1024 * PAGE);
		fd = open_file(IN "-ctrl", O_RDWR);
		ASSERT_TRUE(account_of(NOBODY).here);
		close(fd);
		ASSERT_EQ(account_of(NOBODY).all, 0);
		_exit(0);
	}
	wait_children(1);
}

TEST("a ring, the ring of a set and dma-bufs count until they are closed", fresh)
{
	unsigned long size = read_number(CSET0 "/chan2/buffer/max-buffer-kb") * 1024;
	struct zio_dmabuf area = { 0 }, block = { .flags = ZIO_DMABUF_BLOCK };
	int data = open_node(IN, "data", O_RDONLY), ring;

	ASSERT_EQ(ioctl(data, ZIO_IOC_DMABUF, &area), 0);
	ASSERT_EQ(read_number(HELD_BYTES), size);
	ASSERT_EQ(ioctl(data, ZIO_IOC_DMABUF, &block), 0);
	ASSERT_EQ(read_number(HELD_BYTES), size + BLOCK);
	close(area.fd);
	close(block.fd);
	wait_for_bytes(HELD_BYTES, 0);
	close(data);
	ring = open_file(IN "-ctrl", O_RDWR);
	ASSERT_TRUE(read_number(HELD_BYTES) >= 16 * 512);
	close(ring);
	ASSERT_EQ(read_number(HELD_BYTES), 0);
	ring = open_file(SET "-ctrl", O_RDWR);
	ASSERT_TRUE(read_number(SET_BYTES) >= 3 * 16 * 512);
	close(ring);
	ASSERT_EQ(read_number(SET_BYTES), 0);
}

TEST("memory of a board that is gone counts until the files are closed", fresh)
{
	struct zio_dmabuf area = { 0 }, block = { .flags = ZIO_DMABUF_BLOCK };
	int data = open_node(IN, "data", O_RDONLY), old = need_tap(), tap;

	ASSERT_EQ(ioctl(data, ZIO_IOC_DMABUF, &area), 0);
	ASSERT_EQ(ioctl(data, ZIO_IOC_DMABUF, &block), 0);
	acquire();
	ASSERT_TRUE(hold_block(old));
	unbind_board("zio-zero", 0);
	bind_board("zio-zero", 0);
	tap = need_tap();
	ASSERT_EQ(read_number(HELD_BYTES), account_of(0).here);
	ASSERT_TRUE(account_of(0).all > account_of(0).here + BLOCK);
	close(data);
	close(old);
	close(area.fd);
	close(block.fd);
	while (account_of(0).all != account_of(0).here)
		usleep(1000);
	close(tap);
	ASSERT_EQ(read_number(HELD_BYTES), 0);
}
