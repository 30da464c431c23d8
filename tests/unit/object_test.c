// SPDX-License-Identifier: GPL-2.0-only
/* libzio: objects and attributes, with a tree of files that stands for sysfs */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake.h"
#include "harness.h"

static void put_file(const char *name, const char *text, mode_t mode)
{
	fake_put_file(dir, name, text, mode);
}

#define ACCEPTED \
	"enable 0 1\ntrigger/nsamples [1 1 4294967295]\nchan*/offset [-5 1 5]\n" \
	"chan*/buffer/watermark [1 1 max-buffer-len]\n...\n"

static void make_device(const char *device)
{
	static const struct {
		const char *name, *text;
		mode_t mode;
	} files[] = {
		{ "cset0/name", "adc\n", 0444 },
		{ "cset0/enable", "1\n", 0644 },
		{ "cset0/accepted", ACCEPTED, 0444 },
		{ "cset0/current_trigger", "user\n", 0644 },
		{ "cset0/trigger/name", "user\n", 0444 },
		{ "cset0/trigger/nsamples", "16\n", 0644 },
		{ "cset0/trigger/fire", "", 0200 },
		{ "cset0/statistics/fired", "18446744073709551615\n", 0444 },
		{ "cset0/chan0/buffer/max-buffer-len", "16\n", 0644 },
		{ "cset0/chan0/buffer/prefer-new", "0\n", 0644 },
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

/* A kernel with pages of 64 KiB writes more lines than fit into 4 KiB. */
static void put_long_accepted(void)
{
	char lines[60000];

	memset(lines, 'x', sizeof(lines));
	snprintf(lines + sizeof(lines) - 32, 32, "\nenable 0 1\nthis/one yes no\n");
	put_file("sys/bus/zio/devices/zzero-0000/cset0/accepted", lines, 0444);
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

static struct zio_error err;

/* The call fails with this errno, and with a reason that has @reason. */
#define ASSERT_ERR(call, errno_, reason) do {				\
	ASSERT_ERRNO(call, errno_);					\
	ASSERT_EQ(err.code, errno_);					\
	ASSERT_HAS(err.text, reason);					\
} while (0)

#define ASSERT_FINDS(short_name, name, kind) do {			\
	struct zio_object *obj = zio_find(NULL, short_name, NULL, &err);	\
									\
	ASSERT_TRUE(obj, err.text);					\
	ASSERT_STR(zio_object_name(obj), name);				\
	ASSERT_EQ(zio_object_kind(obj), kind);				\
	ASSERT_TRUE(!access(zio_object_path(obj), R_OK));		\
	zio_object_free(obj);						\
} while (0)

#define ASSERT_LACKS(name, errno_, reason) do {				\
	ASSERT_TRUE(!zio_find(NULL, name, NULL, &err) && errno == (errno_)); \
	ASSERT_EQ(err.code, errno_);					\
	ASSERT_HAS(err.text, reason);					\
} while (0)

SETUP(fresh)
{
	make_dir(value);
	make_tree();
}

