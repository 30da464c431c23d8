// SPDX-License-Identifier: GPL-2.0-only
/*
 * storm.c: the scenario of many sets on one clock, while everything about them changes
 *
 * It needs the boards and clocks that set_up() in selftests/storm.sh makes. Changers write at
 * random to what can be written, and unplug boards. Readers open channels and check
 * what they read. When all have ended, the statistics of each channel must add up.
 */
#include <sys/stat.h>

#include "fuzz.h"

/* As in selftests/storm.sh */
#define N_DEVICES	20
#define N_CSETS		5
#define N_CHANNELS	2
#define FIRST_ID	100
#define FIRST_STREAM	16	/* set 0 of this device, and of those behind it, is a stream */

#define CLOCK0		CONFIG "/triggers/hrt/clock0"

static void cset_path(char *path, size_t size, const char *file)
{
	snprintf(path, size, BUS "/zzero-%04x/cset%u/%s", FIRST_ID + dice(N_DEVICES),
		 dice(N_CSETS), file);
}

/* A stream refuses each trigger but one. */
static const char *trigger_errors(unsigned int dev, unsigned int cset)
{
	return dev >= FIRST_STREAM && !cset ? "EINVAL" : "";
}

static void chan_path(char *path, size_t size, const char *file)
{
	snprintf(path, size, BUS "/zzero-%04x/cset%u/chan%u/%s",
		 FIRST_ID + dice(N_DEVICES), dice(N_CSETS), dice(N_CHANNELS), file);
}

static void change_trigger(void)
{
	static const char *const names[] = {
		"clock0", "clock0", "clock0", "clock1", "user", "hrt", "sysfs",
		"timer", "transparent", "chain",
	};
	unsigned int dev = dice(N_DEVICES), cset = dice(N_CSETS);
	char path[128];

	snprintf(path, sizeof(path), BUS "/zzero-%04x/cset%u/current_trigger",
		 FIRST_ID + dev, cset);
	change(path, names[dice(sizeof(names) / sizeof(*names))],
	       trigger_errors(dev, cset));
}

static void change_depth(void)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), BUS "/zzero-%04x/cset0/queue-depth",
		 FIRST_ID + FIRST_STREAM + dice(N_DEVICES - FIRST_STREAM));
	snprintf(text, sizeof(text), "%u", 1 + dice(16));
	change(path, text, "");
}

static void change_buffer(void)
{
	char path[128];

	cset_path(path, sizeof(path), "current_buffer");
	change(path, chance(2) ? "vmalloc" : "kmalloc", "EBUSY ENOMEM");
}

static void change_enable(void)
{
	char path[128];

	if (chance(2))
		cset_path(path, sizeof(path), chance(2) ? "enable" : "trigger/enable");
	else
		chan_path(path, sizeof(path), "enable");
	change(path, dice(3) ? "1" : "0", "");
}

static void change_size(void)
{
	char path[128], text[16];

	snprintf(text, sizeof(text), "%u", 1 + dice(300));
	if (chance(2)) {
		cset_path(path, sizeof(path), "trigger/nsamples");
		change(path, text, "ENOMEM ENOSPC EBUSY");
	} else {
		chan_path(path, sizeof(path), "buffer/max-buffer-len");
		change(path, text, "ENOMEM ENOSPC EBUSY EINVAL");
	}
}

static void change_clock(void)
{
	static const char *const clocks[] = {
		"realtime", "tai", "monotonic", "boottime",
	};
	char text[16];

	switch (dice(4)) {
	case 0:
		change(CLOCK0 "/clock", clocks[dice(4)], "");
		break;
	case 1:
		change(CLOCK0 "/enable", dice(4) ? "1" : "0", "");
		break;
	default:
		snprintf(text, sizeof(text), "%u", 100000 + dice(900000));
		change(CLOCK0 "/period-ns", text, "");
	}
}

