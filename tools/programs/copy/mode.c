// SPDX-License-Identifier: GPL-2.0-only
/* The modes, and choosing one that the ends offer */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "common/complete.h"
#include "copy.h"

#define PLAIN ZIO_OPEN_READ
#define RING ZIO_OPEN_RING

/* From the best to the one that is always possible */
static const struct mode modes[] = {
	{ .name = "share", .help = "outputs play from the memory of the input; nothing is copied",
	  .in = PLAIN, .out = PLAIN,
	  .needs = NEED_CHANNEL_IN | NEED_CHANNELS_OUT,
	  .begin = begin_share, .move = move_by_share },
	{ .name = "mmap-in", .help = "write from the mapped input",
	  .in = RING, .out = PLAIN, .needs = NEED_CHANNEL_IN,
	  .move = move_by_write },
	{ .name = "rw", .help = "read and write; always possible",
	  .in = PLAIN, .out = PLAIN, .begin = begin_write, .move = move_by_write },
};

#define N_MODES (sizeof(modes) / sizeof(modes[0]))

/* Older versions had a mode for io_uring, which was always slower than "rw". */
static const struct mode *find_mode(const char *name)
{
	size_t i;

	if (!strcmp(name, "uring"))
		name = "rw";
	for (i = 0; i < N_MODES; i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	return NULL;
}

bool is_mode(const char *name)
{
	return !strcmp(name, "auto") || find_mode(name);
}

bool was_mode(const char *name)
{
	static const char *const gone[] = { "splice", "mmap-out", "mmap" };
	size_t i;

	for (i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		if (!strcmp(name, gone[i]))
			return true;
	return false;
}

void offer_modes(const char *word, const char *prefix)
{
	const char *names[N_MODES + 2] = { "auto" };
	size_t i;

	for (i = 0; i < N_MODES; i++)
		names[i + 1] = modes[i].name;
	offer_choices(word, prefix, names);
}

void print_modes(FILE *out)
{
	size_t i;

	for (i = 0; i < N_MODES; i++)
		fprintf(out, "  %-8s  %s\n", modes[i].name, modes[i].help);
}

static bool has_file_out(const struct copy *c)
{
	int i;

	for (i = 0; i < c->n_out; i++)
		if (c->out[i].file)
			return true;
	return false;
}

static const char *find_obstacle(const struct copy *c,
				 const struct mode *mode)
{
	if ((mode->needs & NEED_CHANNEL_IN) && c->in.file)
		return "the input is a file, not a channel";
	if ((mode->needs & NEED_CHANNELS_OUT) && has_file_out(c))
		return "an output is a file, not a channel";
	return NULL;
}

static int try_mode(struct copy *c, const struct mode *mode,
		    struct zio_error *err)
{
	const char *obstacle = find_obstacle(c, mode);

	if (obstacle) {
		snprintf(err->text, sizeof(err->text), "%s", obstacle);
		return -1;
	}
	if (reopen_for(c, mode, err))
		return -1;
	if (mode->begin && mode->begin(c, err))
		return -1;
	c->mode = mode;
	return 0;
}

static void print_refusal(const struct mode *mode, const struct zio_error *err)
{
	complain("mode %s: %s", mode->name, err->text);
}

static int choose_best(struct copy *c)
{
	struct zio_error err;
	size_t i;

	for (i = 0; i < N_MODES; i++) {
		if (!try_mode(c, &modes[i], &err))
			return 0;
		if (c->verbose || i == N_MODES - 1)
			print_refusal(&modes[i], &err);
	}
	return -1;
}

int choose_mode(struct copy *c, const char *name)
{
	const struct mode *mode = find_mode(name);
	struct zio_error err;

	if (!mode)
		return choose_best(c);
	if (!try_mode(c, mode, &err))
		return 0;
	print_refusal(mode, &err);
	return -1;
}
