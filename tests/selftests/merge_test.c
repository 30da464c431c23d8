// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge_test.c: with merge-data, neighbouring blocks are read as one
 *
 * # check
 */
#include "board.h"
#include "harness.h"

#define IN		ZZERO "-0-2"
#define FEED		ZZERO "-0-0-data"
#define CHAN2		CSET0 "/chan2"
#define STATISTICS	CHAN2 "/statistics"
#define MERGE_DATA	CHAN2 "/buffer/merge-data"
#define ENABLE		CSET0 "/trigger/enable"
#define AREA	(128 * 1024)

static void renew_input(const char *nsamples)
{
	renew_zzero();
	write_text(CSET0 "/chan1/enable", "0");
	write_text(CSET0 "/trigger/nsamples", nsamples);
	write_text(CSET0 "/current_buffer", "vmalloc");
	write_text(MERGE_DATA, "1");
}

/* @value: the size of a block, "nsamples[: ...]" */
SETUP(fresh)
{
	char nsamples[16];

	snprintf(nsamples, sizeof(nsamples), "%d", atoi(value));
	renew_input(nsamples);
}

SETUP(fresh_16)
{
	renew_input("16");
}

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
	ASSERT_TRUE(s.area != MAP_FAILED);
	return s;
}

/* The sawtooth continues over lost blocks: they have taken no samples. */
static void check_block(struct stream *s, const struct zio_control *ctrl)
{
	uint64_t offset = ctrl->mem_offset | (uint64_t)ctrl->mem_offset_high << 32;
	uint32_t gap = ctrl->seq_num - s->seq, i;
	static uint8_t buf[AREA];

	ASSERT_EQ(!gap, !(ctrl->zio_alarms & ZIO_ALARM_LOST_BLOCK));
	ASSERT_TRUE(ctrl->nsamples && ctrl->nsamples % s->block == 0);
	ASSERT_TRUE(offset + ctrl->nsamples <= AREA);
	ASSERT_EQ(read(s->pair.data, buf, ctrl->nsamples), ctrl->nsamples);
	ASSERT_EQ(memcmp(buf, s->area + offset, ctrl->nsamples), 0);
	for (i = 0; i < ctrl->nsamples; i++)
		ASSERT_EQ(buf[i], s->tooth++);
	s->seq = ctrl->seq_num + 1;
	s->gaps += gap;
	s->bytes += ctrl->nsamples;
	s->got++;
}

