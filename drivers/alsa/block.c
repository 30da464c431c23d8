// SPDX-License-Identifier: GPL-2.0-only
/*
 * block.c: when frames come, the start of a block, and the call of the service; for capture
 * and transfer
 *
 * The rate of a card may differ by some percent from the requested one. So the driver
 * measures it from the position of the hardware and the time that ALSA read with it.
 */
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include "alsa.h"

/* A measurement over this time is more exact than the quartz of a card. */
#define ALSA_MEASURE_NS	((s64)NSEC_PER_SEC)

struct workqueue_struct *alsa_wq;

/**
 * alsa_kick() - run the service of a stream
 * @s: the stream
 * @delay: jiffies
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
 * alsa_restart_pace() - forget when frames came: the next position starts a new measurement
 * @s: the stream; the caller holds s->lock
 *
 * Context: Any.
 */
void alsa_restart_pace(struct alsa_stream *s)
{
	zio_pace_start(&s->pace, s->rate, 1);
	s->begun_ns = 0;
}

/*
 * The controls have the requested rate, unless the card is off by more than any quartz and
 * by more than the error of the stamps, as an emulated card may be. Each block has its own
 * time, so a small difference does not add up.
 */
static void alsa_tell_rate(struct alsa_stream *s, u64 measured_ns)
{
	s64 mhz = mul_u64_u64_div_u64(s->span, 1000ULL * NSEC_PER_SEC, s->span_ns);
	u64 off_ns = mul_u64_u64_div_u64(measured_ns, abs(mhz - s->told_mhz), s->told_mhz);
	u64 error_ns = max(div_u64(measured_ns, 1000), 4ULL * zio_pace_error(&s->pace));

	if (off_ns <= error_ns || mhz > U32_MAX)
		return;
	WRITE_ONCE(s->told_mhz, mhz);
	zio_cset_timing_changed(s->cset);
}

/**
 * alsa_note_time() - note when the hardware was at a position
 * @s: the stream, an input, with s->head; the caller holds s->lock
 * @now_ns: the time that ALSA read with the position
 *
 * Context: Any.
 */
void alsa_note_time(struct alsa_stream *s, s64 now_ns)
{
	if (!s->begun_ns) /* not at the start: a card may start late */
		s->begun_ns = now_ns;
	if (zio_pace_put(&s->pace, s->head, now_ns))
		zio_cset_timing_changed(s->cset);
	if (now_ns - s->begun_ns >= ALSA_MEASURE_NS &&
	    zio_pace_rate(&s->pace, &s->span, &s->span_ns))
		alsa_tell_rate(s, now_ns - s->begun_ns);
}

/**
 * alsa_note_gap() - note that the next block of an input does not follow the previous one
 * @s: the stream; the caller holds s->lock
 *
 * Context: Any.
 */
void alsa_note_gap(struct alsa_stream *s)
{
	if (!s->restarted)
		s->due_ns = s->begun_ns ? zio_pace_time(&s->pace, s->tail) : s->head_ns;
	s->restarted = true;
}

/* Counts what is missing by the time between the block that was due and the actual one. */
static void alsa_count_gap(struct alsa_stream *s, s64 first_ns)
{
	s64 late_ns = first_ns - s->due_ns, block_ns = alsa_frames_ns(s, s->frames);
	u64 n = late_ns > 0 ? div64_u64(late_ns + block_ns / 2, max(block_ns, 1LL)) : 0;

	s->restarted = false;
	s->lost += clamp_t(u64, n, 1, U32_MAX / 2);
	s->alarms |= ALSA_ALARM_GAP | ALSA_ALARM_ESTIMATE;
}

/**
 * alsa_begin_block() - report what was lost before a block, and when it begins
 * @s: the stream, an input; the caller holds s->lock
 * @block: the armed block; its first frame is number s->tail
 *
 * Context: Any.
 */
void alsa_begin_block(struct alsa_stream *s, struct zio_block *block)
{
	s64 first_ns = zio_pace_time(&s->pace, s->tail);

	if (unlikely(s->restarted))
		alsa_count_gap(s, first_ns);
	/*
	 * If the position was read late, the previous block was stamped late. This one must
	 * not be older.
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
