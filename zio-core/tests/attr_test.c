// SPDX-License-Identifier: GPL-2.0-only
/* attr_test.c: numbers that users write, attributes of the driver, sizes of blocks */
#include <linux/kernfs.h>

#include "test-device.h"

static void bad_numbers_are_refused(struct kunit *test)
{
	static const struct {
		const char *text;
		int error;
	} bad[] = {
		{ "", -EINVAL },
		{ "\n", -EINVAL },
		{ " ", -EINVAL },
		{ "x", -EINVAL },
		{ "12x", -EINVAL },
		{ "1 2", -EINVAL },
		{ "-1", -EINVAL },
		{ "--1", -EINVAL },
		{ "0x", -EINVAL },
		{ "4294967296", -ERANGE },
		{ "18446744073709551615", -ERANGE },
		{ "18446744073709551616", -ERANGE },
		{ "99999999999999999999999999999999999999999", -ERANGE },
	};
	struct zio_channel_core *chan = test_device_create(test, 0, 1)->cset->chan[0];
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, test_store(&chan->kobj, "gain-factor", bad[i].text),
				    bad[i].error, "\"%s\"", bad[i].text);
	KUNIT_EXPECT_EQ(test, chan->values[0], 1000);
}

static void good_numbers_are_accepted(struct kunit *test)
{
	struct zio_channel_core *chan = test_device_create(test, 0, 1)->cset->chan[0];

	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "gain-factor", "4294967295\n"), 0);
	KUNIT_EXPECT_EQ(test, chan->values[0], U32_MAX);
	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "gain-factor", "0x10"), 0);
	KUNIT_EXPECT_EQ(test, chan->values[0], 16);
	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "enable", "0\n"), 0);
	KUNIT_EXPECT_FALSE(test, chan->enabled);
	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "enable", "2"), -EINVAL);
	KUNIT_EXPECT_FALSE(test, chan->enabled);
	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "enable", "1\n"), 0);
	KUNIT_EXPECT_TRUE(test, chan->enabled);
}

static void value_that_the_driver_refuses_is_not_kept(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "gain-factor", "2000"), 0);
	KUNIT_EXPECT_EQ(test, chan->values[0], 2000);
	tdev->attr_error = -EIO;
	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "gain-factor", "3000"), -EIO);
	KUNIT_EXPECT_EQ(test, chan->values[0], 2000);
	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "gain-factor", "junk"), -EINVAL);
	KUNIT_EXPECT_EQ(test, chan->values[0], 2000);
}

/* All channels have the same file: the directory tells whose value it is. */
static void channels_have_values_of_their_own(struct kunit *test)
{
	struct zio_cset_core *cset = test_device_create(test, 0, 3)->cset;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, test_store(&cset->chan[1]->kobj, "gain-factor", "5"), 0);
	KUNIT_EXPECT_EQ(test, test_store(&cset->chan[2]->kobj, "threshold", "6"), 0);
	KUNIT_EXPECT_EQ(test, test_store(&cset->kobj, "nbits", "14"), 0);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, cset->chan[i]->values[0], i == 1 ? 5 : 1000);
		KUNIT_EXPECT_EQ(test, cset->chan[i]->values[1], i == 2 ? 6 : 77);
	}
	KUNIT_EXPECT_EQ(test, cset->attrs.value[0], 14);
}

static struct kobject *find_dir(struct kunit *test, struct kobject *in, const char *name)
{
	struct kernfs_node *node = kernfs_find_and_get(in->sd, name);

	KUNIT_ASSERT_NOT_NULL(test, node);
	kernfs_put(node);
	return node->priv;
}

/* Channel 0 has its files in the directory of the interleaved blocks. */
static void interleaved_set_has_attributes_of_each_channel(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_INTERLEAVED, 3);
	struct zio_cset_core *cset = tdev->cset;
	struct kobject *dir[] = {
		&cset->chan[0]->kobj,
		find_dir(test, &cset->kobj, "chan1"),
		find_dir(test, &cset->kobj, "chan2"),
	};
	struct zio_control ctrl;
	char text[4];
	int i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_STREQ(test, test_show(test, dir[i], "gain-factor"), "1000\n");
		snprintf(text, sizeof(text), "%d", i + 5);
		KUNIT_EXPECT_EQ(test, test_store(dir[i], "gain-factor", text), 0);
		KUNIT_EXPECT_EQ(test, tdev->attr_value, i + 5);
		KUNIT_EXPECT_EQ(test, tdev->attr_index, i);
	}
	KUNIT_EXPECT_STREQ(test, test_show(test, dir[0], "gain-factor"), "5\n");
	KUNIT_EXPECT_STREQ(test, test_show(test, dir[1], "gain-factor"), "6\n");
	KUNIT_EXPECT_STREQ(test, test_show(test, dir[2], "gain-factor"), "7\n");
	KUNIT_EXPECT_STREQ(test, test_show(test, dir[2], "version"), "3\n");
	tdev->attr_error = -EIO;
	KUNIT_EXPECT_EQ(test, test_store(dir[2], "gain-factor", "9"), -EIO);
	KUNIT_EXPECT_STREQ(test, test_show(test, dir[2], "gain-factor"), "7\n");
	test_read_control(cset->chan[0], &ctrl);
	KUNIT_EXPECT_FALSE(test, ctrl.attr_channel.std_mask & BIT(ZIO_ATTR_GAIN));
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.ext_mask, 0);
}

