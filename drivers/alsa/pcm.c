// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcm.c: find, open and close a PCM
 *
 * The driver opens a PCM as other in-kernel users of ALSA do, without a node in /dev/snd.
 * It holds references to the card and its module until it closes the PCM.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <sound/minors.h>

#include "alsa.h"

/* "hw:CARD,DEV": CARD is a number or an id; DEV defaults to 0 */
static int alsa_parse_name(const char *name, char *card, size_t size, int *device)
{
	const char *comma = strchrnul(name, ',');
	size_t len = comma - name;

	if (strncmp(name, "hw:", 3) || len <= 3 || len - 3 >= size)
		return -EINVAL;
	memcpy(card, name + 3, len - 3);
	card[len - 3] = '\0';
	*device = 0;
	return *comma ? kstrtoint(comma + 1, 10, device) : 0;
}

static bool alsa_is_card(const struct snd_card *card, const char *name)
{
	int number;

	if (!kstrtoint(name, 10, &number))
		return card->number == number;
	return !strcmp(card->id, name);
}

static struct snd_pcm *alsa_find_as(int type, const char *card, int device)
{
	struct snd_pcm *pcm;
	int minor;

	for (minor = 0; minor < SNDRV_OS_MINORS; minor++) {
		pcm = snd_lookup_minor_data(minor, type);
		if (!pcm)
			continue;
		if (alsa_is_card(pcm->card, card) && pcm->device == device)
			return pcm;
		snd_card_unref(pcm->card);
	}
	return NULL;
}

/**
 * alsa_open() - find the PCM of a device and hold its card
 * @adev: the device
 * @name: "hw:CARD,DEV"
 *
 * Context: Process, sleeps; the probe() of the device. alsa_close() follows.
 *
 * Return: 0; -EINVAL if @name has another form; -ENODEV if there is no such PCM.
 */
int alsa_open(struct alsa_device *adev, const char *name)
{
	char card[sizeof_field(struct snd_card, id)];
	int device, ret = alsa_parse_name(name, card, sizeof(card), &device);
	struct device *parent;

	if (ret)
		return dev_err_probe(adev->dev, -EINVAL,
				     "pcm '%s': use hw:CARD,DEVICE, such as hw:0,0\n", name);
	adev->pcm = alsa_find_as(SNDRV_DEVICE_TYPE_PCM_CAPTURE, card, device) ?:
		alsa_find_as(SNDRV_DEVICE_TYPE_PCM_PLAYBACK, card, device);
	if (!adev->pcm)
		return dev_err_probe(adev->dev, -ENODEV,
				     "pcm '%s': no such PCM; /proc/asound/pcm lists them\n",
				     name);
	if (!try_module_get(adev->pcm->card->module)) {
		snd_card_unref(adev->pcm->card);
		return -ENODEV;
	}
	/* The driver core unbinds @adev before the driver of the card. */
	parent = adev->pcm->card->dev;
	if (parent && !device_link_add(adev->dev, parent, DL_FLAG_AUTOREMOVE_CONSUMER))
		dev_dbg(adev->dev, "no link to %s\n", dev_name(parent));
	return 0;
}

void alsa_close(struct alsa_device *adev)
{
	struct module *owner = adev->pcm->card->module;

	snd_card_unref(adev->pcm->card);
	module_put(owner);
}

/**
 * alsa_open_stream() - open one direction of the PCM
 * @adev: the device, after alsa_open()
 * @s: its stream
 *
 * Context: Process, sleeps. alsa_close_stream() follows.
 *
 * Return: 0; -EBUSY if another program uses the PCM; -ENODEV if the PCM does not have this
 * direction or is going away; -ENOMEM; an error of the card's driver.
 */
int alsa_open_stream(struct alsa_device *adev, struct alsa_stream *s)
{
	struct file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	struct snd_pcm *pcm = adev->pcm;
	const char *what = s->is_output ? "playback" : "capture";
	int stream = s->is_output ? SNDRV_PCM_STREAM_PLAYBACK : SNDRV_PCM_STREAM_CAPTURE;
	int ret = -ENODEV;

	if (!file)
		return -ENOMEM;
	/*
	 * ALSA only reads the flags of the file and keeps no pointer to it. The
	 * disconnection of a card marks it before it takes open_mutex, so it reaches a PCM
	 * opened here.
	 */
	file->f_flags = O_RDWR | O_NONBLOCK;
	mutex_lock(&pcm->open_mutex);
	if (!pcm->card->shutdown && pcm->streams[stream].substream)
		ret = snd_pcm_open_substream(pcm, stream, file, &s->ss);
	mutex_unlock(&pcm->open_mutex);
	kfree(file);
	if (ret == -EAGAIN)
		return dev_err_probe(adev->dev, -EBUSY,
				     "%s: another program has it open\n", what);
	if (ret)
		return dev_err_probe(adev->dev, ret, "cannot open the PCM for %s\n", what);
	return 0;
}

void alsa_close_stream(struct alsa_stream *s)
{
	struct snd_pcm *pcm = s->ss->pcm;

	mutex_lock(&pcm->open_mutex);
	snd_pcm_release_substream(s->ss);
	mutex_unlock(&pcm->open_mutex);
	wake_up(&pcm->open_wait);
}
