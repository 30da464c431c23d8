// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a directory of files cannot do, for the tests of zio: linked into it, in
 * place of the functions of these names.
 *
 * A mkdir() beside a directory ".new" copies the files that are in there; rmdir()
 * removes them, but says EBUSY if there is a ".busy". Writing an attribute beside
 * which there is ".ATTR.errno" fails with the number in that file; if a ".moved"
 * is there, current_trigger makes the files of ".moved" appear in trigger/.
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
