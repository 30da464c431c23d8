// SPDX-License-Identifier: GPL-2.0-only
/*
 * uzio_block_test.c: devices whose drivers are programs: what a block and its control can be
 *
 * # check
 * # leaks
 */
#include "harness.h"
#include "uzio.h"

#define SET_SYS		UPROG_SYS "/cset0"

SETUP(loaded)
{
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

/* A set, and a reader without patience, which arms it */
static int start_set(struct program *prog, const struct uzio_set *set,
		     const struct uzio_attr *list, unsigned int n, const char *kind)
{
	struct zio_control ctrl;
	int fd;

	open_program(prog);
	ASSERT_EQ(describe_with(prog, set, 1, list, n, 0), 0, prog->message);
	wait_for(10, exists(UPROG "-0-0-data"));
	if (set->max_shots)
		write_text(SET_SYS "/trigger/nshots", "3");
	fd = open_node(UPROG "-0-0", kind, O_RDONLY | O_NONBLOCK);
	ASSERT_EQ(read(fd, &ctrl, sizeof(ctrl)), -1);
	ASSERT_EQ(errno, EAGAIN);
	return fd;
}

TEST("each block has its own values", loaded)
{
	static const struct uzio_attr of_blocks[] = {
		{ .name = "overload", .flags = UZIO_ATTR_CHANNELS, .place = UZIO_PLACE_BLOCK,
		  .index = 7, .value = 11 },
		{ .name = "celsius", .flags = UZIO_ATTR_SIGNED, .place = UZIO_PLACE_BLOCK,
		  .index = 8, .value = -5 },
	};
	struct {
		struct uzio_block_values head;
		struct uzio_block_value value[1];
	} values = { .head.n_values = 1, .value[0] = { .index = 7, .value = 77 } };
	struct zio_control ctrl;
	struct uzio_value wrong;
	struct program prog;
	struct uzio_done done;
	int fd;

	fd = start_set(&prog, &plain_set, of_blocks, 2, "ctrl");
	done = done_for(await(&prog, UZIO_ARM)->head.id);
	values.head.head = done.head;
	values.head.head.type = UZIO_BLOCK_VALUES;
	values.head.head.size = sizeof(values);
	ASSERT_EQ(exchange(&prog, &values, 0), 0);
	values.value[0].index = 9;
	ASSERT_EQ(exchange(&prog, &values, 0), EINVAL);
	values.value[0].index = 8;
	values.head.block = 2;
	ASSERT_EQ(exchange(&prog, &values, 0), EINVAL);
	values.head.n_values = UINT32_MAX;
	ASSERT_EQ(exchange(&prog, &values, 0), EINVAL);
	values.head.n_values = 0;
	values.head.head.size = sizeof(values.head);
	ASSERT_EQ(exchange(&prog, &values, 0), EINVAL);
	wrong = (struct uzio_value) {
		.head = { .size = sizeof(wrong), .type = UZIO_VALUE }, .value = 1,
	};
	ASSERT_EQ(exchange(&prog, &wrong, 0), EINVAL);
	ASSERT_EQ(exchange(&prog, &done, 0), 0);
	ctrl = read_control(fd);
	ASSERT_EQ(ctrl.attr_channel.ext_val[7], 77);
	ASSERT_EQ((int)ctrl.attr_channel.ext_val[8], -5);
	ASSERT_EQ(ctrl.attr_channel.ext_mask, 1 << 7 | 1 << 8);
}

TEST("a request of several shots, with samples before the event", loaded)
{
	const struct uzio_set set = {
		.n_chan = 2, .ssize = 2, .max_shots = 4, .flags = UZIO_SET_PRE_SAMPLES,
	};
	const struct uzio_arm *arm;
	struct zio_control ctrl;
	struct program prog;
	struct uzio_done done;
	unsigned int i;
	int fd;

	fd = start_set(&prog, &set, NULL, 0, "ctrl");
	refuse(SET_SYS "/trigger/nshots", "5", ERANGE);
	arm = await(&prog, UZIO_ARM);
	ASSERT_EQ(arm->nshots, 3);
	ASSERT_EQ(arm->n_blocks, 6);
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(blocks_of(arm)[i].shot, i / 2);
		ASSERT_EQ(blocks_of(arm)[i].chan, i % 2);
	}
	done = done_for(arm->head.id);
	ASSERT_EQ(exchange(&prog, &done, 0), 0);
	for (i = 0; i < 3; i++) {
		ctrl = read_control(fd);
		ASSERT_EQ(ctrl.attr_trigger.std_val[ZIO_ATTR_TRIG_SHOT], i);
	}
	write_text(SET_SYS "/trigger/pre-samples", "5");
	ASSERT_EQ(read(fd, &ctrl, sizeof(ctrl)), -1);
	arm = await(&prog, UZIO_ARM);
	ASSERT_EQ(arm->pre_samples, 5);
	ASSERT_EQ(arm->post_samples, 16);
	ASSERT_EQ(blocks_of(arm)[0].len, 2 * 21);
}

