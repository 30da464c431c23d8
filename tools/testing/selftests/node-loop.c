// SPDX-License-Identifier: GPL-2.0-only
/* node-loop.c: what is written to zio-loop comes back */
#include <sched.h>
#include <time.h>

#include "node.h"

#define LOOP_MORE	1
#define LOOP_EMPTY	2

/* The samples of block i of channel c, of any length. */
static uint8_t sample_of(uint32_t i, uint32_t c, size_t k)
{
	return i * 31 + c * 7 + k;
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % sysconf(_SC_NPROCESSORS_ONLN), &set);
	same(sched_setaffinity(0, sizeof(set), &set), 0);
}

static struct zio_control make_control(uint32_t i, uint32_t n)
{
	return (struct zio_control) {
		.major_version = ZIO_MAJOR_VERSION,
		.nsamples = n,
		.ssize = 1,
		.tstamp = { .secs = i + 1, .ticks = i * 3, .bins = i * 5 },
	};
}

static void write_block(struct pair pair, uint32_t i, uint32_t c, size_t n)
{
	struct zio_control ctrl = make_control(i, n);
	static uint8_t buf[70000];
	size_t k;

	for (k = 0; k < n; k++)
		buf[k] = sample_of(i, c, k);
	same(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	same(write(pair.data, buf, n), n);
}

static void check_time(const struct zio_control *ctrl, uint32_t i)
{
	same(ctrl->tstamp.secs, i + 1);
	same(ctrl->tstamp.ticks, i * 3);
	same(ctrl->tstamp.bins, i * 5);
}

/* A short prime, so that lengths and pieces meet in all ways. */
static size_t length_of(uint32_t i, size_t most)
{
	return 1 + i * 13 % most;
}

/*
 * trip OUT IN BLOCKS MOST PIECE: blocks of 1 to MOST samples are read in pieces of
 * at most PIECE, by another processor
 */
static void do_trip(char **arg)
{
	uint32_t i, blocks = strtoul(arg[2], NULL, 0), seq = 0;
	size_t most = strtoul(arg[3], NULL, 0);
	size_t piece = strtoul(arg[4], NULL, 0), n, k, got;
	static uint8_t buf[70000];
	struct zio_control ctrl;
	struct pair pair;

	if (!fork()) {
		stay_on(1);
		pair = open_pair(arg[0], O_WRONLY);
		for (i = 0; i < blocks; i++)
			write_block(pair, i, 0, length_of(i, most));
		_exit(0);
	}
	stay_on(0);
	pair = open_pair(arg[1], O_RDONLY);
	for (i = 0; i < blocks; i++) {
		n = length_of(i, most);
		for (got = 0; got < n; got += ctrl.nsamples) {
			ctrl = read_control(pair.ctrl);
			seq = i || got ? seq : ctrl.seq_num;
			same(ctrl.seq_num, seq++);
			/* A tick that finds the input waiting is no loss here. */
			same(ctrl.zio_alarms & ~ZIO_ALARM_LOST_TRIGGER, 0);
			check_time(&ctrl, i);
			same(ctrl.nsamples, n - got < piece ? n - got : piece);
			same(ctrl.drv_alarms,
			     n - got > piece ? LOOP_MORE : 0);
			same(read(pair.data, buf, sizeof(buf)), ctrl.nsamples);
			for (k = 0; k < ctrl.nsamples; k++)
				same(buf[k], sample_of(i, 0, got + k));
		}
	}
	wait_children(1);
}

/* lengths OUT IN N0 N1: channels 0 and 1 play so much at once; 0: disabled */
static void do_lengths(char **arg)
{
	size_t len[2] = { strtoul(arg[2], NULL, 0), strtoul(arg[3], NULL, 0) };
	struct zio_control ctrl;
	struct pair in[2];
	char prefix[200];
	uint8_t buf[256];
	int c;

	for (c = 0; c < 2; c++) {
		snprintf(prefix, sizeof(prefix), "%s-%d", arg[1], c);
		in[c] = open_pair(prefix, O_RDONLY);
	}
	for (c = 0; c < 2; c++) {
		snprintf(prefix, sizeof(prefix), "%s-%d", arg[0], c);
		if (len[c])
			write_block(open_pair(prefix, O_WRONLY), 1, c, len[c]);
	}
	for (c = 0; c < 2; c++) {
		ctrl = read_control(in[c].ctrl);
		same(ctrl.nsamples, len[c]);
		same(ctrl.drv_alarms, len[c] ? 0 : LOOP_EMPTY);
		if (len[c])
			check_time(&ctrl, 1);
		same(read(in[c].data, buf, sizeof(buf)), len[c]);
		if (len[c])
			same(buf[0], sample_of(1, c, 0));
	}
}

/* untimed OUT IN: the block has the time at which the input was armed */
static void do_untimed(char **arg)
{
	int out = open_node(arg[0], "data", O_WRONLY);
	int in = open_node(arg[1], "ctrl", O_RDONLY);
	struct timespec before, after;
	struct zio_control ctrl;
	uint8_t buf[16] = { 0 };

	same(write(out, buf, sizeof(buf)), sizeof(buf));
	clock_gettime(CLOCK_REALTIME, &before);
	ctrl = read_control(in);
	clock_gettime(CLOCK_REALTIME, &after);
	same(ctrl.tstamp.bins, 0);
	want(ctrl.tstamp.secs > (uint64_t)before.tv_sec ||
	     (ctrl.tstamp.secs == (uint64_t)before.tv_sec &&
	      ctrl.tstamp.ticks + 10000000 >= (uint64_t)before.tv_nsec));
	want(ctrl.tstamp.secs <= (uint64_t)after.tv_sec);
}

/* bins OUT IN: a time stamp that is nothing but bins is one, too */
static void do_bins(char **arg)
{
	struct zio_control ctrl = make_control(0, 1);
	struct pair out = open_pair(arg[0], O_WRONLY);
	int in = open_node(arg[1], "ctrl", O_RDONLY);

	ctrl.tstamp = (struct zio_timestamp){ .bins = 7 };
	same(write(out.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	same(write(out.data, "x", 1), 1);
	ctrl = read_control(in);
	same(ctrl.tstamp.secs, 0);
	same(ctrl.tstamp.ticks, 0);
	same(ctrl.tstamp.bins, 7);
}

static uint64_t offset_of(const struct zio_control *ctrl)
{
	return ctrl->mem_offset | (uint64_t)ctrl->reserved << 32;
}

static void fill_in_place(const char *prefix, uint32_t blocks, size_t size)
{
	struct pair pair = open_pair(prefix, O_RDWR);
	struct zio_control ctrl;
	uint8_t *mem, *data;
	uint32_t i, k;

	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, pair.data, 0);
	want(mem != MAP_FAILED);
	for (i = 0; i < blocks; i++) {
		ctrl = read_control(pair.ctrl);
		data = mem + offset_of(&ctrl);
		ctrl.nsamples = length_of(i, ctrl.nsamples);
		ctrl.tstamp = make_control(i, 0).tstamp;
		for (k = 0; k < ctrl.nsamples; k++)
			data[k] = sample_of(i, 0, k);
		same(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	}
}

/* ring OUT IN BLOCKS KB: output filled in place, input read from a ring */
static void do_ring(char **arg)
{
	uint32_t i, k, blocks = strtoul(arg[2], NULL, 0), most = 16;
	size_t size = strtoul(arg[3], NULL, 0) * 1024;
	int ctrl = open_node(arg[1], "ctrl", O_RDWR);
	int data = open_node(arg[1], "data", O_RDONLY);
	struct pollfd pfd = { ctrl, POLLIN, 0 };
	const struct zio_control *slot, *slots;
	struct zio_ring_header *hdr;
	const uint8_t *mem;

	hdr = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ctrl, 0);
	want(hdr != MAP_FAILED);
	slots = mmap(NULL, (size_t)hdr->n_slots * hdr->slot_size, PROT_READ,
		     MAP_SHARED, ctrl, hdr->slots_offset);
	mem = mmap(NULL, hdr->data_size, PROT_READ, MAP_SHARED, data, 0);
	want(slots != MAP_FAILED && mem != MAP_FAILED);
	if (!fork()) {
		stay_on(1);
		fill_in_place(arg[0], blocks, size);
		_exit(0);
	}
	stay_on(0);
	for (i = 0; i < blocks; i++) {
		while (__atomic_load_n(&hdr->head, __ATOMIC_ACQUIRE) == hdr->tail)
			want(poll(&pfd, 1, -1) == 1);
		slot = &slots[hdr->tail & (hdr->n_slots - 1)];
		same(slot->seq_num, i);
		check_time(slot, i);
		same(slot->nsamples, length_of(i, most));
		for (k = 0; k < slot->nsamples; k++)
			same(mem[offset_of(slot) + k], sample_of(i, 0, k));
		__atomic_store_n(&hdr->tail, hdr->tail + 1, __ATOMIC_RELEASE);
	}
	wait_children(1);
}

/* Written by the writer and by who changes things. */
struct storm {
	unsigned int written, stop, calm, changes;
};

static void write_storm(const char *prefix, struct storm *storm)
{
	struct pair pair = open_pair(prefix, O_WRONLY);
	uint32_t i;

	stay_on(1);
	for (i = 0; !get(&storm->stop); i++) {
		write_block(pair, i, 0, 16);
		__atomic_store_n(&storm->written, i + 1, __ATOMIC_SEQ_CST);
	}
	_exit(0);
}

/* FILE=A,B: B is what it was before. */
static void change_file(const char *change)
{
	char *copy = strdup(change), *file = strtok(copy, "=");
	char *first = strtok(NULL, ","), *second = strtok(NULL, ",");

	write_text(file, first);
	write_text(file, second);
	free(copy);
}

static void change_storm(char **change, struct storm *storm, unsigned int n)
{
	unsigned int i, rounds;
	char **pos;

	for (rounds = 0; rounds < n; rounds++)
		for (pos = change; *pos; pos++) {
			change_file(*pos);
			__atomic_add_fetch(&storm->changes, 1, __ATOMIC_SEQ_CST);
			/* Some blocks at least go through in between. */
			for (i = get(&storm->written); get(&storm->written) < i + 3;)
				usleep(200);
		}
	__atomic_store_n(&storm->stop, 1, __ATOMIC_SEQ_CST);
	_exit(0);
}

/* Block i is told by its time; they come in order, and each once. */
static unsigned int read_storm(int ctrl, uint64_t *last)
{
	struct zio_control c;
	unsigned int n = 0;

	while (read(ctrl, &c, sizeof(c)) == sizeof(c)) {
		want(c.tstamp.secs > *last);
		*last = c.tstamp.secs;
		same(c.drv_alarms, 0);
		n++;
	}
	same(errno, EAGAIN);
	return n;
}

/*
 * storm OUT IN LOST ROUNDS CHANGE...: what has been written has been read, or
 * counted in the file LOST, whatever changes meanwhile
 */
static void do_storm(char **arg)
{
	struct storm *storm = share_memory(sizeof(*storm));
	int ctrl = open_node(arg[1], "ctrl", O_RDONLY | O_NONBLOCK);
	unsigned int got = 0, children = 2;
	struct pollfd pfd = { ctrl, POLLIN, 0 };
	uint64_t last = 0;
	int status;

	if (!fork())
		write_storm(arg[0], storm);
	if (!fork())
		change_storm(arg + 4, storm, strtoul(arg[3], NULL, 0));
	stay_on(0);
	while (children) {
		poll(&pfd, 1, 1);
		got += read_storm(ctrl, &last);
		while (waitpid(-1, &status, WNOHANG) > 0) {
			same(status, 0);
			children--;
		}
	}
	while (got + read_number(arg[2]) < storm->written) {
		poll(&pfd, 1, 100);
		got += read_storm(ctrl, &last);
	}
	same(got + read_number(arg[2]), storm->written);
	printf("%u written, %u read, %lu lost, %u changes\n", storm->written, got,
	       read_number(arg[2]), storm->changes);
}

static const struct command commands[] = {
	{ "trip", 5, do_trip },
	{ "lengths", 4, do_lengths },
	{ "untimed", 2, do_untimed },
	{ "bins", 2, do_bins },
	{ "ring", 4, do_ring },
	{ }
};

int main(int argc, char **argv)
{
	/* The only one with as many arguments as one likes. */
	static struct command storm[] = { { "storm", 0, do_storm }, { } };

	if (argc > 6 && !strcmp(argv[1], "storm")) {
		storm[0].args = argc - 2;
		return run_command(storm, argc, argv, 300);
	}
	return run_command(commands, argc, argv, 120);
}
