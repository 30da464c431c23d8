// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-loop.c: an output that is looped to an input
 *
 * cset0 is the output and cset1 the input, with the same number of channels. Channel n of
 * the output is looped to channel n of the input. Each set has its own trigger, of any
 * type. An output block stays armed until input blocks have taken all of it.
 *
 * The input's block gets from the output's block:
 *   - the samples and their number;
 *   - the time stamp of its control (seconds, ticks, bins), unless it is zero. Otherwise
 *     the block keeps the time at which the trigger of the input fired.
 * The rest of the control is the input's own. The sequence number counts the input's
 * blocks, so a gap is a loss. Alarms, attributes and the trigger's name are not copied.
 *
 * If an output block is larger than the input's blocks, it arrives in pieces with the same
 * time stamp. All pieces except the last have the alarm LOOP_MORE. A smaller output block
 * makes a short input block. If the output has nothing for an input channel, the channel
 * gets an empty block with the alarm LOOP_EMPTY. If the input has no block for an output
 * channel, the output block is lost, and the output channel gets the alarm LOOP_UNHEARD.
 *
 * A device made in configfs can act as an output that cannot play from all memory: samples
 * must then begin at a multiple of "align" bytes, within "dma-bits" bits of address. The
 * core copies other samples of shared blocks.
 *
 * The set that is armed first waits ("waiting"). The set that is armed second copies
 * without a lock, and completes both. Meanwhile the first one is "busy", and stop_io()
 * waits for it. If an abort comes between the copy and zio_cset_done(), the piece was not
 * taken, and the output plays it again.
 */
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/zio-config.h>
#include <linux/zio.h>

#define LOOP_MORE	BIT(0)	/* input: the next block continues this one */
#define LOOP_EMPTY	BIT(1)	/* input: the output had nothing for this channel */
#define LOOP_UNHEARD	BIT(2)	/* output: the block is lost: the input had no block */

#define LOOP_MAX	1024	/* channels of each set, bytes per sample */

static unsigned int ndev = 1, nchan = 1, ssize = 1;
module_param(ndev, uint, 0444);
MODULE_PARM_DESC(ndev, "number of devices (default 1)");
module_param(nchan, uint, 0444);
MODULE_PARM_DESC(nchan, "channels of each set (default 1)");
module_param(ssize, uint, 0444);
MODULE_PARM_DESC(ssize, "bytes per sample (default 1)");

enum { LOOP_OUTPUT, LOOP_INPUT };

/* @piece and @unheard describe the last copy; @fired is the time of the input's event. */
struct loop_channel {
	struct zio_channel *output;
	struct zio_block *block;
	size_t len;
	size_t played;
	size_t piece;
	bool unheard;
	struct zio_timestamp fired;
};

struct loop_state {
	struct zio_cset_desc cset[2];
	struct zio_device_desc desc;
	spinlock_t lock; /* waiting, busy */
	wait_queue_head_t idle;
	struct zio_cset *waiting;
	struct zio_cset *busy;
	unsigned int n_chan;
	struct loop_channel chan[];
};

/* Returns the set that waits, now busy; or NULL, and @cset waits from now on. */
static struct zio_cset *loop_meet_other(struct loop_state *state,
					struct zio_cset *cset)
{
	struct zio_cset *other;
	unsigned long flags;

	spin_lock_irqsave(&state->lock, flags);
	other = state->waiting;
	if (other)
		state->busy = other;
	state->waiting = other ? NULL : cset;
	spin_unlock_irqrestore(&state->lock, flags);
	return other;
}

/* @waits: the set that still waits for blocks, or NULL */
static void loop_leave_other(struct loop_state *state, struct zio_cset *waits)
{
	unsigned long flags;

	spin_lock_irqsave(&state->lock, flags);
	state->busy = NULL;
	if (waits)
		state->waiting = waits;
	spin_unlock_irqrestore(&state->lock, flags);
	wake_up(&state->idle);
}

static bool loop_has_time(const struct zio_block *block)
{
	return block->tstamp.secs || block->tstamp.ticks || block->tstamp.bins;
}

static void loop_copy_piece(struct loop_channel *lchan, struct zio_block *to)
{
	size_t left = lchan->block ? lchan->len - lchan->played : 0;

	lchan->unheard = false;
	lchan->piece = min(left, to->size);
	to->len = lchan->piece;
	to->tstamp = lchan->fired;
	to->drv_alarms = 0;
	if (!left) {
		to->drv_alarms = LOOP_EMPTY;
		return;
	}
	memcpy(to->data, lchan->block->data + lchan->played, lchan->piece);
	if (loop_has_time(lchan->block))
		to->tstamp = lchan->block->tstamp;
	if (lchan->piece < left)
		to->drv_alarms = LOOP_MORE;
}

/* Returns true if nothing is left to play. */
static bool loop_copy_pieces(struct loop_state *state, struct zio_cset *input)
{
	struct loop_channel *lchan = state->chan;
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;
	bool all = true;

	for (; lchan < state->chan + state->n_chan; lchan++) {
		lchan->unheard = lchan->block && lchan->played < lchan->len;
		lchan->piece = lchan->len - lchan->played;
	}
	zio_for_each_block(input, pos, chan, block) {
		lchan = &state->chan[zio_channel_index(chan)];
		loop_copy_piece(lchan, block);
		all &= lchan->played + lchan->piece == lchan->len;
	}
	return all;
}

/* The input has taken the pieces. Its blocks must not be touched from here on. */
static void loop_advance(struct loop_state *state)
{
	struct loop_channel *lchan = state->chan;

	for (; lchan < state->chan + state->n_chan; lchan++) {
		lchan->played += lchan->piece;
		if (lchan->unheard)
			zio_channel_alarm(lchan->output, LOOP_UNHEARD);
	}
}

