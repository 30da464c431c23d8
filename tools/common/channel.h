/* SPDX-License-Identifier: GPL-2.0-only */
/* Open and read channels by libzio. */
#ifndef ZIO_COMMON_CHANNEL_H
#define ZIO_COMMON_CHANNEL_H

#include "libzio/zio.h"

/* Open a channel by zio_open(); NULL after a message. */
struct zio_channel *open_channel(const char *name, int flags);

/* Read no more blocks at once than are left of @limit; 0 is no limit. */
void limit_batch(struct zio_channel *ch, uint64_t limit, uint64_t done);

#endif /* ZIO_COMMON_CHANNEL_H */
