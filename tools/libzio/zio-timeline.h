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
 *	while (zio_next(ch, &blk) == 1) {
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
 * struct zio_instant - a time of the clock of the trigger
 * @ns: nanoseconds since the epoch of the clock
 * @ps: picoseconds after that, 0 to 999
 */
struct zio_instant {
	int64_t ns;
	uint32_t ps;
};

/**
 * enum zio_rate_source - where the samples per second are from
 * @ZIO_RATE_UNKNOWN: nobody; or the samples are not equidistant
 * @ZIO_RATE_CONTROL: the control
 * @ZIO_RATE_GIVEN: zio_timeline_set_rate()
 * @ZIO_RATE_ESTIMATED: the median of the steps from block to block
 */
enum zio_rate_source {
	ZIO_RATE_UNKNOWN,
	ZIO_RATE_CONTROL,
	ZIO_RATE_GIVEN,
	ZIO_RATE_ESTIMATED,
};

/**
 * struct zio_rate - samples of one channel per second
 * @num: numerator; 0 if the rate is not known
 * @den: denominator: a sample is taken every @den / @num seconds
 * @source: enum zio_rate_source
 * @scatter_ns: half of the steps from block to block differ from the median by less;
 *              -1 if fewer than eight were measured. A timeline measures them while the
 *              control lacks the rate or the error of the time
 * @steps: number of steps measured of late, at most 31
 */
struct zio_rate {
	uint32_t num;
	uint32_t den;
	uint32_t source;
	uint32_t steps;
	int64_t scatter_ns;
};

/**
 * enum zio_break - why a block does not follow the one before
 * @ZIO_BREAK_LOST: blocks were lost
 * @ZIO_BREAK_MISSED: events were missed
 * @ZIO_BREAK_TAKEN: another reader has taken blocks, or a program has dropped them
 * @ZIO_BREAK_OUTAGE: another run of the device: numbers begin anew, or EPOCH is another one
 * @ZIO_BREAK_PAUSE: numbers go on, but the next samples were taken later
 * @ZIO_BREAK_STEP: numbers go on, but the clock was set
 * @ZIO_BREAK_CHANGE: samples have another meaning; see enum zio_change
 */
enum zio_break {
	ZIO_BREAK_LOST = 1 << 0,
	ZIO_BREAK_MISSED = 1 << 1,
	ZIO_BREAK_TAKEN = 1 << 2,
	ZIO_BREAK_OUTAGE = 1 << 3,
	ZIO_BREAK_PAUSE = 1 << 4,
	ZIO_BREAK_STEP = 1 << 5,
	ZIO_BREAK_CHANGE = 1 << 6,
};

/**
 * enum zio_change - what is different from the block before
 * @ZIO_CHANGE_UNIT: the unit
 * @ZIO_CHANGE_SCALE: scale or offset
 * @ZIO_CHANGE_SIGN: whether samples have a sign
 * @ZIO_CHANGE_BITS: the number of valid bits
 * @ZIO_CHANGE_SSIZE: bytes per sample
 * @ZIO_CHANGE_ORDER: byte order, or the end of the sample at which the valid bits are
 * @ZIO_CHANGE_MASK: which channels have samples in an interleaved block
 * @ZIO_CHANGE_RATE: the rate in the control
 * @ZIO_CHANGE_CLOCK: the clock of the time stamps
 * @ZIO_CHANGE_SHAPE: samples before the event, or wanted after it; number of shots
 */
enum zio_change {
	ZIO_CHANGE_UNIT = 1 << 0,
	ZIO_CHANGE_SCALE = 1 << 1,
	ZIO_CHANGE_SIGN = 1 << 2,
	ZIO_CHANGE_BITS = 1 << 3,
	ZIO_CHANGE_SSIZE = 1 << 4,
	ZIO_CHANGE_ORDER = 1 << 5,
	ZIO_CHANGE_MASK = 1 << 6,
	ZIO_CHANGE_RATE = 1 << 7,
	ZIO_CHANGE_CLOCK = 1 << 8,
	ZIO_CHANGE_SHAPE = 1 << 9,
};

/**
 * struct zio_place - a block in its timeline
 * @first: when sample 0 was taken; see @has_time. It is @event if the rate is not known
 * @event: when the sample of the event was taken, which is number @pre
 * @rate_num: samples per second are @rate_num / @rate_den; 0 if they are not known
 * @rate_den: a sample is taken every @rate_den / @rate_num seconds
 * @rate_source: enum zio_rate_source
 * @error_ns: @event is wrong by so much at most; 0 if nobody knows
 * @samples: samples of one channel in the block; all shots together
 * @pre: samples of a shot before its event
 * @n_shots: number of shots; above 1 only in old recordings
 * @has_time: the control has a time; @first and @event are 0 otherwise
 * @continues: sample 0 follows the last sample of the block before. If this is false and
 *             @breaks is 0, the block is the first one, has an event of its own, or nobody
 *             can tell because the rate is not known
 * @breaks: bits of enum zio_break; several may be set
 * @changes: bits of enum zio_change
 * @lost: blocks that were lost before this one
 * @taken: blocks before this one that are not here, though they were not lost
 * @missed: events that were missed before this one
 * @lost_samples: samples of one channel in the lost blocks; 0 if nobody knows
 * @outage_ns: length of the outage by the clock; 0 if the clock does not tell it
 * @pause_ns: length of the pause
 * @step_ns: how far the clock was set, negative for backwards
 * @shot_ns: from the event of the first shot to that of each; the others are undefined
 */
struct zio_place {
	struct zio_instant first;
	struct zio_instant event;
	uint32_t rate_num;
	uint32_t rate_den;
	uint32_t rate_source;
	uint32_t error_ns;
	uint32_t samples;
	uint32_t pre;
	uint32_t n_shots;
	bool has_time;
	bool continues;
	uint32_t breaks;
	uint32_t changes;
	uint32_t lost;
	uint32_t taken;
	uint32_t missed;
	uint64_t lost_samples;
	int64_t outage_ns;
	int64_t pause_ns;
	int64_t step_ns;
	uint32_t shot_ns[ZIO_MAX_SHOTS];
};

/**
 * struct zio_account - what a timeline has seen
 * @blocks: blocks that were read
 * @lost: blocks that were lost
 * @gaps: places where blocks were lost
 * @lost_samples: samples of one channel in the lost blocks; see @some_samples_unknown
 * @taken: blocks that were not lost, but were not read
 * @missed: events that were missed; see @missed_at_least
 * @outages: breaks between runs of the device
 * @outage_ns: their length, as far as the clock tells it
 * @pauses: pauses of a stream
 * @pause_ns: their length
 * @steps: how often the clock was set
 * @changes: blocks whose samples have another meaning than those before
 * @changed: all bits of enum zio_change together
 * @missed_at_least: a control without MISSED told only that there was an event or more
 * @some_samples_unknown: nobody knows how many samples some lost blocks had
 * @is_stream: blocks follow each other without a pause, as a rule
 */
struct zio_account {
	uint64_t blocks;
	uint64_t lost;
	uint64_t gaps;
	uint64_t lost_samples;
	uint64_t taken;
	uint64_t missed;
	uint64_t outages;
	uint64_t outage_ns;
	uint64_t pauses;
	uint64_t pause_ns;
	uint64_t steps;
	uint64_t changes;
	uint32_t changed;
	bool missed_at_least;
	bool some_samples_unknown;
	bool is_stream;
};

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
 * The rate of the control wins over that of zio_timeline_set_rate(), and this wins over
 * the median of the last 31 steps from block to block. At least three steps, which are
 * alike, give an estimate. Blocks with samples before their event give none: each has an
 * event of its own.
 *
 * Two blocks are next to each other if the time between them is that of the samples,
 * give or take the sum of both TIME_ERROR, 200 ppm of that time, and 2 ns. If a control
 * lacks TIME_ERROR, it is eight times the measured scatter, but at least 100 us, and half a
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

/**
 * zio_sample_time() - compute when a sample was taken
 * @place: the place of its block
 * @k: number of the sample in its channel, from 0; may be behind the end of the block
 * @time: receives the time, rounded down to a picosecond; no error adds up
 *
 * Context: Any thread.
 * Return: 0; -1 with errno: EINVAL for NULL; ENODATA the block has no time; ERANGE the time
 * is beyond 64 bits. If the rate is not known, each sample has the time of its event.
 */
int zio_sample_time(const struct zio_place *place, uint32_t k, struct zio_instant *time);

/**
 * zio_account_add() - add one account to another
 * @sum: the account of several channels
 * @account: the account of one more
 *
 * Context: Any thread.
 * Return: 0; -1 with errno EINVAL for NULL.
 */
int zio_account_add(struct zio_account *sum, const struct zio_account *account);

/**
 * zio_account_is_clean() - check that nothing is missing, and nothing has changed
 * @account: the account
 *
 * Context: Any thread.
 * Return: true if all counts but those of blocks are 0; false also for NULL.
 */
bool zio_account_is_clean(const struct zio_account *account);

/**
 * zio_account_text() - print an account as one sentence
 * @account: the account
 * @text: receives the text, such as "3 blocks lost in 1 gap, 5 events missed, 1 outage of
 *        3600 s", or "nothing lost"; NULL if @size is 0
 * @size: bytes of @text
 *
 * Context: Any thread.
 * Return: the length of the whole text, as snprintf(3) returns it; -1 with errno EINVAL for
 * NULL.
 */
int zio_account_text(const struct zio_account *account, char *text, size_t size);

/**
 * zio_break_name() - return the name of a cause
 * @bit: number of the bit in the breaks of a place
 *
 * Context: Any thread.
 * Return: a constant string, such as "lost"; NULL if the bit has no name.
 */
const char *zio_break_name(unsigned int bit);

/**
 * zio_change_name() - return the name of what has changed
 * @bit: number of the bit in the changes of a place
 *
 * Context: Any thread.
 * Return: a constant string, such as "unit"; NULL if the bit has no name.
 */
const char *zio_change_name(unsigned int bit);

#endif /* LIBZIO_ZIO_TIMELINE_H */
