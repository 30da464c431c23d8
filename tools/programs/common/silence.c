// SPDX-License-Identifier: GPL-2.0-only
/* Say once of channels that no block comes */
#include <math.h>

#include "object.h"
#include "program.h"
#include "silence.h"

#define SILENCE_SECONDS 5

static double silence_end;	/* in seconds_now(); HUGE_VAL: the program has told */

void start_silence_timer(void)
{
	silence_end = seconds_now() + SILENCE_SECONDS;
}

double silence_timer_left(void)
{
	return silence_end - seconds_now();
}

bool expire_silence_timer(void)
{
	if (silence_timer_left() > 0)
		return false;
	silence_end = HUGE_VAL;
	return true;
}

/* A tap acquires nothing, and blocks that nobody reads may leave no room for new ones. */
void tell_silence(const char *name, const struct zio_channel *ch)
{
	struct zio_object *obj;
	int64_t queued;

	if (zio_is_file(ch) || zio_stats(ch)->blocks)
		return;
	obj = zio_find(NULL, name, NULL, NULL);
	queued = obj ? get_number(obj, "buffer/queued-buffer-len") : 0;
	complain("%s: no new block for %d s%s", name, SILENCE_SECONDS, queued > 0 ?
		 " (old ones wait for a reader: does zio flush help?)" :
		 " (does its trigger fire?)");
	zio_object_free(obj);
}
