// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read ten blocks of 1000 samples, with 10 ms between two blocks. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <zio/zio.h>

int main(void)
{
	struct zio_error error;
	struct zio_object *set = zio_find(NULL, "zzero/0", NULL, &error);
	struct zio_channel *ch;
	struct zio_block block;

	if (!set || zio_attr_set(set, "current_trigger", "hrt", &error) ||
	    zio_attr_set(set, "trigger/nsamples", "1000", &error) ||
	    zio_attr_set(set, "trigger/period-ns", "10000000", &error))
		errx(1, "%s", error.text);
	ch = zio_open("zzero-0-2", 0, &error);
	if (!ch)
		errx(1, "%s", error.text);
	while (zio_stats(ch)->blocks < 10) {
		if (zio_next(ch, &block) <= 0)
			errx(1, "%s", zio_reason(ch));
		printf("block %" PRIu32 ": %zu bytes, %" PRIu32 " lost before it\n",
		       block.control->seq_num, block.size, block.lost);
	}
	zio_object_free(set);
	return zio_close(ch);
}
