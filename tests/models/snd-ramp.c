// SPDX-License-Identifier: GPL-2.0-only
/*
 * snd-ramp.c: a sound card whose PCMs do their work asleep ("nonatomic")
 *
 * Both PCMs capture two channels of 32 bits at 48 kHz: the number of the frame, and its
 * complement. Frames are counted also while the PCM is stopped, as by a microphone. The
 * driver of PCM 1 wants to know how far its user is (operation "ack"). PCM 0 also plays: it
 * counts the frames that are not silence, and those that do not continue such a ramp.
 *
 * The parameter real_rate is the rate of the hardware, which is not that of the PCM then.
 * Parameters, to be written while the module is loaded:
 *   stalled     the hardware does not move
 *   overruns    overruns to come, at the next periods; five periods are lost at each
 *   hold        frames that pass before the driver tells of the next period
 *   gone        the card is disconnected; its driver stays
 *   played      frames that were played; breaks: those that were wrong
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <sound/core.h>
#include <sound/pcm.h>

#define RAMP_RATE	48000
#define RAMP_PERIOD	960 /* 20 ms */
#define RAMP_FRAME	8
#define RAMP_PCMS	2
#define RAMP_RECOVERY	100 /* ms, after an overrun */

static bool stalled;
module_param(stalled, bool, 0644);
static int overruns;
module_param(overruns, int, 0644);
static int hold;
module_param(hold, int, 0644);
static uint played;
module_param(played, uint, 0644);
static uint breaks;
module_param(breaks, uint, 0644);
static uint real_rate = RAMP_RATE;
module_param(real_rate, uint, 0444);

static struct platform_device *ramp_device;
static struct snd_card *ramp_card;
static ktime_t ramp_began;

struct ramp_pcm {
	struct snd_pcm_substream *ss;
	struct delayed_work work;
	unsigned long pos;
	u32 next;
	bool running;
	bool overrun;
};

static struct ramp_pcm ramp_pcms[RAMP_PCMS];
static struct ramp_pcm ramp_player;
static u32 ramp_last;

static const struct snd_pcm_hardware ramp_hardware = {
	.info = SNDRV_PCM_INFO_INTERLEAVED | SNDRV_PCM_INFO_BLOCK_TRANSFER,
	.formats = SNDRV_PCM_FMTBIT_S32,
	.rates = SNDRV_PCM_RATE_48000,
	.rate_min = RAMP_RATE,
	.rate_max = RAMP_RATE,
	.channels_min = 2,
	.channels_max = 2,
	.buffer_bytes_max = 32 * RAMP_PERIOD * RAMP_FRAME,
	.period_bytes_min = RAMP_PERIOD * RAMP_FRAME,
	.period_bytes_max = RAMP_PERIOD * RAMP_FRAME,
	.periods_min = 2,
	.periods_max = 32,
};

static u32 ramp_now(void)
{
	s64 us = ktime_us_delta(ktime_get(), ramp_began);

	return div_u64((u64)us * real_rate, USEC_PER_SEC);
}

static void fill_period(struct ramp_pcm *rpcm)
{
	struct snd_pcm_runtime *rt = rpcm->ss->runtime;
	u32 *to = (u32 *)(rt->dma_area + rpcm->pos * RAMP_FRAME);
	unsigned int i;

	for (i = 0; i < RAMP_PERIOD; i++, rpcm->next++) {
		*to++ = rpcm->next;
		*to++ = ~rpcm->next;
	}
	rpcm->pos = (rpcm->pos + RAMP_PERIOD) % rt->buffer_size;
}

/* A ramp begins with 1. Silence may be anywhere. */
static void play_period(struct ramp_pcm *rpcm)
{
	struct snd_pcm_runtime *rt = rpcm->ss->runtime;
	const u32 *from = (u32 *)(rt->dma_area + rpcm->pos * RAMP_FRAME);
	unsigned int i;

	for (i = 0; i < RAMP_PERIOD; i++, from += 2) {
		if (!from[0])
			continue;
		breaks += (from[0] != 1 && from[0] != ramp_last + 1) || from[1] != ~from[0];
		ramp_last = from[0];
		played++;
	}
	rpcm->next += RAMP_PERIOD;
	rpcm->pos = (rpcm->pos + RAMP_PERIOD) % rt->buffer_size;
}

static bool has_period(const struct ramp_pcm *rpcm)
{
	s32 frames = ramp_now() - rpcm->next;

	return rpcm->running && !stalled && frames >= max(hold, RAMP_PERIOD);
}

static void ramp_work(struct work_struct *work)
{
	struct ramp_pcm *rpcm = container_of(to_delayed_work(work), struct ramp_pcm, work);

	if (has_period(rpcm)) {
		snd_pcm_period_elapsed(rpcm->ss);
		if (rpcm->running && overruns > 0) {
			overruns--;
			rpcm->overrun = true;
			snd_pcm_stop_xrun(rpcm->ss);
		}
	}
	if (rpcm->running)
		schedule_delayed_work(&rpcm->work, max(HZ / 100, 1));
}

static struct ramp_pcm *ramp_of(struct snd_pcm_substream *ss)
{
	if (ss->stream == SNDRV_PCM_STREAM_PLAYBACK)
		return &ramp_player;
	return &ramp_pcms[ss->pcm->device];
}

