// SPDX-License-Identifier: GPL-2.0-only
/* dtc-pulses.c: order pulses from zio-fake-dtc, and print how late they come */
#include <getopt.h>

#include "pulse.h"

static const char usage[] =
"Usage: dtc-pulses [OPTION]... OUTPUT\n"
"Order a pulse from OUTPUT (/dev/zdtc-0-0).\n"
"\n"
"  -d, --delay MS     order it in so many milliseconds; without it, at once\n"
"  -i, --input INPUT  order pulses that INPUT hears (/dev/zdtc-1-0), and print the\n"
"                     least, mean and greatest delay in ns\n"
"  -r, --refused FILE with -i: the file that counts refused orders\n"
"  -n, --count N      with -i: so many pulses (40)\n"
"  -g, --gap MS       with -i: so many milliseconds apart (30)\n";

static struct options {
	const char *input, *refused, *delay;
	int count, gap;
} options = { .refused = "/sys/bus/zio/devices/zdtc-0000/cset0/chan0/statistics/"
	      "lost_blocks", .count = 40, .gap = 30 };

static void parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "delay", required_argument, NULL, 'd' },
		{ "input", required_argument, NULL, 'i' },
		{ "refused", required_argument, NULL, 'r' },
		{ "count", required_argument, NULL, 'n' },
		{ "gap", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, "d:i:r:n:g:", longs, NULL)) != -1) {
		switch (c) {
		case 'd': options.delay = optarg; break;
		case 'i': options.input = optarg; break;
		case 'r': options.refused = optarg; break;
		case 'n': options.count = atoi(optarg); break;
		case 'g': options.gap = atoi(optarg); break;
		case 'h': fputs(usage, stdout); exit(0);
		default: fputs(usage, stderr); exit(2);
		}
	}
	if (optind != argc - 1) {
		fputs(usage, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct lateness lateness;
	long long at = 0;

	parse_options(argc, argv);
	begin_group();
	if (!options.input) {
		if (options.delay)
			at = now_ns() + atoll(options.delay) * 1000000;
		order_pulse(open_node(argv[optind], "ctrl", O_WRONLY), at);
		return 0;
	}
	lateness = run_pulses(argv[optind], options.input, options.count, options.gap,
			      options.refused);
	printf("%lld of %d pulses, late by %lld / %lld / %lld ns\n", lateness.n,
	       options.count, lateness.least, lateness.sum / lateness.n, lateness.most);
	return 0;
}
