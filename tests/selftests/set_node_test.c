// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_node_test.c: the node of a whole set: one ring, one head, one poll
 *
 * A user of the group "zio" reads it, and writes nonsense to its header.
 */
#include <sys/resource.h>

#include "board.h"
#include "harness.h"
#include "ring.h"

#include <grp.h>

#define N_CHAN	100
#define CLOCK	ZIO_CONFIG "/triggers/hrt/clock0"
#define NODE	ZZERO "-0-ctrl"

struct set {
	int fd;
	struct zio_ring_header *hdr;
	const uint32_t *entry;
	const struct zio_control *slot;
	const uint8_t *data[N_CHAN];
	uint32_t next[N_CHAN];		/* sequence numbers */
};

/* A new board of one input set with 100 channels, on a clock that is stopped */
static void make_board(const char *buffer)
{
	load("zio-trig-hrt");
	load("zio-buf-vmalloc");
	/* zio-load would make 200 links, which no test here uses: that takes seconds. */
	unload("zio-zero");
	run("modprobe zio-zero nchan=%d pattern=sawtooth", N_CHAN);
	rmdir(CLOCK);
	run("zio create trigger hrt clock0 period-ns=1000000 enable=0");
	run("zio set zzero-0000/0 current_trigger=clock0 current_buffer=%s", buffer);
	write_text(CSET0 "/trigger/nsamples", "8");
}

SETUP(board)
{
	make_board("vmalloc");
}

static void start_clock(void)
{
	run("zio set trigger:clock0 enable=1");
}

static void *map_at(int fd, uint32_t offset, size_t size, int prot)
{
	return map_file(fd, offset, size, prot).mem;
}

static struct set open_set(void)
{
	struct set s = { .fd = open_file(NODE, O_RDWR) };
	char prefix[64];
	int i, fd;

	s.hdr = map_at(s.fd, 0, PAGE, PROT_READ | PROT_WRITE);
	ASSERT_EQ(s.hdr->magic, ZIO_SET_RING_MAGIC);
	ASSERT_EQ(s.hdr->version, ZIO_RING_VERSION);
	ASSERT_EQ(s.hdr->flags, ZIO_RING_EVENTS);
	ASSERT_TRUE(!(s.hdr->n_entries & (s.hdr->n_entries - 1)));
	ASSERT_TRUE(s.hdr->n_entries >= s.hdr->n_slots);
	s.entry = map_at(s.fd, s.hdr->entries_offset, s.hdr->n_entries * sizeof(*s.entry),
			 PROT_READ);
	s.slot = map_at(s.fd, s.hdr->slots_offset,
			(size_t)s.hdr->n_slots * s.hdr->slot_size, PROT_READ);
	for (i = 0; i < N_CHAN; i++) {
		snprintf(prefix, sizeof(prefix), ZZERO "-0-%d", i);
		fd = open_node(prefix, "data", O_RDONLY);
		s.data[i] = map_at(fd, 0, 65536, PROT_READ);
		close(fd);
	}
	return s;
}

static const struct zio_control *next_control(struct set *s)
{
	uint32_t tail = s->hdr->tail, i;

	if (__atomic_load_n(&s->hdr->head, __ATOMIC_ACQUIRE) == tail)
		ASSERT_EQ(poll_events(s->fd, POLLIN, -1), POLLIN);
	ASSERT_TRUE(__atomic_load_n(&s->hdr->head, __ATOMIC_ACQUIRE) != tail);
	i = s->entry[tail & (s->hdr->n_entries - 1)];
	ASSERT_TRUE(i < s->hdr->n_slots);
	ASSERT_EQ(i / s->hdr->channel_slots, s->slot[i].addr.chan);
	return &s->slot[i];
}

/* Takes a block. Its samples are a sawtooth, and no block is lost before it. */
static unsigned int take_block(struct set *s)
{
	const struct zio_control *ctrl = next_control(s);
	unsigned int chan = ctrl->addr.chan, i;
	const uint8_t *sample;

	ASSERT_TRUE(chan < N_CHAN && ctrl->nsamples == 8);
	ASSERT_EQ(ctrl->seq_num, s->next[chan]++);
	sample = s->data[chan] + offset_of(ctrl);
	for (i = 1; i < 8; i++)
		ASSERT_EQ(sample[i], (uint8_t)(sample[0] + i));
	__atomic_store_n(&s->hdr->tail, s->hdr->tail + 1, __ATOMIC_RELEASE);
	return chan;
}