static void loop_note_outputs(struct loop_state *state, struct zio_cset *cset)
{
	struct loop_channel *lchan = state->chan;
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	for (; lchan < state->chan + state->n_chan; lchan++) {
		lchan->block = NULL;
		lchan->len = 0;
		lchan->played = 0;
	}
	zio_for_each_block(cset, pos, chan, block) {
		lchan = &state->chan[zio_channel_index(chan)];
		lchan->output = chan;
		lchan->block = block;
		lchan->len = block->len;
	}
}

static int loop_output(struct zio_cset *cset)
{
	struct loop_state *state = zio_cset_priv(cset);
	bool last, taken;
	struct zio_cset *input;

	loop_note_outputs(state, cset);
	do {
		input = loop_meet_other(state, cset);
		if (!input)
			return ZIO_PENDING;
		last = loop_copy_pieces(state, input);
		taken = zio_cset_done(input);
		if (taken)
			loop_advance(state);
		loop_leave_other(state, NULL);
	} while (!taken || !last);
	return 0;
}

/* After zio_cset_done(output), state->chan belongs to the next output blocks. */
static int loop_input(struct zio_cset *cset)
{
	struct loop_state *state = zio_cset_priv(cset);
	bool last, taken = true;
	struct zio_cset *output;
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(cset, pos, chan, block)
		state->chan[zio_channel_index(chan)].fired = block->tstamp;
	output = loop_meet_other(state, cset);
	if (!output)
		return ZIO_PENDING;
	last = loop_copy_pieces(state, cset);
	loop_advance(state);
	if (last)
		taken = zio_cset_done(output);
	loop_leave_other(state, !last ? output : !taken ? cset : NULL);
	return taken ? 0 : ZIO_PENDING;
}

static void loop_stop(struct zio_cset *cset)
{
	struct loop_state *state = zio_cset_priv(cset);

	spin_lock_irq(&state->lock);
	wait_event_lock_irq(state->idle, state->busy != cset, state->lock);
	if (state->waiting == cset)
		state->waiting = NULL;
	spin_unlock_irq(&state->lock);
}

static const struct zio_cset_ops loop_output_ops = {
	.raw_io = loop_output,
	.stop_io = loop_stop,
};

static const struct zio_cset_ops loop_input_ops = {
	.raw_io = loop_input,
	.stop_io = loop_stop,
};

/* loop_describe() adds what parameters and configfs choose. */
static const struct zio_cset_desc loop_csets[] = {
	[LOOP_OUTPUT] = {
		.name = "loop-output",
		.flags = ZIO_CSET_OUTPUT,
		.ops = &loop_output_ops,
	},
	[LOOP_INPUT] = {
		.name = "loop-input",
		.ops = &loop_input_ops,
	},
};

static const struct zio_attr_desc loop_config_attrs[] = {
	{ .name = "channels", .mode = 0644, .value = 1, .min = 1, .max = LOOP_MAX },
	{ .name = "ssize", .mode = 0644, .value = 1, .min = 1, .max = LOOP_MAX },
	{ .name = "nsamples", .mode = 0644, .value = 16, .min = 1, .max = BIT(24) },
	{ .name = "align", .mode = 0644, .value = 1, .min = 1, .max = SZ_4K },
	{ .name = "dma-bits", .mode = 0644, .value = 64, .min = 1, .max = 64 },
};

static void loop_describe(struct loop_state *state, struct device *dev)
{
	unsigned int i;

	for (i = LOOP_OUTPUT; i <= LOOP_INPUT; i++) {
		state->cset[i] = loop_csets[i];
		state->cset[i].n_chan = state->n_chan;
		state->cset[i].ssize = zio_config_value(dev, "ssize", ssize);
		state->cset[i].nsamples = zio_config_value(dev, "nsamples", 0);
	}
	state->cset[LOOP_OUTPUT].align = zio_config_value(dev, "align", 1);
	state->cset[LOOP_OUTPUT].dma_bits = zio_config_value(dev, "dma-bits", 64);
	state->desc.name = "zloop";
	state->desc.owner = THIS_MODULE;
	state->desc.cset = state->cset;
	state->desc.n_cset = ARRAY_SIZE(state->cset);
}

static int loop_probe(struct platform_device *pdev)
{
	unsigned int n = zio_config_value(&pdev->dev, "channels", nchan);
	int id = zio_config_id(&pdev->dev, pdev->id);
	struct loop_state *state;

	state = devm_kzalloc(&pdev->dev, struct_size(state, chan, n),
			     GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	spin_lock_init(&state->lock);
	init_waitqueue_head(&state->idle);
	state->n_chan = n;
	loop_describe(state, &pdev->dev);
	if (!is_power_of_2(state->cset[LOOP_OUTPUT].align))
		return -EINVAL;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev,
							&state->desc, id,
							state));
}

static struct platform_driver loop_driver = {
	.driver.name = "zio-loop",
	.probe = loop_probe,
};

static struct zio_config_type loop_config = {
	.name = "zloop",
	.owner = THIS_MODULE,
	.driver = &loop_driver,
	.attrs = loop_config_attrs,
	.n_attrs = ARRAY_SIZE(loop_config_attrs),
};

static int __init loop_init(void)
{
	if (!nchan || nchan > LOOP_MAX || !ssize || ssize > LOOP_MAX)
		return -EINVAL;
	return zio_config_driver_register(&loop_config, ndev);
}

static void __exit loop_exit(void)
{
	zio_config_driver_unregister(&loop_config);
}

module_init(loop_init);
module_exit(loop_exit);
MODULE_DESCRIPTION("ZIO: an output that is looped to an input");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
