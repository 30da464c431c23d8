// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail-nth.c: let the allocations of one system call fail, one after the other
 *
 * The first allocation fails, then the second, and so on, until the call needs fewer.
 * Needs CONFIG_FAILSLAB and CONFIG_FAULT_INJECTION_DEBUG_FS.
 */
#include <getopt.h>

#include "fail-nth.h"

#define MOST	5000
#define DENSE	50	/* each of the first steps fails, of the others one in STRIDE */

static const char usage[] =
"Usage: fail-nth --write TEXT --undo FILE=TEXT [--stride N] FILE\n"
"Write to FILE and let one allocation fail each time, until none is left.\n"
"\n"
"  -w, --write TEXT      write this\n"
"  -u, --undo FILE=TEXT  write this after a call that succeeded\n"
"  -s, --stride N        after 50 allocations, let one in N fail (1)\n";

static struct options {
	const char *text, *file;
	char *undo_file, *undo_text;
	int stride;
} options = { .stride = 1 };

/* Let allocation @n fail. Return: is there none? @good, @bad: count the calls */
static int try_step(int n, int *good, int *bad)
{
	int fd = open_file(options.file, O_WRONLY), left, code;
	long ret;

	set_nth(n);
	ret = write(fd, options.text, strlen(options.text));
	code = errno;
	left = get_nth();
	set_nth(0);
	close(fd);
	if (ret < 0 && left)
		FAIL("fails without a failed allocation: %s", strerrorname_np(code));
	*(ret < 0 ? bad : good) += 1;
	if (ret >= 0)
		write_text(options.undo_file, options.undo_text);
	return left;
}

static void run_steps(void)
{
	int n, good = 0, bad = 0;

	open_fail_nth();
	for (n = 1; n < MOST && !try_step(n, &good, &bad); n++)
		if (n > DENSE)
			n += options.stride - 1;
	ASSERT_TRUE(n < MOST);
	ASSERT_TRUE(bad > 0);
	printf("%d allocations or fewer: %d failed calls, %d calls did without\n", n - 1,
	       bad, good - 1);
}

static void __attribute__((noreturn)) print_usage(FILE *to, int status)
{
	fputs(usage, to);
	exit(status);
}

static void parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "write", required_argument, NULL, 'w' },
		{ "undo", required_argument, NULL, 'u' },
		{ "stride", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, "w:u:s:", longs, NULL)) != -1) {
		switch (c) {
		case 'w': options.text = optarg; break;
		case 'u': options.undo_file = strtok(optarg, "="); break;
		case 's': options.stride = atoi(optarg); break;
		case 'h': print_usage(stdout, 0);
		default: print_usage(stderr, 2);
		}
		if (c == 'u')
			options.undo_text = strtok(NULL, "");
	}
	options.file = argv[optind];
	if (optind != argc - 1 || !options.text || !options.undo_text)
		print_usage(stderr, 2);
}

int main(int argc, char **argv)
{
	parse_options(argc, argv);
	begin_group();
	run_steps();
	return 0;
}
