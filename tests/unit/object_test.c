// SPDX-License-Identifier: GPL-2.0-only
/* libzio: objects and attributes, with a tree of files that stands for sysfs */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake.h"
#include "tap.h"

static void put_file(const char *name, const char *text, mode_t mode)
{
	fake_put_file(dir, name, text, mode);
}

static void make_device(const char *device)
{
	static const struct {
		const char *name, *text;
		mode_t mode;
	} files[] = {
		{ "cset0/name", "adc\n", 0444 },
		{ "cset0/enable", "1\n", 0644 },
		{ "cset0/current_trigger", "user\n", 0644 },
		{ "cset0/trigger/name", "user\n", 0444 },
		{ "cset0/trigger/nsamples", "16\n", 0644 },
		{ "cset0/trigger/fire", "", 0200 },
		{ "cset0/statistics/fired", "18446744073709551615\n", 0444 },
		{ "cset0/chan0/buffer/max-buffer-len", "16\n", 0644 },
		{ "cset0/chan0/buffer/merge-data", "0\n", 0644 },
		{ "cset0/chan1/alarms", "0x00ff\n", 0644 },
		{ "cset0/chan1/offset", "-5\n", 0644 },
		{ "cset0/chan1/current-control", "x", 0444 },
		{ "cset0/chan1/uevent", "x", 0644 },
		{ "cset10/name", "cset10\n", 0444 },
		{ "cset2/name", "cset2\n", 0444 },
		{ "power/control", "auto\n", 0644 },
		{ "uevent", "DRIVER=zio\n", 0644 },
	};
	char name[256];
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(name, sizeof(name), "sys/bus/zio/devices/%s/%s", device,
			 files[i].name);
		put_file(name, files[i].text, files[i].mode);
	}
}

static void make_tree(void)
{
	make_device("zzero-0000");
	make_device("a-b-00ff");
	put_file("sys/bus/zio/version", "1.4\n", 0444);
	put_file("sys/bus/zio/drivers_probe", "", 0200);
	put_file("sys/bus/zio/available_triggers", "user\nhrt\n", 0444);
	put_file("cfg/zio/triggers/hrt/clock0/period-ns", "1000\n", 0644);
	put_file("cfg/zio/triggers/timer/.keep", "", 0644);
	put_file("cfg/zio/devices/zzero/rack1/live", "0\n", 0644);
	use_tree();
}

static bool is(const char *got, const char *wanted)
{
	if (got && !strcmp(got, wanted))
		return true;
	printf("# got '%s', wanted '%s'\n", got ? got : "(NULL)", wanted);
	return false;
}

static bool finds(const char *name, const char *wanted, int kind)
{
	struct zio_error err = { .text = "" };
	struct zio_object *obj = zio_find(NULL, name, NULL, &err);
	bool good = obj && is(zio_object_name(obj), wanted) &&
		    zio_object_kind(obj) == kind &&
		    !access(zio_object_path(obj), R_OK);

	if (!obj)
		printf("# %s\n", err.text);
	zio_object_free(obj);
	return good;
}

static bool lacks(const char *name, int code, const char *reason)
{
	struct zio_error err = { .text = "" };
	struct zio_object *obj = zio_find(NULL, name, NULL, &err);
	bool good = !obj && errno == code && err.code == code &&
		    strstr(err.text, reason);

	if (!good)
		printf("# %s\n", err.text);
	zio_object_free(obj);
	return good;
}

