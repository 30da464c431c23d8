// SPDX-License-Identifier: GPL-2.0-only
/* zio trace: print what happens to each block, as the tracepoints of the kernel tell it */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/stop.h"
#include "command.h"
#include "trace-event.h"
#include "tracefs.h"

#define POLL_S 0.1		/* no event can stay behind for longer */
#define DRAIN_S 1		/* for what the kernel has recorded before a signal */

struct trace {
	struct arguments args;
	bool json;
	const char *output;
	FILE *file;
	struct timeline timeline;
	char line[4096];	/* the part of a line that has come */
	size_t used;
};

static void print_plain(const struct trace_event *event)
{
	char clock[NAME_LEN], text[EVENT_TEXT];
	time_t seconds = (time_t)(event->usec / 1000000);
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	describe_event(event, text);
	printf("%s.%06u  %-16s  ", clock, (unsigned int)(event->usec % 1000000),
	       event->object);
	print_visible(stdout, text);
	putchar('\n');
}

static void show_event(struct trace *trace, const struct trace_event *event)
{
	if (trace->file)
		write_timeline(&trace->timeline, trace->file, event);
	else if (trace->json)
		json_print(stdout, new_json_event(event), JSON_REAL_PRECISION(16));
	else
		print_plain(event);
}

static void take_line(struct trace *trace, const char *line)
{
	const char *dropped = strstr(line, "[LOST");
	struct trace_event event;

	if (dropped && has_prefix(line, "CPU:"))
		complain("trace: the kernel has dropped events, as this program was too slow: %s: name an object",
			 dropped);
	else if (parse_event(line, &event))
		show_event(trace, &event);
}

/* Take the whole lines that are there, and keep the rest. */
static void take_lines(struct trace *trace)
{
	char *begin = trace->line, *end;

	/* The name of a task may have a line feed. */
	while (trace->used > TASK_WIDTH &&
	       (end = memchr(begin + TASK_WIDTH, '\n', trace->used - TASK_WIDTH))) {
		*end = '\0';
		take_line(trace, begin);
		trace->used -= (size_t)(end + 1 - begin);
		begin = end + 1;
	}
	if (trace->used == sizeof(trace->line))
		trace->used = 0;
	memmove(trace->line, begin, trace->used);
}

/* Read what is there, up to a signal, or up to a time behind it; 0, or -1 after a message. */
static int read_events(struct trace *trace, int pipe, double until)
{
	FILE *out = trace->file ? trace->file : stdout;
	ssize_t n = 0;

	while ((until > 0 ? seconds_now() < until : !caught_stop()) && !ferror(out)) {
		n = read(pipe, trace->line + trace->used, sizeof(trace->line) - trace->used);
		if (n <= 0)
			break;
		trace->used += (size_t)n;
		take_lines(trace);
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		complain("trace: %s", strerror(errno));
		return -1;
	}
	if (!fflush(out) && !ferror(out))
		return 0;
	/* The reader of a pipe may go: SIGPIPE ends the program silently. */
	if (!trace->file && caught_stop() != SIGPIPE)
		finish_output();
	return -1;
}

static int follow(struct trace *trace, const struct tracefs *fs)
{
	struct pollfd fd = { .fd = fs->pipe, .events = POLLIN };

	while (!caught_stop()) {
		wait_unless_stopped(&fd, 1, POLL_S);
		if (read_events(trace, fs->pipe, 0))
			return EXIT_FAILED;
		if (!is_tracing(fs)) {
			complain("the kernel module zio was unloaded: start the trace again");
			return EXIT_FAILED;
		}
	}
	stop_tracing(fs);
	if (read_events(trace, fs->pipe, seconds_now() + DRAIN_S))
		return EXIT_FAILED;
	return stop_status(EXIT_OK);
}

/* A FIFO without a reader is an error: the events are on, and must not stay so. */
static int begin_file(struct trace *trace)
{
	int fd;

	if (!trace->output)
		return 0;
	fd = open(trace->output, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd >= 0 && !fcntl(fd, F_SETFL, 0))
		trace->file = fdopen(fd, "w");
	if (trace->file)
		return 0;
	complain("%s: %s", trace->output, strerror(errno));
	return -1;
}

static int end_file(struct trace *trace)
{
	int bad;

	if (!trace->file)
		return 0;
	end_timeline(&trace->timeline, trace->file);
	bad = ferror(trace->file) | fclose(trace->file);
	if (bad)
		complain("%s: %s", trace->output, strerror(errno));
	return bad;
}

static int trace_object(struct trace *trace, const struct zio_object *obj)
{
	struct tracefs fs;
	int code;

	/* Whatever ends the program, the instance does not stay. */
	catch_stop_once(SA_RESTART);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN)
		catch_stop(SIGHUP, SA_RESTART);
	catch_stop(SIGQUIT, SA_RESTART);
	catch_stop(SIGPIPE, SA_RESTART);
	if (begin_tracing(&fs, obj))
		return EXIT_FAILED;
	code = begin_file(trace) ? EXIT_FAILED : follow(trace, &fs);
	if (end_file(trace))
		code = EXIT_FAILED;
	end_tracing(&fs);
	/* exit() would complain of standard output. */
	if (caught_stop() == SIGPIPE)
		_exit(stop_status(code));
	return code;
}

static bool can_trace(const struct zio_object *obj, const char *attr)
{
	enum zio_object_kind kind = zio_object_kind(obj);

	return !attr && (kind == ZIO_OBJECT_DEVICE || kind == ZIO_OBJECT_CSET ||
			 kind == ZIO_OBJECT_CHANNEL);
}

static error_t parse_trace(int key, char *arg, struct argp_state *state)
{
	struct trace *trace = state->input;
	error_t ret;

	switch (key) {
	case 'j':
		trace->json = true;
		return 0;
	case 'o':
		trace->output = arg;
		return 0;
	case ARGP_KEY_END:
		if (trace->json && trace->output)
			argp_error(state, "--json prints, and --output does not");
		return 0;
	default:
		ret = keep_arguments(key, state, &trace->args);
		if (!ret && trace->args.count > 1)
			argp_error(state, "%s: one object at most", trace->args.text[1]);
		return ret;
	}
}

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print a JSON object in one line per event", 0 },
	{ "output", 'o', "FILE", 0,
	  "Write a timeline for Perfetto (ui.perfetto.dev), and print nothing", 0 },
	{ 0 }
};

const struct argp trace_argp = {
	.options = options,
	.parser = parse_trace,
	.args_doc = "[DEVICE|SET|CHANNEL]",
	.doc = "Print the events, blocks and losses of all devices, or of one object, with "
	"their times, until Ctrl-C.",
	.children = program_options,
};

int run_trace(int argc, char **argv)
{
	struct trace trace = { 0 };
	struct zio_object *obj = NULL;
	const char *attr = NULL;
	int code;

	parse_command(&trace_argp, argc, argv, &trace);
	if (trace.args.count) {
		obj = find_object(trace.args.text[0], &attr);
		if (!obj)
			return EXIT_FAILED;
	}
	if (!obj || can_trace(obj, attr)) {
		code = trace_object(&trace, obj);
	} else {
		complain("trace: '%s' has no events: name a device, a set or a channel",
			 trace.args.text[0]);
		code = EXIT_FAILED;
	}
	zio_object_free(obj);
	return code;
}
