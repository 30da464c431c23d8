// SPDX-License-Identifier: GPL-2.0-only
/*
 * line.c: the ZIO device of a serial line: frames become blocks
 *
 * The set has the trigger transparent: a block is armed whenever there is room, and the
 * receiver copies frames into it. The block is done when it is full, or when the line loses
 * something: the frames of a block follow each other without a gap. Lost frames count as
 * lost blocks: the next block has a later sequence number and an alarm. A line of text has
 * a sample for the block of each channel.
 *
 * uart_raw_io() stores the room, then line->armed (release). This pairs with the load of
 * line->armed (acquire) in uart_armed_block(). Without it, the receiver could use the room
 * of an old block.
 *
 * The receiver holds line->lock while it handles a batch of bytes. uart_stop_io() clears
 * line->armed and takes the lock: after that no receiver has the block.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/tty.h>

#include "uart.h"

#define UART_STAT(_name, _id)	ZIO_ATTR_PARAM(_name, 0444, 0, _id)

static const struct zio_attr_desc uart_attrs[] = {
	UART_STAT("frames", UART_FRAMES),
	UART_STAT("lost-frames", UART_LOST_FRAMES),
	UART_STAT("missed-frames", UART_MISSED_FRAMES),
	UART_STAT("parity-errors", UART_PARITY_ERRORS),
	UART_STAT("framing-errors", UART_FRAMING_ERRORS),
	UART_STAT("breaks", UART_BREAKS),
	UART_STAT("overruns", UART_OVERRUNS),
	UART_STAT("checksum-errors", UART_CHECKSUMS),
	UART_STAT("skipped-bytes", UART_SKIPPED),
	UART_STAT("long-frames", UART_TOO_LONG),
	UART_STAT("bad-numbers", UART_NO_NUMBERS),
	UART_STAT("bad-columns", UART_NO_COLUMNS),
	UART_STAT("large-numbers", UART_TOO_LARGE),
};

/* Returns the first armed block, or NULL. All have the same room. */
static struct zio_block *uart_armed_block(struct uart_line *line)
{
	/* Pairs with uart_raw_io(), see above. */
	if (!smp_load_acquire(&line->armed))
		return NULL;
	return zio_cset_block(line->cset);
}

/* The driver's file "alarms" shows the bits at once, the next block when it is done. */
static void uart_raise_alarms(struct uart_line *line, u8 alarms)
{
	unsigned int i;

	for (i = 0; alarms && i < line->cset_desc.n_chan; i++)
		if (line->chan[i])
			zio_channel_alarm(line->chan[i], alarms);
}

static void uart_lose_frames(struct uart_line *line, unsigned int n, u8 alarms)
{
	line->lost += n;
	line->stat[UART_LOST_FRAMES] += n;
	uart_raise_alarms(line, alarms);
}

/* Ends the blocks that already have frames, if any. */
static void uart_finish_block(struct uart_line *line)
{
	struct zio_block *block = uart_armed_block(line);
	unsigned int n = line->n_frames;
	struct zio_channel *chan;
	struct zio_armed *pos;

	if (!block || !n)
		return;
	zio_for_each_block(line->cset, pos, chan, block)
		block->len = line->pos;
	line->n_frames = 0;
	WRITE_ONCE(line->armed, 0);
	if (!zio_cset_done(line->cset))
		uart_lose_frames(line, n, UART_MISSED);
}

/* Frames of one size: the user may change the size of blocks, and so this number. */
static unsigned int uart_frames_per_block(const struct uart_line *line)
{
	const struct uart_setup *setup = &line->setup;
	enum uart_kind kind = setup->format.kind;

	if (kind != UART_FIXED && kind != UART_TEXT)
		return setup->frames;
	return max_t(size_t, 1, line->room / uart_frame_bytes(setup));
}

/* Begins the blocks with a frame of time @at (ktime_get_ns()); reports earlier losses. */
static void uart_begin_block(struct uart_line *line, struct zio_block *first, u64 at)
{
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	if (line->lost)
		zio_cset_lost(line->cset,
			      DIV_ROUND_UP(line->lost, uart_frames_per_block(line)));
	line->lost = 0;
	line->pos = 0;
	zio_cset_stamp_at(line->cset, first, at);
	zio_for_each_block(line->cset, pos, chan, block)
		block->tstamp = first->tstamp;
}

/* Returns the first armed block if it has room for @len bytes, or NULL. */
static struct zio_block *uart_block_with_room(struct uart_line *line, size_t len)
{
	struct zio_block *block = uart_armed_block(line);

	if (block && line->n_frames && len > line->room - line->pos) {
		uart_finish_block(line);
		block = uart_armed_block(line);
	}
	return block;
}

/* A frame does not fit. The frames of a block follow each other, so the block ends here. */
static void uart_lose_misfit(struct uart_line *line)
{
	uart_finish_block(line);
	line->misfits++;
	uart_lose_frames(line, 1, UART_LONG);
}

