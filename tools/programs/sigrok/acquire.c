// SPDX-License-Identifier: GPL-3.0-or-later
/* acquire.c: run an instrument once, and take its samples */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sigrok.h"

/* How often a run looks whether it goes on, in ms */
#define LOOK_MS		20

volatile sig_atomic_t sigrok_signal;

/*
 * A run: the session, and where its samples go
 * @ends_with_frame: the instrument does not know how many samples to take: its next frame is
 *                   of another trigger
 */
struct acquire {
	struct sigrok_run run;
	const struct sigrok_set *set;
	struct sigrok_target *targets;
	sigrok_goes_on goes_on;
	void *arg;
	bool is_wrong;
	bool ends_with_frame;
};

/* Return: decimal digits behind the point */
int sigrok_digits(const struct sr_analog_encoding *encoding)
{
	/* These are bits otherwise: log10(2) of a digit each. */
	return encoding->is_digits_decimal ? encoding->digits : ceil(encoding->digits * 0.30103);
}

static bool acquire_is_full(const struct acquire *run)
{
	unsigned int i, n = run->set->is_logic ? 1 : run->set->n_chan;

	for (i = 0; i < n; i++)
		if (run->targets[i].mem && run->targets[i].n < run->targets[i].room)
			return false;
	return true;
}

/*
 * Put a value as a multiple of 10^-digits. What is no number, or too large, is clipped.
 * @is_finer: it has more digits
 */
static void acquire_put(struct sigrok_target *target, double value, double factor, bool is_finer)
{
	double steps = rint(value * factor);
	int32_t *to = target->mem;

	if (steps >= INT32_MIN && steps <= INT32_MAX) {
		target->is_rounded |= is_finer;
	} else {
		steps = steps < 0 ? INT32_MIN : INT32_MAX;
		target->is_clipped = true;
	}
	to[target->n++] = steps;
}

/* Return: where the samples of a channel go; NULL: nobody wants them */
static struct sigrok_target *acquire_target(const struct acquire *run,
					    const struct sr_channel *chan)
{
	unsigned int k;

	for (k = 0; k < run->set->n_chan; k++)
		if (run->set->chans[k] == chan)
			return run->targets[k].mem ? &run->targets[k] : NULL;
	return NULL;
}

static bool acquire_wants(const struct acquire *run, const GSList *channels)
{
	for (; channels; channels = channels->next)
		if (acquire_target(run, channels->data))
			return true;
	return false;
}

static void acquire_spoil(struct acquire *run)
{
	run->is_wrong = true;
	run->run.is_over = true;
}

/*
 * Return: all values of a packet, those of its channels by turns, to be freed with g_free();
 * NULL: libsigrok does not know the encoding
 */
float *sigrok_values(const struct sr_datafeed_analog *analog)
{
	gsize n = g_slist_length(analog->meaning->channels);
	float *values = g_new(float, n * analog->num_samples);

	if (!sr_analog_to_float(analog, values))
		return values;
	g_free(values);
	return NULL;
}

static void acquire_analog(struct acquire *run, const struct sr_datafeed_analog *analog)
{
	const struct sigrok_set *set = run->set;
	bool is_finer = sigrok_digits(analog->encoding) > set->digits;
	GSList *at = analog->meaning->channels;
	unsigned int i, n = g_slist_length(at);
	double factor = pow(10, set->digits);
	struct sigrok_target *target;
	float *values;
	uint32_t j;

	/* An instrument with several sets may send those of others, too. */
	if (!acquire_wants(run, at))
		return;
	values = analog->meaning->unit == set->unit ? sigrok_values(analog) : NULL;
	if (!values) {
		acquire_spoil(run);
		return;
	}
	for (i = 0; at; at = at->next, i++) {
		target = acquire_target(run, at->data);
		for (j = 0; target && j < analog->num_samples && target->n < target->room; j++)
			acquire_put(target, values[(gsize)j * n + i], factor, is_finer);
	}
	g_free(values);
}

static void acquire_logic(struct acquire *run, const struct sr_datafeed_logic *logic)
{
	struct sigrok_target *target = run->targets;
	size_t n = logic->unitsize ? logic->length / logic->unitsize : 0;

	if (logic->unitsize != run->set->ssize) {
		acquire_spoil(run);
		return;
	}
	if (n > target->room - target->n)
		n = target->room - target->n;
	memcpy((char *)target->mem + target->n * run->set->ssize, logic->data,
	       n * run->set->ssize);
	target->n += n;
}

