// SPDX-License-Identifier: GPL-2.0-only
/* verify.c: print the gaps and duplicates in a topic, and compare with its producers */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/complete.h"
#include "common/json.h"
#include "common/stop.h"
#include "common/text.h"
#include "options.h"

struct verify {
	struct conf conf;
	struct arguments args;
	struct position from;
	struct position until;
	bool json;
	struct consumer consumer;
	struct findings found;
	int code;
};

/* --- results */

static const struct json_count channel_counts[] = {
	{ "blocks", offsetof(struct channel, blocks) },
	{ "messages", offsetof(struct channel, messages) },
	{ "gaps", offsetof(struct channel, gaps) },
	{ "missing", offsetof(struct channel, missing) },
	{ "told", offsetof(struct channel, told) },
	{ "duplicates", offsetof(struct channel, duplicates) },
	{ "restarts", offsetof(struct channel, restarts) },
	{ "damaged", offsetof(struct channel, damaged) },
	{ 0 }
};

static const struct json_count events_counts[] = {
	{ "events", offsetof(struct events, events) },
	{ "complete", offsetof(struct events, complete) },
	{ "messages", offsetof(struct events, messages) },
	{ "missing", offsetof(struct events, missing) },
	{ "lost", offsetof(struct events, lost) },
	{ "skipped", offsetof(struct events, skipped) },
	{ "late", offsetof(struct events, late) },
	{ "gone", offsetof(struct events, gone) },
	{ "came_late", offsetof(struct events, came_late) },
	{ "damaged", offsetof(struct events, damaged) },
	{ 0 }
};

static json_t *counts_json(const void *object, const struct json_count *counts)
{
	json_t *obj = json_object();

	json_add_counts(obj, object, counts);
	return obj;
}

static int print_json(const struct findings *found)
{
	json_t *root = json_object(), *channels = json_object(), *groups = json_object();
	const struct channel *chan;
	const struct events *events;

	for (chan = found->channels; chan; chan = chan->following)
		json_add(channels, chan->key, counts_json(chan, channel_counts));
	for (events = found->groups; events; events = events->following)
		json_add(groups, events->key, counts_json(events, events_counts));
	json_add(root, "channels", channels);
	json_add(root, "groups", groups);
	json_add_u64(root, "wrong_accounts", found->wrong_accounts);
	json_add_u64(root, "runs_without_account", found->unfinished);
	json_add_u64(root, "other_messages", found->others);
	return json_print(stdout, root, 0);
}

static void print_findings(const struct findings *found)
{
	const struct channel *chan;
	const struct events *events;

	for (chan = found->channels; chan; chan = chan->following)
		printf("%s: %" PRIu64 " blocks in %" PRIu64 " messages, %" PRIu64
		       " missing in %" PRIu64 " gaps (producers reported %" PRIu64 "), %"
		       PRIu64 " duplicates, %" PRIu64 " restarts, %" PRIu64 " damaged\n",
		       chan->key, chan->blocks, chan->messages, chan->missing, chan->gaps,
		       chan->told, chan->duplicates, chan->restarts, chan->damaged);
	for (events = found->groups; events; events = events->following)
		printf("%s: %" PRIu64 " events in %" PRIu64 " messages, %" PRIu64
		       " complete, %" PRIu64 " missing; of blocks %" PRIu64 " lost, %" PRIu64
		       " skipped, %" PRIu64 " late, %" PRIu64 " gone; %" PRIu64
		       " came late, %" PRIu64 " damaged\n", events->key, events->events,
		       events->messages, events->complete, events->missing, events->lost,
		       events->skipped, events->late, events->gone, events->came_late,
		       events->damaged);
	if (found->unfinished)
		printf("%" PRIu64 " runs of producers have no account: they are running, or were "
		       "killed\n", found->unfinished);
	if (found->others)
		printf("%" PRIu64 " messages are not from zio-kafka\n", found->others);
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
	"Exit status: 0 nothing is missing; 1 blocks are damaged or appear twice, or an "
	"account is wrong; 2 usage; 3 the topic cannot be opened; 4 blocks or events are "
	"missing, or anything else lies between blocks: the last line says what; "
	"130 interrupted.",
	.children = program_options,
};

static void read_topic(struct verify *v)
{
	rd_kafka_message_t *rkm;
	int ret;

	while ((ret = next_message(&v->consumer, &rkm)) > 0) {
		check_message(&v->found, rkm);
		rd_kafka_message_destroy(rkm);
	}
	if (ret < 0)
		v->code = EXIT_FAILED;
}

static int run_verify(struct verify *v)
{
	int clean;

	catch_stop_once(0);
	if (open_consumer(&v->consumer, &v->conf, &v->from, &v->until))
		return EXIT_OPEN;
	read_topic(v);
	check_accounts(&v->found);
	if (v->json)
		print_json(&v->found);
	else
		print_findings(&v->found);
	if (!is_right(&v->found) || finish_output())
		v->code = EXIT_FAILED;
	clean = tell_missing(&v->found, v->conf.topic);
	return stop_status(v->code ? v->code : clean);
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
	free_findings(&v.found);
	free(v.conf.settings);
	return code;
}
