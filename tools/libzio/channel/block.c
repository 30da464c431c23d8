// SPDX-License-Identifier: LGPL-2.1-or-later
/* Check and count a block of any method */
#include <errno.h>
#include <stdlib.h>

#include "channel.h"

#define MEM_STEP ((size_t)4096)

/* Bytes that are not a control are unlikely to pass this check. */
static int check_endian_mark(struct zio_channel *ch)
{
	uint32_t mark = ch->control.flags & (ZIO_CONTROL_LITTLE_ENDIAN |
					     ZIO_CONTROL_BIG_ENDIAN);

	if (mark == ZIO_CONTROL_LITTLE_ENDIAN || mark == ZIO_CONTROL_BIG_ENDIAN)
		return 0;
	return zio_fail(ch, ZIO_FAULT_NO_BLOCK, EPROTO);
}

static bool is_foreign(const struct zio_control *control)
{
	const uint32_t both = ZIO_CONTROL_LITTLE_ENDIAN |
			      ZIO_CONTROL_BIG_ENDIAN;

	return (control->flags & both) == (both & ~ZIO_NATIVE);
}

int zio_check_control(struct zio_channel *ch)
{
	if (ch->ops->is_file && check_endian_mark(ch))
		return -1;
	if (ch->control.major_version != ZIO_MAJOR_VERSION)
		return zio_fail(ch, ZIO_FAULT_VERSION, EPROTONOSUPPORT);
	if (is_foreign(&ch->control))
		return zio_fail(ch, ZIO_FAULT_ENDIAN, EPROTO);
	if (ch->control.nsamples && !ch->control.ssize)
		return zio_fail(ch, ZIO_FAULT_SSIZE, EPROTO);
	if (zio_control_size(&ch->control, &ch->size))
		return zio_fail(ch, ZIO_FAULT_SIZE, EOVERFLOW);
	return 0;
}

/*
 * Only a file, or a foreign device that carries controls, mixes blocks of several
 * channels.
 */
void zio_count_block(struct zio_channel *ch)
{
	if (ch->mixed)
		zio_sequence_find(&ch->seq, &ch->control.addr);
	ch->lost = zio_sequence_count(&ch->seq, ch->control.seq_num);
	ch->stats.lost += ch->lost;
	ch->stats.blocks++;
}

int zio_grow_mem(struct zio_channel *ch, size_t size)
{
	if (size <= ch->mem_size)
		return 0;
	if (size <= SIZE_MAX - MEM_STEP)
		size = (size + MEM_STEP - 1) & ~(MEM_STEP - 1);
	free(ch->mem);
	ch->mem = malloc(size);
	ch->mem_size = ch->mem ? size : 0;
	if (!ch->mem)
		return zio_fail(ch, ZIO_FAULT_MEMORY, ENOMEM);
	return 0;
}
