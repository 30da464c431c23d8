// SPDX-License-Identifier: GPL-2.0-only
/* zio copy, or zio-copy: copy blocks from a channel or block file to others */
#include <argp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/complete.h"
#include "common/program.h"
#include "common/silence.h"
#include "common/stop.h"
#include "common/text.h"
#include "copy.h"

struct settings {
	struct copy copy;
	struct arguments args;
	const char *mode;
	bool force;
	bool has_source;
};

static bool is_finished(const struct copy *c)
{
	return caught_stop() || c->code || (c->count && c->blocks >= c->count);
}

static int move_some(struct copy *c)
{
	int ret = c->mode->move(c);

	if (ret <= 0)
		return ret;
	c->pending = false;
	c->blocks += c->moved;
	c->bytes += c->size;
	return 1;
}

static void copy_blocks(struct copy *c)
{
	int ret = 1;

	while (ret > 0 && !is_finished(c)) {
		ret = move_some(c);
		print_progress(c);
	}
}

int transfer(struct copy *c)
{
	catch_stop_once(0);
	signal(SIGPIPE, SIG_IGN);
	start_silence_timer();
	start_tally(c);
	copy_blocks(c);
	if (c->mode->end)
		c->mode->end(c);
	print_tally(c);
	close_ends(c);
	return stop_status(c->code);
}

static int run(struct copy *c, const char *mode)
{
	if (open_ends(c) || choose_mode(c, mode)) {
		close_ends(c);
		return EXIT_OPEN;
	}
	return transfer(c);
}

static const char *parse_name(const struct argp_state *state, const char *what,
			      const char *text)
{
	if (!*text)
		argp_error(state, "%s=: the name is missing", what);
	return text;
}

static void set_in(struct settings *set, const struct argp_state *state,
		   const char *text)
{
	set->copy.in.name = parse_name(state, "if", text);
	set->has_source = true;
}

static void set_out(struct settings *set, const struct argp_state *state,
		    const char *text)
{
	struct copy *c = &set->copy;

	c->out[c->n_out++].name = parse_name(state, "of", text);
}

static void set_count(struct settings *set, const struct argp_state *state,
		      const char *text)
{
	set->copy.count = parse_number(state, "count", text, UINT64_MAX);
}

static void set_mode(struct settings *set, const struct argp_state *state,
		     const char *text)
{
	if (was_mode(text))
		argp_error(state, "mode=%s is gone: use mode=mmap-in or mode=rw, or leave it out",
			   text);
	if (!is_mode(text))
		argp_error(state, "mode=%s: no such mode; --help lists them",
			   text);
	set->mode = text;
}

static void set_append(struct settings *set, const struct argp_state *state,
		       const char *text)
{
	set->copy.append = parse_number(state, "append", text, 1);
}

static void set_verbose(struct settings *set, const struct argp_state *state,
			const char *text)
{
	set->copy.verbose = parse_number(state, "verbose", text, 9);
}

static const struct operand {
	int key;		/* of the equivalent option */
	const char *name;
	const char *value;	/* for the help */
	const char *completed;	/* what the completion offers */
	const char *help;
	void (*set)(struct settings *set, const struct argp_state *state,
		    const char *text);
} operands[] = {
	{ 0, "if", "SOURCE", "if=",
	  "a ZIO input channel, a block file, or - for standard input\n"
	  "(the default)", set_in },
	{ 0, "of", "TARGET", "of=",
	  "a ZIO output channel, a block file, or - for standard\n"
	  "output (the default); if given several times, each target\n"
	  "gets every block", set_out },
	{ 'n', "count", "N", "count=",
	  "stop after N blocks; 0, the default, means no limit", set_count },
	{ 'm', "mode", "MODE", "mode=",
	  "one of the modes below, or auto (the default): the best mode\n"
	  "that source and targets offer", set_mode },
	{ 'a', "append", "1", "append=1",
	  "append to block files instead of truncating them", set_append },
	{ 'v', "verbose", "1", "verbose=1",
	  "print the mode on standard error and, of mode=share, how\n"
	  "many blocks were shared, how many copied, and why",
	  set_verbose },
};

#define N_OPERANDS (sizeof(operands) / sizeof(operands[0]))

static const struct operand *find_operand(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < N_OPERANDS; i++)
		if (strlen(operands[i].name) == len &&
		    !strncmp(operands[i].name, name, len))
			return &operands[i];
	return NULL;
}

/*
 * As with cp(1), words without a name are the source and the target. Allow only one such
 * target: a shell pattern that matches several files would truncate all but the first.
 */