TEST("an interleaved block carries the enabled channels", loaded)
{
	const struct uzio_set set = {
		.n_chan = 3, .ssize = 2, .flags = UZIO_SET_INTERLEAVED,
	};
	struct uzio_set wide = set;
	struct {
		struct uzio_done done;
		struct uzio_filled filled;
	} answer = { };
	const struct uzio_arm *arm;
	struct program prog;
	char bytes[64];
	uint64_t id;
	int fd;

	open_program(&prog);
	wide.n_chan = 33;
	ASSERT_EQ(describe(&prog, &wide, 1, 0), ERANGE);
	close(prog.fd);
	fd = start_set(&prog, &set, NULL, 0, "data");
	id = await(&prog, UZIO_ARM)->head.id;
	ASSERT_EQ(prog.request.arm.mask, 7);
	ASSERT_EQ(prog.request.arm.n_blocks, 1);
	ASSERT_EQ(blocks_of(&prog.request.arm)->len, 16 * 3 * 2);
	answer.done = done_for(id);
	ASSERT_EQ(exchange(&prog, &answer.done, 0), 0);
	write_text(SET_SYS "/channels", "0x5");
	ASSERT_EQ(ioctl(fd, ZIO_IOC_FLUSH), 0);
	ASSERT_EQ(read(fd, bytes, sizeof(bytes)), -1);
	arm = await(&prog, UZIO_ARM);
	ASSERT_EQ(arm->mask, 5);
	answer.done = done_for(arm->head.id);
	answer.done.head.size = sizeof(answer);
	answer.done.n_blocks = 1;
	answer.filled.len = 10;
	ASSERT_EQ(exchange(&prog, &answer, 0), EINVAL);
	answer.filled.len = 12;
	ASSERT_EQ(exchange(&prog, &answer, 0), 0);
	ASSERT_EQ(read(fd, bytes, sizeof(bytes)), 12);
}

TEST("rate and scale change with an attribute", loaded)
{
	static const struct uzio_attr gain = { .name = "gain", .flags = UZIO_ATTR_CHANNELS };
	struct uzio_set set = plain_set;
	struct {
		struct uzio_timing timing;
		struct uzio_scale scale;
		struct uzio_value value;
	} news = {
		.value = { .head = { .size = sizeof(news.value), .type = UZIO_VALUE }, .chan = 1,
			   .value = 10 },
		.timing = { .head = { .size = sizeof(news.timing), .type = UZIO_TIMING },
			    .rate_num = 44100, .rate_den = 2, .error_ns = 7, .first_ps = -5 },
		.scale = { .head = { .size = sizeof(news.scale), .type = UZIO_SCALE }, .chan = 1,
			   .scaling = { .flags = UZIO_SCALING_VALID, .unit = ZIO_UNIT_A,
					.mant = 25, .exp = -3 } },
	};
	struct uzio_exchange ex = { .answers = (uintptr_t)&news, .answers_size = sizeof(news) };
	struct program prog;

	set.scaling = (struct uzio_scaling) {
		.flags = UZIO_SCALING_VALID, .unit = ZIO_UNIT_V, .mant = 1,
	};
	open_program(&prog);
	ASSERT_EQ(describe_with(&prog, &set, 1, &gain, 1, 0), 0, prog.message);
	ASSERT_EQ(ioctl(prog.fd, UZIO_IOC_EXCHANGE, &ex), 0);
	ASSERT_TEXT(SET_SYS "/chan1/gain", "10");
	ASSERT_TEXT(SET_SYS "/sample-rate", "22050");
	ASSERT_TEXT(SET_SYS "/chan1/unit", "A");
	ASSERT_TEXT(SET_SYS "/chan1/scale", "0.025");
	ASSERT_TEXT(SET_SYS "/chan0/unit", "V");
#define WRONG_NEWS(change) do {						\
	typeof(news) good_ = news;					\
									\
	change;								\
	ASSERT_EQ(exchange(&prog, &news.timing, 0) ?:			\
		  exchange(&prog, &news.scale, 0), EINVAL, #change);	\
	news = good_;							\
} while (0)
	WRONG_NEWS(news.timing.rate_den = 0);
	WRONG_NEWS(news.timing.error_ns = NSEC + 1);
	WRONG_NEWS(news.timing.first_ps = INT64_MAX);
	WRONG_NEWS(news.timing.head.set = 1);
	WRONG_NEWS(news.timing.head.id = 1);
	WRONG_NEWS(news.scale.chan = 2);
	WRONG_NEWS(news.scale.head.set = 1);
	WRONG_NEWS(news.scale.scaling.flags = 0);
	WRONG_NEWS(news.scale.scaling.mant = 0);
	WRONG_NEWS(news.scale.scaling.unit = _ZIO_UNIT_NUM);
	WRONG_NEWS(news.scale.scaling.exp = 251);
	ASSERT_TEXT(SET_SYS "/chan1/scale", "0.025");
	ASSERT_TEXT(SET_SYS "/sample-rate", "22050");
}
