// SPDX-License-Identifier: GPL-2.0-only
/* Messages: blocks of one channel, or events of a group */
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "common/text.h"
#include "message.h"

struct message *make_message(struct stream *stream)
{
	struct message *msg = allocate(1, sizeof(*msg));

	msg->stream = stream;
	msg->number = stream->messages++;
	msg->origin.at = -1;
	return msg;
}

void free_message(struct message *msg)
{
	free(msg->parts.text);
	free(msg->data);
	free(msg);
}

/* The queue counts allocated bytes: a message with few blocks must not take many. */
static void make_room(struct message *msg, size_t size, size_t limit)
{
	size_t least = msg->len + size;

	if (least <= msg->room)
		return;
	msg->room = msg->room ? 4 * msg->room : msg->stream->last_len;
	if (msg->room > limit)
		msg->room = limit;
	if (msg->room < least)
		msg->room = least;
	msg->data = realloc(msg->data, msg->room);
	if (!msg->data)
		fail_memory();
}

void add_block(struct message *msg, const struct zio_control *control,
	       const void *data, size_t size, uint64_t seq, size_t limit)
{
	make_room(msg, sizeof(*control) + size, limit);
	memcpy(msg->data + msg->len, control, sizeof(*control));
	msg->len += sizeof(*control);
	if (size)
		memcpy(msg->data + msg->len, data, size);
	msg->len += size;
	if (!msg->blocks++)
		msg->first = seq;
	msg->last = seq;
}

bool next_in_message(const char *data, size_t len, size_t *at,
		     struct zio_control *control, const char **samples, size_t *size)
{
	size_t left = len - *at;

	if (left < sizeof(*control))
		return false;
	memcpy(control, data + *at, sizeof(*control));
	left -= sizeof(*control);
	if (zio_control_size(control, size) || *size > left)
		return false;
	*samples = data + *at + sizeof(*control);
	*at += sizeof(*control) + *size;
	return true;
}
