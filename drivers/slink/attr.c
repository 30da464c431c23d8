// SPDX-License-Identifier: GPL-2.0-only
/* attr.c: the attributes of the channel set in sysfs */
#include <linux/bitfield.h>

#include "slink.h"

enum slink_attr {
	SLINK_LINK,
	SLINK_RESET,
	SLINK_WIDTH,
	SLINK_LINES,
	SLINK_TEST,
	SLINK_BEGIN,
	SLINK_END,
	SLINK_MASK,
	SLINK_POLL,
	SLINK_STAT,	/* the first of SLINK_N_STATS */
};

enum slink_reset {
	RESET_CARD = 1,
	RESET_LINK,
	RESET_FIFO,
};

#define SLINK_RO(_name, _id)	ZIO_ATTR_PARAM(_name, 0444, 0, _id)
#define SLINK_STATISTIC(_name, _stat)					\
	ZIO_ATTR_PARAM(_name, 0444, 0, SLINK_STAT + (_stat))

static const u32 slink_resets[] = { RESET_CARD, RESET_LINK, RESET_FIFO };
static const u32 slink_widths[] = { 8, 16, 32 };

const struct zio_attr_desc slink_input_attrs[] = {
	SLINK_RO("link", SLINK_LINK),
	{ .name = "reset", .mode = 0644, .max = RESET_FIFO, .id = SLINK_RESET,
	  .choices = slink_resets, .n_choices = ARRAY_SIZE(slink_resets) },
	{ .name = "width", .mode = 0644, .value = 32, .min = 8, .max = 32,
	  .place = ZIO_ATTR_PLACE_STD, .index = ZIO_ATTR_NBITS,
	  .id = SLINK_WIDTH, .choices = slink_widths, .n_choices = ARRAY_SIZE(slink_widths) },
	{ .name = "return-lines", .mode = 0644, .max = 15,
	  .place = ZIO_ATTR_PLACE_EXT, .index = 0, .id = SLINK_LINES },
	{ .name = "test", .mode = 0644, .max = 1,
	  .place = ZIO_ATTR_PLACE_EXT, .index = 1, .id = SLINK_TEST },
	ZIO_ATTR_EXT("begin-word", 0644, 2, 0xb0f00000, SLINK_BEGIN),
	ZIO_ATTR_EXT("end-word", 0644, 3, 0xe0f00000, SLINK_END),
	ZIO_ATTR_EXT("word-mask", 0644, 4, 0xfffffff0, SLINK_MASK),
	ZIO_ATTR_BLOCK("begin", SLINK_VALUE_BEGIN, 0),
	ZIO_ATTR_BLOCK("end", SLINK_VALUE_END, 0),
	{ .name = "poll-us", .mode = 0644, .max = 1000000, .id = SLINK_POLL },
	SLINK_STATISTIC("events", SLINK_EVENTS),
	SLINK_STATISTIC("words", SLINK_WORDS),
	SLINK_STATISTIC("interrupts", SLINK_INTERRUPTS),
	SLINK_STATISTIC("polls", SLINK_POLLS),
	SLINK_STATISTIC("cpu-words", SLINK_CPU_WORDS),
	SLINK_STATISTIC("transfers", SLINK_TRANSFERS),
	SLINK_STATISTIC("transmission-errors", SLINK_ERRORS),
	SLINK_STATISTIC("lost-ends", SLINK_LOST_ENDS),
	SLINK_STATISTIC("lost-starts", SLINK_LOST_STARTS),
	SLINK_STATISTIC("unknown-words", SLINK_UNKNOWN),
	SLINK_STATISTIC("truncated-words", SLINK_TRUNCATED),
	SLINK_STATISTIC("overflows", SLINK_OVERFLOWS),
	SLINK_STATISTIC("link-drops", SLINK_LINK_DROPS),
	SLINK_STATISTIC("aborts", SLINK_ABORTS),
	SLINK_STATISTIC("test-errors", SLINK_TEST_ERRORS),
	SLINK_STATISTIC("restarts", SLINK_RESTARTS),
};

