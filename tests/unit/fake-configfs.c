// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make a directory of files behave like configfs and sysfs, for the tests of zio and of its
 * commands in Python. LD_PRELOAD puts the functions of this file before those of libc.
 *
 * mkdir() copies the files of the directory ".new" beside the new one. rmdir() removes
 * the files, but fails with EBUSY if there is a file ".busy". Opening an attribute to
 * write fails with the number in the file ".ATTR.errno", if there is one. Opening
 * current_trigger copies the files of ".moved", if there are any, into trigger/.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* glibc has another function for programs with offsets of 64 bits. */
int open64(const char *path, int flags, ...);

/* The programs that this starts see the files as they are. */
static void run(const char *format, const char *one, const char *two)
{
	char command[3 * PATH_MAX];
	int n = snprintf(command, sizeof(command), "unset LD_PRELOAD; ");

	snprintf(command + n, sizeof(command) - (size_t)n, format, one, two);
	if (system(command))
		abort();
}

static int is_there(const char *dir, const char *name)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return !access(path, F_OK);
}

int mkdir(const char *path, mode_t mode)
{
	int (*real)(const char *path, mode_t mode) = dlsym(RTLD_NEXT, "mkdir");

	if (real(path, mode))
		return -1;
	if (is_there(path, "../.new"))
		run("cp -R '%s/../.new/.' '%s'", path, path);
	return 0;
}

int rmdir(const char *path)
{
	if (is_there(path, ".busy")) {
		errno = EBUSY;
		return -1;
	}
	run("rm -r '%s'%s", path, "");
	return 0;
}

/* The number in the file ".ATTR.errno" beside @path; 0 if there is none */
static int refusal(const char *dir, const char *name)
{
	char path[2 * PATH_MAX];
	int number = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/.%s.errno", dir, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &number) != 1)
		abort();
	fclose(file);
	return number;
}

/* What a write to an attribute does; 0, or -1 with errno. */
static int begin_write(const char *path)
{
	const char *name = strrchr(path, '/');
	char dir[PATH_MAX];

	if (!name)
		return 0;
	snprintf(dir, sizeof(dir), "%.*s", (int)(name - path), path);
	errno = refusal(dir, name + 1);
	if (errno)
		return -1;
	if (!strcmp(name, "/current_trigger") && is_there(dir, ".moved"))
		run("cp -R '%s/.moved/.' '%s/trigger'", dir, dir);
	return 0;
}

int open64(const char *path, int flags, ...)
{
	int (*real)(const char *path, int flags, ...) = dlsym(RTLD_NEXT, "open64");
	unsigned int mode;
	va_list args;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, unsigned int) : 0;
	va_end(args);
	if ((flags & O_ACCMODE) == O_WRONLY && !(flags & O_CREAT) && begin_write(path))
		return -1;
	return real(path, flags, mode);
}
