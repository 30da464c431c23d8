/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: the state word of a channel set; engine.c explains it */
#ifndef _ZIO_ENGINE_INTERNAL_H
#define _ZIO_ENGINE_INTERNAL_H

#include "engine/engine.h"

#define CSET_IDLE	0
#define CSET_ARMING	1
#define CSET_ARMED	2
#define CSET_FINISHING	3
#define CSET_ABORTING	4
#define CSET_PHASE	7
#define CSET_EARLY	BIT(3)
#define CSET_FREEZE	BIT(4)
#define CSET_STOP	BIT(5)
#define CSET_GONE	BIT(6)

static inline int cset_phase(struct zio_cset_core *cset)
{
	return atomic_read_acquire(&cset->state) & CSET_PHASE;	/* C */
}

/* Leaves the phase that the caller owns, and wakes what waits for that. */
static __always_inline void make_idle(struct zio_cset_core *cset)
{
	smp_mb__before_atomic();				/* C */
	atomic_andnot(CSET_PHASE | CSET_EARLY, &cset->state);
	smp_mb__after_atomic();					/* D, H, J */
	if (unlikely(atomic_read(&cset->state) & CSET_FREEZE))	/* F */
		wake_up(&cset->idle_wq);
	if (unlikely(atomic_read(&cset->pending) & ZIO_PENDING_WAKE)) { /* D */
		atomic_andnot(ZIO_PENDING_WAKE, &cset->pending);
		zio_cset_wake(cset);
	}
}

int zio_cset_leave_armed(struct zio_cset_core *cset);
bool zio_cset_try_abort(struct zio_cset_core *cset, bool lost);

/* watchdog.c */
void zio_watchdog_init(struct zio_cset_core *cset);

/* fire.c */
void zio_cset_notify(struct zio_cset_core *cset);

#endif /* _ZIO_ENGINE_INTERNAL_H */
