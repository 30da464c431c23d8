// SPDX-License-Identifier: GPL-2.0-only
/* zio-kafka: copy blocks to and from Apache Kafka. */
#include <stdio.h>
#include <string.h>

#include "common/complete.h"
#include "common/program.h"
#include "kafka.h"

static const struct {
	const char *name;
	const char *help;
	int (*main)(int argc, char **argv);
} verbs[] = {
	{ "put", "send blocks of channels and block files to a topic", put_main },
	{ "get", "read blocks of a topic", get_main },
	{ "verify", "look for gaps and duplicates in a topic", verify_main },
};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void print_usage(FILE *out)
{
	size_t i;

	fputs("Usage: zio-kafka VERB [OPTION...] ...\n\n", out);
	for (i = 0; i < N_VERBS; i++)
		fprintf(out, "  %-8s %s\n", verbs[i].name, verbs[i].help);
	fputs("\nRun 'zio-kafka VERB --help' for details. See zio-kafka(1).\n", out);
}

/* The arguments of a subcommand begin with "zio-kafka VERB". */
static int run_verb(size_t i, int argc, char **argv)
{
	static char name[32];

	snprintf(name, sizeof(name), "zio-kafka %s", verbs[i].name);
	start_program("zio-kafka", name);
	argv[1] = name;
	return verbs[i].main(argc - 1, argv + 1);
}

static size_t find_verb(const char *word)
{
	size_t i;

	for (i = 0; i < N_VERBS; i++)
		if (!strcmp(word, verbs[i].name))
			break;
	return i;
}

/* "zio-kafka --complete VERB WORD...": the verb completes the last word. */
static int complete(int argc, char **argv)
{
	size_t i = argc > 3 ? find_verb(argv[2]) : N_VERBS;

	if (i < N_VERBS) {
		argv[2] = argv[1];
		return run_verb(i, argc, argv);
	}
	for (i = 0; argc <= 3 && i < N_VERBS; i++)
		offer(argc > 2 ? argv[2] : "", verbs[i].name);
	return finish_output();
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	size_t i = find_verb(word);

	start_program("zio-kafka", argv[0]);
	if (i < N_VERBS)
		return run_verb(i, argc, argv);
	if (!strcmp(word, "--complete"))
		return complete(argc, argv);
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		puts(argp_program_version);
	else if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h"))
		print_usage(stdout);
	else {
		complain("%s%s: try --help", *word ? "unknown command " : "no command", word);
		return EXIT_USAGE;
	}
	return finish_output();
}
