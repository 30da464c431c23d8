/* SPDX-License-Identifier: GPL-2.0-only */
/* sink.h: the end of a link behind an output; it counts or keeps the words */
#ifndef SINK_H
#define SINK_H

#include "slink.h"

#define SINK_WORDS 4096

/**
 * struct sink - the words that came, and the flow control
 * @hold: XOFF
 * @keep: keep the words until sink_take(), with XOFF when there is no more room;
 *	otherwise only count them
 */
struct sink {
	uint32_t hold;
	uint32_t keep;
	uint32_t words;		/* of data */
	uint32_t controls;
	uint32_t sum;		/* of the data words */
	uint32_t lost;		/* words that came while there was no room */
	uint32_t head;
	uint32_t level;
	struct slink_word word[SINK_WORDS];
};

/**
 * sink_end - return the end of the link that belongs to the sink
 * @sink: the sink
 */
struct slink_end sink_end(struct sink *sink);

/**
 * sink_take - take the oldest word
 * @sink: the sink
 * @word: the result
 *
 * Return: false if there is none.
 */
bool sink_take(struct sink *sink, struct slink_word *word);

#endif /* SINK_H */