static void test_find(void)
{
	ok(finds("zzero-0000", "zzero-0000", ZIO_OBJECT_DEVICE), "device");
	ok(finds("zzero", "zzero-0000", ZIO_OBJECT_DEVICE), "device 0");
	ok(finds("zzero/cset0", "zzero-0000/cset0", ZIO_OBJECT_CSET), "set");
	ok(finds("zzero/10", "zzero-0000/cset10", ZIO_OBJECT_CSET), "set by number");
	ok(finds("zzero/adc", "zzero-0000/cset0", ZIO_OBJECT_CSET), "set by name");
	ok(finds("zzero/0/1", "zzero-0000/cset0/chan1", ZIO_OBJECT_CHANNEL),
	   "channel by numbers");
	ok(finds("zzero-0-1", "zzero-0000/cset0/chan1", ZIO_OBJECT_CHANNEL),
	   "channel by its address");
	ok(finds("a-b-00ff-0-0", "a-b-00ff/cset0/chan0", ZIO_OBJECT_CHANNEL),
	   "address with hyphens");
	ok(finds("/dev/zio/zzero-0000-0-1-ctrl", "zzero-0000/cset0/chan1",
		 ZIO_OBJECT_CHANNEL), "channel by its node");
	ok(finds("zzero/0/trigger", "zzero-0000/cset0/trigger", ZIO_OBJECT_TRIGGER),
	   "trigger");
	ok(finds("zzero-0-0/buffer", "zzero-0000/cset0/chan0/buffer",
		 ZIO_OBJECT_BUFFER), "buffer");
	ok(finds("zzero/0/statistics", "zzero-0000/cset0/statistics",
		 ZIO_OBJECT_PART), "part");
	ok(finds("trigger:clock0", "trigger:clock0", ZIO_OBJECT_SHARED_TRIGGER),
	   "shared trigger");
	ok(finds("device:rack1", "device:rack1", ZIO_OBJECT_CONFIG_DEVICE),
	   "device of configfs");
	ok(finds("bus:", "bus:", ZIO_OBJECT_BUS), "bus");
}

static void test_missing(void)
{
	char name[300];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	ok(lacks("nope", ENOENT, "there are: a-b-00ff zzero-0000"), "no device");
	ok(lacks("zzero/3", ENOENT, "zzero-0000 has no channel set '3'"), "no set");
	ok(lacks("zzero/0/trigger/x", ENOENT, "there are: fire name nsamples"),
	   "no attribute");
	ok(lacks("zzero/0/enable", ENOENT, "has no channel, part or attribute"),
	   "an attribute is no object");
	ok(lacks("trigger:nope", ENOENT, "no such trigger"), "no trigger");
	ok(lacks(name, ENAMETOOLONG, "too long"), "a long name");
	ok(lacks("", ENOENT, "no such device"), "an empty name");
	ok(lacks("..", ENOENT, "no such device"), "no way up");
	ok(lacks("zzero/0/..", ENOENT, "has no"), "nor there");
	ok(lacks("zzero/power", ENOENT, "no channel set"), "the driver model");
	ok(lacks("bus:/devices", ENOENT, "has no"), "nor that of the bus");
	ok(lacks("zzero//0", ENOENT, "has no"), "two slashes");
	ok(!zio_find(NULL, NULL, NULL, NULL) && errno == EINVAL, "NULL");
}

static void test_find_in(void)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_object *chan = zio_find(cset, "1", NULL, NULL);
	static const char name[] = "0/buffer/merge-data";
	const char *attr;
	struct zio_object *buffer = zio_find(cset, name, &attr, NULL);

	ok(is(zio_object_name(chan), "zzero-0000/cset0/chan1"), "within a set");
	ok(is(zio_object_name(buffer), "zzero-0000/cset0/chan0/buffer") &&
	   is(attr, "merge-data") && attr == name + 9, "an attribute in it");
	zio_object_free(buffer);
	buffer = zio_find(NULL, "zzero-0-0/buffer/merge-data", &attr, NULL);
	ok(buffer && is(attr, "merge-data"), "whose name ends like that of a node");
	zio_object_free(buffer);
	buffer = zio_find(cset, "0/buffer", &attr, NULL);
	ok(buffer && !attr, "no attribute");
	zio_object_free(buffer);
	zio_object_free(chan);
	zio_object_free(cset);
	zio_object_free(NULL);
}

/* The names in a list, with spaces between. */
static const char *names_of(struct zio_object **list)
{
	static char text[1024];
	size_t used = 0;
	int i;

	text[0] = '\0';
	for (i = 0; list && list[i]; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i ? " " : "", zio_object_name(list[i]));
	zio_list_free(list);
	return list ? text : NULL;
}

