// SPDX-License-Identifier: GPL-2.0-only
/* libzio: the names of attributes in controls, with a tree that stands for sysfs */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake.h"
#include "tap.h"

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

/* Are the values of @owner, in their order, @wanted? */
static bool has_values(const struct zio_names *names, enum zio_attr_owner owner,
		       const char *wanted)
{
	struct zio_attr_value list[ZIO_MAX_ATTRS];
	int i, n = zio_control_attrs(&control, names, owner, list);
	char text[1024] = "";

	for (i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s=%jd ",
			 list[i].name, (intmax_t)list[i].value);
	if (!strcmp(text, wanted))
		return true;
	printf("# got '%s'\n", text);
	return false;
}

static void test_live(void)
{
	struct zio_names *names = zio_names_open(&control, NULL, NULL);

	ok(names && zio_names_match(names, &control), "names of a live channel");
	ok(has_values(names, ZIO_ATTR_OF_CHANNEL, "gain-factor=1500 offset=-5000 "
		      "flavour=7 threshold=-5 ext31=0 "), "names of a channel");
	ok(has_values(names, ZIO_ATTR_OF_TRIGGER, "post-samples=16 "
		      "period-ns=12884901872 slack-ns=4294967295 last=8 clock=11 "),
	   "names of a trigger; the clock is no upper half");
	control.attr_trigger.ext_mask &= ~2u;
	ok(has_values(names, ZIO_ATTR_OF_TRIGGER, "post-samples=16 "
		      "period-ns=4294967280 slack-ns=4294967295 last=8 clock=11 "),
	   "a lower half alone");
	make_control();
	zio_names_close(names);
}

static void test_unknown(void)
{
	ok(has_values(NULL, ZIO_ATTR_OF_CHANNEL, "gain-factor=1500 offset=-5000 "
		      "std13=7 ext3=4294967291 ext31=0 "), "numbers without names");
	ok(has_values(NULL, ZIO_ATTR_OF_TRIGGER, "post-samples=16 ext0=4294967280 "
		      "ext1=2 ext4=4294967295 ext30=8 clock=11 "),
	   "the clock has a name in any case");
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

/* Names of another channel or trigger are none. */
static void test_match(void)
{
	struct zio_names *names = zio_names_open(&control, NULL, NULL);

	strcpy(control.triggername, "timer");
	ok(!zio_names_match(names, &control), "another trigger");
	ok(has_values(names, ZIO_ATTR_OF_TRIGGER, "post-samples=16 ext0=4294967280 "
		      "ext1=2 ext4=4294967295 ext30=8 clock=11 "),
	   "names of another trigger are not used");
	ok(errs(NULL, ENOENT, "is 'hrt' by now, and not 'timer'"),
	   "the trigger was replaced");
	make_control();
	control.addr.chan = 2;
	ok(!zio_names_match(names, &control), "another channel");
	ok(errs(NULL, ENOENT, "chan"), "no such channel");
	make_control();
	control.addr.dev_id = 1;
	ok(!zio_names_match(names, &control), "another device");
	ok(errs(NULL, ENOENT, "zzero-0001"), "no such device");
	make_control();
	control.addr.cset = 1;
	ok(!zio_names_match(names, &control), "another set");
	make_control();
	zio_names_close(names);
}

/* A core that has no files of names: only the standard ones are known. */
static void test_old_core(void)
{
	char path[PATH_MAX];
	struct zio_names *names;

	snprintf(path, sizeof(path), "%s/" CSET "chan1/control-attrs", dir);
	unlink(path);
	names = zio_names_open(&control, NULL, NULL);
	ok(names && has_values(names, ZIO_ATTR_OF_CHANNEL, "gain-factor=1500 "
			       "offset=-5000 std13=7 ext3=4294967291 ext31=0 "),
	   "a core without names");
	zio_names_close(names);
	make_tree();
}

static void test_file(void)
{
	char path[sizeof(dir) + 16];
	struct zio_names *names = zio_names_open(&control, NULL, NULL);
	FILE *file;

	snprintf(path, sizeof(path), "%s/names", dir);
	file = fopen(path, "we");
	fputs("# names of two machines\n\n", file);
	fputs("other-0000-0-1 channel ext 3 wrong\n", file);
	ok(!zio_names_print(names, file) && !fclose(file), "write names");
	zio_names_close(names);
	setenv("ZIO_SYSFS", "/nowhere", 1);
	ok(errs(NULL, ENOENT, "is zio loaded?"), "a machine without devices");
	names = zio_names_open(&control, path, NULL);
	ok(names && has_values(names, ZIO_ATTR_OF_CHANNEL, "gain-factor=1500 "
			       "offset=-5000 flavour=7 threshold=-5 ext31=0 "),
	   "names of a channel from a file");
	ok(has_values(names, ZIO_ATTR_OF_TRIGGER, "post-samples=16 "
		      "period-ns=12884901872 slack-ns=4294967295 last=8 clock=11 "),
	   "names of a trigger from a file");
	zio_names_close(names);
	control.addr.chan = 3;
	ok(errs(path, ENOENT, "no names of zzero-0000-0-3"), "another channel");
	make_control();
	strcpy(control.triggername, "timer");
	names = zio_names_open(&control, path, NULL);
	ok(names && has_values(names, ZIO_ATTR_OF_TRIGGER, "post-samples=16 "
			       "ext0=4294967280 ext1=2 ext4=4294967295 ext30=8 clock=11 "),
	   "another trigger in a file");
	zio_names_close(names);
	make_control();
	make_tree();
}

static void test_bad_file(void)
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
		ok(errs(path, EILSEQ, "bad:1: not a line"), bad[i][0] == 'j' ?
		   "a file of something else" : "a line that is wrong");
	}
	ok(errs("/nowhere/names", ENOENT, "/nowhere/names: open for reading"),
	   "a file that is not there");
	ok(errs(dir, EISDIR, ": read: "), "a directory");
}