static umode_t mode_of(struct zio_channel_core *chan, const char *name)
{
	struct kernfs_node *node = kernfs_find_and_get(chan->kobj.sd, name);
	umode_t mode = node ? node->mode & 0777 : 0;

	kernfs_put(node);
	return mode;
}

/* The scale of channel 0 is writable, that of channel 1 is not. */
static void mode_is_that_of_the_channel(struct kunit *test)
{
	struct zio_cset_core *cset = test_device_create(test, 0, 2)->cset;

	KUNIT_EXPECT_EQ(test, mode_of(cset->chan[0], "scale"), 0644);
	KUNIT_EXPECT_EQ(test, mode_of(cset->chan[0], "offset"), 0644);
	KUNIT_EXPECT_EQ(test, mode_of(cset->chan[0], "signed"), 0444);
	KUNIT_EXPECT_EQ(test, mode_of(cset->chan[1], "scale"), 0444);
	KUNIT_EXPECT_EQ(test, mode_of(cset->chan[1], "offset"), 0444);
	KUNIT_EXPECT_EQ(test, mode_of(cset->chan[1], "gain-factor"), 0644);
}

static void bad_sizes_change_nothing(struct kunit *test)
{
	struct zio_cset_core *cset = test_device_create(test, 0, 2)->cset;
	struct kobject *trigger = &cset->bind->kobj;
	size_t len = cset->block_len;

	KUNIT_EXPECT_EQ(test, test_set_samples(cset, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, test_store(trigger, "pre-samples", "1"), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, test_set_samples(cset, U32_MAX), -ENOMEM);
	KUNIT_EXPECT_EQ(test, test_store(trigger, "nshots", "0"), -EINVAL);
	KUNIT_EXPECT_EQ(test, test_store(trigger, "nshots", "2"), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, test_store(trigger, "nshots", "1"), 0);
	KUNIT_EXPECT_EQ(test, cset->block_len, len);
	KUNIT_EXPECT_EQ(test, cset->pub.shape.post_samples * 2, len);
	KUNIT_EXPECT_EQ(test, test_set_samples(cset, 100), 0);
	KUNIT_EXPECT_EQ(test, cset->block_len, 200);
	KUNIT_EXPECT_EQ(test, test_set_len(cset->chan[0], 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, test_set_len(cset->chan[0], ZIO_MAX_LEN + 1), -EINVAL);
}

static void sum_of_samples_does_not_overflow(struct kunit *test)
{
	struct zio_cset_core *cset;
	struct kobject *trigger;

	cset = test_device_create(test, ZIO_CSET_PRE_SAMPLES, 1)->cset;
	trigger = &cset->bind->kobj;
	KUNIT_EXPECT_EQ(test, test_store_u32(trigger, "pre-samples", U32_MAX), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, test_store_u32(trigger, "pre-samples", 3), 0);
	KUNIT_EXPECT_EQ(test, test_set_samples(cset, 5), 0);
	KUNIT_EXPECT_EQ(test, cset->block_len, 16);
}

static const char accepted_lines[] =
	"nbits [0 1 4294967295]\n"
	"trigger/enable 0 1\n"
	"trigger/nshots 1\n"
	"trigger/pre-samples 0\n"
	"trigger/post-samples [1 1 4294967295]\n"
	"trigger/nsamples [1 1 4294967295]\n"
	"trigger/clock realtime monotonic boottime tai\n"
	"chan*/enable 0 1\n"
	"chan*/alarms [0 1 65535]\n"
	"chan*/flush 1\n"
	"chan*/gain-factor [0 1 4294967295]\n"
	"chan*/threshold [0 1 4294967295]\n"
	"chan*/level [-100 1 50]\n"
	"chan*/range 1 2 5 10\n"
	"chan*/shift -2 0 2\n"
	"chan*/unit none V A Ohm W J C F H T Hz s K degC Pa N N.m kg m m/s m/s2 rad rad/s lx %\n"
	"chan*/scale <decimal>\n"
	"chan*/offset <decimal>\n"
	"chan*/buffer/max-buffer-len [1 1 65536]\n"
	"chan*/buffer/prefer-new 0 1\n"
	"chan*/buffer/watermark [1 1 max-buffer-len]\n"
	"enable 0 1\n"
	"current_buffer ";

/* The scale of channel 1 is writable, that of the others is not. */
static void accepted_has_a_line_of_each_writable_file(struct kunit *test)
{
	struct zio_cset_core *cset = test_device_create(test, 0, 2)->cset;
	const char *text = test_show(test, &cset->kobj, "accepted"), *end;

	end = strstr(text, "current_buffer ");
	KUNIT_ASSERT_NOT_NULL(test, end);
	KUNIT_EXPECT_EQ_MSG(test, strncmp(text, accepted_lines, strlen(accepted_lines)), 0,
			    "%s", text);
	KUNIT_EXPECT_NOT_NULL(test, strstr(end, " kmalloc"));
	end = strstr(end, "\ntimeout-ms [0 1 86400000]\ncurrent_trigger user transparent");
	KUNIT_ASSERT_NOT_NULL(test, end);
	KUNIT_EXPECT_PTR_EQ(test, strrchr(text, '\n') + 1, text + strlen(text));
}

static void accepted_follows_the_flags_of_the_set(struct kunit *test)
{
	struct zio_cset_core *cset;
	const char *text;

	cset = test_device_create(test, ZIO_CSET_PRE_SAMPLES | ZIO_CSET_SHOTS, 1)->cset;
	KUNIT_EXPECT_EQ(test, test_store_u32(&cset->bind->kobj, "pre-samples", 3), 0);
	text = test_show(test, &cset->kobj, "accepted");
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "trigger/nshots [1 1 16]\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "trigger/pre-samples [0 1 4294967295]\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "trigger/post-samples [0 1 4294967295]\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "trigger/nsamples [3 1 4294967295]\n"));

	cset = test_device_create(test, ZIO_CSET_INTERLEAVED, 3)->cset;
	text = test_show(test, &cset->kobj, "accepted");
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "\nchannels [1 1 7]\n"));

	cset = test_device_create(test, ZIO_CSET_STREAM, 1)->cset;
	text = test_show(test, &cset->kobj, "accepted");
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "\nqueue-depth [1 1 16]\n"));

	cset = test_device_create(test, ZIO_CSET_OUTPUT, 1)->cset;
	text = test_show(test, &cset->kobj, "accepted");
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "chan*/buffer/source <channel>\n"));
	KUNIT_EXPECT_NULL(test, strstr(text, "flush"));
}

