// SPDX-License-Identifier: GPL-2.0-only
/*
 * capture.c: frames from ALSA's memory to blocks, in the context of a period
 *
 * ALSA wakes the pollers of a PCM at each period, which calls alsa_period(): in any
 * context, with the lock of the stream held, so it must not call ALSA. It notes the
 * position of the hardware, and alsa_capture() copies what fits into the armed block. Each
 * frame is copied once, from the card's memory to the block.
 *
 * One context copies at a time ("pumping"). If another one comes meanwhile, it leaves: the
 * first one checks again before it ends. The core may call raw_io() in zio_cset_done(), so
 * the loop holds no lock there.
 *
 * The hardware keeps running when no block is armed. Frames that it may be about to
 * overwrite are lost, in whole blocks. The count is exact while periods are reported.
 *
 * ALSA reports the position only modulo the card's memory. After a long time between two
 * positions, it is unknown whether the hardware has gone round: it may have been stopped
 * together with the host. Then no frame in the memory is known to be new. The driver drops
 * them all and continues with the next one; the time tells how many blocks are missing.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "alsa.h"

/* Copies the channels in the set's mask. */
static void alsa_gather_frames(struct alsa_stream *s, void *to, const void *from, size_t frames)
{
	unsigned int ssize = s->format->ssize, i;

	for (; frames; frames--, from += s->frame_size)
		for (i = 0; i < s->channels; i++)
			if (s->mask & BIT_ULL(i)) {
				memcpy(to, from + i * ssize, ssize);
				to += ssize;
			}
}

/**
 * alsa_extend_sign() - sign-extend S24 into the upper byte
 * @s: the stream; other formats are left unchanged
 * @at: samples
 * @n: number of samples
 *
 * ALSA does not define that byte.
 *
 * Context: Any.
 */
void alsa_extend_sign(const struct alsa_stream *s, void *at, size_t n)
{
	s32 *sample;

	if (s->format->format != SNDRV_PCM_FORMAT_S24)
		return;
	for (sample = at; n; n--, sample++)
		*sample = sign_extend32(*sample, 23);
}

/**
 * alsa_copy_in() - copy frames into a block
 * @s: the stream; its mask is the block's
 * @to: destination in the block
 * @from: whole frames of the card
 * @frames: number of frames
 *
 * Context: Any.
 *
 * Return: the address behind the copied frames.
 */
void *alsa_copy_in(struct alsa_stream *s, void *to, const void *from, size_t frames)
{
	size_t len = frames * hweight64(s->mask) * s->format->ssize;

	if (hweight64(s->mask) == s->channels)
		memcpy(to, from, len);
	else
		alsa_gather_frames(s, to, from, frames);
	alsa_extend_sign(s, to, len / sizeof(s32));
	return to + len;
}

/**
 * alsa_note_start() - start to count frames; the PCM is prepared
 * @s: the stream; the caller holds s->lock
 *
 * Context: Process.
 */
void alsa_note_start(struct alsa_stream *s)
{
	s->hw_ptr = s->ss->runtime->status->hw_ptr;
	s->head = 0;
	s->tail = 0;
	s->head_ns = ktime_get_ns();
	alsa_restart_pace(s);
}

/*
 * The rate is known only to within some percent, and a card may start late, so the time
 * before its first period tells less.
 */
static bool alsa_may_have_lapped(const struct alsa_stream *s, s64 passed_ns)
{
	return passed_ns > alsa_frames_ns(s, s->begun_ns ? s->buffer / 4 * 3 : s->buffer);
}

/*
 * Within a period, the link's own clock is more exact than the position. It counts frames
 * at the requested rate.
 */
static s64 alsa_correct_by_link(struct alsa_stream *s, s64 now_ns)
{
	struct snd_pcm_runtime *rt = s->ss->runtime;
	s64 ahead;

	if (rt->audio_tstamp_report.actual_type != SNDRV_PCM_AUDIO_TSTAMP_TYPE_LINK)
		return now_ns;
	ahead = rt->status->audio_tstamp.tv_sec * NSEC_PER_SEC +
		rt->status->audio_tstamp.tv_nsec -
		mul_u64_u32_div(s->head, NSEC_PER_SEC, s->rate);
	return abs(ahead) < alsa_frames_ns(s, s->period) ? now_ns - ahead : now_ns;
}

