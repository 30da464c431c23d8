/* SPDX-License-Identifier: GPL-2.0-only */
/* A snapshot of all ZIO objects in sysfs and configfs. */
#ifndef ZIO_TOOL_MODEL_H
#define ZIO_TOOL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/object.h"
#include "common/program.h"

struct cset;

/* An unknown count is -1; an unknown rate is NaN. */
struct channel {
	struct cset *cset;
	char path[NAME_LEN];	/* zzero-0000/cset0/chan1 */
	char address[NAME_LEN];	/* zzero-0000-0-1 */
	bool enable;
	bool chosen;
	ino_t inode;		/* changes when the channel is recreated */
	char source[NAME_LEN];	/* of an output with a route: its input; else "" */
	int64_t blocks, bytes;
	int64_t lost;		/* includes the losses of its route */
	int64_t alarms, is_on;
	int64_t queued, length;	/* blocks in the queue; in the buffer */
	double blocks_rate, bytes_rate, lost_rate;
};

struct cset {
	char path[NAME_LEN];
	char name[NAME_LEN];
	char direction[NAME_LEN];
	char trigger[NAME_LEN];	/* its type, or the name of a shared trigger */
	char type[NAME_LEN];	/* of the trigger */
	char buffer[NAME_LEN];
	char sample_rate[NAME_LEN];	/* an integer or a fraction; "0": not known */
	bool enable, trigger_enable;
	bool chosen;
	int64_t ssize, nsamples;
	int64_t fired, lost_triggers, io_errors;
	double fired_rate;
	struct channel *channels;
	int count;
};

struct device {
	char name[NAME_LEN];
	bool chosen;
	struct cset *csets;
	int count;
};

/* A directory in configfs: a shared trigger or a device. */
struct configured {
	char name[NAME_LEN];
	char type[NAME_LEN];	/* or its driver */
	const struct zio_object *obj;
	bool chosen;
};

struct snapshot {
	double seconds;		/* when it was taken, CLOCK_MONOTONIC */
	struct device *devices;
	int count;
	struct channel **channels;	/* of all sets, sorted by address */
	int n_channels;
	struct configured *triggers, *configured;	/* shared; devices */
	int n_triggers, n_configured;
	struct zio_object **trigger_objects, **configured_objects;
};

/* Return a snapshot for free_snapshot(), or NULL after a message. */
struct snapshot *take_snapshot(void);
void free_snapshot(struct snapshot *snap);

/* Set the rates in @snap of the channels that are also in @before. */
void set_rates(struct snapshot *snap, const struct snapshot *before);

/*
 * Set @chosen of the objects that match an argument, and of all objects in them. Without
 * patterns, all match. Complain about a pattern that matches nothing. Returns how many
 * patterns match something.
 */
int choose_named(struct snapshot *snap, const struct arguments *patterns);

/* Return "on", or what is disabled: "off", "set-off", "trigger-off". */
const char *channel_state(const struct channel *chan);

/* Put the sets that use trigger @name, separated by commas. */
void put_trigger_users(const struct snapshot *snap, const char *name,
		       char *text, size_t size);

#endif /* ZIO_TOOL_MODEL_H */
