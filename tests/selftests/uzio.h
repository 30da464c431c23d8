/* SPDX-License-Identifier: GPL-2.0-only */
/* uzio.h: programs that are drivers, for tests */
#ifndef UZIO_TEST_H
#define UZIO_TEST_H

#include <linux/zio-uzio.h>

#include "board.h"

#define UPROG		"/dev/zio/uprog-0000"
#define UPROG_SYS	"/sys/bus/zio/devices/uprog-0000"
#define BUFFER		8192
#define SECOND		1000

/* A device of the program: its file, and what the last exchange has returned. */
struct program {
	int fd;
	char message[128];
	struct uzio_exchange ex;
	union {
		char bytes[BUFFER];
		struct uzio_record head;
		struct uzio_arm arm;
		struct uzio_value value;
	} request;
};

/* One set of 16-bit samples, two channels */
static const struct uzio_set plain_set = { .name = "words", .n_chan = 2, .ssize = 2 };

static inline void open_program(struct program *prog)
{
	memset(prog, 0, sizeof(*prog));
	prog->fd = open_file("/dev/uzio", O_RDWR);
}

/* Return: 0 or an errno; the message is in @prog */
static inline int describe_with(struct program *prog, const struct uzio_set *sets, unsigned int n,
				const struct uzio_attr *attrs, unsigned int n_attrs,
				unsigned int timeout_ms)
{
	struct uzio_create create = {
		.name = "uprog", .id = -1, .sets = (uintptr_t)sets, .n_sets = n,
		.set_size = sizeof(*sets), .message = (uintptr_t)prog->message,
		.message_size = sizeof(prog->message), .timeout_ms = timeout_ms,
		.attrs = (uintptr_t)attrs, .n_attrs = n_attrs, .attr_size = sizeof(*attrs),
	};

	if (ioctl(prog->fd, UZIO_IOC_CREATE, &create))
		return errno;
	ASSERT_TRUE(create.buffer_size <= BUFFER);
	return 0;
}

static inline int describe(struct program *prog, const struct uzio_set *sets, unsigned int n,
			   unsigned int timeout_ms)
{
	return describe_with(prog, sets, n, NULL, 0, timeout_ms);
}

static inline void start_program(struct program *prog, const struct uzio_set *set,
				 unsigned int timeout_ms)
{
	open_program(prog);
	ASSERT_EQ(describe(prog, set, 1, timeout_ms), 0, prog->message);
	/* devtmpfs makes the nodes in a thread of its own. */
	wait_for(10, exists(UPROG "-0-0-data"));
}

/* Answer, and get the next requests. @answer: or NULL. Return: 0 or an errno */
static inline int exchange(struct program *prog, const void *answer, int wait_ms)
{
	const struct uzio_record *head = answer;

	prog->ex = (struct uzio_exchange) {
		.answers = (uintptr_t)answer, .answers_size = answer ? head->size : 0,
		.requests = (uintptr_t)&prog->request, .requests_size = BUFFER,
		.wait_ms = wait_ms,
	};
	return ioctl(prog->fd, UZIO_IOC_EXCHANGE, &prog->ex) ? errno : 0;
}

/* Wait for a request of this type. */
static inline const struct uzio_arm *await(struct program *prog, unsigned int type)
{
	ASSERT_EQ(exchange(prog, NULL, 20 * SECOND), 0);
	ASSERT_TRUE(prog->ex.requests_given >= sizeof(struct uzio_record));
	ASSERT_EQ(prog->request.head.type, type);
	return &prog->request.arm;
}

static inline const struct uzio_block *blocks_of(const struct uzio_arm *arm)
{
	return (const struct uzio_block *)(arm + 1);
}

static inline void *map_memory(struct program *prog, const struct uzio_block *block, int prot)
{
	void *mem = mmap(NULL, block->map_size, prot, MAP_SHARED, prog->fd, block->map);

	ASSERT_TRUE(mem != MAP_FAILED);
	return mem;
}

static inline void *map_block(struct program *prog, const struct uzio_block *block)
{
	return map_memory(prog, block, PROT_READ | PROT_WRITE);
}

static inline struct uzio_done done_for(uint64_t id)
{
	return (struct uzio_done) {
		.head = { .size = sizeof(struct uzio_done), .type = UZIO_DONE, .id = id },
	};
}

static inline struct uzio_fail fail_for(uint64_t id, unsigned int error)
{
	return (struct uzio_fail) {
		.head = { .size = sizeof(struct uzio_fail), .type = UZIO_FAIL, .id = id },
		.error = error,
	};
}

#endif /* UZIO_TEST_H */
