// SPDX-License-Identifier: LGPL-2.1-or-later
/* Write a file of 100 blocks in millivolts, and read it. */
#include <err.h>
#include <stdio.h>
#include <zio/zio.h>

/* Tell readers of the block that a step of the converter is 0.001 V. */
static void set_unit(struct zio_control *control)
{
	struct zio_ctrl_attr *attr = &control->attr_channel;

	zio_control_set_scale(control, ZIO_UNIT_V, 0.001, 0);
	attr->std_val[ZIO_ATTR_SIGNED] = 1;
	attr->std_mask |= 1u << ZIO_ATTR_SIGNED;
}

static struct zio_channel *open_file(int flags)
{
	struct zio_error error;
	struct zio_channel *ch = zio_open("run.zio", flags, &error);

	if (!ch)
		errx(1, "%s", error.text);
	return ch;
}

int main(void)
{
	struct zio_channel *ch = open_file(ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE);
	struct zio_control control;
	struct zio_block block;
	int16_t samples[16];

	zio_control_init(&control, 16, sizeof(samples[0]));
	set_unit(&control);
	for (int n = 0; n < 100; n++) {
		for (int i = 0; i < 16; i++)
			samples[i] = n + i;
		if (zio_write_block(ch, &control, samples, sizeof(samples)))
			errx(1, "%s", zio_reason(ch));
	}
	if (zio_close(ch))
		err(1, "run.zio");
	ch = open_file(0);
	for (;;) {
		int r = zio_next(ch, &block);

		if (r < 0)
			errx(1, "%s", zio_reason(ch));
		if (!r)
			break;
	}
	printf("%llu blocks, %llu bytes\n", (unsigned long long)zio_stats(ch)->blocks,
	       (unsigned long long)zio_stats(ch)->bytes);
	return zio_close(ch);
}
