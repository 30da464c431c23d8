// SPDX-License-Identifier: GPL-2.0-only
/*
 * hold-block.c: hold a dma-buf of the next block of an input, and a mapping of its area
 *
 * Usage: hold-block PREFIX FILE
 *
 * The program closes the nodes, makes FILE, and sleeps until a signal ends it.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "node.h"

int main(int argc, char **argv)
{
	struct zio_dmabuf buf = { .flags = ZIO_DMABUF_BLOCK };
	int fd;

	ASSERT_EQ(argc, 3);
	fd = open_node(argv[1], "data", O_RDONLY);
	ASSERT_EQ(ioctl(fd, ZIO_IOC_DMABUF, &buf), 0);
	ASSERT_TRUE(mmap(NULL, 4096, PROT_READ, MAP_SHARED, buf.fd, 0) != MAP_FAILED);
	close(fd);
	close(creat(argv[2], 0600));
	pause();
	return 0;
}
