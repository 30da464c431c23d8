// SPDX-License-Identifier: GPL-2.0-only
/* Source and targets of a copy: channels and block files */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/channel.h"
#include "common/silence.h"
#include "common/stop.h"
#include "copy.h"

/* Milliseconds for a target to accept the pending block after Ctrl-C */
#define STOP_TIMEOUT 1000

static int open_flags(const struct copy *c, const struct end *end)
{
	int flags = ZIO_OPEN_NONBLOCK | end->method;

	if (!end->output)
		return flags | ZIO_OPEN_AHEAD;
	return flags | ZIO_OPEN_OUTPUT |
	       (c->append ? ZIO_OPEN_APPEND : ZIO_OPEN_CREATE);
}

static int open_end(const struct copy *c, struct end *end,
		    struct zio_error *err)
{
	end->ch = zio_open(end->name, open_flags(c, end), err);
	return end->ch ? 0 : -1;
}

/* No mode is chosen yet, so this fails only for reasons common to all modes. */
static int open_by_read(const struct copy *c, struct end *end)
{
	end->method = ZIO_OPEN_READ;
	end->ch = open_channel(end->name, open_flags(c, end));
	if (!end->ch)
		return -1;
	end->file = zio_is_file(end->ch);
	return 0;
}

/* Opening the target would truncate the source. Appending would never end. */
static bool is_source(const struct copy *c, const struct end *out)
{
	struct stat from, to;

	if (!c->in.file || fstat(zio_fd(c->in.ch), &from) || !S_ISREG(from.st_mode))
		return false;
	if (strcmp(out->name, "-") ? stat(out->name, &to) : fstat(STDOUT_FILENO, &to))
		return false;
	return from.st_dev == to.st_dev && from.st_ino == to.st_ino;
}

static int open_target(const struct copy *c, struct end *out)
{
	out->output = true;
	if (!is_source(c, out))
		return open_by_read(c, out);
	complain("%s: this file is also the source: use another target", out->name);
	return -1;
}

int open_ends(struct copy *c)
{
	int i, ret = open_by_read(c, &c->in);

	for (i = 0; !ret && i < c->n_out; i++)
		ret = open_target(c, &c->out[i]);
	return ret;
}

/*
 * Leave a file open: all modes use it in the same way, and a second open() would truncate
 * it.
 */
static int reopen(const struct copy *c, struct end *end, int method,
		  struct zio_error *err)
{
	struct zio_channel *old = end->ch;

	if (end->file || (end->ch && end->method == method))
		return 0;
	end->method = method;
	end->ch = NULL;
	zio_close(old);
	return open_end(c, end, err);
}

int reopen_for(struct copy *c, const struct mode *mode, struct zio_error *err)
{
	int i, ret = reopen(c, &c->in, mode->in, err);

	for (i = 0; !ret && i < c->n_out; i++)
		ret = reopen(c, &c->out[i], mode->out, err);
	return ret;
}

static void close_end(struct copy *c, struct end *end)
{
	if (!zio_close(end->ch))
		return;
	complain("%s: close: %s", end->name, strerror(errno));
	if (!c->code)
		c->code = EXIT_FAILED;
}

void close_ends(struct copy *c)
{
	int i;

	zio_timeline_close(c->timelines);
	free(c->batch);
	close_end(c, &c->in);
	for (i = 0; i < c->n_out; i++)
		close_end(c, &c->out[i]);
}

void fit_control(struct zio_control *fit, const struct end *out,
		 const struct zio_control *control)
{
	*fit = *control;
	if (!out->file)
		clear_address(fit);
}

/* Set the exit code and print why the last call on @end failed. */
static void fail_end(struct copy *c, const struct end *end)
{
	int code = errno;

	if (code == EPIPE) {
		/* A broken pipe needs no message. */
		c->code = EXIT_BY_SIGNAL + SIGPIPE;
		return;
	}
	c->code = EXIT_FAILED;
	complain("%s%s", zio_reason(end->ch),
		 end->output && !end->file ? output_hint(code) : "");
}

static bool give_up(struct copy *c, const struct end *end)
{
	complain("%s: dropped the last block, which was not accepted within %d ms",
		 end->name, STOP_TIMEOUT);
	c->code = EXIT_FAILED;
	return false;
}

bool try_again(struct copy *c, const struct end *end, short events)
{
	struct pollfd fd = { .fd = zio_fd(end->ch), .events = events };

	if (errno != EAGAIN && errno != EINTR) {
		fail_end(c, end);
		return false;
	}
	if (!caught_stop()) {
		if (!end->output && expire_silence_timer())
			tell_silence(end->name, end->ch);
		wait_unless_stopped(&fd, 1, end->output ? FOREVER : silence_timer_left());
		return true;
	}
	if (!c->pending)
		return false;
	return poll(&fd, 1, STOP_TIMEOUT) > 0 || give_up(c, end);
}
