// SPDX-License-Identifier: GPL-2.0-only
/* Events of groups, according to the headers of their messages */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/program.h"
#include "common/text.h"

static struct events *find_events(struct findings *found, const rd_kafka_message_t *rkm)
{
	struct events **at;
	char key[ADDRESS_LEN];

	put_key(key, rkm);
	for (at = &found->groups; *at; at = &(*at)->following)
		if (!strcmp((*at)->key, key))
			return *at;
	*at = allocate(1, sizeof(**at));
	put_text((*at)->key, sizeof((*at)->key), "%s", key);
	return *at;
}

static uint64_t *counter_of(struct events *events, char letter)
{
	switch (letter) {
	case 'L':
		return &events->lost;
	case 'S':
		return &events->skipped;
	case 'T':
		return &events->late;
	case 'G':
		return &events->gone;
	default:
		return NULL;
	}
}

/* Return the number of blocks in one event. */
static uint64_t count_parts(struct events *events, const char *word, size_t len,
			    uint64_t repeats)
{
	uint64_t blocks = 0;
	bool is_late = *word == '+';
	size_t i;

	for (i = is_late; i < len; i++) {
		uint64_t *counter = is_late ? NULL : counter_of(events, word[i]);

		blocks += word[i] == PART_BLOCK;
		if (counter)
			*counter += repeats;
	}
	if (is_late)
		events->came_late += repeats;
	else
		events->complete += blocks == len ? repeats : 0;
	return blocks;
}

static void check_numbers(struct events *events, const rd_kafka_message_t *rkm, uint64_t n)
{
	struct run *run = find_run(&events->runs, rkm);
	uint64_t first = 0, last = 0;

	get_header_u64(rkm, HEADER_FIRST_EVENT, &first);
	get_header_u64(rkm, HEADER_LAST_EVENT, &last);
	if (last - first + 1 != n)
		events->damaged++;
	if (first > run->next_event && (run->next_event || !rkm->offset)) {
		events->missing += first - run->next_event;
		complain("%s: events %" PRIu64 " to %" PRIu64 " are missing", events->key,
			 run->next_event, first - 1);
	}
	run->next_event = last + 1;
}

void check_events(struct findings *found, const rd_kafka_message_t *rkm, uint64_t blocks)
{
	struct events *events = find_events(found, rkm);
	uint64_t n = 0, told = 0, repeats, late = events->came_late;
	const char *at = header_text(rkm, HEADER_EVENTS), *word;
	size_t len;

	while (at && next_parts(&at, &word, &len, &repeats)) {
		told += repeats * count_parts(events, word, len, repeats);
		n += repeats;
	}
	events->messages++;
	events->events += n - (events->came_late - late);
	check_numbers(events, rkm, n);
	if (told == blocks)
		return;
	events->damaged++;
	complain("%s: partition %d, offset %" PRId64 ": the events have %" PRIu64
		 " blocks, the message %" PRIu64, events->key, rkm->partition, rkm->offset,
		 told, blocks);
}

void free_events(struct findings *found)
{
	struct events *events;

	while ((events = found->groups)) {
		found->groups = events->following;
		free_runs(events->runs);
		free(events);
	}
}
