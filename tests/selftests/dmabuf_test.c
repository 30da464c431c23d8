// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmabuf_test.c: dma-bufs of areas and blocks, which another device reads
 *
 * The device is the model zio-importer. The channel counts samples of 32 bits, in blocks of
 * four pages. So each word tells its place in the stream.
 *
 * # check
 * # kasan
 * # model: zio-importer
 */
#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "../models/zio-importer.h"
#include "board.h"
#include "harness.h"
#include "ring.h"

#define IN	ZZERO "-2-0"
#define OUT	ZZERO "-1-0"
#define BUFFER	CSET2 "/chan0/buffer"
#define BLOCK	16384
#define AREA	(128 * 1024)
#define DEVICE	"/dev/zio-importer"
/* More than the workers of the core's queue (WQ_DFL_ACTIVE) */
#define STUCK	600
/* Directions of the DMA API */
#define TO_DEVICE	1
#define FROM_DEVICE	2

SETUP(fresh)
{
	load("zio-buf-vmalloc");
	if (!is_loaded("zio-importer"))
		run("insmod /selftests/zio-importer.ko");
	renew_zzero();
	write_text(CSET2 "/trigger/nsamples", "4096");
	write_text(CSET2 "/current_buffer", "vmalloc");
}

SETUP(kmalloc)
{
	fresh(value);
	write_text(CSET2 "/current_buffer", "kmalloc");
}

static struct zio_dmabuf export(int fd, uint32_t flags)
{
	struct zio_dmabuf arg = { .flags = flags };

	ASSERT_EQ(ioctl(fd, ZIO_IOC_DMABUF, &arg), 0);
	ASSERT_TRUE(arg.fd >= 0);
	ASSERT_EQ(fcntl(arg.fd, F_GETFD), FD_CLOEXEC);
	return arg;
}

#define no_export(fd, flags_, code) do {				\
	struct zio_dmabuf arg_ = { .flags = (flags_) };		\
	ASSERT_ERRNO(ioctl(fd, ZIO_IOC_DMABUF, &arg_), code);		\
} while (0)

/* A device that has the dma-buf mapped. */
static int import(int fd, int direction)
{
	int importer = open_file(DEVICE, O_RDWR);

	ASSERT_EQ(ioctl(importer, IMPORTER_ATTACH, &fd), 0);
	ASSERT_EQ(ioctl(importer, IMPORTER_MAP, direction), 0);
	return importer;
}

static void device_read(int importer, size_t offset, void *to, size_t size)
{
	struct importer_copy copy = { offset, size, (uintptr_t)to };

	ASSERT_EQ(ioctl(importer, IMPORTER_READ, &copy), 0);
}

/* The device reads a block whose first word is @first. */
static void check_block(int importer, const struct zio_dmabuf *buf, uint32_t first)
{
	static uint32_t words[BLOCK / 4];
	unsigned int i;

	memset(words, 0xee, sizeof(words));
	ASSERT_EQ(buf->size, BLOCK);
	device_read(importer, buf->offset, words, buf->size);
	for (i = 0; i < BLOCK / 4; i++)
		ASSERT_EQ(words[i], first + i);
}

static void sync_dmabuf(int fd, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	ASSERT_EQ(ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync), 0);
}

/* Returns false if the buffer has no memory for another block. */
static bool read_block(int fd)
{
	static uint32_t words[BLOCK / 4];
	ssize_t n = read(fd, words, sizeof(words));

	ASSERT_TRUE(n == BLOCK || (n < 0 && errno == EAGAIN));
	return n == BLOCK;
}

/* A block that is not put stops its buffer when the ring reaches it. */
static void read_until_stopped(int fd)
{
	unsigned int n = 0;

	while (read_block(fd))
		ASSERT_TRUE(++n <= AREA / BLOCK);
}

static void wait_for_block(int fd)
{
	while (!read_block(fd))
		usleep(1000);
}

TEST("the device reads the samples of a block", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct zio_dmabuf buf[3];
	int importer[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		read_control(pair.ctrl);
		buf[i] = export(pair.data, ZIO_DMABUF_BLOCK);
		importer[i] = import(buf[i].fd, TO_DEVICE);
	}
	for (i = 0; i < 3; i++)
		check_block(importer[i], &buf[i], i * BLOCK / 4);
}

