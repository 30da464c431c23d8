// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timeline of events: an array of "trace events" in JSON, which Perfetto and other
 * viewers open
 *
 * Each device is a "process", and each of its sets and channels a "thread" with a row. A
 * block that is armed is a bar up to its end; each event is a mark.
 */
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "common/text.h"
#include "trace-event.h"

static void write_object(struct timeline *timeline, FILE *out, json_t *obj)
{
	fputs(timeline->begun ? "," : "[", out);
	timeline->begun = true;
	json_print(out, obj, 0);
}

/* Name a process, or a thread; @what is "process_name" or "thread_name". */
static void write_name(struct timeline *timeline, FILE *out, const char *what, size_t pid,
		       size_t tid, const char *name)
{
	json_t *obj = json_object(), *args = json_object();

	json_add_string(args, "name", name);
	json_add_string(obj, "ph", "M");
	json_add_string(obj, "name", what);
	json_add_u64(obj, "pid", pid);
	json_add_u64(obj, "tid", tid);
	json_add(obj, "args", args);
	write_object(timeline, out, obj);
}

/* Return the number of a name, which is @count + 1 if it is new. */
static size_t find_name(struct timeline *timeline, const char *name)
{
	size_t i;

	for (i = 0; i < timeline->count; i++)
		if (!strcmp(timeline->rows[i].name, name))
			return i + 1;
	timeline->rows = realloc(timeline->rows, (i + 1) * sizeof(*timeline->rows));
	if (!timeline->rows)
		fail_memory();
	timeline->rows[i] = (struct timeline_row){ 0 };
	put_text(timeline->rows[i].name, NAME_LEN, "%s", name);
	return i + 1;
}

/* Return the number of a row, which is named when it is new. @pid: 0 for a device */
static size_t row_of(struct timeline *timeline, FILE *out, const char *name, size_t pid)
{
	size_t row = find_name(timeline, name);

	if (row <= timeline->count)
		return row;
	timeline->count = row;
	write_name(timeline, out, pid ? "thread_name" : "process_name", pid ? pid : row, row,
		   name);
	return row;
}

/* "zzero-0000-0-1" has two numbers behind the device; the device may have dashes, too. */
static void put_device(const struct trace_event *event, char device[NAME_LEN])
{
	bool whole = event->kind == EVENT_FIRE || (event->kind == EVENT_LOST && event->is_event);
	int behind = event->kind == EVENT_REMOVED ? 0 : whole ? 1 : 2;
	char *dash;

	put_text(device, NAME_LEN, "%s", event->object);
	for (; behind && (dash = strrchr(device, '-')); behind--)
		*dash = '\0';
}

static json_t *new_mark(const struct trace_event *event, const char *phase, size_t pid,
			size_t tid)
{
	json_t *obj = json_object();

	json_add_string(obj, "ph", phase);
	json_add_string(obj, "cat", "zio");
	json_add(obj, "ts", json_integer((json_int_t)event->usec));
	json_add_u64(obj, "pid", pid);
	json_add_u64(obj, "tid", tid);
	return obj;
}

/* The begin and the end of a bar have the same name and id. */
static void write_bar(struct timeline *timeline, FILE *out,
		      const struct trace_event *event, const char *phase, size_t pid,
		      size_t tid)
{
	json_t *obj = new_mark(event, phase, pid, tid);
	char id[2 * NAME_LEN];

	put_text(id, sizeof(id), "%s/%ju", event->object, (uintmax_t)event->seq);
	json_add_string(obj, "id", id);
	put_text(id, sizeof(id), "%s block %ju", event->object, (uintmax_t)event->seq);
	json_add_string(obj, "name", id);
	write_object(timeline, out, obj);
}

/* The driver had the block that was lost: other losses end no bar. */
static bool is_end(const struct trace_event *event)
{
	return event->kind == EVENT_DONE ||
	       (event->kind == EVENT_LOST && !event->is_event &&
		(!strcmp(event->cause, "error") || !strcmp(event->cause, "abort")));
}

void write_timeline(struct timeline *timeline, FILE *out, const struct trace_event *event)
{
	char device[NAME_LEN], text[EVENT_TEXT];
	struct timeline_row *row;
	size_t pid, tid;
	json_t *obj;

	put_device(event, device);
	pid = row_of(timeline, out, device, 0);
	tid = row_of(timeline, out, event->object, pid);
	row = &timeline->rows[tid - 1];
	if (event->kind == EVENT_ARM)
		write_bar(timeline, out, event, "b", pid, tid);
	else if (row->is_armed && is_end(event))
		write_bar(timeline, out, event, "e", pid, tid);
	row->is_armed = event->kind == EVENT_ARM || (row->is_armed && !is_end(event));
	obj = new_mark(event, "i", pid, tid);
	describe_event(event, text);
	json_add_string(obj, "name", text);
	json_add_string(obj, "s", "t");
	json_add(obj, "args", new_json_event(event));
	write_object(timeline, out, obj);
}

void end_timeline(struct timeline *timeline, FILE *out)
{
	fputs(timeline->begun ? "]\n" : "[]\n", out);
	free(timeline->rows);
	*timeline = (struct timeline){ 0 };
}