static void test_list(void)
{
	struct zio_object *device = zio_find(NULL, "zzero", NULL, NULL);
	struct zio_object *cset = zio_find(device, "0", NULL, NULL);
	struct zio_object *trigger = zio_find(NULL, "trigger:clock0", NULL, NULL);
	struct zio_error err;

	ok(is(names_of(zio_list(NULL, ZIO_OBJECT_DEVICE, NULL)),
	      "a-b-00ff zzero-0000"), "devices");
	ok(is(names_of(zio_list(device, ZIO_OBJECT_CSET, NULL)),
	      "zzero-0000/cset0 zzero-0000/cset2 zzero-0000/cset10"),
	   "sets, by number");
	ok(is(names_of(zio_list(NULL, ZIO_OBJECT_CHANNEL, NULL)),
	      "a-b-00ff/cset0/chan0 a-b-00ff/cset0/chan1 zzero-0000/cset0/chan0 zzero-0000/cset0/chan1"),
	   "all channels");
	ok(is(names_of(zio_list(device, ZIO_OBJECT_TRIGGER, NULL)),
	      "zzero-0000/cset0/trigger"), "triggers of a device");
	ok(is(names_of(zio_list(cset, ZIO_OBJECT_BUFFER, NULL)),
	      "zzero-0000/cset0/chan0/buffer"), "buffers of a set");
	ok(is(names_of(zio_list(cset, ZIO_OBJECT_PART, NULL)),
	      "zzero-0000/cset0/statistics zzero-0000/cset0/trigger"), "parts");
	ok(is(names_of(zio_list(NULL, ZIO_OBJECT_TRIGGER_TYPE, NULL)), "hrt timer"),
	   "types of triggers");
	ok(is(names_of(zio_list(NULL, ZIO_OBJECT_SHARED_TRIGGER, NULL)),
	      "trigger:clock0"), "shared triggers");
	ok(is(names_of(zio_list(NULL, ZIO_OBJECT_DRIVER, NULL)), "zzero"), "drivers");
	ok(is(names_of(zio_list(NULL, ZIO_OBJECT_CONFIG_DEVICE, NULL)),
	      "device:rack1"), "devices of configfs");
	ok(is(zio_object_type(trigger), "hrt") && !zio_object_type(cset) &&
	   errno == EINVAL, "type of a trigger");
	ok(is(names_of(zio_list(trigger, ZIO_OBJECT_PART, NULL)), ""), "no parts");
	ok(!zio_list(cset, ZIO_OBJECT_DEVICE, &err) && err.code == EINVAL &&
	   errno == EINVAL, "no devices in a set");
	ok(!zio_list(NULL, (enum zio_object_kind)99, NULL) && errno == EINVAL,
	   "an unknown kind");
	zio_list_free(NULL);
	zio_object_free(trigger);
	zio_object_free(cset);
	zio_object_free(device);
}

static void test_attr_list(void)
{
	struct zio_object *chan = zio_find(NULL, "zzero-0-1", NULL, NULL);
	struct zio_object *trigger = zio_find(NULL, "zzero/0/trigger", NULL, NULL);
	struct zio_object *device = zio_find(NULL, "zzero", NULL, NULL);
	struct zio_object *bus = zio_find(NULL, "bus:", NULL, NULL);
	struct zio_attr *list = zio_attr_list(chan, NULL);

	ok(list && is(list[0].name, "alarms") && is(list[1].name, "offset") &&
	   !list[2].name, "attributes, without what is binary");
	zio_attr_list_free(list);
	list = zio_attr_list(trigger, NULL);
	ok(list && is(list[0].name, "fire") && !list[0].readable &&
	   list[0].writable, "write only");
	ok(list && is(list[1].name, "name") && list[1].readable &&
	   !list[1].writable, "read only");
	zio_attr_list_free(list);
	list = zio_attr_list(device, NULL);
	ok(list && !list[0].name, "a device has none");
	zio_attr_list_free(list);
	list = zio_attr_list(bus, NULL);
	ok(list && is(list[0].name, "available_triggers") &&
	   is(list[1].name, "version") && !list[2].name, "those of the bus");
	zio_attr_list_free(list);
	ok(!zio_attr_list(NULL, NULL) && errno == EINVAL, "NULL");
	zio_attr_list_free(NULL);
	zio_object_free(bus);
	zio_object_free(device);
	zio_object_free(trigger);
	zio_object_free(chan);
}

