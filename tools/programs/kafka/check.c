// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c: find gaps and duplicates in a topic, and check the accounts of its producers
 *
 * A timeline per channel finds gaps. A duplicate is no later than the block before it. When
 * a producer ends, it sends an account of each channel: the topic must have every block that
 * was acknowledged.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "common/place.h"
#include "common/program.h"
#include "common/text.h"

static struct channel *find_channel(struct findings *found, const char *key)
{
	struct channel **at, *chan;

	for (at = &found->channels; *at; at = &(*at)->following)
		if (!strcmp((*at)->key, key))
			return *at;
	chan = allocate(1, sizeof(*chan));
	put_text(chan->key, sizeof(chan->key), "%s", key);
	*at = chan;
	return chan;
}

static void put_time(char text[64], const struct zio_timestamp *stamp)
{
	const struct zio_timestamp time = carry_ticks(*stamp);
	time_t seconds = (time_t)time.secs;
	char date[40] = "?";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	put_text(text, 64, "%s.%09lluZ", date, (unsigned long long)time.ticks);
}

static void tell_gap(struct channel *chan, const struct zio_control *control,
		     uint64_t gap)
{
	char from[64], to[64];

	chan->gaps++;
	chan->missing += gap;
	put_time(from, &chan->last);
	put_time(to, &control->tstamp);
	complain("%s: %" PRIu64 " blocks are missing, from number %" PRIu32 ", between %s "
		 "and %s", chan->key, gap, chan->next, from, to);
}

static bool is_later(const struct zio_timestamp *a, const struct zio_timestamp *b)
{
	return a->secs != b->secs ? a->secs > b->secs : a->ticks > b->ticks;
}

/*
 * A sequence number goes back in a block that was sent twice, or when a device is new. Only
 * the new device has a time stamp later than the previous block.
 */
static bool comes_again(const struct channel *chan, const struct zio_control *control)
{
	uint32_t gap = control->seq_num - chan->next;

	return chan->timeline && gap != zio_sequence_lost(chan->next, control->seq_num) &&
	       !is_later(&control->tstamp, &chan->last);
}

/* Missing blocks were lost by the kernel, taken by another reader, or not stored. */
static void check_block(struct channel *chan, struct run *run,
			const struct zio_control *control)
{
	struct zio_place place;

	if (comes_again(chan, control)) {
		chan->duplicates++;
		run->duplicates++;
		return;
	}
	place_block(&chan->timeline, NULL, control, NULL, &place);
	chan->restarts += !!(place.breaks & ZIO_BREAK_OUTAGE);
	if (place.lost || place.taken)
		tell_gap(chan, control, (uint64_t)place.lost + place.taken);
	chan->next = control->seq_num + 1;
	chan->last = control->tstamp;
	chan->blocks++;
	run->blocks++;
}

/* Two hosts may have devices of the same name. Mixed sequence numbers make no sense. */
static void check_host(struct channel *chan, const rd_kafka_message_t *rkm)
{
	char host[256];

	if (chan->has_hosts || !get_header(rkm, HEADER_HOST, host, sizeof(host)))
		return;
	if (!*chan->host)
		put_text(chan->host, sizeof(chan->host), "%s", host);
	chan->has_hosts = strncmp(chan->host, host, sizeof(chan->host) - 1);
	if (chan->has_hosts)
		complain("%s: %s and %s have sent blocks of this name: give each host a "
			 "topic of its own, or number its devices differently",
			 chan->key, chan->host, host);
}

static void note_message(const struct findings *found, struct channel *chan,
			 struct run *run, const rd_kafka_message_t *rkm)
{
	uint64_t number = 1;

	if (chan->last_message == found->messages)
		return;
	chan->last_message = found->messages;
	chan->messages++;
	check_host(chan, rkm);
	get_header_u64(rkm, HEADER_NUMBER, &number);
	run->has_begin |= !number || !rkm->offset;
}

static void tell_damage(struct findings *found, struct channel *chan,
			const rd_kafka_message_t *rkm, uint64_t blocks, uint64_t wanted)
{
	char key[ADDRESS_LEN];

	put_key(key, rkm);
	chan = chan ? chan : find_channel(found, key);
	chan->damaged++;
	complain("%s: partition %d, offset %" PRId64 ": the message has %" PRIu64 " blocks, "
		 "not %" PRIu64, key, rkm->partition, rkm->offset, blocks, wanted);
}

