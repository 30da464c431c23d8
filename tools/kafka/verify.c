// SPDX-License-Identifier: GPL-2.0-only
/*
 * verify.c: gaps and duplicates in a topic, and what its producers said
 *
 * The sequence numbers of the blocks tell gaps. The numbers of the messages in a run of a
 * producer tell duplicates. At its end a producer sends an account of each channel: the
 * blocks that it saw stored must be there.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/complete.h"
#include "common/json.h"
#include "common/stop.h"
#include "common/text.h"
#include "options.h"

/* One run of a producer, for one channel */
struct run {
	struct run *following;
	char id[32];
	uint64_t blocks;	/* found, without duplicates */
	uint64_t duplicates;
	uint64_t stored;	/* as the producer said */
	uint64_t told;		/* blocks that it said are not stored */
	bool has_account;
	bool has_begin;		/* its first message was read */
};

struct channel {
	struct channel *following;
	char key[ADDRESS_LEN];
	struct run *runs;
	uint64_t messages;
	uint64_t blocks;
	uint64_t gaps;
	uint64_t missing;
	uint64_t told;		/* blocks that producers said are not stored */
	uint64_t duplicates;
	uint64_t damaged;
	uint64_t restarts;
	bool is_known;
	uint32_t next;
	struct zio_timestamp last;
};

struct verify {
	struct conf conf;
	struct arguments args;
	struct position from;
	struct position until;
	bool json;
	struct consumer consumer;
	struct channel *channels;
	uint64_t wrong_accounts;
	uint64_t unfinished;	/* runs without an account */
	uint64_t others;
	int code;
};

static struct channel *find_channel(struct verify *v, const rd_kafka_message_t *rkm)
{
	struct channel **at, *chan;
	char key[ADDRESS_LEN];

	put_text(key, sizeof(key), "%.*s", (int)rkm->key_len, (const char *)rkm->key);
	for (at = &v->channels; *at; at = &(*at)->following)
		if (!strcmp((*at)->key, key))
			return *at;
	chan = allocate(1, sizeof(*chan));
	put_text(chan->key, sizeof(chan->key), "%s", key);
	*at = chan;
	return chan;
}

static struct run *find_run(struct channel *chan, const rd_kafka_message_t *rkm)
{
	struct run **at, *run;
	char id[sizeof(run->id)] = "";

	get_header(rkm, HEADER_RUN, id, sizeof(id));
	for (at = &chan->runs; *at; at = &(*at)->following)
		if (!strcmp((*at)->id, id))
			return *at;
	run = allocate(1, sizeof(*run));
	memcpy(run->id, id, sizeof(id));
	*at = run;
	return run;
}

static void put_time(char text[64], const struct zio_timestamp *stamp)
{
	time_t seconds = (time_t)stamp->secs;
	char date[40] = "?";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	put_text(text, 64, "%s.%09" PRIu64 "Z", date, stamp->ticks);
}

static void tell_gap(struct channel *chan, const struct zio_control *control,
		     uint32_t gap)
{
	char from[64], to[64];

	chan->gaps++;
	chan->missing += gap;
	put_time(from, &chan->last);
	put_time(to, &control->tstamp);
	complain("%s: %" PRIu32 " blocks are missing, from number %" PRIu32 ", between %s "
		 "and %s", chan->key, gap, chan->next, from, to);
}

static bool is_later(const struct zio_timestamp *a, const struct zio_timestamp *b)
{
	return a->secs != b->secs ? a->secs > b->secs : a->ticks > b->ticks;
}

/*
 * A number that goes back belongs to a block that was sent twice, or to a new device. Only
 * the time stamp of the latter is later than that of the block before.
 */
static void check_block(struct channel *chan, struct run *run,
			const struct zio_control *control)
{
	uint32_t gap = control->seq_num - chan->next;

	if (chan->is_known && gap > INT32_MAX) {
		if (!is_later(&control->tstamp, &chan->last)) {
			chan->duplicates++;
			run->duplicates++;
			return;
		}
		chan->restarts++;
	} else if (chan->is_known && gap) {
		tell_gap(chan, control, gap);
	}
	chan->is_known = true;
	chan->next = control->seq_num + 1;
	chan->last = control->tstamp;
	chan->blocks++;
	run->blocks++;
}