static int slink_set_value(struct slink_card *card, unsigned long id, u32 value)
{
	u8 alarms;

	switch (id) {
	case SLINK_WIDTH:
		slink_set_omb1(card, OMB1_WIDTH,
			       FIELD_PREP(OMB1_WIDTH, slink_width_code(value)));
		break;
	case SLINK_LINES:
		slink_set_omb1(card, OMB1_LINES,
			       FIELD_PREP(OMB1_LINES, value));
		break;
	case SLINK_TEST:
		/* This ends the transfer. */
		if (card->chip.halted)
			return -EIO;
		card->test = value;
		/*
		 * An event of one mode must not continue in the other. The user drops it,
		 * but what was lost before is still reported.
		 */
		alarms = card->in.alarms;
		slink_drop_input(card);
		card->in.alarms = alarms;
		slink_set_omb1(card, OMB1_UTDO_N, value ? 0 : OMB1_UTDO_N);
		break;
	case SLINK_BEGIN:
		card->begin = value;
		break;
	case SLINK_END:
		card->end = value;
		break;
	case SLINK_MASK:
		card->mask = value;
		break;
	case SLINK_POLL:
		card->poll_us = value;
		break;
	}
	return 0;
}

static int slink_reset(struct slink_card *card, u32 what)
{
	if (s5933_is_halted(&card->chip))
		return -EIO;
	switch (what) {
	case RESET_CARD:
		slink_restart(card);
		break;
	case RESET_LINK:
		slink_reset_link(card);
		break;
	case RESET_FIFO:
		slink_empty_fifo(card);
		break;
	}
	slink_service(card);
	return 0;
}

/**
 * slink_attr_set() - write the value of an attribute to the card
 * @cset: the channel set
 * @chan: NULL
 * @attr: the attribute
 * @value: the value, within the limits of @attr
 *
 * Context: process, sleeps. Takes the lock.
 * Return: 0, or -EINVAL for a value within the limits that has no meaning.
 */
int slink_attr_set(struct zio_cset *cset, struct zio_channel *chan,
		   const struct zio_attr_desc *attr, u32 value)
{
	struct slink_card *card = zio_cset_priv(cset);
	unsigned long flags;
	int ret;

	if (attr->id == SLINK_RESET)
		return slink_reset(card, value);
	spin_lock_irqsave(&card->chip.lock, flags);
	ret = slink_set_value(card, attr->id, value);
	spin_unlock_irqrestore(&card->chip.lock, flags);
	slink_service(card);
	return ret;
}

static u32 slink_get_value(struct slink_card *card, unsigned long id)
{
	switch (id) {
	case SLINK_LINK:
		return (card->lines & LINE_LDOWN_N) && !card->resetting;
	case SLINK_RESET:
		return 0;
	case SLINK_WIDTH:
		return slink_width(card);
	case SLINK_LINES:
		return FIELD_GET(OMB1_LINES, card->omb1);
	case SLINK_TEST:
		return card->test;
	case SLINK_BEGIN:
		return card->begin;
	case SLINK_END:
		return card->end;
	case SLINK_MASK:
		return card->mask;
	case SLINK_POLL:
		return card->poll_us;
	}
	return atomic64_read(&card->stat[id - SLINK_STAT]);
}

/**
 * slink_attr_get() - read the value of an attribute from the card
 * @cset: the channel set
 * @chan: NULL
 * @attr: the attribute
 * @value: the result
 *
 * Context: process. Takes the lock.
 * Return: 0.
 */
int slink_attr_get(struct zio_cset *cset, struct zio_channel *chan,
		   const struct zio_attr_desc *attr, u32 *value)
{
	struct slink_card *card = zio_cset_priv(cset);
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	*value = slink_get_value(card, attr->id);
	spin_unlock_irqrestore(&card->chip.lock, flags);
	return 0;
}