/* Return the number of blocks. */
static uint64_t check_blocks(struct findings *found, const rd_kafka_message_t *rkm,
			     struct block_cursor *cursor)
{
	struct channel *chan = NULL;
	struct run *run = NULL;
	uint64_t wanted = 0, blocks = 0;
	char key[ADDRESS_LEN];
	int ret;

	while ((ret = next_block(cursor)) > 0) {
		put_address(key, &cursor->control);
		/* Except in events, consecutive blocks belong to the same channel. */
		if (!chan || strcmp(chan->key, key)) {
			chan = find_channel(found, key);
			run = find_run(&chan->runs, rkm);
			note_message(found, chan, run, rkm);
		}
		check_block(chan, run, &cursor->control);
		blocks++;
	}
	get_header_u64(rkm, HEADER_BLOCKS, &wanted);
	if (ret || blocks != wanted)
		tell_damage(found, chan, rkm, blocks, wanted);
	return blocks;
}

static uint64_t get_number(const json_t *obj, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(obj, name));
}

static void read_account(struct findings *found, const rd_kafka_message_t *rkm)
{
	json_t *obj = json_loadb(rkm->payload, rkm->len, 0, NULL);
	char key[ADDRESS_LEN];
	struct run *run;

	put_key(key, rkm);
	run = find_run(&find_channel(found, key)->runs, rkm);
	run->has_account = json_is_integer(json_object_get(obj, "stored"));
	run->stored = get_number(obj, "stored");
	run->told = get_number(obj, "lost") + get_number(obj, "taken") +
		    get_number(obj, "refused") + get_number(obj, "unacknowledged");
	json_decref(obj);
}

void check_message(struct findings *found, const rd_kafka_message_t *rkm)
{
	struct block_cursor cursor;
	char format[32] = "";
	uint64_t blocks;

	found->messages++;
	get_header(rkm, HEADER_FORMAT, format, sizeof(format));
	if (!strcmp(format, FORMAT_ACCOUNT)) {
		read_account(found, rkm);
	} else if (open_blocks(&cursor, rkm)) {
		blocks = check_blocks(found, rkm, &cursor);
		if (cursor.kind == EVENTS_VALUE)
			check_events(found, rkm, blocks);
	} else {
		found->others++;
	}
}

/* A run that began before --from has stored more blocks than were found. */
static void check_account(struct findings *found, struct channel *chan,
			  const struct run *run)
{
	uint64_t blocks = run->blocks + run->duplicates;

	if (!run->has_account) {
		found->unfinished++;
		return;
	}
	chan->told += run->told;
	if (run->stored == blocks ||
	    (!run->has_begin && blocks && run->stored > blocks))
		return;
	found->wrong_accounts++;
	complain("%s: run %s stored %" PRIu64 " blocks, but the topic has %" PRIu64,
		 chan->key, run->id, run->stored, blocks);
}

void check_accounts(struct findings *found)
{
	struct channel *chan;
	const struct run *run;

	for (chan = found->channels; chan; chan = chan->following)
		for (run = chan->runs; run; run = run->following)
			check_account(found, chan, run);
}

bool is_right(const struct findings *found)
{
	const struct channel *chan;
	const struct events *events;

	for (chan = found->channels; chan; chan = chan->following)
		if (chan->duplicates || chan->damaged)
			return false;
	for (events = found->groups; events; events = events->following)
		if (events->damaged)
			return false;
	return !found->wrong_accounts;
}

/* The topic does not show which of the missing blocks another reader took. */
int tell_missing(const struct findings *found, const char *topic)
{
	struct zio_account sum = { 0 };
	const struct channel *chan;
	const struct events *events;
	uint64_t gaps = 0;

	for (chan = found->channels; chan; chan = chan->following) {
		sum_accounts(chan->timeline, &sum);
		gaps += chan->gaps;
	}
	sum.lost += sum.taken;
	sum.taken = 0;
	sum.gaps = gaps;
	for (events = found->groups; events; events = events->following)
		sum.missed += events->missing;
	return tell_sum(topic, &sum, false);
}

void free_findings(struct findings *found)
{
	struct channel *chan;

	while ((chan = found->channels)) {
		found->channels = chan->following;
		free_runs(chan->runs);
		zio_timeline_close(chan->timeline);
		free(chan);
	}
	free_events(found);
}
