/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read the blocks of several channels event by event. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_GROUP_H
#define LIBZIO_ZIO_GROUP_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

/* How long an event waits for a channel; zio_group_set_limit() changes it. */
#define ZIO_GROUP_LIMIT_MS 100
/* How many blocks of a channel can wait in memory; zio_group_set_depth() changes it. */
#define ZIO_GROUP_DEPTH 64

/*
 * A group reads many channels of many devices, and delivers their blocks event by event.
 * The blocks of an event have the same trigger, and time stamps within a window. Only one
 * thread at a time may use a group and its channels.
 */
struct zio_group;

/**
 * enum zio_group_flag - flags of zio_group_open()
 * @ZIO_GROUP_ANY_TRIGGER: let blocks of different triggers belong to one event; by
 *                         default the names of their triggers must be equal
 * @ZIO_GROUP_DROP_LATE: count late blocks, but do not deliver them
 */
enum zio_group_flag {
	ZIO_GROUP_ANY_TRIGGER = 1 << 0,
	ZIO_GROUP_DROP_LATE = 1 << 1,
};

/**
 * enum zio_part_state - what an event holds for a channel
 * @ZIO_PART_BLOCK: a block
 * @ZIO_PART_LOST: nothing; the sequence numbers prove that the block was lost
 * @ZIO_PART_SKIPPED: nothing; a later block arrived and none was lost before it. The
 *                    channel fires less often, joined later, or was still armed
 * @ZIO_PART_LATE: nothing yet when the limit of zio_group_set_limit() passed. The block
 *                 may follow in a late event
 * @ZIO_PART_GONE: nothing; the device is gone, or the file is at its end
 * @ZIO_PART_GIVEN: nothing in this late event; the event delivered before had the block
 */
enum zio_part_state {
	ZIO_PART_BLOCK,
	ZIO_PART_LOST,
	ZIO_PART_SKIPPED,
	ZIO_PART_LATE,
	ZIO_PART_GONE,
	ZIO_PART_GIVEN,
};

/**
 * struct zio_part - one channel in an event
 * @ch: the channel
 * @state: ZIO_PART_BLOCK, or why there is no block
 * @error: for ZIO_PART_GONE the errno, which zio_reason() describes; 0 at the end of a
 *         file
 * @blk: the block for ZIO_PART_BLOCK; otherwise all zero
 */
struct zio_part {
	struct zio_channel *ch;
	enum zio_part_state state;
	int error;
	struct zio_block blk;
};

/**
 * struct zio_event - an event; valid until the next call on its group
 * @time_ns: the earliest time stamp of its blocks, in nanoseconds of the trigger's clock
 * @parts: the channels, in the order of zio_group_add()
 * @n_parts: number of channels
 * @n_blocks: number of channels with a block, at least 1
 * @late: the blocks arrived after their event was delivered; see ZIO_PART_LATE
 */
struct zio_event {
	uint64_t time_ns;
	const struct zio_part *parts;
	unsigned int n_parts;
	unsigned int n_blocks;
	bool late;
};

/**
 * struct zio_group_stats - counts since zio_group_open()
 * @events: delivered events, except late ones
 * @complete: delivered events with a block of every channel
 * @blocks: delivered blocks, including late ones
 * @lost: parts with ZIO_PART_LOST
 * @skipped: parts with ZIO_PART_SKIPPED
 * @late: parts with ZIO_PART_LATE
 * @gone: parts with ZIO_PART_GONE
 * @late_blocks: blocks that arrived late, delivered or dropped
 * @dropped: blocks that were read but never delivered: late ones with
 *           ZIO_GROUP_DROP_LATE, and the blocks of a closed channel
 * @errors: calls that failed because a channel failed
 */
struct zio_group_stats {
	uint64_t events;
	uint64_t complete;
	uint64_t blocks;
	uint64_t lost;
	uint64_t skipped;
	uint64_t late;
	uint64_t gone;
	uint64_t late_blocks;
	uint64_t dropped;
	uint64_t errors;
};

/**
 * zio_group_open() - open a group without channels
 * @flags: bits of enum zio_group_flag
 * @err: receives the reason of a failure; may be NULL
 *
 * Context: Any thread. Does not wait.
 * Return: the group, to be closed with zio_group_close(); or NULL with errno: EINVAL
 * unknown @flags; ENOMEM; and the errors of epoll_create1(2).
 */
struct zio_group *zio_group_open(unsigned int flags, struct zio_error *err);

/**
 * zio_group_close() - close a group
 * @g: the group; may be NULL
 *
 * Frees the group. The channels stay open and belong to the caller. Blocks that the group
 * has read but not delivered are gone.
 *
 * Context: The thread that uses the group. Does not wait.
 */
void zio_group_close(struct zio_group *g);

/**
 * zio_group_add() - add a channel to a group
 * @g: the group
 * @ch: an input or a block file, possibly open for controls only. The caller still closes
 *      it, and zio_close() removes it from the group. Until then the caller must not read
 *      from it
 *
 * A channel may join at any time. While it is in a group, calls on it do not wait.
 *
 * Context: The thread that uses the group. Does not wait.
 * Return: the index of the channel in &zio_event.parts; or -1 with errno: EBADF @ch is
 * an output; EBUSY it is in a group; ENOMEM; and the errors of epoll_ctl(2).
 */
