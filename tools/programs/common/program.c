// SPDX-License-Identifier: GPL-2.0-only
/* Options, messages and exit status, which all programs have in common */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libzio/zio.h"
#include "program.h"
#include "text.h"

#define OPTION_USAGE 0x1000
#define COMPLAINT_LEN 4096

static const char *program;
static bool output_failed;	/* and finish_output() has said so */

const char *argp_program_version;

const char *const method_names[] = { "auto", "ring", "read", NULL };

/* argp exits with 0 after it has printed a help, also if standard output is full. */
static void close_output(void)
{
	if (output_failed)
		return;
	if (!finish_output() && (!fclose(stdout) || errno == EBADF))
		return;
	if (!output_failed)
		complain("standard output: %s", strerror(errno));
	_exit(EXIT_FAILED);
}

/*
 * A caller may have closed a standard stream. The next file that the program opens would
 * be that stream: messages would go there, and a read would wait for it. An O_PATH
 * descriptor keeps the place. Reads and writes fail with EBADF, as those of no file do.
 */
static void hold_streams(void)
{
	int fd;

	do {
		fd = open("/", O_PATH | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void start_program(const char *name, const char *shown)
{
	static char version[64];

	hold_streams();
	if (!argp_program_version)
		atexit(close_output);

	program = shown;
	put_text(version, sizeof(version), "%s %s", name, zio_version());
	argp_program_version = version;
	argp_err_exit_status = EXIT_USAGE;
}

void complain(const char *format, ...)
{
	char text[COMPLAINT_LEN];
	va_list args;

	fflush(stdout);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "%s: ", program);
	print_visible(stderr, text);
	fputc('\n', stderr);
}

void fail_memory(void)
{
	complain("no memory");
	exit(EXIT_FAILED);
}

void *allocate(size_t count, size_t size)
{
	void *mem = calloc(count ? count : 1, size);

	if (!mem)
		fail_memory();
	return mem;
}

bool refuses_terminal(bool force)
{
	if (force || !isatty(STDOUT_FILENO))
		return false;
	complain("standard output is a terminal, and blocks are not text: redirect it, or use --force; zio-dump prints blocks as text");
	return true;
}

int finish_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	complain("standard output: %s", strerror(errno));
	output_failed = true;
	return EXIT_FAILED;
}

double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static const struct argp_option options[] = {
	{ "help", 'h', NULL, 0, "Print this help and exit", 0 },
	{ NULL, '?', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "usage", OPTION_USAGE, NULL, 0, "Print a short usage and exit", 0 },
	{ "version", 'V', NULL, 0, "Print the version and exit", 0 },
	/* These were abbreviations of it before programs got --verbose. */
	{ "v", 0, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "ve", 0, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "ver", 0, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ 0 }
};

static error_t parse_program(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case 'h':
	case '?':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case OPTION_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE |
				ARGP_HELP_EXIT_OK);
		return 0;
	case 'V':
		puts(argp_program_version);
		exit(finish_output());
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp program_argp = {
	.options = options,
	.parser = parse_program,
};

const struct argp_child program_options[] = {
	{ .argp = &program_argp, .group = -1 },
	{ 0 }
};

/* argp and getopt_long() print words of the user as they are. */
static ssize_t write_visible(void *plain, const char *text, size_t size)
{
	char *copy = strndup(text, size), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		print_visible(plain, line);
		if (rest)
			fputc('\n', plain);
	}
	free(copy);
	return copy ? (ssize_t)size : 0;
}

/* An error of argp ends the program: exit() flushes what the filter has. */
error_t parse_words(const struct argp *argp, int argc, char **argv, unsigned int flags,
		    void *input)
{
	const cookie_io_functions_t io = { .write = write_visible };
	FILE *plain = stderr, *filter = fopencookie(plain, "w", io);
	error_t ret;

	if (!filter)
		fail_memory();
	setvbuf(filter, NULL, _IOLBF, 0);
	stderr = filter;
	ret = argp_parse(argp, argc, argv, flags | ARGP_NO_HELP, NULL, input);
	stderr = plain;
	fclose(filter);
	return ret;
}

void parse_command(const struct argp *argp, int argc, char **argv, void *input)
{
	static char help[] = "--help";

	if (argc == 2 && !strcmp(argv[1], "help"))
		argv[1] = help;
	if (parse_words(argp, argc, argv, 0, input))
		exit(EXIT_USAGE);
}

char *extend_help(int key, const char *text, void (*print)(FILE *out))
{
	char *help = NULL;
	size_t size;
	FILE *out;

	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	out = open_memstream(&help, &size);
	if (!out)
		fail_memory();
	print(out);
	fputs(text, out);
	fclose(out);
	return help;
}

error_t keep_arguments(int key, const struct argp_state *state,
		       struct arguments *args)
{
	switch (key) {
	case ARGP_KEY_ARGS:
		args->text = state->argv + state->next;
		args->count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (args->needed)
			argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

uint64_t parse_number(const struct argp_state *state, const char *what,
		      const char *text, uint64_t max)
{
	uint64_t value;

	errno = 0;
	value = strtoull(text, NULL, 10);
	if (!is_digits(text) || errno || value > max)
		argp_error(state, "%s=%s: not a number from 0 to %ju", what,
			   text, (uintmax_t)max);
	return value;
}

double parse_seconds(const struct argp_state *state, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0) || value > 86400)
		argp_error(state, "%s: not a number of seconds from 0 to 86400",
			   text);
	return value;
}

void parse_rate(const struct argp_state *state, const char *text, struct zio_rate *rate)
{
	char *end;
	const char *start = text;
	double value = strtod(start, &end);

	if (end != start && *end == '/') {
		start = end + 1;
		value /= strtod(start, &end);
	}
	if (end == start || *end || zio_rate_find(value, rate))
		argp_error(state, "--rate=%s: not a number of Hz above 0, up to 4294967295, "
			   "or a fraction such as 1411200/29", text);
}

static void put_choices(char *all, size_t size, const char *const *names)
{
	size_t used = 0;

	for (; *names && used < size; names++) {
		put_text(all + used, size - used, "%s%s", used ? ", " : "",
			 *names);
		used += strlen(all + used);
	}
}

int parse_choice(const struct argp_state *state, const char *what,
		 const char *text, const char *const *names)
{
	char all[128] = "";
	int i;

	for (i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return i;
	put_choices(all, sizeof(all), names);
	argp_error(state, "%s: not a %s (%s)", text, what, all);
	return -1;
}

int parse_method(const struct argp_state *state, const char *text)
{
	if (!strcmp(text, "mmap"))
		argp_error(state, "the method mmap is gone: use --method=ring, or leave it out");
	parse_choice(state, "method", text, method_names);
	return zio_method_flag(text);
}