/* A setting of a trigger that the set may not have. */
static void change_own_trigger(void)
{
	char path[128];

	switch (dice(3)) {
	case 0:
		cset_path(path, sizeof(path), "trigger/fire");
		change(path, "1", "EACCES EBUSY ESHUTDOWN");
		break;
	case 1:
		cset_path(path, sizeof(path), "trigger/period-ns");
		change(path, "300000", "EACCES EPERM");
		break;
	default:
		cset_path(path, sizeof(path), "trigger/source");
		change(path, "zzero-0064/cset0", "EACCES EPERM ELOOP");
	}
}

static void change_plug(void)
{
	char path[128];

	snprintf(path, sizeof(path), CONFIG "/devices/zzero/s%u/live", dice(N_DEVICES));
	replug(path);
}

/* A shared trigger is made, perhaps used, and removed unless it is in use. */
static void change_shared_trigger(void)
{
	static const char path[] = CONFIG "/triggers/hrt/brief";
	unsigned int dev = dice(N_DEVICES), set = dice(N_CSETS);
	char cset[128];

	if (mkdir(path, 0755) && errno != EEXIST)
		FAIL("cannot make %s: %s", path, strerrorname_np(errno));
	snprintf(cset, sizeof(cset), BUS "/zzero-%04x/cset%u/current_trigger",
		 FIRST_ID + dev, set);
	change(cset, "brief", "EINVAL");
	change(cset, "clock0", trigger_errors(dev, set));
	if (rmdir(path) && errno != EBUSY && errno != ENOENT)
		FAIL("cannot remove %s: %s", path, strerrorname_np(errno));
}

static bool try_open(struct pair *pair, const char *prefix)
{
	char path[80];

	snprintf(path, sizeof(path), "%s-ctrl", prefix);
	pair->ctrl = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s-data", prefix);
	pair->data = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (pair->ctrl >= 0 && pair->data >= 0)
		return true;
	if (!is_gone(errno))
		FAIL("cannot open %s: %s", path, strerrorname_np(errno));
	close(pair->ctrl);
	close(pair->data);
	return false;
}

/* The samples are the number of the channel. Return: is the board there? */
static bool check_data(int data, const struct zio_control *ctrl, unsigned int chan)
{
	static uint8_t sample[1024];
	ssize_t got = read(data, sample, sizeof(sample)), i;

	if (got < 0 && errno == ENODEV)
		return false;
	ASSERT_EQ(got, ctrl->nsamples);
	for (i = 0; i < got; i++)
		ASSERT_EQ(sample[i], chan);
	succeed();
	return true;
}

/*
 * Read up to @n blocks, until the board is unplugged. Overruns lose the newest blocks.
 * The block after a gap has the alarm.
 */
static void read_channel(struct pair pair, unsigned int chan, unsigned int n)
{
	struct zio_control ctrl;
	uint32_t next = 0;
	ssize_t got;

	while (n-- && !is_time_over()) {
		if (poll_events(pair.ctrl, POLLIN, 10) & POLLHUP)
			return;
		got = read(pair.ctrl, &ctrl, sizeof(ctrl));
		if (got < 0 && errno == EAGAIN)
			continue;
		if (got < 0 && errno == ENODEV)
			return;
		ASSERT_EQ(got, sizeof(ctrl));
		if (next && ctrl.seq_num != next &&
		    !(ctrl.zio_alarms & ZIO_ALARM_LOST_BLOCK))
			FAIL("block %u, expected %u, without an alarm", ctrl.seq_num, next);
		next = ctrl.seq_num + 1;
		ASSERT_EQ(ctrl.addr.chan, chan);
		if (!check_data(pair.data, &ctrl, chan))
			return;
	}
}

