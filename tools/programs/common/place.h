/* SPDX-License-Identifier: GPL-2.0-only */
/* The time of a block */
#ifndef ZIO_COMMON_PLACE_H
#define ZIO_COMMON_PLACE_H

#include "libzio/zio.h"

/*
 * Place the next block of the source @name in the timeline of its channel, which is in @list.
 * @given is the user's rate, if any. No sample has a time by an estimated rate. Returns 0, or
 * -1 after a message: the control has a time that is none, and the block is placed without.
 */
int place_block(struct zio_timeline **list, const char *name,
		const struct zio_control *control, const struct zio_rate *given,
		struct zio_place *place);

#endif /* ZIO_COMMON_PLACE_H */
