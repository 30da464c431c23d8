// SPDX-License-Identifier: GPL-2.0-only
/* Open and read channels by libzio */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "channel.h"
#include "program.h"
#include "text.h"

struct zio_channel *open_channel(const char *name, int flags)
{
	struct zio_error err;
	struct zio_channel *ch = zio_open(name, flags, &err);

	if (!ch)
		complain("%s", err.text);
	return ch;
}

/* Get the control as the next block would have it, and take no block. */
static bool read_current_control(const struct zio_object *chan, struct zio_control *control)
{
	char path[PATH_MAX];
	bool is_read;
	FILE *file;

	put_text(path, sizeof(path), "%s/current-control", zio_object_path(chan));
	file = fopen(path, "re");
	if (!file)
		return false;
	is_read = fread(control, sizeof(*control), 1, file);
	fclose(file);
	return is_read;
}

/* Is this a channel with a trigger that acquires blocks also without a reader? */
static bool acquires_alone(const char *name)
{
	struct zio_object *obj = zio_find(NULL, name, NULL, NULL);
	struct zio_control control;
	bool is_alone = obj && read_current_control(obj, &control) && *control.triggername &&
			strncmp(control.triggername, "user", ZIO_OBJ_NAME_LEN);

	zio_object_free(obj);
	return is_alone;
}

/* A kernel module without taps has channels that can be read. */
struct zio_channel *open_newest(const char *name)
{
	struct zio_channel *ch = NULL;
	struct zio_error err = { .code = ENOTTY };

	if (acquires_alone(name))
		ch = zio_open(name, ZIO_OPEN_NONBLOCK | ZIO_OPEN_TAP, &err);
	if (!ch && err.code == ENOTTY) {
		ch = zio_open(name, ZIO_OPEN_NONBLOCK, &err);
		if (ch)
			zio_flush(ch);
	}
	if (!ch)
		complain("%s", err.text);
	return ch;
}

struct pollfd input_of(const struct zio_channel *ch)
{
	return (struct pollfd){ .fd = zio_fd(ch), .events = POLLIN };
}

/* The attributes of an input are no values for the blocks of an output. */
void clear_address(struct zio_control *control)
{
	memset(&control->addr, 0, sizeof(control->addr));
	control->attr_channel.ext_mask = 0;
}

const char *output_hint(int code)
{
	switch (code) {
	case EMSGSIZE:
		return " (the blocks of this output are smaller: set nsamples of its trigger)";
	case EINVAL:
		return " (is ssize of this output another one?)";
	default:
		return "";
	}
}
