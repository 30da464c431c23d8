// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * reason.c: why the kernel refuses a value. The kernel itself tells what an attribute
 * accepts; the table has the other reasons from Documentation/ABI.
 */
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

#define BLOCKS_IN_USE "the buffer is mapped, its unread blocks need more room, or an " \
	"output or a dma-buf holds one: read them, and close the programs that use it"

static const struct reason reasons[] = {
	{ "current_buffer", EBUSY, "a node of the set is open, or mapped" },
	{ "current_trigger", ENOENT, "there is no trigger type or shared trigger of this name" },
	{ "max-buffer-len", EBUSY,
	  "the channel has a ring, or blocks of its area are queued or in use" },
	{ "max-buffer-len", ENOSPC, "each shot needs a block: reduce nshots first" },
	{ "max-buffer-kb", ENOSPC,
	  "that is less than one block: use more, or fewer samples" },
	{ "max-buffer-kb", EBUSY, BLOCKS_IN_USE },
	{ "flush", EBUSY, "a program has the ring of the channel, or a route takes its blocks" },
	{ "fire", EBUSY, "the set is still armed from the event before: try again" },
	{ "source", ENODEV, "there is no such set or channel" },
	{ "source", EBUSY, "the input has a ring: close it first" },
	{ "irq", EINVAL, "there is no interrupt of this number" },
	{ "irq", EBUSY, "another driver uses this interrupt, and does not share it: "
	  "use another one" },
	{ "line", ENODEV,
	  "there is no GPIO controller of this label: gpiodetect lists them" },
	{ "line", EBUSY, "this line is in use: use another one" },
	{ NULL, EINVAL, "this attribute does not accept the value" },
	{ NULL, ERANGE, "the value is beyond the limits of the attribute" },
	{ NULL, EBUSY, "the object is in use" },
	{ NULL, ENODEV,
	  "the device is gone, or the trigger or buffer was replaced" },
	{ NULL, ENOMEM, "not enough memory for this value: use less, such as fewer "
	  "samples, or a smaller max-buffer-len of the channels" },
	{ NULL, ENOSPC, "such a block is larger than the buffer: raise max-buffer-kb "
	  "of the channels first" },
	{ NULL, EOVERFLOW, "it is too large, or has too many digits: use at most 19" },
	{ NULL, EDOM, "a scale of 0 makes all values equal: use another one" },
	{ NULL, ESHUTDOWN, "the trigger is disabled, or its set: set enable=1" },
	{ NULL, ELOOP, "this set uses the trigger, and cannot follow itself: "
	  "use another set" },
	{ NULL, ENOMSG, "this channel is an output: use an input" },
	{ NULL, EPROTOTYPE, "its samples have another size: use another input" },
	{ NULL, EMSGSIZE,
	  "its blocks are larger: raise the samples of the output's set" },
	{ NULL, EEXIST, "a device with this id exists: choose another id" },
	{ NULL, EACCES, "only root may do that" },
	{ NULL, ENOENT, "the object has just been removed" },
	{ NULL, E2BIG, "the text is too long" },
	{ NULL, ETIMEDOUT, "the program that is the driver has not answered in time" },
	{ NULL, EDEADLK, "this program is the driver, and would wait for itself" },
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

/* Put what the program that is the driver has said, from the file "refusal" of its device. */
static int put_refusal(const struct zio_object *obj, const char *attr, char *text, size_t size)
{
	static const char *const device[] = {
		[ZIO_OBJECT_DEVICE] = ".", [ZIO_OBJECT_CSET] = "..", [ZIO_OBJECT_CHANNEL] = "../..",
	};
	char *file, *path, said[ZIO_TEXT_SIZE], *colon = NULL;
	const char *below = strchr(obj->name, '/');

	if (obj->kind > ZIO_OBJECT_CHANNEL || !device[obj->kind])
		return -1;
	file = zio_format("%s/%s/refusal", obj->path, device[obj->kind]);
	path = zio_format("%s%s%s=", below ? below + 1 : "", below ? "/" : "", attr);
	if (file && path && !zio_read_file(file, said, sizeof(said)) &&
	    !strncmp(said, path, strlen(path)))
		colon = strstr(said, ": ");
	if (colon)
		snprintf(text, size, "%s", colon + 2);
	free(file);
	free(path);
	return colon ? 0 : -1;
}

static bool is_about_value(int code)
{
	return code == EINVAL || code == ERANGE || code == EOPNOTSUPP || code == ENOENT;
}

int zio_explain_set(struct zio_error *err, const struct zio_object *obj,
		    const char *attr, const char *value, int code)
{
	const char *reason = find_reason(attr, code);
	char accepted[sizeof(err->text)], number[24];

	if (is_about_value(code) && !zio_put_accepted(obj, attr, value, accepted,
						     sizeof(accepted)))
		reason = accepted;
	else if (code != ETIMEDOUT && code != EDEADLK && code != ENODEV &&
		 !put_refusal(obj, attr, accepted, sizeof(accepted)))
		reason = accepted;
	if (zio_put_duration(attr, value, number, sizeof(number)) == ZIO_DURATION_PART) {
		snprintf(accepted, sizeof(accepted), "%.60s is not a whole number of %s", value,
			 strrchr(attr, '-') + 1);
		reason = accepted;
	}
	if (obj->kind == ZIO_OBJECT_CONFIG_DEVICE && code != EEXIST &&
	    !strcmp(attr, "live") && !strcmp(value, "1"))
		reason = "the kernel log (dmesg) has the reason";
	else if (code == EBUSY && obj->kind == ZIO_OBJECT_CONFIG_DEVICE)
		reason = "the device is live: set live=0 first";
	zio_explain(err, code, "%s/%s: cannot set '%.100s': %s%s%s", obj->name, attr,
		    value, strerror(code), reason ? ": " : "", reason ? reason : "");
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
