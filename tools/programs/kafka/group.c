// SPDX-License-Identifier: GPL-2.0-only
/* Groups: encode in a header which sources contributed to each event. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "common/text.h"
#include "group.h"

#define REPEATS_LEN 16	/* "*" and a number of 32 bits */

static const char letters[] = {
	[ZIO_PART_BLOCK] = PART_BLOCK,
	[ZIO_PART_LOST] = 'L',
	[ZIO_PART_SKIPPED] = 'S',
	[ZIO_PART_LATE] = 'T',
	[ZIO_PART_GONE] = 'G',
	[ZIO_PART_GIVEN] = '-',
};

/* Make room for @len bytes, and for the repeats of the last word. */
static char *make_room(struct parts *parts, size_t len)
{
	if (parts->len + len + REPEATS_LEN > parts->room) {
		parts->room = 2 * (parts->len + len + REPEATS_LEN);
		parts->text = realloc(parts->text, parts->room);
		if (!parts->text)
			fail_memory();
	}
	return parts->text + parts->len;
}

static void put_repeats(struct parts *parts)
{
	char *end = make_room(parts, 0);

	*end = '\0';
	if (parts->repeats > 1)
		put_text(end, REPEATS_LEN, "*%u", parts->repeats);
}

static bool is_last(const struct parts *parts, const char *word, size_t len)
{
	return parts->repeats && len == parts->len - parts->last &&
	       !memcmp(word, parts->text + parts->last, len);
}

void add_event(struct parts *parts, const struct zio_event *ev)
{
	char *word = make_room(parts, REPEATS_LEN + 2 + ev->n_parts) + REPEATS_LEN + 1;
	size_t len = 0;
	unsigned int i;

	if (ev->late)
		word[len++] = '+';
	for (i = 0; i < ev->n_parts; i++)
		word[len++] = letters[ev->parts[i].state];
	if (is_last(parts, word, len)) {
		parts->repeats++;
		return;
	}
	if (parts->repeats) {
		put_repeats(parts);
		parts->len += strlen(parts->text + parts->len);
		parts->text[parts->len++] = ' ';
	}
	parts->last = parts->len;
	memmove(parts->text + parts->last, word, len);
	parts->len += len;
	parts->repeats = 1;
}

const char *parts_text(struct parts *parts)
{
	put_repeats(parts);
	return parts->text;
}

bool next_parts(const char **at, const char **word, size_t *len, uint64_t *repeats)
{
	char *end;

	*at += strspn(*at, " ");
	*word = *at;
	*len = strcspn(*at, "* ");
	*at += *len;
	*repeats = 1;
	if (**at == '*') {
		*repeats = strtoull(*at + 1, &end, 10);
		*at = end;
	}
	return *len;
}

char *names_text(const struct group *group)
{
	char *text = allocate(group->n, ADDRESS_LEN + 1);
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < group->n; i++) {
		put_text(text + len, ADDRESS_LEN, "%s", group->names[i]);
		len += strlen(text + len);
		text[len++] = i + 1 < group->n ? ' ' : '\0';
	}
	return text;
}
