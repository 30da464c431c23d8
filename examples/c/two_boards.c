// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read two channels event by event: the blocks of an event have the same time. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <zio/zio.h>

int main(int argc, char **argv)
{
	const char *names[] = { argc > 2 ? argv[1] : "zzero-0-0",
				argc > 2 ? argv[2] : "zzero-0-2" };
	struct zio_group *group = zio_group_open(0, NULL);
	struct zio_channel *ch[2];
	struct zio_error error;
	struct zio_event event;

	for (int i = 0; i < 2; i++) {
		ch[i] = zio_open(names[i], 0, &error);
		if (!ch[i])
			errx(1, "%s", error.text);
		if (!group || zio_group_add(group, ch[i]) < 0)
			err(1, "%s", names[i]);
	}
	while (zio_group_stats(group)->events < 100) {
		int r = zio_group_next(group, &event, -1);

		if (r < 0)
			errx(1, "%s", zio_group_reason(group));
		if (!r)
			break;
		printf("%" PRIu64 " ns:", event.time_ns);
		for (unsigned int i = 0; i < event.n_parts; i++)
			printf(" %s", zio_part_name(event.parts[i].state));
		putchar('\n');
	}
	zio_group_close(group);
	return zio_close(ch[0]) | zio_close(ch[1]);
}
