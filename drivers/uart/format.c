// SPDX-License-Identifier: GPL-2.0-only
/*
 * format.c: what a frame looks like
 *
 * The values come from the properties of a device: a device in configfs has all of them,
 * firmware those that it names. A module parameter supplies a missing value.
 */
#define pr_fmt(fmt) "zio-uart: " fmt

#include <linux/moduleparam.h>
#include <linux/property.h>
#include <linux/string.h>
#include <linux/zio-config.h>

#include "uart.h"

#define UART_MAX_FRAMES		65536
#define UART_MAX_BLOCK		BIT(24)

/* In the order of enum uart_kind */
const char *const uart_kinds[] = { "fixed", "line", "length", "cobs", "text", NULL };

/* In the order of enum uart_check */
const char *const uart_checks[] = {
	"none", "sum8", "xor8", "crc8", "crc16", "crc16-ccitt", NULL
};

const char *const uart_ssizes[] = { "1", "2", "4", NULL };

struct uart_params uart_params = {
	.frame = "fixed",
	.start = "",
	.end = "",
	.checksum = "none",
	.size = 16,
	.ssize = 1,
	.columns = 1,
	.frames = 1,
};

#define UART_PARAM(_name, _type, _text)					\
	module_param_named(_name, uart_params._name, _type, 0444);	\
	MODULE_PARM_DESC(_name, _text)

UART_PARAM(frame, charp, "kind of frame: fixed, line, length, cobs or text");
UART_PARAM(size, uint, "maximum bytes of payload (default 16)");
UART_PARAM(start, charp, "bytes before each frame, in hexadecimal: a55a");
UART_PARAM(end, charp, "bytes after each frame (default for lines and text: 0a)");
UART_PARAM(checksum, charp, "none, sum8, xor8, crc8, crc16 or crc16-ccitt");
UART_PARAM(ssize, uint, "bytes per sample: 1, 2 or 4 (default 1)");
UART_PARAM(columns, uint, "text: numbers in a line, 1 to 64 (default 1)");
UART_PARAM(decimals, uint, "text: decimals of a sample, 0 to 9 (default 0)");
UART_PARAM(frames, uint, "frames per block (default 1)");

static u32 uart_read_number(struct device *dev, const char *name, u32 fallback)
{
	return dev ? zio_config_value(dev, name, fallback) : fallback;
}

/* A device in configfs stores the positions of words, firmware the words themselves. */
static bool uart_is_in_configfs(struct device *dev)
{
	return dev && device_property_present(dev, "zio-id");
}

/* A word of the firmware could also be read as a number. Returns a position, or -EINVAL. */
static int uart_read_choice(struct device *dev, const char *name,
			    const char *const *choices, const char *fallback)
{
	if (uart_is_in_configfs(dev))
		return zio_config_value(dev, name, 0);
	if (dev)
		fallback = zio_config_text(dev, name, fallback);
	return match_string(choices, -1, fallback);
}

/* @text: pairs of hexadecimal digits, optionally separated by blanks */
static int uart_parse_mark(const char *text, struct uart_mark *mark)
{
	mark->len = 0;
	for (text = skip_spaces(text); *text; text = skip_spaces(text + 2)) {
		if (mark->len == UART_MAX_MARK)
			return -E2BIG;
		if (hex2bin(&mark->byte[mark->len++], text, 1))
			return -EINVAL;
	}
	return 0;
}

static int uart_read_mark(struct device *dev, const char *name, const char *fallback,
			  struct uart_mark *mark)
{
	const char *text = dev ? zio_config_text(dev, name, fallback) : fallback;
	int ret = uart_parse_mark(text, mark);

	if (ret)
		pr_err("%s is '%s': use up to %u pairs of hexadecimal digits\n", name,
		       text, UART_MAX_MARK);
	return ret;
}