static void check_blocks(struct channel *chan, struct run *run,
			 const rd_kafka_message_t *rkm, struct block_cursor *cursor)
{
	uint64_t wanted = 0, found = 0;
	int ret;

	while ((ret = next_block(cursor)) > 0) {
		check_block(chan, run, &cursor->control);
		found++;
	}
	get_header_u64(rkm, HEADER_BLOCKS, &wanted);
	if (!ret && found == wanted)
		return;
	chan->damaged++;
	complain("%s: partition %d, offset %" PRId64 ": the message has %" PRIu64 " blocks, "
		 "not %" PRIu64, chan->key, rkm->partition, rkm->offset, found, wanted);
}

static uint64_t get_number(const json_t *obj, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(obj, name));
}

static void read_account(struct run *run, const rd_kafka_message_t *rkm)
{
	json_t *obj = json_loadb(rkm->payload, rkm->len, 0, NULL);

	run->has_account = json_is_integer(json_object_get(obj, "stored"));
	run->stored = get_number(obj, "stored");
	run->told = get_number(obj, "lost") + get_number(obj, "refused") +
		    get_number(obj, "unacknowledged");
	json_decref(obj);
}

static void check_message(struct verify *v, const rd_kafka_message_t *rkm)
{
	struct channel *chan = find_channel(v, rkm);
	struct run *run = find_run(chan, rkm);
	struct block_cursor cursor;
	uint64_t number = 1;
	char format[32] = "";

	get_header(rkm, HEADER_FORMAT, format, sizeof(format));
	get_header_u64(rkm, HEADER_NUMBER, &number);
	run->has_begin |= !number || !rkm->offset;
	if (!strcmp(format, FORMAT_ACCOUNT)) {
		read_account(run, rkm);
	} else if (open_blocks(&cursor, rkm)) {
		chan->messages++;
		check_blocks(chan, run, rkm, &cursor);
	} else {
		v->others++;
	}
}

/* A run whose beginning is before --from has more blocks than were found. */
static void check_account(struct verify *v, struct channel *chan, const struct run *run)
{
	uint64_t found = run->blocks + run->duplicates;

	if (!run->has_account) {
		v->unfinished++;
		return;
	}
	chan->told += run->told;
	if (run->stored == found || (!run->has_begin && found && run->stored > found))
		return;
	v->wrong_accounts++;
	complain("%s: run %s has stored %" PRIu64 " blocks, and %" PRIu64 " are here",
		 chan->key, run->id, run->stored, found);
}

static void check_accounts(struct verify *v)
{
	struct channel *chan;
	const struct run *run;

	for (chan = v->channels; chan; chan = chan->following)
		for (run = chan->runs; run; run = run->following)
			check_account(v, chan, run);
}

/* --- results */

static json_t *channel_json(const struct channel *chan)
{
	json_t *obj = json_object();

	json_add_u64(obj, "blocks", chan->blocks);
	json_add_u64(obj, "messages", chan->messages);
	json_add_u64(obj, "gaps", chan->gaps);
	json_add_u64(obj, "missing", chan->missing);
	json_add_u64(obj, "told", chan->told);
	json_add_u64(obj, "duplicates", chan->duplicates);
	json_add_u64(obj, "restarts", chan->restarts);
	json_add_u64(obj, "damaged", chan->damaged);
	return obj;
}

static int print_json(const struct verify *v)
{
	json_t *root = json_object(), *list = json_object();
	const struct channel *chan;

	for (chan = v->channels; chan; chan = chan->following)
		json_add(list, chan->key, channel_json(chan));
	json_add(root, "channels", list);
	json_add_u64(root, "wrong_accounts", v->wrong_accounts);
	json_add_u64(root, "runs_without_account", v->unfinished);
	json_add_u64(root, "other_messages", v->others);
	return json_print(stdout, root, 0);
}

