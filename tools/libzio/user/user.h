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

/*
 * The blocks that the program has: of a channel of a stream, or of an armed set
 * @request: its arrays point to the oldest block
 * @is_held: the program has not answered all of them
 * @template: of the blocks of a stream
 * @blocks, @filled: memory for @room blocks
 */
struct user_lane {
	struct zio_user_request request;
	struct user_set *set;
	bool is_held;
	struct uzio_block template;
	struct uzio_block *blocks;
	struct uzio_filled *filled;
	uint32_t room;
};

/*
 * @arm: the last request, or the begin of the stream; its id is 0 if there is none
 * @lanes: of each channel of a stream; else one
 * @memory: of each channel
 */
struct user_set {
	struct zio_user *dev;
	unsigned int index;
	uint32_t flags;
	bool has_clock;
	uint32_t ssize;
	uint32_t n_chan;
	uint32_t n_lanes;
	struct uzio_arm arm;
	struct user_lane *lanes;
	struct user_memory *memory;
};

/*
 * A user who waits for the answer to an attribute that he has written. The library frees it
 * after the answer, or keeps it for the next one.
 */
struct user_ask {
	struct zio_user_request request;
	struct zio_user *dev;
	struct user_ask *next;
	uint64_t id;
	bool is_held;
};

/* An attribute of the description */
struct user_attr {
	uint16_t set;
	uint16_t place;
	uint16_t index;
	bool is_signed;
	uint32_t n_chan;
};

/*
 * @asks: all of them, also those that nobody uses
 * @is_interrupted: zio_user_next() returns no request
 * @answers: records that the kernel has not taken, in memory for @room bytes
 * @requests: what the kernel gave, in memory for @room bytes; @requests_at is where the
 *            next one begins
 */
struct zio_user {
	char name[ZIO_OBJ_NAME_FULL_LEN];
	int fd;
	int interrupt_fd;
	bool is_interrupted;
	unsigned int n_sets;
	struct user_set *sets;
	unsigned int n_attrs;
	struct user_attr *attrs;
	struct user_ask *asks;
	uint32_t room;
	char *answers;
	uint32_t answers_size;
	char *requests;
	uint32_t requests_size;
	uint32_t requests_at;
	uint64_t late;
	struct zio_error error;
};

/* --- exchange.c */

/* Deliver all answers. Return 0, or -1 with errno. */
int zio_user_deliver(struct zio_user *dev);

/*
 * Deliver all answers, and fetch requests if @wait_ms is not negative: the program has taken
 * all earlier ones then. Return 0, or -1.
 */
int zio_user_exchange(struct zio_user *dev, int wait_ms);

/* Explain why an exchange, or a wait for one, has failed with @code. Return -1. */
int zio_user_explain_exchange(struct zio_user *dev, int code);

/* Return the beginning of an answer to the request that the program has. */
struct uzio_record zio_user_head_of(const struct user_set *set, unsigned int type, size_t size);

/* The oldest @n blocks of a stream are answered. */
void zio_user_forget_blocks(struct user_lane *lane, uint32_t n);

/* Add a record of @size bytes, and what follows it. Return 0, or -1 with errno. */
int zio_user_add_answer(struct zio_user *dev, const void *record, size_t size, const void *more,
			size_t more_size);

/* Refuse what is no errno. Return 0, or -1 with EINVAL. */
int zio_user_check_error(struct zio_user *dev, int error);

/* Refuse a request that has an answer. Return -1 with EINVAL. */
int zio_user_refuse_answered(struct zio_user *dev);

/* Answer the request of a set with an errno. Return 0, or -1 with errno. */
int zio_user_add_fail(struct user_set *set, int error);

/* Answer the end of a stream: its blocks are void. Return 0, or -1 with errno. */
int zio_user_end_stream(struct user_set *set, int error);

/* --- attr.c */

/* Hold a UZIO_SET. NULL: there is no memory, and the user has EIO. */
struct zio_user_request *zio_user_hold_value(struct zio_user *dev, const struct uzio_value *value);

/* Answer a request with the type UZIO_SET. Return 0, or -1 with errno. */
int zio_user_value_done(struct zio_user *dev, struct zio_user_request *req);

static inline bool user_is_stream(const struct user_set *set)
{
	return set->flags & UZIO_SET_STREAM;
}

static inline bool user_is_interleaved(const struct user_set *set)
{
	return set->flags & UZIO_SET_INTERLEAVED;
}

static inline bool user_is_output(const struct user_set *set)
{
	return set->flags & UZIO_SET_OUTPUT;
}

#endif /* LIBZIO_USER_H */
