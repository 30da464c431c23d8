// SPDX-License-Identifier: GPL-2.0-only
/* node-basic.c: the main road: controls and data, in order and together */
#include "node.h"

#define NSAMPLES 16

static void print_attr(const char *name, const struct zio_ctrl_attr *attr)
{
	int i;

	printf("%s.std_mask=%#x\n%s.ext_mask=%#x\n", name, attr->std_mask, name,
	       attr->ext_mask);
	for (i = 0; i < ZIO_MAX_STD_ATTR; i++)
		if (attr->std_mask & (1u << i))
			printf("%s.std%d=%u\n", name, i, attr->std_val[i]);
	for (i = 0; i < ZIO_MAX_EXT_ATTR; i++)
		if (attr->ext_mask & (1u << i))
			printf("%s.ext%d=%u\n", name, i, attr->ext_val[i]);
}

static void print_control(const struct zio_control *ctrl)
{
	printf("version=%d.%d\n", ctrl->major_version, ctrl->minor_version);
	printf("alarms=%#x\ndrv_alarms=%#x\n", ctrl->zio_alarms,
	       ctrl->drv_alarms);
	printf("seq=%u\nnsamples=%u\nssize=%u\nnbits=%u\n", ctrl->seq_num,
	       ctrl->nsamples, ctrl->ssize, ctrl->nbits);
	printf("address=%s-%04x-%u-%u\n", ctrl->addr.devname, ctrl->addr.dev_id,
	       ctrl->addr.cset, ctrl->addr.chan);
	printf("flags=%#x\ntrigger=%s\n", ctrl->flags, ctrl->triggername);
	printf("secs=%llu\n", (unsigned long long)ctrl->tstamp.secs);
	print_attr("channel", &ctrl->attr_channel);
	print_attr("trigger", &ctrl->attr_trigger);
}

/* control FILE: prints the fields of one control */
static void do_control(char **arg)
{
	struct zio_control ctrl = read_control(open_file(arg[0], O_RDONLY));

	print_control(&ctrl);
}

/* sawtooth DATA SIZE: goes on without a gap, read in pieces of SIZE */
static void do_sawtooth(char **arg)
{
	int fd = open_file(arg[0], O_RDONLY);
	size_t size = strtoul(arg[1], NULL, 0), total = 0;
	static uint8_t buf[65536];
	uint8_t next = 0;
	ssize_t n, i;

	want(size <= sizeof(buf));
	while (total < 3000 || total < 4 * size) {
		n = read(fd, buf, size);
		want(n > 0 && (size_t)n <= size);
		if (!total)
			next = buf[0];
		for (i = 0; i < n; i++)
			same(buf[i], next++);
		total += n;
	}
}

static void check_counter_block(struct pair pair, struct zio_control *ctrl)
{
	uint32_t sample[NSAMPLES + 1];
	uint32_t i;

	*ctrl = read_control(pair.ctrl);
	same(ctrl->nsamples, NSAMPLES);
	same(ctrl->ssize, 4);
	/* One read asks for more than there is: it ends with the block. */
	same(read(pair.data, sample, sizeof(sample)), NSAMPLES * 4);
	for (i = 0; i < NSAMPLES; i++)
		same(sample[i], ctrl->seq_num * NSAMPLES + i);
}

/* pairing PREFIX: the data are those of the control, and controls count on */
static void do_pairing(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct zio_control ctrl;
	uint32_t first = 0;
	int i;

	for (i = 0; i < 50; i++) {
		check_counter_block(pair, &ctrl);
		if (!i)
			first = ctrl.seq_num;
		same(ctrl.seq_num, first + i);
	}
}

static void pair_many(const char *prefix, int n)
{
	struct pair pair = open_pair(prefix, O_RDONLY);
	struct zio_control ctrl;
	uint32_t last = 0;
	int i;

	for (i = 0; i < n; i++) {
		check_counter_block(pair, &ctrl);
		want(!i || ctrl.seq_num > last);
		last = ctrl.seq_num;
	}
	_exit(0);
}

/* pairing2 PREFIX: the same in two processes at a time */
static void do_pairing2(char **arg)
{
	int i;

	for (i = 0; i < 2; i++)
		if (!fork())
			pair_many(arg[0], 200);
	wait_children(2);
}

