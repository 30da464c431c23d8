/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * zio-place.h: where blocks lie in their timeline, and what is missing between them. A
 * part of zio.h.
 *
 * zio_timeline_add() fills in a place. <linux/zio-std-attr.h> describes what a control
 * says about time.
 */
#ifndef LIBZIO_ZIO_PLACE_H
#define LIBZIO_ZIO_PLACE_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

/**
 * struct zio_instant - a time on the clock of the trigger
 * @ns: nanoseconds since the epoch of the clock
 * @ps: picoseconds after that, 0 to 999
 */
struct zio_instant {
	int64_t ns;
	uint32_t ps;
};

/**
 * enum zio_rate_source - where the sample rate comes from
 * @ZIO_RATE_UNKNOWN: there is no rate, or the samples are not equidistant
 * @ZIO_RATE_CONTROL: the control
 * @ZIO_RATE_GIVEN: zio_timeline_set_rate()
 * @ZIO_RATE_ESTIMATED: the median step from block to block
 */
enum zio_rate_source {
	ZIO_RATE_UNKNOWN,
	ZIO_RATE_CONTROL,
	ZIO_RATE_GIVEN,
	ZIO_RATE_ESTIMATED,
};

/**
 * struct zio_rate - samples of one channel per second
 * @num: numerator; 0 if the rate is unknown
 * @den: denominator: a sample is taken every @den / @num seconds
 * @source: enum zio_rate_source
 * @scatter_ns: half of the steps from block to block differ from the median by less than
 *              this; -1 if fewer than eight were measured. A timeline measures steps
 *              while the control lacks the rate or the time error
 * @steps: number of steps measured recently, at most 31
 */
struct zio_rate {
	uint32_t num;
	uint32_t den;
	uint32_t source;
	uint32_t steps;
	int64_t scatter_ns;
};

/**
 * zio_control_rate() - return the sample rate stored in a control
 * @control: the control
 * @rate: receives the rate, @source is ZIO_RATE_CONTROL or ZIO_RATE_UNKNOWN
 *
 * In a control without EPOCH, from ZIO before version 1.5, the rate is max-sample-rate.
 *
 * Context: Any thread.
 * Return: 0; -1 with errno EINVAL for NULL, or if the control has only half of a rate.
 */
int zio_control_rate(const struct zio_control *control, struct zio_rate *rate);

/**
 * zio_rate_find() - turn a number of samples per second into a fraction
 * @value: samples per second
 * @rate: receives the shortest fraction equal to @value, or else the nearest 32-bit
 *        fraction; @source is ZIO_RATE_GIVEN
 *
 * Context: Any thread.
 * Return: 0; -1 with errno: EINVAL for NULL; ERANGE @value is not within 2.4e-10 to 2^32 - 1.
 */
int zio_rate_find(double value, struct zio_rate *rate);