int zio_group_add(struct zio_group *g, struct zio_channel *ch);

/**
 * zio_group_add_set() - open all channels of an input set, and add them to a group
 * @g: the group; it owns the channels, and zio_group_close() closes them
 * @name: the set: the name of a channel without its number, such as "zzero-0000-0",
 *        "zzero-0" or "zzero/0"
 * @err: receives the reason of a failure; may be NULL
 *
 * If the buffer of the set can be mapped, the channels share one ring, one head and one
 * poll. Otherwise each channel uses the first method that it offers. The new channels get
 * the next free indices. A program may close one of them, which then leaves the group.
 *
 * Context: The thread that uses the group. Does not wait.
 * Return: the number of channels; or -1 with errno, as zio_open() and zio_group_add().
 */
int zio_group_add_set(struct zio_group *g, const char *name, struct zio_error *err);

/**
 * zio_group_set_window() - set how far the time stamps of one event may differ
 * @g: the group
 * @ns: nanoseconds; the default 0 suits channels that share a trigger. Choose less than
 *      half of the time between two events
 *
 * Context: The thread that uses the group. Does not wait.
 */
void zio_group_set_window(struct zio_group *g, uint64_t ns);

/**
 * zio_group_set_limit() - set how long an event waits for a channel
 * @g: the group
 * @ms: milliseconds after the group has read the first block of the event; 0 does not
 *      wait; a negative number waits without limit. The default is ZIO_GROUP_LIMIT_MS
 *
 * Context: The thread that uses the group. Does not wait.
 */
void zio_group_set_limit(struct zio_group *g, int ms);

/**
 * zio_group_set_depth() - set how many blocks of a channel wait in memory
 * @g: a group without channels
 * @blocks: 1 to 65536. The default is ZIO_GROUP_DEPTH
 *
 * While an event waits for one channel, the group goes on reading the others, so they
 * lose no blocks. When the memory of a channel is full, the event stops waiting. Without
 * a limit it waits on, and the group reads no more blocks of that channel.
 *
 * Context: The thread that uses the group. Does not wait.
 * Return: 0; -1 with errno: EINVAL @blocks is out of range; EBUSY the group has channels.
 */
int zio_group_set_depth(struct zio_group *g, unsigned int blocks);

/**
 * zio_group_next() - wait for the next event
 * @g: the group
 * @ev: receives the event, whose memory belongs to the library
 * @timeout: milliseconds; 0 does not wait; a negative number waits without limit
 *
 * Events come in the order of time, except late ones and those after a step of the clock.
 * Each block is delivered once. A channel goes on after a part with ZIO_PART_LATE,
 * ZIO_PART_LOST or ZIO_PART_SKIPPED.
 *
 * Context: One thread per group. Waits at most @timeout.
 * Return: 1; 0 all channels are gone, or the group has none; -1 with errno: EAGAIN the
 * timeout expired; EINTR a signal arrived; ECANCELED zio_group_interrupt() was called;
 * EINVAL an argument is NULL; or an errno of zio_next() if a channel failed but is not
 * gone. zio_group_reason() describes the error. After any error the next call continues.
 */
int zio_group_next(struct zio_group *g, struct zio_event *ev, int timeout);

/**
 * zio_group_fd() - return the descriptor to poll
 * @g: the group
 *
 * Call zio_group_next() with a timeout of 0 first, and poll only after EAGAIN. On POLLIN
 * call zio_group_next() again; it may still fail with EAGAIN.
 *
 * Context: The thread that uses the group. Does not wait.
 * Return: the descriptor, which does not change and belongs to the library.
 */
int zio_group_fd(const struct zio_group *g);

/**
 * zio_group_interrupt() - end the current wait and all later ones
 * @g: the group
 *
 * zio_group_next() fails with ECANCELED instead of waiting, until zio_group_resume().
 *
 * Context: Any, including a signal handler or another thread, while @g is open. errno is
 * unchanged.
 */
void zio_group_interrupt(struct zio_group *g);

/**
 * zio_group_resume() - let calls wait again after zio_group_interrupt()
 * @g: the group
 *
 * Context: Any thread, while @g is open. errno is unchanged.
 */
void zio_group_resume(struct zio_group *g);

/**
 * zio_group_stats() - return the counts of events, blocks and missing parts
 * @g: the group
 *
 * Context: The thread that uses the group.
 * Return: the counters, valid until zio_group_close() and updated with each event; NULL
 * with EINVAL if @g is NULL.
 */
const struct zio_group_stats *zio_group_stats(const struct zio_group *g);

/**
 * zio_group_reason() - describe why the last call on a group failed
 * @g: the group
 *
 * Context: The thread that uses the group. Does not wait; errno is unchanged.
 * Return: the text, which names the channel that failed, if any; valid until the next
 * call.
 */
const char *zio_group_reason(struct zio_group *g);

/**
 * zio_part_name() - return the name of a state
 * @state: the state of a part
 *
 * Context: Any thread.
 * Return: a constant string: "block", "lost", "skipped", "late", "gone", "given"; NULL if
 * there is no such state.
 */
const char *zio_part_name(enum zio_part_state state);

#endif /* LIBZIO_ZIO_GROUP_H */
