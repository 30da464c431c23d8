// SPDX-License-Identifier: GPL-2.0-only
/*
 * params.c: choose format, channels, rate and sizes among what the hardware offers
 *
 * The driver sets one parameter after the other. ALSA then tells whether the hardware can
 * do it, and which values remain for the others.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <sound/pcm_params.h>

#include "alsa.h"

#define ALSA_MAX_CHANNELS	64 /* of an interleaved set */

/* The driver tries them in this order. */
const struct alsa_format alsa_formats[ALSA_N_FORMATS] = {
	{ "auto" },
	{ "S16", SNDRV_PCM_FORMAT_S16, 2, 16, true },
	{ "S32", SNDRV_PCM_FORMAT_S32, 4, 32, true },
	{ "S24", SNDRV_PCM_FORMAT_S24, 4, 24, true },
#ifdef __LITTLE_ENDIAN
	{ "S24_3", SNDRV_PCM_FORMAT_S24_3LE, 3, 24, true },
#else
	{ "S24_3", SNDRV_PCM_FORMAT_S24_3BE, 3, 24, true },
#endif
	{ "U8", SNDRV_PCM_FORMAT_U8, 1, 8, false },
	{ "S8", SNDRV_PCM_FORMAT_S8, 1, 8, true },
	{ "U16", SNDRV_PCM_FORMAT_U16, 2, 16, false },
};

struct choice {
	const char *name;
	unsigned int wish;
	int var; /* SNDRV_PCM_HW_PARAM_* */
	unsigned int prefer[4]; /* in this order, ends at 0 */
	int error; /* if the wish cannot be met */
};

/* Sets a parameter if the hardware supports the value; otherwise changes nothing. */
static bool alsa_try_value(struct alsa_stream *s, struct snd_pcm_hw_params *params, int var,
			   unsigned int value)
{
	struct snd_pcm_hw_params *copy = kmemdup(params, sizeof(*params), GFP_KERNEL);
	bool done;

	if (!copy)
		return false;
	if (var <= SNDRV_PCM_HW_PARAM_LAST_MASK) {
		snd_mask_none(hw_param_mask(copy, var));
		snd_mask_set(hw_param_mask(copy, var), value);
	} else {
		*hw_param_interval(copy, var) =
			(struct snd_interval) { .min = value, .max = value, .integer = 1 };
	}
	copy->rmask |= 1U << var;
	done = !snd_pcm_hw_refine(s->ss, copy);
	if (done)
		*params = *copy;
	kfree(copy);
	return done;
}

static void alsa_list_formats(struct alsa_stream *s, struct snd_pcm_hw_params *params,
			      char *text, size_t size)
{
	const struct snd_mask *mask = hw_param_mask(params, SNDRV_PCM_HW_PARAM_FORMAT);
	unsigned int i;

	*text = '\0';
	for (i = 1; i < ALSA_N_FORMATS; i++)
		if (snd_mask_test_format(mask, alsa_formats[i].format)) {
			strlcat(text, " ", size);
			strlcat(text, alsa_formats[i].name, size);
		}
}

static int alsa_choose_format(struct alsa_stream *s, struct snd_pcm_hw_params *params,
			      unsigned int wish)
{
	unsigned int i, first = wish ?: 1, last = wish ?: ALSA_N_FORMATS - 1;
	char text[64];

	for (i = first; i <= last; i++)
		if (alsa_try_value(s, params, SNDRV_PCM_HW_PARAM_FORMAT,
				   (__force unsigned int)alsa_formats[i].format)) {
			s->format = &alsa_formats[i];
			return 0;
		}
	alsa_list_formats(s, params, text, sizeof(text));
	dev_err(s->dev, "format %s is not possible: the hardware offers%s\n",
		alsa_formats[wish].name, *text ? text : " none that ZIO knows");
	return -EINVAL;
}

/*
 * Tries the preferred values, then the largest ones of the range: hardware with few rates
 * supports the largest one of its range.
 */
static bool alsa_choose_any(struct alsa_stream *s, struct snd_pcm_hw_params *params,
			    const struct choice *choice)
{
	const struct snd_interval *range = hw_param_interval(params, choice->var);
	unsigned int i, min = range->min, max = range->max;

	for (i = 0; i < ARRAY_SIZE(choice->prefer) && choice->prefer[i]; i++)
		if (alsa_try_value(s, params, choice->var, clamp(choice->prefer[i], min, max)))
			return true;
	return alsa_try_value(s, params, choice->var, max) ||
		alsa_try_value(s, params, choice->var, min);
}

static int alsa_choose_value(struct alsa_stream *s, struct snd_pcm_hw_params *params,
			     const struct choice *choice)
{
	const struct snd_interval *range = hw_param_interval(params, choice->var);

	if (choice->wish ? alsa_try_value(s, params, choice->var, choice->wish) :
			   alsa_choose_any(s, params, choice))
		return 0;
	dev_err(s->dev, "%s %u is not possible: the hardware offers %u to %u\n",
		choice->name, choice->wish, range->min, range->max);
	return choice->error;
}

