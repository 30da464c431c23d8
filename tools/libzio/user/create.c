// SPDX-License-Identifier: LGPL-2.1-or-later
/* Make a device whose driver is a program, and remove it */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user.h"

#define NODE "/dev/uzio"

/* What the kernel takes for a depth of 0 */
#define DEFAULT_DEPTH 16

static const char *open_hint(int code)
{
	switch (code) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return " (load the module: modprobe zio-uzio)";
	case EACCES:
		return " (only members of the group zio-drivers may)";
	default:
		return "";
	}
}

static const char *create_hint(int code)
{
	switch (code) {
	case EEXIST:
		return " (another device has the number: choose id -1)";
	case ENFILE:
		return " (the parameter max_devices of zio-uzio limits the devices)";
	case EDQUOT:
		return " (this process has reached its limit of locked memory: ulimit -l)";
	case E2BIG:
		return " (the kernel module is older than this program)";
	default:
		return "";
	}
}

/* A stream has room for twice its blocks, so that they seldom move. */
static int alloc_lane(struct user_set *set, struct user_lane *lane, const struct uzio_set *from)
{
	lane->set = set;
	lane->room = from->n_chan;
	if (user_is_stream(set))
		lane->room = 2 * (from->depth ? from->depth : DEFAULT_DEPTH);
	lane->blocks = calloc(lane->room, sizeof(*lane->blocks));
	lane->filled = calloc(lane->room, sizeof(*lane->filled));
	return lane->blocks && lane->filled ? 0 : -1;
}

static int alloc_set(struct user_set *set, const struct uzio_set *from)
{
	uint32_t i;

	set->flags = from->flags;
	set->ssize = from->ssize;
	set->n_chan = from->n_chan;
	set->has_clock = *from->clock;
	set->memory = calloc(set->n_chan, sizeof(*set->memory));
	set->n_lanes = user_is_stream(set) ? set->n_chan : 1;
	set->lanes = calloc(set->n_lanes, sizeof(*set->lanes));
	if (!set->memory || !set->lanes)
		return -1;
	for (i = 0; i < set->n_lanes; i++)
		if (alloc_lane(set, &set->lanes[i], from))
			return -1;
	return 0;
}

static int alloc_attrs(struct zio_user *dev, const struct zio_user_device *device)
{
	const struct uzio_attr *attr;
	unsigned int i;

	dev->attrs = calloc(device->n_attrs + 1, sizeof(*dev->attrs));
	if (!dev->attrs)
		return -1;
	dev->n_attrs = device->n_attrs;
	for (i = 0; i < dev->n_attrs; i++) {
		attr = &device->attrs[i];
		dev->attrs[i].set = attr->set;
		dev->attrs[i].place = attr->place;
		dev->attrs[i].index = attr->index;
		dev->attrs[i].is_signed = attr->flags & UZIO_ATTR_SIGNED;
		dev->attrs[i].n_chan = attr->flags & UZIO_ATTR_CHANNELS ?
				       dev->sets[attr->set].n_chan : 1;
	}
	return 0;
}

/* The kernel has accepted the description. */
static int alloc_sets(struct zio_user *dev, const struct zio_user_device *device)
{
	unsigned int i;

	dev->sets = calloc(device->n_sets, sizeof(*dev->sets));
	if (!dev->sets)
		return -1;
	dev->n_sets = device->n_sets;
	for (i = 0; i < device->n_sets; i++) {
		dev->sets[i].dev = dev;
		dev->sets[i].index = i;
		if (alloc_set(&dev->sets[i], &device->sets[i]))
			return -1;
	}
	if (alloc_attrs(dev, device))
		return -1;
	dev->answers = malloc(dev->room);
	dev->requests = malloc(dev->room);
	return dev->answers && dev->requests ? 0 : -1;
}

static int open_files(struct zio_user *dev, struct zio_error *err)
{
	dev->interrupt_fd = -1;
	dev->fd = open(NODE, O_RDWR | O_CLOEXEC);
	if (dev->fd < 0)
		return zio_explain(err, errno, "%s: %s%s", NODE, strerror(errno),
				   open_hint(errno));
	dev->interrupt_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (dev->interrupt_fd < 0)
		return zio_explain(err, errno, "eventfd: %s", strerror(errno));
	return 0;
}

static int create(struct zio_user *dev, const struct zio_user_device *device,
		  struct zio_error *err)
{
	char message[256] = "";
	struct uzio_create create = {
		.id = device->id,
		.sets = (uintptr_t)device->sets,
		.n_sets = device->n_sets,
		.set_size = sizeof(*device->sets),
		.message = (uintptr_t)message,
		.message_size = sizeof(message),
		.timeout_ms = device->timeout_ms,
		.attrs = (uintptr_t)device->attrs,
		.n_attrs = device->n_attrs,
		.attr_size = device->n_attrs ? sizeof(*device->attrs) : 0,
	};
	int code;

	if (strlen(device->name) >= sizeof(create.name))
		return zio_explain(err, ENAMETOOLONG, "%s: name has more than %zu characters",
				   device->name, sizeof(create.name) - 1);
	memcpy(create.name, device->name, strlen(device->name));
	if (ioctl(dev->fd, UZIO_IOC_CREATE, &create)) {
		code = errno;
		return zio_explain(err, code, "%s: %s%s", device->name,
				   *message ? message : strerror(code), create_hint(code));
	}
	snprintf(dev->name, sizeof(dev->name), "%s-%04x", device->name,
		 (unsigned int)create.id);
	dev->room = create.buffer_size;
	if (alloc_sets(dev, device))
		return zio_explain_memory(err);
	return 0;
}

struct zio_user *zio_user_create(const struct zio_user_device *device, struct zio_error *err)
{
	struct zio_user *dev;

	if (!device || !device->name || (!device->sets && device->n_sets) ||
	    (!device->attrs && device->n_attrs)) {
		zio_explain_null(err);
		return NULL;
	}
	dev = calloc(1, sizeof(*dev));
	if (!dev) {
		zio_explain_memory(err);
		return NULL;
	}
	if (!open_files(dev, err) && !create(dev, device, err))
		return dev;
	zio_user_close(dev);
	return NULL;
}

static void free_set(struct user_set *set)
{
	uint32_t i;

	for (i = 0; set->memory && i < set->n_chan; i++)
		if (set->memory[i].addr)
			munmap(set->memory[i].addr, set->memory[i].size);
	for (i = 0; set->lanes && i < set->n_lanes; i++) {
		free(set->lanes[i].blocks);
		free(set->lanes[i].filled);
	}
	free(set->memory);
	free(set->lanes);
}

static void free_asks(struct zio_user *dev)
{
	struct user_ask *ask;

	while ((ask = dev->asks)) {
		dev->asks = ask->next;
		free(ask);
	}
}

void zio_user_close(struct zio_user *dev)
{
	int saved = errno;
	unsigned int i;

	if (!dev)
		return;
	for (i = 0; i < dev->n_sets; i++)
		free_set(&dev->sets[i]);
	if (dev->fd >= 0)
		close(dev->fd);
	if (dev->interrupt_fd >= 0)
		close(dev->interrupt_fd);
	free_asks(dev);
	free(dev->attrs);
	free(dev->sets);
	free(dev->answers);
	free(dev->requests);
	free(dev);
	errno = saved;
}

const char *zio_user_name(const struct zio_user *dev)
{
	if (dev)
		return dev->name;
	zio_refuse_null();
	return NULL;
}
