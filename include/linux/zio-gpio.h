/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-gpio.h: GPIO lines that a user lists in a text, for drivers and triggers
 *
 * An example is "label:0-3,label:7": the label of a controller, as gpiodetect shows it, and
 * the numbers of its lines. Commas or blanks separate the items. The module zio-gpio-lines
 * exports these functions.
 */
#ifndef _LINUX_ZIO_GPIO_H
#define _LINUX_ZIO_GPIO_H

#include <linux/gpio/consumer.h>

#define ZIO_GPIO_MAX_LINES	32

int zio_gpio_count(const char *lines);
struct gpio_descs *zio_gpio_get(struct device *dev, const char *con_id,
				const char *lines, enum gpiod_flags flags);
struct gpio_descs *devm_zio_gpio_get(struct device *dev, const char *con_id,
				     const char *lines, enum gpiod_flags flags);

#endif /* _LINUX_ZIO_GPIO_H */
