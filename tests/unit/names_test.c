// SPDX-License-Identifier: GPL-2.0-only
/* libzio: the names of attributes in controls, with a tree that stands for sysfs */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake.h"
#include "harness.h"

#define CSET "sys/bus/zio/devices/zzero-0000/cset0/"

static struct zio_control control;

static void make_tree(void)
{
	fake_put_file(dir, CSET "chan1/name", "chan1\n", 0444);
	fake_put_file(dir, CSET "chan1/control-attrs",
		      "std 1 gain-factor\nstd 13 flavour\next 3 threshold signed\n", 0444);
	fake_put_file(dir, CSET "trigger/name", "hrt\n", 0444);
	fake_put_file(dir, CSET "trigger/control-attrs",
		      "std 1 post-samples\next 0 period-ns wide\next 4 slack-ns\n"
		      "ext 30 last wide\next 31 clock\n", 0444);
	use_tree();
}

static void make_control(void)
{
	struct zio_ctrl_attr *trigger = &control.attr_trigger;

	fake_control(&control, 0xfffffffb, 16, 1);
	control.attr_channel.std_mask |= 1 << 13 | 1 << ZIO_ATTR_OFFSET |
		1 << ZIO_ATTR_SCALE_LOW | 1 << ZIO_ATTR_OFFSET_HIGH;	/* are not listed */
	control.attr_channel.std_val[13] = 7;
	control.attr_channel.std_val[ZIO_ATTR_OFFSET] = (uint32_t)-5000;
	control.attr_channel.ext_mask |= 1u << 31;
	strcpy(control.triggername, "hrt");
	trigger->ext_mask = 1 << 0 | 1 << 1 | 1 << 4 | 3u << 30;
	trigger->ext_val[0] = 0xfffffff0;
	trigger->ext_val[1] = 2;
	trigger->ext_val[4] = 0xffffffff;
	trigger->ext_val[30] = 8;
	trigger->ext_val[31] = 11;
}

/* The values of @owner, in their order. */
static const char *values(const struct zio_names *names, enum zio_attr_owner owner)
{
	static char text[1024];
	struct zio_attr_value list[ZIO_MAX_ATTRS];
	int i, n = zio_control_attrs(&control, names, owner, list);
	size_t used = 0;

	text[0] = '\0';
	for (i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s=%jd ",
					 list[i].name, (intmax_t)list[i].value);
	return text;
}

#define ASSERT_CHANNEL(names, text)	ASSERT_STR(values(names, ZIO_ATTR_OF_CHANNEL), text " ")
#define ASSERT_TRIGGER(names, text)	ASSERT_STR(values(names, ZIO_ATTR_OF_TRIGGER), text " ")

#define CHANNEL		"gain-factor=1500 offset=-5000 flavour=7 threshold=-5 ext31=0"
#define CHANNEL_NUMBERS	"gain-factor=1500 offset=-5000 std13=7 ext3=4294967291 ext31=0"
#define TRIGGER		"post-samples=16 period-ns=12884901872 slack-ns=4294967295 last=8 clock=11"
/* The clock has a name in any case. */
#define TRIGGER_NUMBERS	"post-samples=16 ext0=4294967280 ext1=2 ext4=4294967295 ext30=8 clock=11"

SETUP(fresh)
{
	make_dir(value);
	make_tree();
	make_control();
}

TEST("names of a live channel", fresh)
{
	struct zio_names *names = zio_names_open(&control, NULL, NULL);

	ASSERT_TRUE(zio_names_match(names, &control));
	ASSERT_CHANNEL(names, CHANNEL);
	ASSERT_TRIGGER(names, TRIGGER);
	control.attr_trigger.ext_mask &= ~2u;	/* a lower half alone */
	ASSERT_TRIGGER(names,
		       "post-samples=16 period-ns=4294967280 slack-ns=4294967295 last=8 clock=11");
	zio_names_close(names);
}

TEST("numbers stand for names that are not known", fresh)
{
	ASSERT_CHANNEL(NULL, CHANNEL_NUMBERS);
	ASSERT_TRIGGER(NULL, TRIGGER_NUMBERS);
}

TEST("the trigger of a board may have the place of the clock", fresh)
{
	control.attr_trigger.std_mask |= 1 << ZIO_ATTR_TRIG_CLOCK;
	control.attr_trigger.std_val[ZIO_ATTR_TRIG_CLOCK] = 1;
	ASSERT_TRIGGER(NULL, "post-samples=16 clock=1 ext0=4294967280 ext1=2 ext4=4294967295 "
		       "ext30=8 ext31=11");
}

static bool errs(const char *file, int code, const char *reason)
{
	struct zio_error err = { .text = "" };
	struct zio_names *names = zio_names_open(&control, file, &err);
	bool good = !names && errno == code && err.code == code &&
		    strstr(err.text, reason);

	if (!good)
		printf("# %s\n", err.text);
	zio_names_close(names);
	return good;
}

