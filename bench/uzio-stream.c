// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench uzio-stream: what a block costs whose driver is a program
 *
 *   use=NAME       what the program does with each block: see uses[]
 *   size=BYTES     of a block (4096)
 *   depth=N        blocks that the program has at once, up to 64 (64)
 *   blocks=N       how many (20000)
 *
 * This program is the driver of a stream, and reads it by the ring, as fast as it can. Each
 * turn completes all blocks that it has, gets as many again, and reads them. The figure has
 * both sides. "floor" is the copy alone: the same bytes, to the same memory, without a device.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <linux/zio-uzio.h>

#include "bench.h"

#define SYS		"/sys/bus/zio/devices"
#define BUFFERS		4	/* as many blocks as the program has, in the memory */
#define MAX_DEPTH	64
#define REQUESTS	8192

struct bench {
	uint64_t size, depth, blocks;
	int fd;
	int id;
	uint64_t stream;		/* its number */
	uint32_t n;			/* blocks that are full, but not completed */
	uint8_t *area;
	const uint8_t *source;		/* NULL: nothing is copied */
	struct zio_ring_header *hdr;
	const struct zio_control *slot;
	uint64_t sum;
	union {
		uint8_t bytes[REQUESTS];
		struct uzio_record head;
	} requests;
};

static void create(struct bench *b)
{
	struct uzio_set set = {
		.flags = UZIO_SET_STREAM, .n_chan = 1, .ssize = 1, .nsamples = b->size,
		.depth = b->depth, .rate_num = 1000000000, .rate_den = 1,
	};
	struct uzio_create create = {
		.name = "ubench", .id = -1, .sets = (uintptr_t)&set, .n_sets = 1,
		.set_size = sizeof(set),
	};
	char dir[80];

	b->fd = open_path(O_RDWR, "/dev/uzio");
	if (ioctl(b->fd, UZIO_IOC_CREATE, &create))
		die("cannot make a device: %s", strerror(errno));
	b->id = create.id;
	snprintf(dir, sizeof(dir), SYS "/ubench-%04x/cset0/chan0/buffer", b->id);
	write_number(dir, "max-buffer-len", BUFFERS * b->depth);
	write_number(dir, "max-buffer-kb", BUFFERS * b->depth * b->size / 1024 + 4);
}

/* devtmpfs makes the nodes in a thread of its own. */
static void open_ring(struct bench *b)
{
	char node[64];
	int ctrl, data;

	snprintf(node, sizeof(node), "/dev/zio/ubench-%04x-0-0", b->id);
	snprintf((char *)b->requests.bytes, REQUESTS, "%s-data", node);
	while (access((char *)b->requests.bytes, F_OK))
		usleep(1000);
	data = open_path(O_RDONLY, "%s-data", node);
	ctrl = open_path(O_RDWR, "%s-ctrl", node);
	b->hdr = map_file(ctrl, 0, PAGE, PROT_READ | PROT_WRITE);
	b->slot = map_file(ctrl, b->hdr->slots_offset,
			   (size_t)b->hdr->n_slots * b->hdr->slot_size, PROT_READ);
	/* The reader's own mapping is the same memory. */
	close(data);
}

/* Answers, and waits for requests. */
static void exchange(struct bench *b, const struct uzio_record *answer, struct uzio_exchange *ex)
{
	*ex = (struct uzio_exchange) {
		.answers = (uintptr_t)answer, .answers_size = answer ? answer->size : 0,
		.requests = (uintptr_t)&b->requests, .requests_size = REQUESTS, .wait_ms = -1,
	};
	if (ioctl(b->fd, UZIO_IOC_EXCHANGE, ex))
		die("exchange: %s", strerror(errno));
}

static void fill(struct bench *b, const struct uzio_blocks *blocks)
{
	const struct uzio_place *place = (const void *)(blocks + 1);
	uint32_t i;

	for (i = 0; b->source && i < blocks->n_blocks; i++)
		memcpy(b->area + place[i].offset, b->source, place[i].len);
}