TEST_EACH("a block of %s samples, which shares pages with others", fresh,
	  "1", "5", "1000", "1025")
{
	int fd, importer;
	struct zio_dmabuf buf;
	uint32_t words[2048], i, k, n = atoi(value);

	write_text(CSET2 "/trigger/nsamples", value);
	fd = open_node(IN, "data", O_RDONLY);
	for (i = 0; i < 40; i++) {
		buf = export(fd, ZIO_DMABUF_BLOCK);
		ASSERT_EQ(buf.size, 4 * n);
		importer = import(buf.fd, TO_DEVICE);
		device_read(importer, buf.offset, words, buf.size);
		for (k = 0; k < n; k++)
			ASSERT_EQ(words[k], i * n + k);
		close(importer);
		close(buf.fd);
		ASSERT_EQ(read(fd, words, 4 * n), 4 * n);
		ASSERT_EQ(words[n - 1], i * n + n - 1);
	}
}

TEST("a block stays out of its buffer until its dma-buf is closed", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK), importer;
	struct zio_dmabuf buf = export(fd, ZIO_DMABUF_BLOCK);

	importer = import(buf.fd, TO_DEVICE);
	read_until_stopped(fd);
	close(buf.fd);
	ASSERT_TRUE(!read_block(fd));
	check_block(importer, &buf, 0);
	close(importer);
	wait_for_block(fd);
}

TEST("two dma-bufs of a block, and the second one holds it", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK), importer;
	struct zio_dmabuf one = export(fd, ZIO_DMABUF_BLOCK);
	struct zio_dmabuf two = export(fd, ZIO_DMABUF_BLOCK);

	importer = import(one.fd, TO_DEVICE);
	read_until_stopped(fd);
	close(importer);
	close(one.fd);
	importer = import(two.fd, TO_DEVICE);
	check_block(importer, &two, 0);
	ASSERT_TRUE(!read_block(fd));
	close(importer);
	close(two.fd);
	wait_for_block(fd);
}

TEST("a block stays until the device's fence has signalled", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK), importer, i;
	struct zio_dmabuf buf = export(fd, ZIO_DMABUF_BLOCK);

	importer = import(buf.fd, TO_DEVICE);
	ASSERT_EQ(ioctl(importer, IMPORTER_FENCE), 0);
	read_until_stopped(fd);
	ASSERT_EQ(ioctl(importer, IMPORTER_DETACH), 0);
	close(buf.fd);
	for (i = 0; i < 50; i++) {
		usleep(1000);
		ASSERT_TRUE(!read_block(fd));
	}
	ASSERT_EQ(ioctl(importer, IMPORTER_SIGNAL), 0);
	wait_for_block(fd);
}

/* As with mmap(), the memory cannot be replaced. A change of the type replaces it. */
TEST("a dma-buf of an area keeps the area", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY), importer;
	struct zio_dmabuf buf = export(fd, 0);

	ASSERT_EQ(buf.offset, 0);
	ASSERT_EQ(buf.size, AREA);
	ASSERT_EQ(lseek(buf.fd, 0, SEEK_END), AREA);
	importer = import(buf.fd, TO_DEVICE);
	close(fd);
	refuse(BUFFER "/max-buffer-kb", "256", EBUSY);
	write_text(CSET2 "/trigger/nsamples", "32");
	close(buf.fd);
	refuse(BUFFER "/max-buffer-kb", "256", EBUSY);
	write_text(CSET2 "/current_buffer", "kmalloc");
	write_text(CSET2 "/current_buffer", "vmalloc");
	write_text(BUFFER "/max-buffer-kb", "256");
	device_read(importer, AREA - 4, &fd, 4);
	close(importer);
}

TEST("an area can be replaced after the last dma-buf", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY);
	struct zio_dmabuf one = export(fd, 0), two = export(fd, 0);

	close(one.fd);
	refuse(BUFFER "/max-buffer-kb", "256", EBUSY);
	close(two.fd);
	while (read_number(BUFFER "/max-buffer-kb") != 256) {
		shell("echo 256 2>/dev/null >" BUFFER "/max-buffer-kb");
		usleep(1000);
	}
}

