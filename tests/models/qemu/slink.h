/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slink.h: the words on an S-LINK, and the two ends of the cable
 *
 * A source (slidas.h, or the output side of a card) puts words into a struct slink_end.
 * It belongs to a destination (the input side of a card, or sink.h). Times are
 * nanoseconds of the model's own clock.
 */
#ifndef SLINK_H
#define SLINK_H

#include <stdbool.h>
#include <stdint.h>

/* A time that never comes. */
#define SLINK_NEVER UINT64_MAX

/* Words that may still come after XOFF. */
#define SLINK_XOFF_WORDS 2

enum slink_flags {
	SLINK_CONTROL = 1,	/* LCTRL# is low */
	SLINK_DAMAGED = 2,	/* the link has detected an error in this word */
	SLINK_TEST = 4,		/* of the self test, UTEST# is low */
};

enum slink_link {
	SLINK_LINK_DOWN,	/* the cable is out, or a reset ended too early */
	SLINK_LINK_RESET,	/* URESET# low, LDOWN# low */
	SLINK_LINK_READY,	/* URESET# low, LDOWN# high */
	SLINK_LINK_UP,		/* words arrive */
};

struct slink_word {
	uint32_t data;
	uint8_t flags;
};

/**
 * struct slink_end_ops - a destination as its source sees it
 * @is_up: LDOWN# is high and there is no reset, so words arrive
 * @is_full: XOFF is asserted
 * @width: bits of a word: 32, 16 or 8
 * @return_lines: URL[3:0] of the destination
 * @put: one word arrives
 * @cut: the cable is pulled
 */
struct slink_end_ops {
	bool (*is_up)(const void *priv);
	bool (*is_full)(const void *priv);
	unsigned int (*width)(const void *priv);
	unsigned int (*return_lines)(const void *priv);
	void (*put)(void *priv, struct slink_word word);
	void (*cut)(void *priv);
};

struct slink_end {
	const struct slink_end_ops *ops;
	void *priv;
};

static inline bool slink_is_up(const struct slink_end *end)
{
	return end->ops && end->ops->is_up(end->priv);
}

static inline bool slink_is_full(const struct slink_end *end)
{
	return end->ops->is_full(end->priv);
}

/**
 * slink_may_send - tell whether the source may send one more word
 * @end: the destination
 * @slack: words sent since XOFF, which slink_send() counts
 */
static inline bool slink_may_send(const struct slink_end *end,
				  unsigned int slack)
{
	return slink_is_up(end) &&
	       (slack < SLINK_XOFF_WORDS || !slink_is_full(end));
}

static inline void slink_send(const struct slink_end *end, unsigned int *slack,
			      struct slink_word word)
{
	*slack = slink_is_full(end) ? *slack + 1 : 0;
	end->ops->put(end->priv, word);
}

/* Return: the bits of a word for UDW[1:0]. */
static inline unsigned int slink_width(unsigned int udw)
{
	return udw == 1 ? 16 : udw == 2 ? 8 : 32;
}

/* Return: the words of a cycle of the self test, a zero and then a walking one. */
static inline unsigned int slink_test_length(unsigned int width)
{
	return width + 1;
}

static inline struct slink_word slink_test_word(unsigned int index)
{
	if (!index)
		return (struct slink_word){ 0, SLINK_CONTROL | SLINK_TEST };
	return (struct slink_word){ 1u << (index - 1), SLINK_TEST };
}

static inline uint64_t slink_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t slink_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif /* SLINK_H */
