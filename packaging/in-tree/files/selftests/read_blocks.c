// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_blocks.c: read blocks of channel 2 of zio-zero, whose samples count from 0 to 255
 *
 * "read_blocks read" calls read(). "read_blocks ring" maps the control ring.
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/zio-user.h>

#define CTRL	"/dev/zio/zzero-0000-0-2-ctrl"
#define DATA	"/dev/zio/zzero-0000-0-2-data"
#define BLOCKS	100

static int open_node(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static size_t check_control(const struct zio_control *ctrl)
{
	if (ctrl->major_version != ZIO_MAJOR_VERSION)
		errx(1, "a control of version %u", ctrl->major_version);
	if (strcmp(ctrl->addr.devname, "zzero") || ctrl->addr.cset || ctrl->addr.chan != 2)
		errx(1, "a block of %s, set %u, channel %u", ctrl->addr.devname,
		     ctrl->addr.cset, ctrl->addr.chan);
	if (!ctrl->nsamples || ctrl->ssize != 1)
		errx(1, "%u samples of %u bytes", ctrl->nsamples, ctrl->ssize);
	return ctrl->nsamples;
}

static void check_samples(const unsigned char *sample, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (sample[i] != (unsigned char)(sample[i - 1] + 1))
			errx(1, "sample %zu is %u after %u", i, sample[i], sample[i - 1]);
}

static void read_all(void)
{
	int ctrl_fd = open_node(CTRL, O_RDONLY), data_fd = open_node(DATA, O_RDONLY);
	unsigned char sample[65536];
	struct zio_control ctrl;
	__u32 expected = 0;
	size_t n;
	int i;

	for (i = 0; i < BLOCKS; i++) {
		if (read(ctrl_fd, &ctrl, sizeof(ctrl)) != sizeof(ctrl))
			err(1, "read of a control");
		n = check_control(&ctrl);
		if (i && ctrl.seq_num != expected && !(ctrl.zio_alarms & ZIO_ALARM_LOST_BLOCK))
			errx(1, "block %u after %u, without an alarm", ctrl.seq_num, expected - 1);
		expected = ctrl.seq_num + 1;
		if (n > sizeof(sample) || read(data_fd, sample, n) != (ssize_t)n)
			err(1, "read of %zu samples", n);
		check_samples(sample, n);
	}
	close(ctrl_fd);
	close(data_fd);
}

static void *map(int fd, off_t offset, size_t size, int prot)
{
	void *mem = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	if (mem == MAP_FAILED)
		err(1, "mmap of %zu bytes", size);
	return mem;
}

static void wait_for_block(int fd, const struct zio_ring_header *hdr, __u32 tail)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	while (__atomic_load_n(&hdr->head, __ATOMIC_ACQUIRE) == tail)
		if (poll(&pfd, 1, 10000) != 1)
			errx(1, "no block within ten seconds");
}

static void read_ring(void)
{
	int ctrl_fd = open_node(CTRL, O_RDWR), data_fd = open_node(DATA, O_RDONLY);
	struct zio_ring_header *hdr = map(ctrl_fd, 0, getpagesize(), PROT_READ | PROT_WRITE);
	size_t slots_size = (size_t)hdr->n_slots * hdr->slot_size;
	const struct zio_control *ctrl;
	const unsigned char *data;
	const char *slots;
	__u64 offset;
	__u32 tail;
	int i;

	if (hdr->magic != ZIO_RING_MAGIC || hdr->version != ZIO_RING_VERSION)
		errx(1, "ring %#x of version %u", hdr->magic, hdr->version);
	slots = map(ctrl_fd, hdr->slots_offset, slots_size, PROT_READ);
	data = map(data_fd, 0, hdr->data_size, PROT_READ);
	for (i = 0; i < BLOCKS; i++) {
		tail = hdr->tail;
		wait_for_block(ctrl_fd, hdr, tail);
		ctrl = (const void *)(slots + tail % hdr->n_slots * hdr->slot_size);
		offset = ctrl->mem_offset | (__u64)ctrl->mem_offset_high << 32;
		check_samples(data + offset, check_control(ctrl));
		__atomic_store_n(&hdr->tail, tail + 1, __ATOMIC_RELEASE);
	}
	munmap((void *)data, hdr->data_size);
	munmap((void *)slots, slots_size);
	munmap(hdr, getpagesize());
	close(ctrl_fd);
	close(data_fd);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "read"))
		read_all();
	else if (argc == 2 && !strcmp(argv[1], "ring"))
		read_ring();
	else
		errx(2, "usage: read_blocks read|ring");
	return 0;
}
