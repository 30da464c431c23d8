/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* set.h: the ring of a whole set, for the files of libzio */
#ifndef LIBZIO_SET_H
#define LIBZIO_SET_H

#include <stdbool.h>

struct zio_channel;
struct zio_set;

/* Open the node of a set. Returns NULL with errno. */
struct zio_set *zio_set_open(const char *path);
void zio_set_close(struct zio_set *set);
unsigned int zio_set_count(const struct zio_set *set);

/* Turn channel @i into a ring. Returns 0, or -1 with errno. */
int zio_set_adopt(struct zio_set *set, unsigned int i, struct zio_channel *ch);

/* Return passed blocks to the kernel, and deal new ones to their channels. */
void zio_set_turn(struct zio_set *set);

#endif /* LIBZIO_SET_H */
