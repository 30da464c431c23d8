// SPDX-License-Identifier: GPL-2.0-only
/*
 * nth_calls_test.c: each allocation fails once, in the calls of programs on nodes, rings,
 * taps, shares and dma-bufs
 *
 * # leaks
 * # model: zio-importer
 * # not distro: that kernel cannot inject failures
 */
#include <linux/dma-buf.h>
#include <sys/ioctl.h>

#include "../models/zio-importer.h"
#include "nth.h"

#define IN	ZZERO "-2-0"
#define SET	ZZERO "-0"
#define OUT	"/dev/zio/zloop-0000-0-0"
#define LOOP	"/dev/zio/zloop-0000-1-0"
#define BLOCK	16384

static int fd, ctrl, data, out, ends[2], importer;
static struct zio_dmabuf buf;
static struct zio_control block;
static char bytes[2 * BLOCK];
static void *mem;
static size_t mem_size;

/* Blocks of four pages. @buffers: of the input and of the loop */
static void renew_boards(const char *buffers)
{
	renew_zzero_and_loops(buffers);
	load("zio-trig-hrt");
	write_text(CSET2 "/trigger/nsamples", "4096");
	write_text("/sys/bus/zio/devices/zloop-0000/cset0/trigger/nsamples", "4096");
	if (!strncmp(buffers, "vmalloc", 7))
		write_text(CSET0 "/current_buffer", "vmalloc");
	if (!is_loaded("zio-importer"))
		run("insmod /selftests/zio-importer.ko");
}

SETUP(mapped)
{
	load("zio-dmabuf");
	renew_boards("vmalloc vmalloc");
}

SETUP(plain)
{
	renew_boards("kmalloc kmalloc");
}

/* --- open and close ------------------------------------------------------------- */

static int flags_of(const char *path)
{
	return path[0] == 'r' ? O_RDONLY : path[0] == 'w' ? O_WRONLY : O_RDWR;
}

/* @arg: "r FILE", "w FILE" or "b FILE" (both) */
static long open_arg(const char *arg)
{
	fd = open(arg + 2, flags_of(arg) | O_CLOEXEC | O_NONBLOCK);
	return fd;
}

static void open_before(const char *arg)
{
	fd = open_file(arg + 2, flags_of(arg));
}

static void close_fd(const char *arg)
{
	(void)arg;
	close(fd);
}

static long call_close(const char *arg)
{
	(void)arg;
	return close(fd);
}

/* --- mappings ------------------------------------------------------------------- */

/* @arg: of open_before(); the header of a ring */
static long map_header(const char *arg)
{
	mem_size = PAGE;
	mem = mmap(NULL, PAGE, PROT_READ | (arg[0] == 'b' ? PROT_WRITE : 0),
		   MAP_SHARED | MAP_POPULATE, fd, 0);
	return mem == MAP_FAILED ? -1 : 0;
}