static bool errs(int ret, int code, const struct zio_error *err, const char *text)
{
	if (ret == -1 && errno == code && err->code == code && strstr(err->text, text))
		return true;
	printf("# %d: %s\n", ret, err->text);
	return false;
}

static void test_get(void)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_object *device = zio_find(NULL, "zzero", NULL, NULL);
	struct zio_error err = { .text = "" };
	char text[ZIO_TEXT_SIZE], small[4];

	ok(!zio_attr_get(cset, "current_trigger", text, sizeof(text), &err) &&
	   is(text, "user"), "text");
	ok(!zio_attr_get(cset, "chan0/buffer/max-buffer-len", small, 3, &err) &&
	   is(small, "16"), "of a part; it just fits");
	ok(!zio_attr_get(device, "0/1/alarms", text, sizeof(text), &err) &&
	   is(text, "0x00ff"), "by a short name");
	ok(errs(zio_attr_get(cset, "current_trigger", small, sizeof(small), &err),
		 EMSGSIZE, &err, "zzero-0000/cset0/current_trigger: cannot read") &&
	   !*small, "too small");
	ok(errs(zio_attr_get(cset, "trigger/nope", text, sizeof(text), &err), ENOENT,
		 &err, "zzero-0000/cset0/trigger has no part or attribute 'nope'"),
	   "no attribute");
	ok(errs(zio_attr_get(cset, "trigger", text, sizeof(text), &err), EINVAL,
		 &err, "is not an attribute"), "a part is none");
	ok(errs(zio_attr_get(cset, "../cset2/name", text, sizeof(text), &err),
		 ENOENT, &err, "has no"), "no way up");
	ok(errs(zio_attr_get(device, "power/control", text, sizeof(text), &err),
		 ENOENT, &err, "has no channel set"), "not of the driver model");
	ok(errs(zio_attr_get(NULL, "x", text, sizeof(text), &err), EINVAL, &err,
		 "NULL"), "no object");
	ok(errs(zio_attr_get(cset, NULL, text, sizeof(text), &err), EINVAL, &err,
		 "NULL"), "no name");
	ok(errs(zio_attr_get(cset, "enable", NULL, 1, &err), EINVAL, &err, "NULL"),
	   "no memory for it");
	zio_object_free(device);
	zio_object_free(cset);
}

static void test_numbers(void)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_error err = { .text = "" };
	uint32_t u32 = 7;
	uint64_t u64 = 7;
	int64_t s64 = 7;

	ok(!zio_attr_get_u32(cset, "trigger/nsamples", &u32, &err) && u32 == 16,
	   "32 bits");
	ok(!zio_attr_get_u32(cset, "chan1/alarms", &u32, &err) && u32 == 0xff,
	   "hexadecimal");
	ok(!zio_attr_get_u64(cset, "statistics/fired", &u64, &err) &&
	   u64 == UINT64_MAX, "64 bits");
	ok(!zio_attr_get_s64(cset, "chan1/offset", &s64, &err) && s64 == -5, "sign");
	ok(errs(zio_attr_get_u32(cset, "statistics/fired", &u32, &err), ERANGE,
		 &err, "beyond the range") && u32 == 0xff, "does not fit 32 bits");
	ok(errs(zio_attr_get_s64(cset, "statistics/fired", &s64, &err), ERANGE,
		 &err, "beyond the range") && s64 == -5, "nor 63");
	ok(errs(zio_attr_get_u64(cset, "chan1/offset", &u64, &err), ERANGE, &err,
		 "'-5' is beyond"), "a sign where none may be");
	ok(errs(zio_attr_get_u64(cset, "current_trigger", &u64, &err), EILSEQ, &err,
		 "zzero-0000/cset0/current_trigger: 'user' is no number"), "a word");
	ok(errs(zio_attr_get_u64(cset, "enable", NULL, &err), EINVAL, &err, "NULL"),
	   "NULL");
	put_file("sys/bus/zio/devices/zzero-0000/cset0/big",
		 "18446744073709551616\n", 0644);
	ok(errs(zio_attr_get_u64(cset, "big", &u64, &err), ERANGE, &err, "beyond"),
	   "does not fit 64 bits");
	put_file("sys/bus/zio/devices/zzero-0000/cset0/big",
		 "-9223372036854775808\n", 0644);
	ok(!zio_attr_get_s64(cset, "big", &s64, &err) && s64 == INT64_MIN,
	   "the smallest number");
	zio_object_free(cset);
}

