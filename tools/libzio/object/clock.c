// SPDX-License-Identifier: LGPL-2.1-or-later
/* The clock of a trigger, and its synchronisation */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

#define BY_KERNEL "kernel"	/* in the attribute "clock-source" */
#define UNKNOWN "unknown"
#define NS_PER_US 1000

static const char *const state_names[] = {
	[ZIO_CLOCK_UNKNOWN] = UNKNOWN,
	[ZIO_CLOCK_SYNCHRONISED] = "synchronised",
	[ZIO_CLOCK_UNSYNCHRONISED] = "unsynchronised",
	[ZIO_CLOCK_LOCAL] = "local",
};

const char *zio_clock_state_name(unsigned int state)
{
	if (state >= sizeof(state_names) / sizeof(state_names[0]))
		return NULL;
	return state_names[state];
}

static void put_text(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%.*s", (int)size - 1, text);
}

void zio_clock_judge(struct zio_clock *clock, int ret, const struct timex *timex)
{
	bool is_tai = !strcmp(clock->name, "tai");

	if (ret >= 0)
		clock->tai_offset = timex->tai;
	if (!strcmp(clock->name, "monotonic") || !strcmp(clock->name, "boottime")) {
		clock->state = ZIO_CLOCK_LOCAL;
	} else if (ret < 0 || (!is_tai && strcmp(clock->name, "realtime"))) {
		clock->state = ZIO_CLOCK_UNKNOWN;
	} else if (ret == TIME_ERROR || (timex->status & STA_UNSYNC) ||
		   (is_tai && !timex->tai)) {
		/* The errors mean nothing while the kernel is not synchronised. */
		clock->state = ZIO_CLOCK_UNSYNCHRONISED;
	} else {
		clock->state = ZIO_CLOCK_SYNCHRONISED;
		clock->max_error_ns = (int64_t)timex->maxerror * NS_PER_US;
		clock->est_error_ns = (int64_t)timex->esterror * NS_PER_US;
	}
}

/* The kernel's file with the name of its clock source */
static void get_counter(char *text, size_t size)
{
	char *sysfs = zio_sysfs_path();
	char *path = sysfs ? zio_format("%s/../../devices/system/clocksource/clocksource0/current_clocksource",
					sysfs) : NULL;

	if (!path || zio_read_file(path, text, size))
		put_text(text, size, UNKNOWN);
	free(path);
	free(sysfs);
}

/* An older core does not tell the source; it always stamps blocks itself. */
static int get_source(const struct zio_object *obj, struct zio_clock *clock,
		      struct zio_error *err)
{
	char text[ZIO_TEXT_SIZE];

	if (zio_attr_get(obj, "clock-source", text, sizeof(text), err)) {
		if (errno != ENOENT)
			return -1;
		put_text(text, sizeof(text), UNKNOWN);
	}
	clock->is_kernel = !strcmp(text, BY_KERNEL);
	if (clock->is_kernel)
		get_counter(clock->source, sizeof(clock->source));
	else
		put_text(clock->source, sizeof(clock->source), text);
	return 0;
}

static int check_kind(const struct zio_object *obj, struct zio_error *err)
{
	if (obj->kind == ZIO_OBJECT_TRIGGER || obj->kind == ZIO_OBJECT_SHARED_TRIGGER)
		return 0;
	return zio_explain(err, EINVAL, "%s is not a trigger: only triggers have a clock",
			   obj->name);
}

int zio_clock_info(const struct zio_object *obj, struct zio_clock *clock,
		   struct zio_error *err)
{
	struct timex timex = { .modes = 0 };
	char name[ZIO_TEXT_SIZE];

	if (!obj || !clock)
		return zio_explain_null(err);
	memset(clock, 0, sizeof(*clock));
	clock->max_error_ns = -1;
	clock->est_error_ns = -1;
	if (check_kind(obj, err) || zio_attr_get(obj, "clock", name, sizeof(name), err) ||
	    get_source(obj, clock, err))
		return -1;
	put_text(clock->name, sizeof(clock->name), name);
	if (clock->is_kernel)
		zio_clock_judge(clock, adjtimex(&timex), &timex);
	return 0;
}