TEST("each kind of object is found", fresh)
{
	ASSERT_FINDS("zzero-0000", "zzero-0000", ZIO_OBJECT_DEVICE);
	ASSERT_FINDS("zzero", "zzero-0000", ZIO_OBJECT_DEVICE);
	ASSERT_FINDS("zzero/cset0", "zzero-0000/cset0", ZIO_OBJECT_CSET);
	ASSERT_FINDS("zzero/10", "zzero-0000/cset10", ZIO_OBJECT_CSET);
	ASSERT_FINDS("zzero/adc", "zzero-0000/cset0", ZIO_OBJECT_CSET);
	ASSERT_FINDS("zzero/0/1", "zzero-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("zzero-0-1", "zzero-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("a-b-00ff-0-0", "a-b-00ff/cset0/chan0", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("/dev/zio/zzero-0000-0-1-ctrl", "zzero-0000/cset0/chan1",
		     ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("zzero/cset0/chan1-data", "zzero-0000/cset0/chan1",
		     ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("/dev/zio/zzero/0/1-ctrl", "zzero-0000/cset0/chan1",
		     ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("zzero-0000-10", "zzero-0000/cset10", ZIO_OBJECT_CSET);
	ASSERT_FINDS("zzero-2", "zzero-0000/cset2", ZIO_OBJECT_CSET);
	ASSERT_FINDS("zzero-0/1", "zzero-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("zzero-0/trigger", "zzero-0000/cset0/trigger", ZIO_OBJECT_TRIGGER);
	ASSERT_FINDS("zzero/0/trigger", "zzero-0000/cset0/trigger", ZIO_OBJECT_TRIGGER);
	ASSERT_FINDS("zzero-0-0/buffer", "zzero-0000/cset0/chan0/buffer",
		     ZIO_OBJECT_BUFFER);
	ASSERT_FINDS("zzero/0/statistics", "zzero-0000/cset0/statistics",
		     ZIO_OBJECT_PART);
	ASSERT_FINDS("trigger:clock0", "trigger:clock0", ZIO_OBJECT_SHARED_TRIGGER);
	ASSERT_FINDS("device:rack1", "device:rack1", ZIO_OBJECT_CONFIG_DEVICE);
	ASSERT_FINDS("bus:", "bus:", ZIO_OBJECT_BUS);
}

/* A full name means one thing; of a short one, the first that is there is meant. */
TEST("names of devices have hyphens, and end like names of channels", fresh)
{
	make_device("adc-100m14b-0000");
	make_device("a-0000");
	ASSERT_FINDS("adc-100m14b", "adc-100m14b-0000", ZIO_OBJECT_DEVICE);
	ASSERT_FINDS("adc-100m14b-0-1", "adc-100m14b-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("adc-100m14b-10", "adc-100m14b-0000/cset10", ZIO_OBJECT_CSET);
	ASSERT_FINDS("adc-100m14b/adc/1", "adc-100m14b-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("a-2", "a-0000/cset2", ZIO_OBJECT_CSET);
	ASSERT_FINDS("a-0-1", "a-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_LACKS("a-0-0-1", ENOENT, "there are: a-0000 a-b-00ff");
	make_device("a-0-0000");
	ASSERT_FINDS("a-0", "a-0-0000", ZIO_OBJECT_DEVICE);
	ASSERT_FINDS("a/0", "a-0000/cset0", ZIO_OBJECT_CSET);
	ASSERT_FINDS("a-0000-0", "a-0000/cset0", ZIO_OBJECT_CSET);
	ASSERT_FINDS("a-0-1", "a-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("a-0-2", "a-0-0000/cset2", ZIO_OBJECT_CSET);
	ASSERT_FINDS("a-0/0/1", "a-0-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("a-0-0-1", "a-0-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("a-0000-0-1", "a-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("a-0-0000-0-1", "a-0-0000/cset0/chan1", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("/dev/zio/a-0-0000-0-1-data", "a-0-0000/cset0/chan1",
		     ZIO_OBJECT_CHANNEL);
}

static unsigned int count_listed(enum zio_object_kind kind, const char *name)
{
	struct zio_object *set = zio_find(NULL, "zzero-0", NULL, &err);
	struct zio_object **list = zio_list(set, kind, &err);
	unsigned int i, n = 0;

	for (i = 0; list && list[i]; i++)
		n += !strcmp(zio_object_name(list[i]), name);
	zio_list_free(list);
	zio_object_free(set);
	return n;
}

/* As the kernel has it: chani is a link, and chan1 has attributes alone. */
TEST("an interleaved set has one channel, which is i, too", fresh)
{
	struct zio_object *part;
	char text[ZIO_TEXT_SIZE];

	ASSERT_LACKS("zzero-0-i", ENOENT, "no such device or channel");
	ASSERT_LACKS("zzero/0/chani", ENOENT, "no channel, part or attribute 'chani'");
	ASSERT_EQ(symlink("chan0", in_dir("sys/bus/zio/devices/zzero-0000/cset0/chani")), 0);
	ASSERT_FINDS("zzero-0-i", "zzero-0000/cset0/chan0", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("zzero/0/i", "zzero-0000/cset0/chan0", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("/dev/zio/zzero-0000-0-i-ctrl", "zzero-0000/cset0/chan0",
		     ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("zzero/cset0/chani/buffer", "zzero-0000/cset0/chan0/buffer",
		     ZIO_OBJECT_BUFFER);
	ASSERT_FINDS("zzero-0-0", "zzero-0000/cset0/chan0", ZIO_OBJECT_CHANNEL);
	ASSERT_FINDS("zzero/0/1", "zzero-0000/cset0/chan1", ZIO_OBJECT_PART);
	ASSERT_EQ(count_listed(ZIO_OBJECT_CHANNEL, "zzero-0000/cset0/chan0"), 1);
	ASSERT_EQ(count_listed(ZIO_OBJECT_CHANNEL, "zzero-0000/cset0/chan1"), 0);
	ASSERT_EQ(count_listed(ZIO_OBJECT_PART, "zzero-0000/cset0/chan1"), 1);
	ASSERT_EQ(count_listed(ZIO_OBJECT_PART, "zzero-0000/cset0/chani"), 0);
	part = zio_find(NULL, "zzero/0/1", NULL, &err);
	ASSERT_EQ(zio_attr_accepted(part, "offset", text, sizeof(text), &err), 0);
	ASSERT_STR(text, "[-5 1 5]");
	zio_object_free(part);
}

/* The nodes stand beside the tree that stands for sysfs. */
TEST("a channel is opened by the name that its set has from the driver", fresh)
{
	struct zio_channel *chan;

	setenv("ZIO_DEV_PATH", dir, 1);
	put_file("sys/bus/zio/devices/zzero-0000/cset0/chan1/address",
		 "zzero-0000-0-1\n", 0444);
	fake_put_block(in_dir("zzero-0000-0-1"), 9, 16, 1);
	chan = zio_open("zzero/adc/1", 0, &err);
	ASSERT_TRUE(chan, err.text);
	zio_close(chan);
	ASSERT_TRUE(!zio_open("zzero/adc/0", 0, &err) && errno == ENOENT);
	ASSERT_TRUE(!zio_open("zzero/adc", 0, &err) && errno == ENOENT);
}

TEST("what is not there is not found", fresh)
{
	char name[300];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	ASSERT_LACKS("nope", ENOENT, "there are: a-b-00ff zzero-0000");
	ASSERT_LACKS("zzero/3", ENOENT, "zzero-0000 has no channel set '3'");
	ASSERT_LACKS("zzero/0/trigger/x", ENOENT, "there are: fire name nsamples");
	ASSERT_LACKS("zzero/0/enable", ENOENT, "has no channel, part or attribute");
	ASSERT_LACKS("trigger:nope", ENOENT, "no such trigger");
	ASSERT_LACKS(name, ENAMETOOLONG, "too long");
	ASSERT_LACKS("", ENOENT, "no such device");
	ASSERT_LACKS("..", ENOENT, "no such device");
	ASSERT_LACKS("zzero/0/..", ENOENT, "has no");
	ASSERT_LACKS("zzero/power", ENOENT, "no channel set");
	ASSERT_LACKS("bus:/devices", ENOENT, "has no");
	ASSERT_LACKS("zzero//0", ENOENT, "has no");
	ASSERT_REFUSED(!zio_find(NULL, NULL, NULL, NULL));
}

TEST("within an object", fresh)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_object *chan = zio_find(cset, "1", NULL, NULL);
	static const char name[] = "0/buffer/prefer-new";
	const char *attr;
	struct zio_object *buffer = zio_find(cset, name, &attr, NULL);

	ASSERT_STR(zio_object_name(chan), "zzero-0000/cset0/chan1", "within a set");
	ASSERT_STR(zio_object_name(buffer), "zzero-0000/cset0/chan0/buffer");
	ASSERT_TRUE(attr == name + 9);
	zio_object_free(buffer);
	buffer = zio_find(NULL, "zzero-0-0/buffer/prefer-new", &attr, NULL);
	ASSERT_TRUE(buffer);
	ASSERT_STR(attr, "prefer-new");
	zio_object_free(buffer);
	buffer = zio_find(cset, "0/buffer", &attr, NULL);
	ASSERT_TRUE(buffer && !attr, "no attribute");
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

TEST("lists of objects", fresh)
{
	struct zio_object *device = zio_find(NULL, "zzero", NULL, NULL);
	struct zio_object *cset = zio_find(device, "0", NULL, NULL);
	struct zio_object *trigger = zio_find(NULL, "trigger:clock0", NULL, NULL);

	ASSERT_STR(names_of(zio_list(NULL, ZIO_OBJECT_DEVICE, NULL)),
		   "a-b-00ff zzero-0000");
	ASSERT_STR(names_of(zio_list(device, ZIO_OBJECT_CSET, NULL)),
		   "zzero-0000/cset0 zzero-0000/cset2 zzero-0000/cset10");
	ASSERT_STR(names_of(zio_list(NULL, ZIO_OBJECT_CHANNEL, NULL)),
		   "a-b-00ff/cset0/chan0 a-b-00ff/cset0/chan1 "
		   "zzero-0000/cset0/chan0 zzero-0000/cset0/chan1");
	ASSERT_STR(names_of(zio_list(device, ZIO_OBJECT_TRIGGER, NULL)),
		   "zzero-0000/cset0/trigger");
	ASSERT_STR(names_of(zio_list(cset, ZIO_OBJECT_BUFFER, NULL)),
		   "zzero-0000/cset0/chan0/buffer");
	ASSERT_STR(names_of(zio_list(cset, ZIO_OBJECT_PART, NULL)),
		   "zzero-0000/cset0/statistics zzero-0000/cset0/trigger");
	ASSERT_STR(names_of(zio_list(NULL, ZIO_OBJECT_TRIGGER_TYPE, NULL)), "hrt timer");
	ASSERT_STR(names_of(zio_list(NULL, ZIO_OBJECT_SHARED_TRIGGER, NULL)),
		   "trigger:clock0");
	ASSERT_STR(names_of(zio_list(NULL, ZIO_OBJECT_DRIVER, NULL)), "zzero", "drivers");
	ASSERT_STR(names_of(zio_list(NULL, ZIO_OBJECT_CONFIG_DEVICE, NULL)),
		   "device:rack1");
	ASSERT_STR(zio_object_type(trigger), "hrt");
	ASSERT_REFUSED(!zio_object_type(cset));
	ASSERT_STR(names_of(zio_list(trigger, ZIO_OBJECT_PART, NULL)), "", "no parts");
	ASSERT_REFUSED(!zio_list(cset, ZIO_OBJECT_DEVICE, &err) && err.code == EINVAL);
	ASSERT_REFUSED(!zio_list(NULL, (enum zio_object_kind)99, NULL));
	zio_list_free(NULL);
	zio_object_free(trigger);
	zio_object_free(cset);
	zio_object_free(device);
}

TEST("lists of attributes", fresh)
{
	struct zio_object *chan = zio_find(NULL, "zzero-0-1", NULL, NULL);
	struct zio_object *trigger = zio_find(NULL, "zzero/0/trigger", NULL, NULL);
	struct zio_object *device = zio_find(NULL, "zzero", NULL, NULL);
	struct zio_object *bus = zio_find(NULL, "bus:", NULL, NULL);
	struct zio_attr *list = zio_attr_list(chan, NULL);

	ASSERT_STR(list[0].name, "alarms");
	ASSERT_STR(list[1].name, "offset");
	ASSERT_TRUE(!list[2].name);
	zio_attr_list_free(list);
	list = zio_attr_list(trigger, NULL);
	ASSERT_STR(list[0].name, "fire");
	ASSERT_TRUE(!list[0].readable && list[0].writable);
	ASSERT_STR(list[1].name, "name");
	ASSERT_TRUE(list[1].readable && !list[1].writable);
	zio_attr_list_free(list);
	list = zio_attr_list(device, NULL);
	ASSERT_TRUE(list && !list[0].name, "a device has none");
	zio_attr_list_free(list);
	list = zio_attr_list(bus, NULL);
	ASSERT_STR(list[0].name, "available_triggers");
	ASSERT_STR(list[1].name, "version");
	ASSERT_TRUE(!list[2].name);
	zio_attr_list_free(list);
	ASSERT_REFUSED(!zio_attr_list(NULL, NULL));
	zio_attr_list_free(NULL);
	zio_object_free(bus);
	zio_object_free(device);
	zio_object_free(trigger);
	zio_object_free(chan);
}

TEST("attributes are read", fresh)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_object *device = zio_find(NULL, "zzero", NULL, NULL);
	char text[ZIO_TEXT_SIZE], small[4];

	ASSERT_TRUE(!zio_attr_get(cset, "current_trigger", text, sizeof(text), &err));
	ASSERT_STR(text, "user");
	ASSERT_TRUE(!zio_attr_get(cset, "chan0/buffer/max-buffer-len", small, 3, &err));
	ASSERT_STR(small, "16");
	ASSERT_TRUE(!zio_attr_get(device, "0/1/alarms", text, sizeof(text), &err));
	ASSERT_STR(text, "0x00ff");
	ASSERT_ERR(zio_attr_get(cset, "current_trigger", small, sizeof(small), &err),
		   EMSGSIZE, "zzero-0000/cset0/current_trigger: cannot read");
	ASSERT_TRUE(!*small);
	ASSERT_ERR(zio_attr_get(cset, "trigger/nope", text, sizeof(text), &err), ENOENT,
		   "zzero-0000/cset0/trigger has no part or attribute 'nope'");
	ASSERT_ERR(zio_attr_get(cset, "trigger", text, sizeof(text), &err), EINVAL,
		   "is not an attribute");
	ASSERT_ERR(zio_attr_get(cset, "../cset2/name", text, sizeof(text), &err), ENOENT,
		   "has no");
	ASSERT_ERR(zio_attr_get(device, "power/control", text, sizeof(text), &err),
		   ENOENT, "has no channel set");
	ASSERT_ERR(zio_attr_get(NULL, "x", text, sizeof(text), &err), EINVAL, "NULL");
	ASSERT_ERR(zio_attr_get(cset, NULL, text, sizeof(text), &err), EINVAL, "NULL");
	ASSERT_ERR(zio_attr_get(cset, "enable", NULL, 1, &err), EINVAL, "NULL");
	zio_object_free(device);
	zio_object_free(cset);
}

TEST("numbers are read", fresh)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	uint32_t u32 = 7;
	uint64_t u64 = 7;
	int64_t s64 = 7;

	ASSERT_TRUE(!zio_attr_get_u32(cset, "trigger/nsamples", &u32, &err) && u32 == 16);
	ASSERT_TRUE(!zio_attr_get_u32(cset, "chan1/alarms", &u32, &err) && u32 == 0xff);
	ASSERT_TRUE(!zio_attr_get_u64(cset, "statistics/fired", &u64, &err));
	ASSERT_EQ(u64, UINT64_MAX);
	ASSERT_TRUE(!zio_attr_get_s64(cset, "chan1/offset", &s64, &err) && s64 == -5);
	ASSERT_ERR(zio_attr_get_u32(cset, "statistics/fired", &u32, &err), ERANGE,
		   "out of range");
	ASSERT_EQ(u32, 0xff);
	ASSERT_ERR(zio_attr_get_s64(cset, "statistics/fired", &s64, &err), ERANGE,
		   "out of range");
	ASSERT_EQ(s64, -5);
	ASSERT_ERR(zio_attr_get_u64(cset, "chan1/offset", &u64, &err), ERANGE,
		   "'-5' is out of range");
	ASSERT_ERR(zio_attr_get_u64(cset, "current_trigger", &u64, &err), EILSEQ,
		   "zzero-0000/cset0/current_trigger: 'user' is not a number");
	ASSERT_ERR(zio_attr_get_u64(cset, "enable", NULL, &err), EINVAL, "NULL");
	put_file("sys/bus/zio/devices/zzero-0000/cset0/big",
		 "18446744073709551616\n", 0644);
	ASSERT_ERR(zio_attr_get_u64(cset, "big", &u64, &err), ERANGE, "out of range");
	put_file("sys/bus/zio/devices/zzero-0000/cset0/big",
		 "-9223372036854775808\n", 0644);
	ASSERT_TRUE(!zio_attr_get_s64(cset, "big", &s64, &err) && s64 == INT64_MIN);
	zio_object_free(cset);
}

static bool holds(const struct zio_object *obj, const char *attr, const char *wanted)
{
	char text[ZIO_TEXT_SIZE];

	return !zio_attr_get(obj, attr, text, sizeof(text), NULL) && !strcmp(text, wanted);
}

TEST("attributes are written", fresh)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	static char page[ZIO_TEXT_SIZE];

	ASSERT_TRUE(!zio_attr_set(cset, "current_trigger", "hrt", &err));
	ASSERT_TRUE(holds(cset, "current_trigger", "hrt"));
	ASSERT_TRUE(!zio_attr_set(cset, "current_trigger", "", &err));
	ASSERT_TRUE(holds(cset, "current_trigger", ""));
	ASSERT_TRUE(!zio_attr_set_u32(cset, "trigger/nsamples", UINT32_MAX, &err));
	ASSERT_TRUE(holds(cset, "trigger/nsamples", "4294967295"));
	ASSERT_TRUE(!zio_attr_set_u64(cset, "trigger/nsamples", UINT64_MAX, &err));
	ASSERT_TRUE(holds(cset, "trigger/nsamples", "18446744073709551615"));
	ASSERT_TRUE(!zio_attr_set_s64(cset, "chan1/offset", INT64_MIN, &err));
	ASSERT_TRUE(holds(cset, "chan1/offset", "-9223372036854775808"));
	ASSERT_TRUE(!zio_attr_check(cset, "enable", &err), "check");
	ASSERT_ERR(zio_attr_check(cset, "name", &err), EACCES,
		   "zzero-0000/cset0/name is read-only");
	ASSERT_ERR(zio_attr_check(cset, "nope", &err), ENOENT, "has no");
	ASSERT_ERR(zio_attr_set(cset, "name", "x", &err), EACCES, "read-only");
	ASSERT_TRUE(holds(cset, "name", "adc"));
	ASSERT_ERR(zio_attr_set(cset, "enable", "1\n2", &err), EINVAL, "one line");
	memset(page, '1', sizeof(page) - 1);
	ASSERT_ERR(zio_attr_set(cset, "enable", page, &err), EINVAL,
		   "shorter than a page");
	ASSERT_ERR(zio_attr_set(cset, "enable", NULL, &err), EINVAL, "NULL");
	ASSERT_ERR(zio_attr_set(NULL, "enable", "1", &err), EINVAL, "NULL");
	ASSERT_ERR(zio_attr_set(cset, NULL, "1", &err), EINVAL, "NULL");
	put_file("sys/bus/zio/devices/zzero-0000/cset0/trigger/period-ns", "1\n", 0444);
	ASSERT_ERR(zio_attr_set(cset, "trigger/period-ns", "5", &err), EACCES,
		   "set trigger:user period-ns=...");
	zio_object_free(cset);
}

#define ASSERT_ACCEPTS(obj, attr, values) do {				\
	ASSERT_TRUE(!zio_attr_accepted(obj, attr, text, sizeof(text), &err), err.text); \
	ASSERT_STR(text, values);					\
} while (0)

TEST("the kernel tells what an attribute accepts", fresh)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_object *buffer = zio_find(NULL, "zzero-0-0/buffer", NULL, NULL);
	struct zio_object *device = zio_find(NULL, "device:rack1", NULL, NULL);
	char text[ZIO_TEXT_SIZE];

	put_file("sys/bus/zio/devices/zzero-0000/cset0/chan0/buffer/watermark", "1\n", 0644);
	ASSERT_ACCEPTS(cset, "enable", "0 1");
	ASSERT_ACCEPTS(cset, "trigger/nsamples", "[1 1 4294967295]");
	ASSERT_ACCEPTS(cset, "chan1/offset", "[-5 1 5]");
	ASSERT_ACCEPTS(buffer, "watermark", "[1 1 max-buffer-len]");
	ASSERT_ERR(zio_attr_accepted(cset, "name", text, sizeof(text), &err), ENODATA,
		   "zzero-0000/cset0/name: the kernel does not say");
	ASSERT_ERR(zio_attr_accepted(cset, "chan1/alarms", text, sizeof(text), &err),
		   ENODATA, "does not say");
	ASSERT_ERR(zio_attr_accepted(cset, "nope", text, sizeof(text), &err), ENOENT, "no");
	ASSERT_ERR(zio_attr_accepted(cset, "enable", text, 3, &err), EMSGSIZE, "longer");
	ASSERT_ERR(zio_attr_accepted(cset, "enable", NULL, 3, &err), EINVAL, "NULL");
	ASSERT_ERR(zio_attr_accepted(device, "live", text, sizeof(text), &err), ENODATA,
		   "device:rack1/live");
	put_long_accepted();
	ASSERT_ACCEPTS(cset, "enable", "0 1");
	zio_object_free(device);
	zio_object_free(buffer);
	zio_object_free(cset);
}

/* The directory has other files, too: those of the driver core, and of the driver itself. */
TEST("a device has the attributes that the kernel lists", fresh)
{
	struct zio_object *device;
	struct zio_attr *list;
	char text[ZIO_TEXT_SIZE];

	put_file("sys/bus/zio/devices/zzero-0000/accepted",
		 "version\nmode 0 1 3\ncommand [0 1 3]\n", 0444);
	put_file("sys/bus/zio/devices/zzero-0000/version", "7\n", 0444);
	put_file("sys/bus/zio/devices/zzero-0000/mode", "1\n", 0644);
	put_file("sys/bus/zio/devices/zzero-0000/command", "", 0200);
	put_file("sys/bus/zio/devices/zzero-0000/calibration", "\1\2", 0644);
	device = zio_find(NULL, "zzero", NULL, NULL);
	list = zio_attr_list(device, &err);
	ASSERT_TRUE(list, err.text);
	ASSERT_STR(list[0].name, "command");
	ASSERT_TRUE(list[0].writable && !list[0].readable);
	ASSERT_STR(list[1].name, "mode");
	ASSERT_TRUE(list[1].writable && list[1].readable);
	ASSERT_STR(list[2].name, "version");
	ASSERT_TRUE(!list[2].writable && list[2].readable);
	ASSERT_TRUE(!list[3].name);
	zio_attr_list_free(list);
	ASSERT_ACCEPTS(device, "mode", "0 1 3");
	ASSERT_ERR(zio_attr_accepted(device, "version", text, sizeof(text), &err), ENODATA,
		   "does not say");
	ASSERT_EQ(zio_attr_get(device, "version", text, sizeof(text), &err), 0);
	ASSERT_STR(text, "7");
	ASSERT_EQ(zio_attr_set(device, "command", "2", &err), 0);
	ASSERT_ERR(zio_attr_set(device, "version", "2", &err), EACCES, "read-only");
	ASSERT_ERR(zio_attr_get(device, "calibration", text, sizeof(text), &err), ENOENT, "no");
	ASSERT_ERR(zio_attr_get(device, "uevent", text, sizeof(text), &err), ENOENT, "no");
	zio_object_free(device);
}

TEST("objects are made and removed", fresh)
{
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_object *obj;

	obj = zio_create(ZIO_OBJECT_SHARED_TRIGGER, "timer", "clock1", &err);
	ASSERT_STR(zio_object_name(obj), "trigger:clock1");
	ASSERT_STR(zio_object_type(obj), "timer");
	ASSERT_FINDS("trigger:clock1", "trigger:clock1", ZIO_OBJECT_SHARED_TRIGGER);
	ASSERT_TRUE(!zio_create(ZIO_OBJECT_SHARED_TRIGGER, "hrt", "clock1", &err));
	ASSERT_TRUE(err.code == EEXIST && strstr(err.text, "its trigger type is timer"));
	ASSERT_TRUE(!zio_create(ZIO_OBJECT_SHARED_TRIGGER, "irq", "clock2", &err));
	ASSERT_TRUE(err.code == ENOENT && strstr(err.text, "there are: hrt timer"));
	ASSERT_TRUE(!zio_create(ZIO_OBJECT_CONFIG_DEVICE, "zzero", "../x", &err));
	ASSERT_EQ(err.code, EINVAL);
	ASSERT_TRUE(!zio_create(ZIO_OBJECT_CSET, "zzero", "x", &err));
	ASSERT_EQ(err.code, EINVAL);
	ASSERT_REFUSED(!zio_create(ZIO_OBJECT_SHARED_TRIGGER, NULL, "x", NULL));
	ASSERT_TRUE(!zio_destroy(obj, &err));
	ASSERT_LACKS("trigger:clock1", ENOENT, "no such trigger");
	ASSERT_ERR(zio_destroy(obj, &err), ENOENT, "cannot remove");
	ASSERT_ERR(zio_destroy(cset, &err), EINVAL, "only shared triggers");
	ASSERT_ERR(zio_destroy(NULL, &err), EINVAL, "NULL");
	zio_object_free(obj);
	zio_object_free(cset);
}

TEST("a device goes", fresh)
{
	struct zio_object *obj = zio_find(NULL, "a-b-00ff/0", NULL, NULL);
	char command[sizeof(dir) + 64];
	uint32_t number;

	snprintf(command, sizeof(command), "rm -r '%s/sys/bus/zio/devices/a-b-00ff'",
		 dir);
	ASSERT_TRUE(!system(command));
	ASSERT_ERR(zio_attr_get_u32(obj, "enable", &number, &err), ENOENT,
		   "a-b-00ff/cset0");
	ASSERT_ERR(zio_attr_set_u32(obj, "enable", 0, &err), ENOENT, "a-b-00ff/cset0");
	ASSERT_TRUE(!zio_list(obj, ZIO_OBJECT_CHANNEL, &err) && err.code == ENOENT);
	ASSERT_HAS(err.text, "no longer there");
	ASSERT_TRUE(!zio_attr_list(obj, &err) && err.code == ENOENT);
	zio_object_free(obj);
	setenv("ZIO_SYSFS", "/nonexistent", 1);
	setenv("ZIO_CONFIGFS", "/nonexistent", 1);
	ASSERT_TRUE(!zio_list(NULL, ZIO_OBJECT_DEVICE, &err) && err.code == ENOENT);
	ASSERT_HAS(err.text, "modprobe zio");
	ASSERT_TRUE(!zio_list(NULL, ZIO_OBJECT_DRIVER, &err) && err.code == ENOENT);
	ASSERT_HAS(err.text, "configfs is mounted");
	ASSERT_LACKS("bus:", ENOENT, "modprobe zio");
	ASSERT_TRUE(zio_object_kind(NULL) == -1 && !zio_object_name(NULL));
	ASSERT_REFUSED(!zio_object_path(NULL) && !zio_object_type(NULL));
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

TEST("four threads with one object", fresh)
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
	ASSERT_TRUE(!bad);
	zio_object_free(obj);
}
