// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-trig-chain.c: an event whenever another channel set is done
 *
 * The user names the other set by its address, "zzero-0000/cset0". After its board has
 * gone, the trigger does not fire until the user writes a new address.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/zio-trigger.h>

enum { CHAIN_SOURCE };

static const struct zio_attr_desc chain_attrs[] = {
	[CHAIN_SOURCE] = {
		.name = "source",
		.mode = 0644,
		.text = "<set>",
	},
};

struct chain_state {
	struct zio_cset_notifier notifier;
	struct zio_trigger *trig;
	bool watching;
};

static void chain_done(struct zio_cset_notifier *notifier)
{
	struct chain_state *state = container_of(notifier, struct chain_state,
						 notifier);

	zio_trigger_fire(state->trig);
}

static int chain_create(struct zio_trigger *trig)
{
	struct chain_state *state = kzalloc(sizeof(*state), GFP_KERNEL);

	if (!state)
		return -ENOMEM;
	state->trig = trig;
	state->notifier.done = chain_done;
	trig->priv = state;
	return 0;
}

static void chain_destroy(struct zio_trigger *trig)
{
	kfree(trig->priv);
}

static int chain_start(struct zio_trigger *trig)
{
	const char *source = zio_trigger_text(trig, CHAIN_SOURCE);
	struct chain_state *state = trig->priv;
	int ret;

	if (!*source)
		return 0;
	ret = zio_cset_notifier_add(&state->notifier, source);
	/* A missing board must not cause other changes of the trigger to fail. */
	state->watching = !ret;
	return ret == -ENODEV ? 0 : ret;
}

static void chain_stop(struct zio_trigger *trig)
{
	struct chain_state *state = trig->priv;

	if (state->watching)
		zio_cset_notifier_remove(&state->notifier);
	state->watching = false;
}

static int chain_text_is_valid(struct zio_trigger *trig, unsigned int index,
			       const char *text)
{
	return zio_cset_notifier_check(trig, text);
}

static const struct zio_trigger_ops chain_ops = {
	.create = chain_create,
	.destroy = chain_destroy,
	.start = chain_start,
	.stop = chain_stop,
	.text_is_valid = chain_text_is_valid,
};

static struct zio_trigger_type zio_trigger_chain = {
	.name = "chain",
	.owner = THIS_MODULE,
	.ops = &chain_ops,
	.attrs = chain_attrs,
	.n_attrs = ARRAY_SIZE(chain_attrs),
};

module_zio_trigger(zio_trigger_chain);

MODULE_DESCRIPTION("ZIO: trigger when another channel set is done");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