static void begin(struct bench *b, const struct uzio_arm *arm)
{
	const struct uzio_block *block = (const void *)(arm + 1);

	b->stream = arm->head.id;
	b->area = map_file(b->fd, block->map, block->map_size, PROT_READ | PROT_WRITE);
}

/* Fills the blocks of the requests. Return: how many */
static uint32_t take_requests(struct bench *b, const struct uzio_exchange *ex)
{
	const struct uzio_record *head;
	uint32_t at, n = 0;

	for (at = 0; at < ex->requests_given; at += head->size) {
		head = (const void *)(b->requests.bytes + at);
		if (head->type == UZIO_START) {
			begin(b, (const void *)head);
		} else if (head->type == UZIO_BLOCKS) {
			fill(b, (const void *)head);
			n += ((const struct uzio_blocks *)head)->n_blocks;
		} else {
			die("the stream has ended");
		}
	}
	return n;
}

/* The reader takes all blocks: it looks at the first word of each. */
static void drain(struct bench *b)
{
	uint32_t head = __atomic_load_n(&b->hdr->head, __ATOMIC_ACQUIRE), tail = b->hdr->tail;
	const struct zio_control *ctrl;

	for (; tail != head; tail++) {
		ctrl = &b->slot[tail & (b->hdr->n_slots - 1)];
		b->sum += *(const uint64_t *)(b->area + ctrl->mem_offset);
	}
	__atomic_store_n(&b->hdr->tail, tail, __ATOMIC_RELEASE);
}

/* Return: the time; *@blocks: how many it was for */
static uint64_t time_stream(struct bench *b, uint64_t *blocks)
{
	struct {
		struct uzio_complete head;
		struct uzio_filled filled[MAX_DEPTH];
	} answer = { .head.head.type = UZIO_COMPLETE };
	uint64_t start = now_ns(), done = 0;
	struct uzio_exchange ex;
	uint32_t i;

	for (; done < *blocks; done += b->n, b->n = take_requests(b, &ex)) {
		for (i = 0; i < b->n; i++)
			answer.filled[i] = (struct uzio_filled) {
				.len = b->size, .flags = UZIO_FILLED_TIME, .time.secs = done + i,
			};
		answer.head.head.id = b->stream;
		answer.head.head.size = sizeof(answer.head) + b->n * sizeof(answer.filled[0]);
		answer.head.n_blocks = b->n;
		answer.head.n_filled = b->n;
		exchange(b, b->n ? &answer.head.head : NULL, &ex);
		drain(b);
	}
	*blocks = done;
	return now_ns() - start;
}

static uint64_t time_copies(struct bench *b, uint64_t *blocks)
{
	uint64_t start, i, n = BUFFERS * b->depth;

	b->area = malloc(n * b->size);
	memset(b->area, 1, n * b->size);
	start = now_ns();
	for (i = 0; i < *blocks; i++)
		memcpy(b->area + i % n * b->size, b->source, b->size);
	return now_ns() - start;
}

static const struct use {
	const char *name;
	bool copies, streams;
} uses[] = {
	{ "copy", true, true },
	{ "none", false, true },
	{ "floor", true, false },
};

void main_uzio_stream(char **argv)
{
	const struct use *use = TAKE_ENTRY(argv, "use", uses);
	static struct bench b;
	uint64_t warm, ns;

	b.size = take_count(argv, "size", 4096);
	b.depth = take_count(argv, "depth", MAX_DEPTH);
	if (b.depth > MAX_DEPTH)
		die("depth: at most %u", MAX_DEPTH);
	b.blocks = take_count(argv, "blocks", 20000);
	expect_words(argv, 0);
	if (use->copies) {
		b.source = malloc(b.size);
		memset((void *)b.source, 1, b.size);
	}
	warm = 2 * BUFFERS * b.depth;
	if (use->streams) {
		create(&b);
		open_ring(&b);
		time_stream(&b, &warm);
		ns = time_stream(&b, &b.blocks);
	} else {
		ns = time_copies(&b, &b.blocks);
	}
	PRINT_NUMBERS({ "blocks", b.blocks }, { "ns", ns });
}
