// SPDX-License-Identifier: GPL-2.0-only
/* zio export: print the statistics in the text format of Prometheus */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "model.h"

struct export {
	const char *output;	/* a file; NULL: standard output */
	struct arguments patterns;
};

/* A count of a channel or of a set; -1 is not known. */
struct metric {
	const char *name, *type, *help;
	bool is_of_set;
	size_t offset;
};

#define CHANNEL(member) false, offsetof(struct channel, member)
#define CSET(member) true, offsetof(struct cset, member)

static const struct metric metrics[] = {
	{ "zio_channel_blocks_total", "counter", "Blocks of the channel.", CHANNEL(blocks) },
	{ "zio_channel_bytes_total", "counter", "Bytes of their samples.", CHANNEL(bytes) },
	{ "zio_channel_lost_blocks_total", "counter", "Blocks that were lost.", CHANNEL(lost) },
	{ "zio_channel_queued_blocks", "gauge", "Blocks in the queue of an input.",
	  CHANNEL(queued) },
	{ "zio_channel_max_queued_blocks", "gauge", "Blocks that the buffer holds.",
	  CHANNEL(length) },
	{ "zio_channel_alarms", "gauge", "Bits of the alarms that are set.", CHANNEL(alarms) },
	{ "zio_channel_on", "gauge", "1 if the channel, its set and its trigger are enabled.",
	  CHANNEL(is_on) },
	{ "zio_cset_fired_total", "counter", "Events that the set has taken.", CSET(fired) },
	{ "zio_cset_lost_triggers_total", "counter",
	  "Events that came while the set was still armed.", CSET(lost_triggers) },
	{ "zio_cset_io_errors_total", "counter", "Errors of the driver.", CSET(io_errors) },
};

/* Backslash, quote and newline have an escape in the value of a label. */
static void print_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else if (*value == '\\' || *value == '"')
			fprintf(out, "\\%c", *value);
		else
			fputc(*value, out);
	}
	fputc('"', out);
}

static void print_labels(FILE *out, const struct cset *cset, const char *channel)
{
	int len = (int)strcspn(cset->path, "/");
	char device[NAME_LEN];

	put_text(device, sizeof(device), "%.*s", len, cset->path);
	print_label(out, "{device", device);
	print_label(out, ",cset", cset->path + len + strlen("/cset"));
	if (channel)
		print_label(out, ",channel", strrchr(channel, '/') + strlen("/chan"));
	print_label(out, ",direction", cset->direction);
}

static void print_value(FILE *out, const struct metric *metric, const struct cset *cset,
			const char *channel, const void *object)
{
	int64_t value;

	memcpy(&value, (const char *)object + metric->offset, sizeof(value));
	if (value < 0)
		return;
	fputs(metric->name, out);
	print_labels(out, cset, channel);
	fprintf(out, "} %" PRId64 "\n", value);
}

static void print_cset(FILE *out, const struct metric *metric, const struct cset *cset)
{
	int c;

	if (metric->is_of_set && cset->chosen)
		print_value(out, metric, cset, NULL, cset);
	for (c = 0; !metric->is_of_set && c < cset->count; c++)
		if (cset->channels[c].chosen)
			print_value(out, metric, cset, cset->channels[c].path,
				    &cset->channels[c]);
}

static void print_csets(FILE *out, const struct snapshot *snap, const struct metric *metric)
{
	int d, s;

	for (d = 0; d < snap->count; d++)
		for (s = 0; s < snap->devices[d].count; s++)
			print_cset(out, metric, &snap->devices[d].csets[s]);
}

static void print_info(FILE *out, const struct snapshot *snap)
{
	int d, s;

	fputs("# HELP zio_cset_info How the set is set up.\n"
	      "# TYPE zio_cset_info gauge\n", out);
	for (d = 0; d < snap->count; d++)
		for (s = 0; s < snap->devices[d].count; s++) {
			const struct cset *cset = &snap->devices[d].csets[s];

			if (!cset->chosen)
				continue;
			fputs("zio_cset_info", out);
			print_labels(out, cset, NULL);
			print_label(out, ",name", cset->name);
			print_label(out, ",trigger", cset->trigger);
			print_label(out, ",trigger_type", cset->type);
			print_label(out, ",buffer", cset->buffer);
			fputs("} 1\n", out);
		}
}

static void print_metrics(FILE *out, const struct snapshot *snap)
{
	size_t i;

	for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", metrics[i].name,
			metrics[i].help, metrics[i].name, metrics[i].type);
		print_csets(out, snap, &metrics[i]);
	}
	print_info(out, snap);
}

static int fail_file(const char *name)
{
	complain("export: %s: %s%s", name, strerror(errno),
		 errno == ENOENT ? " (its directory does not exist)" : "");
	return EXIT_FAILED;
}

/* The file has the mode that open() would give it. */
static FILE *open_temporary(char *name)
{
	int fd = mkstemp(name);
	mode_t mask = umask(0);

	umask(mask);
	if (fd < 0)
		return NULL;
	fchmod(fd, 0666 & ~mask);
	return fdopen(fd, "w");
}

/*
 * Another program reads the file at any time, so it gets a new one by its name at once.
 * The name of the new one has no suffix .prom, by which collectors look for files.
 */
static int write_file(const char *name, const struct snapshot *snap)
{
	char temporary[PATH_MAX];
	FILE *out;
	int bad;

	put_text(temporary, sizeof(temporary), "%s.XXXXXX", name);
	out = open_temporary(temporary);
	if (!out)
		return fail_file(name);
	print_metrics(out, snap);
	bad = ferror(out) | fflush(out) | fsync(fileno(out));
	bad |= fclose(out);
	if (!bad && !rename(temporary, name))
		return EXIT_OK;
	fail_file(name);
	unlink(temporary);
	return EXIT_FAILED;
}

enum option_key {
	KEY_PROMETHEUS = 256,
};

static const struct argp_option options[] = {
	{ "prometheus", KEY_PROMETHEUS, NULL, 0,
	  "Print the text format of Prometheus, which is the only one", 0 },
	{ "output", 'o', "FILE", 0,
	  "Write to FILE, and replace it only when all is written", 0 },
	{ 0 }
};

static error_t parse_export(int key, char *arg, struct argp_state *state)
{
	struct export *export = state->input;

	switch (key) {
	case KEY_PROMETHEUS:
		return 0;
	case 'o':
		export->output = arg;
		return 0;
	default:
		return keep_arguments(key, state, &export->patterns);
	}
}

const struct argp export_argp = {
	.options = options,
	.parser = parse_export,
	.args_doc = "[PATTERN]...",
	.doc = "Print statistics of the channels that match (see 'zio list'), for "
	"another program.",
	.children = program_options,
};

int run_export(int argc, char **argv)
{
	struct export export = { 0 };
	struct snapshot *snap;
	int code = EXIT_OK;

	parse_command(&export_argp, argc, argv, &export);
	snap = take_snapshot();
	if (!snap)
		return EXIT_FAILED;
	if (choose_named(snap, &export.patterns) < export.patterns.count)
		code = EXIT_FAILED;
	else if (export.output)
		code = write_file(export.output, snap);
	else
		print_metrics(stdout, snap);
	free_snapshot(snap);
	return code;
}
