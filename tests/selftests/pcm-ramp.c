// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcm-ramp: a ramp of frames to and from a PCM of ALSA, without libasound
 *
 *   pcm-ramp play NODE FRAMES [RATE]   plays silence, the ramp, and silence
 *   pcm-ramp record NODE FRAMES        records until the ramp has come, and checks it
 *   pcm-ramp write FRAMES              writes the ramp to standard output
 *   pcm-ramp check FRAMES [CHANNEL]    reads standard input until the ramp has come
 *   pcm-ramp late NODE FRAMES RATE     plays, but prepares the PCM after a line of input
 *
 * A frame has two channels of 32 bits: the number of the frame, from 1, and its complement.
 * With CHANNEL the input has this channel alone. "check" and "record" skip frames of
 * zeros before the ramp, and accept none in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <sound/asound.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FORMAT	SNDRV_PCM_FORMAT_S32_LE
#else
#define FORMAT	SNDRV_PCM_FORMAT_S32_BE
#endif
#define PERIOD	1024
#define PERIODS	128 /* a loaded machine fills them late */
#define CHUNK	512

struct frame {
	uint32_t count;
	uint32_t complement;
};

struct checker {
	uint32_t next; /* 1: the ramp has not begun */
	uint32_t frames;
};

static int is_late;

