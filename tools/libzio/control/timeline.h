/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline.h: shared by the files of the timeline */
#ifndef LIBZIO_TIMELINE_H
#define LIBZIO_TIMELINE_H

#include "control.h"

#define NS_PER_SECOND 1000000000
#define PS_PER_NS 1000

/* --- steps.c */

#define ZIO_STEPS 31
#define ZIO_STEPS_ENOUGH 8	/* to know the scatter, and a stream from events */
#define ZIO_TOUCHES 63		/* steps that tell a stream from events */

/* One step from the event of a block to the event of the next */
struct zio_step {
	double period;		/* ns per sample */
	int64_t ns;
	uint32_t samples;
};

/* The last steps in a ring; @sorted has their indices by period, as of the last look. */
struct zio_steps {
	struct zio_step list[ZIO_STEPS];
	uint8_t sorted[ZIO_STEPS];
	unsigned int at;
	unsigned int n;
	struct zio_step median;
	double scatter;		/* half of the steps are within this many ns per sample */
	bool are_alike;		/* enough steps with little scatter for an estimate */
};

/*
 * Add a step of at least one sample and drop the oldest. Returns true if this has updated
 * the median and the rest: for each of the first eight steps, and then from time to time.
 */
bool zio_steps_add(struct zio_steps *steps, int64_t ns, uint32_t samples);

/* --- moment.c */

/* Add @samples * @den / @num seconds, or subtract them. Returns -1 with ERANGE. */
int zio_instant_move(struct zio_instant *time, uint64_t samples, bool back, uint32_t num,
		     uint32_t den);

/* The time of the control plus @first_ps. Returns -1 with ERANGE. */
int zio_instant_of(struct zio_instant *time, const struct zio_timestamp *stamp,
		   int64_t first_ps);

/* --- timeline.c */

#define ZIO_COMPARED_SIZE offsetof(struct zio_ctrl_attr, ext_val)

struct zio_rate_used {
	uint32_t num;		/* 0: not known */
	uint32_t den;
	uint32_t source;
	double period;		/* ns */
};

/* What stays the same from block to block, unless somebody changes it */
struct zio_kind {
	uint64_t mask;
	uint32_t order;
	uint16_t ssize;
	uint16_t nbits;
	uint32_t clock;
	uint32_t num;
	uint32_t den;
	uint32_t pre;
	uint32_t post;
	uint32_t n_shots;
	uint32_t on_demand;	/* a read made the event */
};

/* What belongs to one block */
struct zio_placed {
	struct zio_kind kind;
	struct zio_rate_used rate;
	int64_t event_ns;	/* of the first shot */
	int64_t end_ns;		/* the event of the last shot */
	uint32_t seq;
	uint32_t samples;	/* of a shot and a channel */
	uint32_t error;
	uint32_t epoch;
	bool has_epoch;
	bool has_time;
	bool has_event;		/* @event_ns and @end_ns are known or guessed */
	int64_t told_ns;	/* @end_ns of the last block with a time */
};

/* Holes that become pauses if the blocks turn out to be a stream */
struct zio_early {
	uint64_t pauses;
	uint64_t pause_ns;
	uint64_t steps;
};

struct zio_timeline {
	struct zio_account account;
	struct zio_timeline *next;	/* of another channel */
	struct zio_addr addr;
	bool has_addr;
	bool has_samples;		/* there was a block with samples */
	struct zio_placed last;
	uint8_t channel[ZIO_COMPARED_SIZE];	/* the first part of its attr_channel */
	struct zio_instant before;	/* from the event to sample 0, at last.rate */
	struct zio_rate_used given;
	struct zio_rate_used estimate;
	struct zio_early early;
	uint64_t touches;		/* bit 0: the last step is as long as its samples */
	unsigned int n_touches;		/* number of set bits */
	unsigned int n_steps;		/* number of valid bits */
	bool is_late;			/* the median step is longer than its samples */
	double behind;			/* the last stamp may be late by this many ns */
	struct zio_steps steps;
};

/*
 * With samples before the event, each block has its own event, and the distance of events
 * is not a rate. The distance of blocks on demand is the speed of the reader.
 */
static inline bool zio_can_estimate(const struct zio_kind *kind)
{
	return !kind->pre && kind->n_shots == 1 && !kind->on_demand;
}

static inline void zio_rate_set(struct zio_rate_used *rate, uint32_t num, uint32_t den,
				uint32_t source)
{
	rate->num = num;
	rate->den = den;
	rate->source = source;
	rate->period = num ? (double)den * NS_PER_SECOND / num : 0;
}

/* --- breaks.c */

/*
 * Have recent blocks usually followed each other? Not if they come on demand, when a
 * reader likes, unless the driver knows their times better than the reader.
 */
static inline bool zio_timeline_is_stream(const struct zio_timeline *tl)
{
	return tl->n_steps && 2 * tl->n_touches >= tl->n_steps && !tl->is_late &&
	       (!tl->last.kind.on_demand || tl->last.error);
}

/* Compare a block with the one before, and fill in what lies between. */
void zio_timeline_compare(struct zio_timeline *tl, const struct zio_control *control,
			  struct zio_placed *now, struct zio_place *place);

#endif /* LIBZIO_TIMELINE_H */
