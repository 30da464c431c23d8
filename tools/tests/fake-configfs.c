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

#include "zio/command.h"

int __real_mkdir(const char *path, mode_t mode);
int __real_rmdir(const char *path);
int __real_write_attr(const char *dir, const char *name, const char *value);

int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_rmdir(const char *path);
int __wrap_write_attr(const char *dir, const char *name, const char *value);

static int run(const char *format, const char *one, const char *two)
{
	char command[3 * PATH_MAX];

	put_text(command, sizeof(command), format, one, two);
	return system(command);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
	char template[PATH_MAX + 8];

	if (__real_mkdir(path, mode))
		return -1;
	put_text(template, sizeof(template), "%s/../.new", path);
	if (!access(template, F_OK) &&
	    run("cp -R '%s/.' '%s'", template, path))
		abort();
	return 0;
}

int __wrap_rmdir(const char *path)
{
	if (!access(path, F_OK) && is_file(path, ".busy")) {
		errno = EBUSY;
		return -1;
	}
	if (run("rm -r '%s'%s", path, ""))
		abort();
	return 0;
}

int __wrap_write_attr(const char *dir, const char *name, const char *value)
{
	const char *base = strrchr(name, '/');
	char refused[NAME_MAX + 10], within[PATH_MAX];
	int64_t code;

	base = base ? base + 1 : name;
	put_text(within, sizeof(within), "%s/%.*s", dir, (int)(base - name),
		 name);
	put_text(refused, sizeof(refused), ".%s.errno", base);
	code = read_number(within, refused);
	if (code > 0) {
		errno = (int)code;
		return -1;
	}
	if (!strcmp(base, "current_trigger") && is_directory(dir, ".moved") &&
	    run("cp -R '%s/.moved/.' '%s/trigger'", dir, dir))
		abort();
	return __real_write_attr(dir, name, value);
}
