// SPDX-License-Identifier: GPL-2.0-only
/* attr.c: the attributes of the channel sets in sysfs, and the registers in debugfs */
#include <linux/bitfield.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "slink.h"

enum slink_attr {
	SLINK_LINK,
	SLINK_RESET,
	SLINK_WIDTH,
	SLINK_LINES,
	SLINK_LINES_IN,
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

const struct zio_attr_desc slink_input_attrs[] = {
	SLINK_RO("link", SLINK_LINK),
	{ .name = "reset", .mode = 0644, .max = RESET_FIFO, .id = SLINK_RESET },
	{ .name = "width", .mode = 0644, .value = 32, .min = 8, .max = 32,
	  .place = ZIO_ATTR_PLACE_STD, .index = ZIO_ATTR_NBITS,
	  .id = SLINK_WIDTH },
	{ .name = "return-lines", .mode = 0644, .max = 15,
	  .place = ZIO_ATTR_PLACE_EXT, .index = 0, .id = SLINK_LINES },
	{ .name = "test", .mode = 0644, .max = 1,
	  .place = ZIO_ATTR_PLACE_EXT, .index = 1, .id = SLINK_TEST },
	ZIO_ATTR_EXT("begin-word", 0644, 2, 0xb0f00000, SLINK_BEGIN),
	ZIO_ATTR_EXT("end-word", 0644, 3, 0xe0f00000, SLINK_END),
	ZIO_ATTR_EXT("word-mask", 0644, 4, 0xfffffff0, SLINK_MASK),
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

const struct zio_attr_desc slink_output_attrs[] = {
	SLINK_RO("return-lines", SLINK_LINES_IN),
	SLINK_STATISTIC("events", SLINK_SENT),
};

static int set_width(struct slink_card *card, u32 bits)
{
	u32 code;

	switch (bits) {
	case 32:
		code = 0;
		break;
	case 16:
		code = 1;
		break;
	case 8:
		code = 2;
		break;
	default:
		return -EINVAL;
	}
	slink_set_omb1(card, OMB1_WIDTH, FIELD_PREP(OMB1_WIDTH, code));
	return 0;
}

static int set_value(struct slink_card *card, unsigned long id, u32 value)
{
	switch (id) {
	case SLINK_WIDTH:
		return set_width(card, value);
	case SLINK_LINES:
		slink_set_omb1(card, OMB1_LINES,
			       FIELD_PREP(OMB1_LINES, value));
		break;
	case SLINK_TEST:
		card->test = value;
		/* An event of one mode must not continue in the other. */
		slink_drop_input(card);
		card->in.alarms = 0;
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

static int reset(struct slink_card *card, u32 what)
{
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
	default:
		return -EINVAL;
	}
	slink_service(card);
	return 0;
}

/**
 * slink_attr_set() - put the value of an attribute into the card
 * @cset: the channel set
 * @chan: NULL
 * @attr: the attribute
 * @value: the value, within the limits of @attr
 *
 * Context: process, sleeps. Takes card->lock.
 * Return: 0, or -EINVAL for a value between the limits that has no meaning.
 */
int slink_attr_set(struct zio_cset *cset, struct zio_channel *chan,
		   const struct zio_attr_desc *attr, u32 value)
{
	struct slink_card *card = zio_cset_priv(cset);
	unsigned long flags;
	int ret;

	if (attr->id == SLINK_RESET)
		return reset(card, value);
	spin_lock_irqsave(&card->lock, flags);
	ret = set_value(card, attr->id, value);
	spin_unlock_irqrestore(&card->lock, flags);
	slink_service(card);
	return ret;
}

static u32 get_value(struct slink_card *card, unsigned long id)
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
	case SLINK_LINES_IN:
		return slink_read(card, S5933_IMB3) & IMB3_LINES;
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
 * Context: process. Takes card->lock.
 * Return: 0.
 */
int slink_attr_get(struct zio_cset *cset, struct zio_channel *chan,
		   const struct zio_attr_desc *attr, u32 *value)
{
	struct slink_card *card = zio_cset_priv(cset);
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	*value = get_value(card, attr->id);
	spin_unlock_irqrestore(&card->lock, flags);
	return 0;
}

/*
 * A read of the FIFO takes a word, and a read of an incoming mailbox clears its flags.
 * So the dump omits these registers.
 */
static const struct {
	const char *name;
	unsigned int reg;
} slink_regs[] = {
	{ "OMB1", S5933_OMB1 },
	{ "OMB2", S5933_OMB2 },
	{ "MWAR", S5933_MWAR },
	{ "MWTC", S5933_MWTC },
	{ "MRAR", S5933_MRAR },
	{ "MRTC", S5933_MRTC },
	{ "MBEF", S5933_MBEF },
	{ "INTCSR", S5933_INTCSR },
	{ "MCSR", S5933_MCSR },
};

static int registers_show(struct seq_file *file, void *data)
{
	struct slink_card *card = file->private;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(slink_regs); i++)
		seq_printf(file, "%-6s %08x\n", slink_regs[i].name,
			   slink_read(card, slink_regs[i].reg));
	seq_printf(file, "%-6s %08x\n", "lines", card->lines);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

static void remove_dump(void *data)
{
	debugfs_remove_recursive(data);
}

/**
 * slink_create_dump() - create /sys/kernel/debug/zio-slink-ADDRESS/registers
 * @card: the card; the file is removed with its device
 *
 * Context: process, sleeps.
 * Return: 0 or -ENOMEM; also 0 on a kernel that has no debugfs.
 */
int slink_create_dump(struct slink_card *card)
{
	struct dentry *dir;
	char name[40];

	scnprintf(name, sizeof(name), "zio-slink-%s", pci_name(card->pdev));
	dir = debugfs_create_dir(name, NULL);
	debugfs_create_file("registers", 0400, dir, card, &registers_fops);
	return devm_add_action_or_reset(card->dev, remove_dump, dir);
}
