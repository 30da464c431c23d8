/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of ZIO's tracepoints: as the kernel prints them, as a sentence, and as JSON. */
#ifndef ZIO_TRACE_EVENT_H
#define ZIO_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/json.h"
#include "common/object.h"

#define EVENT_TEXT 256
#define TASK_WIDTH 16		/* the kernel fills the name of a task up to this */

enum event_kind {
	EVENT_FIRE, EVENT_ARM, EVENT_DONE, EVENT_READ, EVENT_LOST, EVENT_REMOVED,
};

/* Documentation/ABI/testing/tracefs-zio has the meaning of the members. */
struct trace_event {
	enum event_kind kind;
	uint64_t usec;		/* since 1970 */
	char object[NAME_LEN];	/* "zzero-0000", "zzero-0000-0" or "zzero-0000-0-1" */
	char task[NAME_LEN];	/* what ran on the processor, and its number */
	long pid;
	char trigger[NAME_LEN];	/* EVENT_FIRE */
	int64_t time;		/* EVENT_FIRE: nanoseconds of the trigger's clock */
	uint64_t seq, len, alarms;
	uint64_t n;		/* EVENT_LOST: blocks, or events if no channel is named */
	bool is_event;
	char cause[NAME_LEN];
	int64_t error;
};

/* Read a line of trace_pipe, whose clock is "mono". Return false if it is no event of ZIO. */
bool parse_event(const char *line, struct trace_event *event);

/* Put a sentence without the object. */
void describe_event(const struct trace_event *event, char text[EVENT_TEXT]);

json_t *new_json_event(const struct trace_event *event);

/* timeline.c: a file of "trace events" in JSON, which Perfetto and others show */
struct timeline_row {
	char name[NAME_LEN];
	bool is_armed;		/* a bar has begun */
};

struct timeline {
	struct timeline_row *rows;	/* each has the number of its place */
	size_t count;
	bool begun;
};

void write_timeline(struct timeline *timeline, FILE *out, const struct trace_event *event);

/* Write the end of the file, and free the timeline. */
void end_timeline(struct timeline *timeline, FILE *out);

#endif /* ZIO_TRACE_EVENT_H */
