/* SPDX-License-Identifier: GPL-2.0-only */
/* share.h: outputs that play the blocks of inputs */
#ifndef _ZIO_SHARE_H
#define _ZIO_SHARE_H

#include "channel/channel.h"

/* share.c */
extern const struct zio_share_ops zio_node_share_ops;
void zio_share_describe(const struct zio_channel_core *out, struct zio_control *ctrl);

/* route.c */
int zio_route_connect(struct zio_channel_core *out, struct zio_channel_core *in);
ssize_t zio_route_show(struct zio_channel_core *out, char *page);
void zio_routes_cut(struct zio_cset_core *cset);

#endif /* _ZIO_SHARE_H */
