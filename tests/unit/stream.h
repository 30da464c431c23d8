/* SPDX-License-Identifier: GPL-2.0-only */
/* stream.h: channels of a group, which FIFOs stand for */
#ifndef ZIO_STREAM_H
#define ZIO_STREAM_H

#include <limits.h>

#include "libzio/zio.h"

/* A FIFO that has the blocks of a channel, as a block file or as two nodes. */
struct stream {
	char path[PATH_MAX];
	bool nodes;
	int ctrl, data;		/* the writing ends, equal for a block file */
	struct zio_channel *ch;
};

/* Make the FIFOs in @dir, and open them by the library with @flags. */
int stream_open(struct stream *s, const char *dir, bool nodes, int flags);

/* End of file for the library; blocks in the FIFO can still be read. */
void stream_end(struct stream *s);
void stream_close(struct stream *s);

/* Make a control with a time stamp and a trigger. */
void stream_control(struct zio_control *control, uint32_t seq, uint64_t ns,
		    const char *trigger, uint32_t nsamples);

/* Write the control and the samples of a block. */
int stream_put_control(struct stream *s, const struct zio_control *control);
int stream_put_data(struct stream *s, const struct zio_control *control);
int stream_put(struct stream *s, uint32_t seq, uint64_t ns);

/* Has the block the samples that stream_put_data() writes? */
bool stream_is_intact(const struct zio_block *blk);

#endif /* ZIO_STREAM_H */