TEST("the device sees samples that come after it has mapped the area", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct zio_dmabuf area = export(pair.data, 0), block = { .size = BLOCK };
	int importer = import(area.fd, TO_DEVICE);
	struct zio_control ctrl;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		ctrl = read_control(pair.ctrl);
		sync_dmabuf(area.fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
		sync_dmabuf(area.fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
		block.offset = offset_of(&ctrl);
		check_block(importer, &block, i * BLOCK / 4);
	}
}

TEST("a program maps the dma-buf of a block, for reading only", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY);
	struct zio_dmabuf buf;
	const uint32_t *words;
	struct map map;

	ASSERT_TRUE(read_block(fd));
	buf = export(fd, ZIO_DMABUF_BLOCK);
	map = map_file(buf.fd, 0, BLOCK, PROT_READ);
	words = (const uint32_t *)(map.mem + buf.offset);
	ASSERT_EQ(words[0], BLOCK / 4);
	ASSERT_EQ(words[BLOCK / 4 - 1], 2 * BLOCK / 4 - 1);
	ASSERT_TRUE(mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, buf.fd, 0) ==
		    MAP_FAILED);
	ASSERT_TRUE(mmap(NULL, AREA, PROT_READ, MAP_SHARED, buf.fd, 0) == MAP_FAILED);
	ASSERT_ERRNO(mprotect(map.mem, BLOCK, PROT_READ | PROT_WRITE), EACCES);
}

/* A program that has the dma-buf of a block has no right to the other blocks. */
TEST("a mapping of the dma-buf of a block shows no other page", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY);
	struct zio_dmabuf buf;
	struct map map;
	void *bad;

	ASSERT_TRUE(read_block(fd));
	buf = export(fd, ZIO_DMABUF_BLOCK);
	map = map_file(buf.fd, 0, BLOCK, PROT_READ);
	bad = mremap((void *)map.mem, BLOCK, 2 * BLOCK, MREMAP_MAYMOVE);
	ASSERT_TRUE(bad == MAP_FAILED && errno == EFAULT);
	/* An old size of 0 makes a second mapping of the same pages. */
	bad = mremap((void *)map.mem, 0, 2 * BLOCK, MREMAP_MAYMOVE);
	ASSERT_TRUE(bad == MAP_FAILED);
	bad = mmap(NULL, BLOCK, PROT_READ, MAP_SHARED, buf.fd, PAGE);
	ASSERT_TRUE(bad == MAP_FAILED && errno == EINVAL);
	bad = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, buf.fd, BLOCK);
	ASSERT_TRUE(bad == MAP_FAILED && errno == EINVAL);
	ASSERT_EQ(((const uint32_t *)(map.mem + buf.offset))[0], BLOCK / 4);
	/* It moves a mapping within its file. */
	ASSERT_ERRNO(syscall(SYS_remap_file_pages, map.mem, BLOCK, 0, 1, 0), EINVAL);
}

/* A block in the middle of the area: its last page is the last one of the mapping. */
TEST("a page of a dma-buf is that of the block, in any part of the mapping", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY);
	struct zio_dmabuf buf;
	struct map map;

	ASSERT_TRUE(read_block(fd));
	ASSERT_TRUE(read_block(fd));
	buf = export(fd, ZIO_DMABUF_BLOCK);
	map = map_file(buf.fd, 2 * PAGE, 2 * PAGE, PROT_READ);
	ASSERT_EQ(*(const uint32_t *)map.mem, (2 * BLOCK + 2 * PAGE) / 4);
	ASSERT_EQ(*(const uint32_t *)(map.mem + PAGE), (2 * BLOCK + 3 * PAGE) / 4);
}

TEST("fences that never signal hold up no other dma-buf", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK), importer[STUCK], i;
	struct zio_dmabuf buf = export(fd, 0), last;

	for (i = 0; i < STUCK; i++) {
		last = i ? export(fd, 0) : buf;
		importer[i] = import(last.fd, TO_DEVICE);
		ASSERT_EQ(ioctl(importer[i], IMPORTER_FENCE), 0);
		ASSERT_EQ(ioctl(importer[i], IMPORTER_DETACH), 0);
		close(last.fd);
	}
	buf = export(fd, ZIO_DMABUF_BLOCK);
	read_until_stopped(fd);
	close(buf.fd);
	wait_for_block(fd);
	for (i = 0; i < STUCK; i++)
		ASSERT_EQ(ioctl(importer[i], IMPORTER_SIGNAL), 0);
	close(fd);
	while (read_number(BUFFER "/max-buffer-kb") != 256)
		shell("echo 256 2>/dev/null >" BUFFER "/max-buffer-kb");
}