static void test_null(void)
{
	struct zio_attr_value list[ZIO_MAX_ATTRS];
	struct zio_error err;

	ok(!zio_names_open(NULL, NULL, &err) && errno == EINVAL &&
	   strstr(err.text, "NULL"), "names of no control");
	ok(zio_names_print(NULL, stdout) == -1 && errno == EINVAL, "print no names");
	ok(!zio_names_match(NULL, &control), "no names match nothing");
	ok(zio_control_attrs(NULL, NULL, ZIO_ATTR_OF_CHANNEL, list) == -1 &&
	   errno == EINVAL, "attributes of no control");
	ok(zio_control_attrs(&control, NULL, ZIO_ATTR_OF_CHANNEL, NULL) == -1 &&
	   errno == EINVAL, "attributes into nothing");
	ok(zio_control_attrs(&control, NULL, ZIO_ATTR_OF_BUFFER, list) == -1 &&
	   errno == EINVAL, "controls have no attributes of buffers");
	zio_names_close(NULL);
}

/* Does the text of @name, which is 12 bytes, equal @wanted? */
static bool becomes(const char *name, const char *wanted)
{
	char text[ZIO_OBJ_NAME_LEN + 1];

	zio_name_text(text, name);
	return !strcmp(text, wanted);
}

/* Anyone can write a block file, and a file of names. */
static void test_hostile(void)
{
	char path[sizeof(dir) + 16];
	struct zio_names *names;

	ok(becomes("abcxyzABCXYZ", "abcxyzABCXYZ") && becomes("0189_-.:+\0ab", "0189_-.:+") &&
	   becomes("", ""), "names that need no change");
	ok(becomes("`>own`$(id)", "??own???id?"), "a command of the shell");
	ok(becomes("\033]0;x\a\n\r\t\177", "??0?x?????"), "commands of the terminal");
	ok(becomes("'\"\\%s@!#,;&|", "????s???????"), "quotes");
	ok(becomes("\xc2\x9b/*?[]{}~=^", "????????????"), "bytes that are no ASCII, wildcards");
	fake_put_file(dir, "hostile", "zzero-0000-0-1 channel std 13 \033[2Jx\n", 0644);
	snprintf(path, sizeof(path), "%s/hostile", dir);
	names = zio_names_open(&control, path, NULL);
	ok(names && has_values(names, ZIO_ATTR_OF_CHANNEL, "gain-factor=1500 offset=-5000 "
			       "??2Jx=7 ext3=4294967291 ext31=0 "),
	   "a command of the terminal in a file of names");
	zio_names_close(names);
	strcpy(control.triggername, "a b\033");
	fake_put_file(dir, "hostile", "zzero-0000-0-1 trigger:a?b? ext 4 slack-ns\n", 0644);
	names = zio_names_open(&control, path, NULL);
	ok(names && zio_names_match(names, &control), "a file of names has the text of a name");
	zio_names_close(names);
	make_control();
}

int main(void)
{
	make_dir();
	make_tree();
	make_control();
	test_live();
	test_unknown();
	test_match();
	test_old_core();
	test_file();
	test_bad_file();
	test_hostile();
	test_null();
	return tap_end();
}
