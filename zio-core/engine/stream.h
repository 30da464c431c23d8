/* SPDX-License-Identifier: GPL-2.0-only */
/* stream.h: channels with many blocks in flight, see stream.c */
#ifndef _ZIO_ENGINE_STREAM_H
#define _ZIO_ENGINE_STREAM_H

#include "engine/model.h"
#include "engine/queue.h"

#define ZIO_DEFAULT_DEPTH	16

static inline bool zio_cset_is_stream(const struct zio_cset_core *cset)
{
	return cset->flags & ZIO_CSET_STREAM;
}

/* An output stream begins without the blocks of the watermark: see zio_ostream_hasten(). */
#define ZIO_HASTE_NOW		1
#define ZIO_HASTE_LAST		2

void zio_stream_set_depth(struct zio_cset_core *cset, unsigned int depth);
bool zio_stream_wants_room(const struct zio_channel_core *chan);

/* ostream.c */
void zio_ostream_hasten(struct zio_channel_core *chan, u8 haste);
void zio_ostream_set_cyclic(struct zio_cset_core *cset, bool cyclic);

/* Context: Any; the number may be old. */
static inline unsigned int zio_stream_in_flight(const struct zio_channel_core *chan)
{
	return chan->cset->model->in_flight(chan);
}

#endif /* _ZIO_ENGINE_STREAM_H */
