// SPDX-License-Identifier: GPL-2.0-only
/* Print candidates for the last word of a command line */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complete.h"
#include "object.h"
#include "program.h"
#include "text.h"

const char *word_to_complete(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "--complete"))
		return NULL;
	return argc > 2 ? argv[argc - 1] : "";
}

void offer(const char *word, const char *candidate)
{
	if (has_prefix(candidate, word))
		puts(candidate);
}

static void offer_two(const char *word, const char *prefix, const char *name)
{
	char *candidate;

	if (asprintf(&candidate, "%s%s", prefix, name) < 0)
		return;
	offer(word, candidate);
	free(candidate);
}

void offer_objects_of(const char *word, const char *prefix,
		      const struct zio_object *in, enum zio_object_kind kind)
{
	struct zio_object **list = zio_list(in, kind, NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		offer_two(word, prefix, short_name(list[i]));
	zio_list_free(list);
}

void offer_choices(const char *word, const char *prefix,
		   const char *const *names)
{
	for (; has_prefix(word, prefix) && *names; names++)
		offer_two(word, prefix, *names);
}

void offer_channels(const char *word, const char *prefix)
{
	struct zio_object **list = NULL;
	char address[NAME_LEN];
	int i;

	if (has_prefix(word, prefix))
		list = zio_list(NULL, ZIO_OBJECT_CHANNEL, NULL);
	for (i = 0; list && list[i]; i++)
		if (!get_name(list[i], "address", address))
			offer_two(word, prefix, address);
	zio_list_free(list);
}

/* Offers nothing for a word with a special character of glob(). */
static void offer_files(const char *word, const char *prefix)
{
	const char *begin = word + strlen(prefix);
	char pattern[PATH_MAX];
	glob_t found;
	size_t i;

	if (!has_prefix(word, prefix) || strpbrk(begin, "*?[\\"))
		return;
	put_text(pattern, sizeof(pattern), "%s*", begin);
	if (!glob(pattern, GLOB_MARK, NULL, &found))
		for (i = 0; i < found.gl_pathc; i++)
			offer_two(word, prefix, found.gl_pathv[i]);
	globfree(&found);
}

void offer_sources(const char *word, const char *prefix)
{
	offer_channels(word, prefix);
	offer_files(word, prefix);
}

/* Offer the arguments of an option whose kind is known. @prefix: "--method=" */
static void offer_argument(const char *word, const char *prefix, const char *kind)
{
	if (!strcmp(kind, "FILE"))
		offer_files(word, prefix);
	else if (!strcmp(kind, "METHOD"))
		offer_choices(word, prefix, method_names);
}

void offer_options(const char *word, const struct argp *argp)
{
	const struct argp_option *opt = argp->options;
	const struct argp_child *child = argp->children;
	char text[NAME_LEN];

	for (; *word == '-' && opt && (opt->name || opt->key); opt++) {
		if (!opt->name || (opt->flags & OPTION_HIDDEN))
			continue;
		put_text(text, sizeof(text), "--%s%s", opt->name,
			 opt->arg ? "=" : "");
		if (strcmp(text, word))
			offer(word, text);
		if (opt->arg)
			offer_argument(word, text, opt->arg);
	}
	for (; child && child->argp; child++)
		offer_options(word, child->argp);
}
