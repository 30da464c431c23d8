/* SPDX-License-Identifier: GPL-2.0-only */
/* shots.h: blocks that several events fill, one shot each, see shots.c */
#ifndef _ZIO_ENGINE_SHOTS_H
#define _ZIO_ENGINE_SHOTS_H

#include "zio-core.h"

void zio_shots_set(struct zio_cset_core *cset, bool collect);

/*
 * Puts the times of a block's shots into its control, a copy of a snapshot with
 * ZIO_TLV_SHOTS. Context: Any; the caller owns the block.
 */
static inline void zio_control_fill_shots(struct zio_control *ctrl,
					  const struct zio_block *block)
{
	const u32 *time = READ_ONCE(to_block_core(block)->shots);
	u32 n = time ? time[0] : 0, more = n > 1 ? n - 1 : 0;
	struct zio_ctrl_attr *attr = &ctrl->attr_trigger;
	const struct zio_shots_info info = { .n = n };

	attr->ext_mask &= ~GENMASK(ZIO_ATTR_TRIG_EXT_SHOT + ZIO_MAX_SHOTS - 2,
				   ZIO_ATTR_TRIG_EXT_SHOT);
	attr->ext_mask |= (BIT(more) - 1) << ZIO_ATTR_TRIG_EXT_SHOT;
	if (more)
		memcpy(&attr->ext_val[ZIO_ATTR_TRIG_EXT_SHOT], time + 1,
		       more * sizeof(*time));
	memcpy(ctrl->tlv[0].payload, &info, sizeof(info));
}

#endif /* _ZIO_ENGINE_SHOTS_H */
