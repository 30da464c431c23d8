// SPDX-License-Identifier: GPL-2.0-only
/* node-slink.c: what slink.sh cannot check in the shell: every word of each event */
#include "node.h"

#include <time.h>

#include "../devices/s5933.h"
#include "../devices/slidas-pattern.h"

#define MAX_WORDS	(1 << 20)

static uint32_t words[MAX_WORDS];

static void words_of_event(struct pair pair, const struct zio_control *ctrl)
{
	size_t len = (size_t)ctrl->nsamples * 4, got = 0;
	ssize_t n;

	while (got < len) {
		n = read(pair.data, (char *)words + got, len - got);
		want(n > 0);
		got += n;
	}
}

static uint32_t info_of(const struct zio_control *ctrl, int i)
{
	uint32_t info[2];

	same(ctrl->tlv[0].type, ZIO_TLV_BLOCK_INFO);
	memcpy(info, ctrl->tlv[0].payload, sizeof(info));
	return info[i];
}

static unsigned int pattern_of(const char *name)
{
	static const char *const names[] = {
		[SLIDAS_COUNT] = "count", [SLIDAS_RANDOM] = "random",
		[SLIDAS_ATLAS] = "atlas", [SLIDAS_WALK] = "walk",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	fail("no such pattern: %s", name);
}

/* Its control words are told by the card alone. */
static void check_events(char **arg, int is_card)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	uint32_t n = atoi(arg[1]), pattern = pattern_of(arg[2]), i, k, size;
	uint32_t sizes = atoi(arg[3]), min = atoi(arg[4]), max = atoi(arg[5]);
	uint32_t step = atoi(arg[6]);
	struct zio_control ctrl;

	for (i = 0; i < n; i++) {
		ctrl = read_control(pair.ctrl);
		size = slidas_size(sizes, min, max, step, 0, i);
		if (ctrl.nsamples != size || ctrl.drv_alarms || ctrl.zio_alarms)
			fail("event %u: %u words, not %u; alarms %#x, %#x", i,
			     ctrl.nsamples, size, ctrl.zio_alarms,
			     ctrl.drv_alarms);
		if (is_card) {
			same(info_of(&ctrl, 0), SLIDAS_BEGIN);
			same(info_of(&ctrl, 1), SLIDAS_END);
		}
		words_of_event(pair, &ctrl);
		for (k = 0; k < size; k++)
			if (words[k] != slidas_word(pattern, 0, i, size, k, 0))
				fail("event %u, word %u: %#x", i, k, words[k]);
	}
	close_pair(pair);
}

/*
 * check NODE EVENTS PATTERN SIZES SIZE MAX STEP: so many events, from number 0
 * on, come whole, in order, without an alarm, with their control words. A read of no
 * words comes back empty.
 */
static void do_check(char **arg)
{
	check_events(arg, 1);
}

/* check-routed NODE ...: the same, from a board that they were passed to */
static void do_check_routed(char **arg)
{
	check_events(arg, 0);
}

/* alarms NODE EVENTS: of each event, its words and alarms */
static void do_alarms(char **arg)
{
	int ctrl_fd = open_node(arg[0], "ctrl", O_RDONLY), n = atoi(arg[1]);
	struct zio_control ctrl;

	while (n--) {
		ctrl = read_control(ctrl_fd);
		printf("%u/%#x ", ctrl.nsamples, ctrl.drv_alarms);
	}
	printf("\n");
	close(ctrl_fd);
}

/*
 * gaps NODE: events of the pattern "count" come, up to a pause of a second. What is
 * not the one after the last has the alarm that something was lost before; or an event
 * without words, just before, had it.
 */
static void do_gaps(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct pollfd pfd = { pair.ctrl, POLLIN, 0 };
	uint32_t last = UINT32_MAX, n = 0, gaps = 0;
	struct zio_control ctrl;
	int lost = 1;

	while (poll(&pfd, 1, 1000) == 1) {
		ctrl = read_control(pair.ctrl);
		words_of_event(pair, &ctrl);
		lost |= ctrl.drv_alarms & 0x10;
		n++;
		if (!ctrl.nsamples)
			continue;
		if (words[0] >> 20 != ((last + 1) & 0xfff)) {
			gaps++;
			if (!lost)
				fail("event %u after %u, and no alarm",
				     words[0] >> 20, last);
		}
		last = words[ctrl.nsamples - 1] >> 20;
		lost = 0;
	}
	printf("%u events, %u gaps\n", n, gaps);
	want(gaps > 1);
	close_pair(pair);
}

