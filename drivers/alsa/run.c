// SPDX-License-Identifier: GPL-2.0-only
/* run.c: start, restart and watch a PCM; for the service */
#include <linux/jiffies.h>

#include "alsa.h"

/**
 * alsa_set_running() - tell the contexts that copy frames whether the PCM runs
 * @s: the stream; s->mutex is held
 * @running: it runs
 * @is_gap: if it ran before, it has stopped by itself, which is counted
 *
 * Context: Process; waits for a context that copies.
 */
void alsa_set_running(struct alsa_stream *s, bool running, bool is_gap)
{
	spin_lock_irq(&s->lock);
	wait_event_lock_irq(s->idle, !s->pumping, s->lock);
	if (is_gap && s->running) {
		s->xruns++;
		/* The next block of an input does not follow the previous one. */
		if (!s->is_output) {
			alsa_note_gap(s);
			s->pos = 0;
		}
	}
	s->running = running;
	if (running && !s->is_output)
		alsa_note_start(s);
	spin_unlock_irq(&s->lock);
}

/**
 * alsa_restart() - prepare a PCM that does not run; start an input
 * @s: the stream; s->mutex is held
 *
 * If it ran before, it has stopped by itself, which is counted.
 *
 * Context: Process.
 *
 * Return: 0; an error of the card's driver.
 */
int alsa_restart(struct alsa_stream *s)
{
	int ret;

	alsa_set_running(s, false, true);
	if (s->ss->runtime->state == SNDRV_PCM_STATE_DRAINING)
		alsa_ioctl(s, SNDRV_PCM_IOCTL_DROP);
	ret = alsa_ioctl(s, SNDRV_PCM_IOCTL_PREPARE);
	if (ret)
		return ret;
	s->watched = s->ss->runtime->status->hw_ptr;
	s->watched_at = jiffies;
	alsa_set_running(s, true, false);
	return s->is_output ? 0 : alsa_ioctl(s, SNDRV_PCM_IOCTL_START);
}

/**
 * alsa_check_progress() - check whether the hardware advances
 * @s: the stream, which runs; s->mutex is held
 *
 * Context: Process.
 *
 * Return: 0; -ETIMEDOUT if it has not advanced for too long, which is counted.
 */
int alsa_check_progress(struct alsa_stream *s)
{
	snd_pcm_uframes_t hw_ptr = READ_ONCE(s->ss->runtime->status->hw_ptr);

	if (hw_ptr != s->watched) {
		s->watched = hw_ptr;
		s->watched_at = jiffies;
	}
	if (time_before(jiffies, s->watched_at + s->stall_jiffies))
		return 0;
	s->stalls++;
	return -ETIMEDOUT;
}