static void die(const char *what)
{
	fprintf(stderr, "pcm-ramp: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set_mask(struct snd_pcm_hw_params *params, int var, int value)
{
	struct snd_mask *mask = &params->masks[var];

	memset(mask, 0, sizeof(*mask));
	mask->bits[value / 32] |= 1u << (value % 32);
}

static void set_interval(struct snd_pcm_hw_params *params, int var, unsigned int value)
{
	struct snd_interval *interval =
		&params->intervals[var - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL];

	memset(interval, 0, sizeof(*interval));
	interval->min = value;
	interval->max = value;
	interval->integer = 1;
}

static void allow_all(struct snd_pcm_hw_params *params)
{
	unsigned int i;

	memset(params, 0, sizeof(*params));
	memset(params->masks, 0xff, sizeof(params->masks));
	for (i = 0; i < sizeof(params->intervals) / sizeof(*params->intervals); i++)
		params->intervals[i].max = ~0u;
	params->rmask = ~0u;
	params->info = ~0u;
}

static void configure(int fd, unsigned int rate, unsigned int start)
{
	struct snd_pcm_sw_params sw = {
		.period_step = 1, .avail_min = PERIOD, .start_threshold = start,
		.stop_threshold = PERIODS * PERIOD,
	};
	struct snd_pcm_hw_params params;

	allow_all(&params);
	set_mask(&params, SNDRV_PCM_HW_PARAM_ACCESS, SNDRV_PCM_ACCESS_RW_INTERLEAVED);
	set_mask(&params, SNDRV_PCM_HW_PARAM_FORMAT, (int)FORMAT);
	set_interval(&params, SNDRV_PCM_HW_PARAM_CHANNELS, 2);
	set_interval(&params, SNDRV_PCM_HW_PARAM_RATE, rate);
	set_interval(&params, SNDRV_PCM_HW_PARAM_PERIOD_SIZE, PERIOD);
	set_interval(&params, SNDRV_PCM_HW_PARAM_PERIODS, PERIODS);
	if (ioctl(fd, SNDRV_PCM_IOCTL_HW_PARAMS, &params))
		die("hw_params");
	if (is_late)
		getchar();
	if (ioctl(fd, SNDRV_PCM_IOCTL_SW_PARAMS, &sw))
		die("sw_params");
	if (ioctl(fd, SNDRV_PCM_IOCTL_PREPARE))
		die("prepare");
}

static int open_pcm(const char *node, unsigned int rate, unsigned int start)
{
	int fd = open(node, O_RDWR);

	if (fd < 0)
		die(node);
	configure(fd, rate, start);
	return fd;
}

/* @first: number of the first frame; 0: silence */
static void fill(struct frame *frames, uint32_t first)
{
	uint32_t i;

	memset(frames, 0, CHUNK * sizeof(*frames));
	for (i = 0; first && i < CHUNK; i++) {
		frames[i].count = first + i;
		frames[i].complement = ~(first + i);
	}
}

static void play_chunk(int fd, uint32_t first, uint32_t frames)
{
	struct frame chunk[CHUNK];
	struct snd_xferi xfer = { .buf = chunk, .frames = frames };

	fill(chunk, first);
	if (ioctl(fd, SNDRV_PCM_IOCTL_WRITEI_FRAMES, &xfer))
		die("play");
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The silence at the end is longer than ALSA's memory, so that the ramp has been played. */
static void play(const char *node, uint32_t frames, unsigned int rate)
{
	int fd = open_pcm(node, rate, 8 * PERIOD);
	uint32_t done;

	for (done = 0; done < 8 * PERIOD; done += CHUNK)
		play_chunk(fd, 0, CHUNK);
	for (done = 0; done < frames; done += CHUNK)
		play_chunk(fd, done + 1, least(CHUNK, frames - done));
	for (done = 0; done < (PERIODS + 8) * PERIOD; done += CHUNK)
		play_chunk(fd, 0, CHUNK);
	ioctl(fd, SNDRV_PCM_IOCTL_DROP);
	close(fd);
}

/* Returns true when the ramp is complete. */
static int check_frame(struct checker *checker, struct frame frame)
{
	if (checker->next == 1 && !frame.count && (!frame.complement || !~frame.complement))
		return 0;
	if (frame.count != checker->next || frame.complement != ~frame.count) {
		printf("frame %u came as %u %08x\n", checker->next, frame.count,
		       frame.complement);
		exit(1);
	}
	return checker->next++ == checker->frames;
}

static void record(const char *node, uint32_t frames)
{
	struct checker checker = { .next = 1, .frames = frames };
	int fd = open_pcm(node, 48000, 1);
	struct frame chunk[CHUNK];
	struct snd_xferi xfer = { .buf = chunk, .frames = CHUNK };
	int i;

	for (;;) {
		if (ioctl(fd, SNDRV_PCM_IOCTL_READI_FRAMES, &xfer))
			die("record");
		for (i = 0; i < xfer.result; i++)
			if (check_frame(&checker, chunk[i]))
				return;
	}
}

static void write_ramp(uint32_t frames)
{
	struct frame chunk[CHUNK];
	uint32_t done;

	for (done = 0; done < frames; done += CHUNK) {
		fill(chunk, done + 1);
		if (fwrite(chunk, sizeof(*chunk), least(CHUNK, frames - done), stdout) == 0)
			die("write");
	}
	if (fflush(stdout))
		die("write");
}

/* @channel: 0 or 1; -1: both */
static void check(uint32_t frames, int channel)
{
	struct checker checker = { .next = 1, .frames = frames };
	struct frame frame;
	uint32_t one;

	for (;;) {
		if (channel < 0) {
			if (fread(&frame, sizeof(frame), 1, stdin) != 1)
				break;
		} else {
			if (fread(&one, sizeof(one), 1, stdin) != 1)
				break;
			frame.count = channel ? ~one : one;
			frame.complement = ~frame.count;
			if (!one)
				memset(&frame, 0, sizeof(frame));
		}
		if (check_frame(&checker, frame))
			return;
	}
	printf("the input ended where frame %u was due\n", checker.next);
	exit(1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	is_late = !strcmp(what, "late");
	if ((is_late || !strcmp(what, "play")) && argc > 3)
		play(argv[2], atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 48000);
	else if (!strcmp(what, "record") && argc > 3)
		record(argv[2], atoi(argv[3]));
	else if (!strcmp(what, "write"))
		write_ramp(atoi(argv[2]));
	else if (!strcmp(what, "check"))
		check(atoi(argv[2]), argc > 3 ? atoi(argv[3]) : -1);
	else {
		fprintf(stderr, "usage: see the source\n");
		return 2;
	}
	return 0;
}
