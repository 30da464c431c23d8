// SPDX-License-Identifier: GPL-2.0-only
/* The clock of a trigger, as lines beside its attributes */
#include <inttypes.h>
#include <string.h>

#include "command.h"

/* A line without @known says so, instead of inventing an error or an offset. */
static void put_number(clock_fn put, void *to, const char *name, int64_t value,
		       bool known)
{
	char text[24] = "unknown";

	if (known)
		put_text(text, sizeof(text), "%" PRId64, value);
	put(to, name, text);
}

int list_clock(const struct zio_object *obj, clock_fn put, void *to)
{
	struct zio_clock clock;
	struct zio_error err;

	if (zio_clock_info(obj, &clock, &err)) {
		complain("%s", err.text);
		return -1;
	}
	put(to, "clock-counter", clock.source);
	put(to, "clock-state", zio_clock_state_name(clock.state));
	put_number(put, to, "clock-max-error-ns", clock.max_error_ns,
		   clock.max_error_ns >= 0);
	put_number(put, to, "clock-est-error-ns", clock.est_error_ns,
		   clock.est_error_ns >= 0);
	put_number(put, to, "clock-tai-offset-s", clock.tai_offset, clock.tai_offset);
	return 0;
}

bool has_clock(const struct zio_object *obj)
{
	int kind = zio_object_kind(obj);
	char name[NAME_LEN];

	return (kind == ZIO_OBJECT_TRIGGER || kind == ZIO_OBJECT_SHARED_TRIGGER) &&
	       !get_name(obj, "clock-source", name);
}
