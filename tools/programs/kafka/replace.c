// SPDX-License-Identifier: GPL-2.0-only
/* Files that replace others only when complete */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/program.h"
#include "replace.h"

static char *copy_text(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		fail_memory();
	return copy;
}

char *resolve_path(const char *path)
{
	char *resolved = realpath(path, NULL);

	return resolved ? resolved : copy_text(path);
}

int sync_folder(const char *path)
{
	char *copy = copy_text(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = -1;

	if (fd >= 0) {
		ret = fsync(fd);
		close(fd);
	}
	free(copy);
	return ret;
}

static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * Another program may replace the same file, and other users may write to the folder, such
 * as /tmp. The name is therefore new: no file and no link has it.
 */
int begin_replacement(struct replacement *r, const char *target)
{
	struct stat st;

	r->target = resolve_path(target);
	if (asprintf(&r->name, "%s.XXXXXX", r->target) < 0)
		fail_memory();
	r->fd = mkostemp(r->name, O_CLOEXEC);
	if (r->fd < 0) {
		complain("%s: cannot create a file next to it: %s", r->target,
			 strerror(errno));
		free(r->name);
		r->name = NULL;
		return -1;
	}
	(void)!fchmod(r->fd, stat(r->target, &st) ? usual_mode() : st.st_mode & 0777);
	return 0;
}

int end_replacement(struct replacement *r)
{
	int ret = 0;

	if (fdatasync(r->fd) || rename(r->name, r->target)) {
		complain("%s: cannot replace: %s", r->target, strerror(errno));
		ret = -1;
	} else {
		free(r->name);
		r->name = NULL;
		sync_folder(r->target);
	}
	return ret;
}

void drop_replacement(struct replacement *r)
{
	if (r->name)
		unlink(r->name);
	if (r->target && r->fd >= 0)
		close(r->fd);
	free(r->name);
	free(r->target);
	*r = (struct replacement){ 0 };
}
