// SPDX-License-Identifier: GPL-2.0-only
/*
 * overrun.c: the acquisition of zio-comedi with a card and a clock of this file
 *
 * test_comedi.py compiles it with acquire.c. A scan has two bytes and takes 1 ms; a request has
 * ten scans. A cancel takes a second, and nothing else takes time.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "programs/common/program.h"
#include "programs/comedi/comedi.h"

#define SCANS		10
#define PLENTY		1000
#define TAI_OFFSET	37

static const int *scans_of_commands;
static time_t now = 1000;
static int fds[2] = { -1, -1 };
static bool is_wanted = true;

/* In place of that of the C library */
int clock_gettime(clockid_t clock, struct timespec *to)
{
	*to = (struct timespec){ .tv_sec = now + (clock == CLOCK_TAI ? TAI_OFFSET : 0) };
	return 0;
}

/* The end of the file is that of a command that has overrun. */
int comedi_command(comedi_t *dev, comedi_cmd *cmd)
{
	static const char scan[2];
	int i;

	(void)dev;
	(void)cmd;
	if (pipe(fds))
		exit(1);
	for (i = 0; i < *scans_of_commands; i++)
		if (write(fds[1], scan, sizeof(scan)) < 0)
			exit(1);
	close(fds[1]);
	scans_of_commands++;
	return 0;
}

int comedi_cancel(comedi_t *dev, unsigned int subdevice)
{
	(void)dev;
	(void)subdevice;
	close(fds[0]);
	now++;
	return 0;
}

int comedi_fileno(comedi_t *dev)
{
	(void)dev;
	return fds[0];
}

int comedi_errno(void)
{
	return errno;
}

const char *comedi_strerror(int number)
{
	return strerror(number);
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

static bool goes_on(void *arg)
{
	(void)arg;
	return is_wanted;
}

static void request(struct acquire *acq, int clock)
{
	char scans[2 * SCANS];
	uint32_t lost;
	int64_t time;
	int error = acquire_scans(acq, scans, SCANS, clock, &time, &lost);

	if (error)
		printf("%s\n", strerrorname_np(error));
	else
		printf("%lld ms, %u lost\n", (long long)time / 1000000, lost);
}

int main(int argc, char **argv)
{
	/* The first command overruns behind a request, the second one at once. */
	static const int overruns[] = { SCANS, 0, PLENTY };
	static const int none[] = { PLENTY };
	struct card card = {
		.n_chan = 1, .ssize = 2, .period_ns = 1000000, .is_continuous = true,
		.command.stop_src = TRIG_NONE,
	};
	struct acquire acq = { .card = &card, .fd = -1, .goes_on = goes_on };
	const char *what = argc == 2 ? argv[1] : "";

	scans_of_commands = strcmp(what, "clock") ? overruns : none;
	request(&acq, CLOCK_REALTIME);
	if (!strcmp(what, "clock")) {
		request(&acq, CLOCK_TAI);
		return 0;
	}
	request(&acq, CLOCK_REALTIME);
	if (!strcmp(what, "abort")) {
		/* This starts and cancels the command that goes on; the next one is as good. */
		is_wanted = false;
		request(&acq, CLOCK_REALTIME);
		is_wanted = true;
		scans_of_commands = none;
		now += 3600;
	}
	request(&acq, !strcmp(what, "overruns and clock") ? CLOCK_TAI : CLOCK_REALTIME);
	return 0;
}
