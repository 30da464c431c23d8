// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream.c: the operations of the sets; the service of a PCM
 *
 * raw_io() notes the armed block. A work item, the "service", prepares and starts the PCM,
 * restarts it when it has stopped by itself, and watches whether it advances. Only the
 * service calls ALSA's functions, because they sleep. If the PCM does not start or does not
 * advance, the service fails the armed block: the reader gets the error, and its next read
 * tries again. An output has no armed block: see playback.c.
 *
 *   raw_io()     notes the block; starts the service, or copies at once
 *   alsa_hook()  ALSA reports a period, or another state
 *   stop_io()    forgets the block, waits for the contexts above, stops the PCM
 *
 * Lock order: s->mutex, the lock of ALSA's stream, s->lock.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "alsa.h"

/* A card that does not advance for this time and for four periods has stopped. */
#define ALSA_STALL_JIFFIES	(2 * HZ)

/* Unbinds the device as the user would, if the card has gone but its driver has not. */
struct unplug {
	struct work_struct work;
	struct device *dev;
};

static void alsa_unplug_device(struct work_struct *work)
{
	struct unplug *unplug = container_of(work, struct unplug, work);

	device_release_driver(unplug->dev);
	put_device(unplug->dev);
	kfree(unplug);
}

static void alsa_unplug_later(struct alsa_stream *s)
{
	struct unplug *unplug = kzalloc(sizeof(*unplug), GFP_KERNEL);

	if (!unplug) {
		alsa_kick(s, HZ);
		return;
	}
	INIT_WORK(&unplug->work, alsa_unplug_device);
	unplug->dev = get_device(s->dev);
	queue_work(alsa_wq, &unplug->work);
}

static int alsa_record(struct alsa_stream *s)
{
	int ret = 0;

	/* While no block is armed, no program waits for the hardware. */
	if (!s->running || s->ss->runtime->state != SNDRV_PCM_STATE_RUNNING)
		ret = alsa_restart(s);
	else if (READ_ONCE(s->block))
		ret = alsa_check_progress(s);
	if (!ret && s->in_work)
		ret = alsa_transfer(s);
	if (!ret)
		alsa_kick(s, s->stall_jiffies / 2);
	return ret;
}

/* No context uses a block when it fails. An output loses those that it has not played. */
static void alsa_stop_for_error(struct alsa_stream *s, int error)
{
	bool fails;

	alsa_set_running(s, false, false);
	if (s->is_output)
		alsa_stop_playback(s);
	else
		alsa_ioctl(s, SNDRV_PCM_IOCTL_DROP);
	spin_lock_irq(&s->lock);
	fails = s->is_output || s->block;
	s->wanted = false;
	s->block = NULL;
	spin_unlock_irq(&s->lock);
	/* The core gives other error codes a meaning of their own. */
	if (fails)
		zio_cset_fail(s->cset, error == -ETIMEDOUT || error == -ENOMEM ? error : -EIO);
}

static void alsa_service(struct work_struct *work)
{
	struct alsa_stream *s = container_of(to_delayed_work(work), struct alsa_stream,
					     service);
	int ret = 0;

	mutex_lock(&s->mutex);
	if (s->ss->runtime->state == SNDRV_PCM_STATE_DISCONNECTED)
		alsa_unplug_later(s);
	else if (READ_ONCE(s->wanted) && !s->asleep)
		ret = s->is_output ? alsa_play(s) : alsa_record(s);
	if (ret)
		alsa_stop_for_error(s, ret);
	mutex_unlock(&s->mutex);
}

/* ALSA calls this with the lock of the stream held, in any context. */
static int alsa_hook(wait_queue_entry_t *wait, unsigned int mode, int flags, void *key)
{
	struct alsa_stream *s = container_of(wait, struct alsa_stream, wait);
	snd_pcm_state_t state = s->ss->runtime->state;

	if (!s->in_work && likely(state == SNDRV_PCM_STATE_RUNNING))
		alsa_period(s);
	else if (READ_ONCE(s->wanted) || state == SNDRV_PCM_STATE_DISCONNECTED)
		alsa_kick(s, 0);
	return 0;
}

/* Frames per block: at most half of ALSA's memory, so that the other half can fill. */
static size_t alsa_count_frames(struct alsa_stream *s, struct zio_block *block)
{
	size_t size = hweight64(s->mask) * s->format->ssize;
	size_t frames = min_t(size_t, block->len / size, s->buffer / 2);

	block->len = frames * size;
	return frames;
}

static int alsa_raw_io(struct zio_cset *cset)
{
	struct alsa_stream *s = alsa_stream_of(cset);
	struct zio_block *block = zio_cset_block(cset);
	unsigned long flags;
	bool copy;

	spin_lock_irqsave(&s->lock, flags);
	s->mask = zio_cset_mask(cset);
	s->frames = alsa_count_frames(s, block);
	s->pos = 0;
	s->block = block;
	s->wanted = true;
	copy = s->running && !s->in_work;
	spin_unlock_irqrestore(&s->lock, flags);
	if (copy)
		alsa_capture(s);
	else
		alsa_kick(s, 0);
	return ZIO_PENDING;
}

static void alsa_forget_block(struct alsa_stream *s)
{
	spin_lock_irq(&s->lock);
	s->wanted = false;
	s->block = NULL;
	s->restarted = false;
	wait_event_lock_irq(s->idle, !s->pumping, s->lock);
	spin_unlock_irq(&s->lock);
	cancel_delayed_work_sync(&s->service);
}