/* drain NODE SECONDS: reads what comes, until nothing has for so long; how many */
static void do_drain(char **arg)
{
	int fd = open_node(arg[0], "ctrl", O_RDONLY | O_NONBLOCK), n = 0;
	struct pollfd pfd = { fd, POLLIN, 0 };
	struct zio_control ctrl;

	while (poll(&pfd, 1, 1000 * atoi(arg[1])) == 1) {
		if (read(fd, &ctrl, sizeof(ctrl)) != sizeof(ctrl)) {
			if (errno == EAGAIN)
				continue;
			break;
		}
		n++;
	}
	printf("%d\n", n);
	close(fd);
}

/* send NODE EVENTS SIZE: events of the pattern "count" */
static void do_send(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDWR);
	uint32_t n = atoi(arg[1]), size = atoi(arg[2]), i, k;
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION,
		.ssize = 4,
		.nsamples = size,
	};

	for (i = 0; i < n; i++) {
		for (k = 0; k < size; k++)
			words[k] = slidas_word(SLIDAS_COUNT, 0, i, size, k, 0);
		same(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
		same(write(pair.data, words, size * 4), size * 4);
	}
	want(!fsync(pair.data));
	close_pair(pair);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	want(!clock_gettime(CLOCK_REALTIME, &now));
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* now: the time in ns */
static void do_now(char **arg)
{
	(void)arg;
	printf("%llu\n", (unsigned long long)now_ns());
}

/* stamped NODE NS AGO: the next event has a time from NS to AGO before now */
static void do_stamped(char **arg)
{
	int fd = open_node(arg[0], "ctrl", O_RDONLY);
	uint64_t from = strtoull(arg[1], NULL, 10), at;
	uint64_t ago = strtoull(arg[2], NULL, 10);
	struct zio_control ctrl = read_control(fd);

	at = ctrl.tstamp.secs * 1000000000ull + ctrl.tstamp.ticks;
	if (at < from || at + ago > now_ns())
		fail("%lld ns after the event was sent", (long long)(at - from));
	close(fd);
}

/* attributes NODE: of the next event: width, those of the channel, control words */
static void do_attributes(char **arg)
{
	int fd = open_node(arg[0], "ctrl", O_RDONLY), i;
	struct zio_control ctrl = read_control(fd);

	printf("%u", ctrl.nbits);
	for (i = 0; i < 5; i++)
		printf(" %#x", ctrl.attr_channel.ext_val[i]);
	printf(" %#x %#x\n", info_of(&ctrl, 0), info_of(&ctrl, 1));
	close(fd);
}

/*
 * leave DEVICE: a transfer to where no memory is, as another kernel may have left it. The
 * card is no bus master yet.
 */
static void do_leave(char **arg)
{
	volatile uint32_t *reg;
	char path[100];
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource0", arg[0]);
	fd = open(path, O_RDWR | O_SYNC);
	want(fd >= 0);
	reg = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	want(reg != MAP_FAILED);
	reg[S5933_MWAR / 4] = 0xe0000000;
	reg[S5933_MWTC / 4] = 4096;
	reg[S5933_MCSR / 4] = S5933_WRITE_ENABLE;
	same(reg[S5933_MWTC / 4], 4096);
	close(fd);
}

static const struct command commands[] = {
	{ "now", 0, do_now },
	{ "stamped", 3, do_stamped },
	{ "attributes", 1, do_attributes },
	{ "leave", 1, do_leave },
	{ "check", 7, do_check },
	{ "check-routed", 7, do_check_routed },
	{ "alarms", 2, do_alarms },
	{ "drain", 2, do_drain },
	{ "gaps", 1, do_gaps },
	{ "send", 3, do_send },
	{}
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 300);
}