TEST_EACH("the board goes, and the device still reads the %s", fresh, "block", "area")
{
	uint32_t flags = *value == 'b' ? ZIO_DMABUF_BLOCK : 0;
	int fd = open_node(IN, "data", O_RDONLY), importer;
	struct zio_dmabuf buf;
	struct map map;

	ASSERT_TRUE(read_block(fd));
	buf = export(fd, flags);
	importer = import(buf.fd, TO_DEVICE);
	map = map_file(buf.fd, 0, BLOCK, PROT_READ);
	unbind_board("zio-zero", 0);
	no_export(fd, flags, ENODEV);
	close(fd);
	buf.size = BLOCK;
	check_block(importer, &buf, flags ? BLOCK / 4 : 0);
	ASSERT_EQ(*(uint32_t *)(map.mem + buf.offset), flags ? BLOCK / 4 : 0);
	ASSERT_TRUE(shell("rmmod zio 2>/dev/null"));
	bind_board("zio-zero", 0);
	close(importer);
	importer = import(buf.fd, TO_DEVICE);
	check_block(importer, &buf, flags ? BLOCK / 4 : 0);
}

static void unload_dmabuf(void)
{
	wait_for(10, !is_loaded("zio-dmabuf") || !shell("rmmod zio-dmabuf 2>/dev/null"));
}

TEST("all modules leave after the last dma-buf of a board that is gone", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY);
	struct zio_dmabuf block = export(fd, ZIO_DMABUF_BLOCK), area = export(fd, 0);

	unbind_board("zio-zero", 0);
	close(fd);
	close(area.fd);
	close(block.fd);
	unload("zio-zero");
	while (shell("rmmod zio_buf_vmalloc 2>/dev/null"))
		usleep(1000);
	unload("zio-buf-kmalloc");
	unload("zio-configfs");
	unload_dmabuf();
	while (shell("rmmod zio 2>/dev/null"))
		usleep(1000);
}

TEST("the first dma-buf loads the module, and the last one lets it go", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY);
	struct zio_dmabuf area;

	unload_dmabuf();
	area = export(fd, 0);
	ASSERT_TRUE(is_loaded("zio-dmabuf"));
	ASSERT_TRUE(shell("rmmod zio-dmabuf 2>/dev/null"));
	close(fd);
	ASSERT_TRUE(shell("rmmod zio-dmabuf 2>/dev/null"));
	close(area.fd);
	unload_dmabuf();
}

TEST("a kernel that cannot load the module tells so", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY), ctrl = open_node(IN, "ctrl", O_RDONLY);
	struct zio_dmabuf arg = { };
	int ret, code;

	unload_dmabuf();
	write_text("/proc/sys/kernel/modprobe", "/nowhere");
	ret = ioctl(fd, ZIO_IOC_DMABUF, &arg);
	code = errno;
	write_text("/proc/sys/kernel/modprobe", "/sbin/modprobe");
	ASSERT_TRUE(ret && code == EOPNOTSUPP);
	no_export(ctrl, 0, EINVAL);
	ASSERT_TRUE(!is_loaded("zio-dmabuf"));
	close(export(fd, 0).fd);
}

TEST("the module comes and goes while programs make dma-bufs", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY), i, left = 0;
	pid_t child = fork_child();

	while (!child) {
		struct zio_dmabuf area = { };

		if (!ioctl(fd, ZIO_IOC_DMABUF, &area))
			close(area.fd);
		usleep(3000);
	}
	for (i = 0; i < 200 && left < 20; i++)
		left += !shell("rmmod zio-dmabuf 2>/dev/null");
	kill(child, SIGKILL);
	ASSERT_EQ(waitpid(child, NULL, 0), child);
	ASSERT_EQ(left, 20);
	close(export(fd, 0).fd);
}