/* Read up to @n controls, and their data. Return: how many */
static ssize_t read_blocks(struct stream *s, unsigned int n)
{
	struct zio_control ctrl[8];
	ssize_t ret = read(s->pair.ctrl, ctrl, n * sizeof(*ctrl)), i;

	if (ret < 0)
		ASSERT_EQ(errno, EAGAIN);
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
 * Blocks of a sawtooth are read now and then, while another channel of the set is read.
 * The blocks that were read, merged and lost are all that were fired.
 * Return: the number of merged blocks
 */
static unsigned long check_stream(const char *nsamples)
{
	size_t block = atoi(nsamples);
	struct stream s = open_stream(IN, block);
	int feed = open_file(FEED, O_RDONLY), i;
	static uint8_t buf[AREA * 2];
	unsigned int seed = 2012;
	size_t n, sum = 0;

	for (i = 0; i < 2000 && sum < 32 << 20; i++, sum += n) {
		n = block * (1 + rand_r(&seed) % 24);
		if (rand_r(&seed) % 64 == 0)
			n = block * 300;
		if (n > sizeof(buf))
			n = sizeof(buf) / block * block;
		ASSERT_EQ(read(feed, buf, n), n);
		read_blocks(&s, 1 + rand_r(&seed) % 8);
	}
	write_text(ENABLE, "0");
	while (read_blocks(&s, 8))
		;
	ASSERT_EQ(s.got + statistic(STATISTICS, "merged"),
		  statistic(STATISTICS, "blocks"));
	ASSERT_EQ(s.bytes, statistic(STATISTICS, "bytes"));
	ASSERT_TRUE(s.gaps <= statistic(STATISTICS, "lost_blocks"));
	ASSERT_TRUE(s.gaps > 0);
	write_text(ENABLE, "1");
	/* The next block tells of the last loss. */
	ASSERT_EQ(read_blocks(&s, 1), 1);
	ASSERT_EQ(s.gaps, statistic(STATISTICS, "lost_blocks"));
	return statistic(STATISTICS, "merged");
}

TEST("half of the blocks of an area become one block", fresh_16)
{
	struct stream s = open_stream(IN, 16);
	int feed = open_file(FEED, O_RDONLY);
	size_t n = 128;
	static uint8_t buf[AREA];

	ASSERT_EQ(read(feed, buf, (n + 1) * 16), (n + 1) * 16);
	ASSERT_EQ(read_blocks(&s, 1), 1);
	ASSERT_EQ(s.bytes, n * 16);
	ASSERT_EQ(read_blocks(&s, 1), 1);
	ASSERT_EQ(s.bytes, (n + 1) * 16);
}

TEST("a ring shows each block, though blocks were merged before", fresh_16)
{
	struct stream s = open_stream(IN, 16);
	int feed = open_file(FEED, O_RDONLY), ring, i;
	struct zio_ring_header *hdr;
	struct zio_control *slot;
	static uint8_t buf[16 * 16];

	ASSERT_EQ(read(feed, buf, sizeof(buf)), sizeof(buf));
	ASSERT_EQ(read_blocks(&s, 1), 1);
	ASSERT_EQ(s.bytes, sizeof(buf));
	ring = open_node(IN, "ctrl", O_RDWR);
	hdr = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
	ASSERT_TRUE(hdr != MAP_FAILED);
	slot = mmap(NULL, (size_t)hdr->n_slots * hdr->slot_size, PROT_READ,
		    MAP_SHARED, ring, hdr->slots_offset);
	ASSERT_TRUE(slot != MAP_FAILED);
	ASSERT_EQ(read(feed, buf, sizeof(buf)), sizeof(buf));
	ASSERT_EQ(hdr->head - hdr->tail, 16);
	for (i = 0; i < 16; i++) {
		struct zio_control *ctrl =
			&slot[(hdr->tail + i) & (hdr->n_slots - 1)];

		ASSERT_EQ(ctrl->nsamples, 16);
		ASSERT_EQ(ctrl->seq_num, s.seq + i);
	}
}

TEST_EACH("a stream in blocks of %s bytes is merged", fresh, "16", "1000")
{
	unsigned long merged = check_stream(value);

	diag("%lu blocks merged", merged);
	ASSERT_TRUE(merged >= 10000);
}

TEST_EACH("a stream in blocks of %s bytes is merged", fresh, "8192")
{
	ASSERT_TRUE(check_stream(value) >= 500);
}

/* Memory begins at multiples of 8: there is a hole behind each block of 13. */
TEST_EACH("blocks of %s bytes are not merged", fresh,
	  "65536: half of the area", "13: they do not touch")
{
	ASSERT_EQ(check_stream(value), 0);
}

TEST("only inputs with the buffer vmalloc have merge-data")
{
	renew_zzero();
	ASSERT_TRUE(!exists(MERGE_DATA));
	write_text(CSET0 "/current_buffer", "vmalloc");
	write_text(CSET1 "/current_buffer", "vmalloc");
	ASSERT_EQ(read_number(MERGE_DATA), 0);
	ASSERT_TRUE(!exists(CSET1 "/chan0/buffer/merge-data"));
	ASSERT_TRUE(!exists(CSET1 "/chan0/statistics/merged"));
}

TEST_EACH("merge-data refuses '%s'", fresh_16, "2", "-1", "yes", "")
{
	char text[8];

	snprintf(text, sizeof(text), "%s\n", value);
	refuse(MERGE_DATA, text, EINVAL);
}

TEST("merge-data refuses 2^32", fresh_16)
{
	refuse(MERGE_DATA, "4294967296", ERANGE);
}

TEST("another buffer switches merge-data off", fresh_16)
{
	write_text(CSET0 "/current_buffer", "kmalloc");
	write_text(CSET0 "/current_buffer", "vmalloc");
	ASSERT_EQ(read_number(MERGE_DATA), 0);
}

TEST("an input has the file \"merged\" from its first buffer with an area on")
{
	int fd;

	renew_zzero();
	ASSERT_TRUE(!exists(STATISTICS "/merged"));
	fd = open_node(IN, "data", O_RDONLY);
	ASSERT_TRUE(shell("echo vmalloc 2>/dev/null >" CSET0 "/current_buffer"));
	close(fd);
	ASSERT_TRUE(!exists(STATISTICS "/merged"));
	write_text(CSET0 "/current_buffer", "kmalloc");
	ASSERT_TRUE(!exists(STATISTICS "/merged"));
	write_text(CSET0 "/current_buffer", "vmalloc");
	ASSERT_TRUE(exists(STATISTICS "/merged"));
	write_text(CSET0 "/current_buffer", "kmalloc");
	ASSERT_TRUE(exists(STATISTICS "/merged"));
	ASSERT_TRUE(!exists(CSET2 "/chan0/statistics/merged"));
}
