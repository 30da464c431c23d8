// SPDX-License-Identifier: GPL-3.0-or-later
/* main.c: the command line of zio-sigrok */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libzio/zio.h"

#include "sigrok.h"

#define TRY_SAMPLES	1000

static const char help[] =
"Usage: zio-sigrok [OPTION]... DRIVER[:KEY=VALUE]...\n"
"       zio-sigrok list [DRIVER[:KEY=VALUE]...]\n"
"\n"
"Make a ZIO device of an instrument that libsigrok supports: a logic analyser, an\n"
"oscilloscope, a multimeter. Each event of the trigger of the device starts an\n"
"acquisition. \"list\" prints the instruments that are found.\n"
"\n"
"  -c, --config=[GROUP/]KEY=VALUE\n"
"                         change a setting, such as samplerate=1M\n"
"  -C, --channels=LIST    only these channels, such as A0,D0,D1\n"
"  -d, --device=TEXT      name of the device (default: that of the driver)\n"
"      --try              make no device: acquire once, and print what has come\n"
"  -h, --help             print this help and exit\n"
"      --usage            print a shorter help and exit\n"
"  -V, --version          print the version\n";

enum { OPT_TRY = 256, OPT_USAGE };

static const struct option options[] = {
	{ "config", required_argument, NULL, 'c' },
	{ "channels", required_argument, NULL, 'C' },
	{ "device", required_argument, NULL, 'd' },
	{ "try", no_argument, NULL, OPT_TRY },
	{ "help", no_argument, NULL, 'h' },
	{ "usage", no_argument, NULL, OPT_USAGE },
	{ "version", no_argument, NULL, 'V' },
	{}
};

struct words {
	GSList *configs;
	const char *channels;
	const char *device;
	bool is_trial;
};

/* Print a line for a channel: samples, and their extent. */
static void main_print(const struct sigrok_set *set, unsigned int i,
		       const struct sigrok_target *target)
{
	const int32_t *value = target->mem;
	double least = INFINITY, most = -INFINITY;
	size_t j;

	if (!target->n) {
		printf("  %s: no samples\n", set->is_logic ? "all bits" : set->chans[i]->name);
		return;
	}
	if (set->is_logic) {
		printf("  %zu samples of %u bits\n", target->n, set->n_chan);
		return;
	}
	for (j = 0; j < target->n; j++) {
		least = fmin(least, value[j]);
		most = fmax(most, value[j]);
	}
	printf("  %s: %zu samples, %g to %g%s%s\n", set->chans[i]->name, target->n,
	       least * pow(10, -set->digits), most * pow(10, -set->digits),
	       target->is_clipped ? ", overload" : "", target->is_rounded ? ", rounded" : "");
}

/**
 * sigrok_try() - acquire once by each set, and print what has come
 * @dev: the instrument
 *
 * Context: The thread of the program. May sleep.
 * Return: exit status.
 */
int sigrok_try(struct sigrok *dev)
{
	struct sigrok_target *targets;
	unsigned int i, k, n;
	bool is_good = true;
	size_t found;

	for (i = 0; is_good && i < dev->n_sets; i++) {
		n = sigrok_width(&dev->sets[i]);
		targets = g_new0(struct sigrok_target, n);
		for (k = 0; k < n; k++) {
			targets[k].room = TRY_SAMPLES;
			targets[k].mem = g_malloc0(TRY_SAMPLES * dev->sets[i].ssize);
		}
		is_good = !sigrok_acquire(dev, &dev->sets[i], targets, TRY_SAMPLES, NULL, NULL);
		if (is_good && dev->rate)
			printf("%s: %" PRIu64 " samples per second\n", dev->sets[i].name,
			       dev->rate);
		else if (is_good)
			printf("%s: rate unknown\n", dev->sets[i].name);
		for (k = 0, found = 0; k < n; k++) {
			if (is_good)
				main_print(&dev->sets[i], k, &targets[k]);
			found += targets[k].n;
			g_free(targets[k].mem);
		}
		g_free(targets);
		if (is_good && !found) {
			complain("%s: the instrument has given no samples", dev->sets[i].name);
			is_good = false;
		}
	}
	return is_good ? OK : FAILED;
}

/* Return: whether a name ends as that of a device with its number: ZIO refuses it */
static bool main_has_number(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && name[len - 5] == '-' && strspn(name + len - 4, "0123456789abcdef") == 4;
}

/* The name of a driver may be too long for a device, or none where it is cut. */
static int main_serve(struct sigrok *dev, const struct words *words)
{
	char name[12];

	snprintf(name, sizeof(name), "%s", words->device ? words->device : dev->driver->name);
	if (words->device && strlen(words->device) >= sizeof(name)) {
		complain("%s: a name has at most %zu characters", words->device,
			 sizeof(name) - 1);
		return USAGE;
	}
	while (!words->device && (g_str_has_suffix(name, "-") || main_has_number(name)))
		name[strlen(name) - 1] = 0;
	return sigrok_serve(dev, name);
}

static int main_run(const char *spec, const struct words *words)
{
	struct sigrok dev = {};
	bool is_good = true;
	int status = FAILED;
	GSList *at;

	if (!sigrok_init(&dev))
		return FAILED;
	if (!sigrok_find(&dev, spec) || !sigrok_open(&dev)) {
		sr_exit(dev.ctx);
		return CANNOT_OPEN;
	}
	for (at = words->configs; is_good && at; at = at->next)
		is_good = sigrok_set_config(&dev, at->data);
	if (is_good && words->channels)
		is_good = sigrok_choose(&dev, words->channels);
	if (is_good && sigrok_learn(&dev))
		status = words->is_trial ? sigrok_try(&dev) : main_serve(&dev, words);
	sigrok_close(&dev);
	return status;
}

static int main_wrong(const char *text)
{
	complain("%s", text);
	fputs("Try '" PROGRAM " --help' for more information.\n", stderr);
	return USAGE;
}

int main(int argc, char **argv)
{
	struct words words = {};
	int c;

	sr_log_loglevel_set(SR_LOG_WARN);
	while ((c = getopt_long(argc, argv, "c:C:d:hV", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			words.configs = g_slist_append(words.configs, optarg);
			break;
		case 'C':
			words.channels = optarg;
			break;
		case 'd':
			words.device = optarg;
			break;
		case OPT_TRY:
			words.is_trial = true;
			break;
		case 'h':
			fputs(help, stdout);
			return OK;
		case OPT_USAGE:
			fwrite(help, 1, strstr(help, "\n\n") + 1 - help, stdout);
			return OK;
		case 'V':
			puts(PROGRAM " " LIBZIO_VERSION);
			return OK;
		default:
			fputs("Try '" PROGRAM " --help' for more information.\n", stderr);
			return USAGE;
		}
	}
	if (optind == argc)
		return main_wrong("name a driver, such as demo, or try list");
	if (argc - optind > 2 || (argc - optind == 2 && strcmp(argv[optind], "list")))
		return main_wrong("too many words");
	if (!strcmp(argv[optind], "list"))
		return sigrok_list(argv[optind + 1]);
	return main_run(argv[optind], &words);
}