/* dataonly PREFIX: without controls, a read goes over the ends of blocks */
static void do_dataonly(char **arg)
{
	int data = open_node(arg[0], "data", O_RDONLY);
	int feed = open_node(arg[1], "data", O_RDONLY);
	uint8_t buf[NSAMPLES * 4];
	int i;

	for (i = 0; i < 4; i++)
		same(read(feed, buf, NSAMPLES), NSAMPLES);
	same(read(data, buf, sizeof(buf)), sizeof(buf));
}

/* batch PREFIX OTHER: reading OTHER queues blocks here: 4 controls at a time */
static void do_batch(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	int feed = open_node(arg[1], "data", O_RDONLY);
	struct zio_control ctrl[5];
	uint8_t buf[5 * NSAMPLES];
	uint32_t seq;
	int i;

	seq = read_control(pair.ctrl).seq_num;
	for (i = 0; i < 8; i++)
		same(read(feed, buf, NSAMPLES), NSAMPLES);
	for (i = 0; i < 8; i++)
		same(read_control(pair.ctrl).seq_num, ++seq);
	for (i = 0; i < 8; i++)
		same(read(feed, buf, NSAMPLES), NSAMPLES);
	same(read(pair.ctrl, ctrl, 4 * 512 + 511), 4 * 512);
	for (i = 0; i < 4; i++)
		same(ctrl[i].seq_num, ++seq);
	/* The data of all four are there, and end with them. */
	same(read(pair.data, buf, sizeof(buf)), 4 * NSAMPLES);
	/* Seven were queued: three are left, and one is made. */
	same(read(pair.ctrl, ctrl, 4 * 512), 4 * 512);
	for (i = 0; i < 4; i++)
		same(ctrl[i].seq_num, ++seq);
	/* The next controls let go of the data not read. */
	same(read(pair.data, buf, 3), 3);
	same(read(pair.ctrl, ctrl, 2 * 512), 2 * 512);
	for (i = 0; i < 2; i++)
		same(ctrl[i].seq_num, ++seq);
	same(read(pair.data, buf, sizeof(buf)), 2 * NSAMPLES);
}

/* skip PREFIX: the next control lets go of the data not yet read */
static void do_skip(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct zio_control ctrl;
	uint32_t sample[2];
	uint32_t seq;

	check_counter_block(pair, &ctrl);
	seq = read_control(pair.ctrl).seq_num;
	same(read(pair.data, sample, 8), 8);
	ctrl = read_control(pair.ctrl);
	same(ctrl.seq_num, seq + 1);
	same(read(pair.data, sample, 4), 4);
	same(sample[0], ctrl.seq_num * NSAMPLES);
	/* Data first, then the control: that of the same block. */
	same(read_control(pair.ctrl).seq_num, seq + 2);
	same(read(pair.data, sample, 4), 4);
	same(sample[0], (seq + 2) * NSAMPLES);
}

static struct zio_control output_control(uint32_t nsamples)
{
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION,
		.minor_version = ZIO_MINOR_VERSION,
		.nsamples = nsamples,
		.ssize = 1,
	};

	return ctrl;
}

/* output PREFIX N: a control, then its N bytes */
static void do_output(char **arg)
{
	struct pair pair = open_pair(arg[0], O_WRONLY);
	unsigned int n = strtoul(arg[1], NULL, 0);
	struct zio_control ctrl = output_control(n);
	char buf[4096] = { 0 };

	want(n <= sizeof(buf));
	same(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	same(write(pair.data, buf, n), n);
}

/* vectors DATA: readv over several pieces */
static void do_vectors(char **arg)
{
	int fd = open_file(arg[0], O_RDONLY);
	uint8_t a[5], b[7], c[9], next;
	struct iovec iov[3] = { { a, 5 }, { b, 7 }, { c, 9 } };
	int i, j, round;
	ssize_t n, got = 0;

	want((n = read(fd, &next, 1)) == 1);
	for (round = 0; round < 20; round++) {
		n = readv(fd, iov, 3);
		want(n > 0);
		got += n;
		for (i = 0; i < 3 && n > 0; i++)
			for (j = 0; j < (int)iov[i].iov_len && n-- > 0; j++)
				same(((uint8_t *)iov[i].iov_base)[j], ++next);
	}
	want(got > 100);
}

static const struct command commands[] = {
	{ "control", 1, do_control },
	{ "sawtooth", 2, do_sawtooth },
	{ "pairing", 1, do_pairing },
	{ "pairing2", 1, do_pairing2 },
	{ "dataonly", 2, do_dataonly },
	{ "batch", 2, do_batch },
	{ "skip", 1, do_skip },
	{ "output", 2, do_output },
	{ "vectors", 1, do_vectors },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 60);
}
