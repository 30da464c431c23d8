// SPDX-License-Identifier: GPL-2.0-only
/* gpio.c: GPIO lines that a user names in a text; see <linux/zio-gpio.h> */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/gpio/driver.h>
#include <linux/gpio/machine.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/zio-gpio.h>

/* gpiolib finds lines in one lookup table per consumer. */
static DEFINE_MUTEX(zio_gpio_lock);

struct line_list {
	unsigned int n;
	struct {
		const char *label;
		u16 offset;
	} line[ZIO_GPIO_MAX_LINES];
};

static int zio_gpio_parse_word(struct line_list *list, char *word)
{
	char *range = strrchr(word, ':'), *dash;
	u16 offset, last;

	if (!range || range == word)
		return -EINVAL;
	*range++ = '\0';
	/* "3", or "3-7" */
	dash = strchr(range, '-');
	if (dash)
		*dash++ = '\0';
	if (kstrtou16(range, 0, &offset) || kstrtou16(dash ?: range, 0, &last) ||
	    last < offset || last == U16_MAX)
		return -EINVAL;
	for (; offset <= last; offset++) {
		if (list->n == ZIO_GPIO_MAX_LINES)
			return -E2BIG;
		list->line[list->n].label = word;
		list->line[list->n++].offset = offset;
	}
	return 0;
}

/* Modifies @text; the labels in the list point into it. */
static int zio_gpio_parse_lines(struct line_list *list, char *text)
{
	char *word;
	int ret = 0;

	list->n = 0;
	while (!ret && (word = strsep(&text, ", \t\n")))
		if (*word)
			ret = zio_gpio_parse_word(list, word);
	return ret;
}

static struct gpio_descs *zio_gpio_request_lines(struct device *dev, const char *con_id,
						 const struct line_list *list,
				  enum gpiod_flags flags)
{
	struct gpiod_lookup_table *table;
	struct gpio_descs *descs;
	unsigned int i;

	table = kzalloc(struct_size(table, table, list->n + 1), GFP_KERNEL);
	if (!table)
		return ERR_PTR(-ENOMEM);
	table->dev_id = dev_name(dev);
	for (i = 0; i < list->n; i++)
		table->table[i] = GPIO_LOOKUP_IDX(list->line[i].label,
						  list->line[i].offset, con_id,
						  i, 0);
	mutex_lock(&zio_gpio_lock);
	gpiod_add_lookup_table(table);
	descs = gpiod_get_array(dev, con_id, flags);
	gpiod_remove_lookup_table(table);
	mutex_unlock(&zio_gpio_lock);
	kfree(table);
	return descs == ERR_PTR(-EPROBE_DEFER) ? ERR_PTR(-ENODEV) : descs;
}

/**
 * zio_gpio_count() - count the lines that a text names
 * @lines: the text
 *
 * The lines need not exist.
 *
 * Context: Process, sleeps.
 *
 * Return: the number of lines, which may be 0; -EINVAL if the text is not a list of
 * lines; -E2BIG for more than ZIO_GPIO_MAX_LINES; -ENOMEM.
 */
int zio_gpio_count(const char *lines)
{
	struct line_list *list = kmalloc(sizeof(*list), GFP_KERNEL);
	char *copy = kstrdup(lines, GFP_KERNEL);
	int ret = list && copy ? zio_gpio_parse_lines(list, copy) : -ENOMEM;

	if (!ret)
		ret = list->n;
	kfree(copy);
	kfree(list);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_gpio_count);

/**
 * zio_gpio_get() - request the lines that a text names
 * @dev: the device that uses the lines
 * @con_id: the function of the lines within the device
 * @lines: the text; NULL or empty: the lines that the firmware assigns
 * @flags: GPIOD_*
 *
 * The caller gives the lines back by gpiod_put_array().
 *
 * Context: Process, sleeps.
 *
 * Return: the lines; NULL if the firmware assigns none; or an ERR_PTR: an error of
 * zio_gpio_count(); -ENODEV if there is no such controller; -EINVAL if it has no such
 * line; -EBUSY if the line is in use.
 */
struct gpio_descs *zio_gpio_get(struct device *dev, const char *con_id,
				const char *lines, enum gpiod_flags flags)
{
	struct line_list *list;
	struct gpio_descs *descs;
	char *copy;
	int ret;

	if (!lines || !*lines)
		return gpiod_get_array_optional(dev, con_id, flags);
	list = kmalloc(sizeof(*list), GFP_KERNEL);
	copy = kstrdup(lines, GFP_KERNEL);
	ret = list && copy ? zio_gpio_parse_lines(list, copy) : -ENOMEM;
	if (!ret && !list->n)
		ret = -EINVAL;
	descs = ret ? ERR_PTR(ret) : zio_gpio_request_lines(dev, con_id, list, flags);
	kfree(copy);
	kfree(list);
	return descs;
}
EXPORT_SYMBOL_GPL(zio_gpio_get);

static void zio_gpio_put_lines(void *descs)
{
	gpiod_put_array(descs);
}

/* When a controller is unbound, the device is unbound before it. */
static void zio_gpio_follow_controllers(struct device *dev, struct gpio_descs *descs)
{
	struct device *parent;
	unsigned int i;

	for (i = 0; i < descs->ndescs; i++) {
		parent = gpiod_to_chip(descs->desc[i])->parent;
		if (parent && !device_link_add(dev, parent,
					       DL_FLAG_AUTOREMOVE_CONSUMER))
			dev_dbg(dev, "no link to %s\n", dev_name(parent));
	}
}

/**
 * devm_zio_gpio_get() - request lines until the driver is unbound
 * @dev: the device that uses the lines; the caller is the probe() of its driver
 * @con_id: as for zio_gpio_get()
 * @lines: as for zio_gpio_get()
 * @flags: GPIOD_*
 *
 * When a controller of the lines is unbound, the driver core unbinds @dev before it.
 *
 * Context: Process, sleeps.
 *
 * Return: as zio_gpio_get(); -ENOMEM.
 */
struct gpio_descs *devm_zio_gpio_get(struct device *dev, const char *con_id,
				     const char *lines, enum gpiod_flags flags)
{
	struct gpio_descs *descs = zio_gpio_get(dev, con_id, lines, flags);
	int ret;

	if (IS_ERR_OR_NULL(descs))
		return descs;
	ret = devm_add_action_or_reset(dev, zio_gpio_put_lines, descs);
	if (ret)
		return ERR_PTR(ret);
	zio_gpio_follow_controllers(dev, descs);
	return descs;
}
EXPORT_SYMBOL_GPL(devm_zio_gpio_get);

MODULE_DESCRIPTION("ZIO: GPIO lines by label and range");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
