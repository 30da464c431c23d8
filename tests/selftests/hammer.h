/* SPDX-License-Identifier: GPL-2.0-only */
/* hammer.h: busy readers and a busy writer of a board, which is then unbound */
#ifndef HAMMER_H
#define HAMMER_H

#include "node.h"

#define HAMMERS	4

struct hammer {
	const char *input, *output;
	unsigned int *ready, *calls;
};

/* Processes 0 to 2 read data, controls, and many data; process 3 writes. */
static inline void __attribute__((noreturn)) use_board(const struct hammer *hammer, int i)
{
	static char buf[4096];
	int fd = i == 3 ? open_node(hammer->output, "data", O_WRONLY) :
		open_node(hammer->input, i & 1 ? "ctrl" : "data", O_RDONLY);
	ssize_t n;

	add(hammer->ready);
	while (get(hammer->ready) < HAMMERS)
		usleep(1000);
	for (;;) {
		n = i == 3 ? write(fd, buf, 100) :
			read(fd, buf, i == 2 ? 4096 : 512);
		if (n < 0)
			break;
		add(hammer->calls);
		poll_events(fd, POLLIN | POLLOUT, 0);
	}
	ASSERT_EQ(errno, ENODEV);
	_exit(0);
}

/* Unbind the device while four processes use the board: each gets ENODEV. */
static inline void unbind_under_users(const char *input, const char *output,
				      const char *unbind_file, const char *device)
{
	struct hammer hammer = {
		.input = input, .output = output,
		.ready = share_memory(sizeof(*hammer.ready)),
		.calls = share_memory(sizeof(*hammer.calls)),
	};
	int i;

	for (i = 0; i < HAMMERS; i++)
		if (!fork_child())
			use_board(&hammer, i);
	while (get(hammer.calls) < 200)
		usleep(1000);
	write_text(unbind_file, device);
	wait_children(HAMMERS);
}

#endif /* HAMMER_H */