static void acquire_take(const struct sr_dev_inst *sdi, const struct sr_datafeed_packet *packet,
			 void *data)
{
	struct acquire *run = data;

	(void)sdi;
	/* More may come before the instrument has stopped. */
	if (run->run.is_over)
		return;
	if (packet->type == SR_DF_ANALOG && !run->set->is_logic)
		acquire_analog(run, packet->payload);
	else if (packet->type == SR_DF_LOGIC && run->set->is_logic)
		acquire_logic(run, packet->payload);
	if (acquire_is_full(run) || (packet->type == SR_DF_FRAME_END && run->ends_with_frame))
		run->run.is_over = true;
}

static gboolean acquire_look(void *data)
{
	struct acquire *run = data;

	if (sigrok_signal || (run->goes_on && !run->goes_on(run->arg)))
		run->run.is_over = true;
	return G_SOURCE_CONTINUE;
}

/* Let the instrument use only the channels that somebody wants. */
static void acquire_enable(const struct sigrok *dev, const struct acquire *run)
{
	const struct sigrok_set *set = run->set;
	GSList *at = sr_dev_inst_channels_get(dev->sdi);
	unsigned int i;

	for (; at; at = at->next)
		sr_dev_channel_enable(at->data, FALSE);
	for (i = 0; i < set->n_chan; i++)
		if (set->is_logic || run->targets[i].mem)
			sr_dev_channel_enable(set->chans[i], TRUE);
}

/**
 * sigrok_limit() - tell an instrument how many samples to take
 * @dev: the instrument
 * @nsamples: their number
 *
 * Context: The thread of the program. May sleep.
 * Return: true; false: it does not know that, and is stopped when there are enough.
 */
bool sigrok_limit(const struct sigrok *dev, uint64_t nsamples)
{
	return !sr_config_set(dev->sdi, NULL, SR_CONF_LIMIT_SAMPLES,
			      g_variant_new_uint64(nsamples));
}

/* Drivers do not bear to be stopped while they hand over samples. */
static gboolean acquire_end(void *data)
{
	struct sigrok_run *run = data;

	if (run->is_over && !run->has_ended)
		sr_session_stop(run->session);
	return G_SOURCE_CONTINUE;
}

static void acquire_note_end(const struct sr_dev_inst *sdi,
			     const struct sr_datafeed_packet *packet, void *data)
{
	struct sigrok_run *run = data;

	(void)sdi;
	run->has_ended |= packet->type == SR_DF_END;
}

/**
 * sigrok_run() - run an instrument until it stops, or shall stop
 * @dev: the instrument
 * @run: the run
 * @take: gets the packets
 * @look: called every few milliseconds
 * @arg: for @take and @look
 *
 * Context: The thread of the program. May sleep.
 * Return: true; false after a complaint.
 */
bool sigrok_run(struct sigrok *dev, struct sigrok_run *run, sr_datafeed_callback take,
		GSourceFunc look, void *arg)
{
	guint looks, ends;
	int ret;

	ret = sr_session_new(dev->ctx, &run->session);
	if (!ret)
		ret = sr_session_dev_add(run->session, dev->sdi);
	if (!ret)
		ret = sr_session_datafeed_callback_add(run->session, take, arg);
	if (!ret)
		ret = sr_session_datafeed_callback_add(run->session, acquire_note_end, run);
	if (!ret)
		ret = sr_session_start(run->session);
	if (!ret) {
		looks = g_timeout_add(LOOK_MS, look, arg);
		ends = g_timeout_add(1, acquire_end, run);
		ret = sr_session_run(run->session);
		g_source_remove(looks);
		g_source_remove(ends);
	}
	if (run->session)
		sr_session_destroy(run->session);
	if (ret)
		complain("%s: cannot acquire: %s", dev->driver->name, sr_strerror(ret));
	return !ret;
}

/**
 * sigrok_acquire() - acquire once
 * @dev: the instrument
 * @set: the channels
 * @targets: where the samples of each channel of the set go
 * @nsamples: samples of each channel
 * @goes_on: called every few milliseconds; or NULL
 * @arg: for @goes_on
 *
 * Context: The thread of the program. May sleep.
 * Return: 0: the samples are there, which may be fewer than @nsamples if the instrument has
 * stopped early, or after a signal; EIO after a complaint; EPROTO after a complaint: this
 * does not end before the sets are learned again.
 */
int sigrok_acquire(struct sigrok *dev, const struct sigrok_set *set,
		   struct sigrok_target *targets, size_t nsamples,
		   sigrok_goes_on goes_on, void *arg)
{
	struct acquire run = {
		.set = set, .targets = targets, .goes_on = goes_on, .arg = arg,
	};
	bool is_good;

	acquire_enable(dev, &run);
	run.ends_with_frame = !sigrok_limit(dev, nsamples);
	is_good = sigrok_run(dev, &run.run, acquire_take, acquire_look, &run);
	if (run.is_wrong)
		complain("%s: unit or size of the samples has changed: start " PROGRAM " again",
			 set->name);
	if (run.is_wrong)
		return EPROTO;
	return is_good ? 0 : EIO;
}