static long map_data(const char *arg)
{
	(void)arg;
	mem_size = 128 * 1024;
	mem = mmap(NULL, mem_size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	return mem == MAP_FAILED ? -1 : 0;
}

static struct zio_ring_header header;

static void open_slots(const char *arg)
{
	void *page;

	open_before(arg);
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_TRUE(page != MAP_FAILED);
	header = *(struct zio_ring_header *)page;
	munmap(page, PAGE);
}

static long map_slots(const char *arg)
{
	(void)arg;
	mem_size = (size_t)header.n_slots * header.slot_size;
	mem = mmap(NULL, mem_size, PROT_READ, MAP_SHARED, fd, header.slots_offset);
	return mem == MAP_FAILED ? -1 : 0;
}

static void unmap(const char *arg)
{
	munmap(mem, mem_size);
	close_fd(arg);
}

/* --- blocks --------------------------------------------------------------------- */

static void open_input(const char *arg)
{
	(void)arg;
	fd = data = open_node(IN, "data", O_RDONLY);
	ctrl = open_node(IN, "ctrl", O_RDONLY);
}

static void close_input(const char *arg)
{
	(void)arg;
	close(ctrl);
	close(data);
}

static long read_data(const char *arg)
{
	(void)arg;
	return read(data, bytes, sizeof(bytes));
}

static long read_ctrl(const char *arg)
{
	(void)arg;
	return read(ctrl, &block, sizeof(block));
}

static long poll_input(const char *arg)
{
	struct pollfd pfd[] = { { ctrl, POLLIN, 0 }, { data, POLLIN, 0 } };

	(void)arg;
	return poll(pfd, 2, 0);
}

static long flush(const char *arg)
{
	(void)arg;
	return ioctl(data, ZIO_IOC_FLUSH);
}

static void open_output(const char *arg)
{
	(void)arg;
	out = open_node(OUT, "data", O_RDWR);
	ctrl = open_node(OUT, "ctrl", O_RDWR);
	ASSERT_TRUE(read(ctrl, &block, sizeof(block)) == sizeof(block));
}

/* No control is read: writes of data would fail with EBUSY. */
static void open_written(const char *arg)
{
	(void)arg;
	out = open_node(OUT, "data", O_RDWR);
	ctrl = open_node(OUT, "ctrl", O_WRONLY);
}

static long write_data(const char *arg)
{
	(void)arg;
	return write(out, bytes, 64);
}

static long write_ctrl(const char *arg)
{
	(void)arg;
	return write(ctrl, &block, sizeof(block));
}

/* What an output has sent returns as a block of the loop. */
static void close_output(const char *arg)
{
	(void)arg;
	close(ctrl);
	close(out);
	write_text("/sys/bus/zio/devices/zloop-0000/cset1/chan0/flush", "1");
}

/* --- taps ------------------------------------------------------------------------ */

static long make_tap(const char *arg)
{
	(void)arg;
	fd = ioctl(data, ZIO_IOC_TAP);
	return fd < 0 ? fd : 0;
}

/* A tap with a block that is not read, in fd */
static void prepare_tap(const char *arg)
{
	open_input(arg);
	fd = open_tap(IN, O_NONBLOCK);
	ASSERT_EQ(read(data, bytes, BLOCK), BLOCK);
}

/* @arg: how many bytes */
static long read_tap(const char *arg)
{
	return read(fd, bytes, atoi(arg));
}

static void close_tap(const char *arg)
{
	close_fd(arg);
	close_input(arg);
}

static void close_input_of_tap(const char *arg)
{
	close_input(arg);
}

/* --- shares ---------------------------------------------------------------------- */

static void open_both(const char *arg)
{
	(void)arg;
	data = open_node(IN, "data", O_RDONLY);
	ctrl = open_node(IN, "ctrl", O_RDONLY);
	out = open_node(OUT, "ctrl", O_RDWR);
}

static long share(const char *arg)
{
	(void)arg;
	return ioctl(out, ZIO_IOC_SHARE, &ctrl);
}

static void close_both(const char *arg)
{
	close_input(arg);
	close(out);
	write_text("/sys/bus/zio/devices/zloop-0000/cset1/chan0/flush", "1");
}

static void open_shared(const char *arg)
{
	open_both(arg);
	ASSERT_EQ(share(arg), 0);
	ASSERT_EQ(read(ctrl, &block, sizeof(block)), sizeof(block));
	block.flags |= ZIO_CONTROL_SHARED | ZIO_CONTROL_SHARE_ONLY;
}

static long submit(const char *arg)
{
	(void)arg;
	return write(out, &block, sizeof(block));
}

static long unshare(const char *arg)
{
	int none = -1;

	(void)arg;
	return ioctl(out, ZIO_IOC_SHARE, &none);
}

static void open_linked(const char *arg)
{
	open_both(arg);
	ASSERT_EQ(share(arg), 0);
}

/* --- dma-bufs -------------------------------------------------------------------- */

/* @arg: "area" or "block" */
static long export(const char *arg)
{
	buf = (struct zio_dmabuf){ .flags = *arg == 'b' ? ZIO_DMABUF_BLOCK : 0, .fd = -1 };
	return ioctl(data, ZIO_IOC_DMABUF, &buf);
}

static void close_export(const char *arg)
{
	close(buf.fd);
	close_input(arg);
}

static void open_export(const char *arg)
{
	open_input(arg);
	ASSERT_EQ(export(arg), 0);
	fd = buf.fd;
	importer = open_file("/dev/zio-importer", O_RDWR);
}

static long attach(const char *arg)
{
	(void)arg;
	return ioctl(importer, IMPORTER_ATTACH, &buf.fd);
}

static void open_attached(const char *arg)
{
	open_export(arg);
	ASSERT_EQ(attach(arg), 0);
}

static long map_importer(const char *arg)
{
	(void)arg;
	return ioctl(importer, IMPORTER_MAP, 1);
}

static void open_imported(const char *arg)
{
	open_attached(arg);
	ASSERT_EQ(map_importer(arg), 0);
}

static long sync_export(const char *arg)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ };

	(void)arg;
	return ioctl(buf.fd, DMA_BUF_IOCTL_SYNC, &sync);
}

