/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-stream.h: the interface for boards with many blocks in flight
 *
 * A set with ZIO_CSET_STREAM has a FIFO of blocks per channel. The driver takes free
 * blocks ahead, and hands them to the hardware. It completes them in the same order,
 * several at a time. drivers/zero/stream.c has an example; Documentation/dma-cards.md explains
 * how to write such a driver.
 *
 * With ZIO_CSET_OUTPUT the driver takes blocks with samples, in the order of their writers,
 * and completes those that were played. zio_channel_lost() gives up the oldest ones. The
 * core calls raw_io() when there are blocks. It keeps blocks in flight when stop_io() has
 * returned: the next raw_io() takes them again. If the user wants the last block repeated,
 * zio_channel_take() returns that block again; with ZIO_CSET_CYCLIC the board repeats it. Its
 * stop_io() completes a block that it has repeated, if zio_cset_is_cyclic() is false by then.
 * drivers/zio-play.c is an example.
 *
 * raw_io() starts the stream and returns ZIO_PENDING. It takes the first blocks of the
 * channels that zio_for_each_channel() visits. There are no other armed blocks. Any other
 * value is an error, and the core takes the blocks back.
 *
 * stop_io() ends the stream. zio_channel_take() finds no block any more. The driver may
 * complete what the hardware has finished. After stop_io() returns, the driver calls none
 * of these functions, and does not touch a block. The core takes the blocks in flight
 * back. They have no number yet, so an end leaves no gap. The core may call raw_io()
 * again at any time. A change of the configuration ends a stream and starts it again.
 *
 * refill() follows when zio_channel_take() has found no free block, and there may be one
 * now. It is called in any context, and does not sleep. Calls may overlap each other and
 * the driver's interrupt handler. None runs beside stop_io() or after it.
 *
 * arm_event() is called in the context of the trigger, for an event at the given time.
 * Returns 0 if the board has started an acquisition; else the event is lost. A set without
 * this operation has the trigger "transparent" only.
 *
 * The driver calls zio_channel_take() of one channel from one context at a time, together
 * with zio_channel_take_blocks(). The same holds for zio_channel_complete() and
 * zio_channel_lost(), together. These two may run beside the other two. Different channels
 * are independent. A driver does not call zio_channel_complete() with a lock that its
 * raw_io() or refill() takes: readers, and outputs that the channel feeds, run in that
 * context.
 */
#ifndef _LINUX_ZIO_STREAM_H
#define _LINUX_ZIO_STREAM_H

#include <linux/zio.h>

#define ZIO_MAX_QUEUE_DEPTH	65536

struct zio_block *zio_channel_take(struct zio_channel *chan);
struct zio_block *zio_channel_in_flight(struct zio_channel *chan, unsigned int i);
unsigned int zio_channel_take_blocks(struct zio_channel *chan, unsigned int n);
struct zio_block *const *zio_channel_in_flight_row(struct zio_channel *chan,
						   unsigned int i, unsigned int *n);
void zio_channel_complete(struct zio_channel *chan, unsigned int n);
void zio_channel_lost(struct zio_channel *chan, unsigned int n);
void zio_channel_give_back(struct zio_channel *chan, unsigned int n);
bool zio_cset_is_cyclic(const struct zio_cset *cset);

#endif /* _LINUX_ZIO_STREAM_H */
