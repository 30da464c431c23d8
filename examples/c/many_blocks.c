// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read blocks many at a time, and count the blocks and those that are missing. */
#include <err.h>
#include <stdio.h>
#include <zio/zio.h>

#define BATCH 256

int main(int argc, char **argv)
{
	static _Alignas(8) char memory[BATCH * 4096];
	static struct zio_block blocks[BATCH];
	struct zio_error error;
	struct zio_channel *ch = zio_open(argc > 1 ? argv[1] : "zzero-0-2", 0, &error);

	if (!ch)
		errx(1, "%s", error.text);
	while (zio_stats(ch)->blocks < 10000) {
		int n = zio_next_batch(ch, blocks, BATCH, memory, sizeof(memory));

		if (n < 0)
			errx(1, "%s", zio_reason(ch));
		if (!n)
			break;
		/* blocks[0] to blocks[n - 1] are valid until the next call. */
	}
	printf("%llu blocks, %llu lost\n", (unsigned long long)zio_stats(ch)->blocks,
	       (unsigned long long)zio_stats(ch)->lost);
	return zio_close(ch);
}
