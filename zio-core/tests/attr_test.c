// SPDX-License-Identifier: GPL-2.0-only
/* attr_test.c: numbers as users type them, and attributes of the driver */
#include "test-device.h"

static void parse_refuses(struct kunit *test)
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
	u32 value = 42;
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, zio_attr_parse(bad[i].text, &value),
				    bad[i].error, "\"%s\"", bad[i].text);
	KUNIT_EXPECT_EQ(test, value, 42);
}

static void parse_accepts(struct kunit *test)
{
	bool flag = false;
	u32 value;

	KUNIT_EXPECT_EQ(test, zio_attr_parse("4294967295\n", &value), 0);
	KUNIT_EXPECT_EQ(test, value, U32_MAX);
	KUNIT_EXPECT_EQ(test, zio_attr_parse("0x10", &value), 0);
	KUNIT_EXPECT_EQ(test, value, 16);
	KUNIT_EXPECT_EQ(test, zio_attr_parse_bool("1\n", &flag), 0);
	KUNIT_EXPECT_TRUE(test, flag);
	KUNIT_EXPECT_EQ(test, zio_attr_parse_bool("2", &flag), -EINVAL);
	KUNIT_EXPECT_TRUE(test, flag);
}

static ssize_t store(struct zio_attr *attr, const char *text)
{
	return attr->kattr.store(&attr->chan->kobj, &attr->kattr, text,
				 strlen(text));
}

static void driver_refuses_value(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_attr *gain = &tdev->cset->chan[0]->attrs[0];

	KUNIT_EXPECT_EQ(test, store(gain, "2000"), 4);
	KUNIT_EXPECT_EQ(test, gain->value, 2000);
	tdev->attr_error = -EIO;
	KUNIT_EXPECT_EQ(test, store(gain, "3000"), -EIO);
	KUNIT_EXPECT_EQ(test, gain->value, 2000);
	KUNIT_EXPECT_EQ(test, store(gain, "junk"), -EINVAL);
	KUNIT_EXPECT_EQ(test, gain->value, 2000);
	test_device_remove(tdev);
}

static void trigger_refuses_sizes(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_binding *bind = cset->bind;
	size_t len = cset->block_len;

	mutex_lock(&cset->mutex);
	KUNIT_EXPECT_EQ(test, zio_binding_set_samples(bind, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, zio_binding_set_samples(bind, 1, 1), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, zio_binding_set_samples(bind, 0, U32_MAX),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, zio_binding_set_nshots(bind, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, zio_binding_set_nshots(bind, 2), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, cset->block_len, len);
	KUNIT_EXPECT_EQ(test, bind->post_samples * 2, len);
	KUNIT_EXPECT_EQ(test, zio_binding_set_samples(bind, 0, 100), 0);
	KUNIT_EXPECT_EQ(test, cset->block_len, 200);
	KUNIT_EXPECT_EQ(test, zio_buffer_set_len(cset->chan[0]->buf, 0),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, zio_buffer_set_len(cset->chan[0]->buf,
						 ZIO_MAX_LEN + 1), -EINVAL);
	mutex_unlock(&cset->mutex);
	test_device_remove(tdev);
}

static void trigger_refuses_overflow(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_PRE_SAMPLES,
						      1);
	struct zio_cset_core *cset = tdev->cset;

	mutex_lock(&cset->mutex);
	KUNIT_EXPECT_EQ(test, zio_binding_set_samples(cset->bind, U32_MAX, 1),
			-EOVERFLOW);
	KUNIT_EXPECT_EQ(test, zio_binding_set_samples(cset->bind, 3, 5), 0);
	KUNIT_EXPECT_EQ(test, cset->block_len, 16);
	mutex_unlock(&cset->mutex);
	test_device_remove(tdev);
}

static struct kunit_case attr_cases[] = {
	KUNIT_CASE(parse_refuses),
	KUNIT_CASE(parse_accepts),
	KUNIT_CASE(driver_refuses_value),
	KUNIT_CASE(trigger_refuses_sizes),
	KUNIT_CASE(trigger_refuses_overflow),
	{}
};

static struct kunit_suite attr_suite = {
	.name = "zio-attr",
	.test_cases = attr_cases,
};

kunit_test_suite(attr_suite);
