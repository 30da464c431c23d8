// SPDX-License-Identifier: GPL-2.0-only
/* device_test.c: descriptions of boards, and the directories where users make some */
#include <linux/configfs.h>
#include <linux/kernfs.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/zio-config.h>

#include "test-device.h"

/* --- descriptions ------------------------------------------------------------------ */

static int no_io(struct zio_cset *cset)
{
	return 0;
}

static const struct zio_cset_ops no_ops = { .raw_io = no_io };

static struct zio_device_desc describe_board(const struct zio_cset_desc *cset)
{
	return (struct zio_device_desc){
		.name = "ztest", .owner = THIS_MODULE, .cset = cset, .n_cset = 1,
	};
}

static noinline bool is_right(struct zio_cset_desc cset)
{
	struct zio_device_desc desc = describe_board(&cset);

	cset.ops = &no_ops;
	return zio_device_desc_is_valid(&desc);
}

static const struct zio_attr_desc placed_attr = ZIO_ATTR_STD("gain", 0444, ZIO_ATTR_GAIN, 1, 0);
static const struct zio_attr_desc plain_attr = ZIO_ATTR_PARAM("gain", 0444, 1, 0);

static void attributes_of_interleaved_channels_have_no_place(struct kunit *test)
{
	struct zio_cset_desc cset = {
		.n_chan = 2, .flags = ZIO_CSET_INTERLEAVED,
		.chan_attrs = &plain_attr, .n_chan_attrs = 1,
		.cset_attrs = &placed_attr, .n_cset_attrs = 1,
	};

	KUNIT_EXPECT_TRUE(test, is_right(cset));
	cset.chan_attrs = &placed_attr;
	KUNIT_EXPECT_FALSE(test, is_right(cset));
	cset.flags = 0;
	KUNIT_EXPECT_TRUE(test, is_right(cset));
}

static void largest_numbers_are_right(struct kunit *test)
{
	static const struct zio_cset_desc right[] = {
		{ .n_chan = 1, .ssize = U16_MAX },
		{ .n_chan = 1, .nbits = U16_MAX },
		{ .n_chan = 1, .dma_bits = 64 },
		{ .n_chan = 1, .align = 4096 },
		{ .n_chan = U16_MAX },
		{ .n_chan = 64, .flags = ZIO_CSET_INTERLEAVED },
	};
	static const struct zio_cset_desc wrong[] = {
		{ .n_chan = 1, .ssize = U16_MAX + 1 },
		{ .n_chan = 1, .nbits = U16_MAX + 1 },
		{ .n_chan = 1, .dma_bits = 65 },
		{ .n_chan = 1, .align = 4095 },
		{ .n_chan = U16_MAX + 1 },
		{ .n_chan = 65, .flags = ZIO_CSET_INTERLEAVED },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(right); i++) {
		KUNIT_EXPECT_TRUE(test, is_right(right[i]));
		KUNIT_EXPECT_FALSE(test, is_right(wrong[i]));
	}
}

/* The end of a name is no number of a device: "a-0-0000" has the name "a-0". */
static void names_have_hyphens_inside(struct kunit *test)
{
	static const char *const right[] = {
		"a", "adc-100m14b", "tdc-1n5c", "a-0", "a-0-1", "a--b", "a-000", "a-00000",
		"a-000g", "0000", "_0000", "a-0000-b",
	};
	static const char *const wrong[] = {
		NULL, "", "-", "-a", "a-", "a-0000", "a-beef", "a-b-00ff", "Adc", "a.b", "a/b",
		"abc-defg-hij",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(right); i++)
		KUNIT_EXPECT_TRUE_MSG(test, zio_device_name_is_valid(right[i]), "%s", right[i]);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		KUNIT_EXPECT_FALSE_MSG(test, zio_device_name_is_valid(wrong[i]), "%s", wrong[i]);
}

/* A board that takes one segment has no list for those of several shots. */
static void shots_of_one_arming_are_no_single_piece(struct kunit *test)
{
	struct zio_cset_desc cset = { .n_chan = 1, .flags = ZIO_CSET_DMA | ZIO_CSET_SHOTS };

	KUNIT_EXPECT_TRUE(test, is_right(cset));
	cset.flags |= ZIO_CSET_ONE_PIECE;
	KUNIT_EXPECT_FALSE(test, is_right(cset));
}

/* The set ends before it has a trigger. */
static void board_without_its_trigger_is_refused(struct kunit *test)
{
	const struct zio_cset_desc cset = {
		.n_chan = 1, .ops = &no_ops, .trigger = "nonesuch",
	};
	struct zio_device_desc desc = describe_board(&cset);

	KUNIT_EXPECT_PTR_EQ(test, zio_device_register(NULL, &desc, ZIO_ID_AUTO, NULL),
			    ERR_PTR(-ENOENT));
}

