/* SPDX-License-Identifier: GPL-2.0-only */
/* The times of blocks, and what is missing between them */
#ifndef ZIO_COMMON_PLACE_H
#define ZIO_COMMON_PLACE_H

#include "libzio/zio.h"

/*
 * Place the next block of the source @name in the timeline of its channel, which is in @list.
 * @given is the user's rate, or NULL. No sample has a time by an estimated rate. Returns 0, or
 * -1 after a message: the control has a time that is none, and the block is placed without.
 * If @name is NULL, there is no message.
 */
int place_block(struct zio_timeline **list, const char *name,
		const struct zio_control *control, const struct zio_rate *given,
		struct zio_place *place);

/* Add the accounts of all timelines in @list to @sum. */
void sum_accounts(const struct zio_timeline *list, struct zio_account *sum);

/*
 * Say "WHAT: " and what is missing, in one line; that nothing is only if @always. Returns
 * EXIT_OK, or EXIT_NOT_CLEAN if something is missing.
 */
int tell_sum(const char *what, const struct zio_account *sum, bool always);

/*
 * The same for the blocks of the source @name, which are in @list. A tap passes over blocks,
 * which is no fault.
 */
int tell_account(const char *name, const struct zio_channel *ch,
		 const struct zio_timeline *list, bool always);

#endif /* ZIO_COMMON_PLACE_H */
