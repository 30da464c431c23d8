/* SPDX-License-Identifier: GPL-2.0-only */
/* Say once of channels that no block comes. */
#ifndef ZIO_COMMON_SILENCE_H
#define ZIO_COMMON_SILENCE_H

#include "libzio/zio.h"

/* Begin to wait for the first blocks of channels. */
void start_silence_timer(void);

/* Return the seconds until expire_silence_timer(); HUGE_VAL if it has been. */
double silence_timer_left(void);

/* Returns true once: at the first call after a few seconds. */
bool expire_silence_timer(void);

/* Say of channel @name, unless it is a file or had a block, that none comes, and why. */
void tell_silence(const char *name, const struct zio_channel *ch);

#endif /* ZIO_COMMON_SILENCE_H */
