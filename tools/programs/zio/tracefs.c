// SPDX-License-Identifier: GPL-2.0-only
/* The tracepoints of ZIO, in an instance of tracefs that belongs to this process */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "tracefs.h"

#define FILTER_LEN 128

static const char *sysfs(void)
{
	const char *dir = getenv("ZIO_SYSFS");

	return dir && *dir ? dir : "/sys";
}

static bool try_text(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX + NAME_LEN];
	ssize_t n = -1;
	int fd;

	put_text(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = write(fd, text, strlen(text));
		close(fd);
	}
	return n >= 0;
}

static int write_text(const char *dir, const char *name, const char *text)
{
	if (try_text(dir, name, text))
		return 0;
	complain("%s/%s: %s", dir, name, strerror(errno));
	return -1;
}

/* Why there are no events: what is missing, and what to do */
static void explain(const char *dir, int error)
{
	if (error == EACCES || error == EPERM)
		complain("%s: %s: tracing needs root", dir, strerror(error));
	else
		complain("%s: there is no tracefs: 'mount -t tracefs none %s', or a kernel with CONFIG_EVENT_TRACING",
			 dir, dir);
}

static int check_tracefs(const char *dir)
{
	char path[PATH_MAX];
	struct stat st;

	put_text(path, sizeof(path), "%s/bus/zio", sysfs());
	if (stat(path, &st)) {
		complain("the kernel module zio is not loaded: 'modprobe zio'");
		return -1;
	}
	put_text(path, sizeof(path), "%s/instances", dir);
	if (stat(path, &st) || access(path, W_OK)) {
		explain(dir, errno);
		return -1;
	}
	put_text(path, sizeof(path), "%s/events/zio", dir);
	if (!stat(path, &st))
		return 0;
	complain("%s: the kernel module zio has no tracepoints: it is older than 1.3, or its kernel has no CONFIG_EVENT_TRACING",
		 path);
	return -1;
}

/* The numbers in "zzero-0000/cset0/chan1"; -1: there is none */
struct place {
	char dev[NAME_LEN];
	unsigned int id;
	int cset, chan;
};

static struct place place_of(const struct zio_object *obj)
{
	const char *name = zio_object_name(obj);
	struct place at = { .cset = -1, .chan = -1 };
	char *dash;

	put_text(at.dev, sizeof(at.dev), "%.*s", (int)strcspn(name, "/"), name);
	sscanf(name + strlen(at.dev), "/cset%d/chan%d", &at.cset, &at.chan);
	dash = strrchr(at.dev, '-');
	if (dash) {
		at.id = (unsigned int)strtoul(dash + 1, NULL, 16);
		*dash = '\0';
	}
	return at;
}

static int set_filter(const char *dir, const char *event, const char *filter)
{
	char name[NAME_LEN];

	put_text(name, sizeof(name), "events/zio/%s/filter", event);
	return write_text(dir, name, filter);
}

/* An event that names no channel, or no set, concerns all of them. */
static int set_filters(const char *dir, const struct place *at)
{
	static const char *const blocks[] = { "zio_arm", "zio_block_done", "zio_block_read" };
	char dev[FILTER_LEN], cset[FILTER_LEN] = "", chan[FILTER_LEN] = "";
	char filter[3 * FILTER_LEN];
	int ret, i;

	put_text(dev, sizeof(dev), "dev == \"%s\" && id == %u", at->dev, at->id);
	if (at->cset >= 0)
		put_text(cset, sizeof(cset), " && cset == %d", at->cset);
	if (at->chan >= 0)
		put_text(chan, sizeof(chan), " && chan == %d", at->chan);
	ret = set_filter(dir, "zio_removed", dev);
	put_text(filter, sizeof(filter), "%s%s", dev, cset);
	ret = ret || set_filter(dir, "zio_fire", filter);
	put_text(filter, sizeof(filter), "%s%s%s", dev, cset, chan);
	for (i = 0; i < 3; i++)
		ret = ret || set_filter(dir, blocks[i], filter);
	if (at->chan >= 0)
		put_text(filter, sizeof(filter), "%s%s && (chan == %d || chan == -1)", dev,
			 cset, at->chan);
	return ret || set_filter(dir, "zio_lost", filter) ? -1 : 0;
}

static int turn_on(struct tracefs *trace, const struct zio_object *obj)
{
	static const char *const flags[] = {
		"context-info", "irq-info", "norecord-tgid", "nohex", "noraw", "nobin",
		"nolatency-format", "nofields", "record-cmd",
	};
	char path[PATH_MAX + NAME_LEN];
	struct place at;
	size_t i;

	if (obj) {
		at = place_of(obj);
		if (set_filters(trace->dir, &at))
			return -1;
	}
	/* An instance begins with the options of the machine; parse_event() reads these. */
	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		try_text(trace->dir, "trace_options", flags[i]);
	if (write_text(trace->dir, "trace_clock", "mono") ||
	    write_text(trace->dir, "events/zio/enable", "1"))
		return -1;
	put_text(path, sizeof(path), "%s/trace_pipe", trace->dir);
	trace->pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (trace->pipe >= 0)
		return 0;
	complain("%s: %s", path, strerror(errno));
	return -1;
}

int begin_tracing(struct tracefs *trace, const struct zio_object *obj)
{
	char dir[NAME_MAX];

	*trace = (struct tracefs){ .pipe = -1 };
	put_text(dir, sizeof(dir), "%s/kernel/tracing", sysfs());
	if (check_tracefs(dir))
		return -1;
	put_text(trace->dir, sizeof(trace->dir), "%s/instances/zio-%ld", dir, (long)getpid());
	if (mkdir(trace->dir, 0700)) {
		complain("%s: %s%s", trace->dir, strerror(errno),
			 errno == EEXIST ? ": a trace was killed, remove it with rmdir" : "");
		*trace->dir = '\0';
		return -1;
	}
	if (!turn_on(trace, obj))
		return 0;
	end_tracing(trace);
	return -1;
}

bool is_tracing(const struct tracefs *trace)
{
	char path[PATH_MAX + NAME_LEN], on = 0;
	int fd;

	put_text(path, sizeof(path), "%s/events/zio/enable", trace->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, &on, 1) != 1)
		on = 0;
	close(fd);
	return on != '0' && on;
}

void stop_tracing(const struct tracefs *trace)
{
	write_text(trace->dir, "events/zio/enable", "0");
}

/* The instance is in use until its file is closed. */
void end_tracing(struct tracefs *trace)
{
	if (trace->pipe >= 0)
		close(trace->pipe);
	if (*trace->dir && rmdir(trace->dir))
		complain("%s: %s: remove it by hand", trace->dir, strerror(errno));
	*trace = (struct tracefs){ .pipe = -1 };
}
