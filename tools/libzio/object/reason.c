// SPDX-License-Identifier: LGPL-2.1-or-later
/* What each errno of an attribute means, as Documentation/ABI describes it */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

struct reason {
	const char *attr;	/* NULL: any */
	int code;
	const char *text;
};

#define SIZE_OVERFLOW "blocks of that size cannot be counted: use fewer samples"
#define SIZE_MEMORY "there is no memory for blocks of that size: use fewer " \
	"samples, or a smaller max-buffer-len of the channels"
#define TOO_MANY_DIGITS "it has too many digits: round it to 19; a double has 17"
#define NO_DOUBLE "its size is beyond 1e280, or below 1e-280"
#define SIZE_AREA "such a block is larger than the buffer: raise max-buffer-kb " \
	"of the channels first"
#define NOT_A_FLAG "use 0 or 1"
#define BLOCKS_IN_USE "the buffer is mapped, or blocks are queued or in use: " \
	"read the blocks, and close the programs that have it open"

static const struct reason reasons[] = {
	{ "enable", EINVAL, NOT_A_FLAG },
	{ "prefer-new", EINVAL, NOT_A_FLAG },
	{ "live", EINVAL, NOT_A_FLAG },
	{ "current_buffer", EINVAL, "no buffer type of that name is loaded" },
	{ "current_buffer", EBUSY, "a node of the set is open, or mapped" },
	{ "current_buffer", ENOMEM,
	  "there is no memory for the new blocks: use fewer samples" },
	{ "current_trigger", EINVAL,
	  "neither a trigger type that is loaded nor a shared trigger" },
	{ "current_trigger", ENOENT,
	  "neither a trigger type, here or in a module, nor a shared trigger" },
	{ "clock", EINVAL,
	  "use realtime, tai, monotonic or boottime" },
	{ "live", EEXIST, "a device with this id exists: choose another id" },
	{ "unit", EINVAL, "use none, or a unit without prefix: V A Ohm W J C F H T Hz s "
	  "K degC Pa N N.m kg m m/s m/s2 rad rad/s lx %" },
	{ "scale", EINVAL, "use a decimal number, such as 0.001 or 1.5e-6" },
	{ "scale", EDOM, "a scale of 0 makes all values equal: use another one" },
	{ "scale", EOVERFLOW, TOO_MANY_DIGITS },
	{ "scale", ERANGE, NO_DOUBLE },
	{ "offset", EINVAL, "use a decimal number in the unit, such as -0.127; an offset "
	  "that the driver adds is a whole number" },
	{ "offset", EOVERFLOW, TOO_MANY_DIGITS },
	{ "offset", ERANGE, NO_DOUBLE },
	{ "nshots", EINVAL, "use at least one shot" },
	{ "nshots", EOPNOTSUPP, "the device takes single shots only: use 1" },
	{ "nshots", ERANGE, "a control has the times of at most 16 shots" },
	{ "pre-samples", EINVAL,
	  "a block has at least one sample: set post-samples first" },
	{ "pre-samples", EOPNOTSUPP,
	  "the device keeps no samples from before the event: use 0" },
	{ "pre-samples", EOVERFLOW, SIZE_OVERFLOW },
	{ "pre-samples", ENOMEM, SIZE_MEMORY },
	{ "pre-samples", ENOSPC, SIZE_AREA },
	{ "post-samples", EINVAL,
	  "use at least one sample; 0 for a set without samples" },
	{ "post-samples", EOVERFLOW, SIZE_OVERFLOW },
	{ "post-samples", ENOMEM, SIZE_MEMORY },
	{ "post-samples", ENOSPC, SIZE_AREA },
	{ "nsamples", EINVAL, "use a number, at least 1 and pre-samples; 0 for "
	  "a set without samples" },
	{ "nsamples", EOVERFLOW, SIZE_OVERFLOW },
	{ "nsamples", ENOMEM, SIZE_MEMORY },
	{ "nsamples", ENOSPC, SIZE_AREA },
	{ "max-buffer-len", EINVAL, "use 1 to 65536" },
	{ "max-buffer-len", ENOMEM,
	  "there is no memory for so many blocks: use fewer" },
	{ "max-buffer-len", EBUSY,
	  "the channel has a ring, or blocks of its area are queued or in use" },
	{ "max-buffer-kb", EINVAL, "use at least 1" },
	{ "max-buffer-kb", ENOSPC,
	  "that is less than one block: use more, or fewer samples" },
	{ "max-buffer-kb", ENOMEM, "there is not so much memory: use less" },
	{ "max-buffer-kb", EBUSY, BLOCKS_IN_USE },
	{ "watermark", EINVAL, "use 1 to max-buffer-len" },
	{ "flush", EINVAL, "use 1" },
	{ "flush", EBUSY, "a program has the ring of the channel, or a route takes its blocks" },
	{ "fire", EINVAL, "use 1" },
	{ "fire", ERANGE, "use 1" },
	{ "fire", ESHUTDOWN, "the trigger is disabled, or its set: set enable=1" },
	{ "fire", EBUSY, "the set is still armed by the event before: try again" },
	{ "source", EINVAL, "use an address with four digits: a trigger follows "
	  "a set (zzero-0000/cset0), an output plays an input (zzero-0000-0-1)" },
	{ "source", ENODEV, "there is no such set or channel" },
	{ "source", ELOOP, "this set uses the trigger, and cannot follow itself: "
	  "use another set" },
	{ "source", ENOMSG, "this channel is an output: use an input" },
	{ "source", EPROTOTYPE, "its samples have another size: use another input" },
	{ "source", EMSGSIZE,
	  "its blocks are larger: raise the samples of the output's set" },
	{ "source", EBUSY, "the input has a ring: close it first" },
	{ "irq", EINVAL, "there is no interrupt of this number" },
	{ "irq", EBUSY, "another driver uses this interrupt, and does not share it: "
	  "use another one" },
	{ "line", EINVAL,
	  "use LABEL:OFFSET, with a line that the controller has" },
	{ "line", ENODEV,
	  "there is no GPIO controller of this label: gpiodetect lists them" },
	{ "line", EBUSY, "another user has this line: use another one" },
	{ "edge", EINVAL, "use rising, falling or both" },
	{ "period-ms", ERANGE, "use 1 to 86400000 (a day)" },
	{ "phase-ms", ERANGE, "use 0 to 86400000 (a day)" },
	{ "period-ns", ERANGE,
	  "use 1000 (1 us) to 31536000000000000 (a year)" },
	{ "phase-ns", ERANGE, "use 0 to 31536000000000000 (a year)" },
	{ "slack-ns", ERANGE, "use 0 to 1000000000 (1 s)" },
	{ "shots", ERANGE, "use 0 to 4294967295" },
	{ "timeout-ms", ERANGE, "use 0 to 86400000 (a day)" },
	{ "alarms", ERANGE, "use a mask of 16 bits, 0 to 0xffff" },
	{ NULL, EINVAL, "this attribute does not accept the value" },
	{ NULL, ERANGE, "the value is beyond the limits of the attribute" },
	{ NULL, EBUSY, "the object is in use" },
	{ NULL, ENODEV,
	  "the device is gone, or the trigger or buffer was replaced" },
	{ NULL, ENOMEM, "there is no memory for this value" },
	{ NULL, EACCES, "only root may do that" },
	{ NULL, ENOENT, "the object has just been removed" },
	{ NULL, E2BIG, "the text is too long" },
	{ NULL, EOPNOTSUPP, "the device or the trigger type cannot do that" },
};

