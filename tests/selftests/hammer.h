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

/* Reads a file, or writes @text to it, until the board is gone. */
static inline void __attribute__((noreturn))
use_file(const char *path, const char *text, unsigned int *calls)
{
	char page[4096];
	ssize_t n;
	int fd;

	while ((fd = open(path, text ? O_WRONLY : O_RDONLY)) >= 0) {
		n = text ? write(fd, text, strlen(text)) : read(fd, page, sizeof(page));
		if (n < 0)
			ASSERT_EQ(errno, ENODEV);
		close(fd);
		add(calls);
	}
	_exit(0);
}

#define N_FILE_USERS	4

/* Lets processes read a file, and write to it if there is a text. wait_children() follows. */
static inline void start_file_users(const char *path, const char *text)
{
	unsigned int *calls = share_memory(sizeof(*calls));
	int i;

	for (i = 0; i < N_FILE_USERS; i++)
		if (!fork_child())
			use_file(path, i % 2 ? text : NULL, calls);
	while (get(calls) < 200)
		usleep(1000);
}

#endif /* HAMMER_H */
