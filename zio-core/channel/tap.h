/* SPDX-License-Identifier: GPL-2.0-only */
/* tap.h: an input's taps (tap.c) and the ring they read (tap-ring.c) */
#ifndef _ZIO_TAP_H
#define _ZIO_TAP_H

#include "channel/internal.h"

/* How many blocks a tap may lag behind, unless their memory is refilled first */
#define ZIO_TAP_SLOTS	64

/**
 * struct zio_tap_slot - one finished block
 * @ctrl: its control
 * @snap_id: the snapshot whose values @ctrl has
 * @begin: where its samples begin; counts all bytes that were ever handed out
 * @span: the memory is used again for the bytes from @begin + @span on
 * @offset: place of the samples in the area, or in ring->copy
 * @len: bytes of samples
 * @is_copy: the samples are in ring->copy
 */
struct zio_tap_slot {
	struct zio_control ctrl;
	u64 snap_id;
	unsigned long begin;
	unsigned long span;
	size_t offset;
	size_t len;
	bool is_copy;
};

/**
 * struct zio_tap_ring - the newest blocks of an input, for all of its taps
 * @head: number of blocks in the ring since it exists, wraps
 * @first: blocks before this one are no longer valid
 * @edge: all memory before this byte may be filled again; counts as &zio_tap_slot.begin
 * @wanted: copies: a tap has taken or skipped the newest block
 * @base: for the writer: the first byte of the area, or of the next copy, in @edge's count
 * @last: for the writer: offset of the last block in the area
 * @is_new: for the writer: @base and @last are not valid yet
 * @n_copies: for the writer: number of copies
 * @copy: room for two copies
 * @copy_size: bytes of each
 * @wq: taps that wait for a block
 * @wake_work: wakes them for a hard interrupt handler under PREEMPT_RT
 * @slot: block i is in slot i % ZIO_TAP_SLOTS
 */
struct zio_tap_ring {
	u32 head;
	u32 first;
	unsigned long edge;
	bool wanted;
	unsigned long base;
	size_t last;
	bool is_new;
	unsigned int n_copies;
	void *copy;
	size_t copy_size;
	wait_queue_head_t wq;
	struct irq_work wake_work;
	struct zio_tap_slot slot[ZIO_TAP_SLOTS];
};

/* tap-ring.c */
struct zio_tap_ring *zio_tap_ring_get(struct zio_channel_core *chan, u32 *pos);
void zio_tap_ring_put(struct zio_channel_core *chan, struct zio_tap_ring *ring);
bool zio_tap_ring_look(struct zio_tap_ring *ring, u32 *pos, struct zio_tap_slot *slot);
bool zio_tap_slot_is_intact(struct zio_tap_ring *ring, u32 pos,
			    const struct zio_tap_slot *slot);
void zio_tap_block_done(struct zio_channel_core *chan, struct zio_block *block);
void zio_tap_memory_move(struct zio_channel_core *chan);

/* Returns true if there may be a block for the tap at @pos. */
static inline bool zio_tap_ring_has(struct zio_tap_ring *ring, u32 pos)
{
	return smp_load_acquire(&ring->head) != pos;		/* A */
}

/* Asks the writer for the next copy: the caller has taken or skipped the last one. */
static inline void zio_tap_ring_want(struct zio_tap_ring *ring)
{
	smp_store_release(&ring->wanted, true);			/* A */
}

/* sniff.c */
void zio_sniff_block_done(struct zio_channel_core *chan, struct zio_block *block);

#endif /* _ZIO_TAP_H */
