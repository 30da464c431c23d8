// SPDX-License-Identifier: LGPL-2.1-or-later
/* Print the first samples of each block of a channel or block file, in their unit. */
#include <err.h>
#include <stdio.h>
#include <zio/zio.h>

int main(int argc, char **argv)
{
	struct zio_error error;
	struct zio_channel *ch = zio_open(argc > 1 ? argv[1] : "zzero-0-2", 0, &error);
	struct zio_scaling scaling;
	struct zio_block block;
	double values[3];

	if (!ch)
		errx(1, "%s", error.text);
	for (;;) {
		int r = zio_next(ch, &block);

		if (r < 0)
			errx(1, "%s", zio_reason(ch));
		if (!r)
			break;
		ssize_t n = zio_block_to_double(&block, values, 3);

		if (n < 0 || zio_control_scale(block.control, &scaling))
			err(1, "block %u", block.control->seq_num);
		for (ssize_t i = 0; i < n; i++)
			printf("%g %s\n", values[i], scaling.unit);
	}
	return zio_close(ch);
}
