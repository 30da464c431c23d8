// SPDX-License-Identifier: LGPL-2.1-or-later
/* What attributes accept, from the file "accepted" of a set */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

/* Where the set of an object is, and how its file writes the path of the object. */
static const struct place {
	const char *set;
	const char *path;
} places[] = {
	[ZIO_OBJECT_CSET] = { ".", "" },
	[ZIO_OBJECT_CHANNEL] = { "..", "chan*/" },
	[ZIO_OBJECT_TRIGGER] = { "..", "trigger/" },
	[ZIO_OBJECT_BUFFER] = { "../..", "chan*/buffer/" },
};

static const struct place *find_place(const struct zio_object *obj)
{
	if (obj->kind > ZIO_OBJECT_BUFFER || !places[obj->kind].set)
		return NULL;
	return &places[obj->kind];
}

/* Find the values in the lines "PATH VALUES"; NULL if there is no such line. */
static char *find_values(char *lines, const char *path)
{
	size_t n = strlen(path);
	char *line;

	while ((line = strsep(&lines, "\n")))
		if (!strncmp(line, path, n) && line[n] == ' ')
			return line + n + 1;
	return NULL;
}

int zio_read_accepted(const struct zio_object *obj, const char *attr,
		      char text[ZIO_TEXT_SIZE])
{
	const struct place *place = find_place(obj);
	char *file, *path, *values = NULL;

	if (!place)
		return -1;
	file = zio_format("%s/%s/accepted", obj->path, place->set);
	path = zio_format("%s%s", place->path, attr);
	if (file && path && !zio_read_file(file, text, ZIO_TEXT_SIZE))
		values = find_values(text, path);
	if (values)
		memmove(text, values, strlen(values) + 1);
	free(file);
	free(path);
	return values ? 0 : -1;
}

/* Is @text a number between the limits? A limit that names another file is none. */
static bool is_between(const char *text, const char *low, const char *high)
{
	char *end, *end_low, *end_high;
	long double number = strtold(text, &end), min = strtold(low, &end_low);
	long double max = strtold(high, &end_high);

	return *text && !*end && !*end_low && !*end_high && min <= number && number <= max;
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);
	const char *at = words;

	while (n && (at = strstr(at, word))) {
		if ((at == words || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
		at += n;
	}
	return false;
}

int zio_put_accepted(const struct zio_object *obj, const char *attr, const char *value,
		     char *text, size_t size)
{
	char values[ZIO_TEXT_SIZE], low[64], high[64];

	if (zio_read_accepted(obj, attr, values))
		return -1;
	if (sscanf(values, "[%63s %*s %63[^]]]", low, high) == 2) {
		snprintf(text, size, "it accepts %s to %s", low, high);
		return is_between(value, low, high) ? -1 : 0;
	}
	snprintf(text, size, "it accepts %s%s",
		 *values != '<' && strchr(values, ' ') ? "one of: " : "", values);
	return has_word(values, value) ? -1 : 0;
}
