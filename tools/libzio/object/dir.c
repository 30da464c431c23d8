// SPDX-License-Identifier: LGPL-2.1-or-later
/* Directories and files of sysfs and configfs */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object.h"

static char *root_path(const char *variable, const char *standard, const char *rest)
{
	const char *root = secure_getenv(variable);

	return zio_format("%s/%s", root && *root ? root : standard, rest);
}

char *zio_sysfs_path(void)
{
	return root_path("ZIO_SYSFS", "/sys", "bus/zio");
}

char *zio_configfs_path(enum zio_object_kind kind)
{
	bool device = kind == ZIO_OBJECT_CONFIG_DEVICE || kind == ZIO_OBJECT_DRIVER;

	return root_path("ZIO_CONFIGFS", "/sys/kernel/config",
			 device ? "zio/devices" : "zio/triggers");
}

static bool stat_at(const char *dir, const char *name, struct stat *st)
{
	char *path = zio_format("%s/%s", dir, name);
	bool there = path && !stat(path, st);

	free(path);
	return there;
}

bool zio_is_dir(const char *dir, const char *name)
{
	struct stat st;

	return stat_at(dir, name, &st) && S_ISDIR(st.st_mode);
}

/* sysfs tells the types of files, so a list needs no call for each. */
bool zio_is_dir_entry(const char *dir, const struct dirent *entry)
{
	if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN)
		return zio_is_dir(dir, entry->d_name);
	return entry->d_type == DT_DIR;
}

unsigned int zio_file_mode(const char *dir, const char *name)
{
	struct stat st;

	if (!stat_at(dir, name, &st) || !S_ISREG(st.st_mode))
		return 0;
	return st.st_mode;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int zio_scan_dir(const char *dir, struct dirent ***names)
{
	return scandir(dir, names, is_visible, versionsort);
}

void zio_free_names(struct dirent **names, int count)
{
	int i;

	if (count < 0)
		return;
	for (i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

void zio_put_names(const char *dir, bool files, char *text, size_t size)
{
	struct dirent **names;
	int count = zio_scan_dir(dir, &names);
	size_t used = 0;
	int i;

	*text = '\0';
	for (i = 0; i < count && used < size; i++) {
		if (!files && !zio_is_dir_entry(dir, names[i]))
			continue;
		snprintf(text + used, size - used, "%s%s", used ? " " : "",
			 names[i]->d_name);
		used += strlen(text + used);
	}
	zio_free_names(names, count);
}

static int read_text(int fd, char *text, size_t size)
{
	ssize_t n = read(fd, text, size);

	if (n < 0)
		return -1;
	if (n && text[n - 1] == '\n')
		n--;
	if ((size_t)n == size) {
		errno = EMSGSIZE;
		return -1;
	}
	text[n] = '\0';
	return 0;
}

int zio_read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret, code;

	*text = '\0';
	if (fd < 0)
		return -1;
	ret = read_text(fd, text, size);
	code = errno;
	if (ret)
		*text = '\0';
	close(fd);
	errno = code;
	return ret;
}

/* The kernel takes each write() as a separate value, so make just one. */
static int write_line(int fd, const char *value)
{
	char *line = zio_format("%s\n", value);
	size_t size = strlen(value) + 1;
	ssize_t n;

	if (!line)
		return -1;
	n = write(fd, line, size);
	free(line);
	if (n >= 0 && (size_t)n != size) {
		errno = EIO;
		return -1;
	}
	return n < 0 ? -1 : 0;
}

int zio_write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int ret, code;

	if (fd < 0)
		return -1;
	ret = write_line(fd, value);
	code = errno;
	if (close(fd) && !ret)
		return -1;
	errno = code;
	return ret;
}
