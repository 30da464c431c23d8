// SPDX-License-Identifier: GPL-2.0-only
/*
 * node-storm.c: many sets on one tick, while everything about them changes
 *
 * Changers write at random to what can be written, unplug boards and plug them
 * again; readers come and go, and check what they read. What may be refused, and
 * how, is listed with each change; anything else is a failure.
 */
#include <sys/stat.h>

#include "storm.h"

static unsigned int n_devices, n_csets, n_channels;
static unsigned int *blocks, *plugged;
static void cset_path(char *path, size_t size, const char *file)
{
	snprintf(path, size, BUS "/zzero-%04x/cset%u/%s", 100 + dice(n_devices),
		 dice(n_csets), file);
}

static void chan_path(char *path, size_t size, const char *file)
{
	snprintf(path, size, BUS "/zzero-%04x/cset%u/chan%u/%s",
		 100 + dice(n_devices), dice(n_csets), dice(n_channels), file);
}

static void change_trigger(void)
{
	static const char *const names[] = {
		"clock0", "clock0", "clock0", "clock1", "user", "hrt", "sysfs",
		"timer", "transparent", "chain",
	};
	char path[128];

	cset_path(path, sizeof(path), "current_trigger");
	change(path, names[dice(sizeof(names) / sizeof(*names))], "");
}

static void change_buffer(void)
{
	char path[128];

	cset_path(path, sizeof(path), "current_buffer");
	change(path, dice(2) ? "vmalloc" : "kmalloc", "EBUSY ENOMEM");
}

static void change_enable(void)
{
	char path[128];

	if (dice(2))
		cset_path(path, sizeof(path), dice(2) ? "enable" :
			  "trigger/enable");
	else
		chan_path(path, sizeof(path), "enable");
	change(path, dice(3) ? "1" : "0", "");
}

static void change_size(void)
{
	char path[128], text[16];

	snprintf(text, sizeof(text), "%u", 1 + dice(300));
	if (dice(2)) {
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
		change(CONFIG "/triggers/hrt/clock0/clock", clocks[dice(4)], "");
		break;
	case 1:
		change(CONFIG "/triggers/hrt/clock0/enable",
		       dice(4) ? "1" : "0", "");
		break;
	default:
		snprintf(text, sizeof(text), "%u", 100000 + dice(900000));
		change(CONFIG "/triggers/hrt/clock0/period-ns", text, "");
	}
}

static void change_own(void)
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

/* One board at a time is out. */
static void change_plug(void)
{
	char path[128];

	if (__atomic_exchange_n(plugged, 0, __ATOMIC_SEQ_CST)) {
		snprintf(path, sizeof(path), CONFIG "/devices/zzero/s%u/live",
			 dice(n_devices));
		change(path, "0", "");
		change(path, "1", "");
		__atomic_store_n(plugged, 1, __ATOMIC_SEQ_CST);
	}
}

/* Made, used or not, and removed unless it is in use. */
static void change_shared(void)
{
	static const char path[] = CONFIG "/triggers/hrt/brief";
	char cset[128];

	if (mkdir(path, 0755) && errno != EEXIST)
		fail("mkdir: %s", strerrorname_np(errno));
	cset_path(cset, sizeof(cset), "current_trigger");
	change(cset, "brief", "EINVAL");
	change(cset, "clock0", "");
	if (rmdir(path) && errno != EBUSY && errno != ENOENT)
		fail("rmdir: %s", strerrorname_np(errno));
}

static void __attribute__((noreturn)) changer(unsigned int seed)
{
	static void (*const table[])(void) = {
		change_trigger, change_trigger, change_buffer, change_enable,
		change_size, change_clock, change_own, change_plug,
		change_shared,
	};

	srandom(seed);
	while (!is_over())
		table[dice(sizeof(table) / sizeof(*table))]();
	_exit(0);
}

/* With the pattern "channel" each sample is the number of its channel. */
static void check_samples(const uint8_t *sample, size_t n, unsigned int chan)
{
	while (n--)
		same(sample[n], chan);
}

/*
 * Up to so many blocks of a channel; 0 when the board is gone. A gap is told by
 * the alarm of the block after it: overruns lose what is new.
 */
static void read_channel(struct pair pair, unsigned int chan, unsigned int n)
{
	struct pollfd pfd = { pair.ctrl, POLLIN, 0 };
	static uint8_t sample[1024];
	struct zio_control ctrl;
	uint32_t next = 0;
	ssize_t got;

	while (n-- && !is_over()) {
		if (poll(&pfd, 1, 10) == 1 && pfd.revents & POLLHUP)
			return;
		got = read(pair.ctrl, &ctrl, sizeof(ctrl));
		if (got < 0 && errno == EAGAIN)
			continue;
		if (got < 0 && errno == ENODEV)
			return;
		same(got, sizeof(ctrl));
		if (next && ctrl.seq_num != next &&
		    !(ctrl.zio_alarms & ZIO_ALARM_LOST_BLOCK))
			fail("block %u, not %u, and no alarm", ctrl.seq_num,
			     next);
		next = ctrl.seq_num + 1;
		same(ctrl.addr.chan, chan);
		got = read(pair.data, sample, sizeof(sample));
		if (got < 0 && errno == ENODEV)
			return;
		same(got, ctrl.nsamples);
		check_samples(sample, got, chan);
		__atomic_add_fetch(blocks, 1, __ATOMIC_SEQ_CST);
	}
}

