/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slidas.h: a source of events, with the vocabulary of CERN's SLIDAS
 *
 * An event is a control word, data words, and a control word. The configuration has the
 * times of events, their sizes and words, and the faults that the source injects.
 */
#ifndef SLIDAS_H
#define SLIDAS_H

#include "slidas-pattern.h"
#include "slink.h"

enum slidas_mode {
	SLIDAS_STOP,		/* after the current event */
	SLIDAS_SINGLE,		/* events asked for by slidas_trigger() */
	SLIDAS_BLOCK,		/* one after the other, as fast as the link */
	SLIDAS_TRIGGER,		/* at a rate; triggers in a busy time are missed */
	SLIDAS_TEST,		/* cycles of the self test */
};

/* Faults of one event; "at" is a data word, see struct slidas_config. */
enum slidas_fault {
	SLIDAS_BAD_BEGIN = 1 << 0,	/* error in the begin control word */
	SLIDAS_BAD_END = 1 << 1,	/* error in the end control word */
	SLIDAS_BAD_DATA = 1 << 2,	/* the word at "at" comes damaged */
	SLIDAS_NO_BEGIN = 1 << 3,	/* lost start */
	SLIDAS_NO_END = 1 << 4,		/* lost end */
	SLIDAS_ODD_CONTROL = 1 << 5,	/* an unknown control word at "at" */
	SLIDAS_SHORT = 1 << 6,		/* the data end at "at" */
	SLIDAS_CUT = 1 << 7,		/* the cable is pulled at "at" */
	SLIDAS_FLOOD = 1 << 8,		/* XOFF is ignored */
	SLIDAS_SKIP = 1 << 9,		/* the word at "at" is not sent */
	SLIDAS_FAULTS = (1 << 10) - 1,
};

/**
 * struct slidas_config - the events that a source makes
 * @mode: enum slidas_mode; setting it begins anew with @count events
 * @pattern: enum slidas_pattern
 * @sizes: enum slidas_sizes
 * @size: words of an event, the least if there are several
 * @size_max: the greatest number of words
 * @step: of the sweep
 * @rate: of the trigger, per second
 * @count: events to send, 0 for no end
 * @gap_ns: from the end of an event to the next one, beside one word
 * @word_ns: from one word to the next
 * @begin: control word
 * @end: control word
 * @seed: of patterns and sizes
 * @start_line: URL line that enables the source when high; 4 for none
 * @every: each @every-th event has a fault; 0 for none
 * @faults: SLIDAS_* faults of such an event
 * @at: data word of faults; the middle one if there is no such word
 */
struct slidas_config {
	uint32_t mode;
	uint32_t pattern;
	uint32_t sizes;
	uint32_t size;
	uint32_t size_max;
	uint32_t step;
	uint32_t rate;
	uint32_t count;
	uint32_t gap_ns;
	uint32_t word_ns;
	uint32_t begin;
	uint32_t end;
	uint32_t seed;
	uint32_t start_line;
	uint32_t every;
	uint32_t faults;
	uint32_t at;
};

struct slidas_stats {
	uint32_t events;	/* begun */
	uint32_t complete;	/* sent to their end, faults or not */
	uint32_t broken;	/* given up: the link went down */
	uint32_t controls;	/* control words sent */
	uint32_t words;		/* data words sent */
	uint32_t missed;	/* triggers in a busy time */
	uint32_t faulty;	/* events with a fault put in */
};

enum slidas_phase {
	SLIDAS_IDLE,
	SLIDAS_AT_BEGIN,
	SLIDAS_AT_DATA,
	SLIDAS_AT_END,
};

struct slidas {
	const uint64_t *now;
	struct slink_end to;
	struct slidas_config cfg;
	struct slidas_stats stats;

	uint32_t event;		/* number of the next one */
	uint32_t running;	/* data words made so far */
	uint32_t wanted;	/* asked for by slidas_trigger() */
	uint32_t next_fault;	/* faults of the next event alone */
	uint32_t left;		/* of cfg.count */

	struct slidas_config run;	/* of the current event */
	enum slidas_phase phase;
	uint32_t number;
	uint32_t length;
	uint32_t index;
	uint32_t at;
	uint32_t fault;
	bool odd_sent;
	unsigned int test_index;
	unsigned int slack;
	uint64_t next_at;	/* when the link takes the next word */
	uint64_t trigger_from;
	uint64_t trigger_index;
};

/**
 * slidas_init - make a source that is stopped
 * @source: the source
 * @to: its destination
 * @now: clock of the model, in ns
 */
void slidas_init(struct slidas *source, struct slink_end to,
		 const uint64_t *now);

/**
 * slidas_restart - begin anew with the count of events, after the mode was set
 * @source: the source
 */
void slidas_restart(struct slidas *source);

/**
 * slidas_trigger - ask for events, in mode single
 * @source: the source
 * @n: how many more
 */
void slidas_trigger(struct slidas *source, uint32_t n);

/**
 * slidas_missed - count the triggers that found the link or the source busy
 * @source: the source, after it has done all that was due
 */
uint32_t slidas_missed(struct slidas *source);

/**
 * slidas_next_ns - tell when the source next acts
 * @source: the source
 *
 * Return: that time, or SLINK_NEVER.
 */
uint64_t slidas_next_ns(const struct slidas *source);

/**
 * slidas_run_length - count the data words without a fault that come next
 * @source: the source
 */
uint32_t slidas_run_length(const struct slidas *source);

/**
 * slidas_run - send one word, or give up an event, if that is due
 * @source: the source
 */
void slidas_run(struct slidas *source);

#endif /* SLIDAS_H */
