/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * slot.h: the fast path of a ring, for zio_next() and ring.c
 *
 *   S  The store-release of the tail pairs with the load-acquire of the kernel in
 *      zio-core's ring.c. Without it, the kernel could overwrite samples that are still
 *      being read.
 */
#ifndef LIBZIO_SLOT_H
#define LIBZIO_SLOT_H

#include "channel.h"

static inline void release_up_to(struct zio_channel *ch, uint32_t number)
{
	__atomic_store_n(&ch->ring.hdr->tail, number, __ATOMIC_RELEASE);	/* S */
}

static inline const struct zio_control *take_slot(struct zio_channel *ch)
{
	uint32_t i = ch->ring.next++ & ch->ring.mask;

	return (const void *)(ch->ring.slots + (size_t)i * ch->ring.slot_size);
}

/*
 * The slow cases (a loss, no data, an error) are tail calls, so that the caller need not
 * save registers for them.
 */
static inline int show_slot(struct zio_channel *ch, struct zio_block *blk,
			    const struct zio_control *control)
{
	uint64_t size = (uint64_t)control->nsamples * control->ssize;
	uint64_t offset = control->mem_offset |
			  (uint64_t)control->mem_offset_high << 32;

	if (zio_unlikely(control->seq_num != ch->seq.expected ||
			 control->major_version != ZIO_MAJOR_VERSION ||
			 size - 1 >= ch->data.limit ||
			 offset > ch->data.size - size))
		return zio_ring_whole(ch, blk, control);
	ch->seq.expected++;
	ch->stats.blocks++;
	ch->stats.bytes += size;
	blk->control = control;
	blk->data = ch->data.mem + offset;
	blk->size = size;
	blk->lost = 0;
	return 1;
}

#endif /* LIBZIO_SLOT_H */
