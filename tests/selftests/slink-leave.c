// SPDX-License-Identifier: GPL-2.0-only
/*
 * slink-leave.c: leave a transfer in an S-LINK card, as another kernel may do
 *
 * Usage: slink-leave PCI-ADDRESS
 *
 * The transfer goes to an address without memory. The card is not a bus master yet.
 */
#include "../models/qemu/s5933.h"
#include "node.h"

#define NO_MEMORY	0xe0000000

static void leave_transfer(const char *device)
{
	volatile uint32_t *reg;
	char path[100];
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource0", device);
	fd = open_file(path, O_RDWR | O_SYNC);
	reg = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_TRUE(reg != MAP_FAILED);
	reg[S5933_MWAR / 4] = NO_MEMORY;
	reg[S5933_MWTC / 4] = 4096;
	reg[S5933_MCSR / 4] = S5933_WRITE_ENABLE;
	ASSERT_EQ(reg[S5933_MWTC / 4], 4096);
}

int main(int argc, char **argv)
{
	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr, "Usage: slink-leave PCI-ADDRESS\n");
		return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
	}
	begin_group();
	leave_transfer(argv[1]);
	return 0;
}