static void parse_operand(struct settings *set, const struct argp_state *state,
			  const char *text)
{
	const char *equals = strchr(text, '=');
	const struct operand *op;

	if (!equals) {
		if (!set->has_source)
			set_in(set, state, text);
		else if (!set->copy.n_out)
			set_out(set, state, text);
		else
			argp_error(state, "%s: give further targets as of=%s", text, text);
		return;
	}
	op = find_operand(text, (size_t)(equals - text));
	if (op)
		op->set(set, state, equals + 1);
	else
		argp_error(state, "%s: unknown operand", text);
}

/* @set->copy.out has room for one output per operand. */
static void parse_operands(struct settings *set, const struct argp_state *state)
{
	struct copy *c = &set->copy;
	int i;

	c->out = allocate((size_t)set->args.count + 1, sizeof(*c->out));
	for (i = 0; i < set->args.count; i++)
		parse_operand(set, state, set->args.text[i]);
	if (!c->n_out)
		c->out[c->n_out++].name = "-";
}

static const struct argp_option options[] = {
	{ "count", 'n', "N", 0, "The same as count=N", 0 },
	{ "mode", 'm', "MODE", 0, "The same as mode=MODE", 0 },
	{ "append", 'a', NULL, 0, "The same as append=1", 0 },
	{ "verbose", 'v', NULL, 0, "The same as verbose=1", 0 },
	{ "json", 'j', NULL, 0,
	  "Print the totals as JSON, on standard output", 0 },
	FORCE_OPTION,
	{ 0 }
};

static const struct operand *operand_of_key(int key)
{
	size_t i;

	for (i = 0; i < N_OPERANDS; i++)
		if (operands[i].key && operands[i].key == key)
			return &operands[i];
	return NULL;
}

static error_t parse_copy(int key, char *arg, struct argp_state *state)
{
	const struct operand *op = operand_of_key(key);
	struct settings *set = state->input;

	if (op) {
		op->set(set, state, arg ? arg : "1");
		return 0;
	}
	switch (key) {
	case 'j':
		set->copy.json = true;
		return 0;
	case 'f':
		set->force = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		parse_operands(set, state);
		return 0;
	default:
		return keep_arguments(key, state, &set->args);
	}
}

static void print_operand(FILE *out, const struct operand *op)
{
	char title[32];
	const char *at;

	put_text(title, sizeof(title), "%s=%s", op->name, op->value);
	fprintf(out, "  %-12s  ", title);
	for (at = op->help; *at; at++) {
		fputc(*at, out);
		if (*at == '\n')
			fprintf(out, "%16s", "");
	}
	fputc('\n', out);
}

static void print_operands(FILE *out)
{
	size_t i;

	fputs("Operands:\n", out);
	for (i = 0; i < N_OPERANDS; i++)
		print_operand(out, &operands[i]);
	fputs("\nModes:\n", out);
	print_modes(out);
}

static char *filter_help(int key, const char *text, void *input)
{
	(void)input;
	return extend_help(key, text, print_operands);
}

const struct argp copy_argp = {
	.options = options,
	.parser = parse_copy,
	.args_doc = "[SOURCE [TARGET]]\n[if=SOURCE] [of=TARGET]... [count=N] [mode=MODE] "
		    "[append=1] [verbose=1]",
	.doc = "Copy blocks, controls and data, until end of file or Ctrl-C; then "
	"print the number of blocks and bytes, and the time, on standard error.\v"
	"\nExit status: 0 done; 1 copying failed; 2 usage; 3 a channel or "
	"file cannot be opened, or does not offer the mode; 130 interrupted; 141 "
	"the reader of a pipe has closed it; 143 terminated.",
	.children = program_options,
	.help_filter = filter_help,
};

void complete_copy(int argc, char **argv)
{
	const char *word = argv[argc - 1];
	size_t i;

	for (i = 0; i < N_OPERANDS; i++)
		offer(word, operands[i].completed);
	offer_sources(word, "if=");
	offer_sources(word, "of=");
	offer_modes(word, "mode=");
	offer_modes(word, "--mode=");
	if (*word)
		offer_sources(word, "");
}

int run_copy(int argc, char **argv)
{
	struct settings set = { .copy.in.name = "-", .mode = "auto" };
	int code;

	parse_command(&copy_argp, argc, argv, &set);
	if (has_data_on_stdout(&set.copy) && refuses_terminal(set.force))
		code = EXIT_USAGE;
	else
		code = run(&set.copy, set.mode);
	free(set.copy.out);
	return code;
}
