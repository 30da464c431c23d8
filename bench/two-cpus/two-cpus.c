// SPDX-License-Identifier: GPL-2.0-only
/*
 * two-cpus: what the cache lines cost that two processors share
 *
 *   two-cpus [NAME=OFFSET]...
 *
 * A producer on one processor of this machine passes blocks to a reader on the other one.
 * Both touch the fields that the kernel and the reader touch for a block, in the same order.
 * The offsets are the same, too. They do nothing else. So the result is no cost of a block.
 * It is what the fields cost because of the lines in which they are. Two ways:
 *
 *   ring   the control ring: struct zio_ring_header, and controls of 512 bytes
 *   read   read() of the data, buffer kmalloc: struct zio_channel_core and struct
 *          kmalloc_buffer, whose offsets are the arguments. "run" takes them from the
 *          modules by pahole.
 *
 * Each way has variants. They run one after the other, several times, so that the ratio of
 * two does not depend on other programs. The shortest time counts.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/zio-user.h>

#define LINE		64
#define BLOCKS		16	/* of the buffer kmalloc */
#define SLOTS		256	/* of a ring, and of the buffer vmalloc */
#define SAMPLES		16	/* bytes of a block */
/* A run is shorter than a time slice, so that some runs have both processors. */
#define PASSES		20000	/* blocks of a run */
#define RUNS		60

enum field {
	CHAN_BUF, CHAN_SNAP, CHAN_SEQ, CHAN_ALARMS, CHAN_BLOCKS, CHAN_BYTES, CHAN_HEAD,
	CHAN_TAIL, CHAN_WQ, CHAN_LOCK, CHAN_WAITERS, CHAN_SLOWPATH, CHAN_OPS,
	BUF_FREE, BUF_REST, BUF_GEN, N_FIELDS
};

static const char *const field_names[] = {
	"buf", "snap", "seq", "alarms_new", "blocks", "bytes", "head", "tail", "wq", "lock",
	"waiters", "slowpath", "ops", "free", "rest", "gen",
};

/* A block of the buffer kmalloc takes 192 bytes: its fields are in lines of its own. */
struct node {
	struct node *next;
	uint32_t seq, gen;
	uint64_t time[3];
	uint64_t rest[18];
};

static unsigned int offset[N_FIELDS];	/* what the arguments say */
static unsigned int apart[N_FIELDS];	/* each field in a line of its own */
static const unsigned int *place;	/* one of these two */

static uint8_t channel[64 * LINE] __attribute__((aligned(4096)));
static uint8_t buffer[64 * LINE] __attribute__((aligned(4096)));
static struct node nodes[BLOCKS] __attribute__((aligned(4096)));
static struct node *queue[BLOCKS] __attribute__((aligned(4096)));
static uint8_t header[4096] __attribute__((aligned(4096)));
static struct zio_control slots[SLOTS] __attribute__((aligned(4096)));
static uint8_t area[SLOTS][SAMPLES] __attribute__((aligned(4096)));
static size_t tail_offset = offsetof(struct zio_ring_header, tail);

static void die(const char *text)
{
	fprintf(stderr, "two-cpus: %s\n", text);
	exit(1);
}

/* Another program may have the processor of the other side. */
static void wait_a_turn(void)
{
	static __thread unsigned int turns;

	if (!(++turns % 65536))
		sched_yield();
}

static void *at(enum field field)
{
	return (field < BUF_FREE ? channel : buffer) + place[field];
}

#define LOAD(type, field)	__atomic_load_n((type *)at(field), __ATOMIC_RELAXED)
#define ADD(type, field, n)	(*(volatile type *)at(field) += (n))

/* The kernel: takes a free block, fills it, queues it, looks for a reader that sleeps. */

static struct node *get_block(void)
{
	struct node **rest = at(BUF_REST), *node = *rest;

	while (!node) {
		node = __atomic_exchange_n((struct node **)at(BUF_FREE), NULL,
					   __ATOMIC_SEQ_CST);
		wait_a_turn();
	}
	*rest = node->next;
	return node;
}

