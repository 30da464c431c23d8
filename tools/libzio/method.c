// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open and map the nodes, by the first method that the channel offers */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

#define ALL_METHODS (ZIO_OPEN_RING | ZIO_OPEN_MMAP | ZIO_OPEN_READ)
#define MAX_SIZE (SIZE_MAX / 2)

/* An access beyond the end of a mapped file would be SIGBUS. */
static int map_part(struct zio_mapping *map, int fd, size_t offset,
		    size_t size, int prot)
{
	struct stat st;
	void *mem;

	if (fstat(fd, &st))
		return -1;
	if (!size || (S_ISREG(st.st_mode) &&
		      ((uint64_t)st.st_size < offset ||
		       (uint64_t)st.st_size - offset < size))) {
		errno = EINVAL;
		return -1;
	}
	mem = mmap(NULL, size, prot, MAP_SHARED, fd, (off_t)offset);
	if (mem == MAP_FAILED)
		return -1;
	map->mem = mem;
	map->size = size;
	return 0;
}

static void unmap_part(struct zio_mapping *map)
{
	if (map->mem)
		munmap(map->mem, map->size);
	*map = (struct zio_mapping){ 0 };
}

void zio_unmap(struct zio_channel *ch)
{
	unmap_part(&ch->map_hdr);
	unmap_part(&ch->map_slots);
	unmap_part(&ch->map_data);
	ch->hdr = NULL;
	ch->data = NULL;
}

static bool has_page(int fd, size_t n, size_t page)
{
	struct zio_mapping map;

	if (map_part(&map, fd, n * page, page, PROT_READ))
		return false;
	unmap_part(&map);
	return true;
}

/*
 * The size of a data node is not known, so this function tries its pages. The caller keeps
 * the first page mapped, so that the kernel does not replace the area.
 */
static size_t find_size(int fd, size_t page)
{
	size_t last = 0, beyond = 1, middle;

	while (beyond < MAX_SIZE / page && has_page(fd, beyond, page)) {
		last = beyond;
		beyond *= 2;
	}
	while (beyond - last > 1) {
		middle = last + (beyond - last) / 2;
		if (has_page(fd, middle, page))
			last = middle;
		else
			beyond = middle;
	}
	return (last + 1) * page;
}

static int map_data(struct zio_channel *ch, int prot)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct zio_mapping first;
	int ret;

	if (map_part(&first, ch->data_fd, 0, page, PROT_READ)) {
		/* ENODEV of mmap() does not mean that the device is gone. */
		if (errno == ENODEV)
			errno = EOPNOTSUPP;
		return -1;
	}
	ret = map_part(&ch->map_data, ch->data_fd, 0,
		       find_size(ch->data_fd, page), prot);
	unmap_part(&first);
	ch->data = ch->map_data.mem;
	ch->data_size = ch->map_data.size;
	return ret;
}

/* Exclude FIFOs: opening one for reading and writing would succeed. */
static bool can_map(const char *path, bool forced)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	if (S_ISCHR(st.st_mode) || (forced && S_ISREG(st.st_mode)))
		return true;
	errno = EINVAL;
	return false;
}

static int open_nodes(struct zio_channel *ch, int ctrl_mode, int data_mode,
		      int flags)
{
	ch->ctrl_fd = zio_open_node(ch->ctrl_path, ctrl_mode, flags);
	if (ch->ctrl_fd < 0)
		return -1;
	if (!ch->data_path)
		return 0;
	ch->data_fd = zio_open_node(ch->data_path, data_mode, flags);
	return ch->data_fd < 0 ? -1 : 0;
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

	if (map_part(&ch->map_hdr, ch->ctrl_fd, 0, page,
		     PROT_READ | PROT_WRITE))
		return -1;
	ch->hdr = (void *)ch->map_hdr.mem;
	if (is_sound(ch->hdr))
		return 0;
	errno = EPROTONOSUPPORT;
	return -1;
}

