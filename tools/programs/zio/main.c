// SPDX-License-Identifier: GPL-2.0-only
/* zio: list ZIO devices, set them up, watch their rates, draw their data */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "common/complete.h"
#include "command.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const struct argp *argp;
	void (*complete)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
	{ "list", run_list, &list_argp, complete_list,
	  "show devices, sets, channels, shared triggers" },
	{ "get", run_get, &get_argp, complete_get, "show attributes" },
	{ "set", run_set, &set_argp, complete_set, "change attributes" },
	{ "create", run_create, &create_argp, complete_create,
	  "make a shared trigger or a device" },
	{ "destroy", run_destroy, &destroy_argp, complete_destroy,
	  "remove one of these" },
	{ "top", run_top, &top_argp, complete_top,
	  "show rates and losses, live" },
	{ "plot", run_plot, &plot_argp, complete_plot,
	  "draw channels, live or to a file" },
	{ "trace", run_trace, &trace_argp, complete_trace,
	  "print what happens to each block" },
	{ "flush", run_flush, &flush_argp, complete_flush,
	  "drop what is queued on inputs" },
	{ "export", run_export, &export_argp, complete_export,
	  "print statistics for Prometheus" },
	{ "save", run_save, &save_argp, complete_save, "print all settings" },
	{ "restore", run_restore, &restore_argp, complete_restore,
	  "set what save has printed" },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < N_COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

/* "help" is --help, "help COMMAND" is "COMMAND --help". Ends the program. */
static void give_help(struct argp_state *state, const char *name)
{
	char shown[NAME_LEN];
	const struct command *command = name ? find_command(name) : NULL;

	if (name && !command)
		argp_error(state, "%s: no such command", name);
	if (!command) {
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return;
	}
	put_text(shown, sizeof(shown), "zio %s", command->name);
	argp_help(command->argp, stdout, ARGP_HELP_STD_HELP, shown);
	exit(finish_output());
}

/* The words after a command are for its own parser. */
static error_t parse_main(int key, char *arg, struct argp_state *state)
{
	int *first = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (!strcmp(arg, "help"))
			give_help(state, state->next < state->argc ?
				  state->argv[state->next] : NULL);
		else if (!find_command(arg))
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

static void print_commands(FILE *out)
{
	size_t i;

	fputs("Commands:\n", out);
	for (i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
}

static char *filter_help(int key, const char *text, void *input)
{
	(void)input;
	return extend_help(key, text, print_commands);
}

static const struct argp main_argp = {
	.parser = parse_main,
	.args_doc = "COMMAND [ARGUMENT]...",
	.doc = "Show ZIO devices and set them up.\v"
	"\n'zio help COMMAND' lists the options of a command; the manual page "
	"zio(1) describes them.\n"
	"\n"
	"Exit status: 0 done; 1 failed; 2 usage; 3 plot cannot open the channel.",
	.children = program_options,
	.help_filter = filter_help,
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

/* @argv: the words after "zio --complete"; the last one is to complete. */
static int complete(int argc, char **argv, const char *word)
{
	const struct command *command = argc > 1 ? find_command(argv[0]) : NULL;
	size_t i;

	for (i = 0; argc < 2 && i < N_COMMANDS; i++)
		offer(word, commands[i].name);
	if (argc < 2)
		offer(word, "help");
	if (argc < 2)
		offer_options(word, &main_argp);
	else if (command)
		offer_options(word, command->argp);
	for (i = 0; argc == 2 && !strcmp(argv[0], "help") && i < N_COMMANDS; i++)
		offer(word, commands[i].name);
	if (command)
		command->complete(argc, argv);
	return finish_output();
}

int main(int argc, char **argv)
{
	const char *word = word_to_complete(argc, argv);
	int first = 0;

	setlocale(LC_CTYPE, "");
	start_program("zio", "zio");
	if (word)
		return complete(argc - 2, argv + 2, word);
	if (parse_words(&main_argp, argc, argv, ARGP_IN_ORDER, &first))
		return EXIT_USAGE;
	return run_command(find_command(argv[first]), argc - first,
			   argv + first);
}