TEST("names of another channel or trigger are none", fresh)
{
	struct zio_names *names = zio_names_open(&control, NULL, NULL);

	strcpy(control.triggername, "timer");
	ASSERT_TRUE(!zio_names_match(names, &control), "another trigger");
	ASSERT_TRIGGER(names, TRIGGER_NUMBERS);
	ASSERT_TRUE(errs(NULL, ENOENT, "is now 'hrt', not 'timer'"));
	make_control();
	control.addr.chan = 2;
	ASSERT_TRUE(!zio_names_match(names, &control), "another channel");
	ASSERT_TRUE(errs(NULL, ENOENT, "chan"), "no such channel");
	make_control();
	control.addr.dev_id = 1;
	ASSERT_TRUE(!zio_names_match(names, &control), "another device");
	ASSERT_TRUE(errs(NULL, ENOENT, "zzero-0001"), "no such device");
	make_control();
	control.addr.cset = 1;
	ASSERT_TRUE(!zio_names_match(names, &control), "another set");
	zio_names_close(names);
}

TEST("a core without files of names: only the standard ones are known", fresh)
{
	char path[PATH_MAX];
	struct zio_names *names;

	snprintf(path, sizeof(path), "%s/" CSET "chan1/control-attrs", dir);
	unlink(path);
	names = zio_names_open(&control, NULL, NULL);
	ASSERT_CHANNEL(names, CHANNEL_NUMBERS);
	zio_names_close(names);
}

TEST("names from a file", fresh)
{
	char path[sizeof(dir) + 16];
	struct zio_names *names = zio_names_open(&control, NULL, NULL);
	FILE *file;

	snprintf(path, sizeof(path), "%s/names", dir);
	file = fopen(path, "we");
	fputs("# names of two machines\n\nother-0000-0-1 channel ext 3 wrong\n", file);
	ASSERT_TRUE(!zio_names_print(names, file) && !fclose(file), "write names");
	zio_names_close(names);
	setenv("ZIO_SYSFS", "/nowhere", 1);
	ASSERT_TRUE(errs(NULL, ENOENT, "is zio loaded?"), "a machine without devices");
	names = zio_names_open(&control, path, NULL);
	ASSERT_CHANNEL(names, CHANNEL);
	ASSERT_TRIGGER(names, TRIGGER);
	zio_names_close(names);
	control.addr.chan = 3;
	ASSERT_TRUE(errs(path, ENOENT, "no names of zzero-0000-0-3"), "another channel");
	make_control();
	strcpy(control.triggername, "timer");
	names = zio_names_open(&control, path, NULL);
	ASSERT_TRIGGER(names, TRIGGER_NUMBERS);
	zio_names_close(names);
}

TEST("a damaged file of names", fresh)
{
	static const char *const bad[] = {
		"junk\n", "zzero-0000-0-1 channel\n",
		"zzero-0000-0-1 channel ext 32 x\n", "zzero-0000-0-1 channel std 16 x\n",
		"zzero-0000-0-1 channel ext x y\n", "zzero-0000-0-1 channel foo 1 x\n",
		"zzero-0000-0-1 channel ext 3\n",
	};
	char path[sizeof(dir) + 16];
	size_t i;

	snprintf(path, sizeof(path), "%s/bad", dir);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fake_put_file(dir, "bad", bad[i], 0644);
		ASSERT_TRUE(errs(path, EILSEQ, "bad:1: not a line"));
	}
	ASSERT_TRUE(errs("/nowhere/names", ENOENT, "/nowhere/names: open for reading"));
	ASSERT_TRUE(errs(dir, EISDIR, ": read: "), "a directory");
}

static void put_values(void)
{
	fake_put_file(dir, CSET "chan1/control-attrs",
		      "std 1 width\next 2 offset\next 3 late-ns signed block [-5 1 5]\n"
		      "ext 4 width block 1 2 5\n", 0444);
	fake_put_file(dir, CSET "chan1/current-control", "", 0444);
}

static struct zio_names *names_of_channel(struct zio_error *err)
{
	struct zio_object *chan = zio_find(NULL, "zzero-0-1", NULL, NULL);
	char path[PATH_MAX];
	struct zio_names *names;
	FILE *file;

	ASSERT_TRUE(chan, "find the channel");
	snprintf(path, sizeof(path), "%s/" CSET "chan1/current-control", dir);
	chmod(path, 0644);
	file = fopen(path, "we");
	ASSERT_EQ(fwrite(&control, sizeof(control), 1, file), 1);
	fclose(file);
	names = zio_names_of(chan, err);
	zio_object_free(chan);
	return names;
}

