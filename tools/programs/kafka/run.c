// SPDX-License-Identifier: GPL-2.0-only
/* The runs of producers that have sent to a channel, or to a group */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/program.h"

struct run *find_run(struct run **list, const rd_kafka_message_t *rkm)
{
	struct run *run;
	char id[sizeof(run->id)] = "";

	get_header(rkm, HEADER_RUN, id, sizeof(id));
	for (; *list; list = &(*list)->following)
		if (!strcmp((*list)->id, id))
			return *list;
	run = allocate(1, sizeof(*run));
	memcpy(run->id, id, sizeof(id));
	*list = run;
	return run;
}

void free_runs(struct run *runs)
{
	struct run *run;

	while ((run = runs)) {
		runs = run->following;
		free(run);
	}
}
