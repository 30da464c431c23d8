/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When samples were taken, and what is missing between blocks. A part of <zio/zio.h>.
 *
 * A timeline takes the controls of one channel in their order. For each block it tells
 * when the samples were taken, whether they continue the block before, and if not, why.
 * It also keeps the account of the channel.
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
 * Only one thread at a time may use a timeline; different timelines are independent.
 * <linux/zio-std-attr.h> describes what a control says about time.
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
 * Return: the timeline, to be freed with zio_timeline_close(); NULL with errno ENOMEM.
 */
struct zio_timeline *zio_timeline_open(struct zio_error *err);

/**
 * zio_timeline_of() - find or make the timeline of a control's channel
 * @list: the first timeline of a list, NULL if it is empty; receives the new first one
 * @control: the control
 * @err: receives the reason of a failure; may be NULL
 *
 * Use this for a block file with blocks of several channels:
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
 * Return: the timeline of the channel that appeared next; NULL after the last one; NULL
 * with errno EINVAL for NULL.
 */
struct zio_timeline *zio_timeline_next(const struct zio_timeline *tl);

/**
 * zio_timeline_addr() - return the channel of a timeline
 * @tl: the timeline
 *
 * Context: One thread per timeline.
 * Return: its address, valid until zio_timeline_close(); NULL if it has not seen a
 * control; NULL with errno EINVAL for NULL.
 */
const struct zio_addr *zio_timeline_addr(const struct zio_timeline *tl);

/**
 * zio_timeline_close() - free a timeline and all that follow in its list
 * @tl: the timeline; may be NULL
 *
 * Context: The thread that uses the timeline.
 */
void zio_timeline_close(struct zio_timeline *tl);

/**
 * zio_timeline_set_rate() - set the rate of blocks whose controls lack one
 * @tl: the timeline
 * @num: the rate of one channel is @num / @den samples per second; 0 withdraws the rate
 * @den: the denominator; 0 if @num is 0
 *
 * Use the rate that the user wants, or the result of zio_timeline_rate() after a first
 * pass over the controls. Without it, the first blocks of a recording are placed before a
 * rate is known.
 *
 * Context: One thread per timeline.
 * Return: 0; -1 with errno EINVAL if @tl is NULL, or only one of the two numbers is 0.
 */
int zio_timeline_set_rate(struct zio_timeline *tl, uint32_t num, uint32_t den);

/**
 * zio_timeline_add() - place the next block
 * @tl: the timeline
 * @control: the control of the block
 * @place: receives the place
 * @err: receives the reason of a failure; may be NULL
 *
 * The rate comes from the control; or else from zio_timeline_set_rate(); or else from the
 * max-sample-rate of an old control (see zio_control_rate()); or else from the median of
 * the last 31 steps from block to block. An estimate needs at least three similar steps.
 * Blocks with samples before their event give none, because each has its own event. Nor
 * do blocks of the trigger "user", because a reader made the events.
 *
 * Two blocks are adjacent if the time between them matches the samples within the sum of
 * both TIME_ERROR, 200 ppm of that time, and 2 ns. In place of a missing TIME_ERROR
 * stands eight times the measured scatter, but at least an eighth of a block or 5 ms,
 * whichever is less, and at least 100 us; and half a block until eight steps have been
 * measured.
 *
 * The channel is a stream if at least half of its last 63 steps join adjacent blocks. In
 * a stream, a hole in time is a pause. In any other recording it is just the time between
 * two events. A clock that jumps backwards, or ahead by more than a year, was set.
 *
 * Numbers missing beyond LOST count as taken. If the control has no LOST, the gap counts
 * as lost if the alarm lost-block is set, and as taken otherwise. LOST and MISSED of the
 * first block are about the time before the recording and do not count.
 *
 * Context: One thread per timeline. Allocates nothing.
 * Return: 0; -1 with errno and an unchanged timeline: EINVAL a pointer is NULL, the
 * control is of another channel, or its attributes contradict each other; ERANGE its time
 * is beyond what nanoseconds in 64 bits can tell.
 */
int zio_timeline_add(struct zio_timeline *tl, const struct zio_control *control,
		     struct zio_place *place, struct zio_error *err);

/**
 * zio_timeline_rate() - return the rate for the next block that lacks one
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
 * A timeline needs eight steps to tell a stream from events. So the account may report
 * pauses among the first blocks that their places did not show.
 *
 * Context: One thread per timeline.
 * Return: 0; -1 with errno EINVAL for NULL.
 */
int zio_timeline_account(const struct zio_timeline *tl, struct zio_account *account);

#endif /* LIBZIO_ZIO_TIMELINE_H */
