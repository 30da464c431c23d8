/* SPDX-License-Identifier: GPL-2.0-only */
/* values.h: the values that each block has of its own, see values.c */
#ifndef _ZIO_ENGINE_VALUES_H
#define _ZIO_ENGINE_VALUES_H

#include "zio-core.h"

void zio_block_reset_values(struct zio_channel_core *chan, struct zio_block *block);
void zio_block_take_values(struct zio_channel_core *chan, struct zio_block *block,
			   const struct zio_control *ctrl);
u32 zio_values_mask(const struct zio_attr_desc *attrs, unsigned int n);
int zio_limits_check(const struct zio_limits *limits, u64 value);
struct zio_limits zio_attr_limits(const struct zio_attr_desc *desc);
bool zio_attr_accepts(const struct zio_attr_desc *desc, u32 value);
int zio_values_check(const struct zio_cset_core *cset, const struct zio_control *ctrl);

/* Copies the values whose positions are set in @mask. Long numbers save conversions. */
static __always_inline void zio_values_copy(u32 *to, const u32 *from, unsigned long mask)
{
	unsigned long i;

	for (; mask; mask &= mask - 1) {
		i = __ffs(mask);
		to[i] = from[i];
	}
}

/* Is the value an s32? */
static inline bool zio_attr_is_signed(const struct zio_attr_desc *desc)
{
	return desc->is_signed || (desc->place == ZIO_ATTR_PLACE_STD &&
				   desc->index == ZIO_ATTR_OFFSET);
}

#endif /* _ZIO_ENGINE_VALUES_H */
