// SPDX-License-Identifier: GPL-3.0-or-later
/* serve.c: be the driver of a device: each request of the kernel is an acquisition */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libzio/zio.h"

#include "sigrok.h"

/* Alarms of a block: a value was too large or no number; a value had more digits than the set */
#define CLIPPED		1
#define ROUNDED		2
#define NSAMPLES	1000
/* A driver may be in a measurement for so long before it looks. */
#define TIMEOUT_MS	60000
/* So many acquisitions fail in a row: the next ones would, too. */
#define MOST_FAILURES	3

struct serve {
	struct sigrok *dev;
	struct zio_user *user;
	/* Of each set, a request that came while another one was served; or NULL */
	struct zio_user_request **waiting;
	struct zio_user_request *current;
	unsigned int last;	/* set that was served last */
	bool is_dead;
	unsigned int failures;	/* in a row */
};

/* For the handler of signals */
static struct zio_user *serve_user;

static const struct {
	enum sr_unit unit;
	enum zio_unit zio;
	double scale;
} serve_units[] = {
	{ SR_UNIT_VOLT, ZIO_UNIT_V, 1 }, { SR_UNIT_AMPERE, ZIO_UNIT_A, 1 },
	{ SR_UNIT_OHM, ZIO_UNIT_OHM, 1 }, { SR_UNIT_FARAD, ZIO_UNIT_F, 1 },
	{ SR_UNIT_KELVIN, ZIO_UNIT_K, 1 }, { SR_UNIT_CELSIUS, ZIO_UNIT_DEGC, 1 },
	{ SR_UNIT_HERTZ, ZIO_UNIT_HZ, 1 }, { SR_UNIT_PERCENTAGE, ZIO_UNIT_PERCENT, 1 },
	{ SR_UNIT_SECOND, ZIO_UNIT_S, 1 }, { SR_UNIT_WATT, ZIO_UNIT_W, 1 },
	{ SR_UNIT_WATT_HOUR, ZIO_UNIT_J, 3600 }, { SR_UNIT_METER_SECOND, ZIO_UNIT_M_S, 1 },
	{ SR_UNIT_HECTOPASCAL, ZIO_UNIT_PA, 100 }, { SR_UNIT_HENRY, ZIO_UNIT_H, 1 },
	{ SR_UNIT_HUMIDITY_293K, ZIO_UNIT_PERCENT, 1 }, { SR_UNIT_GRAM, ZIO_UNIT_KG, 1e-3 },
};

/* Say so if the values have a unit that ZIO does not know: they are numbers then. */
static void serve_describe(const struct sigrok *dev, const struct sigrok_set *set,
			   struct uzio_set *to)
{
	enum zio_unit unit = ZIO_UNIT_NONE;
	double scale = 1;
	size_t i;

	snprintf(to->name, sizeof(to->name), "%s", set->name);
	to->n_chan = sigrok_width(set);
	to->ssize = set->ssize;
	to->nsamples = NSAMPLES;
	if (dev->rate && zio_user_set_rate(to, dev->rate))
		complain("%s: ZIO cannot tell a rate of %g Hz", set->name, (double)dev->rate);
	if (set->is_logic) {
		/* A bit is at the position of its channel. */
		to->nbits = MIN(8 * set->ssize, set->chans[set->n_chan - 1]->index + 1u);
		return;
	}
	for (i = 0; i < G_N_ELEMENTS(serve_units); i++) {
		if (serve_units[i].unit == set->unit) {
			unit = serve_units[i].zio;
			scale = serve_units[i].scale;
		}
	}
	if (unit == ZIO_UNIT_NONE && set->unit != SR_UNIT_UNITLESS)
		complain("%s: ZIO has no unit for these values", set->name);
	to->scaling.flags = UZIO_SCALING_SIGNED;
	zio_user_set_scale(to, unit, scale * pow(10, -set->digits), 0);
}

static bool serve_create(struct serve *serve, const char *name)
{
	struct sigrok *dev = serve->dev;
	struct uzio_set *sets = g_new0(struct uzio_set, dev->n_sets);
	struct zio_user_device device = {
		.name = name, .id = -1, .sets = sets, .n_sets = dev->n_sets,
		.timeout_ms = TIMEOUT_MS,
	};
	struct zio_error error;
	unsigned int i;

	for (i = 0; i < dev->n_sets; i++)
		serve_describe(dev, &dev->sets[i], &sets[i]);
	serve->user = zio_user_create(&device, &error);
	g_free(sets);
	if (!serve->user)
		complain("%s: no device: %s", dev->driver->name, error.text);
	return serve->user;
}

/* Keep a request until its turn. If it is aborted, the kernel waits for the answer. */
static void serve_keep(struct serve *serve, struct zio_user_request *req)
{
	serve->waiting[req->set] = req->is_aborted ? NULL : req;
	if (req->is_aborted)
		zio_user_fail(serve->user, req, ECANCELED);
}

/*
 * Look for an abort of the current request, and keep those of other sets.
 * Return: whether the request is still wanted
 */
static bool serve_goes_on(void *arg)
{
	struct serve *serve = arg;
	struct zio_user_request *req;
	int ret;

	while ((ret = zio_user_next(serve->user, &req, 0)) > 0)
		if (req != serve->current)
			serve_keep(serve, req);
	serve->is_dead |= ret < 0 && errno == ENODEV;
	return !serve->current->is_aborted && !serve->is_dead;
}

