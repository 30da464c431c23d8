// SPDX-License-Identifier: GPL-2.0-only
/* node-route.c: what an input counts comes out of a loop that it is routed to */
#include <time.h>

#include "node.h"

#define WORDS	16

/* All nodes of a channel with a route say so. */
static void do_busy(char **arg)
{
	struct pair in = open_pair(arg[0], O_RDONLY);
	struct pair out = open_pair(arg[1], O_RDWR);
	struct pollfd pfd[2] = {
		{ in.data, POLLIN, 0 }, { out.data, POLLOUT, 0 },
	};
	uint32_t word[128] = { 0 };

	fails(read(in.data, word, 4), EBUSY);
	fails(read(in.ctrl, word, sizeof(word)), EBUSY);
	fails(write(out.data, word, 4), EBUSY);
	((struct zio_control *)word)->major_version = ZIO_MAJOR_VERSION;
	((struct zio_control *)word)->nsamples = 1;
	((struct zio_control *)word)->ssize = 4;
	fails(write(out.ctrl, word, sizeof(word)), EBUSY);
	same(poll(pfd, 2, -1), 2);
	want(pfd[0].revents & POLLERR);
	want(pfd[1].revents & POLLERR);
}

/* read LOOP BLOCKS: each block once, in order; the first one is as it comes */
static void do_read(char **arg)
{
	int loop = open_node(arg[0], "data", O_RDONLY);
	uint32_t i, n = strtoul(arg[1], NULL, 0), word[WORDS], next = 0, k;

	for (i = 0; i < n; i++) {
		same(read(loop, word, sizeof(word)), sizeof(word));
		next = i ? next : word[0];
		same(next % WORDS, 0);
		for (k = 0; k < WORDS; k++)
			same(word[k], next++);
	}
}

/* grow LOOP BLOCKS: blocks may be missing, but are whole, and in order */
static void do_grow(char **arg)
{
	struct pair loop = open_pair(arg[0], O_RDONLY);
	uint32_t i, n = strtoul(arg[1], NULL, 0), word[WORDS], next = 0, k;
	struct zio_control ctrl;

	for (i = 0; i < n; i++) {
		ctrl = read_control(loop.ctrl);
		want(ctrl.nsamples && ctrl.nsamples <= WORDS);
		same(read(loop.data, word, sizeof(word)), ctrl.nsamples * 4);
		want(word[0] >= next);
		for (k = 0; k < ctrl.nsamples; k++)
			same(word[k], word[0] + k);
		next = word[0] + 1;
	}
}

/* storm SECONDS FILE=A,B...: one after the other, whether they are refused or not */
static void do_storm(char **arg)
{
	time_t end = time(NULL) + atoi(arg[0]);
	unsigned int i, done = 0, refused = 0;
	char *file[3], *value[3][2];
	int fd;

	for (i = 0; i < 3; i++) {
		file[i] = strtok(arg[1 + i], "=");
		value[i][0] = strtok(NULL, ",");
		value[i][1] = strtok(NULL, ",");
	}
	for (i = 0; i < 30 || time(NULL) < end; i++) {
		char *text = value[i % 3][i / 3 % 2];

		fd = open(file[i % 3], O_WRONLY);
		if (fd >= 0 && write(fd, text, strlen(text)) > 0)
			done++;
		else
			refused++;
		close(fd);
		usleep(i * 7919 % 3000);
	}
	printf("%u done, %u refused\n", done, refused);
	want(done > refused);
}

static const struct command commands[] = {
	{ "busy", 2, do_busy },
	{ "read", 2, do_read },
	{ "grow", 2, do_grow },
	{ "storm", 4, do_storm },
	{ }
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 60);
}