static void alsa_note_position(struct alsa_stream *s)
{
	struct snd_pcm_runtime *rt = s->ss->runtime;
	snd_pcm_sframes_t moved = rt->status->hw_ptr - s->hw_ptr;
	s64 now_ns = rt->status->tstamp.tv_sec * NSEC_PER_SEC +
		rt->status->tstamp.tv_nsec;
	bool has_lapped;

	if (moved < 0)
		moved += rt->boundary;
	s->hw_ptr = rt->status->hw_ptr;
	has_lapped = alsa_may_have_lapped(s, now_ns - s->head_ns);
	if (has_lapped)
		alsa_note_gap(s);
	s->head += moved;
	if (has_lapped) {
		/* alsa_count_gap() counts all of them. An estimate yields no rate. */
		s->tail = s->head;
		s->alarms |= ALSA_ALARM_GAP | ALSA_ALARM_ESTIMATE;
		alsa_restart_pace(s);
	}
	s->head_ns = alsa_correct_by_link(s, now_ns);
	alsa_note_time(s, s->head_ns);
	rt->control->appl_ptr = s->hw_ptr;
}

/* Drops frames that the hardware may be about to overwrite. */
static void alsa_drop_overrun(struct alsa_stream *s)
{
	u64 over = s->head - s->tail;
	u32 n;

	if (likely(over <= s->buffer - s->guard) || !s->frames)
		return;
	over -= s->buffer - s->guard;
	n = div_u64(over + s->frames - 1, s->frames);
	s->tail += (u64)n * s->frames;
	if (!s->restarted) /* otherwise alsa_count_gap() counts them from the time */
		s->lost += n;
	s->alarms |= ALSA_ALARM_GAP;
}

static void alsa_fill_block(struct alsa_stream *s, struct zio_block *block)
{
	struct snd_pcm_runtime *rt = s->ss->runtime;
	size_t at, first;
	void *to;
	u32 rest;

	div_u64_rem(s->tail, s->buffer, &rest);
	at = rest;
	first = min_t(size_t, s->frames, s->buffer - at);
	if (rt->dma_buffer_p)
		snd_dma_buffer_sync(rt->dma_buffer_p, SNDRV_DMA_SYNC_CPU);
	to = alsa_copy_in(s, block->data, rt->dma_area + at * s->frame_size, first);
	alsa_copy_in(s, to, rt->dma_area, s->frames - first);
}

/* Returns true if the armed block is full. The caller holds s->lock. */
static bool alsa_take_frames(struct alsa_stream *s)
{
	struct zio_block *block = s->block;

	if (!s->running)
		return false;
	alsa_drop_overrun(s);
	if (!block || s->head < s->tail + s->frames)
		return false;
	alsa_fill_block(s, block);
	alsa_begin_block(s, block);
	s->tail += s->frames;
	s->block = NULL;
	return true;
}

/**
 * alsa_capture() - copy frames to the armed block and to the following ones
 * @s: the stream
 *
 * Context: Any; the caller does not hold s->lock.
 */
void alsa_capture(struct alsa_stream *s)
{
	unsigned long flags;

	spin_lock_irqsave(&s->lock, flags);
	if (s->pumping)
		goto out;
	s->pumping = true;
	while (alsa_take_frames(s)) {
		spin_unlock_irqrestore(&s->lock, flags);
		zio_cset_done(s->cset);
		spin_lock_irqsave(&s->lock, flags);
	}
	s->pumping = false;
	wake_up(&s->idle);
out:
	spin_unlock_irqrestore(&s->lock, flags);
}

/**
 * alsa_period() - the hardware has completed a period
 * @s: the stream
 *
 * Context: Any, with the lock of the PCM's stream held.
 */
void alsa_period(struct alsa_stream *s)
{
	unsigned long flags;

	spin_lock_irqsave(&s->lock, flags);
	if (s->running)
		alsa_note_position(s);
	spin_unlock_irqrestore(&s->lock, flags);
	alsa_capture(s);
}
