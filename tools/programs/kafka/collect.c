// SPDX-License-Identifier: GPL-2.0-only
/* Collect blocks into messages, bounded in bytes and time */
#include <stdlib.h>

#include "collect.h"
#include "common/program.h"

const struct origin no_origin = { .at = -1 };

static void close_message(struct collector *c, struct stream *stream)
{
	struct message *msg = stream->open;

	stream->open = NULL;
	stream->last_len = msg->len;
	c->open--;
	submit_message(c->sender, msg);
}

/* A gap in the sequence begins a new message, so the headers give an exact range. */
static bool fits(const struct collector *c, const struct message *msg, size_t size,
		 uint64_t seq, const struct origin *origin)
{
	return msg->len + size <= c->bytes && msg->last + 1 == seq &&
	       msg->origin.again == origin->again &&
	       (msg->origin.at < 0) == (origin->at < 0);
}

/* Return the message to which blocks with number @seq are added, @size bytes with controls. */
static struct message *get_message(struct collector *c, struct stream *stream, size_t size,
				   uint64_t seq, const struct origin *origin)
{
	if (stream->open && !fits(c, stream->open, size, seq, origin))
		close_message(c, stream);
	if (!stream->open) {
		stream->open = make_message(stream);
		stream->open->origin = *origin;
		stream->open->begin = seconds_now();
		stream->open->deadline = stream->open->begin + c->linger;
		c->open++;
	}
	return stream->open;
}

void collect_block(struct collector *c, struct account *account,
		   const struct zio_block *blk, uint64_t seq, const struct origin *origin)
{
	size_t size = sizeof(*blk->control) + blk->size;
	struct message *msg = get_message(c, &account->stream, size, seq, origin);

	msg->account = account;
	add_block(msg, blk->control, blk->data, blk->size, seq, c->bytes);
	if (c->one_block || msg->len >= c->bytes)
		close_message(c, &account->stream);
}

static size_t size_of_event(const struct zio_event *ev)
{
	size_t size = 0;
	unsigned int i;

	for (i = 0; i < ev->n_parts; i++)
		if (ev->parts[i].blk.control)
			size += sizeof(struct zio_control) + ev->parts[i].blk.size;
	return size;
}

void collect_event(struct collector *c, const struct zio_event *ev, uint64_t number)
{
	struct stream *stream = &c->group->stream;
	struct message *msg = get_message(c, stream, size_of_event(ev), number, &no_origin);
	unsigned int i;

	msg->group = c->group;
	for (i = 0; i < ev->n_parts; i++) {
		const struct zio_block *blk = &ev->parts[i].blk;

		if (blk->control)
			add_block(msg, blk->control, blk->data, blk->size, number, c->bytes);
	}
	add_event(&msg->parts, ev);
	if (msg->len >= c->bytes)
		close_message(c, stream);
}

void close_unspooled(struct collector *c)
{
	struct account *a;

	for (a = accounts; c->open && a; a = a->following)
		if (a->stream.open && a->stream.open->origin.at < 0)
			close_message(c, &a->stream);
}

static double close_due(struct collector *c, struct stream *stream, double now, double next)
{
	if (stream->open && stream->open->deadline <= now)
		close_message(c, stream);
	return stream->open && stream->open->deadline < next ? stream->open->deadline : next;
}

double close_messages(struct collector *c, double now)
{
	struct account *a;
	double next = 1e18;

	if (!c->open)
		return next;
	for (a = accounts; a; a = a->following)
		next = close_due(c, &a->stream, now, next);
	return c->group ? close_due(c, &c->group->stream, now, next) : next;
}
