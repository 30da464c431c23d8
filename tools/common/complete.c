// SPDX-License-Identifier: GPL-2.0-only
/* Print candidates for the last word of a command line */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "complete.h"
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

void offer_names(const char *word, const char *prefix, const char *dir)
{
	struct dirent **names;
	int count = list_names(dir, &names);
	int i;

	for (i = 0; i < count; i++)
		if (is_directory(dir, names[i]->d_name))
			offer_two(word, prefix, names[i]->d_name);
	free_names(names, count);
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
	}
	for (; child && child->argp; child++)
		offer_options(word, child->argp);
}

void offer_choices(const char *word, const char *prefix,
		   const char *const *names)
{
	for (; has_prefix(word, prefix) && *names; names++)
		offer_two(word, prefix, *names);
}

void offer_lines(const char *word, const char *prefix, const char *dir,
		 const char *file)
{
	char text[ATTR_TEXT], *at = text, *line;

	if (!has_prefix(word, prefix) || read_attr(dir, file, text))
		return;
	while ((line = strsep(&at, "\n")))
		if (*line)
			offer_two(word, prefix, line);
}

static void each_path(const char *pattern, int flags, const char *word,
		      const char *prefix,
		      void (*offer_one)(const char *word, const char *prefix,
					const char *path))
{
	glob_t found;
	size_t i;

	if (!glob(pattern, flags, NULL, &found))
		for (i = 0; i < found.gl_pathc; i++)
			offer_one(word, prefix, found.gl_pathv[i]);
	globfree(&found);
}

static void offer_address(const char *word, const char *prefix,
			  const char *path)
{
	char address[NAME_LEN];

	if (!read_name(path, "address", address))
		offer_two(word, prefix, address);
}

void offer_channels(const char *word, const char *prefix)
{
	char pattern[PATH_MAX];

	if (!has_prefix(word, prefix))
		return;
	put_text(pattern, sizeof(pattern), "%s/devices/*/cset*/chan*",
		 sysfs_root());
	each_path(pattern, GLOB_ONLYDIR, word, prefix, offer_address);
}

/* Offers nothing for a word with a special character of glob(). */
static void offer_files(const char *word, const char *prefix)
{
	const char *begin = word + strlen(prefix);
	char pattern[PATH_MAX];

	if (!has_prefix(word, prefix) || strpbrk(begin, "*?[\\"))
		return;
	put_text(pattern, sizeof(pattern), "%s*", begin);
	each_path(pattern, GLOB_MARK, word, prefix, offer_two);
}

void offer_sources(const char *word, const char *prefix)
{
	offer_channels(word, prefix);
	offer_files(word, prefix);
}
