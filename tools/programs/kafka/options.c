// SPDX-License-Identifier: GPL-2.0-only
/* Options of all subcommands */
#include "options.h"

error_t parse_conf(int key, char *arg, const struct argp_state *state, struct conf *conf)
{
	(void)state;
	switch (key) {
	case 'b':
		conf->brokers = arg;
		return 0;
	case 't':
		conf->topic = arg;
		return 0;
	case 'X':
		conf->settings[conf->n_settings++] = arg;
		return 0;
	case 'c':
		conf->file = arg;
		return 0;
	case KEY_INSECURE:
		conf->is_trusted = true;
		return 0;
	case 'v':
		conf->is_verbose = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void check_conf(const struct argp_state *state, struct conf *conf)
{
	if (!conf->topic)
		argp_error(state, "no topic: name one with --topic");
}

static void parse_place(const struct argp_state *state, const char *what,
			const char *text, struct position *position)
{
	if (!parse_position(text, position))
		argp_error(state, "%s=%s: not begin, end, an offset or a time", what, text);
}

error_t parse_places(int key, const char *arg, const struct argp_state *state,
		     struct position *from, struct position *until)
{
	switch (key) {
	case KEY_FROM:
		parse_place(state, "from", arg, from);
		return 0;
	case KEY_UNTIL:
		parse_place(state, "until", arg, until);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