static uint64_t produce_read(uint32_t i)
{
	uint64_t seen = LOAD(uint64_t, CHAN_BUF) + LOAD(uint32_t, CHAN_TAIL);
	struct node *node = get_block();

	seen += LOAD(uint64_t, CHAN_SNAP);
	ADD(uint32_t, CHAN_SEQ, 1);
	node->seq = i;
	node->time[0] = i;
	seen += LOAD(uint32_t, CHAN_ALARMS);
	ADD(uint64_t, CHAN_BLOCKS, 1);
	ADD(uint64_t, CHAN_BYTES, SAMPLES);
	seen += LOAD(uint64_t, CHAN_OPS);
	queue[i % BLOCKS] = node;
	__atomic_store_n((uint32_t *)at(CHAN_HEAD), i + 1, __ATOMIC_RELEASE);
	seen += LOAD(uint32_t, CHAN_TAIL);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return seen + LOAD(uint64_t, CHAN_WQ);
}

/* The reader: locks, takes the oldest block, reads it, puts it, unlocks. */

static void put_block(struct node *node)
{
	struct node *first = LOAD(struct node *, BUF_FREE);

	if (node->gen != LOAD(uint32_t, BUF_GEN))
		die("a block of another generation");
	do {
		node->next = first;
	} while (!__atomic_compare_exchange_n((struct node **)at(BUF_FREE), &first, node,
					      false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}

static uint64_t consume_read(uint32_t i)
{
	uint32_t tail = i;
	struct node *node;
	uint64_t seen;

	while (__atomic_load_n((uint32_t *)at(CHAN_HEAD), __ATOMIC_ACQUIRE) == i)
		wait_a_turn();
	__atomic_exchange_n((uint64_t *)at(CHAN_LOCK), 1, __ATOMIC_SEQ_CST);
	seen = LOAD(uint8_t, CHAN_SLOWPATH);
	node = queue[i % BLOCKS];
	if (!__atomic_compare_exchange_n((uint32_t *)at(CHAN_TAIL), &tail, i + 1, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) ||
	    node->seq != i)
		die("a block is out of order");
	seen += node->time[0];
	put_block(node);
	seen += LOAD(uint32_t, CHAN_WAITERS);
	__atomic_exchange_n((uint64_t *)at(CHAN_LOCK), 0, __ATOMIC_SEQ_CST);
	return seen;
}

static void reset_read(void)
{
	unsigned int i;

	memset(channel, 0, sizeof(channel));
	memset(buffer, 0, sizeof(buffer));
	memset(nodes, 0, sizeof(nodes));
	for (i = 0; i < BLOCKS; i++)
		nodes[i].next = i + 1 < BLOCKS ? &nodes[i + 1] : NULL;
	*(struct node **)at(BUF_REST) = nodes;
}

/* The control ring */

static uint32_t *ring_head(void)
{
	return (uint32_t *)(header + offsetof(struct zio_ring_header, head));
}

static uint32_t *ring_tail(void)
{
	return (uint32_t *)(header + tail_offset);
}

static uint32_t producer_tail;	/* the kernel looks again when no block is free */

static uint64_t produce_ring(uint32_t i)
{
	struct zio_control *slot = &slots[i % SLOTS];

	while (i - producer_tail == SLOTS) {
		producer_tail = __atomic_load_n(ring_tail(), __ATOMIC_ACQUIRE);
		wait_a_turn();
	}
	memset(area[i % SLOTS], i, SAMPLES);
	slot->zio_alarms = 0;
	slot->seq_num = i;
	slot->nsamples = SAMPLES;
	slot->tstamp.ticks = i;
	slot->mem_offset = (i % SLOTS) * SAMPLES;
	__atomic_store_n(ring_head(), i + 1, __ATOMIC_RELEASE);
	return 0;
}

static uint32_t seen_head;	/* as libzio: it looks again when it has passed all */
static bool look_each_time;

static uint64_t consume_ring(uint32_t i)
{
	const struct zio_control *slot = &slots[i % SLOTS];

	while (seen_head == i || look_each_time) {
		seen_head = __atomic_load_n(ring_head(), __ATOMIC_ACQUIRE);
		if (seen_head != i)
			break;
		wait_a_turn();
	}
	if (slot->seq_num != i || area[i % SLOTS][0] != (uint8_t)i)
		die("a block is out of order");
	__atomic_store_n(ring_tail(), i + 1, __ATOMIC_RELEASE);
	return slot->tstamp.ticks;
}

static void reset_ring(void)
{
	memset(header, 0, sizeof(header));
	producer_tail = 0;
	seen_head = 0;
}

/* Variants */

static void use_offsets(void)
{
	place = offset;
}

static void use_lines(void)
{
	place = apart;
}

static void use_header(void)
{
	tail_offset = offsetof(struct zio_ring_header, tail);
	look_each_time = false;
}

static void look_at_each_block(void)
{
	use_header();
	look_each_time = true;
}

static void use_one_line(void)
{
	use_header();
	tail_offset = offsetof(struct zio_ring_header, unused_head);
}

static const struct variant {
	const char *name;
	void (*choose)(void);
	void (*reset)(void);
	uint64_t (*produce)(uint32_t i);
	uint64_t (*consume)(uint32_t i);
} variants[] = {
	{ "ring: as it is", use_header, reset_ring, produce_ring, consume_ring },
	{ "ring: the reader looks at the head for each block", look_at_each_block,
	  reset_ring, produce_ring, consume_ring },
	{ "ring: head and tail in one line", use_one_line, reset_ring, produce_ring,
	  consume_ring },
	{ "read: as it is", use_offsets, reset_read, produce_read, consume_read },
	{ "read: each field in a line of its own", use_lines, reset_read, produce_read,
	  consume_read },
};

#define N_VARIANTS	(sizeof(variants) / sizeof(variants[0]))

static void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set))
		die("this program needs the processors 0 and 1");
}

