// SPDX-License-Identifier: GPL-2.0-only
/* Open and read channels by libzio */
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
