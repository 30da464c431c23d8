// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger.c: shared triggers: /sys/kernel/config/zio/triggers/<type>/<name>
 *
 * mkdir makes a trigger, which channel sets can use by its name. rmdir fails while a set
 * uses it.
 */
#include "config/config.h"
#include "configfs/internal.h"

static ssize_t trig_show_enable(void *object, char *page)
{
	const struct zio_trigger *trig = object;

	return sysfs_emit(page, "%d\n", READ_ONCE(trig->enabled));
}

static int trig_store_enable(void *object, const char *text)
{
	bool enable;

	return zio_attr_parse_bool(text, &enable) ?: zio_trigger_enable(object, enable);
}

static ssize_t trig_show_clock(void *object, char *page)
{
	return zio_trigger_show_clock(object, page);
}

static const struct zio_limits clock_limits = {
	.words = zio_clocks, .n = ARRAY_SIZE(zio_clocks) };

static int trig_store_clock(void *object, const char *text)
{
	u64 clock;

	return zio_limits_parse(&clock_limits, text, &clock) ?:
		zio_trigger_set_clock(object, clock, zio_trigger_refresh);
}

static ssize_t trig_show_clock_source(void *object, char *page)
{
	return sysfs_emit(page, ZIO_CLOCK_OF_KERNEL "\n");
}

static ssize_t trig_show_fired(void *object, char *page)
{
	return sysfs_emit(page, "%lld\n", atomic64_read(&((struct zio_trigger *)object)->fired));
}

static ssize_t trig_show_missed(void *object, char *page)
{
	return sysfs_emit(page, "%lld\n", atomic64_read(&((struct zio_trigger *)object)->missed));
}

/* configfs refuses longer texts, also where a page is larger. */
#define LONGEST_TEXT	4096
#define LONGEST_CSET	(sizeof("/cset4294967295\n") + ZIO_OBJ_NAME_LEN + 5)

/* "..." stands for the sets that do not fit. */
static ssize_t trig_show_csets(void *object, char *page)
{
	struct zio_trigger *trig = object;
	struct zio_binding *bind;
	ssize_t len = 0;

	mutex_lock(&trig->lock);
	list_for_each_entry(bind, &trig->bindings, node) {
		if (len + LONGEST_CSET + sizeof("...\n") > LONGEST_TEXT) {
			len += sysfs_emit_at(page, len, "...\n");
			break;
		}
		len += sysfs_emit_at(page, len, "%s/cset%u\n",
				     dev_name(&bind->cset->zdev->dev),
				     bind->cset->pub.index);
	}
	mutex_unlock(&trig->lock);
	return len;
}

static ssize_t trig_show_n_csets(void *object, char *page)
{
	struct zio_trigger *trig = object;
	struct zio_binding *bind;
	unsigned int n = 0;

	mutex_lock(&trig->lock);
	list_for_each_entry(bind, &trig->bindings, node)
		n++;
	mutex_unlock(&trig->lock);
	return sysfs_emit(page, "%u\n", n);
}

static const struct zio_config_file trig_files[] = {
	{ "enable", trig_show_enable, trig_store_enable, &zio_limits_bool },
	{ "clock", trig_show_clock, trig_store_clock, &clock_limits },
	{ "clock-source", trig_show_clock_source },
	{ "fired", trig_show_fired },
	{ "missed", trig_show_missed },
	{ "csets", trig_show_csets },
	{ "n-csets", trig_show_n_csets },
};

static_assert(ARRAY_SIZE(trig_files) + ZIO_MAX_TRIGGER_ATTRS <= ZIO_SLOTS);

static void *trig_create(const void *type, const char *name, struct config_item *item)
{
	return zio_trigger_create_shared(type, name, item);
}

static void trig_hide(void *object)
{
	zio_trigger_hide_shared(object);
}

static void trig_destroy(void *object)
{
	zio_trigger_free(object);
}

static ssize_t trig_show(void *object, unsigned int index, char *page)
{
	return zio_trigger_show(object, index, page);
}

static int trig_store(void *object, unsigned int index, const char *text)
{
	return zio_trigger_store(object, index, text, zio_trigger_refresh);
}

const struct zio_config_ops zio_config_trigger_ops = {
	.create = trig_create,
	.hide = trig_hide,
	.destroy = trig_destroy,
	.show = trig_show,
	.store = trig_store,
	.files = trig_files,
	.n_files = ARRAY_SIZE(trig_files),
};