TEST("children have the dma-buf, and end in any order", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK), i, importer, status;
	struct zio_dmabuf buf = export(fd, ZIO_DMABUF_BLOCK);
	pid_t child[4];

	for (i = 0; i < 4; i++) {
		child[i] = fork_child();
		if (child[i])
			continue;
		importer = import(buf.fd, TO_DEVICE);
		usleep(1000 * (4 - i));
		check_block(importer, &buf, 0);
		if (i & 1)
			kill(getpid(), SIGKILL);
		_exit(0);
	}
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(waitpid(child[i], &status, 0), child[i]);
		ASSERT_EQ(i & 1 ? WTERMSIG(status) : status, i & 1 ? SIGKILL : 0);
	}
	read_until_stopped(fd);
	close(buf.fd);
	wait_for_block(fd);
}

TEST("the device may not write what the program may not write", fresh)
{
	struct zio_dmabuf in = export(open_node(IN, "data", O_RDONLY), 0);
	int importer = open_file(DEVICE, O_RDWR);

	ASSERT_EQ(ioctl(importer, IMPORTER_ATTACH, &in.fd), 0);
	ASSERT_ERRNO(ioctl(importer, IMPORTER_MAP, FROM_DEVICE), EACCES);
	ASSERT_ERRNO(ioctl(importer, IMPORTER_MAP, 0), EACCES);
	ASSERT_EQ(ioctl(importer, IMPORTER_MAP, TO_DEVICE), 0);
}

TEST("the device writes the samples of an output", fresh)
{
	struct importer_copy copy;
	struct pair pair;
	struct map map;
	struct zio_control ctrl;
	struct zio_dmabuf out;
	int importer;

	write_text(CSET1 "/current_buffer", "vmalloc");
	no_export(open_node(OUT, "data", O_WRONLY), 0, EACCES);
	pair = open_pair(OUT, O_RDWR);
	no_export(pair.data, ZIO_DMABUF_BLOCK, EOPNOTSUPP);
	out = export(pair.data, 0);
	importer = import(out.fd, FROM_DEVICE);
	map = map_file(pair.data, 0, AREA, PROT_READ);
	ctrl = read_control(pair.ctrl);
	copy = (struct importer_copy){ offset_of(&ctrl), 5, (uintptr_t)"hallo" };
	ASSERT_EQ(ioctl(importer, IMPORTER_WRITE, &copy), 0);
	ASSERT_EQ(memcmp(map.mem + offset_of(&ctrl), "hallo", 5), 0);
	ASSERT_EQ(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
}

TEST("a ring, and the area of its blocks", fresh)
{
	struct ring r = open_ring(IN);
	struct zio_dmabuf buf = export(r.fd, 0);
	int importer = import(buf.fd, TO_DEVICE), i;

	for (i = 0; i < 20; i++) {
		buf.offset = offset_of(next_block(&r));
		buf.size = BLOCK;
		check_block(importer, &buf, i * BLOCK / 4);
		release_block(&r);
	}
	no_export(r.fd, ZIO_DMABUF_BLOCK, EBUSY);
}

TEST("a buffer without an area has no dma-buf", kmalloc)
{
	int fd = open_node(IN, "data", O_RDONLY);

	no_export(fd, 0, EOPNOTSUPP);
	no_export(fd, ZIO_DMABUF_BLOCK, EOPNOTSUPP);
	ASSERT_TRUE(read_block(fd));
}

TEST("other nodes, flags and addresses are refused, and leave no descriptor", fresh)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	int next = dup(0), tap;

	close(next);
	no_export(pair.ctrl, 0, EINVAL);
	no_export(pair.data, 2, EINVAL);
	no_export(pair.data, ~0u, EINVAL);
	ASSERT_ERRNO(ioctl(pair.data, ZIO_IOC_DMABUF, NULL), EFAULT);
	ASSERT_ERRNO(ioctl(pair.data, ZIO_IOC_DMABUF, 16), EFAULT);
	tap = open_tap(IN, 0);
	no_export(tap, 0, ENOTTY);
	close(tap);
	ASSERT_EQ(dup(0), next);
}

/* The structure is in memory that the kernel can read and not write. */
TEST("a fault at the end leaves no descriptor, and no user of the area", fresh)
{
	struct zio_dmabuf *arg = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK), next = dup(0);

	close(next);
	ASSERT_ERRNO(ioctl(fd, ZIO_IOC_DMABUF, arg), EFAULT);
	ASSERT_EQ(dup(0), next);
	while (read_number(BUFFER "/max-buffer-kb") != 256) {
		shell("echo 256 2>/dev/null >" BUFFER "/max-buffer-kb");
		usleep(1000);
	}
}
