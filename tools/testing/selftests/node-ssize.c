// SPDX-License-Identifier: GPL-2.0-only
/* node-ssize.c: sets without samples, and how they go with sets that have some */
#include <sys/ioctl.h>

#include "node.h"

static ssize_t submit(int out, const struct zio_control *ctrl)
{
	return write(out, ctrl, sizeof(*ctrl));
}

/* share IN OUT: both are without samples; a block is its control alone */
static void do_share(char **arg)
{
	struct pair in = open_pair(arg[0], O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	struct zio_control ctrl = read_control(in.ctrl), bad;

	same(ctrl.ssize, 0);
	same(ctrl.nsamples, 0);
	same(ioctl(out, ZIO_IOC_SHARE, &in.ctrl), 0);
	ctrl.flags |= ZIO_CONTROL_SHARED | ZIO_CONTROL_KEEP;
	bad = ctrl;
	bad.nsamples = 1;
	fails(submit(out, &bad), EMSGSIZE);
	bad = ctrl;
	bad.mem_offset++;
	fails(submit(out, &bad), EMSGSIZE);
	bad = ctrl;
	bad.reserved--;
	fails(submit(out, &bad), EMSGSIZE);
	bad = ctrl;
	bad.ssize = 1;
	fails(submit(out, &bad), EINVAL);
	same(submit(out, &ctrl), sizeof(ctrl));
	ctrl.flags |= ZIO_CONTROL_SHARE_ONLY;
	ctrl.flags &= ~ZIO_CONTROL_KEEP;
	same(submit(out, &ctrl), sizeof(ctrl));
	fails(submit(out, &ctrl), ESTALE);
}

/* differ IN OUT: one of the two has samples, the other one has none */
static void do_differ(char **arg)
{
	int in = open_node(arg[0], "ctrl", O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	struct zio_control ctrl = read_control(in);

	same(ioctl(out, ZIO_IOC_SHARE, &in), 0);
	ctrl.flags |= ZIO_CONTROL_SHARED;
	fails(submit(out, &ctrl), EINVAL);
	ctrl.ssize = ctrl.ssize ? 0 : 4;
	fails(submit(out, &ctrl), EINVAL);
	ctrl.nsamples = 0;
	fails(submit(out, &ctrl), EINVAL);
}

/* splice IN OUT: neither gives the data of a set without samples, nor takes any */
static void do_splice(char **arg)
{
	int in = open_node(arg[0], "data", O_RDONLY);
	int out = open_node(arg[1], "data", O_WRONLY);
	int fd[2];

	same(pipe(fd), 0);
	same(splice(in, NULL, fd[1], NULL, 4096, 0), 0);
	fcntl(in, F_SETFL, O_NONBLOCK);
	fails(splice(in, NULL, fd[1], NULL, 4096, 0), EAGAIN);
	same(write(fd[1], "x", 1), 1);
	fails(splice(fd[0], NULL, out, NULL, 1, 0), EOPNOTSUPP);
}

static const struct command commands[] = {
	{ "share", 2, do_share },
	{ "differ", 2, do_differ },
	{ "splice", 2, do_splice },
	{ }
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 60);
}
