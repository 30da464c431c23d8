// SPDX-License-Identifier: GPL-2.0-only
/* zio flush: drop queued blocks, so that the next one is new */
#include "command.h"

struct flush {
	struct arguments args;
	int code;
};

static void flush_channel(struct flush *flush, const struct zio_object *chan)
{
	const struct assignment set = {
		.obj = chan, .attr = (char *)"flush", .value = "1",
	};

	if (check_assignment(&set) || apply_assignment(&set))
		flush->code = EXIT_FAILED;
}

static bool is_output(const struct zio_object *chan)
{
	return zio_attr_check(chan, "flush", NULL);
}

/* Leave outputs alone: only their trigger takes queued blocks. */
static void flush_all(struct flush *flush, const struct zio_object *whole)
{
	struct zio_object **list = zio_list(whole, ZIO_OBJECT_CHANNEL, NULL);
	int i, n = 0;

	for (i = 0; list && list[i]; i++) {
		if (is_output(list[i]))
			continue;
		flush_channel(flush, list[i]);
		n++;
	}
	zio_list_free(list);
	if (n)
		return;
	complain("flush: %s has no input channel", zio_object_name(whole));
	flush->code = EXIT_FAILED;
}

static void flush_object(struct flush *flush, const char *name)
{
	const char *attr;
	struct zio_object *obj = find_object(name, &attr);

	if (!obj) {
		flush->code = EXIT_FAILED;
	} else if (attr) {
		complain("flush: '%s' is an attribute: name a channel, a set or a device",
			 name);
		flush->code = EXIT_FAILED;
	} else if (zio_object_kind(obj) != ZIO_OBJECT_CHANNEL) {
		flush_all(flush, obj);
	} else if (is_output(obj)) {
		complain("flush: %s is an output, or its kernel module cannot flush", name);
		flush->code = EXIT_FAILED;
	} else {
		flush_channel(flush, obj);
	}
	zio_object_free(obj);
}

static error_t parse_flush(int key, char *arg, struct argp_state *state)
{
	struct flush *flush = state->input;

	(void)arg;
	return keep_arguments(key, state, &flush->args);
}

const struct argp flush_argp = {
	.parser = parse_flush,
	.args_doc = "CHANNEL...",
	.doc = "Drop the blocks queued on inputs, so that the next block that a "
	"program reads is new.\v"
	"CHANNEL is a channel (zzero-0-1, zzero/0/1), or a set or device, which stands for "
	"all its inputs. The dropped blocks appear as a gap in the sequence numbers.",
	.children = program_options,
};

int run_flush(int argc, char **argv)
{
	struct flush flush = { .args.needed = true };
	int i;

	parse_command(&flush_argp, argc, argv, &flush);
	for (i = 0; i < flush.args.count; i++)
		flush_object(&flush, flush.args.text[i]);
	return flush.code;
}