/* The program of such a board could not write the samples. */
static void mapped_set_needs_an_area(struct kunit *test)
{
	const struct zio_cset_desc cset = {
		.n_chan = 2, .ssize = 1, .ops = &no_ops, .flags = ZIO_CSET_MAPPED,
		.buffer = "kmalloc",
	};
	struct zio_device_desc desc = describe_board(&cset);

	KUNIT_EXPECT_PTR_EQ(test, zio_device_register(NULL, &desc, ZIO_ID_AUTO, NULL),
			    ERR_PTR(-EOPNOTSUPP));
}

/* --- names ------------------------------------------------------------------------- */

static const struct zio_cset_desc named_csets[] = {
	{ .name = "ft-ch1", .n_chan = 1, .ops = &no_ops },
	{ .name = "ft-ch1", .n_chan = 1, .ops = &no_ops },
	{ .name = "cset3", .n_chan = 1, .ops = &no_ops },
	{ .n_chan = 1, .ops = &no_ops },
	{ .name = "uevent", .n_chan = 1, .ops = &no_ops },
	{ .name = "a/b", .n_chan = 1, .ops = &no_ops },
	{ .name = ".", .n_chan = 1, .ops = &no_ops },
	{ .name = "", .n_chan = 1, .ops = &no_ops },
};

/* Returns the set whose directory a file in that of the device links to. */
static int linked_set(struct zio_device *zdev, const char *name)
{
	struct kernfs_node *node = kernfs_find_and_get(zdev->dev.kobj.sd, name);
	int i = -1;

	if (node && kernfs_type(node) == KERNFS_LINK)
		for (i = zdev->desc->n_cset - 1; i >= 0; i--)
			if (node->symlink.target_kn == zdev->cset[i]->kobj.sd)
				break;
	kernfs_put(node);
	return i;
}

static void unregister_device(void *zdev)
{
	zio_device_unregister(zdev);
}

static void sets_are_linked_by_their_names(struct kunit *test)
{
	struct zio_device_desc desc = describe_board(named_csets);
	struct zio_device *zdev;
	unsigned int turn;

	desc.n_cset = ARRAY_SIZE(named_csets);
	for (turn = 0; turn < 2; turn++) {
		zdev = zio_device_register(NULL, &desc, ZIO_ID_AUTO, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, zdev);
		test_add_action(test, unregister_device, zdev);
		KUNIT_EXPECT_EQ(test, linked_set(zdev, "ft-ch1"), 0);
		KUNIT_EXPECT_EQ(test, linked_set(zdev, "cset3"), -1);
		KUNIT_EXPECT_EQ(test, linked_set(zdev, "uevent"), -1);
		KUNIT_EXPECT_EQ(test, linked_set(zdev, "a/b"), -1);
		KUNIT_EXPECT_EQ(test, linked_set(zdev, "."), -1);
		KUNIT_EXPECT_EQ(test, linked_set(zdev, ""), -1);
		test_release_action(test, unregister_device, zdev);
	}
}

static void board_without_a_right_name_is_refused(struct kunit *test)
{
	struct zio_device_desc desc = describe_board(named_csets);

	desc.name = "ztest-0000";
	KUNIT_EXPECT_PTR_EQ(test, zio_device_register(NULL, &desc, ZIO_ID_AUTO, NULL),
			    ERR_PTR(-EINVAL));
	KUNIT_EXPECT_EQ(test, test_count_devices(), 0);
}

/* --- directories ------------------------------------------------------------------- */

static struct {
	unsigned int probes;
	u32 number, choice;
	char text[8];
} seen;

static int probe_board(struct platform_device *pdev)
{
	seen.probes++;
	seen.number = zio_config_value(&pdev->dev, "number", 0);
	seen.choice = zio_config_value(&pdev->dev, "choice", 9);
	strscpy(seen.text, zio_config_text(&pdev->dev, "text", "none"), sizeof(seen.text));
	return 0;
}

static struct platform_driver board_driver = {
	.driver.name = "zio-ztest",
	.probe = probe_board,
};

static const char *const choices[] = { "low", "high", NULL };

static const struct zio_attr_desc board_attrs[] = {
	{ .name = "number", .mode = 0644, .value = 5, .min = 1, .max = 7 },
	{ .name = "choice", .mode = 0644, .words = choices },
	{ .name = "text", .mode = 0644, .text = "<text>" },
};

