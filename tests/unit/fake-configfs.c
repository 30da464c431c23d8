// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make a directory of files behave like configfs and sysfs, for the tests of zio. The
 * linker replaces the functions of libc by those in this file.
 *
 * mkdir() copies the files of the directory ".new" beside the new one. rmdir() removes
 * the files, but fails with EBUSY if there is a file ".busy". Writing an attribute
 * fails with the number in the file ".ATTR.errno", if there is one. Writing
 * current_trigger copies the files of ".moved", if there are any, into trigger/.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libzio/object/object.h"

int __real_mkdir(const char *path, mode_t mode);
int __real_rmdir(const char *path);
int __real_zio_write_file(const char *path, const char *value);

int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_rmdir(const char *path);
int __wrap_zio_write_file(const char *path, const char *value);

static int run(const char *format, const char *one, const char *two)
{
	char command[3 * PATH_MAX];

	snprintf(command, sizeof(command), format, one, two);
	return system(command);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
	char template[PATH_MAX + 8];

	if (__real_mkdir(path, mode))
		return -1;
	snprintf(template, sizeof(template), "%s/../.new", path);
	if (!access(template, F_OK) &&
	    run("cp -R '%s/.' '%s'", template, path))
		abort();
	return 0;
}

int __wrap_rmdir(const char *path)
{
	if (zio_file_mode(path, ".busy")) {
		errno = EBUSY;
		return -1;
	}
	if (run("rm -r '%s'%s", path, ""))
		abort();
	return 0;
}

/* The number in the file ".ATTR.errno" beside @path; 0 if there is none */
static int refusal(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char file[PATH_MAX], text[ZIO_TEXT_SIZE];

	snprintf(file, sizeof(file), "%.*s.%s.errno", (int)(name - path), path, name);
	return zio_read_file(file, text, sizeof(text)) ? 0 : atoi(text);
}

int __wrap_zio_write_file(const char *path, const char *value)
{
	const char *name = strrchr(path, '/');
	char dir[PATH_MAX];

	errno = refusal(path);
	if (errno)
		return -1;
	snprintf(dir, sizeof(dir), "%.*s", (int)(name - path), path);
	if (!strcmp(name, "/current_trigger") && zio_is_dir(dir, ".moved") &&
	    run("cp -R '%s/.moved/.' '%s/trigger'", dir, dir))
		abort();
	return __real_zio_write_file(path, value);
}
