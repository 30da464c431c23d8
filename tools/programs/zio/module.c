// SPDX-License-Identifier: GPL-2.0-only
/* Modules of ZIO and their parameters, for zio save and zio restore. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

#define MAX_PARAMETERS 32

extern char **environ;

static const char blanks[] = " \t";

/* "/sys/module/zio_loop" for zio-loop; with @parameter, the file of that */
static void put_path(char path[PATH_MAX], const char *module, const char *parameter)
{
	const char *sysfs = getenv("ZIO_SYSFS");
	int start, i;

	put_text(path, PATH_MAX, "%s/module/", sysfs && *sysfs ? sysfs : "/sys");
	start = (int)strlen(path);
	put_text(path + start, PATH_MAX - start, "%s", module);
	for (i = start; path[i]; i++)
		if (path[i] == '-')
			path[i] = '_';
	if (parameter)
		put_text(path + i, PATH_MAX - i, "/parameters/%s", parameter);
}

/* Read a file of one line; false if it cannot be read, or has no value. */
static bool read_value(const char *path, char text[ZIO_TEXT_SIZE])
{
	FILE *in = fopen(path, "re");
	bool good;

	if (!in)
		return false;
	good = fgets(text, ZIO_TEXT_SIZE, in);
	fclose(in);
	if (good)
		text[strcspn(text, "\n")] = '\0';
	/* The kernel prints this for a text that was not given. */
	return good && *text && strcmp(text, "(null)");
}

static int scan(const char *path, struct dirent ***names,
		int (*wanted)(const struct dirent *entry))
{
	int count = scandir(path, names, wanted, alphasort);

	return count < 0 ? 0 : count;
}

static void free_names(struct dirent **names, int count)
{
	int i;

	for (i = 0; i < count; i++)
		free(names[i]);
	if (count)
		free(names);
}

/* --- save */

static int is_module(const struct dirent *entry)
{
	return has_prefix(entry->d_name, "zio");
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void save_parameter(const char *module, const char *name)
{
	char path[PATH_MAX], value[ZIO_TEXT_SIZE];

	put_path(path, module, name);
	if (read_value(path, value) && !strpbrk(value, " \t\"'"))
		printf(" %s=%s", name, value);
}

static void save_module(char *module)
{
	struct dirent **names;
	char path[PATH_MAX], *at;
	int count, i;

	/* modprobe takes a hyphen for an underscore. */
	while ((at = strchr(module, '_')))
		*at = '-';
	printf("load %s", module);
	put_path(path, module, "");
	count = scan(path, &names, is_file);
	for (i = 0; i < count; i++)
		save_parameter(module, names[i]->d_name);
	free_names(names, count);
	putchar('\n');
}

void save_modules(void)
{
	struct dirent **names;
	char path[PATH_MAX];
	int count, i;

	put_path(path, "", NULL);
	count = scan(path, &names, is_module);
	for (i = 0; i < count; i++)
		save_module(names[i]->d_name);
	free_names(names, count);
}

/* --- restore */

static int fail(char reason[REASON_LEN], const char *text)
{
	put_text(reason, REASON_LEN, "%s", text);
	return -1;
}

static bool is_module_name(const char *name)
{
	return has_prefix(name, "zio") &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")];
}

static bool is_parameter(const char *word)
{
	size_t len = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return len && word[len] == '=';
}

static bool is_loaded(const char *name)
{
	char path[PATH_MAX];

	put_path(path, name, NULL);
	return !access(path, F_OK);
}

bool is_new_module(const char *words)
{
	char name[PATH_MAX];

	words += strspn(words, blanks);
	put_text(name, sizeof(name), "%.*s", (int)strcspn(words, blanks), words);
	return is_module_name(name) && !is_loaded(name);
}

static int run_modprobe(char *const argv[], char reason[REASON_LEN])
{
	int status = -1;
	pid_t pid;

	errno = posix_spawnp(&pid, "modprobe", NULL, NULL, argv, environ);
	if (!errno && waitpid(pid, &status, 0) == pid && !status)
		return 0;
	put_text(reason, REASON_LEN, "modprobe %.64s: %s", argv[2],
		 errno ? strerror(errno) : "failed; see above, and the kernel log");
	return -1;
}

static int write_value(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ssize_t len = (ssize_t)strlen(value);
	bool good;

	if (fd < 0)
		return -1;
	good = write(fd, value, (size_t)len) == len;
	return close(fd) || !good ? -1 : 0;
}

/* The mode tells it, also to root. */
static bool is_writable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	errno = EACCES;
	return st.st_mode & 0222;
}

/* Give a loaded module the parameter @word, which changes. */
static int set_parameter(const struct load *load, const char *module, char *word,
			 char reason[REASON_LEN])
{
	char path[PATH_MAX], present[ZIO_TEXT_SIZE] = "";
	char *value = strchr(word, '=');

	*value++ = '\0';
	put_path(path, module, word);
	read_value(path, present);
	if (!strcmp(present, value))
		return 0;
	if (is_writable(path) && (load->dry_run || !write_value(path, value))) {
		if (load->dry_run || load->verbose)
			printf("load %s %s=%s\n", module, word, value);
		return 0;
	}
	put_text(reason, REASON_LEN,
		 "%.64s is loaded with %.64s=%.64s, not %.64s: %s; unload it first",
		 module, word, present, value, strerror(errno));
	return -1;
}

static int set_parameters(const struct load *load, const char *module, char **words,
			  char reason[REASON_LEN])
{
	int ret = 0;

	for (; *words; words++)
		if (set_parameter(load, module, *words, reason))
			ret = -1;
	return ret;
}

static void show_load(char **argv)
{
	fputs("load", stdout);
	for (; *argv; argv++)
		printf(" %s", *argv);
	putchar('\n');
}

int load_module(const struct load *load, char *words, char reason[REASON_LEN])
{
	char *argv[MAX_PARAMETERS + 4] = { "modprobe", "--" };
	char *at, *word;
	int count = 2;

	for (word = strtok_r(words, blanks, &at); word;
	     word = strtok_r(NULL, blanks, &at)) {
		if (count == 2 ? !is_module_name(word) : !is_parameter(word))
			return fail(reason,
				    "the line is not: load MODULE [PARAMETER=VALUE]..., with a module of ZIO such as zio-zero");
		if (count == MAX_PARAMETERS + 3)
			return fail(reason, "load: too many parameters");
		argv[count++] = word;
	}
	if (count == 2)
		return fail(reason, "load: which module?");
	if (is_loaded(argv[2]))
		return set_parameters(load, argv[2], argv + 3, reason);
	if (load->dry_run || load->verbose)
		show_load(argv + 2);
	return load->dry_run ? 0 : run_modprobe(argv, reason);
}
