// SPDX-License-Identifier: GPL-2.0-only
/* sink.c: the end of a link behind an output; see sink.h */
#include "sink.h"

static bool sink_is_up(const void *priv)
{
	(void)priv;
	return true;
}

static bool sink_is_full(const void *priv)
{
	const struct sink *sink = priv;

	return sink->hold || sink->level + SLINK_XOFF_WORDS >= SINK_WORDS;
}

static unsigned int sink_width(const void *priv)
{
	(void)priv;
	return 32;
}

static unsigned int sink_return_lines(const void *priv)
{
	(void)priv;
	return 0;
}

static void sink_put(void *priv, struct slink_word word)
{
	struct sink *sink = priv;

	if (word.flags & SLINK_CONTROL) {
		sink->controls++;
	} else {
		sink->words++;
		sink->sum += word.data;
	}
	if (!sink->keep)
		return;
	if (sink->level == SINK_WORDS)
		sink->lost++;
	else
		sink->word[(sink->head + sink->level++) % SINK_WORDS] = word;
}

/* The sink has no cable. */
static void sink_cut(void *priv)
{
	(void)priv;
}

struct slink_end sink_end(struct sink *sink)
{
	static const struct slink_end_ops ops = {
		.is_up = sink_is_up,
		.is_full = sink_is_full,
		.width = sink_width,
		.return_lines = sink_return_lines,
		.put = sink_put,
		.cut = sink_cut,
	};

	return (struct slink_end){ &ops, sink };
}

bool sink_take(struct sink *sink, struct slink_word *word)
{
	if (!sink->level)
		return false;
	*word = sink->word[sink->head];
	sink->head = (sink->head + 1) % SINK_WORDS;
	sink->level--;
	return true;
}
