/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: what the files of this folder share */
#ifndef _ZIO_SHARE_INTERNAL_H
#define _ZIO_SHARE_INTERNAL_H

#include "share/share.h"

/* share.c */

/* Some of the samples of a block, in bytes from its beginning. */
struct zio_range {
	size_t pos;
	size_t len;
};

void zio_share_copy(struct zio_channel_core *out, struct zio_block *out_block,
		    const struct zio_block *block, struct zio_range range,
		    int reason);
int zio_share_fill(struct zio_channel_core *out, struct zio_block *out_block,
		   struct zio_buffer *buf, struct zio_block *block,
		   struct zio_range range, bool only);

#endif /* _ZIO_SHARE_INTERNAL_H */
