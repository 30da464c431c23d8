/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slidas-pattern.h: the words of an event
 *
 * These functions depend on their arguments alone. The source uses them, and so do
 * programs that check the events.
 */
#ifndef SLIDAS_PATTERN_H
#define SLIDAS_PATTERN_H

#include <stdint.h>

#define SLIDAS_BEGIN	0xb0f00000u
#define SLIDAS_END	0xe0f00000u
#define SLIDAS_UNKNOWN	0xdead0000u	/* an injected control word */

/* Words of an ATLAS fragment beside its data: eight, and three of status. */
#define SLIDAS_ATLAS_HEADER	11
#define SLIDAS_ATLAS_TRAILER	3
#define SLIDAS_ATLAS_MIN	(SLIDAS_ATLAS_HEADER + SLIDAS_ATLAS_TRAILER)

enum slidas_pattern {
	SLIDAS_COUNT,		/* 12 bits of the event, 20 of the index */
	SLIDAS_RUNNING,		/* words since the first event, on and on */
	SLIDAS_WALK,		/* a one that walks from bit 0 to bit 31 */
	SLIDAS_ALTERNATE,	/* aaaaaaaa, 55555555 */
	SLIDAS_CONSTANT,	/* the seed */
	SLIDAS_RANDOM,		/* of seed, event and index */
	SLIDAS_ATLAS,		/* an ATLAS ROD fragment */
};

enum slidas_sizes {
	SLIDAS_FIXED,		/* size */
	SLIDAS_SWEEP,		/* size, + step, ... size_max, and from size again */
	SLIDAS_SPREAD,		/* random from size to size_max */
};

static inline uint32_t slidas_mix(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;

	h = (h ^ h >> 16) * 0x7feb352du;
	h = (h ^ h >> 15) * 0x846ca68bu;
	return h ^ h >> 16;
}

static inline uint32_t slidas_atlas_word(uint32_t event, uint32_t size,
					 uint32_t index)
{
	const uint32_t header[SLIDAS_ATLAS_HEADER] = {
		0xee1234ee, 0x20, 0x08000003, 0xa0000000,
		event, 3 * event, 3 * event, 0xde, 0, 0, 0,
	};
	uint32_t data = size - SLIDAS_ATLAS_MIN;

	if (index < SLIDAS_ATLAS_HEADER)
		return header[index];
	index -= SLIDAS_ATLAS_HEADER;
	if (index < data)
		return index;
	switch (index - data) {
	case 0:
		return 3;
	case 1:
		return data;
	}
	return 0;
}

/**
 * slidas_word - compute one word of an event
 * @pattern: enum slidas_pattern
 * @seed: of the patterns that have one
 * @event: number of the event
 * @size: words of the event
 * @index: of the word
 * @running: words of all events before this word
 */
static inline uint32_t slidas_word(uint32_t pattern, uint32_t seed,
				   uint32_t event, uint32_t size,
				   uint32_t index, uint32_t running)
{
	switch (pattern) {
	case SLIDAS_COUNT:
		return event << 20 | (index & 0xfffff);
	case SLIDAS_RUNNING:
		return running;
	case SLIDAS_WALK:
		return 1u << index % 32;
	case SLIDAS_ALTERNATE:
		return index % 2 ? 0x55555555 : 0xaaaaaaaa;
	case SLIDAS_RANDOM:
		return slidas_mix(seed, event, index);
	case SLIDAS_ATLAS:
		return slidas_atlas_word(event, size, index);
	}
	return seed;
}

/**
 * slidas_size - compute the number of words of an event
 * @sizes: enum slidas_sizes
 * @size: the only, or the least one
 * @size_max: the greatest one
 * @step: of the sweep
 * @seed: of the random one
 * @event: number of the event
 */
static inline uint32_t slidas_size(uint32_t sizes, uint32_t size,
				   uint32_t size_max, uint32_t step,
				   uint32_t seed, uint32_t event)
{
	uint32_t span;

	if (sizes == SLIDAS_FIXED || size_max <= size)
		return size;
	span = size_max - size;
	if (sizes == SLIDAS_SWEEP)
		return size + step * (event % (span / step + 1));
	return size + slidas_mix(seed, event, UINT32_MAX) % (span + 1);
}

#endif /* SLIDAS_PATTERN_H */