static long map_export(const char *arg)
{
	(void)arg;
	mem_size = PAGE;
	mem = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_POPULATE, buf.fd, 0);
	return mem == MAP_FAILED ? -1 : 0;
}

static long detach(const char *arg)
{
	(void)arg;
	return ioctl(importer, IMPORTER_DETACH);
}

static void close_importer(const char *arg)
{
	close(importer);
	close_export(arg);
}

static void unmap_export(const char *arg)
{
	munmap(mem, mem_size);
	close_importer(arg);
}

/* --- pipes ----------------------------------------------------------------------- */

static void open_pipe(const char *arg)
{
	open_input(arg);
	ASSERT_EQ(pipe(ends), 0);
}

static long splice_in(const char *arg)
{
	(void)arg;
	return splice(data, NULL, ends[1], NULL, BLOCK, 0);
}

static void close_pipe(const char *arg)
{
	close(ends[0]);
	close(ends[1]);
	close_input(arg);
}

static void fill_pipe(const char *arg)
{
	(void)arg;
	out = open_node(OUT, "data", O_RDWR);
	ctrl = open_node(OUT, "ctrl", O_RDWR);
	ASSERT_EQ(pipe(ends), 0);
	ASSERT_EQ(write(ends[1], bytes, 4096), 4096);
}

static long splice_out(const char *arg)
{
	(void)arg;
	return splice(ends[0], NULL, out, NULL, 4096, 0);
}

static void close_filled(const char *arg)
{
	close(ends[0]);
	close(ends[1]);
	close_output(arg);
}

