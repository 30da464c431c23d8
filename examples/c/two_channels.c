// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read five blocks of each of two channels, whichever has one, and wait by poll(). */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <zio/zio.h>

#define BLOCKS 5

/* Read what is there. Return true if the channel has more blocks for us later. */
static bool read_channel(const char *name, struct zio_channel *ch)
{
	struct zio_block block;

	while (zio_stats(ch)->blocks < BLOCKS) {
		int r = zio_next(ch, &block);

		if (r < 0 && errno == EAGAIN)
			return true;
		if (r < 0)
			errx(1, "%s", zio_reason(ch));
		if (!r)
			break;
		printf("%s: block %u of %zu bytes\n", name, block.control->seq_num,
		       block.size);
	}
	return false;
}

int main(int argc, char **argv)
{
	const char *names[] = { argc > 2 ? argv[1] : "zzero-0-0",
				argc > 2 ? argv[2] : "zzero-0-2" };
	struct zio_channel *ch[2];
	struct pollfd fds[2];
	struct zio_error error;
	bool more;

	for (int i = 0; i < 2; i++) {
		ch[i] = zio_open(names[i], ZIO_OPEN_NONBLOCK, &error);
		if (!ch[i])
			errx(1, "%s", error.text);
	}
	do {
		more = false;
		for (int i = 0; i < 2; i++) {
			bool waits = read_channel(names[i], ch[i]);

			/* poll() does not look at a descriptor below zero. */
			fds[i].fd = waits ? zio_fd(ch[i]) : -1;
			fds[i].events = POLLIN;
			more |= waits;
		}
		if (more && poll(fds, 2, -1) < 0)
			err(1, "poll");
	} while (more);
	return zio_close(ch[0]) | zio_close(ch[1]);
}
