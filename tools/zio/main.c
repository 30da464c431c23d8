// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio: what there is, how it is set, how fast it runs, how it looks
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "libzio/zio.h"
#include "command.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
};

static const struct command commands[] = {
	{ "list", run_list, "devices, sets, channels, shared triggers" },
	{ "get", run_get, "show attributes" },
	{ "set", run_set, "change attributes" },
	{ "create", run_create, "make a shared trigger or a device" },
	{ "destroy", run_destroy, "remove one of these" },
	{ "top", run_top, "rates and losses, live" },
	{ "plot", run_plot, "draw a channel, live or to a file" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

const char *argp_program_version;

void complain(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("zio: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int finish_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	complain("standard output: %s", strerror(errno));
	return EXIT_FAILED;
}

int parse_command(const struct argp *argp, int argc, char **argv, void *input)
{
	return argp_parse(argp, argc, argv, 0, NULL, input) ? EXIT_USAGE :
							      EXIT_OK;
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

double parse_seconds(const struct argp_state *state, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0) || value > 86400)
		argp_error(state, "%s: not a number of seconds, 0 to 86400",
			   text);
	return value;
}

uint64_t parse_count(const struct argp_state *state, const char *text)
{
	uint64_t value;

	errno = 0;
	value = strtoull(text, NULL, 10);
	if (!is_digits(text) || errno)
		argp_error(state, "%s: not a number, or too large", text);
	return value;
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

/* The rest of the line belongs to the command. */
static error_t parse_main(int key, char *arg, struct argp_state *state)
{
	int *first = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (!find_command(arg))
			argp_error(state, "%s: no such command", arg);
		*first = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static char *list_commands(int key, const char *text, void *input)
{
	char *help = NULL;
	size_t size;
	FILE *out;
	size_t i;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	out = open_memstream(&help, &size);
	if (!out)
		return NULL;
	fputs("Commands:\n", out);
	for (i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].what);
	fputs("\n'zio COMMAND --help' tells more, the manual page zio(1) most.\n"
	      "Exit status: 0 done, 1 failed, 2 usage.", out);
	fclose(out);
	return help;
}

static const struct argp main_argp = {
	.parser = parse_main,
	.args_doc = "COMMAND [ARGUMENT]...",
	.doc = "Look at ZIO and set it up.\v",
	.help_filter = list_commands,
};

static int run_command(const struct command *command, int argc, char **argv)
{
	char name[NAME_LEN];
	int code;

	put_text(name, sizeof(name), "zio %s", command->name);
	argv[0] = name;
	code = command->run(argc, argv);
	return code ? code : finish_output();
}

int main(int argc, char **argv)
{
	static char version[NAME_LEN];
	int first = 0;

	setlocale(LC_CTYPE, "");
	put_text(version, sizeof(version), "zio %s", zio_version());
	argp_program_version = version;
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&main_argp, argc, argv, ARGP_IN_ORDER, NULL, &first);
	return run_command(find_command(argv[first]), argc - first,
			   argv + first);
}
