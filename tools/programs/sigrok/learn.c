// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * learn.c: which sets an instrument has
 *
 * libsigrok tells unit, number of digits and size of samples only with the samples. So the
 * program acquires a few of them first.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sigrok.h"

#define LEARN_SAMPLES	16
#define LEARN_SECONDS	30
/* As exact as a double is */
#define MOST_DIGITS	15

/* What a first run finds */
struct learn {
	struct sigrok *dev;
	struct sigrok_run run;
	gint64 begin;		/* us */
	size_t unitsize;	/* of logic; 0: none has come */
	bool has_logic;
	unsigned int left;	/* channels without a sample */
};

/* Return: whether one of @n values, each @step after the last, is a number */
static bool learn_has_number(const float *value, uint32_t n, unsigned int step)
{
	for (; n; n--, value += step)
		if (isfinite(*value))
			return true;
	return false;
}

static bool learn_knows(const struct sigrok *dev, const struct sr_channel *chan)
{
	unsigned int i, k;

	for (i = 0; i < dev->n_sets; i++)
		for (k = 0; k < dev->sets[i].n_chan; k++)
			if (dev->sets[i].chans[k] == chan)
				return true;
	return false;
}

static struct sigrok_set *learn_add_set(struct sigrok *dev, const char *name)
{
	struct sigrok_set *set;

	dev->sets = g_renew(struct sigrok_set, dev->sets, dev->n_sets + 1);
	set = &dev->sets[dev->n_sets];
	*set = (struct sigrok_set){};
	if (dev->n_sets)
		snprintf(set->name, sizeof(set->name), "%s%u", name, dev->n_sets);
	else
		snprintf(set->name, sizeof(set->name), "%s", name);
	dev->n_sets++;
	return set;
}

/* Keep the order of the instrument. */
static void learn_add_channel(struct sigrok_set *set, struct sr_channel *chan)
{
	unsigned int i = set->n_chan++;

	set->chans = g_renew(struct sr_channel *, set->chans, set->n_chan);
	for (; i && set->chans[i - 1]->index > chan->index; i--)
		set->chans[i] = set->chans[i - 1];
	set->chans[i] = chan;
}

/* Return: the set of channels with this unit and this number of digits */
static struct sigrok_set *learn_set(struct sigrok *dev, enum sr_unit unit, int digits)
{
	struct sigrok_set *set;
	unsigned int i;

	for (i = 0; i < dev->n_sets; i++)
		if (dev->sets[i].unit == unit && dev->sets[i].digits == digits)
			return &dev->sets[i];
	set = learn_add_set(dev, "analog");
	set->unit = unit;
	set->digits = digits;
	set->ssize = sizeof(int32_t);
	return set;
}

/* An overload does not tell the digits of the values. */
static void learn_analog(struct learn *learn, const struct sr_datafeed_analog *analog)
{
	int digits = CLAMP(sigrok_digits(analog->encoding), -MOST_DIGITS, MOST_DIGITS);
	unsigned int i, n = g_slist_length(analog->meaning->channels);
	float *values = sigrok_values(analog);
	GSList *at = values ? analog->meaning->channels : NULL;
	struct sr_channel *chan;

	for (i = 0; at; at = at->next, i++) {
		chan = at->data;
		if (!chan->enabled || learn_knows(learn->dev, chan) ||
		    !learn_has_number(values + i, analog->num_samples, n))
			continue;
		learn_add_channel(learn_set(learn->dev, analog->meaning->unit, digits), chan);
		learn->left -= chan->type == SR_CHANNEL_ANALOG;
	}
	g_free(values);
}

static void learn_take(const struct sr_dev_inst *sdi, const struct sr_datafeed_packet *packet,
		       void *data)
{
	const struct sr_datafeed_logic *logic = packet->payload;
	struct learn *learn = data;

	(void)sdi;
	if (packet->type == SR_DF_ANALOG)
		learn_analog(learn, packet->payload);
	else if (packet->type == SR_DF_LOGIC)
		learn->unitsize = logic->unitsize;
	if (!learn->left && (learn->unitsize || !learn->has_logic))
		learn->run.is_over = true;
}

static gboolean learn_look(void *data)
{
	struct learn *learn = data;

	if (sigrok_signal || g_get_monotonic_time() - learn->begin > LEARN_SECONDS * G_USEC_PER_SEC)
		learn->run.is_over = true;
	return G_SOURCE_CONTINUE;
}

static void learn_rate(struct sigrok *dev)
{
	GVariant *rate;

	if (sr_config_get(dev->driver, dev->sdi, NULL, SR_CONF_SAMPLERATE, &rate))
		return;
	dev->rate = g_variant_get_uint64(rate);
	g_variant_unref(rate);
}

/* All logic channels are one set, last. */
static void learn_logic(struct learn *learn)
{
	GSList *at = sr_dev_inst_channels_get(learn->dev->sdi);
	struct sigrok_set *set = learn_add_set(learn->dev, "logic");
	struct sr_channel *chan;

	strcpy(set->name, "logic");
	set->is_logic = true;
	set->ssize = learn->unitsize;
	for (; at; at = at->next) {
		chan = at->data;
		if (chan->type == SR_CHANNEL_LOGIC && chan->enabled)
			learn_add_channel(set, chan);
	}
}

/**
 * sigrok_learn() - find out which sets an instrument has
 * @dev: the instrument, which is open and set up
 *
 * Context: The thread of the program. May sleep.
 * Return: true; false after a complaint.
 */
bool sigrok_learn(struct sigrok *dev)
{
	GSList *at = sr_dev_inst_channels_get(dev->sdi);
	struct learn learn = { .dev = dev, .begin = g_get_monotonic_time() };
	struct sr_channel *chan;

	for (; at; at = at->next) {
		chan = at->data;
		learn.has_logic |= chan->enabled && chan->type == SR_CHANNEL_LOGIC;
		learn.left += chan->enabled && chan->type == SR_CHANNEL_ANALOG;
	}
	sigrok_limit(dev, LEARN_SAMPLES);
	if (!sigrok_run(dev, &learn.run, learn_take, learn_look, &learn))
		return false;
	if (learn.unitsize && learn.has_logic)
		learn_logic(&learn);
	if (!dev->n_sets)
		complain("%s: no number within %d s: does a trigger wait, or is it an overload?",
			 dev->driver->name, LEARN_SECONDS);
	else if (learn.left)
		complain("%s: %u channels give no numbers, and are left out",
			 dev->driver->name, learn.left);
	learn_rate(dev);
	return dev->n_sets;
}

/* Return: the number of channels that a set has in ZIO */
unsigned int sigrok_width(const struct sigrok_set *set)
{
	return set->is_logic ? 1 : set->n_chan;
}