static void other_choices_are_refused(struct kunit *test)
{
	struct kobject *chan = &test_device_create(test, 0, 1)->cset->chan[0]->kobj;

	KUNIT_EXPECT_EQ(test, test_store(chan, "range", "1"), 0);
	KUNIT_EXPECT_EQ(test, test_store(chan, "range", "10"), 0);
	KUNIT_EXPECT_EQ(test, test_store(chan, "range", "3"), -EINVAL);
	KUNIT_EXPECT_EQ(test, test_store(chan, "range", "0"), -ERANGE);
	KUNIT_EXPECT_EQ(test, test_store(chan, "range", "11"), -ERANGE);
	KUNIT_EXPECT_STREQ(test, test_show(test, chan, "range"), "10\n");

	KUNIT_EXPECT_EQ(test, test_store(chan, "shift", "-2"), 0);
	KUNIT_EXPECT_EQ(test, test_store(chan, "shift", "-1"), -EINVAL);
	KUNIT_EXPECT_EQ(test, test_store(chan, "shift", "-3"), -ERANGE);
	KUNIT_EXPECT_EQ(test, test_store(chan, "shift", "4294967294"), -ERANGE);
	KUNIT_EXPECT_STREQ(test, test_show(test, chan, "shift"), "-2\n");
}

static void descriptors_that_are_wrong_are_refused(struct kunit *test)
{
	static const char *const words[] = { "one", NULL };
	static const struct zio_attr_desc wrong[] = {
		{ .name = "x", .mode = 0644, .min = 5, .max = -5, .is_signed = true },
		{ .name = "x", .mode = 0644, .min = 1, .is_signed = true },
		{ .name = "x", .mode = 0644, .min = 5, .max = 4 },
		{ .name = "x", .place = ZIO_ATTR_PLACE_STD, .index = ZIO_ATTR_UNIT },
		{ .name = "x", .place = ZIO_ATTR_PLACE_EXT, .index = ZIO_MAX_EXT_ATTR },
		{ .mode = 0644 },
		{ .name = "x", .mode = 0644, .wide = true },
		{ .name = "x", .mode = 0644, .max = BIT_ULL(32) },
		{ .name = "x", .mode = 0644, .text = "<text>" },
		{ .name = "x", .mode = 0644, .words = words },
		{ .name = "x", .mode = 0644, .raw_io = true },
	};
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_cset_desc cset_desc = tdev->cset_desc;
	struct zio_device_desc desc = tdev->desc;
	unsigned int i;

	desc.cset = &cset_desc;
	cset_desc.n_chan_attrs = 1;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		cset_desc.chan_attrs = &wrong[i];
		KUNIT_EXPECT_PTR_EQ_MSG(test, zio_device_register(NULL, &desc, ZIO_ID_AUTO, tdev),
					ERR_PTR(-EINVAL), "descriptor %u", i);
	}
}