static int alsa_choose_all(struct alsa_stream *s, struct snd_pcm_hw_params *params,
			   const struct alsa_wish *wish)
{
	const struct choice choices[] = {
		{ "channels", wish->channels, SNDRV_PCM_HW_PARAM_CHANNELS, { 2 }, -ERANGE },
		{ "rate", wish->rate, SNDRV_PCM_HW_PARAM_RATE, { 48000, 44100 }, -ERANGE },
		{ "period", wish->period, SNDRV_PCM_HW_PARAM_PERIOD_SIZE,
		  { 1024, 2048, 512 }, -ERANGE },
		{ "periods", wish->periods, SNDRV_PCM_HW_PARAM_PERIODS,
		  { 16, 8, 4, 2 }, -ERANGE },
	};
	unsigned int i;
	int ret = alsa_choose_format(s, params, wish->format);

	for (i = 0; i < ARRAY_SIZE(choices) && !ret; i++)
		ret = alsa_choose_value(s, params, &choices[i]);
	/* The card fills one period while the driver copies another. */
	if (!ret && params_periods(params) < 2) {
		dev_err(s->dev, "periods 1 is not possible: use 2 or more\n");
		ret = -ERANGE;
	}
	return ret;
}

static void alsa_note_params(struct alsa_stream *s, struct snd_pcm_hw_params *params)
{
	s->rate = params_rate(params);
	s->told_mhz = 1000 * s->rate;
	s->span = s->rate;
	s->span_ns = NSEC_PER_SEC;
	s->channels = params_channels(params);
	s->period = params_period_size(params);
	s->buffer = s->ss->runtime->buffer_size;
	s->guard = max(s->period, s->buffer / 8);
	s->frame_size = s->channels * s->format->ssize;
	s->msbits = s->format->nbits;
	if (s->format->nbits == 32 && params->msbits && params->msbits < 32)
		s->msbits = params->msbits;
}

static int alsa_set_hardware(struct alsa_stream *s, const struct alsa_wish *wish)
{
	struct snd_pcm_hw_params *params = kzalloc(sizeof(*params), GFP_KERNEL);
	int ret;

	if (!params)
		return -ENOMEM;
	_snd_pcm_hw_params_any(params);
	if (alsa_try_value(s, params, SNDRV_PCM_HW_PARAM_ACCESS,
			   (__force unsigned int)SNDRV_PCM_ACCESS_RW_INTERLEAVED)) {
		ret = alsa_choose_all(s, params, wish);
	} else {
		dev_err(s->dev, "the hardware has no interleaved access\n");
		ret = -EOPNOTSUPP;
	}
	if (!ret && params_channels(params) > ALSA_MAX_CHANNELS)
		ret = dev_err_probe(s->dev, -ERANGE, "more than %d channels: set 'channels'\n",
				    ALSA_MAX_CHANNELS);
	if (!ret)
		ret = snd_pcm_kernel_ioctl(s->ss, SNDRV_PCM_IOCTL_HW_PARAMS, params);
	if (!ret)
		alsa_note_params(s, params);
	kfree(params);
	return ret;
}

/*
 * capture.c counts lost frames itself, so ALSA never stops the PCM, and the stream runs on
 * while blocks are lost. ALSA stops the other PCMs when their memory is full, or empty.
 */
static int alsa_set_software(struct alsa_stream *s)
{
	struct snd_pcm_sw_params *params = kzalloc(sizeof(*params), GFP_KERNEL);
	snd_pcm_uframes_t boundary = s->ss->runtime->boundary;
	int ret;

	if (!params)
		return -ENOMEM;
	params->proto = SNDRV_PCM_VERSION;
	params->tstamp_mode = SNDRV_PCM_TSTAMP_ENABLE;
	params->tstamp_type = SNDRV_PCM_TSTAMP_TYPE_MONOTONIC;
	params->period_step = 1;
	params->avail_min = s->in_work ? s->period : 1;
	params->start_threshold = s->is_output ? s->buffer / 2 : boundary;
	params->stop_threshold = s->in_work ? s->buffer : boundary;
	params->silence_size = s->is_output ? boundary : 0;
	ret = snd_pcm_kernel_ioctl(s->ss, SNDRV_PCM_IOCTL_SW_PARAMS, params);
	kfree(params);
	return ret;
}

/**
 * alsa_configure() - set the parameters of a PCM
 * @s: the stream, which is open
 * @wish: what the user asks for
 *
 * If a wish cannot be met, the kernel log says what the hardware offers instead.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EINVAL for an unsupported format, -ERANGE for another unsupported parameter;
 * -EOPNOTSUPP; -ENOMEM; an error of the card's driver.
 */
int alsa_configure(struct alsa_stream *s, const struct alsa_wish *wish)
{
	int ret = alsa_set_hardware(s, wish);

	if (ret)
		return ret;
	s->in_work = alsa_needs_work(s);
	return alsa_set_software(s);
}