static int ramp_open(struct snd_pcm_substream *ss)
{
	ss->runtime->hw = ramp_hardware;
	ramp_of(ss)->ss = ss;
	return 0;
}

static int ramp_close(struct snd_pcm_substream *ss)
{
	cancel_delayed_work_sync(&ramp_of(ss)->work);
	return 0;
}

static int ramp_sync_stop(struct snd_pcm_substream *ss)
{
	cancel_delayed_work_sync(&ramp_of(ss)->work);
	return 0;
}

static int ramp_prepare(struct snd_pcm_substream *ss)
{
	struct ramp_pcm *rpcm = ramp_of(ss);

	if (rpcm->overrun)
		msleep(RAMP_RECOVERY);
	rpcm->overrun = false;
	rpcm->pos = 0;
	return 0;
}

static int ramp_trigger(struct snd_pcm_substream *ss, int cmd)
{
	struct ramp_pcm *rpcm = ramp_of(ss);

	rpcm->running = cmd == SNDRV_PCM_TRIGGER_START;
	if (rpcm->running) {
		rpcm->next = ramp_now() + 1;
		schedule_delayed_work(&rpcm->work, 1);
	}
	return 0;
}

/*
 * Like hardware, a late work item tells ALSA the position of now, not that of each period.
 * ALSA reads the time with it, so a busy machine must not come between.
 */
static snd_pcm_uframes_t ramp_pointer(struct snd_pcm_substream *ss)
{
	struct ramp_pcm *rpcm = ramp_of(ss);

	while (has_period(rpcm)) {
		hold = 0;
		if (rpcm == &ramp_player)
			play_period(rpcm);
		else
			fill_period(rpcm);
	}
	return rpcm->pos;
}

static int ramp_ack(struct snd_pcm_substream *ss)
{
	return 0;
}

#define RAMP_OPS	.open = ramp_open, .close = ramp_close, .prepare = ramp_prepare, \
			.sync_stop = ramp_sync_stop, .trigger = ramp_trigger, \
			.pointer = ramp_pointer

static const struct snd_pcm_ops ramp_ops[RAMP_PCMS] = {
	{ RAMP_OPS },
	{ RAMP_OPS, .ack = ramp_ack },
};

static int set_gone(const char *text, const struct kernel_param *param)
{
	return ramp_card ? snd_card_disconnect(ramp_card) : 0;
}

static const struct kernel_param_ops gone_ops = { .set = set_gone };
module_param_cb(gone, &gone_ops, NULL, 0200);

static int add_pcm(unsigned int i)
{
	struct snd_pcm *pcm;
	int ret = snd_pcm_new(ramp_card, "Ramp", i, !i, 1, &pcm);

	if (ret)
		return ret;
	INIT_DELAYED_WORK(&ramp_pcms[i].work, ramp_work);
	pcm->nonatomic = true;
	strscpy(pcm->name, "Ramp", sizeof(pcm->name));
	snd_pcm_set_ops(pcm, SNDRV_PCM_STREAM_CAPTURE, &ramp_ops[i]);
	if (!i)
		snd_pcm_set_ops(pcm, SNDRV_PCM_STREAM_PLAYBACK, &ramp_ops[i]);
	return snd_pcm_set_managed_buffer_all(pcm, SNDRV_DMA_TYPE_VMALLOC, NULL, 0, 0);
}

static int ramp_probe(struct platform_device *pdev)
{
	unsigned int i;
	int ret = snd_card_new(&pdev->dev, -1, "Ramp", THIS_MODULE, 0, &ramp_card);

	if (ret)
		return ret;
	strscpy(ramp_card->driver, "Ramp", sizeof(ramp_card->driver));
	strscpy(ramp_card->shortname, "Ramp", sizeof(ramp_card->shortname));
	strscpy(ramp_card->longname, "Ramp", sizeof(ramp_card->longname));
	for (i = 0; i < RAMP_PCMS && !ret; i++)
		ret = add_pcm(i);
	if (!ret)
		ret = snd_card_register(ramp_card);
	if (ret) {
		snd_card_free(ramp_card);
		ramp_card = NULL;
	}
	return ret;
}

static void free_card(struct snd_card *card)
{
	ramp_card = NULL;
	if (card)
		snd_card_free(card);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
static int ramp_remove(struct platform_device *pdev)
{
	free_card(ramp_card);
	return 0;
}
#else
static void ramp_remove(struct platform_device *pdev)
{
	free_card(ramp_card);
}
#endif

static struct platform_driver ramp_driver = {
	.driver.name = "snd-ramp",
	.probe = ramp_probe,
	.remove = ramp_remove,
};

static int __init ramp_init(void)
{
	int ret = platform_driver_register(&ramp_driver);

	if (ret)
		return ret;
	ramp_began = ktime_get();
	INIT_DELAYED_WORK(&ramp_player.work, ramp_work);
	ramp_device = platform_device_register_simple("snd-ramp", -1, NULL, 0);
	if (!IS_ERR(ramp_device))
		return 0;
	platform_driver_unregister(&ramp_driver);
	return PTR_ERR(ramp_device);
}

static void __exit ramp_exit(void)
{
	platform_device_unregister(ramp_device);
	platform_driver_unregister(&ramp_driver);
}

module_init(ramp_init);
module_exit(ramp_exit);
MODULE_DESCRIPTION("A sound card for the tests of zio-alsa");
MODULE_LICENSE("GPL");