static bool reader_runs;

static void *run_reader(void *arg)
{
	const struct variant *v = arg;
	volatile uint64_t seen = 0;
	uint32_t i;

	pin(1);
	__atomic_store_n(&reader_runs, true, __ATOMIC_RELEASE);
	for (i = 0; i < PASSES; i++)
		seen += v->consume(i);
	return NULL;
}

/* Returns the nanoseconds of a block. */
static double run(const struct variant *v)
{
	struct timespec begin, end;
	volatile uint64_t seen = 0;
	pthread_t reader;
	uint32_t i;

	v->choose();
	v->reset();
	reader_runs = false;
	if (pthread_create(&reader, NULL, run_reader, (void *)v))
		die("no thread");
	while (!__atomic_load_n(&reader_runs, __ATOMIC_ACQUIRE))
		wait_a_turn();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < PASSES; i++)
		seen += v->produce(i);
	pthread_join(reader, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((end.tv_sec - begin.tv_sec) * 1e9 + end.tv_nsec - begin.tv_nsec) / PASSES;
}

static void take_offset(const char *word)
{
	unsigned int i;
	size_t len;

	for (i = 0; i < N_FIELDS; i++) {
		len = strlen(field_names[i]);
		if (!strncmp(word, field_names[i], len) && word[len] == '=') {
			offset[i] = (unsigned int)atoi(word + len + 1);
			return;
		}
	}
	die("unknown argument: NAME=OFFSET wanted");
}

int main(int argc, char **argv)
{
	double best[N_VARIANTS] = { 0 }, ns;
	unsigned int i, n;

	if (argc != N_FIELDS + 1)
		die("an offset for each field is wanted; see bench/two-cpus/run");
	for (i = 1; i < (unsigned int)argc; i++)
		take_offset(argv[i]);
	for (i = 0; i < N_FIELDS; i++)
		apart[i] = 2 * LINE * i;
	pin(0);
	for (n = 0; n < RUNS; n++)
		for (i = 0; i < N_VARIANTS; i++) {
			ns = run(&variants[i]);
			if (!n || ns < best[i])
				best[i] = ns;
		}
	for (i = 0; i < N_VARIANTS; i++)
		printf("%s,%.1f\n", variants[i].name, best[i]);
	return 0;
}
