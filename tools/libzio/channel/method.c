// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open the nodes with the first method that the channel offers */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel.h"

#define ALL_METHODS (ZIO_OPEN_RING | ZIO_OPEN_READ)

/* Exclude FIFOs, which can be opened for reading and writing. */
static bool can_map(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	if (S_ISCHR(st.st_mode) || S_ISREG(st.st_mode))
		return true;
	errno = EINVAL;
	return false;
}

static bool is_sound(const struct zio_ring_header *hdr)
{
	return hdr->magic == ZIO_RING_MAGIC &&
	       hdr->version == ZIO_RING_VERSION &&
	       hdr->n_slots && !(hdr->n_slots & (hdr->n_slots - 1)) &&
	       hdr->slot_size >= sizeof(struct zio_control);
}

static int map_header(struct zio_channel *ch)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (zio_map(&ch->map_hdr, ch->ctrl_fd, 0, page,
		     PROT_READ | PROT_WRITE))
		return -1;
	ch->ring.hdr = (void *)ch->map_hdr.mem;
	if (is_sound(ch->ring.hdr))
		return 0;
	errno = EPROTONOSUPPORT;
	return -1;
}

static int map_slots(struct zio_channel *ch)
{
	const struct zio_ring_header *hdr = ch->ring.hdr;

	if (zio_map(&ch->map_slots, ch->ctrl_fd, hdr->slots_offset,
		     (size_t)hdr->n_slots * hdr->slot_size, PROT_READ))
		return -1;
	ch->ring.slots = ch->map_slots.mem;
	ch->ring.slot_size = hdr->slot_size;
	ch->ring.mask = hdr->n_slots - 1;
	ch->ring.next = hdr->tail;
	ch->ring.head = ch->ring.next;
	ch->ring.seen_head = ch->ring.next;
	return 0;
}

static int map_ring_data(struct zio_channel *ch)
{
	if (!ch->data_path)
		return 0;
	if (zio_map(&ch->map_data, ch->data_fd, 0, ch->ring.hdr->data_size,
		     PROT_READ))
		return -1;
	ch->data.mem = ch->map_data.mem;
	ch->data.size = ch->map_data.size;
	return 0;
}

static int open_ring(struct zio_channel *ch, int flags)
{
	if (ch->output) {
		errno = EINVAL;
		return -1;
	}
	if (!can_map(ch->ctrl_path) ||
	    zio_open_nodes(ch, O_RDWR, O_RDONLY, flags) ||
	    map_header(ch) || map_slots(ch) || map_ring_data(ch))
		return -1;
	ch->owner_pid = getpid();
	ch->ops = &zio_ring_ops;
	return 0;
}

static int open_read(struct zio_channel *ch, int flags)
{
	int mode = ch->output ? O_WRONLY : O_RDONLY;

	ch->ops = ch->output ? &zio_write_ops : &zio_read_ops;
	return zio_open_nodes(ch, mode, mode, flags);
}

static const struct method {
	const char *name;
	int flag;
	int (*open)(struct zio_channel *ch, int flags);
} methods[] = {
	{ "ring", ZIO_OPEN_RING, open_ring },
	{ "read", ZIO_OPEN_READ, open_read },
};

#define N_METHODS (sizeof(methods) / sizeof(methods[0]))

/* The method "read" can fail only in open(). */
static void explain(struct zio_channel *ch, const struct method *method,
		    struct zio_error *err)
{
	const char *path = ch->ctrl_path;
	int code = errno;

	if (ch->ctrl_fd >= 0 && ch->data_path)
		path = ch->data_path;
	zio_close_nodes(ch);
	if (method->flag == ZIO_OPEN_READ)
		zio_explain_open(err, code, path, ch->output);
	else
		zio_explain_method(err, code, path, method->name);
}

int zio_open_methods(struct zio_channel *ch, int flags, struct zio_error *err)
{
	bool forced = flags & ALL_METHODS;
	size_t i;

	if (flags & ZIO_OPEN_TAP)
		return zio_open_tap(ch, flags, err);
	if (ch->file.name)
		return zio_open_file(ch, flags, err);
	for (i = 0; i < N_METHODS; i++) {
		const struct method *method = &methods[i];

		if (forced && !(flags & method->flag))
			continue;
		if (!method->open(ch, flags))
			return 0;
		explain(ch, method, err);
	}
	return -1;
}

int zio_method_flag(const char *name)
{
	size_t i;

	if (!name)
		return zio_refuse_null();
	if (!strcmp(name, "auto"))
		return 0;
	for (i = 0; i < N_METHODS; i++)
		if (!strcmp(name, methods[i].name))
			return methods[i].flag;
	return -1;
}
