// SPDX-License-Identifier: GPL-3.0-or-later
/* device.c: find an instrument, and set it up */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sigrok.h"

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(PROGRAM ": ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static GVariant *device_int(const char *text)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || *end || end == text || number < INT32_MIN || number > INT32_MAX)
		return NULL;
	return g_variant_new_int32(number);
}

static GVariant *device_float(const char *text)
{
	char *end;
	double number = g_ascii_strtod(text, &end);

	return *end || end == text || !isfinite(number) ? NULL : g_variant_new_double(number);
}

/* libsigrok takes all other words for no. */
static GVariant *device_bool(const char *text)
{
	static const char *const no[] = { "no", "false", "off", "0" };
	bool is_yes = sr_parse_boolstring(text), is_no = false;
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(no); i++)
		is_no |= !g_ascii_strcasecmp(text, no[i]);
	return *text && (is_yes || is_no) ? g_variant_new_boolean(is_yes) : NULL;
}

/* Return: the value for a key from its text; NULL: the text is none */
static GVariant *device_value(const struct sr_key_info *info, const char *text)
{
	uint64_t p, q, number;

	switch (info->datatype) {
	case SR_T_UINT64:
		return sr_parse_sizestring(text, &number) ? NULL : g_variant_new_uint64(number);
	case SR_T_INT32:
		return device_int(text);
	case SR_T_BOOL:
		return device_bool(text);
	case SR_T_FLOAT:
		return device_float(text);
	case SR_T_STRING:
		return g_variant_new_string(text);
	case SR_T_RATIONAL_PERIOD:
		if (sr_parse_period(text, &p, &q))
			return NULL;
		return g_variant_new("(tt)", p, q);
	case SR_T_RATIONAL_VOLT:
		if (sr_parse_voltage(text, &p, &q))
			return NULL;
		return g_variant_new("(tt)", p, q);
	default:
		return NULL;
	}
}

/* Return: the number and the value of a word KEY=VALUE; NULL after a complaint */
static struct sr_config *device_config(const char *word)
{
	const char *value = strchr(word, '=');
	char *key = value ? g_strndup(word, value - word) : g_strdup(word);
	const struct sr_key_info *info = sr_key_info_name_get(SR_KEY_CONFIG, key);
	struct sr_config *config = NULL;
	GVariant *variant = NULL;

	if (!info)
		complain("%s: libsigrok has no setting of this name", key);
	else
		variant = device_value(info, value ? value + 1 : "yes");
	if (info && !variant)
		complain("%s: %s is no value for it", key, value ? value + 1 : "nothing");
	if (variant) {
		config = g_new(struct sr_config, 1);
		config->key = info->key;
		config->data = g_variant_ref_sink(variant);
	}
	g_free(key);
	return config;
}

static void device_free_config(void *data)
{
	struct sr_config *config = data;

	g_variant_unref(config->data);
	g_free(config);
}

bool sigrok_init(struct sigrok *dev)
{
	int ret = sr_init(&dev->ctx);

	if (ret)
		complain("libsigrok does not start: %s", sr_strerror(ret));
	return !ret;
}

static struct sr_dev_driver *device_driver(const struct sr_context *ctx, const char *name)
{
	struct sr_dev_driver **driver = sr_driver_list(ctx);

	for (; driver && *driver; driver++)
		if (!strcmp((*driver)->name, name))
			return *driver;
	return NULL;
}

/* Return: whether the words behind the name of a driver are options for its search */
static bool device_scan_options(char **words, GSList **options)
{
	struct sr_config *config;

	for (; *words; words++) {
		config = device_config(*words);
		if (!config)
			return false;
		*options = g_slist_append(*options, config);
	}
	return true;
}

/**
 * sigrok_find() - find the first instrument that a text describes
 * @dev: receives the instrument; its context is open
 * @spec: DRIVER[:KEY=VALUE]...
 *
 * Context: The thread of the program. May sleep.
 * Return: true; false after a complaint.
 */
bool sigrok_find(struct sigrok *dev, const char *spec)
{
	char **words = g_strsplit(spec, ":", -1);
	GSList *options = NULL, *found = NULL;
	/* An empty text has no words. */
	const char *name = *words ? *words : "";
	bool is_right;

	dev->driver = device_driver(dev->ctx, name);
	is_right = dev->driver && device_scan_options(words + 1, &options);
	if (!dev->driver)
		complain("%s: no such driver: sigrok-cli -L lists them", name);
	if (is_right && !sr_driver_init(dev->ctx, dev->driver))
		found = sr_driver_scan(dev->driver, options);
	if (found)
		dev->sdi = found->data;
	else if (is_right)
		complain("%s: no instrument found: is it plugged in, and may you open it?", spec);
	g_slist_free(found);
	g_slist_free_full(options, device_free_config);
	g_strfreev(words);
	return dev->sdi;
}

