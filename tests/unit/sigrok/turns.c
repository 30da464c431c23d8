// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * turns.c: the requests of zio-sigrok without a kernel, and with an instrument of this file
 *
 * test_sigrok.py compiles it with serve.c. The first word is a script of the kernel: a digit arms
 * the set of this number, an 'a' aborts set 1, and at a '.' nothing is there for now. A signal
 * comes at its end. The second word is the errno of each acquisition, which takes a second.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libzio/zio.h"

#include "programs/sigrok/sigrok.h"

#define SETS	3

struct zio_user {
	struct zio_user_request requests[SETS];
	struct uzio_block block;
	struct uzio_filled filled[SETS];
	struct uzio_arm arm;
	int32_t sample;
};

volatile sig_atomic_t sigrok_signal;
static struct zio_user user = { .block.len = sizeof(int32_t) };
static const char *script;
static int error_of_all;
static time_t now = 1000;

/* In place of that of the C library */
int clock_gettime(clockid_t clock, struct timespec *to)
{
	(void)clock;
	*to = (struct timespec){ .tv_sec = now };
	return 0;
}

struct zio_user *zio_user_create(const struct zio_user_device *device, struct zio_error *err)
{
	(void)device;
	(void)err;
	return &user;
}

int zio_user_set_rate(struct uzio_set *set, double rate)
{
	(void)set;
	(void)rate;
	return 0;
}

int zio_user_set_scale(struct uzio_set *set, enum zio_unit unit, double scale, double offset)
{
	(void)set;
	(void)unit;
	(void)scale;
	(void)offset;
	return 0;
}

int zio_user_next(struct zio_user *dev, struct zio_user_request **req, int timeout)
{
	unsigned int set;

	while (*script == '.') {
		script++;
		if (!timeout)
			return 0;
	}
	if (!*script) {
		if (timeout)
			raise(SIGTERM);
		errno = ECANCELED;
		return timeout ? -1 : 0;
	}
	set = *script == 'a' ? 1 : *script - '0';
	*req = &dev->requests[set];
	if (*script++ == 'a')
		(*req)->is_aborted = true;
	else
		**req = (struct zio_user_request){
			.type = UZIO_ARM, .set = set, .n_blocks = 1, .arm = &dev->arm,
			.blocks = &dev->block, .filled = &dev->filled[set],
		};
	return 1;
}

void *zio_user_data(struct zio_user *dev, struct zio_user_request *req, unsigned int i)
{
	(void)req;
	(void)i;
	return &dev->sample;
}

int zio_user_done(struct zio_user *dev, struct zio_user_request *req)
{
	(void)dev;
	printf("done %u: %s %lld\n", req->set,
	       req->filled->flags & UZIO_FILLED_TIME ? "began" : "event",
	       (long long)req->filled->time.secs);
	return 0;
}

int zio_user_fail(struct zio_user *dev, struct zio_user_request *req, int error)
{
	(void)dev;
	printf("failed %u: %s\n", req->set, strerrorname_np(error));
	return 0;
}

int zio_user_flush(struct zio_user *dev)
{
	(void)dev;
	return 0;
}

void zio_user_interrupt(struct zio_user *dev)
{
	(void)dev;
}

void zio_user_close(struct zio_user *dev)
{
	(void)dev;
}

const char *zio_user_name(const struct zio_user *dev)
{
	(void)dev;
	return "turns";
}

const char *zio_user_reason(struct zio_user *dev)
{
	(void)dev;
	return "no reason";
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

unsigned int sigrok_width(const struct sigrok_set *set)
{
	return set->n_chan;
}

int sigrok_acquire(struct sigrok *dev, const struct sigrok_set *set,
		   struct sigrok_target *targets, size_t nsamples, sigrok_goes_on goes_on,
		   void *arg)
{
	(void)dev;
	(void)nsamples;
	printf("acquire %s\n", set->name);
	targets->n = 1;
	now++;
	goes_on(arg);
	return error_of_all;
}

int main(int argc, char **argv)
{
	struct sigrok_set sets[SETS] = {
		{ .name = "0", .unit = SR_UNIT_VOLT, .ssize = 4, .n_chan = 1 },
		{ .name = "1", .unit = SR_UNIT_VOLT, .ssize = 4, .n_chan = 1 },
		{ .name = "2", .unit = SR_UNIT_VOLT, .ssize = 4, .n_chan = 1 },
	};
	struct sr_dev_driver driver = { .name = "turns" };
	struct sigrok dev = { .driver = &driver, .n_sets = SETS, .sets = sets };

	if (argc != 3)
		return USAGE;
	script = argv[1];
	error_of_all = strcmp(argv[2], "EIO") ? strcmp(argv[2], "EPROTO") ? 0 : EPROTO : EIO;
	return sigrok_serve(&dev, "turns");
}
