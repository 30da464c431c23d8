// SPDX-License-Identifier: LGPL-2.1-or-later
/* What attributes accept, from the file "accepted" of a set, a device, or in configfs */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

/* The kernel fills one page, which is up to 64 KiB on some processors. */
#define LARGEST_PAGE 65536

/* The directory of an object's set, and the path of the object as its file writes it. */
static const struct place {
	const char *set;
	const char *path;
} places[] = {
	[ZIO_OBJECT_DEVICE] = { ".", "" },
	[ZIO_OBJECT_CSET] = { ".", "" },
	[ZIO_OBJECT_CHANNEL] = { "..", "chan*/" },
	[ZIO_OBJECT_TRIGGER] = { "..", "trigger/" },
	[ZIO_OBJECT_BUFFER] = { "../..", "chan*/buffer/" },
	[ZIO_OBJECT_SHARED_TRIGGER] = { ".", "" },
	[ZIO_OBJECT_CONFIG_DEVICE] = { ".", "" },
};

/* A channel of an interleaved set may be a part. */
static const struct place *find_place(const struct zio_object *obj)
{
	const char *slash = strrchr(obj->name, '/');

	if (slash && zio_is_numbered(slash + 1, "chan"))
		return &places[ZIO_OBJECT_CHANNEL];
	if (obj->kind > ZIO_OBJECT_CONFIG_DEVICE || !places[obj->kind].set)
		return NULL;
	return &places[obj->kind];
}

/* Find the values of a path in the lines "PATH VALUES", or NULL. */
static char *find_values(char *lines, const char *path)
{
	size_t n = strlen(path);
	char *line;

	while ((line = strsep(&lines, "\n")))
		if (!strncmp(line, path, n) && line[n] == ' ')
			return line + n + 1;
	return NULL;
}

char *zio_read_accepted(const struct zio_object *obj, const char *attr)
{
	const struct place *place = find_place(obj);
	char *file, *path, *lines, *values = NULL;

	if (!place)
		return NULL;
	file = zio_format("%s/%s/accepted", obj->path, place->set);
	path = zio_format("%s%s", place->path, attr);
	lines = malloc(LARGEST_PAGE + 1);
	if (file && path && lines && !zio_read_file(file, lines, LARGEST_PAGE + 1))
		values = find_values(lines, path);
	if (values)
		values = strdup(values);
	free(lines);
	free(file);
	free(path);
	return values;
}

bool zio_device_has_attr(const struct zio_object *obj, const char *name)
{
	char text[ZIO_TEXT_SIZE], *lines = text, *line;
	char *file = zio_format("%s/accepted", obj->path);
	bool found = false;

	if (file && !zio_read_file(file, text, sizeof(text)))
		while (!found && (line = strsep(&lines, "\n")))
			found = !strcmp(strsep(&line, " "), name);
	free(file);
	return found;
}

/* Is @text a number between the limits? Ignore a limit that names another file. */
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

/* Like zio_put_accepted(), with the @values of the kernel. */
static int put_values(const char *values, const char *value, char *text, size_t size)
{
	char low[64], high[64], hint[80];

	if (sscanf(values, "[%63s %*s %63[^]]]", low, high) == 2) {
		snprintf(text, size, "it accepts %s to %s", low, high);
		return is_between(value, low, high) ? -1 : 0;
	}
	zio_put_nearest(value, values, hint, sizeof(hint));
	snprintf(text, size, "it accepts %s%s%s",
		 *values != '<' && strchr(values, ' ') ? "one of: " : "", values, hint);
	return has_word(values, value) ? -1 : 0;
}

int zio_put_accepted(const struct zio_object *obj, const char *attr, const char *value,
		     char *text, size_t size)
{
	char *values = zio_read_accepted(obj, attr);
	int ret = values ? put_values(values, value, text, size) : -1;

	free(values);
	return ret;
}
