// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-copy: copy blocks from a channel or a block file to others
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/stop.h"
#include "copy.h"

const char *prog;

static const char help_head[] =
"Usage: %s [OPTION]... [if=SOURCE] [of=TARGET]... [count=N] [mode=MODE]\n"
"          [append=1] [verbose=1]\n"
"Copy blocks, controls and data, until end of file or Ctrl-C; then tell blocks,\n"
"bytes and seconds on standard error.\n"
"\n"
"  if=SOURCE    a ZIO input channel, a block file, or - for standard input\n"
"               (the default)\n"
"  of=TARGET    a ZIO output channel, a block file, or - for standard output (the\n"
"               default); several, and each gets every block\n"
"  count=N      stop after N blocks; 0, the default, is no end\n"
"  mode=MODE    auto (the default: the best that the ends offer), or one of those\n"
"               below\n"
"  append=1     add to block files, which are emptied otherwise\n"
"  verbose=1    tell which mode it was, and of sharing how often it was asked\n"
"               for, how often done, and why not\n"
"\n"
"  -j, --json     tell at the end in JSON, on standard output\n"
"  -h, --help     print this and exit\n"
"  -V, --version  print the version and exit\n"
"\n"
"Modes:\n";

static const char help_tail[] =
"\n"
"Exit status: 0 done, 1 error while copying, 2 usage, 3 cannot open, or the mode\n"
"is not offered, 130 interrupted, 141 the reader of a pipe went away, 143\n"
"terminated.\n";

struct operands {
	const char *mode;
	uint64_t verbose;
	uint64_t append;
};

static int print_help(void)
{
	printf(help_head, prog);
	print_modes(stdout);
	return fputs(help_tail, stdout) < 0;
}

/* A second Ctrl-C kills, should the reader of a pipe be stuck. */
static void catch_signals(void)
{
	catch_stop(SIGINT, SA_RESETHAND);
	catch_stop(SIGTERM, SA_RESETHAND);
	signal(SIGPIPE, SIG_IGN);
}

static bool is_finished(const struct copy *c)
{
	return caught_stop() || (c->count && c->blocks >= c->count);
}

static int move_one(struct copy *c)
{
	int ret = c->mode->move(c);

	if (ret <= 0)
		return ret;
	c->under_way = false;
	c->blocks++;
	c->bytes += c->size;
	return 1;
}

/* A mode that reads ahead is asked once more, for what it has. */
static void copy_blocks(struct copy *c)
{
	int ret = 1;

	while (ret > 0 && !is_finished(c)) {
		ret = move_one(c);
		show_progress(c);
	}
	if (ret > 0 && c->mode->ahead && caught_stop())
		move_one(c);
}

static int run(struct copy *c, const char *mode)
{
	if (open_ends(c) || choose_mode(c, mode)) {
		close_ends(c);
		return EXIT_OPEN;
	}
	catch_signals();
	start_tally(c);
	copy_blocks(c);
	print_tally(c);
	if (c->mode->end)
		c->mode->end(c);
	close_ends(c);
	return caught_stop() ? EXIT_BY_SIGNAL + caught_stop() : c->code;
}

static int parse_number(const char *what, const char *text, uint64_t max,
			uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *number <= max)
		return 0;
	fprintf(stderr, "%s: %s=%s: not a number, or too large\n", prog, what,
		text);
	return -1;
}

static int parse_mode(const char *text, const char **mode)
{
	*mode = text;
	if (is_mode(text))
		return 0;
	fprintf(stderr, "%s: mode=%s: no such mode (see --help)\n", prog, text);
	return -1;
}

static int parse_name(const char *what, const char *text, const char **name)
{
	*name = text;
	if (*text)
		return 0;
	fprintf(stderr, "%s: %s=: a name is wanted\n", prog, what);
	return -1;
}

static int set_operand(struct copy *c, struct operands *op, const char *name,
		       const char *value)
{
	if (!strcmp(name, "if"))
		return parse_name(name, value, &c->in.name);
	if (!strcmp(name, "of"))
		return parse_name(name, value, &c->out[c->n_out++].name);
	if (!strcmp(name, "count"))
		return parse_number(name, value, UINT64_MAX, &c->count);
	if (!strcmp(name, "mode"))
		return parse_mode(value, &op->mode);
	if (!strcmp(name, "verbose"))
		return parse_number(name, value, 9, &op->verbose);
	if (!strcmp(name, "append"))
		return parse_number(name, value, 1, &op->append);
	fprintf(stderr, "%s: %s=: no such operand\n", prog, name);
	return -1;
}

/* "NAME=VALUE" is cut in two. */
static int parse_operand(struct copy *c, struct operands *op, char *text)
{
	char *equals = strchr(text, '=');

	if (!equals) {
		fprintf(stderr, "%s: %s: an operand is NAME=VALUE\n", prog,
			text);
		return -1;
	}
	*equals = '\0';
	return set_operand(c, op, text, equals + 1);
}

static int usage_error(void)
{
	fprintf(stderr, "Usage: %s [OPTION]... [if=SOURCE] [of=TARGET]...\nTry '%s --help'.\n",
		prog, prog);
	return EXIT_USAGE;
}

static int parse_and_run(struct copy *c, int n, char **words)
{
	struct operands op = { .mode = "auto" };
	int i;

	c->out = calloc((size_t)n + 1, sizeof(*c->out));
	if (!c->out) {
		fprintf(stderr, "%s: no memory\n", prog);
		return EXIT_IO;
	}
	for (i = 0; i < n; i++)
		if (parse_operand(c, &op, words[i]))
			return usage_error();
	if (!c->n_out)
		c->out[c->n_out++].name = "-";
	c->verbose = (unsigned int)op.verbose;
	c->append = op.append;
	return run(c, op.mode);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	struct copy c = { .in.name = "-" };
	int code, opt;

	prog = argv[0];
	while ((opt = getopt_long(argc, argv, "jhV", options, NULL)) != -1) {
		switch (opt) {
		case 'j':
			c.json = true;
			break;
		case 'h':
			return print_help();
		case 'V':
			return printf("zio-copy %s\n", zio_version()) < 0;
		default:
			return usage_error();
		}
	}
	code = parse_and_run(&c, argc - optind, argv + optind);
	free(c.out);
	return code;
}
