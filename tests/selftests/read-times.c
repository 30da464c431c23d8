// SPDX-License-Identifier: GPL-2.0-only
/* read-times.c: read blocks that are nothing but a time, and check their times */
#include <getopt.h>

#include "pulse.h"

static const char usage[] =
"Usage: read-times [--after NS] INPUT COUNT\n"
"       read-times --now\n"
"Read so many blocks without samples and print SEQUENCE:ALARMS:DRIVER-ALARMS of each.\n"
"It is a failure when a time goes back, or lies in the future.\n"
"\n"
"  --after NS  ... or before this time, in ns since 1970\n"
"  --now       print the time, in ns since 1970\n";

static void read_times(const char *node, unsigned int n, long long last)
{
	int fd = open_node(node, "ctrl", O_RDONLY);
	struct zio_control ctrl;

	while (n--) {
		ctrl = read_control(fd);
		ASSERT_EQ(ctrl.nsamples, 0);
		ASSERT_TRUE(time_of(&ctrl) >= last);
		last = time_of(&ctrl);
		ASSERT_TRUE(last <= now_ns());
		printf("%u:%x:%x ", ctrl.seq_num, ctrl.zio_alarms, ctrl.drv_alarms);
	}
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "after", required_argument, NULL, 'a' },
		{ "now", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	long long after = 0;
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'a': after = atoll(optarg); break;
		case 'n': printf("%lld\n", now_ns()); return 0;
		case 'h': fputs(usage, stdout); return 0;
		default: fputs(usage, stderr); return 2;
		}
	}
	if (argc - optind != 2) {
		fputs(usage, stderr);
		return 2;
	}
	begin_group();
	read_times(argv[optind], atoi(argv[optind + 1]), after);
	return 0;
}
