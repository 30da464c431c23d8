// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of channels and sets, in both spellings
 *
 *	zzero-0-2	zzero-0000-0-2	/dev/zio/zzero-0000-0-2-data
 *	zzero/0/2	zzero-0000/cset0/chan2
 *
 * A set has the same names without the part of the channel. The name of a device may
 * contain hyphens, so find the parts from the end. The channel of an interleaved set is
 * also called "i": "zzero-0-i", "zzero-0000/cset0/chani".
 */
#include <string.h>

#include "control.h"

#define SUFFIX_LEN 5
#define DIGITS "0123456789"

bool zio_has_suffix(const char *name)
{
	size_t len = strlen(name);

	if (len <= SUFFIX_LEN)
		return false;
	name += len - SUFFIX_LEN;
	return !strcmp(name, "-data") || !strcmp(name, "-ctrl");
}

int zio_stem_len(const char *name)
{
	return (int)strlen(name) - (zio_has_suffix(name) ? SUFFIX_LEN : 0);
}

const char *zio_skip_dev(const char *name)
{
	static const char *const before[] = { "/dev/zio/", "/dev/" };
	size_t i;

	for (i = 0; i < 2; i++)
		if (!strncmp(name, before[i], strlen(before[i])))
			return name + strlen(before[i]);
	return name;
}

static struct zio_slice stem_of(const char *text)
{
	text = zio_skip_dev(text);
	return (struct zio_slice){ text, zio_stem_len(text) };
}

static bool is_number(const struct zio_slice *text, const char *word)
{
	if (text->len == 1 && *text->at == 'i' && !strcmp(word, "chan"))
		return true;
	return text->len && strspn(text->at, DIGITS) >= (size_t)text->len;
}

/* Cut the last number off @rest: "-2", "/2", or with @word chan "/chan2". */
static bool cut_number(struct zio_slice *rest, const char *word, struct zio_slice *number)
{
	const bool is_path = memchr(rest->at, '/', (size_t)rest->len);
	const char *last = memrchr(rest->at, is_path ? '/' : '-', (size_t)rest->len);
	const char *end = rest->at + rest->len;
	size_t len = strlen(word);

	if (!last)
		return false;
	number->at = last + 1;
	if (is_path && (size_t)(end - number->at) > len && !strncmp(number->at, word, len))
		number->at += len;
	number->len = (int)(end - number->at);
	rest->len = (int)(last - rest->at);
	return is_number(number, word);
}

static bool is_device(const struct zio_slice *text)
{
	return text->len && !memchr(text->at, '/', (size_t)text->len);
}

/* "zzero-0/1" is a channel after a set with hyphens, as in zio_find(). */
static bool parse_set(struct zio_slice rest, struct zio_name *name)
{
	name->device = rest;
	return cut_number(&name->device, "cset", &name->cset) && is_device(&name->device);
}

bool zio_parse_set(const char *text, struct zio_name *name)
{
	*name = (struct zio_name){ 0 };
	return parse_set(stem_of(text), name);
}

bool zio_parse_channel(const char *text, struct zio_name *name)
{
	struct zio_slice rest = stem_of(text);

	return cut_number(&rest, "chan", &name->chan) && parse_set(rest, name);
}

bool zio_is_channel_name(const char *name)
{
	struct zio_name parts;

	return zio_has_suffix(name) || zio_parse_channel(name, &parts);
}
