/* SPDX-License-Identifier: GPL-2.0-only */
/* All of ZIO at one moment, as sysfs and configfs tell it. */
#ifndef ZIO_TOOL_MODEL_H
#define ZIO_TOOL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "command.h"

struct cset;

/* Counts are -1 and rates NaN while they are not known. */
struct channel {
	struct cset *cset;
	char path[NAME_LEN];	/* zzero-0000/cset0/chan1 */
	char address[NAME_LEN];	/* zzero-0000-0-1 */
	bool enable;
	bool wanted;
	ino_t inode;		/* tells it from another one of this name */
	char source[NAME_LEN];	/* output: where its route is from; or empty */
	int64_t blocks, bytes;
	int64_t lost;		/* those of its route, too */
	int64_t alarms;
	int64_t queued, length;	/* blocks in the queue, blocks there are */
	double blocks_rate, bytes_rate, lost_rate;
};

struct cset {
	char path[NAME_LEN];
	char name[NAME_LEN];
	char direction[NAME_LEN];
	char trigger[NAME_LEN];	/* type, or name of a shared trigger */
	char type[NAME_LEN];	/* type of the trigger */
	char buffer[NAME_LEN];
	bool enable, trigger_enable;
	bool wanted;
	int64_t ssize, nsamples;
	int64_t fired, lost_triggers, io_errors;
	double fired_rate;
	struct channel *channels;
	int count;
};

struct device {
	char name[NAME_LEN];
	bool wanted;
	struct cset *csets;
	int count;
};

/* A directory of configfs: a shared trigger, or a device. */
struct configured {
	char name[NAME_LEN];
	char type[NAME_LEN];	/* or its driver */
	char path[PATH_MAX];
	bool wanted;
};

struct snapshot {
	double seconds;		/* of CLOCK_MONOTONIC */
	struct device *devices;
	int count;
	struct channel **channels;	/* of all, sorted by address */
	int n_channels;
	struct configured *triggers, *boards;
	int n_triggers, n_boards;
};

/* NULL after a word to the user: zio is not loaded. */
struct snapshot *take_snapshot(void);
void free_snapshot(struct snapshot *snap);

/* Rates of @snap against @before, of what is in both. */
void put_rates(struct snapshot *snap, const struct snapshot *before);

/*
 * Choose what matches one of the patterns, by any of its names, with all that
 * is in it; all if there are none. Returns how many objects match.
 */
int choose_objects(struct snapshot *snap, char **patterns, int count);

/* Why no block comes: "on", "off", "set-off", "trigger-off". */
const char *channel_state(const struct channel *chan);

/* Sets whose trigger is @name, with commas between. */
void put_trigger_users(const struct snapshot *snap, const char *name,
		       char *text, size_t size);

#endif /* ZIO_TOOL_MODEL_H */
