// SPDX-License-Identifier: GPL-2.0-only
/*
 * unbind-under-users.c: unbind a device while four processes use its board
 *
 * Usage: unbind-under-users INPUT OUTPUT UNBIND DEVICE
 *
 * INPUT and OUTPUT are nodes without -ctrl and -data. DEVICE is written to the file
 * UNBIND. Exit status 0 when each process got ENODEV.
 */
#include "hammer.h"

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "Usage: %s INPUT OUTPUT UNBIND DEVICE\n", argv[0]);
		return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
	}
	begin_group();
	unbind_under_users(argv[1], argv[2], argv[3], argv[4]);
	return 0;
}