static bool holds(const struct zio_object *obj, const char *attr, const char *wanted)
{
	char text[ZIO_TEXT_SIZE];

	return !zio_attr_get(obj, attr, text, sizeof(text), NULL) && is(text, wanted);
}

static void test_set(void)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_error err = { .text = "" };
	static char page[ZIO_TEXT_SIZE];

	ok(!zio_attr_set(cset, "current_trigger", "hrt", &err) &&
	   holds(cset, "current_trigger", "hrt"), "text");
	ok(!zio_attr_set(cset, "current_trigger", "", &err) &&
	   holds(cset, "current_trigger", ""), "no text");
	ok(!zio_attr_set_u32(cset, "trigger/nsamples", UINT32_MAX, &err) &&
	   holds(cset, "trigger/nsamples", "4294967295"), "32 bits");
	ok(!zio_attr_set_u64(cset, "trigger/nsamples", UINT64_MAX, &err) &&
	   holds(cset, "trigger/nsamples", "18446744073709551615"), "64 bits");
	ok(!zio_attr_set_s64(cset, "chan1/offset", INT64_MIN, &err) &&
	   holds(cset, "chan1/offset", "-9223372036854775808"), "a sign");
	ok(!zio_attr_check(cset, "enable", &err), "check");
	ok(errs(zio_attr_check(cset, "name", &err), EACCES, &err,
		 "zzero-0000/cset0/name is read-only"), "check: read only");
	ok(errs(zio_attr_check(cset, "nope", &err), ENOENT, &err, "has no"),
	   "check: no attribute");
	ok(errs(zio_attr_set(cset, "name", "x", &err), EACCES, &err, "read-only") &&
	   holds(cset, "name", "adc"), "read only, also for root");
	ok(errs(zio_attr_set(cset, "enable", "1\n2", &err), EINVAL, &err,
		 "one line"), "two lines");
	memset(page, '1', sizeof(page) - 1);
	ok(errs(zio_attr_set(cset, "enable", page, &err), EINVAL, &err,
		 "shorter than a page"), "too long");
	ok(errs(zio_attr_set(cset, "enable", NULL, &err), EINVAL, &err, "NULL") &&
	   errs(zio_attr_set(NULL, "enable", "1", &err), EINVAL, &err, "NULL") &&
	   errs(zio_attr_set(cset, NULL, "1", &err), EINVAL, &err, "NULL"), "NULL");
	put_file("sys/bus/zio/devices/zzero-0000/cset0/trigger/period-ns", "1\n", 0444);
	ok(errs(zio_attr_set(cset, "trigger/period-ns", "5", &err), EACCES, &err,
		 "set trigger:user period-ns=..."), "of a shared trigger");
	zio_object_free(cset);
}

