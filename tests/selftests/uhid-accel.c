// SPDX-License-Identifier: GPL-2.0-only
/*
 * uhid-accel.c: an accelerometer on the HID bus
 *
 * Usage: uhid-accel
 *
 * Each line of the standard input is a number N: the sensor sends N reports. Report k,
 * from 1 on, has the values k, 34 and -k. At the end of the input the sensor is
 * unplugged.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/input.h>
#include <linux/uhid.h>

#define REPORT_ID	1
#define FEATURE_SIZE	7	/* with the report's number */
#define REPORT_SIZE	7

#define USAGE(_usage)	0x0a, (_usage) & 0xff, (_usage) >> 8
/* A byte that chooses among @... usages, from 0 to 5 */
#define SELECTOR(_usage, ...)						\
	USAGE(_usage), 0x15, 0, 0x25, 5, 0x75, 8, 0x95, 1, 0xa1, 2,	\
	__VA_ARGS__, 0xb1, 0, 0xc0
/* An input of 16 bits with a sign */
#define AXIS(_usage)							\
	USAGE(_usage), 0x16, 0x01, 0x80, 0x26, 0xff, 0x7f, 0x75, 16,	\
	0x95, 1, 0x55, 0x0e, 0x81, 2

static const unsigned char description[] = {
	0x05, 0x20, 0x09, 0x01, 0xa1, 1,	/* a collection of sensors */
	0x05, 0x20, 0x09, 0x73, 0xa1, 0,	/* an accelerometer, 3D */
	0x85, REPORT_ID,
	SELECTOR(0x316, USAGE(0x840), USAGE(0x841), USAGE(0x842), USAGE(0x843),
		 USAGE(0x844), USAGE(0x845)),	/* reporting state */
	SELECTOR(0x319, USAGE(0x850), USAGE(0x851), USAGE(0x852), USAGE(0x853),
		 USAGE(0x854), USAGE(0x855)),	/* power state */
	/* report interval, 32 bits */
	USAGE(0x30e), 0x15, 0, 0x27, 0xff, 0xff, 0xff, 0x7f, 0x75, 32, 0x95, 1, 0x55, 0,
	0xb1, 2,
	AXIS(0x453), AXIS(0x454), AXIS(0x455),
	0xc0, 0xc0,
};

static unsigned char feature[FEATURE_SIZE] = { REPORT_ID, 1, 1, 10 };
static int uhid;

static void send_event(const struct uhid_event *event)
{
	if (write(uhid, event, sizeof(*event)) < 0)
		err(1, "uhid");
}

static void plug(void)
{
	struct uhid_event event = { .type = UHID_CREATE2 };

	strcpy((char *)event.u.create2.name, "uhid-accel");
	memcpy(event.u.create2.rd_data, description, sizeof(description));
	event.u.create2.rd_size = sizeof(description);
	event.u.create2.bus = BUS_USB;
	event.u.create2.vendor = 0x1234;
	event.u.create2.product = 1;
	send_event(&event);
}

static void answer(void)
{
	struct uhid_event in, out = { };

	if (read(uhid, &in, sizeof(in)) < 0)
		err(1, "uhid");
	if (in.type == UHID_GET_REPORT) {
		out.type = UHID_GET_REPORT_REPLY;
		out.u.get_report_reply.id = in.u.get_report.id;
		out.u.get_report_reply.size = FEATURE_SIZE;
		memcpy(out.u.get_report_reply.data, feature, FEATURE_SIZE);
		send_event(&out);
	} else if (in.type == UHID_SET_REPORT) {
		out.type = UHID_SET_REPORT_REPLY;
		out.u.set_report_reply.id = in.u.set_report.id;
		memcpy(feature, in.u.set_report.data, FEATURE_SIZE);
		send_event(&out);
	}
}

static void put16(unsigned char *to, int value)
{
	to[0] = value;
	to[1] = value >> 8;
}

static void report(int k)
{
	struct uhid_event event = { .type = UHID_INPUT2 };
	unsigned char *data = event.u.input2.data;

	event.u.input2.size = REPORT_SIZE;
	data[0] = REPORT_ID;
	put16(data + 1, k);
	put16(data + 3, 34);
	put16(data + 5, -k);
	send_event(&event);
}

/* Return: false at the end of the input. */
static int obey(void)
{
	static int k;
	char line[32];
	int n;

	if (!fgets(line, sizeof(line), stdin))
		return 0;
	for (n = atoi(line); n > 0; n--)
		report(++k);
	return 1;
}

int main(int argc, char **argv)
{
	struct pollfd fds[] = { { .events = POLLIN }, { .fd = 0, .events = POLLIN } };

	if (argc != 1) {
		fprintf(stderr, "Usage: %s <NUMBERS\n", argv[0]);
		return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
	}
	setvbuf(stdin, NULL, _IONBF, 0);
	uhid = open("/dev/uhid", O_RDWR | O_CLOEXEC);
	if (uhid < 0)
		err(1, "/dev/uhid");
	fds[0].fd = uhid;
	plug();
	for (;;) {
		if (poll(fds, 2, -1) < 0)
			err(1, "poll");
		if (fds[0].revents)
			answer();
		if (fds[1].revents && !obey())
			return 0;
	}
}
