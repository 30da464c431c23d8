// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Channels of a set on top of the ring of the set
 *
 * The kernel has one ring for all channels, in which each channel has its own consecutive
 * slots. The library makes each channel a ring like any other: it gives the channel a
 * header of its own in memory of the library, and deal() counts the entries of the
 * channel in that head. pass() moves the tail of the set over the entries that all
 * channels have passed. hdr is the header of the set, which the kernel writes (A of
 * ring.c, S of slot.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "channel.h"

struct zio_set {
	struct zio_ring_header *hdr;
	const uint32_t *entry;
	const uint8_t *slots;
	struct zio_mapping map_hdr, map_entry, map_slots;
	uint32_t next;		/* entries dealt */
	uint32_t tail;		/* entries passed */
	uint32_t mask;
	uint32_t stride;	/* slots of a channel */
	unsigned int n;
	struct zio_channel **ch;	/* NULL: closed */
	struct zio_ring_header *own;	/* of each channel */
	uint32_t *passed;	/* blocks of each channel behind the tail of the set */
	bool *begun;
	int fd;
};

static bool is_power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static bool is_sound(const struct zio_ring_header *hdr)
{
	return hdr->magic == ZIO_SET_RING_MAGIC && hdr->version == ZIO_RING_VERSION &&
	       is_power_of_two(hdr->n_entries) && is_power_of_two(hdr->channel_slots) &&
	       hdr->n_slots >= hdr->channel_slots &&
	       hdr->slot_size >= sizeof(struct zio_control);
}

static int map_set(struct zio_set *set)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct zio_ring_header *hdr;

	if (zio_map(&set->map_hdr, set->fd, 0, page, PROT_READ | PROT_WRITE))
		return -1;
	set->hdr = (void *)set->map_hdr.mem;
	hdr = set->hdr;
	if (!is_sound(hdr)) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	if (zio_map(&set->map_entry, set->fd, hdr->entries_offset,
		     (size_t)hdr->n_entries * sizeof(*set->entry), PROT_READ) ||
	    zio_map(&set->map_slots, set->fd, hdr->slots_offset,
		     (size_t)hdr->n_slots * hdr->slot_size, PROT_READ))
		return -1;
	set->entry = (void *)set->map_entry.mem;
	set->slots = set->map_slots.mem;
	set->mask = hdr->n_entries - 1;
	set->stride = hdr->channel_slots;
	set->n = hdr->n_slots / hdr->channel_slots;
	set->next = hdr->tail;
	set->tail = hdr->tail;
	return 0;
}

void zio_set_close(struct zio_set *set)
{
	if (!set)
		return;
	zio_unmap(&set->map_hdr);
	zio_unmap(&set->map_entry);
	zio_unmap(&set->map_slots);
	if (set->fd >= 0)
		close(set->fd);
	free(set->ch);
	free(set->own);
	free(set->passed);
	free(set->begun);
	free(set);
}

struct zio_set *zio_set_open(const char *path)
{
	struct zio_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (set->fd < 0 || map_set(set))
		goto fail;
	set->ch = calloc(set->n, sizeof(*set->ch));
	set->own = calloc(set->n, sizeof(*set->own));
	set->passed = calloc(set->n, sizeof(*set->passed));
	set->begun = calloc(set->n, sizeof(*set->begun));
	if (set->ch && set->own && set->passed && set->begun)
		return set;
fail:
	zio_set_close(set);
	return NULL;
}

unsigned int zio_set_count(const struct zio_set *set)
{
	return set->n;
}

/* Called before the channel is closed, whose blocks then count as passed. */
static void leave(struct zio_channel *ch)
{
	unsigned int i = (unsigned int)(ch->ring.hdr - ch->of_set.set->own);

	ch->of_set.set->ch[i] = NULL;
	ch->of_set.set = NULL;
	ch->ring.hdr = NULL;
}

int zio_set_adopt(struct zio_set *set, unsigned int i, struct zio_channel *ch)
{
	int fd;

	if (zio_map_data(ch))
		return -1;
	fd = fcntl(set->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	close(ch->ctrl_fd);
	ch->ctrl_fd = fd;
	ch->owner_pid = getpid();
	ch->ops = &zio_ring_ops;
	ch->ring.hdr = &set->own[i];
	ch->ring.hdr->flags = set->hdr->flags;
	ch->ring.slots = set->slots + (size_t)i * set->stride * set->hdr->slot_size;
	ch->ring.slot_size = set->hdr->slot_size;
	ch->ring.mask = set->stride - 1;
	ch->of_set.set = set;
	ch->of_set.turn = zio_set_turn;
	ch->of_set.leave = leave;
	set->ch[i] = ch;
	return 0;
}

/* The first block of a channel tells where its slots begin. */
static void begin(struct zio_set *set, uint32_t i, uint32_t at)
{
	struct zio_channel *ch = set->ch[i];

	set->begun[i] = true;
	set->passed[i] = at;
	set->own[i].head = at;
	set->own[i].tail = at;
	if (!ch)
		return;
	ch->ring.next = at;
	ch->ring.head = at;
	ch->ring.seen_head = at;
}

/*
 * Count a new entry in the head of its channel. A wrong number is an error of that
 * channel.
 */
static void deal(struct zio_set *set, uint32_t slot)
{
	uint32_t i = slot / set->stride, at = slot & (set->stride - 1);
	struct zio_ring_header *own;

	if (i >= set->n)
		return;
	own = &set->own[i];
	if (!set->begun[i])
		begin(set, i, at);
	own->head += (own->head & (set->stride - 1)) == at ? 1 : 2 * set->stride;
	own->flags = set->hdr->flags;
}

static bool is_passed(struct zio_set *set, uint32_t slot)
{
	uint32_t i = slot / set->stride;

	return i >= set->n || !set->ch[i] || set->own[i].tail != set->passed[i];
}

static void pass(struct zio_set *set)
{
	while (set->tail != set->next && is_passed(set, set->entry[set->tail & set->mask])) {
		uint32_t i = set->entry[set->tail & set->mask] / set->stride;

		if (i < set->n)
			set->passed[i]++;
		set->tail++;
	}
	__atomic_store_n(&set->hdr->tail, set->tail, __ATOMIC_RELEASE);	/* S */
}

void zio_set_turn(struct zio_set *set)
{
	uint32_t head;

	pass(set);
	head = __atomic_load_n(&set->hdr->head, __ATOMIC_ACQUIRE);	/* A */
	if (head - set->tail > set->mask + 1)
		return;
	while (set->next != head)
		deal(set, set->entry[set->next++ & set->mask]);
}
