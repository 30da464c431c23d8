// SPDX-License-Identifier: GPL-2.0-only
/* FIFOs that stand for the channels of a group */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake.h"
#include "stream.h"

#define MAX_SIZE 4096

static int open_fifo(const char *path)
{
	if (mkfifo(path, 0600))
		return -1;
	return open(path, O_RDWR | O_CLOEXEC);
}

static int open_node(const struct stream *s, const char *suffix)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s-%s", s->path, suffix);
	return open_fifo(path);
}

int stream_open(struct stream *s, const char *dir, bool nodes, int flags)
{
	static int n;

	snprintf(s->path, sizeof(s->path), "%.4000s/stream-%04d-0-1", dir, ++n);
	s->nodes = nodes;
	s->ctrl = nodes ? open_node(s, "ctrl") : open_fifo(s->path);
	s->data = nodes ? open_node(s, "data") : s->ctrl;
	s->ch = zio_open(s->path, flags, NULL);
	return s->ctrl >= 0 && s->data >= 0 && s->ch ? 0 : -1;
}

void stream_end(struct stream *s)
{
	if (s->ctrl >= 0)
		close(s->ctrl);
	if (s->nodes && s->data >= 0)
		close(s->data);
	s->ctrl = -1;
	s->data = -1;
}

void stream_close(struct stream *s)
{
	zio_close(s->ch);
	stream_end(s);
}

void stream_control(struct zio_control *control, uint32_t seq, uint64_t ns,
		    const char *trigger, uint32_t nsamples)
{
	fake_control(control, seq, nsamples, 1);
	snprintf(control->triggername, sizeof(control->triggername), "%s", trigger);
	control->tstamp.secs = ns / 1000000000;
	control->tstamp.ticks = ns % 1000000000;
}

int stream_put_control(struct stream *s, const struct zio_control *control)
{
	return write(s->ctrl, control, sizeof(*control)) == sizeof(*control) ? 0 : -1;
}

/* In a group, only the sequence number and the time tell blocks apart. */
static unsigned char sample(const struct zio_control *control, size_t i)
{
	return fake_byte(control->seq_num + (uint32_t)control->tstamp.ticks, i);
}

int stream_put_data(struct stream *s, const struct zio_control *control)
{
	unsigned char bytes[MAX_SIZE];
	size_t i;

	for (i = 0; i < control->nsamples; i++)
		bytes[i] = sample(control, i);
	return write(s->data, bytes, i) == (ssize_t)i ? 0 : -1;
}

int stream_put(struct stream *s, uint32_t seq, uint64_t ns)
{
	struct zio_control control;

	stream_control(&control, seq, ns, "clock0", 16);
	return stream_put_control(s, &control) || stream_put_data(s, &control) ? -1 : 0;
}

bool stream_is_intact(const struct zio_block *blk)
{
	const unsigned char *bytes = blk->data;
	size_t i;

	if (!blk->control || blk->size != blk->control->nsamples ||
	    !bytes != !blk->size)
		return false;
	for (i = 0; i < blk->size; i++)
		if (bytes[i] != sample(blk->control, i))
			return false;
	return true;
}
