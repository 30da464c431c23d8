/* SPDX-License-Identifier: GPL-2.0-only */
/* control.h: snapshots, and controls, see control.c */
#ifndef _ZIO_ENGINE_CONTROL_H
#define _ZIO_ENGINE_CONTROL_H

#include "engine/values.h"
#include "zio-core.h"

int zio_snapshots_init(void);
void zio_snapshots_exit(void);
struct zio_snapshot *zio_snapshot_get(struct zio_channel_core *chan);
void zio_snapshot_put(struct zio_snapshot *snap);
void zio_channel_refresh(struct zio_channel_core *chan);
void zio_cset_refresh(struct zio_cset_core *cset);
void zio_timing_publish(struct work_struct *work);
void zio_block_renew_snapshot(struct zio_channel_core *chan,
			      struct zio_block *block);

/* Context: Any; the caller owns the block. */
static inline void zio_block_snapshot(struct zio_channel_core *chan,
				      struct zio_block *block)
{
	if (unlikely(to_block_core(block)->snap != rcu_access_pointer(chan->snap)))
		zio_block_renew_snapshot(chan, block);
}

/* Copies a snapshot for a block of channel @chan of its set. zio_control_fill() follows. */
static inline void zio_control_begin(struct zio_control *ctrl,
				     const struct zio_snapshot *snap, unsigned int chan)
{
	*ctrl = snap->common;
	ctrl->addr.chan = chan;
}

/*
 * Copies the values of this one block over a copy of its snapshot. Loads neighbours before it
 * stores them: the compiler joins the accesses then.
 */
static inline void zio_control_fill(struct zio_control *ctrl,
				    const struct zio_block *block,
				    unsigned int ssize)
{
	const struct zio_block_core *core = to_block_core(block);
	const struct zio_snapshot *snap = core->snap;
	u8 zio_alarms = block->zio_alarms, drv_alarms = block->drv_alarms;
	u32 lost = core->lost, missed = core->missed;
	u64 offset = core->mem_offset;

	ctrl->zio_alarms = zio_alarms;
	ctrl->drv_alarms = drv_alarms;
	ctrl->seq_num = core->seq;
	if (ssize <= 1)
		ctrl->nsamples = block->len;
	else
		ctrl->nsamples = block->len / ssize;
	ctrl->attr_trigger.std_val[ZIO_ATTR_TRIG_LOST] = lost;
	ctrl->attr_trigger.std_val[ZIO_ATTR_TRIG_MISSED] = missed;
	ctrl->tstamp = block->tstamp;
	ctrl->mem_offset = lower_32_bits(offset);
	ctrl->mem_offset_high = upper_32_bits(offset);
	if (likely(!snap->has_more))
		return;
	zio_values_copy(ctrl->attr_channel.ext_val, block->values, snap->value_mask);
	if (ctrl->attr_trigger.std_mask & BIT(ZIO_ATTR_TRIG_SHOT))
		ctrl->attr_trigger.std_val[ZIO_ATTR_TRIG_SHOT] = block->shot;
}

static __always_inline void zio_clock_read(clockid_t clock,
					   struct timespec64 *now)
{
	if (likely(clock == CLOCK_REALTIME))
		ktime_get_real_ts64(now);
	else if (clock == CLOCK_TAI)
		ktime_get_clocktai_ts64(now);
	else if (clock == CLOCK_MONOTONIC)
		ktime_get_ts64(now);
	else
		ktime_get_boottime_ts64(now);
}

/* Returns the clock of the time stamp of an input's control. */
static inline clockid_t zio_control_clock(const struct zio_control *ctrl)
{
	const struct zio_ctrl_attr *attr = &ctrl->attr_trigger;

	return attr->std_mask & BIT(ZIO_ATTR_TRIG_CLOCK) ?
		attr->std_val[ZIO_ATTR_TRIG_CLOCK] : attr->ext_val[ZIO_ATTR_TRIG_EXT_CLOCK];
}

static inline u64 zio_control_offset(const struct zio_control *ctrl)
{
	return ctrl->mem_offset | (u64)ctrl->mem_offset_high << 32;
}

bool zio_control_names(const struct zio_control *ctrl,
		       const struct zio_channel_core *chan);
int zio_control_check(const struct zio_channel_core *chan,
		      const struct zio_control *ctrl, size_t size);

#endif /* _ZIO_ENGINE_CONTROL_H */