static void test_create(void)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_error err = { .text = "" };
	struct zio_object *obj;

	obj = zio_create(ZIO_OBJECT_SHARED_TRIGGER, "timer", "clock1", &err);
	ok(obj && is(zio_object_name(obj), "trigger:clock1") &&
	   is(zio_object_type(obj), "timer") &&
	   finds("trigger:clock1", "trigger:clock1", ZIO_OBJECT_SHARED_TRIGGER),
	   "create");
	ok(!zio_create(ZIO_OBJECT_SHARED_TRIGGER, "hrt", "clock1", &err) &&
	   err.code == EEXIST && strstr(err.text, "its trigger type is timer"),
	   "a name that is taken, by another type");
	ok(!zio_create(ZIO_OBJECT_SHARED_TRIGGER, "irq", "clock2", &err) &&
	   err.code == ENOENT && strstr(err.text, "there are: hrt timer"), "no type");
	ok(!zio_create(ZIO_OBJECT_CONFIG_DEVICE, "zzero", "../x", &err) &&
	   err.code == EINVAL, "no name");
	ok(!zio_create(ZIO_OBJECT_CSET, "zzero", "x", &err) && err.code == EINVAL,
	   "only these two kinds");
	ok(!zio_create(ZIO_OBJECT_SHARED_TRIGGER, NULL, "x", NULL) &&
	   errno == EINVAL, "NULL");
	ok(!zio_destroy(obj, &err) &&
	   lacks("trigger:clock1", ENOENT, "no such trigger"), "destroy");
	ok(errs(zio_destroy(obj, &err), ENOENT, &err, "cannot remove"),
	   "not twice, but the object stays valid");
	ok(errs(zio_destroy(cset, &err), EINVAL, &err, "only shared triggers"),
	   "a set cannot be removed");
	ok(errs(zio_destroy(NULL, &err), EINVAL, &err, "NULL"), "destroy: NULL");
	zio_object_free(obj);
	zio_object_free(cset);
}

static void test_gone(void)
{
	struct zio_object *obj = zio_find(NULL, "a-b-00ff/0", NULL, NULL);
	struct zio_error err = { .text = "" };
	char command[sizeof(dir) + 64];
	uint32_t value;

	snprintf(command, sizeof(command), "rm -r '%s/sys/bus/zio/devices/a-b-00ff'",
		 dir);
	ok(!system(command), "a device goes");
	ok(errs(zio_attr_get_u32(obj, "enable", &value, &err), ENOENT, &err,
		 "a-b-00ff/cset0"), "read");
	ok(errs(zio_attr_set_u32(obj, "enable", 0, &err), ENOENT, &err,
		 "a-b-00ff/cset0"), "write");
	ok(!zio_list(obj, ZIO_OBJECT_CHANNEL, &err) && err.code == ENOENT &&
	   strstr(err.text, "no longer there"), "list");
	ok(!zio_attr_list(obj, &err) && err.code == ENOENT, "list of attributes");
	zio_object_free(obj);
	setenv("ZIO_SYSFS", "/nonexistent", 1);
	setenv("ZIO_CONFIGFS", "/nonexistent", 1);
	ok(!zio_list(NULL, ZIO_OBJECT_DEVICE, &err) && err.code == ENOENT &&
	   strstr(err.text, "modprobe zio"), "zio is not loaded");
	ok(!zio_list(NULL, ZIO_OBJECT_DRIVER, &err) && err.code == ENOENT &&
	   strstr(err.text, "configfs is mounted"), "nor configfs mounted");
	ok(lacks("bus:", ENOENT, "modprobe zio"), "no bus");
	ok(zio_object_kind(NULL) == -1 && !zio_object_name(NULL) &&
	   !zio_object_path(NULL) && !zio_object_type(NULL) && errno == EINVAL,
	   "NULL has neither kind nor name");
}

/* Objects do not change, so threads need no lock. */
static void *read_often(void *arg)
{
	struct zio_object *obj = arg;
	uint32_t value, bad = 0;
	int i;

	for (i = 0; i < 200; i++)
		if (zio_attr_get_u32(obj, "0/alarms", &value, NULL) != -1 ||
		    zio_attr_get_u32(obj, "1/alarms", &value, NULL) || value != 0xff)
			bad++;
	return (void *)(uintptr_t)bad;
}

static void test_threads(void)
{
	struct zio_object *obj = zio_find(NULL, "zzero/0", NULL, NULL);
	pthread_t threads[4];
	uintptr_t bad = 0;
	void *ret;
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, read_often, obj);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &ret);
		bad += (uintptr_t)ret;
	}
	ok(!bad, "four threads with one object");
	zio_object_free(obj);
}

int main(void)
{
	make_dir();
	make_tree();
	test_find();
	test_missing();
	test_find_in();
	test_list();
	test_attr_list();
	test_get();
	test_numbers();
	test_set();
	test_create();
	test_threads();
	test_gone();
	return tap_end();
}
