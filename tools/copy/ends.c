// SPDX-License-Identifier: GPL-2.0-only
/* The ends of a copy: channels and block files */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "common/stop.h"
#include "copy.h"

/* After Ctrl-C, a block under way has so many milliseconds to get there. */
#define PATIENCE 1000

static int open_flags(const struct copy *c, const struct end *end)
{
	int flags = ZIO_OPEN_NONBLOCK | end->method;

	if (!end->output)
		return flags;
	return flags | ZIO_OPEN_OUTPUT |
	       (c->append ? ZIO_OPEN_APPEND : ZIO_OPEN_CREATE);
}

static int open_end(const struct copy *c, struct end *end,
		    struct zio_error *err)
{
	end->ch = zio_open(end->name, open_flags(c, end), err);
	return end->ch ? 0 : -1;
}

/* As plain as can be: this fails for what has nothing to do with the mode. */
static int open_plain(const struct copy *c, struct end *end)
{
	struct zio_error err;

	end->method = ZIO_OPEN_READ;
	if (open_end(c, end, &err)) {
		fprintf(stderr, "%s: %s\n", prog, err.text);
		return -1;
	}
	end->file = zio_is_file(end->ch);
	return 0;
}

int open_ends(struct copy *c)
{
	int i, ret = open_plain(c, &c->in);

	for (i = 0; !ret && i < c->n_out; i++) {
		c->out[i].output = true;
		ret = open_plain(c, &c->out[i]);
	}
	return ret;
}

/* A file stays open: it is the same to each mode, and is made empty only once. */
static int reopen(const struct copy *c, struct end *end, int method,
		  struct zio_error *err)
{
	struct zio_channel *before = end->ch;

	if (end->file || (end->ch && end->method == method))
		return 0;
	end->method = method;
	end->ch = NULL;
	zio_close(before);
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
	fprintf(stderr, "%s: %s: close: %s\n", prog, end->name,
		strerror(errno));
	if (!c->code)
		c->code = EXIT_IO;
}

void close_ends(struct copy *c)
{
	int i;

	close_end(c, &c->in);
	for (i = 0; i < c->n_out; i++)
		close_end(c, &c->out[i]);
}

/* Which channel a block is of is told to files; an output has its own address. */
void fit_control(struct zio_control *fit, const struct end *out,
		 const struct zio_control *control)
{
	*fit = *control;
	if (!out->file)
		memset(&fit->addr, 0, sizeof(fit->addr));
}

static const char *end_hint(const struct end *end, int code)
{
	if (!end->output || end->file)
		return "";
	if (code == EMSGSIZE)
		return " (blocks of this output are smaller: set nsamples of its trigger)";
	if (code == EINVAL)
		return " (has it samples of another size?)";
	return "";
}

int fail_end(struct copy *c, const struct end *end)
{
	int code = errno;

	c->code = EXIT_IO;
	if (code == EPIPE)
		c->code = EXIT_BY_SIGNAL + SIGPIPE;
	else
		fprintf(stderr, "%s: %s%s\n", prog, zio_reason(end->ch),
			end_hint(end, code));
	return -1;
}

static bool give_up(struct copy *c, const struct end *end)
{
	fprintf(stderr, "%s: %s: does not take the last block: given up\n",
		prog, end->name);
	c->code = EXIT_IO;
	return false;
}

/*
 * A call has failed: waits until it may be made again. Not when it has failed for
 * good, or a signal has come and no block is under way.
 */
bool try_again(struct copy *c, const struct end *end, short events)
{
	struct pollfd fd = { .fd = zio_fd(end->ch), .events = events };

	if (errno != EAGAIN && errno != EINTR) {
		fail_end(c, end);
		return false;
	}
	if (!caught_stop()) {
		wait_unless_stopped(&fd, 1);
		return true;
	}
	if (!c->under_way)
		return false;
	return poll(&fd, 1, PATIENCE) > 0 || give_up(c, end);
}
