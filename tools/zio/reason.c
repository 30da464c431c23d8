// SPDX-License-Identifier: GPL-2.0-only
/* What each errno of an attribute means, as Documentation/ABI describes it */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

struct reason {
	const char *attr;	/* NULL: any */
	int code;
	const char *text;
};

#define SIZE_OVERFLOW "blocks of that size cannot be counted: use fewer samples"
#define SIZE_MEMORY "there is no memory for blocks of that size: use fewer " \
	"samples, or a smaller max-buffer-len of the channels"
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
	{ "nshots", EINVAL, "use at least one shot" },
	{ "nshots", EOPNOTSUPP, "the device takes single shots only: use 1" },
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

static void print_types(const char *file)
{
	char text[ATTR_TEXT], *at;

	if (read_attr(sysfs_root(), file, text))
		return;
	for (at = text; (at = strchr(at, '\n')); at++)
		*at = ' ';
	fprintf(stderr, "; types: %s", text);
}

static void print_shared(void)
{
	struct dirent **types;
	int count = list_names(triggers_root(), &types);
	char dir[PATH_MAX], names[1024];
	int i;

	for (i = 0; i < count; i++) {
		put_text(dir, sizeof(dir), "%s/%s", triggers_root(),
			 types[i]->d_name);
		put_names(dir, false, names, sizeof(names));
		if (*names)
			fprintf(stderr, "; shared, of type %s: %s",
				types[i]->d_name, names);
	}
	free_names(types, count);
}

/* Make "zzero-0000-0-" of "zzero-0000/cset0/chan1/buffer". */
static bool put_stem(const struct object *obj, char *stem, size_t size)
{
	const char *slash = strchr(obj->label, '/');

	if (!slash || !has_prefix(slash, "/cset"))
		return false;
	put_text(stem, size, "%.*s-%lu-", (int)(slash - obj->label),
		 obj->label, strtoul(slash + 5, NULL, 10));
	return true;
}

/* For these attributes EBUSY does not come from an open node. */
static bool has_other_cause(const char *attr)
{
	return !strcmp(attr, "fire") || !strcmp(attr, "irq") ||
	       !strcmp(attr, "line") || !strcmp(attr, "source");
}

static void print_holders(const struct object *obj)
{
	char stem[NAME_MAX], text[1024];

	if (put_stem(obj, stem, sizeof(stem)) &&
	    put_holders(stem, text, sizeof(text)))
		fprintf(stderr, ": %s", text);
}

void explain_failure(const struct object *obj, const char *attr,
		     const char *value, int code)
{
	const char *reason = find_reason(base_name(attr), code);

	if (code == EBUSY && has_prefix(obj->label, "device:"))
		reason = "the device is live: set live=0 first";
	fflush(stdout);
	fprintf(stderr, "zio: %s/%s: cannot set '%s': %s", obj->label, attr,
		value, strerror(code));
	if (reason)
		fprintf(stderr, ": %s", reason);
	if (code == EBUSY && !has_other_cause(base_name(attr)))
		print_holders(obj);
	if (code == EINVAL && !strcmp(attr, "current_buffer"))
		print_types("available_buffers");
	if ((code == EINVAL || code == ENOENT) &&
	    !strcmp(attr, "current_trigger")) {
		print_types("available_triggers");
		print_shared();
	}
	fputc('\n', stderr);
}