static int try_open(struct pair *pair, const char *prefix)
{
	char path[80];

	snprintf(path, sizeof(path), "%s-ctrl", prefix);
	pair->ctrl = open(path, O_RDONLY | O_NONBLOCK);
	snprintf(path, sizeof(path), "%s-data", prefix);
	pair->data = open(path, O_RDONLY | O_NONBLOCK);
	if (pair->ctrl >= 0 && pair->data >= 0)
		return 1;
	if (!is_gone(errno))
		fail("open %s: %s", path, strerrorname_np(errno));
	close(pair->ctrl);
	close(pair->data);
	return 0;
}

/* Each reader has channels of its own: nobody else takes their blocks. */
static void __attribute__((noreturn)) reader(unsigned int seed,
					     unsigned int set)
{
	struct pair pair;
	unsigned int chan;
	char prefix[64];

	srandom(seed);
	while (!is_over()) {
		chan = dice(n_channels);
		snprintf(prefix, sizeof(prefix), "/dev/zio/zzero-%04x-%u-%u",
			 100 + dice(n_devices), set, chan);
		if (!try_open(&pair, prefix))
			continue;
		read_channel(pair, chan, 1 + dice(400));
		close_pair(pair);
	}
	_exit(0);
}

static void __attribute__((noreturn)) sniffer(void)
{
	struct zio_control ctrl[8];
	ssize_t i, got;
	int fd = -1;

	while (!is_over()) {
		if (fd < 0)
			fd = open_file("/dev/zio/sniff-ctrl",
				       O_RDONLY | O_NONBLOCK);
		got = read(fd, ctrl, sizeof(ctrl));
		if (got < 0)
			same(errno, EAGAIN);
		for (i = 0; i < got / (ssize_t)sizeof(*ctrl); i++)
			same(ctrl[i].major_version, ZIO_MAJOR_VERSION);
		if (!dice(50)) {
			close(fd);
			fd = -1;
		}
	}
	_exit(0);
}

static unsigned int run_all(unsigned int seed)
{
	unsigned int n = 0, i;

	for (i = 0; i < n_csets; i++, n++)
		if (!fork())
			reader(seed + n, i);
	for (i = 0; i < 3; i++, n++)
		if (!fork())
			changer(seed + n);
	if (!fork())
		sniffer();
	return n + 1;
}

/* Each event gave the channel a block, or a loss. */
static void add_up(unsigned int dev, unsigned int cset, unsigned int chan)
{
	struct zio_control ctrl;
	char dir[96], path[160];
	unsigned long made, lost;

	snprintf(dir, sizeof(dir), BUS "/zzero-%04x/cset%u/chan%u", dev, cset,
		 chan);
	snprintf(path, sizeof(path), "%s/current-control", dir);
	int fd = open_file(path, O_RDONLY);

	ctrl = read_control(fd);
	close(fd);
	snprintf(path, sizeof(path), "%s/statistics/blocks", dir);
	made = read_number(path);
	snprintf(path, sizeof(path), "%s/statistics/lost_blocks", dir);
	lost = read_number(path);
	if (made + lost != ctrl.seq_num)
		fail("%s: %lu blocks and %lu lost are not %u", dir, made, lost,
		     ctrl.seq_num);
}

static void stand_still(unsigned int dev, unsigned int cset)
{
	char path[128];

	snprintf(path, sizeof(path), BUS "/zzero-%04x/cset%u/enable", dev, cset);
	write_text(path, "0");
}

static int is_tried(void)
{
	return get(changes) > 100 && get(blocks) > 100;
}

/* storm DEVICES SETS CHANNELS SECONDS SEED */
static void do_storm(char **arg)
{
	unsigned int seconds = atoi(arg[3]), d, s, c;

	n_devices = atoi(arg[0]);
	n_csets = atoi(arg[1]);
	n_channels = atoi(arg[2]);
	blocks = share_memory(2 * sizeof(*blocks));
	plugged = blocks + 1;
	*plugged = 1;
	is_enough = is_tried;
	begin_storm(seconds);
	wait_children(wait_for_end(run_all(atoi(arg[4]))));
	for (d = 0; d < n_devices; d++)
		for (s = 0; s < n_csets; s++)
			stand_still(100 + d, s);
	for (d = 0; d < n_devices; d++)
		for (s = 0; s < n_csets; s++)
			for (c = 0; c < n_channels; c++)
				add_up(100 + d, s, c);
	printf("%u changes, %u blocks read\n", *changes, *blocks);
	want(is_tried());
}

static const struct command commands[] = {
	{ "storm", 5, do_storm },
	{}
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 3600);
}
