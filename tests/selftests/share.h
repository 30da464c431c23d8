/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * share.h: an output plays the memory of an input's blocks
 *
 * The input counts samples of 4 bytes, in blocks of 16. The output is that of a loop.
 * It keeps its block until a reader takes it from the input of the loop.
 */
#ifndef SHARE_H
#define SHARE_H

#include <sys/ioctl.h>

#include "board.h"
#include "harness.h"

#define IN		ZZERO "-2-0"
#define OUT		"/dev/zio/zloop-0000-0-0"
#define LOOP		"/dev/zio/zloop-0000-1-0"
#define CHAN		"/sys/bus/zio/devices/zloop-0000/cset0/chan0"

#define WORDS	16
#define BLOCKS	16	/* of a buffer kmalloc */

SETUP(fresh)
{
	renew_zzero_and_loops(value);
}

SETUP(fresh_kmalloc)
{
	renew_zzero_and_loops("kmalloc kmalloc");
}

SETUP(input_vmalloc)
{
	renew_zzero_and_loops("vmalloc kmalloc");
}

static inline int link_to(int out, int in)
{
	return ioctl(out, ZIO_IOC_SHARE, &in);
}

/* Read the next control and set the flags that make it a submission. */
static inline struct zio_control take(int in, uint32_t flags)
{
	struct zio_control ctrl = read_control(in);

	ctrl.flags |= ZIO_CONTROL_SHARED | flags;
	return ctrl;
}

static inline ssize_t submit(int out, const struct zio_control *ctrl)
{
	return write(out, ctrl, sizeof(*ctrl));
}

static inline void pass_on(int in, int out, uint32_t flags)
{
	struct zio_control ctrl = take(in, flags);

	ASSERT_EQ(submit(out, &ctrl), sizeof(ctrl));
}

/* Read @n samples that count up from @next. */
static inline void check_words(int data, uint32_t *next, unsigned int n)
{
	uint32_t word[WORDS];
	unsigned int i;

	ASSERT_EQ(read(data, word, n * 4), n * 4);
	for (i = 0; i < n; i++)
		ASSERT_EQ(word[i], (*next)++);
}

#endif /* SHARE_H */
