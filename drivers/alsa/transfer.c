// SPDX-License-Identifier: GPL-2.0-only
/*
 * transfer.c: captured frames in a work item, by ALSA's own functions
 *
 * This is for inputs whose driver copies frames itself, or wants to know how far its user
 * has read: capture.c cannot serve those.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/time64.h>
#include <linux/version.h>

#include "alsa.h"

/**
 * alsa_needs_work() - check whether a PCM needs a work item for its frames
 * @s: the stream, which is open and has parameters
 *
 * Context: Process.
 *
 * Return: true if ALSA must copy the frames.
 */
bool alsa_needs_work(const struct alsa_stream *s)
{
	const struct snd_pcm_ops *ops = s->ss->ops;

	if (s->is_output || ops->ack || !s->ss->runtime->dma_area)
		return true;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	return ops->copy_kernel || ops->copy_user;
#else
	return ops->copy;
#endif
}

static snd_pcm_sframes_t alsa_read(struct alsa_stream *s, void *data, size_t frames)
{
	snd_pcm_sframes_t n;

	if (alsa_has_all_channels(s)) {
		n = snd_pcm_kernel_read(s->ss, data, frames);
		if (n > 0)
			alsa_extend_sign(s, data, n * s->channels);
		return n;
	}
	n = snd_pcm_kernel_read(s->ss, s->bounce, min_t(size_t, frames, s->period));
	if (n > 0)
		alsa_copy_in(s, data, s->bounce, n);
	return n;
}

/*
 * A block begins with @n frames that were just read. The lock of ALSA's stream may be a
 * mutex, so it is taken before s->lock.
 */
static void alsa_begin_input(struct alsa_stream *s, struct zio_block *block, snd_pcm_uframes_t n)
{
	struct snd_pcm_runtime *rt = s->ss->runtime;
	snd_pcm_sframes_t ahead;
	s64 now_ns;

	snd_pcm_stream_lock_irq(s->ss);
	ahead = rt->status->hw_ptr - rt->control->appl_ptr;
	now_ns = rt->status->tstamp.tv_sec * NSEC_PER_SEC + rt->status->tstamp.tv_nsec;
	snd_pcm_stream_unlock_irq(s->ss);
	if (ahead < 0)
		ahead += rt->boundary;
	spin_lock_irq(&s->lock);
	s->head = s->tail + n + ahead;
	alsa_note_time(s, now_ns);
	alsa_begin_block(s, block);
	spin_unlock_irq(&s->lock);
}

/* Moves frames of the block. Returns their number, or an error. */
static snd_pcm_sframes_t alsa_move_frames(struct alsa_stream *s, struct zio_block *block)
{
	void *data = block->data + s->pos * alsa_room_of_frame(s);
	size_t frames = s->frames - s->pos;
	snd_pcm_sframes_t n;

	n = alsa_read(s, data, frames);
	if (n <= 0)
		return n;
	if (!s->pos)
		alsa_begin_input(s, block, n);
	s->pos += n;
	return n;
}

static struct zio_block *alsa_armed_block(struct alsa_stream *s)
{
	struct zio_block *block;

	spin_lock_irq(&s->lock);
	block = s->block;
	spin_unlock_irq(&s->lock);
	return block;
}

static void alsa_finish_block(struct alsa_stream *s)
{
	spin_lock_irq(&s->lock);
	s->block = NULL;
	s->tail += s->frames;
	spin_unlock_irq(&s->lock);
	zio_cset_done(s->cset);
}

/**
 * alsa_transfer() - move frames between blocks and ALSA
 * @s: the stream, which is prepared
 *
 * Context: Process, the work item of the stream; s->mutex is held.
 *
 * Return: 0, even if the PCM stopped meanwhile; an error of the card's driver.
 */
int alsa_transfer(struct alsa_stream *s)
{
	struct zio_block *block;
	snd_pcm_sframes_t n = 0;

	while ((block = alsa_armed_block(s))) {
		n = s->pos < s->frames ? alsa_move_frames(s, block) : 0;
		if (n < 0)
			break;
		if (s->pos == s->frames)
			alsa_finish_block(s);
	}
	if (n == -EPIPE || n == -ESTRPIPE || n == -EBADFD)
		alsa_kick(s, 0);
	else if (n < 0 && n != -EAGAIN)
		return n;
	return 0;
}
