// SPDX-License-Identifier: GPL-2.0-only
/*
 * changes.c: settings change while boards come and go
 *
 * Each change lists the errors with which it may be refused. Any other error is a
 * failure.
 */
#include "fuzz.h"

/* Only one board at a time is unplugged. */
unsigned int *is_plugged;

void init_changes(void)
{
	is_plugged = share_memory(sizeof(*is_plugged));
	*is_plugged = 1;
}

/* A board may be absent at any time: these errors are expected. */
bool is_gone(int error)
{
	return error == ENOENT || error == ENODEV || error == ENXIO;
}

/* Is errno expected? @errors: the names of errors */
bool is_allowed(const char *errors)
{
	return is_gone(errno) || strstr(errors, strerrorname_np(errno));
}

void change(const char *path, const char *text, const char *allowed)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	long ret = fd;

	if (fd >= 0)
		ret = write(fd, text, strlen(text));
	if (result(ret) < 0 && !is_allowed(allowed))
		FAIL("'%s' to %s: %s", text, path, strerrorname_np(errno));
	if (fd >= 0)
		close(fd);
}

/* Unplug a board and plug it in again. @path: its file "live" */
void replug(const char *path)
{
	if (!__atomic_exchange_n(is_plugged, 0, __ATOMIC_SEQ_CST))
		return;
	change(path, "0", "");
	change(path, "1", "");
	set(is_plugged, 1);
}