static int uart_read_marks(struct device *dev, struct uart_format *format)
{
	int ret = uart_read_mark(dev, "start", uart_params.start, &format->start) ?:
		  uart_read_mark(dev, "end", uart_params.end, &format->end);

	if (ret)
		return ret;
	if ((format->kind == UART_LINE || format->kind == UART_TEXT) && !format->end.len)
		return uart_parse_mark("0a", &format->end);
	if (format->kind != UART_COBS)
		return 0;
	if (format->start.len || format->end.len) {
		pr_err("cobs frames have no start or end bytes: leave both empty\n");
		return -EINVAL;
	}
	return uart_parse_mark("00", &format->end);
}

static int uart_complain(int error, const char *remedy)
{
	pr_err("%s\n", remedy);
	return error;
}

/* A block of many samples needs much memory, and a line fills it slowly. */
static int uart_check_setup(const struct uart_setup *setup)
{
	const struct uart_format *format = &setup->format;

	if (!format->size || format->size > UART_MAX_SIZE)
		return uart_complain(-ERANGE, "size: use 1 to 4096");
	if (format->kind == UART_LENGTH && format->size > U8_MAX)
		return uart_complain(-ERANGE, "size: a length byte allows up to 255");
	if (!setup->frames || setup->frames > UART_MAX_FRAMES)
		return uart_complain(-ERANGE, "frames: use 1 to 65536");
	if (setup->ssize != 1 && setup->ssize != 2 && setup->ssize != 4)
		return uart_complain(-EINVAL, "ssize: use 1, 2 or 4");
	if (!format->columns || format->columns > UART_MAX_COLUMNS)
		return uart_complain(-ERANGE, "columns: use 1 to 64");
	if (format->decimals > UART_MAX_DECIMALS)
		return uart_complain(-ERANGE, "decimals: use 0 to 9");
	if (uart_frame_bytes(setup) % setup->ssize)
		return uart_complain(-EINVAL, "size: use a multiple of ssize");
	if (uart_frame_bytes(setup) * setup->frames > UART_MAX_BLOCK)
		return uart_complain(-ERANGE, "frames: a block has 16 MB at most");
	return 0;
}

static unsigned int uart_read_ssize(struct device *dev)
{
	u32 ssize = uart_read_number(dev, "ssize", uart_params.ssize);

	return uart_is_in_configfs(dev) ? BIT(ssize) : ssize;
}

/* The number of a column is a sample. Frames of other kinds have one channel. */
static void uart_read_columns(struct device *dev, struct uart_setup *setup)
{
	if (setup->format.kind == UART_TEXT) {
		setup->format.columns = uart_read_number(dev, "columns", uart_params.columns);
		setup->format.decimals = uart_read_number(dev, "decimals", uart_params.decimals);
		setup->ssize = sizeof(s32);
	} else {
		setup->format.columns = 1;
		setup->format.decimals = 0;
		setup->ssize = uart_read_ssize(dev);
	}
}

/**
 * uart_setup_read() - read what the user chose
 * @dev: the device with the properties; NULL: the module parameters
 * @setup: the result
 *
 * Context: process, sleeps.
 * Return: 0; -EINVAL for invalid words or digits, or values that do not fit together;
 *         -ERANGE; -E2BIG for too many start or end bytes.
 */
int uart_setup_read(struct device *dev, struct uart_setup *setup)
{
	int kind = uart_read_choice(dev, "frame", uart_kinds, uart_params.frame);
	int check = uart_read_choice(dev, "checksum", uart_checks, uart_params.checksum);
	int ret;

	if (kind < 0)
		return uart_complain(kind, "frame: use fixed, line, length, cobs or text");
	if (check < 0)
		return uart_complain(check, "checksum: none, sum8, xor8, crc8, crc16, crc16-ccitt");
	setup->format.kind = kind;
	setup->format.check = check;
	setup->format.size = uart_read_number(dev, "size", uart_params.size);
	uart_read_columns(dev, setup);
	setup->frames = uart_read_number(dev, "frames", uart_params.frames);
	ret = uart_read_marks(dev, &setup->format);
	return ret ?: uart_check_setup(setup);
}
