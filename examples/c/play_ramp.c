// SPDX-License-Identifier: LGPL-2.1-or-later
/* Play ten blocks on an output. */
#include <err.h>
#include <stdio.h>
#include <zio/zio.h>

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "zzero-1-0";
	struct zio_error error;
	struct zio_channel *ch = zio_open(name, ZIO_OPEN_OUTPUT, &error);

	if (!ch)
		errx(1, "%s", error.text);
	for (int n = 0; n < 10; n++) {
		unsigned char samples[16];

		for (size_t i = 0; i < sizeof(samples); i++)
			samples[i] = i;
		if (zio_write_block(ch, NULL, samples, sizeof(samples)))
			errx(1, "%s", zio_reason(ch));
	}
	printf("%llu blocks by %s\n", (unsigned long long)zio_stats(ch)->blocks,
	       zio_method(ch));
	return zio_close(ch);
}
