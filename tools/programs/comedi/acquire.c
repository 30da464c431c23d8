// SPDX-License-Identifier: GPL-2.0-only
/* acquire.c: run commands, and read their scans */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/program.h"
#include "comedi.h"

#define NSEC		1000000000LL
/* How long a signal may go unnoticed */
#define POLL_MS		100

static int64_t acquire_now(int clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NSEC + now.tv_nsec;
}

/* The trigger may have got another clock since. */
static void acquire_set_clock(struct acquire *acq, int clock)
{
	int64_t shift;

	if (acq->clock == clock)
		return;
	shift = acquire_now(clock) - acquire_now(acq->clock);
	acq->clock = clock;
	acq->start += shift;
	if (acq->end)
		acq->end += shift;
}

/* Return: 0 or an errno */
static int acquire_start(struct acquire *acq, size_t scans)
{
	comedi_cmd *cmd = &acq->card->command;
	int64_t before;

	if (cmd->stop_src == TRIG_COUNT)
		cmd->stop_arg = scans;
	before = acquire_now(acq->clock);
	if (comedi_command(acq->card->dev, cmd)) {
		complain("%s: no acquisition: %s", acq->card->file,
			 comedi_strerror(comedi_errno()));
		return errno == ENODEV ? ENODEV : EIO;
	}
	acq->start = before + (acquire_now(acq->clock) - before) / 2;
	acq->taken = 0;
	acq->is_running = true;
	return 0;
}

/* End the command, and drop what the card has taken. */
void acquire_stop(struct acquire *acq)
{
	if (acq->is_running)
		comedi_cancel(acq->card->dev, acq->card->subdevice);
	acq->is_running = false;
}

/* Return: 0; ECANCELED: nobody wants the scans any more; or an errno of read() */
static int acquire_read(struct acquire *acq, char *to, size_t size)
{
	struct pollfd fds[2] = {
		{ .fd = comedi_fileno(acq->card->dev), .events = POLLIN },
		{ .fd = acq->fd, .events = POLLIN },
	};
	ssize_t n;

	while (size) {
		/* A signal may come between this and poll(). */
		if (!acq->goes_on(acq->arg))
			return ECANCELED;
		fds[0].revents = 0;
		if (poll(fds, 2, POLL_MS) < 0 && errno != EINTR)
			return errno;
		if (!fds[0].revents)
			continue;
		n = read(fds[0].fd, to, size);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return errno;
		/* The command has ended too early. */
		if (!n)
			return EPIPE;
		if (n > 0) {
			to += n;
			size -= n;
		}
	}
	return 0;
}

/* Return: how many events of @n scans lie between the last scan and the start */
static uint32_t acquire_gap(const struct acquire *acq, size_t n)
{
	int64_t block = (int64_t)acq->card->period_ns * n;
	int64_t gap = acq->start - acq->end;

	return gap <= block ? 1 : (gap + block / 2) / block;
}

/**
 * acquire_scans() - read scans
 * @acq: the acquisition; a continuous one goes on where it was
 * @scans: memory for them
 * @n: number of scans
 * @clock: CLOCK_*
 * @time: receives the time of the first one, in nanoseconds of @clock
 * @lost: receives how many events of @n scans an overrun has lost in front of it
 *
 * If the buffer of the driver has overrun, a continuous command starts anew.
 *
 * Context: The thread of the program. May sleep.
 * Return: 0; ECANCELED; EOVERFLOW: an overrun within the scans; ENODEV: the card is gone; EIO
 * after a complaint.
 */
int acquire_scans(struct acquire *acq, void *scans, size_t n, int clock, int64_t *time,
		  uint32_t *lost)
{
	struct card *card = acq->card;
	size_t size = n * card->n_chan * card->ssize;
	bool again = false;	/* only once */
	int error = 0;

	*lost = 0;
	acquire_set_clock(acq, clock);
	do {
		if (!acq->is_running)
			error = acquire_start(acq, n);
		if (error)
			return error;
		if (acq->end)
			*lost = acquire_gap(acq, n);
		error = acquire_read(acq, scans, size);
		if (!error)
			break;
		acquire_stop(acq);
		/* An abort is no loss, and the reader of a single event gets its error. */
		if (error != EPIPE || !card->is_continuous)
			break;
		if (!acq->end)
			acq->end = acq->start + (int64_t)acq->taken * card->period_ns;
		again = !again;
	} while (again);
	if (error == ECANCELED)
		acq->end = 0;
	if (error)
		return error == EPIPE ? EOVERFLOW : error;
	*time = acq->start + (int64_t)acq->taken * card->period_ns;
	acq->taken += n;
	acq->end = 0;
	if (!card->is_continuous)
		acquire_stop(acq);
	return 0;
}