/* Becomes a user who may open the nodes, and nothing else. */
static void become_member(void)
{
	/* The ring of 100 channels is larger than the usual limit of 8 MiB. */
	const struct rlimit most = { 64 << 20, 64 << 20 };
	struct group *group = getgrnam("zio");
	gid_t gid = group ? group->gr_gid : NOBODY;

	ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &most), 0);

	run("chgrp %u " ZZERO "-*", gid);
	become_nobody(1, &gid);
}

static unsigned int *is_open;	/* the child has opened the set */

/* Runs a child as that user, with events from then on, and asserts that it exits with 0. */
static void run_as_member(void (*child)(void))
{
	is_open = share_memory(sizeof(*is_open));
	if (!fork_child()) {
		become_member();
		child();
		_exit(0);
	}
	wait_for(20, get(is_open));
	start_clock();
	wait_children(1);
}

static void read_events(void)
{
	struct set s = open_set();
	int i;

	set(is_open, 1);
	for (i = 0; i < 100 * N_CHAN; i++)
		ASSERT_EQ(take_block(&s), i % N_CHAN);
	ASSERT_EQ(s.hdr->lost, 0);
}

TEST("a user reads the events of 100 channels from one ring, with one poll", board)
{
	run_as_member(read_events);
}

TEST("programs can write the header only", board)
{
	struct set s = open_set();
	size_t size = (size_t)s.hdr->n_slots * s.hdr->slot_size;

	ASSERT_TRUE(mmap(NULL, size, PROT_WRITE, MAP_SHARED, s.fd, s.hdr->slots_offset) ==
		    MAP_FAILED);
	ASSERT_EQ(errno, EACCES);
	ASSERT_ERRNO(mprotect((void *)s.entry, PAGE, PROT_READ | PROT_WRITE), EACCES);
	ASSERT_TRUE(mremap(s.hdr, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
}

/* The kernel bears any tail and any header. */
static void write_nonsense_to_set(void)
{
	struct set s = open_set();
	unsigned int seed = 3, i;

	set(is_open, 1);
	for (i = 0; i < 20000; i++) {
		uint32_t r = rand_r(&seed);

		if (r % 5 == 0)
			memset(s.hdr, r >> 8, 192);
		else if (r % 5 < 3)
			s.hdr->tail = r;
		else
			s.hdr->tail = s.hdr->head - r % 1000 + 300;
		poll_events(s.fd, POLLIN, 0);
	}
}

TEST("a user who writes nonsense to the header harms no other", board)
{
	char buf[8];
	int fd;

	run_as_member(write_nonsense_to_set);
	fd = open_file(ZZERO "-0-99-data", O_RDONLY);
	ASSERT_EQ(read(fd, buf, sizeof(buf)), sizeof(buf));
}

TEST("a board that goes wakes the reader of its set", board)
{
	struct set s = open_set();
	pid_t pid;

	start_clock();
	take_block(&s);
	run("zio set trigger:clock0 enable=0");
	s.hdr->tail = s.hdr->head;
	pid = fork_child();
	if (!pid) {
		ASSERT_EQ(poll_events(s.fd, POLLIN, -1), POLLHUP | POLLERR);
		_exit(0);
	}
	wait_for(10, task_state(pid) == 'S');
	unbind_board("zio-zero", 0);
	wait_children(1);
	ASSERT_TRUE(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, s.fd, 0) == MAP_FAILED);
	ASSERT_EQ(errno, ENODEV);
	ASSERT_ERRNO(read(s.fd, &pid, sizeof(pid)), ENODEV);
	ASSERT_TRUE(!exists(NODE));
}

TEST("outputs, streams and sets of one channel have no such node", NULL)
{
	reload("zio-zero", "");
	rmdir(CLOCK);
	ASSERT_TRUE(exists(ZZERO "-0-ctrl"));
	ASSERT_TRUE(!exists(ZZERO "-1-ctrl"));
	ASSERT_TRUE(!exists(ZZERO "-2-ctrl"));
}
