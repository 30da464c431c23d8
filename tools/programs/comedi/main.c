// SPDX-License-Identifier: GPL-2.0-only
/* main.c: the command line of zio-comedi */
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "comedi.h"

#define DEFAULT_RATE	1000
/* A period is a 32-bit number of nanoseconds. */
#define LEAST_RATE	0.233
#define MOST_NUMBER	1023

struct words {
	struct card_options card;
	const char *device;
	struct arguments args;
};

static const char *const arefs[] = { "ground", "common", "diff", "other", NULL };

static const struct argp_option options[] = {
	{ "channels", 'c', "LIST", 0, "Only these channels, such as 0,1 (default: all)", 0 },
	{ "range", 'r', "NUMBER", 0, "The range of all channels (default 0)", 0 },
	{ "aref", 'a', "NAME", 0,
	  "Measure against ground (the default), common, diff or other", 0 },
	{ "rate", 'f', "HZ", 0, "Samples of each channel per second (default 1000)", 0 },
	{ "continuous", 'C', NULL, 0,
	  "Never stop: blocks follow each other without a gap", 0 },
	{ "subdevice", 's', "NUMBER", 0,
	  "Use this subdevice (default: the first with analog inputs and commands)", 0 },
	{ "device", 'd', "NAME", 0, "Name of the device (default: comedi)", 0 },
	{}
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct words *words = state->input;
	struct zio_rate rate;

	switch (key) {
	case 'c':
		words->card.channels = arg;
		return 0;
	case 'r':
		words->card.range = parse_number(state, "range", arg, MOST_NUMBER);
		return 0;
	case 'a':
		words->card.aref = parse_choice(state, "aref", arg, arefs);
		return 0;
	case 'f':
		parse_rate(state, arg, &rate);
		words->card.rate = (double)rate.num / rate.den;
		if (words->card.rate < LEAST_RATE)
			argp_error(state, "--rate=%s: Comedi has no rate below %g Hz", arg,
				   LEAST_RATE);
		return 0;
	case 'C':
		words->card.is_continuous = true;
		return 0;
	case 's':
		words->card.subdevice = parse_number(state, "subdevice", arg, MOST_NUMBER);
		return 0;
	case 'd':
		words->device = arg;
		return 0;
	default:
		return keep_arguments(key, state, &words->args);
	}
}

static const struct argp argp = {
	.options = options, .parser = parse, .children = program_options,
	.args_doc = "FILE\nlist",
	.doc = "Make a ZIO device of the analog inputs of a card of Comedi. FILE is its node, "
	       "such as /dev/comedi0. Each event of the trigger of the device starts an "
	       "acquisition. \"list\" prints the cards.",
};

int main(int argc, char **argv)
{
	struct words words = {
		.card = { .subdevice = -1, .rate = DEFAULT_RATE, .aref = AREF_GROUND },
		.device = "comedi", .args.needed = true,
	};
	struct card card;
	int status;

	start_program("zio-comedi", "zio-comedi");
	parse_words(&argp, argc, argv, 0, &words);
	if (words.args.count > 1) {
		complain("%s: one card at a time", words.args.text[1]);
		return EXIT_USAGE;
	}
	words.card.file = words.args.text[0];
	if (!strcmp(words.card.file, "list"))
		return card_list();
	status = card_open(&card, &words.card) ? comedi_serve(&card, words.device) : EXIT_OPEN;
	card_close(&card);
	return status;
}
