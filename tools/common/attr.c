// SPDX-License-Identifier: GPL-2.0-only
/* Read and write the attributes of ZIO in sysfs and configfs */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attr.h"
#include "text.h"

static const char *root_path(char path[PATH_MAX], const char *variable,
			     const char *standard, const char *rest)
{
	const char *root = getenv(variable);

	if (!*path)
		put_text(path, PATH_MAX, "%s/%s",
			 root && *root ? root : standard, rest);
	return path;
}

const char *sysfs_root(void)
{
	static char path[PATH_MAX];

	return root_path(path, "ZIO_SYSFS", "/sys", "bus/zio");
}

const char *triggers_root(void)
{
	static char path[PATH_MAX];

	return root_path(path, "ZIO_CONFIGFS", "/sys/kernel/config",
			 "zio/triggers");
}

const char *devices_root(void)
{
	static char path[PATH_MAX];

	return root_path(path, "ZIO_CONFIGFS", "/sys/kernel/config",
			 "zio/devices");
}

static bool stat_at(const char *dir, const char *name, struct stat *st)
{
	char path[PATH_MAX];

	put_text(path, sizeof(path), "%s/%s", dir, name);
	return !stat(path, st);
}

bool is_directory(const char *dir, const char *name)
{
	struct stat st;

	return stat_at(dir, name, &st) && S_ISDIR(st.st_mode);
}

bool is_file(const char *dir, const char *name)
{
	struct stat st;

	return stat_at(dir, name, &st) && !S_ISDIR(st.st_mode);
}

bool has_mode(const char *dir, const char *name, unsigned int mode)
{
	struct stat st;

	return stat_at(dir, name, &st) && S_ISREG(st.st_mode) &&
	       (st.st_mode & mode);
}

static int open_attr(const char *dir, const char *name, int flags)
{
	char path[PATH_MAX];

	put_text(path, sizeof(path), "%s/%s", dir, name);
	return open(path, flags | O_CLOEXEC);
}

int read_attr(const char *dir, const char *name, char text[ATTR_TEXT])
{
	int fd = open_attr(dir, name, O_RDONLY);
	ssize_t n;
	int code;

	*text = '\0';
	if (fd < 0)
		return -1;
	n = read(fd, text, ATTR_TEXT - 1);
	code = errno;
	close(fd);
	errno = code;
	if (n < 0)
		return -1;
	if (n && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return 0;
}

int read_name(const char *dir, const char *name, char text[NAME_LEN])
{
	char whole[ATTR_TEXT];
	int ret = read_attr(dir, name, whole);

	put_text(text, NAME_LEN, "%s", whole);
	return ret;
}

int64_t read_number(const char *dir, const char *name)
{
	char text[ATTR_TEXT];
	uint64_t value;
	char *end;

	if (read_attr(dir, name, text) || !*text)
		return -1;
	value = strtoull(text, &end, 0);
	return *end || value > INT64_MAX ? -1 : (int64_t)value;
}

/* Write in one call: the kernel takes each write() as a value of its own. */
static int write_line(int fd, const char *value)
{
	size_t size = strlen(value) + 1;
	char *line = allocate(size + 1, 1);
	ssize_t n;

	memcpy(line, value, size - 1);
	line[size - 1] = '\n';
	n = write(fd, line, size);
	free(line);
	if (n >= 0 && (size_t)n != size) {
		errno = EIO;
		return -1;
	}
	return n < 0 ? -1 : 0;
}

int write_attr(const char *dir, const char *name, const char *value)
{
	int fd = open_attr(dir, name, O_WRONLY | O_TRUNC);
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

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int list_names(const char *dir, struct dirent ***names)
{
	return scandir(dir, names, is_visible, versionsort);
}

void free_names(struct dirent **names, int count)
{
	int i;

	if (count < 0)
		return;
	for (i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

int find_owner(const char *root, const char *name, char owner[NAME_LEN])
{
	struct dirent **names;
	int count = list_names(root, &names);
	char dir[PATH_MAX];
	int ret = -1;
	int i;

	for (i = 0; i < count && ret; i++) {
		put_text(dir, sizeof(dir), "%s/%s", root, names[i]->d_name);
		if (!is_directory(dir, name))
			continue;
		put_text(owner, NAME_LEN, "%s", names[i]->d_name);
		ret = 0;
	}
	free_names(names, count);
	return ret;
}

void put_names(const char *root, bool files, char *text, size_t size)
{
	struct dirent **names;
	int count = list_names(root, &names);
	size_t used = 0;
	int i;

	*text = '\0';
	for (i = 0; i < count && used < size; i++) {
		if (!files && !is_directory(root, names[i]->d_name))
			continue;
		put_text(text + used, size - used, "%s%s", used ? " " : "",
			 names[i]->d_name);
		used += strlen(text + used);
	}
	free_names(names, count);
}
