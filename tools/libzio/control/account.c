// SPDX-License-Identifier: LGPL-2.1-or-later
/* Print what a timeline has seen as one sentence */
#include <stdio.h>

#include "timeline.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *const break_names[] = {
	"lost", "missed", "taken", "outage", "pause", "clock step", "change",
};

static const char *const change_names[] = {
	"unit", "scale", "sign", "bits", "sample size", "byte order", "channels", "rate",
	"clock", "shape",
};

const char *zio_break_name(unsigned int bit)
{
	return bit < ARRAY_SIZE(break_names) ? break_names[bit] : NULL;
}

const char *zio_change_name(unsigned int bit)
{
	return bit < ARRAY_SIZE(change_names) ? change_names[bit] : NULL;
}

bool zio_account_is_clean(const struct zio_account *account)
{
	if (!account) {
		zio_refuse_null();
		return false;
	}
	return !account->lost && !account->taken && !account->missed && !account->outages &&
	       !account->pauses && !account->steps && !account->changes;
}

int zio_account_add(struct zio_account *sum, const struct zio_account *account)
{
	if (!sum || !account)
		return zio_refuse_null();
	sum->blocks += account->blocks;
	sum->lost += account->lost;
	sum->gaps += account->gaps;
	sum->lost_samples += account->lost_samples;
	sum->taken += account->taken;
	sum->missed += account->missed;
	sum->outages += account->outages;
	sum->outage_ns += account->outage_ns;
	sum->pauses += account->pauses;
	sum->pause_ns += account->pause_ns;
	sum->steps += account->steps;
	sum->changes += account->changes;
	sum->changed |= account->changed;
	sum->missed_at_least |= account->missed_at_least;
	sum->some_samples_unknown |= account->some_samples_unknown;
	sum->is_stream |= account->is_stream;
	return 0;
}

/* The text so far; what does not fit is counted but dropped. */
struct sentence {
	char *text;
	size_t size;
	int len;
};

#define say(s, ...) ((s)->len += snprintf(end_of(s), rest_of(s), __VA_ARGS__))

static size_t rest_of(const struct sentence *s)
{
	return (size_t)s->len < s->size ? s->size - (size_t)s->len : 0;
}

static char *end_of(const struct sentence *s)
{
	return rest_of(s) ? s->text + s->len : NULL;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void begin_part(struct sentence *s)
{
	if (s->len)
		say(s, ", ");
}

static void say_count(struct sentence *s, uint64_t n, const char *noun)
{
	begin_part(s);
	say(s, "%llu %s%s", (unsigned long long)n, noun, plural(n));
}

/* Print at most three decimals. The locale must not change the decimal point. */
static void say_time(struct sentence *s, uint64_t ns, uint64_t n)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };
	unsigned int i = 0;
	uint64_t thousandths, rest;

	if (!ns)
		return;
	while (ns < units[i].ns)
		i++;
	thousandths = units[i].ns > 1 ? ns / (units[i].ns / 1000) : ns * 1000;
	rest = thousandths % 1000;
	say(s, " of %llu", (unsigned long long)(thousandths / 1000));
	if (rest)
		say(s, ".%0*llu", rest % 100 ? rest % 10 ? 3 : 2 : 1,
		    (unsigned long long)(rest % 100 ? rest % 10 ? rest : rest / 10 : rest / 100));
	say(s, " %s%s", units[i].name, n == 1 ? "" : " in all");
}

static void say_changes(struct sentence *s, const struct zio_account *account)
{
	const char *before = " (";
	unsigned int bit;

	say_count(s, account->changes, "change");
	for (bit = 0; bit < ARRAY_SIZE(change_names); bit++) {
		if (account->changed >> bit & 1) {
			say(s, "%s%s", before, change_names[bit]);
			before = ", ";
		}
	}
	say(s, ")");
}

static void say_missing(struct sentence *s, const struct zio_account *account)
{
	if (account->lost) {
		say_count(s, account->lost, "block");
		say(s, " lost in %llu gap%s", (unsigned long long)account->gaps,
		    plural(account->gaps));
	}
	if (account->taken) {
		say_count(s, account->taken, "block");
		say(s, " taken by another reader");
	}
	if (account->missed) {
		begin_part(s);
		say(s, "%s%llu event%s missed", account->missed_at_least ? "at least " : "",
		    (unsigned long long)account->missed, plural(account->missed));
	}
}

int zio_account_text(const struct zio_account *account, char *text, size_t size)
{
	struct sentence s = { .text = text, .size = size };

	if (!account || (!text && size))
		return zio_refuse_null();
	if (size)
		text[0] = '\0';
	say_missing(&s, account);
	if (account->outages) {
		say_count(&s, account->outages, "outage");
		say_time(&s, account->outage_ns, account->outages);
	}
	if (account->pauses) {
		say_count(&s, account->pauses, "pause");
		say_time(&s, account->pause_ns, account->pauses);
	}
	if (account->steps) {
		say_count(&s, account->steps, "step");
		say(&s, " of the clock");
	}
	if (account->changes)
		say_changes(&s, account);
	if (!s.len)
		say(&s, "nothing lost");
	return s.len;
}