static const u32 many_choices[PAGE_SIZE];

static struct zio_limits limits_of_many(struct kobject *kobj, const struct zio_file *file)
{
	return (struct zio_limits) { .choices = many_choices, .n = ARRAY_SIZE(many_choices) };
}

static void accepted_may_end_in_its_first_line(struct kunit *test)
{
	struct zio_cset_core *cset = test_device_create(test, 0, 1)->cset;

	cset->attrs.attr[0].file.limits = limits_of_many;
	KUNIT_EXPECT_STREQ(test, test_show(test, &cset->kobj, "accepted"), "...\n");
}

static void limits_are_those_of_accepted(struct kunit *test)
{
	static const struct {
		const char *name, *text;
		int error;
	} store[] = {
		{ "max-buffer-len", "0", -EINVAL },
		{ "max-buffer-len", "65537", -EINVAL },
		{ "max-buffer-len", "4294967296", -ERANGE },
		{ "watermark", "0", -EINVAL },
		{ "watermark", "17", -EINVAL },
		{ "watermark", "16", 0 },
		{ "watermark", "1", 0 },
		{ "max-buffer-len", "1", 0 },
		{ "watermark", "2", -EINVAL },
		{ "prefer-new", "2", -EINVAL },
	};
	struct zio_cset_core *cset = test_device_create(test, 0, 1)->cset;
	int i;

	for (i = 0; i < ARRAY_SIZE(store); i++)
		KUNIT_EXPECT_EQ_MSG(test, test_store(&cset->chan[0]->buf->kobj, store[i].name,
						     store[i].text),
				    store[i].error, "%s=%s", store[i].name, store[i].text);
	KUNIT_EXPECT_EQ(test, test_store(&cset->kobj, "timeout-ms", "86400001"), -ERANGE);
	KUNIT_EXPECT_EQ(test, test_store(&cset->kobj, "timeout-ms", "86400000"), 0);
	KUNIT_EXPECT_EQ(test, test_store(&cset->chan[0]->kobj, "alarms", "65536"), -ERANGE);
	KUNIT_EXPECT_EQ(test, test_store(&cset->chan[0]->kobj, "alarms", "65535"), 0);
	KUNIT_EXPECT_EQ(test, test_store(&cset->chan[0]->kobj, "flush", "0"), -EINVAL);
	KUNIT_EXPECT_EQ(test, test_store(&cset->chan[0]->kobj, "flush", "2"), -EINVAL);
}

/* If there is no memory for its directory, a new trigger or buffer works, and has no files. */
static void accepted_lacks_the_files_that_are_not_there(struct kunit *test)
{
	struct zio_cset_core *cset = test_device_create(test, 0, 1)->cset;
	const char *text;

	zio_kobj_del(&cset->bind->kobj);
	zio_kobj_del(&cset->chan[0]->buf->kobj);
	text = test_show(test, &cset->kobj, "accepted");
	KUNIT_EXPECT_NULL(test, strstr(text, "trigger/"));
	KUNIT_EXPECT_NULL(test, strstr(text, "buffer/"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "\nchan*/flush 1\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "\nenable 0 1\n"));
}

static struct kunit_case attr_cases[] = {
	KUNIT_CASE(bad_numbers_are_refused),
	KUNIT_CASE(good_numbers_are_accepted),
	KUNIT_CASE(value_that_the_driver_refuses_is_not_kept),
	KUNIT_CASE(channels_have_values_of_their_own),
	KUNIT_CASE(interleaved_set_has_attributes_of_each_channel),
	KUNIT_CASE(mode_is_that_of_the_channel),
	KUNIT_CASE(bad_sizes_change_nothing),
	KUNIT_CASE(sum_of_samples_does_not_overflow),
	KUNIT_CASE(accepted_has_a_line_of_each_writable_file),
	KUNIT_CASE(accepted_follows_the_flags_of_the_set),
	KUNIT_CASE(other_choices_are_refused),
	KUNIT_CASE(descriptors_that_are_wrong_are_refused),
	KUNIT_CASE(accepted_may_end_in_its_first_line),
	KUNIT_CASE(accepted_lacks_the_files_that_are_not_there),
	KUNIT_CASE(limits_are_those_of_accepted),
	{}
};

TEST_SUITE("zio-attr", attr_cases);
