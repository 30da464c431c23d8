// SPDX-License-Identifier: GPL-2.0-only
/*
 * scale_test.c: the scale and the offset of a channel are the doubles that strtod() reads
 *
 * # not kasan: it compares values, of which KUnit has the hard ones
 */
#include "board.h"
#include "harness.h"

#define CHANNEL		ZZERO_SYS "/cset0/chan0"
#define ROUNDS		4000
#define EXP_BIAS	1023

SETUP(fresh)
{
	renew_zzero();
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* The double whose low half is at @low */
static double get_double(const struct zio_control *ctrl, unsigned int low)
{
	const uint32_t *half = &ctrl->attr_channel.std_val[low];

	return double_of(half[0] | (uint64_t)half[1] << 32);
}

/* The control that the next block would have */
static struct zio_control next_control(void)
{
	int fd = open_file(CHANNEL "/current-control", O_RDONLY);
	struct zio_control ctrl = read_control(fd);

	close(fd);
	return ctrl;
}

static uint64_t draw(void)
{
	static uint64_t state = 20261124;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Any number of digits and any exponent that the file takes; often near two doubles. */
static void draw_decimal(char *text, size_t size)
{
	static const uint64_t powers[] = { 1, 10, 1000, 1000000, 1000000000000 };
	uint64_t digits = draw() / 2 / powers[draw() % 5] >> draw() % 12;
	int exp = (int)(draw() % 520) - 278;

	if (draw() % 3 == 0)
		exp = (int)(draw() % 8) - 12;
	snprintf(text, size, "%s%ju.%ue%d", draw() & 1 ? "-" : "",
		 (uintmax_t)(digits / 10 | 1), (unsigned int)(digits % 10), exp);
	if (draw() % 4 == 0)
		snprintf(text, size, "%.17g", double_of(bits_of(strtod(text, NULL)) + 1));
}

TEST("random scales and offsets are the nearest doubles", fresh)
{
	struct zio_control ctrl;
	char scale[64], offset[64];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		draw_decimal(scale, sizeof(scale));
		draw_decimal(offset, sizeof(offset));
		write_text(CHANNEL "/scale", scale);
		write_text(CHANNEL "/offset", offset);
		ctrl = next_control();
		if (get_double(&ctrl, ZIO_ATTR_SCALE_LOW) != strtod(scale, NULL))
			FAIL("scale %s", scale);
		if (get_double(&ctrl, ZIO_ATTR_OFFSET_LOW) != strtod(offset, NULL))
			FAIL("offset %s", offset);
	}
}

/* Doubles of which the shortest text has 17 digits come back bit for bit. */
TEST("any double is kept exactly", fresh)
{
	struct zio_control ctrl;
	char text[64];
	double wanted;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		wanted = double_of((EXP_BIAS - 900 + draw() % 1800) << 52 | draw() >> 12);
		snprintf(text, sizeof(text), "%.17g", wanted);
		write_text(CHANNEL "/scale", text);
		ctrl = next_control();
		if (get_double(&ctrl, ZIO_ATTR_SCALE_LOW) != wanted)
			FAIL("%s", text);
	}
}
