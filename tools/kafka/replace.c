// SPDX-License-Identifier: GPL-2.0-only
/* Files that replace others once they are whole */
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

/*
 * The name is known beforehand, and other users may write to the folder, as to /tmp: never
 * follow a link of theirs, nor write to a file of theirs.
 */
static int create_file(const char *name)
{
	unlink(name);		/* a program that was killed has left it */
	return open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int begin_replacement(struct replacement *r, const char *target)
{
	struct stat st;

	r->target = resolve_path(target);
	if (asprintf(&r->name, "%s.new", r->target) < 0)
		fail_memory();
	r->fd = create_file(r->name);
	if (r->fd < 0) {
		complain("%s: cannot create: %s", r->name, strerror(errno));
		free(r->name);
		r->name = NULL;
		return -1;
	}
	if (!stat(r->target, &st))
		(void)!fchmod(r->fd, st.st_mode & 0777);
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
	if (r->target)
		close(r->fd);
	free(r->name);
	free(r->target);
	*r = (struct replacement){ 0 };
}
