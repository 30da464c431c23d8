// SPDX-License-Identifier: GPL-2.0-only
/* libzio with damaged block files, and with damaged files of names */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "fuzz.h"
#include "harness.h"
#include "libzio/zio-batch.h"
#include "libzio/zio-group.h"
#include "libzio/zio-info.h"
#include "libzio/zio-names.h"
#include "libzio/zio-unit.h"

#define BLOCKS 4
#define MAX_BLOCK 65536
#define N_GOOD 4

static struct fuzz_input files[N_GOOD], names[N_GOOD];
static struct zio_names *known;		/* of the blocks in files[] */
static FILE *nowhere;

/* --- good inputs */

/* Blocks of another size of samples in each file, and the last one has several shots. */
static void make_control(struct zio_control *control, unsigned int file, uint32_t seq)
{
	fake_control(control, seq, 8 + file, (uint16_t)(1 << file));
	control->tstamp.secs = 1000 + seq;
	if (file != N_GOOD - 1)
		return;
	control->tlv[0].type = ZIO_TLV_SHOTS;
	control->tlv[0].length = 1;
	memcpy(control->tlv[0].payload, &(struct zio_shots_info){ .n = 4 },
	       sizeof(struct zio_shots_info));
}

static void make_file(struct fuzz_input *in, unsigned int file)
{
	struct zio_control control;
	uint8_t data[256] = { 0 };
	uint32_t seq;
	size_t size;

	for (seq = 0; seq < BLOCKS; seq++) {
		make_control(&control, file, seq);
		zio_control_size(&control, &size);
		fuzz_put(in, &control, sizeof(control));
		fuzz_put(in, data, size);
	}
}

static void make_names(struct fuzz_input *in, unsigned int kind)
{
	static const char *const lines[N_GOOD] = {
		"zzero-0000-0-1 channel std 1 gain-factor\n",
		"zzero-0000-0-1 channel ext 3 threshold signed\n",
		"# a comment\n\nzzero-0000-0-1 trigger:user ext 2 level wide\n",
		"zzero-0000-0-0 channel ext 3 other\nzzero-0000-0-1 trigger:user std 0 x\n",
	};

	fuzz_put(in, lines[kind], strlen(lines[kind]));
}

/* --- what meets them */

/* All that the library tells of a control, and the ends of the data */
static void look_at(const struct zio_block *blk)
{
	struct zio_attr_value values[ZIO_MAX_ATTRS];
	struct zio_timestamp time;
	char text[256];
	double sample[64];
	const volatile uint8_t *data = blk->data;
	unsigned int i;

	if (data && blk->size)
		(void)(data[0] + data[blk->size - 1]);
	for (i = 0; i < zio_control_shots(blk->control); i++)
		zio_control_shot(blk->control, i, &time);
	zio_control_attrs(blk->control, known, ZIO_ATTR_OF_CHANNEL, values);
	zio_control_attrs(blk->control, known, ZIO_ATTR_OF_TRIGGER, values);
	zio_alarm_text(blk->control->zio_alarms, text, sizeof(text));
	zio_block_to_double(blk, sample, sizeof(sample) / sizeof(*sample));
}

static struct zio_channel *open_input(const char *path)
{
	struct zio_channel *ch = zio_open(path, 0, NULL);

	if (ch)
		zio_set_max_block(ch, MAX_BLOCK);
	return ch;
}

/* A reader that takes each block as a whole */
static bool read_blocks(const struct fuzz_input *in)
{
	struct zio_channel *ch = open_input(fuzz_path(in));
	struct zio_block blk;
	int ret;

	while ((ret = zio_next(ch, &blk)) > 0)
		look_at(&blk);
	zio_reason(ch);
	zio_close(ch);
	return !ret;
}

/* However a reader takes the blocks, it finds the same end. */
static bool agree(const struct fuzz_input *in, bool is_whole)
{
	fuzz_demand(read_blocks(in) == is_whole, "zio_next() finds the same end");
	return is_whole;
}