TEST("values of a block by name", fresh)
{
	struct zio_control to = { 0 };
	struct zio_error err;
	struct zio_names *names;

	put_values();
	names = names_of_channel(&err);
	ASSERT_TRUE(names, "%s", err.text);
	ASSERT_EQ(zio_control_set_value(&to, names, "late-ns", -4, &err), 0);
	ASSERT_EQ(zio_control_set_value(&to, names, "width", 0xffffffff, &err), 0);
	ASSERT_EQ(to.attr_channel.ext_mask, 1 << 3 | 1 << 4);
	ASSERT_EQ(to.attr_channel.ext_val[3], (uint32_t)-4);
	ASSERT_EQ(to.attr_channel.ext_val[4], 0xffffffff);
	ASSERT_ERRNO(zio_control_set_value(&to, names, "offset", 1, &err), ENOENT);
	ASSERT_HAS(err.text, "zzero-0000-0-1: its blocks have no value 'offset', but late-ns, width");
	ASSERT_ERRNO(zio_control_set_value(&to, names, "width", -1, &err), ERANGE);
	ASSERT_ERRNO(zio_control_set_value(&to, names, "late-ns", 1ll << 31, &err), ERANGE);
	ASSERT_HAS(err.text, "late-ns: 2147483648 does not fit into 32 bits with a sign");
	ASSERT_ERRNO(zio_control_set_value(NULL, names, "width", 1, &err), EINVAL);
	ASSERT_EQ(to.attr_channel.ext_mask, 1 << 3 | 1 << 4);
	zio_names_close(names);
}

TEST("a channel without values, and what is no channel", fresh)
{
	struct zio_error err;
	struct zio_names *names = names_of_channel(&err);
	struct zio_object *cset = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_control to = { 0 };

	ASSERT_ERRNO(zio_control_set_value(&to, names, "threshold", 1, &err), ENOENT);
	ASSERT_HAS(err.text, "no value 'threshold', but none at all");
	zio_names_close(names);
	ASSERT_REFUSED(!zio_names_of(cset, &err));
	ASSERT_REFUSED(!zio_names_of(NULL, &err));
	zio_object_free(cset);
}

TEST("arguments that are missing", fresh)
{
	struct zio_attr_value list[ZIO_MAX_ATTRS];
	struct zio_error err;

	ASSERT_REFUSED(!zio_names_open(NULL, NULL, &err));
	ASSERT_HAS(err.text, "NULL");
	ASSERT_ERRNO(zio_names_print(NULL, stdout), EINVAL, "print no names");
	ASSERT_TRUE(!zio_names_match(NULL, &control), "no names match nothing");
	ASSERT_ERRNO(zio_control_attrs(NULL, NULL, ZIO_ATTR_OF_CHANNEL, list), EINVAL);
	ASSERT_ERRNO(zio_control_attrs(&control, NULL, ZIO_ATTR_OF_CHANNEL, NULL),
		     EINVAL);
	ASSERT_ERRNO(zio_control_attrs(&control, NULL, ZIO_ATTR_OF_BUFFER, list), EINVAL);
	zio_names_close(NULL);
}

/* The text of @name, which is 12 bytes. */
static const char *text_of(const char *name)
{
	static char text[ZIO_OBJ_NAME_LEN + 1];

	zio_name_text(text, name);
	return text;
}

TEST("a file of names that anyone may have written", fresh)
{
	char path[sizeof(dir) + 16];
	struct zio_names *names;

	ASSERT_STR(text_of("abcxyzABCXYZ"), "abcxyzABCXYZ");
	ASSERT_STR(text_of("0189_-.:+\0ab"), "0189_-.:+");
	ASSERT_STR(text_of(""), "");
	ASSERT_STR(text_of("`>own`$(id)"), "??own???id?");
	ASSERT_STR(text_of("\033]0;x\a\n\r\t\177"), "??0?x?????");
	ASSERT_STR(text_of("'\"\\%s@!#,;&|"), "????s???????");
	ASSERT_STR(text_of("\xc2\x9b/*?[]{}~=^"), "????????????", "no ASCII, wildcards");
	fake_put_file(dir, "hostile", "zzero-0000-0-1 channel std 13 \033[2Jx\n", 0644);
	snprintf(path, sizeof(path), "%s/hostile", dir);
	names = zio_names_open(&control, path, NULL);
	ASSERT_CHANNEL(names,
		       "gain-factor=1500 offset=-5000 ??2Jx=7 ext3=4294967291 ext31=0");
	zio_names_close(names);
	strcpy(control.triggername, "a b\033");
	fake_put_file(dir, "hostile", "zzero-0000-0-1 trigger:a?b? ext 4 slack-ns\n", 0644);
	names = zio_names_open(&control, path, NULL);
	ASSERT_TRUE(names && zio_names_match(names, &control));
	zio_names_close(names);
}