static void print_channels(const struct verify *v)
{
	const struct channel *chan;

	for (chan = v->channels; chan; chan = chan->following)
		printf("%s: %" PRIu64 " blocks in %" PRIu64 " messages, %" PRIu64
		       " missing in %" PRIu64 " gaps (producers told of %" PRIu64
		       "), %" PRIu64 " duplicates, %" PRIu64 " restarts, %" PRIu64
		       " damaged\n", chan->key, chan->blocks, chan->messages,
		       chan->missing, chan->gaps, chan->told, chan->duplicates,
		       chan->restarts, chan->damaged);
	if (v->unfinished)
		printf("%" PRIu64 " runs of a producer have no account: they go on, or were "
		       "killed\n", v->unfinished);
	if (v->others)
		printf("%" PRIu64 " messages are not of zio-kafka\n", v->others);
}

static bool is_complete(const struct verify *v)
{
	const struct channel *chan;

	for (chan = v->channels; chan; chan = chan->following)
		if (chan->missing || chan->duplicates || chan->damaged)
			return false;
	return !v->wrong_accounts;
}

/* --- the program */

static const struct argp_option options[] = {
	CONF_OPTIONS,
	PLACE_OPTIONS,
	{ "json", 'j', NULL, 0, "Print the results as JSON", 3 },
	{ 0 }
};

static error_t parse_verify(int key, char *arg, struct argp_state *state)
{
	struct verify *v = state->input;

	switch (key) {
	case 'j':
		v->json = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		check_conf(state, &v->conf);
		if (v->args.count)
			argp_usage(state);
		return 0;
	default:
		if (!parse_conf(key, arg, state, &v->conf) ||
		    !parse_places(key, arg, state, &v->from, &v->until))
			return 0;
		return keep_arguments(key, state, &v->args);
	}
}

static const struct argp verify_argp = {
	.options = options,
	.parser = parse_verify,
	.args_doc = "--topic=TOPIC",
	.doc = "Look for gaps and duplicates in a topic, and compare it with the accounts "
	"of the producers.\v"
	"Exit status: 0 nothing is missing; 1 blocks are missing, damaged or there twice, or "
	"an account is wrong; 2 usage; 3 the topic cannot be opened; 130 interrupted.",
	.children = program_options,
};

static void read_topic(struct verify *v)
{
	rd_kafka_message_t *rkm;
	int ret;

	while ((ret = next_message(&v->consumer, &rkm)) > 0) {
		check_message(v, rkm);
		rd_kafka_message_destroy(rkm);
	}
	if (ret < 0)
		v->code = EXIT_FAILED;
}

static int run_verify(struct verify *v)
{
	catch_stop_once(0);
	if (open_consumer(&v->consumer, &v->conf, &v->from, &v->until))
		return EXIT_OPEN;
	read_topic(v);
	check_accounts(v);
	if (v->json)
		print_json(v);
	else
		print_channels(v);
	if (!is_complete(v))
		v->code = EXIT_FAILED;
	return stop_status(v->code ? v->code : finish_output());
}

static void free_channels(struct verify *v)
{
	struct channel *chan;
	struct run *run;

	while ((chan = v->channels)) {
		v->channels = chan->following;
		while ((run = chan->runs)) {
			chan->runs = run->following;
			free(run);
		}
		free(chan);
	}
}

int verify_main(int argc, char **argv)
{
	struct verify v = { .until.kind = POSITION_END };
	const char *word = word_to_complete(argc, argv);
	int code;

	if (word) {
		offer_options(word, &verify_argp);
		return finish_output();
	}
	v.conf.settings = allocate((size_t)argc, sizeof(char *));
	parse_command(&verify_argp, argc, argv, &v);
	code = run_verify(&v);
	close_consumer(&v.consumer);
	free_channels(&v);
	free(v.conf.settings);
	return code;
}
