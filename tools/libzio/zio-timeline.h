/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When samples were taken, and what is missing between blocks. A part of <zio/zio.h>.
 *
 * A timeline takes the controls of one channel, in their order. It places each block: when
 * its samples were taken, and whether they follow those of the block before. If not, it
 * tells why, and it keeps the account of the channel.
 *
 *	struct zio_timeline *tl = zio_timeline_open(&err);
 *	struct zio_place place;
 *	struct zio_account account;
 *	char text[256];
 *
 *	for (;;) {
 *		int r = zio_next(ch, &blk);
 *
 *		if (r < 0)
 *			errx(1, "%s", zio_reason(ch));
 *		if (!r)
 *			break;
 *		if (zio_timeline_add(tl, blk.control, &place, &err))
 *			errx(1, "%s", err.text);
 *		if (place.breaks)
 *			begin_anew(&place);
 *		use(place.first.ns, blk.data, blk.size);
 *	}
 *	zio_timeline_account(tl, &account);
 *	zio_account_text(&account, text, sizeof(text));
 *	puts(text);
 *	zio_timeline_close(tl);
 *
 * Only one thread at a time may use a timeline; different ones are independent.
 * <linux/zio-std-attr.h> tells what a control says of time.
 */
#ifndef LIBZIO_ZIO_TIMELINE_H
#define LIBZIO_ZIO_TIMELINE_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

struct zio_timeline;

/**
 * zio_timeline_open() - make a timeline for the blocks of one channel
 * @err: receives the reason of a failure; may be NULL
 *
 * Context: Any thread.
 * Return: the timeline, which the caller frees by zio_timeline_close(); NULL with errno
 * ENOMEM.
 */
struct zio_timeline *zio_timeline_open(struct zio_error *err);

/**
 * zio_timeline_of() - find the timeline of a control's channel, or make it
 * @list: the first one of a list, or NULL if the list is empty; receives the first one
 * @control: the control
 * @err: receives the reason of a failure; may be NULL
 *
 * A block file may have blocks of several channels:
 *
 *	tl = zio_timeline_of(&list, blk.control, &err);
 *	if (!tl || zio_timeline_add(tl, blk.control, &place, &err))
 *		errx(1, "%s", err.text);
 *
 * Context: One thread per list. Allocates memory for each new channel.
 * Return: the timeline; NULL with errno EINVAL if a pointer is NULL, or ENOMEM.
 */
struct zio_timeline *zio_timeline_of(struct zio_timeline **list,
				     const struct zio_control *control, struct zio_error *err);

/**
 * zio_timeline_next() - return the next timeline of a list
 * @tl: a timeline
 *
 * Context: One thread per list.
 * Return: that of the channel that came next; NULL after the last one, and, with errno
 * EINVAL, for NULL.
 */
struct zio_timeline *zio_timeline_next(const struct zio_timeline *tl);

/**
 * zio_timeline_addr() - return the channel of a timeline
 * @tl: the timeline
 *
 * Context: One thread per timeline.
 * Return: its address, valid until zio_timeline_close(); NULL if it has seen no control,
 * and, with errno EINVAL, for NULL.
 */
const struct zio_addr *zio_timeline_addr(const struct zio_timeline *tl);

/**
 * zio_timeline_close() - free a timeline, and those that follow in its list
 * @tl: the timeline; may be NULL
 *
 * Context: The thread that uses the timeline.
 */
void zio_timeline_close(struct zio_timeline *tl);

/**
 * zio_timeline_set_rate() - tell the rate of blocks whose controls have none
 * @tl: the timeline
 * @num: samples of one channel per second are @num / @den; 0 takes the rate back
 * @den: the denominator; 0 if @num is 0
 *
 * It is the wish of a user, or the result of zio_timeline_rate() after a first pass over
 * the controls: the first blocks of a recording without a rate are placed without it.
 *
 * Context: One thread per timeline.
 * Return: 0; -1 with errno EINVAL if @tl is NULL, or only one number is 0.
 */
int zio_timeline_set_rate(struct zio_timeline *tl, uint32_t num, uint32_t den);

/**
 * zio_timeline_add() - place the next block
 * @tl: the timeline
 * @control: the control of the block
 * @place: receives the place
 * @err: receives the reason of a failure; may be NULL
 *
 * The rate of the control wins over that of zio_timeline_set_rate(), this over the
 * max-sample-rate of an old control (see zio_control_rate()), and this over the median of
 * the last 31 steps from block to block. At least three steps, which are
 * alike, give an estimate. Blocks with samples before their event give none: each has an
 * event of its own. Those of the trigger "user" give none: a reader made the events.
 *
 * Two blocks are next to each other if the time between them is that of the samples,
 * give or take the sum of both TIME_ERROR, 200 ppm of that time, and 2 ns. If a control
 * lacks TIME_ERROR, it is eight times the measured scatter, but at least an eighth of a
 * block or 5 ms, whichever is less, and at least 100 us; and half a
 * block until eight steps were measured.
 *
 * The blocks of the channel are a stream if at least half of the last 63 steps are so.
 * In a stream, a hole in time is a pause. In any other recording it lies between two
 * events, and is no fault. A clock that goes backwards, or more than a year ahead, was set.
 *
 * The gap in the numbers beyond LOST is taken. If the control has no LOST, the gap is
 * lost with the alarm lost-block, and taken without it. LOST and MISSED of the first block
 * tell what was before the recording, and do not count.
 *
 * Context: One thread per timeline. Allocates nothing.
 * Return: 0; -1 with errno, and the timeline is as before: EINVAL a pointer is NULL, the
 * control is of another channel, or its attributes contradict each other; ERANGE its time
 * is beyond what nanoseconds in 64 bits can tell.
 */
int zio_timeline_add(struct zio_timeline *tl, const struct zio_control *control,
		     struct zio_place *place, struct zio_error *err);

/**
 * zio_timeline_rate() - return the rate that the next block without one will have
 * @tl: the timeline
 * @rate: receives the rate: of the last control, given, or estimated
 *
 * Context: One thread per timeline.
 * Return: 0; -1 with errno EINVAL for NULL.
 */
int zio_timeline_rate(const struct zio_timeline *tl, struct zio_rate *rate);

/**
 * zio_timeline_account() - return what a timeline has seen
 * @tl: the timeline
 * @account: receives the account
 *
 * A timeline needs eight steps to tell a stream from events. So the account may know
 * better about pauses among the first blocks than their places did.
 *
 * Context: One thread per timeline.
 * Return: 0; -1 with errno EINVAL for NULL.
 */
int zio_timeline_account(const struct zio_timeline *tl, struct zio_account *account);

#endif /* LIBZIO_ZIO_TIMELINE_H */