/* A reader that takes the controls, and the data of each second block */
static bool read_controls(const struct fuzz_input *in)
{
	struct zio_channel *ch = open_input(fuzz_path(in));
	struct zio_block blk;
	int ret, n = 0;

	while ((ret = zio_next_control(ch, &blk)) > 0) {
		if (++n % 2 && zio_data(ch, &blk) < 0) {
			ret = -1;
			break;
		}
		look_at(&blk);
	}
	zio_reason(ch);
	zio_close(ch);
	return agree(in, !ret);
}

/* A pipe has no size, and cannot go back. */
static bool read_pipe(const struct fuzz_input *in)
{
	struct zio_channel *ch;
	struct zio_block blk;
	char path[32];
	int ends[2], ret;

	if (pipe(ends) || write(ends[1], in->data, in->len) != (ssize_t)in->len)
		abort();
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	ch = open_input(path);
	while ((ret = zio_next(ch, &blk)) > 0)
		look_at(&blk);
	zio_reason(ch);
	zio_close(ch);
	close(ends[0]);
	return agree(in, !ret);
}

static bool read_batches(const struct fuzz_input *in)
{
	static uint64_t memory[FUZZ_MAX / sizeof(uint64_t)];
	struct zio_channel *ch = open_input(fuzz_path(in));
	struct zio_block blks[3];
	int ret, i;

	while ((ret = zio_next_batch(ch, blks, 3, memory, sizeof(memory))) > 0)
		for (i = 0; i < ret; i++)
			look_at(&blks[i]);
	zio_reason(ch);
	zio_close(ch);
	return agree(in, !ret);
}

/* Events of two channels. One of them is good. */
static bool read_group(const struct fuzz_input *in)
{
	struct zio_channel *ch[2] = { open_input("./good"), open_input(fuzz_path(in)) };
	struct zio_group *g = zio_group_open(0, NULL);
	struct zio_event ev;
	unsigned int i;
	int ret;

	zio_group_set_limit(g, -1);
	for (i = 0; i < 2; i++)
		zio_group_add(g, ch[i]);
	while ((ret = zio_group_next(g, &ev, 0)) > 0)
		for (i = 0; i < ev.n_parts; i++)
			if (ev.parts[i].state == ZIO_PART_BLOCK)
				look_at(&ev.parts[i].blk);
	zio_group_reason(g);
	ret = ret || zio_group_stats(g)->complete != BLOCKS;
	zio_group_close(g);
	for (i = 0; i < 2; i++)
		zio_close(ch[i]);
	return !ret;
}

static bool read_names(const struct fuzz_input *in)
{
	struct zio_attr_value values[ZIO_MAX_ATTRS];
	struct zio_control control;
	struct zio_names *found;

	make_control(&control, 0, 0);
	found = zio_names_open(&control, fuzz_path(in), NULL);
	if (!found)
		return false;
	zio_control_attrs(&control, found, ZIO_ATTR_OF_CHANNEL, values);
	zio_control_attrs(&control, found, ZIO_ATTR_OF_TRIGGER, values);
	zio_names_print(found, nowhere);
	zio_names_close(found);
	return true;
}

SETUP(fresh)
{
	struct zio_control control;
	unsigned int i;
	int fd;

	make_dir(value);
	ASSERT_TRUE(!chdir(dir));
	nowhere = fopen("/dev/null", "we");
	for (i = 0; i < N_GOOD; i++) {
		make_file(&files[i], i);
		make_names(&names[i], i);
	}
	fd = open("good", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_EQ(write(fd, files[0].data, files[0].len), files[0].len);
	close(fd);
	make_control(&control, 0, 0);
	known = zio_names_open(&control, fuzz_path(&names[2]), NULL);
}

TEST("block files", fresh) { fuzz(read_blocks, files, N_GOOD, 20000); }
TEST("controls of block files", fresh) { fuzz(read_controls, files, N_GOOD, 20000); }
TEST("block files in a pipe", fresh) { fuzz(read_pipe, files, N_GOOD, 20000); }
TEST("batches", fresh) { fuzz(read_batches, files, N_GOOD, 20000); }
TEST("groups", fresh) { fuzz(read_group, files, N_GOOD, 10000); }
TEST("files of names", fresh) { fuzz(read_names, names, N_GOOD, 20000); }