static void uart_store_frame(struct uart_line *line, const struct uart_found *found)
{
	size_t len = found->len / line->cset_desc.n_chan; /* for each channel */
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	if (len % line->setup.ssize) {
		uart_lose_misfit(line);
		return;
	}
	block = uart_block_with_room(line, len);
	if (block && len > line->room) {
		uart_lose_misfit(line);
		return;
	}
	if (!block) {
		line->stat[UART_MISSED_FRAMES]++;
		uart_lose_frames(line, 1, UART_MISSED);
		return;
	}
	if (!line->n_frames)
		uart_begin_block(line, block, found->at);
	zio_for_each_block(line->cset, pos, chan, block)
		memcpy(block->data + line->pos, found->data + zio_channel_index(chan) * len, len);
	line->pos += len;
	if (++line->n_frames >= uart_frames_per_block(line))
		uart_finish_block(line);
}

static void uart_take_frames(struct uart_line *line)
{
	struct uart_found found;

	while (uart_parser_next(&line->parser, &found)) {
		line->stat[UART_FRAMES]++;
		if (found.lost) {
			uart_finish_block(line);
			uart_lose_frames(line, found.lost, found.reasons);
		}
		uart_store_frame(line, &found);
	}
}

/* @n_bytes: bytes of the frame, counting the one that an overrun has lost */
static void uart_take_error(struct uart_line *line, enum uart_stat stat, u8 alarm,
			    unsigned int n_bytes)
{
	line->stat[stat]++;
	uart_finish_block(line);
	uart_raise_alarms(line, alarm);
	uart_parser_fail(&line->parser, alarm, n_bytes);
}

static void uart_take_byte(struct uart_line *line, u8 byte, u8 flag, u64 now)
{
	switch (flag) {
	case TTY_NORMAL:
		uart_parser_put(&line->parser, byte, now);
		break;
	case TTY_BREAK:
		uart_take_error(line, UART_BREAKS, UART_BREAK, 0);
		break;
	case TTY_PARITY:
		uart_take_error(line, UART_PARITY_ERRORS, UART_PARITY, 1);
		break;
	case TTY_OVERRUN:
		uart_take_error(line, UART_OVERRUNS, UART_OVERRUN, 1);
		break;
	default:
		uart_take_error(line, UART_FRAMING_ERRORS, UART_FRAMING, 1);
		break;
	}
	uart_take_frames(line);
}

/**
 * uart_line_receive() - take bytes from the line
 * @line: the line
 * @data: the bytes
 * @flags: TTY_NORMAL, TTY_PARITY, ... for each byte; NULL: all are normal
 * @n: number of bytes
 *
 * Context: process, sleeps. Takes line->lock.
 */
void uart_line_receive(struct uart_line *line, const u8 *data, const u8 *flags, size_t n)
{
	u64 now = ktime_get_ns();
	size_t i;

	mutex_lock(&line->lock);
	for (i = 0; i < n && line->is_live; i++)
		uart_take_byte(line, data[i], flags ? flags[i] : TTY_NORMAL, now);
	mutex_unlock(&line->lock);
}

/**
 * uart_line_set_speed() - set the time that a byte takes
 * @line: the line
 * @bits: bits per byte, with start, parity and stop bits
 * @baud: bits per second; 0: unknown
 *
 * Context: process, sleeps. Takes line->lock.
 */
void uart_line_set_speed(struct uart_line *line, unsigned int bits, unsigned int baud)
{
	mutex_lock(&line->lock);
	WRITE_ONCE(line->byte_ns, baud ? div_u64((u64)bits * NSEC_PER_SEC, baud) : 0);
	if (line->is_live)
		zio_cset_timing_changed(line->cset);
	mutex_unlock(&line->lock);
}

/* The port has a byte when its last bit has arrived. */
static void uart_get_timing(const struct zio_cset *cset, struct zio_timing *timing)
{
	const struct uart_line *line = zio_cset_priv(cset);

	timing->first_ps = -(s64)READ_ONCE(line->byte_ns) * PSEC_PER_NSEC;
}

static int uart_init(struct zio_cset *cset)
{
	struct uart_line *line = zio_cset_priv(cset);

	line->cset = cset;
	return 0;
}

static int uart_raw_io(struct zio_cset *cset)
{
	struct uart_line *line = zio_cset_priv(cset);
	struct zio_channel *chan;
	struct zio_armed *pos;

	zio_for_each_channel(cset, pos, chan)
		WRITE_ONCE(line->chan[zio_channel_index(chan)], chan);
	line->room = zio_cset_block(cset)->len;
	/* Pairs with uart_armed_block(), see above. */
	smp_store_release(&line->armed, 1);
	return ZIO_PENDING;
}

static void uart_stop_io(struct zio_cset *cset)
{
	struct uart_line *line = zio_cset_priv(cset);

	WRITE_ONCE(line->armed, 0);
	mutex_lock(&line->lock);
	if (line->n_frames)
		uart_lose_frames(line, line->n_frames, UART_MISSED);
	line->n_frames = 0;
	mutex_unlock(&line->lock);
}

