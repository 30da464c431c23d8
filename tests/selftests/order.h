/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * order.h: check that each loss is told by the first block behind it, and by no other
 *
 * Any driver follows these rules. A test reads all blocks of a channel, and passes each
 * control on:
 *
 *	struct order order = { .mask = 0xffff };
 *
 *	order_control(&order, &ctrl);
 *	order_data(&order, words[0] >> 16, 1, 1);
 *	...
 *	order_end(&order, CHAN);
 */
#ifndef ORDER_H
#define ORDER_H

#include <stdbool.h>

#include "node.h"

struct order {
	uint64_t mask;		/* of the numbers that the model gives to its data */
	uint64_t blocks, gaps, lost;
	uint32_t next_seq, told;	/* told: blocks that are missing before the last one */
	uint64_t next_data;
	long long time;
};

static inline uint32_t told_lost(const struct zio_control *ctrl)
{
	return ctrl->attr_trigger.std_val[ZIO_ATTR_TRIG_LOST];
}

/*
 * A gap of the numbers, its size in the control and the alarm of a loss come together, and the time does not go back.
 * Losses before the first block are not those of the test.
 */
static inline void order_control(struct order *order, const struct zio_control *ctrl)
{
	bool has_alarm = ctrl->zio_alarms & ZIO_ALARM_LOST_BLOCK;

	order->told = order->blocks ? ctrl->seq_num - order->next_seq : 0;
	if (order->blocks && has_alarm != !!order->told)
		FAIL("block %u %s the alarm of a loss, and %u blocks are missing before it",
		     ctrl->seq_num, has_alarm ? "has" : "does not have", order->told);
	if (order->blocks && told_lost(ctrl) != order->told)
		FAIL("block %u says that %u blocks are lost, and %u are missing before it",
		     ctrl->seq_num, told_lost(ctrl), order->told);
	if (time_of(ctrl) < order->time)
		FAIL("the time of block %u is %lld ns before that of the last block",
		     ctrl->seq_num, order->time - time_of(ctrl));
	order->lost += order->told;
	order->gaps += !!order->told;
	order->blocks++;
	order->next_seq = ctrl->seq_num + 1;
	order->time = time_of(ctrl);
}

/*
 * After order_control(). The data of the block have the numbers @first to @first + @n - 1. Those
 * that are missing before it are told as blocks of @each numbers; the last one may have fewer.
 */
static inline void order_data(struct order *order, uint64_t first, uint64_t n, uint64_t each)
{
	uint64_t missing = first - order->next_data;

	if (order->blocks > 1 && ((order->told * each - missing) & order->mask) >= each)
		FAIL("block %u begins with %llu, not %llu, and tells of %u lost blocks",
		     order->next_seq - 1, (unsigned long long)(first & order->mask),
		     (unsigned long long)(order->next_data & order->mask), order->told);
	order->next_data = first + n;
}

/* @chan: the directory of the channel, which lost nothing before. No loss is still to be told. */
static inline void order_end(const struct order *order, const char *chan)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/statistics/lost_blocks", chan);
	ASSERT_EQ(read_number(path), order->lost);
}

#endif /* ORDER_H */
