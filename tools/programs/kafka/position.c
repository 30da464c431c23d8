// SPDX-License-Identifier: GPL-2.0-only
/* Parse the places in a topic that users name. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/program.h"
#include "common/text.h"
#include "consume.h"

static bool parse_decimal(const char *text, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return !errno && end != text && !*end && isdigit((unsigned char)*text);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A date, T or a space, a time, and Z for UTC */
static bool parse_date(const char *text, int64_t *ms)
{
	static const char *const formats[] = {
		"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
		"%Y-%m-%d %H:%M", "%Y-%m-%d",
	};
	struct tm tm;
	const char *end;
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		tm = (struct tm){ .tm_isdst = -1 };
		end = strptime(text, formats[i], &tm);
		if (!end || (*end && strcmp(end, "Z")))
			continue;
		*ms = (int64_t)(*end ? timegm(&tm) : mktime(&tm)) * 1000;
		return true;
	}
	return false;
}

bool parse_position(const char *text, struct position *position)
{
	double seconds;

	*position = (struct position){ .kind = POSITION_TIME };
	if (!strcmp(text, "begin"))
		position->kind = POSITION_BEGIN;
	else if (!strcmp(text, "end") || !strcmp(text, "now"))
		position->kind = POSITION_END;
	else if (*text == '@' && parse_decimal(text + 1, &seconds))
		position->value = (int64_t)(seconds * 1000);
	else if (*text == '-' && parse_decimal(text + 1, &seconds))
		position->value = now_ms() - (int64_t)(seconds * 1000);
	else if (is_digits(text)) {
		position->kind = POSITION_OFFSET;
		position->value = strtoll(text, NULL, 10);
	} else
		return parse_date(text, &position->value);
	return true;
}