/* The line may have lost bytes, so the frame and the block that have begun end here. */
static bool uart_resumed(struct zio_cset *cset)
{
	struct uart_line *line = zio_cset_priv(cset);

	mutex_lock(&line->lock);
	uart_finish_block(line);
	uart_parser_cut(&line->parser, UART_CUT);
	uart_take_frames(line);
	mutex_unlock(&line->lock);
	return false;
}

static int uart_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 *value)
{
	struct uart_line *line = zio_cset_priv(cset);
	const struct uart_counts *counts = &line->parser.counts;

	mutex_lock(&line->lock);
	switch (attr->id) {
	case UART_CHECKSUMS:
		*value = counts->checksums;
		break;
	case UART_SKIPPED:
		*value = counts->skipped;
		break;
	case UART_TOO_LONG:
		*value = counts->too_long + line->misfits;
		break;
	case UART_NO_NUMBERS:
		*value = counts->no_numbers;
		break;
	case UART_NO_COLUMNS:
		*value = counts->no_columns;
		break;
	case UART_TOO_LARGE:
		*value = counts->too_large;
		break;
	default:
		*value = line->stat[attr->id];
	}
	mutex_unlock(&line->lock);
	return 0;
}

static const struct zio_cset_ops uart_ops = {
	.init = uart_init,
	.raw_io = uart_raw_io,
	.stop_io = uart_stop_io,
	.attr_get = uart_attr_get,
	.get_timing = uart_get_timing,
	.resumed = uart_resumed,
};

static void uart_describe(struct uart_line *line)
{
	const struct uart_setup *setup = &line->setup;
	bool is_text = setup->format.kind == UART_TEXT;

	/* The samples are plain numbers until a user sets their unit and scale. */
	line->scaling = (struct zio_scaling) {
		.flags = ZIO_SCALING_WRITABLE | (is_text ? ZIO_SCALING_SIGNED : 0),
		.mant = 1,
		.exp = -(int)setup->format.decimals,
	};
	line->cset_desc = (struct zio_cset_desc) {
		.name = "uart-input",
		.flags = ZIO_CSET_USER_RATE,
		.n_chan = setup->format.columns,
		.ssize = setup->ssize,
		.nsamples = uart_frame_bytes(setup) * setup->frames / setup->ssize,
		.trigger = "transparent",
		.ops = &uart_ops,
		.cset_attrs = uart_attrs,
		.n_cset_attrs = ARRAY_SIZE(uart_attrs),
		.scaling = &line->scaling,
		.n_scaling = 1,
	};
	line->desc = (struct zio_device_desc) {
		.name = UART_NAME,
		.owner = THIS_MODULE,
		.cset = &line->cset_desc,
		.n_cset = 1,
	};
}

static void uart_release_line(struct kref *ref)
{
	struct uart_line *line = container_of(ref, struct uart_line, ref);

	uart_parser_free(&line->parser);
	mutex_destroy(&line->lock);
	mutex_destroy(&line->plug);
	kfree(line);
}

/**
 * uart_line_put() - drop a reference to a line
 * @line: the line, already unplugged
 *
 * Context: process, sleeps.
 */
void uart_line_put(struct uart_line *line)
{
	kref_put(&line->ref, uart_release_line);
}

/**
 * uart_line_create() - make the ZIO device of a line
 * @parent: its parent, or NULL
 * @setup: what the user chose
 * @id: number of the device, or ZIO_ID_AUTO
 *
 * Context: process, sleeps.
 * Return: the line, for the caller to put; or an ERR_PTR, as zio_device_register().
 */
struct uart_line *uart_line_create(struct device *parent, const struct uart_setup *setup,
				   int id)
{
	struct uart_line *line = kzalloc(sizeof(*line), GFP_KERNEL);
	struct zio_device *zdev;
	int ret;

	if (!line)
		return ERR_PTR(-ENOMEM);
	kref_init(&line->ref);
	mutex_init(&line->plug);
	mutex_init(&line->lock);
	line->setup = *setup;
	uart_describe(line);
	ret = uart_parser_init(&line->parser, &line->setup.format);
	if (ret)
		goto err_line;
	zdev = zio_device_register(parent, &line->desc, id, line);
	ret = PTR_ERR_OR_ZERO(zdev);
	if (ret)
		goto err_line;
	line->zdev = zdev;
	line->is_live = true;
	return line;

err_line:
	uart_line_put(line);
	return ERR_PTR(ret);
}

/**
 * uart_line_unplug() - remove the ZIO device of a line
 * @line: the line; nothing happens if it is already unplugged
 *
 * Readers get -ENODEV. The device is gone when the function returns.
 *
 * Context: process, sleeps. Takes line->plug and line->lock.
 */
void uart_line_unplug(struct uart_line *line)
{
	mutex_lock(&line->plug);
	mutex_lock(&line->lock);
	line->is_live = false;
	mutex_unlock(&line->lock);
	if (line->zdev)
		zio_device_unregister(line->zdev);
	line->zdev = NULL;
	mutex_unlock(&line->plug);
}
