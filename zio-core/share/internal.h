/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: what the files of this folder share */
#ifndef _ZIO_SHARE_INTERNAL_H
#define _ZIO_SHARE_INTERNAL_H

#include "share/share.h"

/* share.c */
void zio_share_copy(struct zio_channel_core *out, struct zio_block *out_block,
		    const void *data, size_t len, int reason);
int zio_share_fill(struct zio_channel_core *out, struct zio_block *out_block,
		   struct zio_buffer *buf, struct zio_block *block,
		   void *data, size_t len, bool only);

#endif /* _ZIO_SHARE_INTERNAL_H */