static void alsa_stop_io(struct zio_cset *cset)
{
	struct alsa_stream *s = alsa_stream_of(cset);

	alsa_forget_block(s);
	mutex_lock(&s->mutex);
	alsa_set_running(s, false, false);
	alsa_ioctl(s, SNDRV_PCM_IOCTL_DROP);
	mutex_unlock(&s->mutex);
}

/* The service takes the first blocks, because this calls ALSA. */
static int alsa_start_output(struct zio_cset *cset)
{
	struct alsa_stream *s = alsa_stream_of(cset);

	s->chan = zio_cset_channel(cset);
	s->mask = zio_cset_mask(cset);
	WRITE_ONCE(s->wanted, true);
	alsa_kick(s, 0);
	return ZIO_PENDING;
}

static void alsa_stop_output(struct zio_cset *cset)
{
	struct alsa_stream *s = alsa_stream_of(cset);

	alsa_forget_block(s);
	mutex_lock(&s->mutex);
	alsa_stop_playback(s);
	s->running = false;
	mutex_unlock(&s->mutex);
}

static void alsa_refill(struct zio_cset *cset, struct zio_channel *chan)
{
	alsa_kick(alsa_stream_of(cset), 0);
}

static int alsa_init(struct zio_cset *cset)
{
	struct alsa_stream *s = alsa_stream_of(cset);

	s->cset = cset;
	add_wait_queue(&s->ss->runtime->sleep, &s->wait);
	return 0;
}

static void alsa_exit(struct zio_cset *cset)
{
	struct alsa_stream *s = alsa_stream_of(cset);

	remove_wait_queue(&s->ss->runtime->sleep, &s->wait);
	alsa_forget_block(s);
	alsa_ioctl(s, SNDRV_PCM_IOCTL_DROP);
}

static int alsa_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 *value)
{
	struct alsa_stream *s = alsa_stream_of(cset);

	switch (attr->id) {
	case ALSA_RATE:
		*value = s->rate;
		break;
	case ALSA_PERIOD:
		*value = s->period;
		break;
	case ALSA_BUFFER:
		*value = s->buffer;
		break;
	case ALSA_XRUNS:
		*value = READ_ONCE(s->xruns);
		break;
	default:
		*value = READ_ONCE(s->stalls);
	}
	return 0;
}

static void alsa_get_timing(const struct zio_cset *cset, struct zio_timing *timing)
{
	struct alsa_stream *s = alsa_stream_of(cset);

	timing->rate_num = READ_ONCE(s->told_mhz);
	timing->rate_den = 1000;
	timing->error_ns = zio_pace_error(&s->pace);
}

const struct zio_cset_ops alsa_input_ops = {
	.init = alsa_init,
	.exit = alsa_exit,
	.raw_io = alsa_raw_io,
	.stop_io = alsa_stop_io,
	.attr_get = alsa_attr_get,
	.get_timing = alsa_get_timing,
};

const struct zio_cset_ops alsa_output_ops = {
	.init = alsa_init,
	.exit = alsa_exit,
	.raw_io = alsa_start_output,
	.stop_io = alsa_stop_output,
	.refill = alsa_refill,
	.attr_get = alsa_attr_get,
	.get_timing = alsa_get_timing,
};

/* The machine is about to sleep. The gap is counted when it wakes up. */
void alsa_suspend(struct alsa_stream *s)
{
	mutex_lock(&s->mutex);
	s->asleep = true;
	if (s->is_output)
		alsa_stop_playback(s);
	else
		alsa_ioctl(s, SNDRV_PCM_IOCTL_DROP);
	mutex_unlock(&s->mutex);
}

void alsa_resume(struct alsa_stream *s)
{
	mutex_lock(&s->mutex);
	s->asleep = false;
	mutex_unlock(&s->mutex);
	alsa_kick(s, 0);
}

static void alsa_free_bounce(void *bounce)
{
	kvfree(bounce);
}

/**
 * alsa_init_stream() - prepare what the operations need
 * @s: the stream, which is configured
 *
 * Context: Process, the probe() of the device.
 *
 * Return: 0; -ENOMEM.
 */
int alsa_init_stream(struct alsa_stream *s)
{
	struct snd_pcm_runtime *rt = s->ss->runtime;

	mutex_init(&s->mutex);
	spin_lock_init(&s->lock);
	init_waitqueue_head(&s->idle);
	init_waitqueue_func_entry(&s->wait, alsa_hook);
	INIT_DELAYED_WORK(&s->service, alsa_service);
	s->stall_jiffies = max_t(unsigned long, ALSA_STALL_JIFFIES,
				 mul_u64_u32_div(4ULL * s->period, HZ, s->rate));
	if (rt->hw.info & SNDRV_PCM_INFO_HAS_LINK_ATIME)
		rt->audio_tstamp_config.type_requested = SNDRV_PCM_AUDIO_TSTAMP_TYPE_LINK;
	if (!s->in_work)
		return 0;
	s->bounce = kvcalloc(s->period, s->frame_size, GFP_KERNEL);
	return s->bounce ? devm_add_action_or_reset(s->dev, alsa_free_bounce, s->bounce) : -ENOMEM;
}
