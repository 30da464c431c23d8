// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open, map and close the nodes of a channel */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel.h"

#define MAX_SIZE (SIZE_MAX / 2)

/* An access beyond the end of a mapped file would be SIGBUS. */
int zio_map(struct zio_mapping *map, int fd, size_t offset, size_t size, int prot)
{
	struct stat st;
	void *mem;

	if (fstat(fd, &st))
		return -1;
	if (!size || (S_ISREG(st.st_mode) &&
		      ((uint64_t)st.st_size < offset ||
		       (uint64_t)st.st_size - offset < size))) {
		errno = EINVAL;
		return -1;
	}
	mem = mmap(NULL, size, prot, MAP_SHARED, fd, (off_t)offset);
	if (mem == MAP_FAILED)
		return -1;
	map->mem = mem;
	map->size = size;
	return 0;
}

void zio_unmap(struct zio_mapping *map)
{
	if (map->mem)
		munmap(map->mem, map->size);
	*map = (struct zio_mapping){ 0 };
}

static void unmap_all(struct zio_channel *ch)
{
	zio_unmap(&ch->map_hdr);
	zio_unmap(&ch->map_slots);
	zio_unmap(&ch->map_data);
	ch->ring.hdr = NULL;
	ch->data.mem = NULL;
}

static bool has_page(int fd, size_t n, size_t page)
{
	struct zio_mapping map;

	if (zio_map(&map, fd, n * page, page, PROT_READ))
		return false;
	zio_unmap(&map);
	return true;
}

/*
 * The size of a data node is unknown, so this function probes its pages. The caller keeps
 * the first page mapped, so that the kernel does not replace the area.
 */
static size_t find_size(int fd, size_t page)
{
	size_t last = 0, beyond = 1, middle;

	while (beyond < MAX_SIZE / page && has_page(fd, beyond, page)) {
		last = beyond;
		beyond *= 2;
	}
	while (beyond - last > 1) {
		middle = last + (beyond - last) / 2;
		if (has_page(fd, middle, page))
			last = middle;
		else
			beyond = middle;
	}
	return (last + 1) * page;
}

int zio_map_data(struct zio_channel *ch)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct zio_mapping first;
	int ret;

	if (zio_map(&first, ch->data_fd, 0, page, PROT_READ)) {
		/* ENODEV of mmap() does not mean that the device is gone. */
		if (errno == ENODEV)
			errno = EOPNOTSUPP;
		return -1;
	}
	ret = zio_map(&ch->map_data, ch->data_fd, 0,
		       find_size(ch->data_fd, page), PROT_READ);
	zio_unmap(&first);
	ch->data.mem = ch->map_data.mem;
	ch->data.size = ch->map_data.size;
	return ret;
}

int zio_open_node(const char *path, int mode, int flags)
{
	int fd;

	if (flags & ZIO_OPEN_NONBLOCK)
		mode |= O_NONBLOCK;
	fd = open(path, mode | O_CLOEXEC);
	/* Only opening a FIFO may wait in the kernel; see poll.c. */
	if (fd >= 0)
		fcntl(fd, F_SETFL, mode | O_NONBLOCK);
	return fd;
}

int zio_open_nodes(struct zio_channel *ch, int ctrl_mode, int data_mode, int flags)
{
	ch->ctrl_fd = zio_open_node(ch->ctrl_path, ctrl_mode, flags);
	if (ch->ctrl_fd < 0)
		return -1;
	if (!ch->data_path)
		return 0;
	ch->data_fd = zio_open_node(ch->data_path, data_mode, flags);
	return ch->data_fd < 0 ? -1 : 0;
}

static int close_node(int *fd)
{
	int ret = *fd < 0 ? 0 : close(*fd);

	*fd = -1;
	return ret;
}

int zio_close_nodes(struct zio_channel *ch)
{
	int code;

	unmap_all(ch);
	code = close_node(&ch->data_fd) ? errno : 0;
	if (close_node(&ch->ctrl_fd) && !code)
		code = errno;
	if (!code)
		return 0;
	errno = code;
	return -1;
}

int zio_flush_node(struct zio_channel *ch)
{
	if (ioctl(ch->ctrl_fd, ZIO_IOC_FLUSH))
		return zio_fail(ch, ZIO_FAULT_FLUSH, errno);
	return 0;
}