/* It has no owner: KUnit runs the suites before their module has its files in sysfs. */
static struct zio_config_type board_type = {
	.name = "ztest",
	.driver = &board_driver,
	.attrs = board_attrs,
	.n_attrs = ARRAY_SIZE(board_attrs),
};

static void unregister_type(void *type)
{
	zio_config_driver_unregister(type);
}

static void register_type(struct kunit *test)
{
	memset(&seen, 0, sizeof(seen));
	KUNIT_ASSERT_EQ(test, zio_config_driver_register(&board_type, 0), 0);
	test_add_action(test, unregister_type, &board_type);
}

/* Nobody could set such an attribute, or it would look as if a control had it. */
static void attributes_that_are_wrong_are_refused(struct kunit *test)
{
	static const struct zio_attr_desc wrong[] = {
		{ .mode = 0644 },
		{ .name = "x" },
		{ .name = "x", .mode = 0444 },
		{ .name = "x", .mode = 0644, .place = ZIO_ATTR_PLACE_EXT },
		{ .name = "x", .mode = 0644, .min = 2, .max = 1 },
		{ .name = "x", .mode = 0644, .wide = true },
		{ .name = "x", .mode = 0644, .is_signed = true },
		{ .name = "x", .mode = 0644, .max = BIT_ULL(32) },
	};
	struct zio_config_type type = board_type;
	unsigned int i;

	type.n_attrs = 1;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		type.attrs = &wrong[i];
		KUNIT_EXPECT_EQ_MSG(test, zio_config_type_register(&type), -EINVAL,
				    "descriptor %u", i);
	}
}

static void directory_of_a_type_is_unique(struct kunit *test)
{
	struct zio_config_type twin = board_type;

	register_type(test);
	KUNIT_EXPECT_EQ(test, zio_config_type_register(&twin), -EEXIST);
	KUNIT_EXPECT_NULL(test, twin.group);
	test_release_action(test, unregister_type, &board_type);
	register_type(test);
}

static void board_has_the_values_of_its_directory(struct kunit *test)
{
	struct config_item *item;

	register_type(test);
	item = test_make_item(test, "devices", "ztest", "board");
	KUNIT_EXPECT_EQ(test, test_store_item(item, "text", "a b\n"), 0);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "number", "7"), 0);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "choice", "high\n"), 0);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "number", "8"), -ERANGE);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "number", "0"), -ERANGE);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "choice", "higher"), -EINVAL);
	KUNIT_ASSERT_EQ(test, test_store_item(item, "live", "1"), 0);
	KUNIT_EXPECT_EQ(test, seen.number, 7);
	KUNIT_EXPECT_EQ(test, seen.choice, 1);
	KUNIT_EXPECT_STREQ(test, seen.text, "a b");
	KUNIT_EXPECT_EQ(test, test_store_item(item, "text", "c"), -EBUSY);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "number", "5"), -EBUSY);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "live", "0"), 0);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "text", "\n"), 0);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "live", "1"), 0);
	KUNIT_EXPECT_STREQ(test, seen.text, "");
	KUNIT_EXPECT_EQ(test, seen.probes, 2);
}

static void long_text_is_refused(struct kunit *test)
{
	char text[ZIO_CONFIG_TEXT_SIZE + 1];
	struct config_item *item;

	register_type(test);
	item = test_make_item(test, "devices", "ztest", "board");
	memset(text, 'x', sizeof(text));
	text[ZIO_CONFIG_TEXT_SIZE] = '\0';
	KUNIT_EXPECT_EQ(test, test_store_item(item, "text", text), -E2BIG);
	text[ZIO_CONFIG_TEXT_SIZE - 1] = '\0';
	KUNIT_EXPECT_EQ(test, test_store_item(item, "text", text), 0);
}

static struct kunit_case device_cases[] = {
	KUNIT_CASE(attributes_of_interleaved_channels_have_no_place),
	KUNIT_CASE(largest_numbers_are_right),
	KUNIT_CASE(names_have_hyphens_inside),
	KUNIT_CASE(shots_of_one_arming_are_no_single_piece),
	KUNIT_CASE(board_without_its_trigger_is_refused),
	KUNIT_CASE(mapped_set_needs_an_area),
	KUNIT_CASE(sets_are_linked_by_their_names),
	KUNIT_CASE(board_without_a_right_name_is_refused),
	KUNIT_CASE(directory_of_a_type_is_unique),
	KUNIT_CASE(attributes_that_are_wrong_are_refused),
	KUNIT_CASE(board_has_the_values_of_its_directory),
	KUNIT_CASE(long_text_is_refused),
	{}
};

TEST_SUITE("zio-device", device_cases);
