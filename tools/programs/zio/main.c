// SPDX-License-Identifier: GPL-2.0-only
/* zio: one program for all commands, and for the names zio-dump, zio-copy, zio-cat-file */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "common/complete.h"
#include "copy/copy.h"
#include "dump/dump.h"
#include "command.h"

/* A command of this program, or of another program zio-NAME. */
struct command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);	/* NULL: run another program */
	const struct argp *argp;
	void (*complete)(int argc, char **argv);
	const char *program;	/* its own name, or the other program */
	const char *package;	/* that has the other program */
};

#define LINKED(name, complete, program, help) \
	{ #name, help, run_##name, &name##_argp, complete, program, NULL }
#define OWN(name, complete, help) LINKED(name, complete, NULL, help)
#define PACKAGED(name, program, package, help) \
	{ name, help, NULL, NULL, NULL, program, package }
#define OTHER(name, program, help) PACKAGED(name, program, program, help)
#define PYTHON(name, help) PACKAGED(#name, "zio-" #name, "python3-zio", help)
#define GROUP(title) { NULL, title, NULL, NULL, NULL, NULL, NULL }

/* Help, completion and zio(1) show this list. */
static const struct command commands[] = {
	GROUP("Look at devices and blocks:"),
	OWN(list, complete_objects, "show devices, sets, channels, shared triggers"),
	PYTHON(top, "show rates and losses, live"),
	PYTHON(plot, "draw channels, live or to a file"),
	LINKED(dump, complete_dump, "zio-dump", "print blocks as text, CSV or JSON"),
	OTHER("scope", "zio-scope", "show channels in a browser"),
	PACKAGED("selftest", "zio-selftest", "python3-zio",
		 "measure a board: rate, times, losses"),
	GROUP("Set up:"),
	OWN(get, complete_get, "show attributes"),
	OWN(set, complete_set, "change attributes"),
	OWN(create, complete_create, "create a shared trigger or a device"),
	OWN(destroy, complete_destroy, "remove a shared trigger or a device"),
	PYTHON(save, "print all settings"),
	PYTHON(restore, "restore settings printed by save"),
	GROUP("Move blocks:"),
	LINKED(copy, complete_copy, "zio-copy",
	       "copy blocks between channels and block files"),
	LINKED(cat, complete_cat, "zio-cat-file", "write samples to standard output"),
	OWN(flush, complete_channels, "drop the blocks queued on inputs"),
	OTHER("record", "zio-nexus", "record channels to HDF5 files"),
	GROUP("Work with other systems:"),
	PYTHON(export, "print statistics for Prometheus"),
	OTHER("nexus", "zio-nexus", "record, check and convert files of NeXus"),
	OTHER("kafka", "zio-kafka", "send blocks to Apache Kafka, and read them back"),
	OTHER("pva", "zio-pva", "show blocks and settings by PVAccess of EPICS"),
};

#define MAX_HOPS 8	/* links to links */
#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < N_COMMANDS; i++)
		if (commands[i].name && !strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

/* A link to this program named like a command, such as "zio-dump", runs that command. */
static const struct command *find_link(const char *name)
{
	size_t i;

	for (i = 0; i < N_COMMANDS; i++)
		if (commands[i].run && commands[i].program &&
		    !strcmp(name, commands[i].program))
			return &commands[i];
	return NULL;
}

/*
 * The caller may pass any argv[0] to zio-dump, as systemd does for "@". The user may also
 * have called the program through a link to "zio-dump".
 */
static const struct command *find_called(const char *name)
{
	const struct command *command = find_link(base_name(name));
	char path[PATH_MAX], target[PATH_MAX];
	size_t begin;
	ssize_t n;
	int hops;

	put_text(path, sizeof(path), "%s", (const char *)getauxval(AT_EXECFN));
	if (!command)
		command = find_link(base_name(path));
	for (hops = 0; !command && hops < MAX_HOPS; hops++) {
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0)
			break;
		/* A relative target starts at the directory of the link. */
		begin = *target == '/' ? 0 : (size_t)(base_name(path) - path);
		put_text(path + begin, sizeof(path) - begin, "%.*s", (int)n, target);
		command = find_link(base_name(path));
	}
	return command;
}

/*
 * Run another program with the words after argv[0]. Returns if there is no such program.
 * Prefer one beside this program, so that a checkout uses its own version.
 */
static void try_program(const char *program, char **argv)
{
	char name[NAME_LEN], path[PATH_MAX] = "", *slash;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	put_text(name, sizeof(name), "%s", program);
	argv[0] = name;
	slash = n > 0 ? strrchr(path, '/') : NULL;
	if (slash) {
		put_text(slash + 1, sizeof(path) - (size_t)(slash + 1 - path), "%s", name);
		execv(path, argv);
	}
	execvp(name, argv);
}

static int run_other(const struct command *command, char **argv)
{
	try_program(command->program, argv);
	complain(errno == ENOENT ? "%s: %s is not installed: install the package %s, or in a "
		 "checkout: make -C tools install-%s" : "%s: %s: %m", command->name,
		 command->program, command->package, command->program + strlen("zio-"));
	return EXIT_FAILED;
}

/* Users may add commands: programs named "zio-NAME". */
static void try_unknown(const char *name, char **argv)
{
	char program[NAME_LEN];

	if (strchr(name, '/') || *name == '-')
		return;
	put_text(program, sizeof(program), "zio-%s", name);
	try_program(program, argv);
}

static void put_commands(char *text, size_t size)
{
	size_t i, used = 0;

	for (i = 0; i < N_COMMANDS; i++)
		if (commands[i].name) {
			put_text(text + used, size - used, "%s%s", used ? " " : "",
				 commands[i].name);
			used += strlen(text + used);
		}
}

/* Ends the program. */
static void refuse_command(struct argp_state *state, const char *name)
{
	char names[N_COMMANDS * NAME_LEN], nearest[NAME_LEN];

	put_commands(names, sizeof(names));
	if (zio_nearest(name, names, nearest, sizeof(nearest)))
		argp_error(state, "%s: no such command; there are: %s", name, names);
	else
		argp_error(state, "%s: no such command (did you mean '%s'?); there are: %s",
			   name, nearest, names);
}

/* Treat "help" as --help, and "help COMMAND" as "COMMAND --help". Ends the program. */
static void give_help(struct argp_state *state, const char *name)
{
	char shown[NAME_LEN], option[] = "--help";
	char *words[] = { shown, option, NULL };
	const struct command *command = name ? find_command(name) : NULL;

	if (name && !command)
		refuse_command(state, name);
	if (!command) {
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return;
	}
	if (!command->run)
		exit(run_other(command, words));
	put_text(shown, sizeof(shown), "zio %s", command->name);
	argp_help(command->argp, stdout, ARGP_HELP_STD_HELP, shown);
	exit(finish_output());
}

/* Leave the words after a command to its own parser. */
static error_t parse_main(int key, char *arg, struct argp_state *state)
{
	int *first = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		*first = state->next - 1;
		if (!strcmp(arg, "help")) {
			give_help(state, state->next < state->argc ?
				  state->argv[state->next] : NULL);
		} else if (!find_command(arg)) {
			try_unknown(arg, state->argv + *first);
			refuse_command(state, arg);
		}
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_state_help(state, state->err_stream, ARGP_HELP_SHORT_USAGE |
				ARGP_HELP_DOC | ARGP_HELP_EXIT_ERR);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void print_commands(FILE *out)
{
	size_t i;

	for (i = 0; i < N_COMMANDS; i++)
		if (commands[i].name)
			fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
		else
			fprintf(out, "%s%s\n", i ? "\n" : "", commands[i].help);
}

static char *filter_help(int key, const char *text, void *input)
{
	(void)input;
	return extend_help(key, text, print_commands);
}

static const struct argp main_argp = {
	.parser = parse_main,
	.args_doc = "COMMAND [ARGUMENT]...",
	.doc = "Show ZIO devices, set them up, and move their blocks.\v"
	"\n'zio help COMMAND' lists the options of a command; the manual page "
	"zio(1) describes them. Any program zio-NAME is a command, too.\n"
	"\n"
	"Exit status: 0 done; 1 failed; 2 usage; 3 a channel cannot be opened.",
	.children = program_options,
	.help_filter = filter_help,
};

static int run_command(const struct command *command, int argc, char **argv)
{
	char name[NAME_LEN];
	int code;

	if (!command->run)
		return run_other(command, argv);
	put_text(name, sizeof(name), "zio %s", command->name);
	argv[0] = name;
	code = command->run(argc, argv);
	return code ? code : finish_output();
}

/* Let another program complete its own words: "zio --complete NAME WORD...". */
static void complete_other(const struct command *command, char **argv)
{
	static char option[] = "--complete";

	argv[0] = option;
	try_program(command->program, argv - 1);
}

static void complete_command(const struct command *command, int argc, char **argv)
{
	if (!command->run) {
		complete_other(command, argv);
		return;
	}
	offer_options(argv[argc - 1], command->argp);
	if (command->complete)
		command->complete(argc, argv);
}

static void offer_commands(const char *word)
{
	size_t i;

	for (i = 0; i < N_COMMANDS; i++)
		if (commands[i].name)
			offer(word, commands[i].name);
}

/* @argv: the words after "zio --complete"; complete the last one. */
static int complete(int argc, char **argv, const char *word)
{
	const struct command *command = argc > 1 ? find_command(argv[0]) : NULL;

	if (argc < 2) {
		offer_commands(word);
		offer(word, "help");
		offer_options(word, &main_argp);
	} else if (command) {
		complete_command(command, argc, argv);
	} else if (argc == 2 && !strcmp(argv[0], "help")) {
		offer_commands(word);
	}
	return finish_output();
}

static int run_link(const struct command *command, int argc, char **argv)
{
	start_program(command->program, argv[0]);
	if (!word_to_complete(argc, argv))
		return command->run(argc, argv);
	complete_command(command, argc - 1, argv + 1);
	return finish_output();
}

int main(int argc, char **argv)
{
	const struct command *command = find_called(argv[0]);
	const char *word = word_to_complete(argc, argv);
	int first = 0;

	setlocale(LC_CTYPE, "");
	if (command)
		return run_link(command, argc, argv);
	start_program("zio", "zio");
	if (word)
		return complete(argc - 2, argv + 2, word);
	if (parse_words(&main_argp, argc, argv, ARGP_IN_ORDER, &first))
		return EXIT_USAGE;
	return run_command(find_command(argv[first]), argc - first,
			   argv + first);
}
