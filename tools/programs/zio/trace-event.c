// SPDX-License-Identifier: GPL-2.0-only
/* Events of ZIO's tracepoints: as the kernel prints them, as a sentence, and as JSON */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/program.h"
#include "common/text.h"
#include "trace-event.h"

/* In the order of enum event_kind */
static const struct {
	const char *name;	/* of the tracepoint */
	const char *word;
} kinds[] = {
	{ "zio_fire", "fire" },
	{ "zio_arm", "arm" },
	{ "zio_block_done", "done" },
	{ "zio_block_read", "read" },
	{ "zio_lost", "lost" },
	{ "zio_removed", "removed" },
};

static const struct {
	const char *cause;
	const char *text;
} causes[] = {
	{ "no-block", "no block was free: read faster, or raise max-buffer-len or -kb" },
	{ "old", "it was unread, and made room for a new one (prefer-new)" },
	{ "hardware", "the hardware reports it" },
	{ "error", "the driver failed" },
	{ "abort", "a new setting, a time-out or a removal took it back" },
	{ "empty", "no program had written one" },
	{ "route", "the output of the route had no room" },
	{ "busy", "the set was still armed: fire more slowly" },
	{ "missed", "the trigger missed it" },
	{ "chain", "too many sets in a chain" },
	{ "left", "a program had it, and did not read all of it" },
};

/* The offset stays the same until a clock is set, so that events keep their order. */
static int64_t monotonic_to_usec(void)
{
	struct timespec real, mono;
	static int64_t last;
	int64_t now;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	now = (real.tv_sec - mono.tv_sec) * 1000000 +
	      (real.tv_nsec - mono.tv_nsec) / 1000;
	if (llabs(now - last) > 100000)
		last = now;
	return last;
}

/* Put the word after @name, such as "seq="; return false if there is none. */
static bool get_word(const char *fields, const char *name, char word[NAME_LEN])
{
	const char *at = strstr(fields, name);

	*word = '\0';
	if (!at)
		return false;
	at += strlen(name);
	put_text(word, NAME_LEN, "%.*s", (int)strcspn(at, " "), at);
	return true;
}

static uint64_t get_u64(const char *fields, const char *name)
{
	char word[NAME_LEN];

	return get_word(fields, name, word) ? strtoull(word, NULL, 0) : 0;
}

static int64_t get_s64(const char *fields, const char *name)
{
	char word[NAME_LEN];

	return get_word(fields, name, word) ? strtoll(word, NULL, 0) : 0;
}

static void parse_fields(const char *fields, struct trace_event *event)
{
	char chan[NAME_LEN];

	put_text(event->object, sizeof(event->object), "%.*s", (int)strcspn(fields, " "),
		 fields);
	get_word(fields, " trigger=", event->trigger);
	get_word(fields, " cause=", event->cause);
	event->time = get_s64(fields, " time=");
	event->seq = get_u64(fields, " seq=");
	event->len = get_u64(fields, " len=");
	event->alarms = get_u64(fields, " alarms=");
	event->n = get_u64(fields, " n=");
	event->error = get_s64(fields, " error=");
	event->is_event = !get_word(fields, " chan=", chan) || *chan == '-';
	if (!event->is_event)
		put_text(event->object, sizeof(event->object), "%.*s-%.10s",
			 (int)strcspn(fields, " "), fields, chan);
}

static bool parse_kind(const char *name, struct trace_event *event)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		event->kind = (enum event_kind)i;
		if (!strcmp(name, kinds[i].name))
			return true;
	}
	return false;
}

bool parse_event(const char *line, struct trace_event *event)
{
	unsigned long sec, usec;
	char name[NAME_LEN];
	int fields = 0;

	*event = (struct trace_event){ 0 };
	if (strlen(line) < TASK_WIDTH ||
	    sscanf(line + TASK_WIDTH, "-%ld [%*d] %*s %lu.%lu: %63[a-z_]: %n", &event->pid,
		   &sec, &usec, name, &fields) < 4 || !fields || !parse_kind(name, event))
		return false;
	event->usec = (uint64_t)((int64_t)(sec * 1000000 + usec) + monotonic_to_usec());
	put_text(event->task, sizeof(event->task), "%.*s", TASK_WIDTH, line);
	memmove(event->task, event->task + strspn(event->task, " "),
		strlen(event->task) + 1 - strspn(event->task, " "));
	parse_fields(line + TASK_WIDTH + fields, event);
	return true;
}

static const char *describe_cause(const char *cause)
{
	size_t i;

	for (i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (!strcmp(cause, causes[i].cause))
			return causes[i].text;
	return cause;
}

static void describe_loss(const struct trace_event *event, char text[EVENT_TEXT])
{
	char from[NAME_LEN] = "";
	const char *what = event->is_event ? "event" : "block";

	if (!event->is_event)
		put_text(from, sizeof(from), ", number %ju", (uintmax_t)event->seq);
	put_text(text, EVENT_TEXT, "lost %ju %s%s%s: %s%s%s", (uintmax_t)event->n, what,
		 event->n == 1 ? "" : "s", from, describe_cause(event->cause),
		 event->error ? ": " : "",
		 event->error ? strerror((int)-event->error) : "");
}

static void describe_block(const struct trace_event *event, char text[EVENT_TEXT])
{
	char more[NAME_LEN] = "";

	if (event->kind == EVENT_READ)
		put_text(more, sizeof(more), " by %s (%ld)", event->task, event->pid);
	else if (event->alarms)
		put_text(more, sizeof(more), ", alarms %#jx", (uintmax_t)event->alarms);
	put_text(text, EVENT_TEXT, "block %ju is %s%s: %ju bytes", (uintmax_t)event->seq,
		 event->kind == EVENT_ARM ? "armed" : kinds[event->kind].word, more,
		 (uintmax_t)event->len);
}

void describe_event(const struct trace_event *event, char text[EVENT_TEXT])
{
	switch (event->kind) {
	case EVENT_FIRE:
		put_text(text, EVENT_TEXT, "the trigger %s fires", event->trigger);
		break;
	case EVENT_LOST:
		describe_loss(event, text);
		break;
	case EVENT_REMOVED:
		put_text(text, EVENT_TEXT, "the device is removed");
		break;
	default:
		describe_block(event, text);
	}
}

json_t *new_json_event(const struct trace_event *event)
{
	json_t *obj = json_object();

	json_add(obj, "time", json_real((double)event->usec / 1e6));
	json_add_string(obj, "event", kinds[event->kind].word);
	json_add_string(obj, "object", event->object);
	json_add_string(obj, "task", event->task);
	json_add_u64(obj, "pid", (uint64_t)event->pid);
	if (event->kind == EVENT_FIRE) {
		json_add_string(obj, "trigger", event->trigger);
		json_add(obj, "event_ns", json_integer(event->time));
	} else if (event->kind == EVENT_LOST) {
		json_add_string(obj, "what", event->is_event ? "events" : "blocks");
		json_add_u64(obj, "n", event->n);
		if (!event->is_event)
			json_add_u64(obj, "seq", event->seq);
		json_add_string(obj, "cause", event->cause);
		json_add(obj, "error", json_integer(event->error));
	} else if (event->kind != EVENT_REMOVED) {
		json_add_u64(obj, "seq", event->seq);
		json_add_u64(obj, "len", event->len);
		json_add_u64(obj, "alarms", event->alarms);
	}
	return obj;
}
