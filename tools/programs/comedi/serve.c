// SPDX-License-Identifier: GPL-2.0-only
/* serve.c: be the driver of a device: each request of the kernel is an acquisition */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "comedi.h"

#define NSEC		1000000000LL

struct serve {
	struct card *card;
	struct zio_user *user;
	struct acquire acq;
	struct zio_user_request *current;
	void *scans;
	size_t room;		/* bytes of @scans */
	bool is_dead;
};

static volatile sig_atomic_t serve_signal;
static struct zio_user *serve_user;

static void serve_on_signal(int number)
{
	serve_signal = number;
	if (serve_user)
		zio_user_interrupt(serve_user);
}

static void serve_note_unplugged(struct serve *serve)
{
	complain("%s", zio_user_reason(serve->user));
	serve->is_dead = true;
}

/* Look for an abort. Return: whether the request is still wanted */
static bool serve_goes_on(void *arg)
{
	struct serve *serve = arg;
	struct zio_user_request *req;

	if (zio_user_next(serve->user, &req, 0) < 0 && errno == ENODEV)
		serve_note_unplugged(serve);
	return !serve->current->is_aborted && !serve->is_dead && !serve_signal;
}

/* Copy the samples of a channel from the scans into its block. */
static void serve_pick(const struct serve *serve, unsigned int chan, void *to, size_t n)
{
	const struct card *card = serve->card;
	const char *from = (const char *)serve->scans + chan * card->ssize;
	size_t i, step = card->n_chan * card->ssize;
	uint32_t *to32 = to;
	uint16_t *to16 = to;

	for (i = 0; i < n; i++, from += step) {
		if (card->ssize == sizeof(*to16))
			memcpy(&to16[i], from, sizeof(*to16));
		else
			memcpy(&to32[i], from, sizeof(*to32));
	}
}

/* Return: 0 or an errno */
static int serve_take(struct serve *serve, struct zio_user_request *req, size_t n)
{
	struct uzio_filled *filled;
	unsigned int i;
	int64_t time;
	void *mem;
	int error;

	error = acquire_scans(&serve->acq, serve->scans, n, req->arm->clock, &time, &req->lost);
	if (error)
		return error;
	for (i = 0; i < req->n_blocks; i++) {
		mem = zio_user_data(serve->user, req, i);
		if (!mem) {
			complain("%s", zio_user_reason(serve->user));
			return ENOMEM;
		}
		serve_pick(serve, req->blocks[i].chan, mem, n);
		filled = &req->filled[i];
		filled->len = n * serve->card->ssize;
		filled->flags = UZIO_FILLED_TIME;
		filled->time.secs = time / NSEC;
		filled->time.ticks = time % NSEC;
	}
	return 0;
}

/* Return: 0 or an errno */
static int serve_fill(struct serve *serve, struct zio_user_request *req)
{
	size_t n = req->arm->post_samples;
	size_t size = n * serve->card->n_chan * serve->card->ssize;

	if (req->is_aborted)
		return ECANCELED;
	if (size > serve->room) {
		free(serve->scans);
		serve->scans = allocate(1, size);
		serve->room = size;
	}
	return serve_take(serve, req, n);
}

static void serve_request(struct serve *serve, struct zio_user_request *req)
{
	int error;

	serve->current = req;
	error = serve_fill(serve, req);
	if (error == EOVERFLOW)
		complain("%s: the buffer of the driver has overrun: samples are lost",
			 serve->card->file);
	if (error == ENODEV) {
		complain("%s: the card is gone", serve->card->file);
		serve->is_dead = true;
	}
	if (error)
		zio_user_fail(serve->user, req, error);
	else
		zio_user_done(serve->user, req);
}

static void serve_loop(struct serve *serve)
{
	struct zio_user_request *req;
	int ret;

	while (!serve_signal && !serve->is_dead) {
		ret = zio_user_next(serve->user, &req, -1);
		if (ret > 0)
			serve_request(serve, req);
		else if (ret < 0 && errno == ENODEV)
			serve_note_unplugged(serve);
	}
}

/**
 * comedi_serve() - make a device, and serve it until a signal
 * @card: the card
 * @name: of the device
 *
 * Context: The thread of the program. May sleep.
 * Return: exit status.
 */
int comedi_serve(struct card *card, const char *name)
{
	/* The second signal kills a program whose card does not return. */
	struct sigaction action = { .sa_handler = serve_on_signal, .sa_flags = SA_RESETHAND };
	struct serve serve = { .card = card };
	struct uzio_set set;
	struct zio_user_device device = { .name = name, .id = -1, .sets = &set, .n_sets = 1 };
	struct zio_error error;

	card_describe(card, &set);
	serve.user = zio_user_create(&device, &error);
	if (!serve.user) {
		complain("%s: no device: %s", card->file, error.text);
		return EXIT_OPEN;
	}
	serve.acq = (struct acquire) {
		.card = card, .fd = zio_user_fd(serve.user), .goes_on = serve_goes_on,
		.arg = &serve,
	};
	serve_user = serve.user;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	printf("%s: %s, %u channels, %.9g samples per second\n", zio_user_name(serve.user),
	       card->file, card->n_chan, 1e9 / card->period_ns);
	fflush(stdout);
	serve_loop(&serve);
	acquire_stop(&serve.acq);
	serve_user = NULL;
	zio_user_close(serve.user);
	free(serve.scans);
	return serve_signal ? EXIT_BY_SIGNAL + serve_signal : EXIT_FAILED;
}
