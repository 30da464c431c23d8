// SPDX-License-Identifier: GPL-2.0-only
/* Open and read channels by libzio */
#include <errno.h>
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
