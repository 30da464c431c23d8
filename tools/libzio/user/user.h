/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* user.h: devices whose driver is a program */
#ifndef LIBZIO_USER_H
#define LIBZIO_USER_H

#include "libzio/base/base.h"

/* Memory of a channel; @addr is NULL if it is not mapped. */
struct user_memory {
	uint64_t map;
	size_t size;
	char *addr;
};

/* A set, and the request that the program has not answered, if there is one */
struct user_set {
	struct zio_user_request request;
	bool is_held;
	bool has_clock;
	uint32_t ssize;
	uint32_t n_chan;
	struct user_memory *memory;	/* of each channel */
	/* The request as the kernel gave it, and its answer; each has room for all blocks. */
	struct uzio_arm *arm;
	struct uzio_done *done;
};

/*
 * @is_interrupted: zio_user_next() returns no request
 * @answers: records that the kernel has not taken; has room for one of each set
 * @requests: what the kernel gave, and @requests_at is where the next one begins
 */
struct zio_user {
	char name[ZIO_OBJ_NAME_FULL_LEN];
	int fd;
	int interrupt_fd;
	bool is_interrupted;
	unsigned int n_sets;
	struct user_set *sets;
	char *answers;
	uint32_t answers_size;
	char *requests;
	uint32_t requests_room;
	uint32_t requests_size;
	uint32_t requests_at;
	uint64_t late;
	struct zio_error error;
};

static inline size_t user_arm_size(uint32_t n_blocks)
{
	return sizeof(struct uzio_arm) + n_blocks * sizeof(struct uzio_block);
}

static inline size_t user_done_size(uint32_t n_blocks)
{
	return sizeof(struct uzio_done) + n_blocks * sizeof(struct uzio_filled);
}

#endif /* LIBZIO_USER_H */
