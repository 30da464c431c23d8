// SPDX-License-Identifier: GPL-2.0-only
/*
 * playback.c: blocks to ALSA, by ALSA's own functions, in the service of a stream
 *
 * The set is an output stream. The service writes the frames of blocks to ALSA's memory as
 * long as there is room, and completes a block when its last frame was played. So the
 * blocks in flight are those in ALSA's memory and the one that is being written:
 *
 *     in flight:  oldest ... (n_written blocks) | s->pos frames of the next one
 *     ALSA:             played |   ahead        |
 *
 * ALSA stops a PCM that has played everything; the next block starts it again. If a PCM
 * stops earlier, its frames are written again.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "alsa.h"

static size_t alsa_count_block_frames(const struct alsa_stream *s, const struct zio_block *block)
{
	return block->len / alsa_room_of_frame(s);
}

/* Returns the number of frames that were written but not played. */
static size_t alsa_count_ahead(struct alsa_stream *s)
{
	snd_pcm_sframes_t n;

	snd_pcm_stream_lock_irq(s->ss);
	n = snd_pcm_playback_hw_avail(s->ss->runtime);
	snd_pcm_stream_unlock_irq(s->ss);
	return clamp_t(snd_pcm_sframes_t, n, 0, s->given);
}

static void alsa_complete_played(struct alsa_stream *s)
{
	size_t played = s->given - alsa_count_ahead(s), frames;
	unsigned int n;

	for (n = 0; n < s->n_written; n++) {
		frames = alsa_count_block_frames(s, zio_channel_in_flight(s->chan, n));
		if (frames > played)
			break;
		played -= frames;
		s->given -= frames;
	}
	s->n_written -= n;
	if (n)
		zio_channel_complete(s->chan, n);
}

/* Prepares to write again what is in ALSA's memory. */
static void alsa_rewind(struct alsa_stream *s)
{
	s->n_written = 0;
	s->pos = 0;
	s->given = 0;
}

/**
 * alsa_stop_playback() - stop the PCM and keep the blocks that were not played
 * @s: the stream, an output; s->mutex is held
 *
 * Context: Process.
 */
void alsa_stop_playback(struct alsa_stream *s)
{
	alsa_complete_played(s);
	alsa_rewind(s);
	alsa_ioctl(s, SNDRV_PCM_IOCTL_DROP);
}

/* Channels that are not in the mask are silent. */
static void alsa_scatter_frames(struct alsa_stream *s, const void *from, size_t frames)
{
	unsigned int ssize = s->format->ssize, i;
	void *to = s->bounce;

	snd_pcm_format_set_silence(s->format->format, to, frames * s->channels);
	for (; frames; frames--, to += s->frame_size)
		for (i = 0; i < s->channels; i++)
			if (s->mask & BIT_ULL(i)) {
				memcpy(to + i * ssize, from, ssize);
				from += ssize;
			}
}

static snd_pcm_sframes_t alsa_write(struct alsa_stream *s, void *data, size_t frames)
{
	if (alsa_has_all_channels(s))
		return snd_pcm_kernel_write(s->ss, data, frames);
	frames = min_t(size_t, frames, s->period);
	alsa_scatter_frames(s, data, frames);
	return snd_pcm_kernel_write(s->ss, s->bounce, frames);
}

/* Returns 0, -EAGAIN if there is no room, or another error. */
static int alsa_write_block(struct alsa_stream *s, struct zio_block *block)
{
	size_t frames = alsa_count_block_frames(s, block), size = alsa_room_of_frame(s);
	snd_pcm_sframes_t n = 0;

	if (s->pos < frames)
		n = alsa_write(s, block->data + s->pos * size, frames - s->pos);
	if (n < 0)
		return n;
	if (!s->pos && block->len % size)
		zio_channel_alarm(s->chan, ALSA_ALARM_CUT);
	s->pos += n;
	s->given += n;
	s->primed = false;
	if (s->pos == frames) {
		s->n_written++;
		s->pos = 0;
	}
	return 0;
}

static struct zio_block *alsa_next_block(struct alsa_stream *s)
{
	return zio_channel_in_flight(s->chan, s->n_written) ?: zio_channel_take(s->chan);
}

/*
 * An output begins to play when half of ALSA's memory is full. If it is short, it begins
 * after a period without another block.
 */
static int alsa_start_short_output(struct alsa_stream *s)
{
	if (s->ss->runtime->state != SNDRV_PCM_STATE_PREPARED || !alsa_count_ahead(s))
		return 0;
	if (s->primed)
		return alsa_ioctl(s, SNDRV_PCM_IOCTL_START);
	s->primed = true;
	alsa_kick(s, DIV_ROUND_UP(s->period * HZ, s->rate) + 1);
	return 0;
}

static int alsa_write_blocks(struct alsa_stream *s)
{
	struct zio_block *block;
	int ret = 0;

	while (!ret && (block = alsa_next_block(s)))
		ret = alsa_write_block(s, block);
	if (ret == -EPIPE || ret == -ESTRPIPE || ret == -EBADFD)
		alsa_kick(s, 0);
	else if (ret && ret != -EAGAIN)
		return ret;
	return alsa_start_short_output(s);
}

static bool alsa_has_stopped(const struct alsa_stream *s)
{
	snd_pcm_state_t state = s->ss->runtime->state;

	return state != SNDRV_PCM_STATE_RUNNING && state != SNDRV_PCM_STATE_PREPARED;
}

/* The PCM has stopped. If there is no block, the core tells an underrun from the end. */
static int alsa_restart_playback(struct alsa_stream *s)
{
	if (alsa_count_ahead(s))
		alsa_rewind(s);
	if (!alsa_next_block(s)) {
		s->drained = true;
		return 0;
	}
	if (s->running && !s->drained)
		zio_channel_alarm(s->chan, ALSA_ALARM_GAP);
	s->drained = false;
	return alsa_restart(s);
}

/**
 * alsa_play() - complete what was played and write more
 * @s: the stream, an output
 *
 * Context: Process, the work item of the stream; s->mutex is held.
 *
 * Return: 0, even if there is nothing to play; -ETIMEDOUT if the PCM does not advance; an
 * error of the card's driver.
 */
int alsa_play(struct alsa_stream *s)
{
	int ret = 0;

	alsa_complete_played(s);
	if (!s->running || alsa_has_stopped(s))
		ret = alsa_restart_playback(s);
	else if (s->ss->runtime->state == SNDRV_PCM_STATE_RUNNING && s->given)
		ret = alsa_check_progress(s);
	else
		s->watched_at = jiffies;
	if (!ret)
		ret = alsa_write_blocks(s);
	if (!ret && zio_channel_in_flight(s->chan, 0))
		alsa_kick(s, s->stall_jiffies / 2);
	return ret;
}
