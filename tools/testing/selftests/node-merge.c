// SPDX-License-Identifier: GPL-2.0-only
/* node-merge.c: neighbouring blocks that are read as one */
#include "node.h"

#define AREA	(128 * 1024)

struct stream {
	struct pair pair;
	const uint8_t *area;
	uint32_t seq;
	uint8_t tooth;
	size_t block;
	uint64_t got, gaps, bytes;
};

static struct stream open_stream(const char *prefix, size_t block)
{
	struct stream s = { .pair = open_pair(prefix, O_RDONLY | O_NONBLOCK),
			    .block = block };

	s.area = mmap(NULL, AREA, PROT_READ, MAP_SHARED, s.pair.data, 0);
	want(s.area != MAP_FAILED);
	return s;
}

/* The sawtooth goes on, over what is told to be lost, too: it has no teeth. */
static void check_block(struct stream *s, const struct zio_control *ctrl)
{
	uint64_t offset = ctrl->mem_offset | (uint64_t)ctrl->reserved << 32;
	uint32_t gap = ctrl->seq_num - s->seq, i;
	static uint8_t buf[AREA];

	same(!gap, !(ctrl->zio_alarms & ZIO_ALARM_LOST_BLOCK));
	want(ctrl->nsamples && ctrl->nsamples % s->block == 0);
	want(offset + ctrl->nsamples <= AREA);
	same(read(s->pair.data, buf, ctrl->nsamples), ctrl->nsamples);
	same(memcmp(buf, s->area + offset, ctrl->nsamples), 0);
	for (i = 0; i < ctrl->nsamples; i++)
		same(buf[i], s->tooth++);
	s->seq = ctrl->seq_num + 1;
	s->gaps += gap;
	s->bytes += ctrl->nsamples;
	s->got++;
}

/* Several controls at once; 0 when there is none. */
static ssize_t read_blocks(struct stream *s, unsigned int n)
{
	struct zio_control ctrl[8];
	ssize_t ret = read(s->pair.ctrl, ctrl, n * sizeof(*ctrl)), i;

	if (ret < 0)
		same(errno, EAGAIN);
	ret = ret < 0 ? 0 : ret / (ssize_t)sizeof(*ctrl);
	for (i = 0; i < ret; i++)
		check_block(s, &ctrl[i]);
	return ret;
}

static unsigned long statistic(const char *dir, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return read_number(path);
}

/*
 * stream PREFIX FEED BLOCK STATISTICS ENABLE: a sawtooth in blocks of BLOCK bytes
 * is read now and then, while another channel of the set is read; what was read,
 * merged and lost is all that was fired. Prints the number of merged blocks.
 */
static void do_stream(char **arg)
{
	size_t block = strtoul(arg[2], NULL, 0);
	struct stream s = open_stream(arg[0], block);
	int feed = open_file(arg[1], O_RDONLY), i;
	static uint8_t buf[AREA * 2];
	unsigned int seed = 2012;
	size_t n, sum = 0;

	for (i = 0; i < 2000 && sum < 32 << 20; i++, sum += n) {
		n = block * (1 + rand_r(&seed) % 24);
		if (rand_r(&seed) % 64 == 0)
			n = block * 300;
		if (n > sizeof(buf))
			n = sizeof(buf) / block * block;
		same(read(feed, buf, n), n);
		read_blocks(&s, 1 + rand_r(&seed) % 8);
	}
	write_text(arg[4], "0");
	while (read_blocks(&s, 8))
		;
	same(s.got + statistic(arg[3], "merged"), statistic(arg[3], "blocks"));
	same(s.bytes, statistic(arg[3], "bytes"));
	want(s.gaps <= statistic(arg[3], "lost_blocks"));
	want(s.gaps > 0);
	write_text(arg[4], "1");
	/* What was lost last is told by the next one. */
	same(read_blocks(&s, 1), 1);
	same(s.gaps, statistic(arg[3], "lost_blocks"));
	printf("%lu\n", statistic(arg[3], "merged"));
}

/*
 * one PREFIX FEED N: blocks of 16 bytes that were queued are one of N * 16; what
 * is behind them is another.
 */
static void do_one(char **arg)
{
	struct stream s = open_stream(arg[0], 16);
	int feed = open_file(arg[1], O_RDONLY);
	size_t n = strtoul(arg[2], NULL, 0);
	static uint8_t buf[AREA];

	same(read(feed, buf, (n + 1) * 16), (n + 1) * 16);
	same(read_blocks(&s, 1), 1);
	same(s.bytes, n * 16);
	same(read_blocks(&s, 1), 1);
	same(s.bytes, (n + 1) * 16);
}

/* each PREFIX FEED: blocks that were merged before do not show in a ring */
static void do_each(char **arg)
{
	struct stream s = open_stream(arg[0], 16);
	int feed = open_file(arg[1], O_RDONLY), ring, i;
	struct zio_ring_header *hdr;
	struct zio_control *slot;
	static uint8_t buf[16 * 16];

	same(read(feed, buf, sizeof(buf)), sizeof(buf));
	same(read_blocks(&s, 1), 1);
	same(s.bytes, sizeof(buf));
	ring = open_node(arg[0], "ctrl", O_RDWR);
	hdr = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
	want(hdr != MAP_FAILED);
	slot = mmap(NULL, (size_t)hdr->n_slots * hdr->slot_size, PROT_READ,
		    MAP_SHARED, ring, hdr->slots_offset);
	want(slot != MAP_FAILED);
	same(read(feed, buf, sizeof(buf)), sizeof(buf));
	same(hdr->head - hdr->tail, 16);
	for (i = 0; i < 16; i++) {
		struct zio_control *ctrl =
			&slot[(hdr->tail + i) & (hdr->n_slots - 1)];

		same(ctrl->nsamples, 16);
		same(ctrl->seq_num, s.seq + i);
	}
}

static const struct command commands[] = {
	{ "stream", 5, do_stream },
	{ "one", 3, do_one },
	{ "each", 2, do_each },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 120);
}
