/* SPDX-License-Identifier: GPL-2.0-only */
/* sink.h: the end of a link behind the output of a card: counts, or keeps */
#ifndef SINK_H
#define SINK_H

#include "slink.h"

#define SINK_WORDS 4096

/**
 * struct sink - what came, and whether more may
 * @hold: XOFF
 * @keep: words are kept until sink_take(), XOFF when there is no more room;
 *	otherwise they are counted alone
 */
struct sink {
	uint32_t hold;
	uint32_t keep;
	uint32_t words;		/* of data */
	uint32_t controls;
	uint32_t sum;		/* of the data words */
	uint32_t lost;		/* came while there was no room */
	uint32_t head;
	uint32_t level;
	struct slink_word word[SINK_WORDS];
};

/**
 * sink_end - the end of the link that the sink stands behind
 * @sink: the sink
 */
struct slink_end sink_end(struct sink *sink);

/**
 * sink_take - the oldest word that is kept
 * @sink: the sink
 * @word: it
 *
 * Return: false if there is none.
 */
bool sink_take(struct sink *sink, struct slink_word *word);

#endif /* SINK_H */
