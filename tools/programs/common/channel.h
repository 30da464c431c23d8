/* SPDX-License-Identifier: GPL-2.0-only */
/* Open and read channels by libzio. */
#ifndef ZIO_COMMON_CHANNEL_H
#define ZIO_COMMON_CHANNEL_H

#include <poll.h>

#include "libzio/zio.h"

/* Open a channel by zio_open(); NULL after a message. */
struct zio_channel *open_channel(const char *name, int flags);

/* Return what wait_unless_stopped() needs to wait for a block. */
struct pollfd input_of(const struct zio_channel *ch);

/* A block file keeps the address of an input; an output has its own. */
void clear_address(struct zio_control *control);

/* Return what a user can do after an output refused a block; "" if there is no hint. */
const char *output_hint(int code);

#endif /* ZIO_COMMON_CHANNEL_H */