static int map_slots(struct zio_channel *ch)
{
	const struct zio_ring_header *hdr = ch->hdr;

	if (map_part(&ch->map_slots, ch->ctrl_fd, hdr->slots_offset,
		     (size_t)hdr->n_slots * hdr->slot_size, PROT_READ))
		return -1;
	ch->slots = ch->map_slots.mem;
	ch->slot_size = hdr->slot_size;
	ch->mask = hdr->n_slots - 1;
	ch->next = hdr->tail;
	ch->head = ch->next;
	ch->seen_head = ch->next;
	return 0;
}

static int map_ring_data(struct zio_channel *ch)
{
	if (!ch->data_path)
		return 0;
	if (map_part(&ch->map_data, ch->data_fd, 0, ch->hdr->data_size,
		     PROT_READ))
		return -1;
	ch->data = ch->map_data.mem;
	ch->data_size = ch->map_data.size;
	return 0;
}

static int open_ring(struct zio_channel *ch, int flags)
{
	if (ch->output) {
		errno = EINVAL;
		return -1;
	}
	if (!can_map(ch->ctrl_path, true) ||
	    open_nodes(ch, O_RDWR, O_RDONLY, flags) ||
	    map_header(ch) || map_slots(ch) || map_ring_data(ch))
		return -1;
	ch->owner_pid = getpid();
	return 0;
}

static int open_mmap(struct zio_channel *ch, int flags)
{
	bool forced = flags & ZIO_OPEN_MMAP;
	int mode = ch->output ? O_RDWR : O_RDONLY;
	int prot = ch->output ? PROT_READ | PROT_WRITE : PROT_READ;

	if (!ch->data_path) {
		errno = EINVAL;
		return -1;
	}
	if (!can_map(ch->data_path, forced) ||
	    !can_map(ch->ctrl_path, forced) ||
	    open_nodes(ch, mode, mode, flags) || map_data(ch, prot))
		return -1;
	ch->owner_pid = getpid();
	ch->batch = calloc(ZIO_BATCH, sizeof(*ch->batch));
	return ch->batch ? 0 : -1;
}

static int open_read(struct zio_channel *ch, int flags)
{
	int mode = ch->output ? O_WRONLY : O_RDONLY;

	return open_nodes(ch, mode, mode, flags);
}

static const struct method {
	const char *name;
	int flag;
	enum zio_method_id id;
	int (*open)(struct zio_channel *ch, int flags);
} methods[] = {
	{ "ring", ZIO_OPEN_RING, ZIO_METHOD_RING, open_ring },
	{ "mmap", ZIO_OPEN_MMAP, ZIO_METHOD_MMAP, open_mmap },
	{ "read", ZIO_OPEN_READ, ZIO_METHOD_READ, open_read },
};

#define N_METHODS (sizeof(methods) / sizeof(methods[0]))

/* The method "read" fails only in open(). */
static void explain(struct zio_channel *ch, const struct method *method,
		    struct zio_error *err)
{
	const char *path = ch->ctrl_path;
	int code = errno;

	if (ch->ctrl_fd >= 0 && ch->data_path)
		path = ch->data_path;
	zio_close_nodes(ch);
	if (method->id == ZIO_METHOD_READ)
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
	if (ch->file)
		return zio_open_file(ch, flags, err);
	for (i = 0; i < N_METHODS; i++) {
		const struct method *method = &methods[i];

		if (forced && !(flags & method->flag))
			continue;
		if (!method->open(ch, flags)) {
			ch->method = method->id;
			return 0;
		}
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

const char *zio_method(const struct zio_channel *ch)
{
	if (!ch) {
		errno = EINVAL;
		return NULL;
	}
	if (ch->file)
		return "file";
	if (ch->tap)
		return "tap";
	if (ch->output && ch->method == ZIO_METHOD_READ)
		return "write";
	return methods[ZIO_METHOD_RING - ch->method].name;
}
