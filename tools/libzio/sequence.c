// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sequence numbers of blocks whose channels take turns, as in a block file */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/*
 * A device that counts anew begins with small numbers. A reader that loses blocks while the
 * numbers pass 2^32 loses few of them: 2^24 blocks are minutes, also at 100 kHz.
 */
#define MAX_LOST_AT_WRAP (1u << 24)

struct zio_sequence {
	struct zio_addr addr;
	uint32_t expected;	/* the next number; of the present channel: ch->expected */
};

static bool is_of(const struct zio_channel *ch, unsigned int i)
{
	return i < ch->n_sequences &&
	       !memcmp(&ch->sequence[i].addr, &ch->control.addr, sizeof(struct zio_addr));
}

/* Returns the place of the channel, behind the last one if it is new. */
static unsigned int find_place(const struct zio_channel *ch)
{
	unsigned int i = 0;

	while (i < ch->n_sequences && !is_of(ch, i))
		i++;
	return i;
}

/* If there is no memory, the next number is unknown, and the block has no loss. */
static void add_sequence(struct zio_channel *ch)
{
	size_t size = (ch->n_sequences + 1) * sizeof(*ch->sequence);
	struct zio_sequence *more = realloc(ch->sequence, size);

	ch->seq_known = false;
	if (!more)
		return;
	ch->sequence = more;
	more[ch->n_sequences++].addr = ch->control.addr;
}

void zio_find_sequence(struct zio_channel *ch)
{
	unsigned int i = ch->at_sequence;

	if (is_of(ch, i))
		return;
	if (i < ch->n_sequences)
		ch->sequence[i].expected = ch->expected;
	i = find_place(ch);
	ch->at_sequence = i;
	if (i == ch->n_sequences) {
		add_sequence(ch);
		return;
	}
	ch->expected = ch->sequence[i].expected;
	ch->seq_known = true;
}

void zio_expect_next(struct zio_channel *ch)
{
	zio_find_sequence(ch);
	ch->expected = ch->control.seq_num + 1;
	ch->seq_known = true;
}

uint32_t zio_next_number(struct zio_channel *ch)
{
	zio_find_sequence(ch);
	return ch->seq_known ? ch->expected : 0;
}

uint32_t zio_sequence_lost(uint32_t next, uint32_t seq)
{
	uint32_t gap = seq - next;

	if (gap > INT32_MAX || (seq < next && gap >= MAX_LOST_AT_WRAP))
		return 0;
	return gap;
}
