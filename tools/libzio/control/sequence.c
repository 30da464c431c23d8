// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sequence numbers when blocks of several channels alternate, as in a block file */
#include <stdlib.h>
#include <string.h>

#include "control.h"

/*
 * A device that restarts its count begins with small numbers. A reader that loses blocks
 * while the numbers wrap at 2^32 loses few of them: 2^24 blocks take minutes even at 100
 * kHz.
 */
#define MAX_LOST_AT_WRAP (1u << 24)

struct zio_sequence {
	struct zio_addr addr;
	uint32_t expected;	/* stale for the current channel */
};

static bool is_of(const struct zio_sequences *seq, unsigned int i,
		  const struct zio_addr *addr)
{
	return i < seq->n && !memcmp(&seq->list[i].addr, addr, sizeof(*addr));
}

/* Return the index of the channel; one past the last if it is new. */
static unsigned int find_place(const struct zio_sequences *seq, const struct zio_addr *addr)
{
	unsigned int i = 0;

	while (i < seq->n && !is_of(seq, i, addr))
		i++;
	return i;
}

/* Without memory the next number is unknown, and the block counts as having no loss. */
static void add_sequence(struct zio_sequences *seq, const struct zio_addr *addr)
{
	struct zio_sequence *more = realloc(seq->list, (seq->n + 1) * sizeof(*more));

	seq->known = false;
	if (!more)
		return;
	seq->list = more;
	more[seq->n++].addr = *addr;
}

void zio_sequence_find(struct zio_sequences *seq, const struct zio_addr *addr)
{
	if (is_of(seq, seq->at, addr))
		return;
	if (seq->at < seq->n)
		seq->list[seq->at].expected = seq->expected;
	seq->at = find_place(seq, addr);
	if (seq->at == seq->n) {
		add_sequence(seq, addr);
		return;
	}
	seq->expected = seq->list[seq->at].expected;
	seq->known = true;
}

uint32_t zio_sequence_count(struct zio_sequences *seq, uint32_t number)
{
	uint32_t lost = seq->known ? zio_sequence_lost(seq->expected, number) : 0;

	seq->expected = number + 1;
	seq->known = true;
	return lost;
}

void zio_sequence_free(struct zio_sequences *seq)
{
	free(seq->list);
	*seq = (struct zio_sequences){ 0 };
}

uint32_t zio_sequence_lost(uint32_t next, uint32_t seq)
{
	uint32_t gap = seq - next;

	if (gap > INT32_MAX || (seq < next && gap >= MAX_LOST_AT_WRAP))
		return 0;
	return gap;
}