static const struct operation list[] = {
	{ "open of data", mapped, NULL, open_arg, close_fd, "r " IN "-data", 0 },
	{ "open of ctrl", mapped, NULL, open_arg, close_fd, "r " IN "-ctrl", 0 },
	{ "open of a ring", mapped, NULL, open_arg, close_fd, "b " IN "-ctrl", 0 },
	{ "open of the ring of a set", mapped, NULL, open_arg, close_fd, "b " SET "-ctrl", 0 },
	{ "open of an output", mapped, NULL, open_arg, close_fd, "b " OUT "-data", 0 },
	{ "open of the control of an output", mapped, NULL, open_arg, close_fd,
	  "b " OUT "-ctrl", 0 },
	{ "open of sniff-ctrl", mapped, NULL, open_arg, close_fd, "r /dev/zio/sniff-ctrl", 0 },
	{ "close of data", mapped, open_before, call_close, NULL, "r " IN "-data", 0 },
	{ "close of a ring", mapped, open_before, call_close, NULL, "b " IN "-ctrl", 0 },
	{ "close of the ring of a set", mapped, open_before, call_close, NULL,
	  "b " SET "-ctrl", 0 },
	{ "close of a tap", mapped, prepare_tap, call_close, close_input_of_tap, NULL, 0 },
	{ "mmap of data", mapped, open_before, map_data, unmap, "r " IN "-data", 0 },
	{ "mmap of a ring", mapped, open_before, map_header, unmap, "b " IN "-ctrl", 0 },
	{ "mmap of slots", mapped, open_slots, map_slots, unmap, "b " IN "-ctrl", 0 },
	{ "mmap of the ring of a set", mapped, open_before, map_header, unmap,
	  "b " SET "-ctrl", 0 },
	{ "mmap of the slots of a set", mapped, open_slots, map_slots, unmap,
	  "b " SET "-ctrl", 0 },
	{ "read of data", mapped, open_input, read_data, close_input, NULL, 0 },
	{ "read of ctrl", mapped, open_input, read_ctrl, close_input, NULL, 0 },
	{ "read of data, kmalloc", plain, open_input, read_data, close_input, NULL, 0 },
	{ "poll", mapped, open_input, poll_input, close_input, NULL, 0 },
	{ "ZIO_IOC_FLUSH", mapped, open_input, flush, close_input, NULL, 0 },
	{ "write of data", mapped, open_written, write_data, close_output, NULL, 0 },
	{ "write of ctrl", mapped, open_output, write_ctrl, close_output, NULL, 0 },
	{ "write of data, kmalloc", plain, open_written, write_data, close_output, NULL, 0 },
	{ "ZIO_IOC_TAP", mapped, open_input, make_tap, close_tap, NULL, 0 },
	{ "ZIO_IOC_TAP, kmalloc", plain, open_input, make_tap, close_tap, NULL, 0 },
	{ "read of a tap", mapped, prepare_tap, read_tap, close_tap, "32768", 0 },
	{ "read of a part of a tap", mapped, prepare_tap, read_tap, close_tap, "100", 0 },
	{ "read of a part of a tap, kmalloc", plain, prepare_tap, read_tap, close_tap, "100", 0 },
	{ "ZIO_IOC_SHARE", mapped, open_both, share, close_both, NULL, 0 },
	{ "the end of a share", mapped, open_linked, unshare, close_both, NULL, 0 },
	{ "a shared block", mapped, open_shared, submit, close_both, NULL, 0 },
	{ "a shared block, kmalloc", plain, open_shared, submit, close_both, NULL, 0 },
	{ "ZIO_IOC_DMABUF of an area", mapped, open_input, export, close_export, "area", 0 },
	{ "ZIO_IOC_DMABUF of a block", mapped, open_input, export, close_export, "block", 0 },
	{ "close of a dma-buf", mapped, open_export, call_close, close_input, "block", 0 },
	{ "attach to an area", mapped, open_export, attach, close_importer, "area", 0 },
	{ "attach to a block", mapped, open_export, attach, close_importer, "block", 0 },
	{ "a device maps an area", mapped, open_attached, map_importer, close_importer,
	  "area", 0 },
	{ "a device maps a block", mapped, open_attached, map_importer, close_importer,
	  "block", 0 },
	{ "a device leaves", mapped, open_imported, detach, close_importer, "block", 0 },
	{ "sync of a dma-buf", mapped, open_imported, sync_export, close_importer, "area", 0 },
	{ "mmap of a dma-buf", mapped, open_export, map_export, unmap_export, "block", 0 },
	{ "splice to a pipe", mapped, open_pipe, splice_in, close_pipe, NULL, EAGAIN },
	{ "splice to a pipe, kmalloc", plain, open_pipe, splice_in, close_pipe, NULL, EAGAIN },
	{ "splice from a pipe", mapped, fill_pipe, splice_out, close_filled, NULL, 0 },
};

static void __attribute__((constructor)) add_list(void)
{
	static struct test tests[sizeof(list) / sizeof(*list) + 1];

	add_operations(list, tests, sizeof(list) / sizeof(*list));
}
