// SPDX-License-Identifier: GPL-2.0-only
/*
 * flush_test.c: a flush drops what is queued, so that the next block is new
 *
 * The trigger "sysfs" acquires a block for each write.
 *
 * # check
 */
#include <sys/ioctl.h>

#include "board.h"
#include "harness.h"

#define IN	ZZERO "-0-2"
#define CHAN	CSET0 "/chan2"
#define FLUSHED	CHAN "/statistics/flushed"
#define LOST	CHAN "/statistics/lost_blocks"

SETUP(fresh)
{
	renew_zzero();
	load("zio-trig-sysfs");
	write_text(CSET0 "/current_buffer", value ?: "kmalloc");
	write_text(CSET0 "/current_trigger", "sysfs");
	write_text(CSET0 "/chan0/enable", "0");
	write_text(CSET0 "/chan1/enable", "0");
}

static void fire(unsigned int n)
{
	while (n--)
		write_text(CSET0 "/trigger/fire", "1");
}

TEST_EACH("flush of sysfs drops what is queued, with the buffer %s", fresh, "kmalloc",
	  "vmalloc")
{
	int fd = open_node(IN, "ctrl", O_RDONLY | O_NONBLOCK);
	struct zio_control ctrl;

	fire(10);
	ASSERT_EQ(read_control(fd).seq_num, 0);
	write_text(CHAN "/flush", "1\n");
	ASSERT_EQ(read_number(FLUSHED), 9);
	ASSERT_EQ(read_number(LOST), 0);
	ASSERT_EQ(read_number(CHAN "/buffer/queued-buffer-len"), 0);
	ASSERT_ERRNO(read(fd, &ctrl, sizeof(ctrl)), EAGAIN);
	fire(1);
	ctrl = read_control(fd);
	ASSERT_EQ(ctrl.seq_num, 10);
	ASSERT_EQ(ctrl.zio_alarms, 0);
	close(fd);
}

TEST("a reader keeps its block over a flush of sysfs", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK);
	uint8_t buf[16];
	int i;

	fire(3);
	ASSERT_EQ(read(fd, buf, 4), 4);
	write_text(CHAN "/flush", "1");
	ASSERT_EQ(read(fd, buf + 4, 12), 12);
	for (i = 1; i < 16; i++)
		ASSERT_EQ(buf[i], (uint8_t)(buf[i - 1] + 1));
	ASSERT_ERRNO(read(fd, buf, 1), EAGAIN);
	close(fd);
}

TEST_EACH("the ioctl drops the caller's part of a block, too, with the buffer %s", fresh,
	  "kmalloc", "vmalloc")
{
	struct pair pair = open_pair(IN, O_RDONLY | O_NONBLOCK);
	struct zio_control ctrl[2];
	uint8_t buf[16], first;

	fire(5);
	ASSERT_EQ(read(pair.data, &first, 1), 1);
	ASSERT_EQ(read(pair.ctrl, ctrl, sizeof(ctrl)), sizeof(ctrl));
	ASSERT_EQ(ioctl(pair.ctrl, ZIO_IOC_FLUSH), 0);
	ASSERT_EQ(read_number(FLUSHED), 3);
	ASSERT_ERRNO(read(pair.data, buf, 16), EAGAIN);
	fire(1);
	ASSERT_EQ(read(pair.data, buf, 16), 16);
	ASSERT_EQ(buf[0], (uint8_t)(first + 5 * 16));
	close_pair(pair);
}

TEST("a flush drops what a closed session has left", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK);
	uint8_t first, next;

	fire(2);
	ASSERT_EQ(read(fd, &first, 1), 1);
	close(fd);
	write_text(CHAN "/flush", "1");
	ASSERT_EQ(read_number(FLUSHED), 2);
	fire(1);
	fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK);
	ASSERT_EQ(read(fd, &next, 1), 1);
	ASSERT_EQ(next, (uint8_t)(first + 32));
	close(fd);
}

/* All memory is queued: after the flush the channel can acquire again. */
TEST_EACH("a flush makes room, with the buffer %s", fresh, "kmalloc", "vmalloc")
{
	unsigned int len = read_number(CHAN "/buffer/max-buffer-len");

	fire(len + 5);
	ASSERT_EQ(read_number(LOST), 5);
	write_text(CHAN "/flush", "1");
	ASSERT_EQ(read_number(FLUSHED), len);
	fire(len);
	ASSERT_EQ(read_number(LOST), 5);
	ASSERT_EQ(read_number(CHAN "/buffer/queued-buffer-len"), len);
}

TEST("a flush is refused for a ring, for an output, and for other numbers", fresh)
{
	int out = open_node(ZZERO "-1-0", "data", O_WRONLY), fd, ring;

	write_text(CSET0 "/current_buffer", "vmalloc");
	ring = open_node(IN, "ctrl", O_RDWR);
	fd = open_file(CHAN "/flush", O_WRONLY);
	ASSERT_ERRNO(write(fd, "1", 1), EBUSY);
	ASSERT_ERRNO(ioctl(ring, ZIO_IOC_FLUSH), EBUSY);
	close(ring);
	ASSERT_ERRNO(pwrite(fd, "0", 1, 0), EINVAL);
	ASSERT_ERRNO(pwrite(fd, "2", 1, 0), EINVAL);
	ASSERT_EQ(pwrite(fd, "1", 1, 0), 1);
	ASSERT_ERRNO(ioctl(out, ZIO_IOC_FLUSH), EINVAL);
	ASSERT_TRUE(!exists(CSET1 "/chan0/flush"));
	close(fd);
	close(out);
}

TEST("a flush of a board that is gone fails", fresh)
{
	int fd = open_node(IN, "ctrl", O_RDONLY);

	unbind_board("zio-zero", 0);
	ASSERT_ERRNO(ioctl(fd, ZIO_IOC_FLUSH), ENODEV);
	close(fd);
}
