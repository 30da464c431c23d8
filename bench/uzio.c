// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench uzio: the driver of a device whose blocks are zeros, as those of zio-zero
 *
 *   size=BYTES     of a block (16)
 *   pipes=N        no driver: what two processes need to pass a byte there and back, N times
 *
 * The driver is a child, which runs until it is killed. The program ends when the device is
 * ready, and prints the process ID of the child.
 */
#include "bench.h"
#include "zio.h"

static void serve(struct zio_user *dev)
{
	struct zio_user_request *req;
	unsigned int i;
	void *data;

	while (zio_user_next(dev, &req, -1) > 0) {
		for (i = 0; i < req->n_blocks; i++) {
			data = zio_user_data(dev, req, i);
			if (!data)
				die("%s", zio_user_reason(dev));
			memset(data, 0, req->blocks[i].len);
		}
		zio_user_done(dev, req);
	}
	die("%s", zio_user_reason(dev));
}

/* What a reader and a driver cannot do without: each waits for the other one. */
static void time_pipes(uint64_t turns)
{
	uint64_t i, start;
	int there[2], back[2];
	char byte = 0;

	if (pipe(there) || pipe(back))
		die("pipe: %s", strerror(errno));
	if (!fork()) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	start = now_ns();
	for (i = 0; i < turns; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			die("pipe: %s", strerror(errno));
	PRINT_NUMBERS({ "blocks", turns }, { "ns", now_ns() - start });
}

void main_uzio(char **argv)
{
	struct uzio_set set = { .n_chan = 1, .ssize = 1 };
	const struct zio_user_device device = {
		.name = "ubench", .id = -1, .sets = &set, .n_sets = 1,
	};
	uint64_t pipes = take_number(argv, "pipes", 0);
	struct zio_error err;
	struct zio_user *dev;
	char node[64];
	pid_t pid;

	set.nsamples = take_count(argv, "size", 16);
	expect_words(argv, 0);
	if (pipes) {
		time_pipes(pipes);
		return;
	}
	dev = zio_user_create(&device, &err);
	if (!dev)
		die("%s", err.text);
	snprintf(node, sizeof(node), "/dev/zio/%s-0-0-data", zio_user_name(dev));
	while (access(node, F_OK))
		usleep(1000);
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		/* The shell waits for the end of the output. */
		close(STDOUT_FILENO);
		serve(dev);
	}
	printf("%d\n", pid);
}