/* Return: where the samples go, one place for each channel; NULL: no memory */
static struct sigrok_target *serve_targets(struct serve *serve, struct zio_user_request *req,
					   size_t *nsamples)
{
	const struct sigrok_set *set = &serve->dev->sets[req->set];
	struct sigrok_target *targets = g_new0(struct sigrok_target, sigrok_width(set));
	struct sigrok_target *target;
	unsigned int i;

	for (i = 0; i < req->n_blocks; i++) {
		target = &targets[req->blocks[i].chan];
		target->room = req->blocks[i].len / set->ssize;
		target->mem = zio_user_data(serve->user, req, i);
		if (!target->mem) {
			g_free(targets);
			return NULL;
		}
		if (target->room > *nsamples)
			*nsamples = target->room;
	}
	return targets;
}

/* Tell how long the blocks are, and when they began. Return: whether there are samples */
static bool serve_tell(struct serve *serve, struct zio_user_request *req,
		       const struct sigrok_target *targets, const struct timespec *begin)
{
	const struct sigrok_set *set = &serve->dev->sets[req->set];
	const struct sigrok_target *target;
	bool has_samples = false;
	unsigned int i;

	for (i = 0; i < req->n_blocks; i++) {
		target = &targets[req->blocks[i].chan];
		req->filled[i].len = target->n * set->ssize;
		req->filled[i].flags = UZIO_FILLED_TIME;
		req->filled[i].time.secs = begin->tv_sec;
		req->filled[i].time.ticks = begin->tv_nsec;
		req->filled[i].alarms = (target->is_clipped ? CLIPPED : 0) |
					(target->is_rounded ? ROUNDED : 0);
		has_samples |= target->n;
	}
	return has_samples;
}

static int serve_fill(struct serve *serve, struct zio_user_request *req)
{
	size_t nsamples = 0;
	struct sigrok_target *targets;
	struct timespec begin;
	int error;

	if (req->is_aborted)
		return ECANCELED;
	targets = serve_targets(serve, req, &nsamples);
	if (!targets) {
		complain("%s", zio_user_reason(serve->user));
		return ENOMEM;
	}
	/* The event may be older: the instrument was busy with another set. */
	clock_gettime(req->arm->clock, &begin);
	error = sigrok_acquire(serve->dev, &serve->dev->sets[req->set], targets, nsamples,
			       serve_goes_on, serve);
	serve->failures = error && !req->is_aborted ? serve->failures + 1 : 0;
	if (error == EPROTO)
		serve->failures = MOST_FAILURES;
	else if (!error && (req->is_aborted || sigrok_signal))
		error = ECANCELED;
	else if (!error && !serve_tell(serve, req, targets, &begin))
		error = ENODATA;
	g_free(targets);
	return error;
}

static void serve_request(struct serve *serve, struct zio_user_request *req)
{
	int error;

	serve->current = req;
	serve->last = req->set;
	error = serve_fill(serve, req);
	if (error == ENODATA)
		complain("%s: the instrument has given no samples",
			 serve->dev->sets[req->set].name);
	if (error)
		zio_user_fail(serve->user, req, error);
	else
		zio_user_done(serve->user, req);
}

/*
 * The sets take turns, or one whose events come fast would get all acquisitions.
 * Return: a request; NULL after a signal, or when the device is gone
 */
static struct zio_user_request *serve_next(struct serve *serve)
{
	unsigned int i, set, n = serve->dev->n_sets;
	struct zio_user_request *req;
	int ret;

	for (i = 1; i <= n; i++) {
		set = (serve->last + i) % n;
		req = serve->waiting[set];
		serve->waiting[set] = NULL;
		if (req)
			return req;
	}
	do {
		ret = zio_user_next(serve->user, &req, -1);
	} while (ret < 0 && errno == EINTR && !sigrok_signal);
	serve->is_dead |= ret < 0 && errno == ENODEV;
	return ret > 0 ? req : NULL;
}

static void serve_on_signal(int number)
{
	sigrok_signal = number;
	if (serve_user)
		zio_user_interrupt(serve_user);
}

/**
 * sigrok_serve() - make a device, and serve it until a signal
 * @dev: the instrument
 * @name: of the device
 *
 * Context: The thread of the program. May sleep.
 * Return: exit status.
 */
int sigrok_serve(struct sigrok *dev, const char *name)
{
	struct serve serve = { .dev = dev };
	/* The second signal kills a program whose driver does not return. */
	struct sigaction action = { .sa_handler = serve_on_signal, .sa_flags = SA_RESETHAND };
	struct zio_user_request *req;

	if (!serve_create(&serve, name))
		return CANNOT_OPEN;
	serve_user = serve.user;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	serve.waiting = g_new0(struct zio_user_request *, dev->n_sets);
	printf("%s: %s, %u sets\n", zio_user_name(serve.user), dev->driver->name, dev->n_sets);
	fflush(stdout);
	while (!sigrok_signal && !serve.is_dead && serve.failures < MOST_FAILURES) {
		req = serve_next(&serve);
		if (req)
			serve_request(&serve, req);
	}
	if (serve.is_dead)
		complain("%s", zio_user_reason(serve.user));
	serve_user = NULL;
	/* The reader hears of the last failure. */
	zio_user_flush(serve.user);
	zio_user_close(serve.user);
	g_free(serve.waiting);
	return sigrok_signal ? 128 + sigrok_signal : FAILED;
}
