// SPDX-License-Identifier: GPL-2.0-only
/* Open and read channels by libzio */
#include <errno.h>
#include <string.h>

#include "channel.h"
#include "program.h"

struct zio_channel *open_channel(const char *name, int flags)
{
	struct zio_error err;
	struct zio_channel *ch = zio_open(name, flags, &err);

	if (!ch)
		complain("%s", err.text);
	return ch;
}

void limit_batch(struct zio_channel *ch, uint64_t limit, uint64_t done)
{
	if (limit && limit - done < ZIO_BATCH)
		zio_set_batch(ch, (unsigned int)(limit - done));
}

void clear_address(struct zio_control *control)
{
	memset(&control->addr, 0, sizeof(control->addr));
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
