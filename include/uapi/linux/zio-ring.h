/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * zio-ring.h: the rings in the control nodes. A part of zio-user.h.
 *
 * The control ring: a program reads blocks without system calls.
 *
 * The program opens the control node of an input O_RDWR, and maps:
 *  - the first page of the control node, writable: the header;
 *  - slot_size * n_slots bytes from slots_offset on, read only: a control per slot;
 *  - data_size bytes of the data node, read only: the samples. Those of a block begin
 *    at mem_offset | (uint64_t)mem_offset_high << 32 of its control.
 *
 * head and tail count blocks and wrap at 2^32. The control of block i is in slot
 * i % n_slots. The program loads head (acquire). It owns the blocks from tail up to
 * head until it stores a new tail (release). If there is none, it sleeps in poll() on the
 * control node.
 */
#ifndef _UAPI_LINUX_ZIO_RING_H
#define _UAPI_LINUX_ZIO_RING_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdint.h>
#endif

#define ZIO_RING_MAGIC		0x5a494f52
#define ZIO_RING_VERSION	1

/*
 * Events bring the blocks: a program polls an empty ring only to sleep. Without this flag,
 * a block may be acquired only because a program polls.
 */
#define ZIO_RING_EVENTS		0x00000001

/*
 * The ring of a set has the blocks of all its channels. A program opens
 * /dev/zio/NAME-ID-CSET-ctrl O_RDWR and maps the header and the slots as above, and:
 *  - 4 * n_entries bytes from entries_offset on, read only: a slot number per entry;
 *  - the data node of each channel, read only.
 *
 * head and tail count entries. Entry i % n_entries has the number of the slot with the
 * control of block i. The number divided by channel_slots is the channel. The entries are
 * in the order in which the blocks were completed.
 */
#define ZIO_SET_RING_MAGIC	0x5a494f53

/* The first page of the control node; unused and reserved fields are zero. */
struct zio_ring_header {
	__u32 magic;		/* ZIO_RING_MAGIC */
	__u32 version;		/* ZIO_RING_VERSION; grows with incompatible changes */
	__u32 slots_offset;	/* place of the slots in the control node, for mmap() */
	__u32 slot_size;	/* bytes from one slot to the next */
	__u32 n_slots;		/* a power of two, except in the ring of a set */
	__u32 flags;		/* ZIO_RING_EVENTS; poll() brings it up to date */
	uint64_t data_size;	/* bytes of the data node that a program can map; 0: of a set */
	__u32 entries_offset;	/* ring of a set: place of the entries */
	__u32 n_entries;	/* ring of a set: a power of two */
	__u32 channel_slots;	/* ring of a set: a power of two */
	__u8 reserved[20];

	__u32 head;		/* finished blocks; only the kernel writes it */
	__u32 unused_head;
	uint64_t lost;		/* blocks for which memory was missing */
	__u8 reserved_head[48];

	__u32 tail;		/* passed blocks; only the program writes it */
	__u8 reserved_tail[60];
};

#endif /* _UAPI_LINUX_ZIO_RING_H */
