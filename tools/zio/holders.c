// SPDX-License-Identifier: GPL-2.0-only
/* Find the programs that have a node open or mapped, as far as /proc shows them */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

struct holders {
	const char *stem;
	char *text;
	size_t size;
	int count;
};

static const char *node_of(const struct holders *all, const char *path)
{
	const char *name = strrchr(path, '/');

	return name && has_prefix(name + 1, all->stem) ? name + 1 : NULL;
}

static void add_holder(struct holders *all, const char *pid, const char *node)
{
	size_t used = strlen(all->text);
	char dir[PATH_MAX], comm[NAME_LEN];

	put_text(dir, sizeof(dir), "/proc/%s", pid);
	read_name(dir, "comm", comm);
	put_text(all->text + used, all->size - used, "%s%.*s by %s (%s)",
		 used ? ", " : "", (int)strcspn(node, " \n"), node, comm, pid);
	all->count++;
}

static bool scan_files(struct holders *all, const char *pid)
{
	char dir[PATH_MAX], path[PATH_MAX], target[PATH_MAX];
	struct dirent **names;
	const char *node = NULL;
	int count, i;

	put_text(dir, sizeof(dir), "/proc/%s/fd", pid);
	count = list_names(dir, &names);
	for (i = 0; i < count && !node; i++) {
		ssize_t n;

		put_text(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		node = node_of(all, target);
	}
	free_names(names, count);
	if (node)
		add_holder(all, pid, node);
	return node;
}

static void scan_mappings(struct holders *all, const char *pid)
{
	char path[PATH_MAX], *line = NULL;
	const char *node = NULL;
	size_t size = 0;
	FILE *maps;

	put_text(path, sizeof(path), "/proc/%s/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (!node && getline(&line, &size, maps) > 0)
		node = node_of(all, line);
	if (node)
		add_holder(all, pid, node);
	free(line);
	fclose(maps);
}

int put_holders(const char *stem, char *text, size_t size)
{
	struct holders all = { .stem = stem, .text = text, .size = size };
	struct dirent **names;
	int count = list_names("/proc", &names);
	char self[NAME_LEN];
	int i;

	*text = '\0';
	put_text(self, sizeof(self), "%d", getpid());
	for (i = 0; i < count; i++) {
		const char *pid = names[i]->d_name;

		/* This process inherited its files from the shell, which is listed. */
		if (is_digits(pid) && strcmp(pid, self) &&
		    !scan_files(&all, pid))
			scan_mappings(&all, pid);
	}
	free_names(names, count);
	return all.count;
}