bool sigrok_open(struct sigrok *dev)
{
	int ret = sr_dev_open(dev->sdi);

	if (ret)
		complain("%s: cannot open it: %s", dev->driver->name, sr_strerror(ret));
	return !ret;
}

void sigrok_close(struct sigrok *dev)
{
	unsigned int i;

	for (i = 0; i < dev->n_sets; i++)
		g_free(dev->sets[i].chans);
	g_free(dev->sets);
	if (dev->sdi)
		sr_dev_close(dev->sdi);
	sr_exit(dev->ctx);
}

/* Return: the group of channels of a name; NULL: there is none */
static struct sr_channel_group *device_group(const struct sigrok *dev, const char *name)
{
	GSList *at = sr_dev_inst_channel_groups_get(dev->sdi);
	struct sr_channel_group *group;

	for (; at; at = at->next) {
		group = at->data;
		if (!strcmp(group->name, name))
			return group;
	}
	return NULL;
}

/**
 * sigrok_set_config() - change a setting of an instrument
 * @dev: the instrument, which is open
 * @text: [GROUP/]KEY=VALUE
 *
 * Context: The thread of the program. May sleep.
 * Return: true; false after a complaint.
 */
bool sigrok_set_config(const struct sigrok *dev, const char *text)
{
	const char *slash = strchr(text, '/'), *equals = strchr(text, '=');
	bool has_group = slash && (!equals || slash < equals);
	char *name = has_group ? g_strndup(text, slash - text) : NULL;
	struct sr_channel_group *group = has_group ? device_group(dev, name) : NULL;
	struct sr_config *config = NULL;
	int ret = SR_ERR;

	if (has_group && !group)
		complain("%s: %s has no group of channels %s", text, dev->driver->name, name);
	else
		config = device_config(has_group ? slash + 1 : text);
	g_free(name);
	if (!config)
		return false;
	ret = sr_config_set(dev->sdi, group, config->key, config->data);
	if (ret)
		complain("%s: %s refuses it: %s", text, dev->driver->name, sr_strerror(ret));
	device_free_config(config);
	return !ret;
}

/**
 * sigrok_choose() - use some channels of an instrument only
 * @dev: the instrument
 * @names: names of channels, separated by commas
 *
 * Context: The thread of the program. May sleep.
 * Return: true; false after a complaint.
 */
bool sigrok_choose(const struct sigrok *dev, const char *names)
{
	GSList *all = sr_dev_inst_channels_get(dev->sdi), *at;
	char **words = g_strsplit(names, ",", -1);
	struct sr_channel *chan;
	unsigned int left = g_strv_length(words);

	for (at = all; at; at = at->next) {
		chan = at->data;
		sr_dev_channel_enable(chan, g_strv_contains((const char * const *)words,
							    chan->name));
		left -= chan->enabled;
	}
	g_strfreev(words);
	if (left)
		complain("%s: %u of these are no channels of %s", names, left,
			 dev->driver->name);
	return !left;
}

static void device_print(const struct sr_dev_driver *driver, const struct sr_dev_inst *sdi)
{
	const char *words[] = {
		sr_dev_inst_vendor_get(sdi), sr_dev_inst_model_get(sdi),
		sr_dev_inst_version_get(sdi), sr_dev_inst_connid_get(sdi),
	};
	size_t i;

	printf("%s\t%u channels\t", driver->name,
	       g_slist_length(sr_dev_inst_channels_get(sdi)));
	for (i = 0; i < G_N_ELEMENTS(words); i++)
		if (words[i] && *words[i])
			printf("%s ", words[i]);
	putchar('\n');
}

/**
 * sigrok_list() - print the instruments of a driver, or of all
 * @spec: DRIVER[:KEY=VALUE]..., or NULL
 *
 * Context: The thread of the program. May sleep.
 * Return: exit status.
 */
int sigrok_list(const char *spec)
{
	struct sr_dev_driver **driver;
	struct sigrok dev = {};
	GSList *found, *at;
	int status = OK;

	if (!sigrok_init(&dev))
		return FAILED;
	if (spec && sigrok_find(&dev, spec))
		device_print(dev.driver, dev.sdi);
	else if (spec)
		status = CANNOT_OPEN;
	for (driver = sr_driver_list(dev.ctx); !spec && driver && *driver; driver++) {
		if (sr_driver_init(dev.ctx, *driver))
			continue;
		found = sr_driver_scan(*driver, NULL);
		for (at = found; at; at = at->next)
			device_print(*driver, at->data);
		g_slist_free(found);
	}
	sr_exit(dev.ctx);
	return status;
}