static const char *find_reason(const char *attr, int code)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].code == code &&
		    (!reasons[i].attr || !strcmp(reasons[i].attr, attr)))
			return reasons[i].text;
	return NULL;
}

static void append(char *text, size_t size, const char *before, const char *what)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", before, what);
}

/* Append the types that an attribute of the bus lists, one per line. */
static void append_types(char *text, size_t size, const char *file)
{
	char *sysfs = zio_sysfs_path();
	char *path = sysfs ? zio_format("%s/%s", sysfs, file) : NULL;
	char types[ZIO_TEXT_SIZE], *at;

	if (path && !zio_read_file(path, types, sizeof(types))) {
		for (at = types; (at = strchr(at, '\n')); at++)
			*at = ' ';
		append(text, size, "; types: ", types);
	}
	free(path);
	free(sysfs);
}

static void append_shared(char *text, size_t size)
{
	struct zio_object **types = zio_list(NULL, ZIO_OBJECT_TRIGGER_TYPE, NULL);
	char names[sizeof(((struct zio_error *)0)->text)];
	int i;

	for (i = 0; types && types[i]; i++) {
		zio_put_names(types[i]->path, false, names, sizeof(names));
		if (!*names)
			continue;
		append(text, size, "; shared, of type ", types[i]->name);
		append(text, size, ": ", names);
	}
	zio_list_free(types);
}

/* Append what can be written instead. */
static void append_choices(char *text, size_t size, const char *attr, int code)
{
	if (code == EINVAL && !strcmp(attr, "current_buffer"))
		append_types(text, size, "available_buffers");
	if ((code == EINVAL || code == ENOENT) && !strcmp(attr, "current_trigger")) {
		append_types(text, size, "available_triggers");
		append_shared(text, size);
	}
}

int zio_explain_set(struct zio_error *err, const struct zio_object *obj,
		    const char *attr, const char *value, int code)
{
	const char *reason = find_reason(attr, code);

	if (obj->kind == ZIO_OBJECT_CONFIG_DEVICE && code != EEXIST &&
	    !strcmp(attr, "live") && !strcmp(value, "1"))
		reason = "the kernel log (dmesg) has the reason";
	else if (code == EBUSY && obj->kind == ZIO_OBJECT_CONFIG_DEVICE)
		reason = "the device is live: set live=0 first";
	zio_explain(err, code, "%s/%s: cannot set '%.100s': %s%s%s", obj->name, attr,
		    value, strerror(code), reason ? ": " : "", reason ? reason : "");
	if (err)
		append_choices(err->text, sizeof(err->text), attr, code);
	errno = code;
	return -1;
}

static const char *get_reason(int code)
{
	switch (code) {
	case ENODEV:
		return ": the device is gone, or the trigger or buffer was replaced";
	case ENOENT:
		return ": the object has just been removed";
	case EACCES:
		return ": its mode does not allow this user to read it";
	case EMSGSIZE:
		return ": the text is longer than the memory of the caller";
	default:
		return "";
	}
}

int zio_explain_get(struct zio_error *err, const struct zio_object *obj,
		    const char *attr, int code)
{
	return zio_explain(err, code, "%s/%s: cannot read: %s%s", obj->name, attr,
			   strerror(code), get_reason(code));
}
