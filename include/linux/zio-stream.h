/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-stream.h: the interface for boards with many blocks in flight
 *
 * A set with ZIO_CSET_STREAM has a FIFO of blocks per channel. The driver takes free blocks
 * in advance, hands them to the hardware, and completes them in the same order, several at a
 * time. drivers/zero/stream.c is an example; Documentation/dma-cards.md explains how to write
 * such a driver.
 *
 * With ZIO_CSET_OUTPUT the driver takes blocks with samples, in the order in which they were
 * written, and completes them when they have been played. zio_channel_lost() drops the oldest
 * ones. The core calls raw_io() when there are blocks. Blocks in flight stay there when
 * stop_io() returns, and the next raw_io() takes them again. If the user wants the last block
 * repeated, zio_channel_take() returns that block again; with ZIO_CSET_CYCLIC the board
 * repeats it. If zio_cset_is_cyclic() has become false, stop_io() of such a board completes a
 * block that was repeated. drivers/zio-play.c is an example.
 *
 * raw_io() starts the stream and returns ZIO_PENDING. It takes the first blocks of the
 * channels that zio_for_each_channel() visits; no other block is armed. Any other return
 * value is an error, and the core takes the blocks back.
 *
 * stop_io() ends the stream. From then on zio_channel_take() finds no block. The driver may
 * still complete what the hardware has finished. Once stop_io() has returned, the driver
 * neither calls these functions nor touches a block. The core takes back the blocks in
 * flight. They have no number yet, so the end of a stream leaves no gap. raw_io() may follow
 * at any time. A change of the configuration stops a stream and starts it again.
 *
 * The core calls refill() when there may be a free block after zio_channel_take() has found
 * none. The context may be any; refill() must not sleep. Calls may overlap each other and the
 * driver's interrupt handler. No call runs during stop_io() or after it.
 *
 * The core calls arm_event() in the context of the trigger, with the time of the event. It
 * returns 0 if the board has started an acquisition; otherwise the event is lost. A set
 * without this operation has the trigger "transparent" only.
 *
 * For one channel, calls of zio_channel_take() and zio_channel_take_blocks() must not
 * overlap; nor must calls of zio_channel_complete() and zio_channel_lost(). The first pair
 * may run concurrently with the second. Different channels are independent. Do not call
 * zio_channel_complete() under a lock that raw_io() or refill() takes: readers, and outputs
 * that the channel feeds, run in that context.
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
