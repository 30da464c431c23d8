// SPDX-License-Identifier: GPL-2.0-only
/* Find the programs that have a node open or mapped, as far as /proc shows them */
#include <dirent.h>
#include <errno.h>
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

/* Is it, in @len bytes, a directory of nodes? A copy elsewhere is not a node. */
static bool is_node_dir(const char *dir, size_t len)
{
	const char *dirs = getenv("ZIO_DEV_PATH");
	size_t n;

	for (dirs = dirs ? dirs : "/dev/zio"; *dirs; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		if (n == len && !strncmp(dirs, dir, n))
			return true;
	}
	return false;
}

/* The name of the node at the end of @line, which may come from /proc/PID/maps */
static const char *node_of(const struct holders *all, const char *line)
{
	const char *path = strchr(line, '/'), *slash = strrchr(line, '/');

	if (!path || !has_prefix(slash + 1, all->stem) ||
	    !is_node_dir(path, (size_t)(slash - path)))
		return NULL;
	return slash + 1;
}

/* Read the first line of a file in /proc, without its newline */
static void read_line(const char *path, char *text, int size)
{
	FILE *file = fopen(path, "re");

	if (!file || !fgets(text, size, file))
		*text = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (file)
		fclose(file);
}

static void add_holder(struct holders *all, const char *pid, const char *node)
{
	size_t used = strlen(all->text);
	char path[PATH_MAX], comm[NAME_LEN];

	put_text(path, sizeof(path), "/proc/%s/comm", pid);
	read_line(path, comm, sizeof(comm));
	put_text(all->text + used, all->size - used, "%s%.*s by %s (%s)",
		 used ? ", " : "", (int)strcspn(node, " \n"), node, comm, pid);
	all->count++;
}

static bool scan_link(struct holders *all, const char *pid, const char *dir,
		      const char *name)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *node;
	ssize_t n;

	put_text(path, sizeof(path), "%s/%s", dir, name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	node = node_of(all, target);
	if (node)
		add_holder(all, pid, node);
	return node;
}

static bool scan_files(struct holders *all, const char *pid)
{
	const struct dirent *entry;
	char dir[NAME_LEN];
	bool found = false;
	DIR *files;

	put_text(dir, sizeof(dir), "/proc/%s/fd", pid);
	files = opendir(dir);
	while (files && !found && (entry = readdir(files)))
		found = scan_link(all, pid, dir, entry->d_name);
	if (files)
		closedir(files);
	return found;
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

/* Skip this process: it inherited its files from the shell, which is listed. */
static int is_other_process(const struct dirent *entry)
{
	return is_digits(entry->d_name) &&
	       strtol(entry->d_name, NULL, 10) != (long)getpid();
}

static int put_holders(const char *stem, char *text, size_t size)
{
	struct holders all = { .stem = stem, .text = text, .size = size };
	struct dirent **names;
	int count = scandir("/proc", &names, is_other_process, versionsort);
	int i;

	*text = '\0';
	for (i = 0; i < count; i++) {
		if (!scan_files(&all, names[i]->d_name))
			scan_mappings(&all, names[i]->d_name);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return all.count;
}

/* Turn "zzero-0000/cset0/chan1/buffer" into "zzero-0000-0-". */
static bool put_stem(const struct zio_object *obj, char *stem, size_t size)
{
	const char *name = zio_object_name(obj);
	const char *slash = strchr(name, '/');

	if (!slash || !has_prefix(slash, "/cset"))
		return false;
	put_text(stem, size, "%.*s-%lu-", (int)(slash - name), name,
		 strtoul(slash + 5, NULL, 10));
	return true;
}

/* EBUSY of these attributes is not caused by an open node. */
static bool has_other_cause(const char *attr)
{
	return !strcmp(attr, "fire") || !strcmp(attr, "irq") ||
	       !strcmp(attr, "line") || !strcmp(attr, "source");
}

void put_reason(char text[REASON_LEN], const struct zio_object *obj, const char *attr,
		const struct zio_error *err)
{
	char stem[NAME_MAX], holders[REASON_LEN - sizeof(err->text)] = "";

	if (err->code == EBUSY && !has_other_cause(base_name(attr)) &&
	    put_stem(obj, stem, sizeof(stem)))
		put_holders(stem, holders, sizeof(holders));
	put_text(text, REASON_LEN, "%s%s%s", err->text, *holders ? ": " : "", holders);
}