/* Each reader has a set of its own: no other process takes its blocks. */
static void read_blocks(void)
{
	unsigned int chan = dice(N_CHANNELS);
	struct pair pair;
	char prefix[64];

	snprintf(prefix, sizeof(prefix), "/dev/zio/zzero-%04x-%u-%u",
		 FIRST_ID + dice(N_DEVICES), process % N_CSETS, chan);
	if (!try_open(&pair, prefix))
		return;
	read_channel(pair, chan, 1 + dice(400));
	close_pair(pair);
}

static void sniff(void)
{
	static int fd = -1;
	struct zio_control ctrl[8];
	ssize_t i, got;

	if (fd < 0)
		fd = open_file("/dev/zio/sniff-ctrl", O_RDONLY | O_NONBLOCK);
	got = result(read(fd, ctrl, sizeof(ctrl)));
	if (got < 0)
		ASSERT_EQ(errno, EAGAIN);
	for (i = 0; i < got / (ssize_t)sizeof(*ctrl); i++)
		ASSERT_EQ(ctrl[i].major_version, ZIO_MAJOR_VERSION);
	if (chance(50)) {
		close(fd);
		fd = -1;
	}
}

/* Each event has given the channel a block, or a loss. */
static void check_sum(unsigned int dev, unsigned int cset, unsigned int chan)
{
	struct zio_control ctrl;
	char dir[96], path[160];
	unsigned long made, lost;
	int fd;

	snprintf(dir, sizeof(dir), BUS "/zzero-%04x/cset%u/chan%u", dev, cset, chan);
	snprintf(path, sizeof(path), "%s/current-control", dir);
	fd = open_file(path, O_RDONLY);
	ctrl = read_control(fd);
	close(fd);
	snprintf(path, sizeof(path), "%s/statistics/blocks", dir);
	made = read_number(path);
	snprintf(path, sizeof(path), "%s/statistics/lost_blocks", dir);
	lost = read_number(path);
	if (made + lost != ctrl.seq_num)
		FAIL("%s: %lu blocks and %lu lost blocks are not %u", dir, made, lost,
		     ctrl.seq_num);
}

static void stop_set(unsigned int dev, unsigned int cset)
{
	char path[128];

	snprintf(path, sizeof(path), BUS "/zzero-%04x/cset%u/enable", dev, cset);
	write_text(path, "0");
}

static void check_sums(void)
{
	unsigned int d, s, c;

	for (d = 0; d < N_DEVICES; d++)
		for (s = 0; s < N_CSETS; s++)
			stop_set(FIRST_ID + d, s);
	for (d = 0; d < N_DEVICES; d++)
		for (s = 0; s < N_CSETS; s++)
			for (c = 0; c < N_CHANNELS; c++)
				check_sum(FIRST_ID + d, s, c);
}

static const struct op storm_ops[] = {
	{ "trigger", change_trigger, 20, 20, CHANGER },
	{ "buffer", change_buffer, 10, 5, CHANGER },
	{ "depth", change_depth, 5, 5, CHANGER },
	{ "enable", change_enable, 10, 10, CHANGER },
	{ "size", change_size, 10, 10, CHANGER },
	{ "clock", change_clock, 10, 10, CHANGER },
	{ "own-trigger", change_own_trigger, 10, 1, CHANGER },
	{ "plug", change_plug, 10, 5, CHANGER },
	{ "shared-trigger", change_shared_trigger, 10, 5, CHANGER },
	{ "read", read_blocks, 10, 100, READER },
	{ "sniff", sniff, 10, 10, SNIFFER },
	{}
};

static const struct op *const tables[] = { storm_ops, NULL };

/* A reader for each set of a board, three changers, a sniffer. */
static enum role role_of(unsigned int p)
{
	if (p < N_CSETS)
		return READER;
	return p < N_CSETS + 3 ? CHANGER : SNIFFER;
}

const struct scenario storm_scenario = {
	.name = "storm",
	.seconds = 15,
	.n_processes = N_CSETS + 4,
	.tables = tables,
	.role_of = role_of,
	.prepare = init_changes,
	.finish = check_sums,
};
