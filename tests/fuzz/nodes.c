// SPDX-License-Identifier: GPL-2.0-only
/*
 * nodes.c: the pool of open files of a process
 *
 * Two channels are missing in the list: verify.c reads zzero-0000-0-2 and
 * zzero-0000-2-0, and checks every block. No other operation reads them.
 */
#include <dirent.h>

#include "fuzz.h"

struct slot slots[N_FDS];

#define INPUT(name)	{ name, false, false }
#define OUTPUT(name)	{ name, true, false }

const struct channel channels[] = {
	INPUT("zzero-0000-0-0"), INPUT("zzero-0000-0-1"), INPUT("zzero-0001-0-0"),
	INPUT("zzero-0001-0-1"), INPUT("zzero-0001-0-2"), INPUT("zzero-0001-2-0"),
	INPUT("zzero-0100-0-0"), INPUT("zzero-0100-0-1"), INPUT("zzero-0100-2-0"),
	INPUT("zzero-0101-0-0"), INPUT("zzero-0101-2-0"), INPUT("zmini-0000-0-0"),
	INPUT("zzero-0102-0-0"), INPUT("zloop-0000-1-0"), INPUT("zloop-0100-1-0"),
	INPUT("zdtc-0000-1-0"), INPUT("zdtc-0100-1-0"),
	{ "sniff-ctrl", false, true },
	OUTPUT("zzero-0000-1-0"), OUTPUT("zzero-0001-1-0"),
	OUTPUT("zzero-0100-1-0"), OUTPUT("zloop-0000-0-0"),
	OUTPUT("zloop-0100-0-0"), OUTPUT("zdtc-0000-0-0"),
	OUTPUT("zdtc-0100-0-0"),
};

#define N_CHANNELS	(sizeof(channels) / sizeof(*channels))

int any_channel(bool is_output)
{
	int i;

	do {
		i = dice(N_CHANNELS);
	} while (channels[i].is_output != is_output);
	return i;
}

int find_channel(const char *name)
{
	size_t i;

	for (i = 0; i < N_CHANNELS; i++)
		if (!strcmp(channels[i].name, name))
			return i;
	return -1;
}

int open_channel(int channel, bool is_data, int flags)
{
	const struct channel *chan = &channels[channel];
	char path[64];

	snprintf(path, sizeof(path), "/dev/zio/%s%s", chan->name,
		 chan->is_single ? "" : is_data ? "-data" : "-ctrl");
	return open(path, flags);
}

struct slot *any_slot(void)
{
	return &slots[dice(N_FDS)];
}

static bool is_wanted(const struct slot *slot, bool is_output, int is_data)
{
	if (slot->fd < 0 || slot->channel < 0)
		return false;
	if (is_data >= 0 && slot->is_data != is_data)
		return false;
	return channels[slot->channel].is_output == is_output;
}

/* Return: mostly a slot of this direction and kind (-1: either), if there is one */
struct slot *slot_for(bool is_output, int is_data)
{
	unsigned int first = dice(N_FDS), i;
	struct slot *slot;

	if (chance(16))
		return any_slot();
	for (i = 0; i < N_FDS; i++) {
		slot = &slots[(first + i) % N_FDS];
		if (is_wanted(slot, is_output, is_data))
			return slot;
	}
	return &slots[first];
}

/* Put the file into a free slot of the pool, or replace another file. */
void keep_fd(int fd, int channel, bool is_data)
{
	struct slot *slot = any_slot();
	unsigned int i;

	if (fd < 0)
		return;
	for (i = 0; i < N_FDS && slot->fd >= 0; i++)
		slot = &slots[(slot - slots + 1) % N_FDS];
	if (slot->fd >= 0)
		close(slot->fd);
	slot->fd = fd;
	slot->channel = channel;
	slot->is_data = is_data;
}

void init_nodes(void)
{
	unsigned int i;

	for (i = 0; i < N_FDS; i++)
		slots[i].fd = -1;
}

/* Give the nodes to the group "zio", as a udev rule does. */
void open_to_all(void)
{
	DIR *dir = opendir("/dev/zio");
	struct dirent *entry;
	char path[300];

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/dev/zio/%s", entry->d_name);
		if (entry->d_name[0] != '.' && chown(path, 0, 100))
			errno = 0;
	}
	if (dir)
		closedir(dir);
}
