// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssize_test.c: sets without samples (ssize 0) and sets with samples, in each pair:
 * sharing, routes, splice()
 *
 * zio-fake-dtc has an output and an input without samples. Output 0 makes a pulse, which
 * input 2 hears; output 1 takes what input 2 has.
 *
 * # check
 */
#include <sys/ioctl.h>

#include "board.h"
#include "harness.h"

#define NONE_IN		"/dev/zio/zdtc-0000-2-0"
#define NONE_OUT	"/dev/zio/zdtc-0000-1-0"
#define SOME_IN		ZZERO "-2-0"
#define SOME_OUT	"/dev/zio/zloop-0000-0-0"
#define PULSE		"/dev/zio/zdtc-0000-0-0"
#define NONE_OUT_SYS	"/sys/bus/zio/devices/zdtc-0000/cset1/chan0"
#define SOME_OUT_SYS	"/sys/bus/zio/devices/zloop-0000/cset0/chan0"

/* An order without a time is done at once. */
static void make_pulse(void)
{
	struct zio_control ctrl = { .major_version = ZIO_MAJOR_VERSION };
	int fd = open_node(PULSE, "ctrl", O_WRONLY);

	ASSERT_EQ(write(fd, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	close(fd);
}

SETUP(pulsed)
{
	reload("zio-fake-dtc", "outputs=2");
	reload("zio-loop", "ssize=4");
	make_pulse();
}

static ssize_t submit(int out, const struct zio_control *ctrl)
{
	return write(out, ctrl, sizeof(*ctrl));
}

TEST("sets without samples share controls", pulsed)
{
	struct pair in = open_pair(NONE_IN, O_RDONLY);
	int out = open_node(NONE_OUT, "ctrl", O_WRONLY);
	struct zio_control ctrl = read_control(in.ctrl), bad;

	ASSERT_EQ(ctrl.ssize, 0);
	ASSERT_EQ(ctrl.nsamples, 0);
	ASSERT_EQ(ioctl(out, ZIO_IOC_SHARE, &in.ctrl), 0);
	ctrl.flags |= ZIO_CONTROL_SHARED | ZIO_CONTROL_KEEP;
	bad = ctrl;
	bad.nsamples = 1;
	ASSERT_ERRNO(submit(out, &bad), EMSGSIZE);
	bad = ctrl;
	bad.mem_offset++;
	ASSERT_ERRNO(submit(out, &bad), EMSGSIZE);
	bad = ctrl;
	bad.reserved--;
	ASSERT_ERRNO(submit(out, &bad), EMSGSIZE);
	bad = ctrl;
	bad.ssize = 1;
	ASSERT_ERRNO(submit(out, &bad), EINVAL);
	ASSERT_EQ(submit(out, &ctrl), sizeof(ctrl));
	ctrl.flags |= ZIO_CONTROL_SHARE_ONLY;
	ctrl.flags &= ~ZIO_CONTROL_KEEP;
	ASSERT_EQ(submit(out, &ctrl), sizeof(ctrl));
	ASSERT_ERRNO(submit(out, &ctrl), ESTALE);
	ASSERT_EQ(read_number(NONE_OUT_SYS "/statistics/shared"), 2);
	ASSERT_EQ(read_number(NONE_OUT_SYS "/statistics/copied"), 0);
	/* Each is an order for the past. */
	ASSERT_EQ(read_number(NONE_OUT_SYS "/statistics/lost_blocks"), 2);
}

/* As libfdelay writes it: no version, and the size of samples that the set does not have. */
TEST("a set without samples takes a control of a program for ZIO 1.x", pulsed)
{
	struct zio_control ctrl = { .ssize = 4, .nbits = 32, .nsamples = 1 };
	int out = open_node(NONE_OUT, "ctrl", O_WRONLY);
	unsigned long before = read_number(NONE_OUT_SYS "/statistics/blocks");

	ASSERT_EQ(submit(out, &ctrl), sizeof(ctrl));
	ASSERT_EQ(read_number(NONE_OUT_SYS "/statistics/blocks"), before + 1);
	ctrl.major_version = 2;
	ASSERT_ERRNO(submit(out, &ctrl), EPROTO);
	ctrl.major_version = ZIO_MAJOR_VERSION;
	ASSERT_ERRNO(submit(out, &ctrl), EINVAL);
	ctrl.ssize = 0;
	ASSERT_ERRNO(submit(out, &ctrl), EMSGSIZE);
}

/* One of the two has samples, the other has none. */
static void check_different(const char *in_node, const char *out_node)
{
	int in = open_node(in_node, "ctrl", O_RDONLY);
	int out = open_node(out_node, "ctrl", O_WRONLY);
	struct zio_control ctrl = read_control(in);

	ASSERT_EQ(ioctl(out, ZIO_IOC_SHARE, &in), 0);
	ctrl.flags |= ZIO_CONTROL_SHARED;
	ASSERT_ERRNO(submit(out, &ctrl), EINVAL);
	ctrl.ssize = ctrl.ssize ? 0 : 4;
	ASSERT_ERRNO(submit(out, &ctrl), EINVAL);
	ctrl.nsamples = 0;
	ASSERT_ERRNO(submit(out, &ctrl), EINVAL);
}

TEST("splice() neither takes nor gives samples of a set without them", pulsed)
{
	int in = open_node(NONE_IN, "data", O_RDONLY);
	int out = open_node(NONE_OUT, "data", O_WRONLY);
	int fd[2];

	ASSERT_EQ(pipe(fd), 0);
	ASSERT_EQ(splice(in, NULL, fd[1], NULL, 4096, 0), 0);
	fcntl(in, F_SETFL, O_NONBLOCK);
	ASSERT_ERRNO(splice(in, NULL, fd[1], NULL, 4096, 0), EAGAIN);
	ASSERT_EQ(write(fd[1], "x", 1), 1);
	ASSERT_ERRNO(splice(fd[0], NULL, out, NULL, 1, 0), EOPNOTSUPP);
}

TEST("samples are not shared with a set without them", pulsed)
{
	check_different(NONE_IN, SOME_OUT);
	check_different(SOME_IN, NONE_OUT);
	ASSERT_EQ(read_number(SOME_OUT_SYS "/statistics/shared"), 0);
	ASSERT_EQ(read_number(NONE_OUT_SYS "/statistics/shared"), 0);
}

TEST("a route joins sets without samples, and no others", pulsed)
{
	refuse(SOME_OUT_SYS "/buffer/source", "zdtc-0000-2-0", EPROTOTYPE);
	refuse(NONE_OUT_SYS "/buffer/source", "zzero-0000-2-0", EPROTOTYPE);
	write_text(NONE_OUT_SYS "/buffer/source", "zdtc-0000-2-0");
	make_pulse();
	/* Each is an order for the past. */
	wait_for(10, read_number(NONE_OUT_SYS "/statistics/lost_blocks") >= 1);
	ASSERT_EQ(read_number(NONE_OUT_SYS "/statistics/shared"),
		  read_number(NONE_OUT_SYS "/statistics/lost_blocks"));
	write_text(NONE_OUT_SYS "/buffer/source", "none");
}

TEST("the modules are not held")
{
	unload("zio-fake-dtc");
	unload("zio-loop");
}
