// SPDX-License-Identifier: GPL-2.0-only
/* The times of blocks, and what is missing between them */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"
#include "program.h"

/* A control whose time nobody can tell still has a number that counts. */
static void place_without_time(struct zio_timeline *tl, const struct zio_control *control,
			       struct zio_place *place)
{
	const uint16_t times = 0xf << ZIO_ATTR_TRIG_RATE_NUM;	/* and FIRST */
	struct zio_control plain = *control;

	memset(&plain.tstamp, 0, sizeof(plain.tstamp));
	plain.attr_trigger.std_mask &= (uint16_t)~times;
	zio_timeline_add(tl, &plain, place, NULL);
}

int place_block(struct zio_timeline **list, const char *name,
		const struct zio_control *control, const struct zio_rate *given,
		struct zio_place *place)
{
	struct zio_error err;
	struct zio_timeline *tl = zio_timeline_of(list, control, &err);
	int ret;

	if (!tl)
		fail_memory();
	if (given)
		zio_timeline_set_rate(tl, given->num, given->den);
	ret = zio_timeline_add(tl, control, place, &err);
	if (ret) {
		if (name)
			complain("%s: %s", name, err.text);
		place_without_time(tl, control, place);
	}
	if (place->rate_source == ZIO_RATE_ESTIMATED)
		place->rate_num = 0;
	return ret;
}

void sum_accounts(const struct zio_timeline *list, struct zio_account *sum)
{
	struct zio_account account;

	for (; list; list = zio_timeline_next(list)) {
		zio_timeline_account(list, &account);
		zio_account_add(sum, &account);
	}
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

int tell_sum(const char *what, const struct zio_account *sum, bool always)
{
	bool is_clean = zio_account_is_clean(sum);
	char text[256];

	if (always || !is_clean) {
		zio_account_text(sum, text, sizeof(text));
		complain("%s: %s", what, text);
	}
	return is_clean ? EXIT_OK : EXIT_NOT_CLEAN;
}

int tell_account(const char *name, const struct zio_channel *ch,
		 const struct zio_timeline *list, bool always)
{
	const struct zio_stats *stats = zio_stats(ch);
	struct zio_account sum = { 0 };
	char *what;
	int ret;

	sum_accounts(list, &sum);
	if (!strcmp(zio_method(ch), "tap"))
		sum.taken = 0;
	if (asprintf(&what, "%s: %" PRIu64 " block%s, %" PRIu64 " byte%s", name, stats->blocks,
		     plural(stats->blocks), stats->bytes, plural(stats->bytes)) < 0)
		fail_memory();
	ret = tell_sum(what, &sum, always);
	free(what);
	return ret;
}