/**
 * enum zio_break - why a block does not follow on from the one before
 * @ZIO_BREAK_LOST: blocks were lost
 * @ZIO_BREAK_MISSED: events were missed
 * @ZIO_BREAK_TAKEN: another reader took blocks, or a program dropped them
 * @ZIO_BREAK_OUTAGE: the device was restarted: its numbers start again, or EPOCH differs
 * @ZIO_BREAK_PAUSE: numbers continue, but the next samples were taken later
 * @ZIO_BREAK_STEP: numbers continue, but the clock was set
 * @ZIO_BREAK_CHANGE: the meaning of the samples changed; see enum zio_change
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
 * enum zio_change - what differs from the last block with samples
 * @ZIO_CHANGE_UNIT: the unit
 * @ZIO_CHANGE_SCALE: scale or offset
 * @ZIO_CHANGE_SIGN: whether samples are signed
 * @ZIO_CHANGE_BITS: the number of valid bits
 * @ZIO_CHANGE_SSIZE: bytes per sample
 * @ZIO_CHANGE_ORDER: byte order, or the end of the sample that holds the valid bits
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
 * struct zio_place - where a block lies in its timeline
 * @first: when sample 0 was taken; equal to @event if the rate is unknown. See @has_time
 * @event: when the sample of the event, number @pre, was taken
 * @rate_num: the sample rate is @rate_num / @rate_den per second; 0 if unknown
 * @rate_den: a sample is taken every @rate_den / @rate_num seconds
 * @rate_source: enum zio_rate_source
 * @error_ns: maximum error of @event; 0 if unknown
 * @samples: samples of one channel in the block, over all shots
 * @pre: samples of a shot before its event
 * @n_shots: number of shots; more than 1 only in old recordings
 * @has_time: the control has a time; @first and @event are 0 otherwise
 * @continues: sample 0 follows the last sample of the block before. If this is false and
 *             @breaks is 0, the block is the first one, or has its own event, or the rate
 *             is unknown
 * @breaks: bits of enum zio_break; several may be set
 * @changes: bits of enum zio_change
 * @lost: blocks that were lost before this one
 * @taken: blocks missing before this one that were not lost
 * @missed: events that were missed before this one
 * @lost_samples: samples of one channel in the lost blocks; 0 if unknown
 * @outage_ns: length of the outage by the clock; 0 if the clock cannot tell
 * @pause_ns: length of the pause
 * @step_ns: how far the clock was set, negative for backwards
 * @shot_ns: time from the event of the first shot to the event of each shot; entries
 *           beyond @n_shots are undefined
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
 * @taken: blocks that were neither lost nor read
 * @missed: events that were missed; see @missed_at_least
 * @outages: restarts of the device
 * @outage_ns: their total length, as far as the clock can tell
 * @pauses: pauses of a stream
 * @pause_ns: their total length
 * @steps: how often the clock was set
 * @changes: blocks in which the meaning of the samples changed
 * @changed: bits of enum zio_change of all these blocks
 * @missed_at_least: @missed is a lower limit: a control without MISSED told only that
 *                   there was at least one
 * @some_samples_unknown: some lost blocks had an unknown number of samples
 * @is_stream: blocks usually follow each other without a pause
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
 * zio_sample_time() - compute when a sample was taken
 * @place: the place of its block
 * @k: number of the sample in its channel, from 0; may lie beyond the end of the block
 * @time: receives the time, rounded down to a picosecond; rounding errors do not add up
 *
 * Context: Any thread.
 * Return: 0; -1 with errno: EINVAL for NULL; ENODATA the block has no time; ERANGE the
 * time is beyond 64 bits. If the rate is unknown, each sample gets the time of its event.
 */
int zio_sample_time(const struct zio_place *place, uint32_t k, struct zio_instant *time);

/**
 * zio_sample_times() - compute when all samples of a block were taken
 * @place: the place of the block, as zio_timeline_add() has filled it in
 * @times: receives the nanoseconds of zio_sample_time() for each of the &zio_place.samples
 *
 * Context: Any thread.
 * Return: 0; -1 with errno as zio_sample_time(), and @times is not complete.
 */
int zio_sample_times(const struct zio_place *place, int64_t *times);

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
 * zio_account_is_clean() - check that nothing is missing and nothing has changed
 * @account: the account
 *
 * Context: Any thread.
 * Return: true if all counts except @blocks are 0; false also for NULL.
 */
bool zio_account_is_clean(const struct zio_account *account);

/**
 * zio_account_text() - print an account as one sentence
 * @account: the account
 * @text: receives the text, such as "3 blocks lost in 1 gap, 5 events missed, 1 outage of
 *        3600 s", or "nothing lost"; may be NULL if @size is 0
 * @size: bytes of @text
 *
 * Context: Any thread.
 * Return: the length of the whole text, like snprintf(3); -1 with errno EINVAL for NULL.
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

#endif /* LIBZIO_ZIO_PLACE_H */
