/* SPDX-License-Identifier: GPL-2.0-only */
/* set.h: the node of a whole set, and its ring */
#ifndef _ZIO_CHANNEL_SET_H
#define _ZIO_CHANNEL_SET_H

#include "channel/internal.h"

/**
 * struct zio_set_node - the node of an input set with several channels
 * @dev: its device, which holds @first, and which each open file holds
 * @cset: the set
 * @first: its first channel, in whose wait queue the program sleeps
 * @minor: of @dev
 * @ring: while a file is open, else NULL; the owner of the phase may use it
 */
struct zio_set_node {
	struct device dev;
	struct zio_cset_core *cset;
	struct zio_channel_core *first;
	u32 minor;
	struct zio_set_ring *ring;
};

struct zio_set_ring {
	struct zio_ring ring; /* first, for zio_ring_free() */
	u32 *entry; /* numbers of slots, for the program */
	u16 *chan; /* of each entry */
	u32 stride; /* slots of each channel */
	u32 head, tail; /* the tail follows hdr->tail, when blocks are taken back */
	u64 lost; /* by all channels */
	struct zio_cset_notifier notifier;
};

/* set-ring.c */
int zio_set_ring_open(struct zio_set_node *node);
void zio_set_ring_close(struct zio_set_node *node);
void zio_set_ring_stop(struct zio_set_node *node);

#endif /* _ZIO_CHANNEL_SET_H */
