// SPDX-License-Identifier: GPL-2.0-only
/* block.c: the begin of a block, and the call of the service; for capture and transfer */
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include "alsa.h"

struct workqueue_struct *alsa_wq;

/**
 * alsa_kick() - run the service of a stream
 * @s: the stream
 * @delay: in jiffies
 *
 * Context: Any.
 */
void alsa_kick(struct alsa_stream *s, unsigned long delay)
{
	if (delay)
		queue_delayed_work(alsa_wq, &s->service, delay);
	else
		mod_delayed_work(alsa_wq, &s->service, 0);
}

/**
 * alsa_note_gap() - note that the next block of an input does not follow what was before
 * @s: the stream; the caller holds s->lock
 *
 * Context: Any.
 */
void alsa_note_gap(struct alsa_stream *s)
{
	if (!s->in_work && !s->restarted)
		s->due_ns = s->head_ns - alsa_frames_ns(s, s->head - s->tail);
	s->restarted = true;
}

/* The time between the block that was due and the one that came tells what is missing. */
static void alsa_count_gap(struct alsa_stream *s, s64 first_ns)
{
	s64 late_ns = first_ns - s->due_ns, block_ns = alsa_frames_ns(s, s->frames);
	u64 n = late_ns > 0 ? div64_u64(late_ns + block_ns / 2, max(block_ns, 1LL)) : 0;

	s->restarted = false;
	s->lost += clamp_t(u64, n, 1, U32_MAX / 2);
	s->alarms |= ALSA_ALARM_GAP | ALSA_ALARM_ESTIMATE;
}

/**
 * alsa_begin_block() - report what came before a block, and when it begins
 * @s: the stream, an input; the caller holds s->lock
 * @block: the armed block
 * @first_ns: the time of its first frame, by CLOCK_MONOTONIC
 *
 * Context: Any.
 */
void alsa_begin_block(struct alsa_stream *s, struct zio_block *block, s64 first_ns)
{
	if (unlikely(s->restarted))
		alsa_count_gap(s, first_ns);
	/*
	 * If the position was read late, the time of the block before is late. This one must not
	 * be older.
	 */
	first_ns = max(first_ns, s->not_before);
	s->not_before = first_ns + alsa_frames_ns(s, s->frames) / 2;
	zio_cset_stamp_at(s->cset, block, first_ns);
	zio_cset_lost(s->cset, s->lost);
	if (unlikely(s->alarms))
		zio_channel_alarm(zio_cset_channel(s->cset), s->alarms);
	s->lost = 0;
	s->alarms = 0;
}
