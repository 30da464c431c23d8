// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail-nth.c: let the allocations of one system call fail, one after the other
 *
 * The first allocation fails, then the second, and so on, until the call needs fewer.
 * Needs CONFIG_FAILSLAB and CONFIG_FAULT_INJECTION_DEBUG_FS.
 */
#include <getopt.h>

#include "node.h"

#define MOST	5000
#define DENSE	50	/* each of the first steps fails, of the others one in STRIDE */

static const char usage[] =
"Usage: fail-nth --write TEXT --undo FILE=TEXT [--stride N] FILE\n"
"       fail-nth --open read|write FILE\n"
"Write to, or open, FILE and let one allocation fail each time, until none is left.\n"
"\n"
"  -w, --write TEXT      write this\n"
"  -u, --undo FILE=TEXT  write this after a call that succeeded\n"
"  -s, --stride N        after 50 allocations, let one in N fail (1)\n"
"  -o, --open MODE       open FILE for reading or writing\n";

static struct options {
	const char *text, *open, *file;
	char *undo_file, *undo_text;
	int stride;
} options = { .stride = 1 };

static int fail_nth;	/* the file of this thread */

static void set_nth(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	/* This write may be the call that fails: then it succeeds the second time. */
	if (pwrite(fail_nth, text, len, 0) != len)
		ASSERT_EQ(pwrite(fail_nth, text, len, 0), len);
}

/*
 * Return: 0 when one allocation has failed; how many are left, otherwise. If the next
 * allocation was to fail, this read is the call that fails.
 */
static int get_nth(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) <= 0) {
		ASSERT_EQ(errno, EFAULT);
		return 1;
	}
	return atoi(text);
}

static long call_write(int fd)
{
	return write(fd, options.text, strlen(options.text));
}

static long call_open(void)
{
	int fd = open(options.file, !strcmp(options.open, "write") ? O_WRONLY : O_RDONLY);
	int code = errno;

	if (fd >= 0)
		close(fd);
	errno = code;
	return fd;
}

/* Let allocation @n fail. Return: is there none? @good, @bad: count the calls */
static int try_step(int n, int *good, int *bad)
{
	int fd = options.text ? open_file(options.file, O_WRONLY) : -1, left, code;
	long ret;

	set_nth(n);
	ret = options.text ? call_write(fd) : call_open();
	code = errno;
	left = get_nth();
	set_nth(0);
	if (fd >= 0)
		close(fd);
	if (ret < 0 && left)
		FAIL("fails without a failed allocation: %s", strerrorname_np(code));
	*(ret < 0 ? bad : good) += 1;
	if (ret >= 0 && options.text)
		write_text(options.undo_file, options.undo_text);
	return left;
}

static void run_steps(void)
{
	int n, good = 0, bad = 0;

	fail_nth = open_file("/proc/thread-self/fail-nth", O_RDWR);
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
		{ "open", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, "w:u:s:o:", longs, NULL)) != -1) {
		switch (c) {
		case 'w': options.text = optarg; break;
		case 'u': options.undo_file = strtok(optarg, "="); break;
		case 's': options.stride = atoi(optarg); break;
		case 'o': options.open = optarg; break;
		case 'h': print_usage(stdout, 0);
		default: print_usage(stderr, 2);
		}
		if (c == 'u')
			options.undo_text = strtok(NULL, "");
	}
	options.file = argv[optind];
	if (optind != argc - 1 || !options.text == !options.open ||
	    (options.text && !options.undo_text))
		print_usage(stderr, 2);
}

int main(int argc, char **argv)
{
	parse_options(argc, argv);
	begin_group(250);
	run_steps();
	return 0;
}
