/* SPDX-License-Identifier: GPL-2.0-only */
/* cpu-wait.h: the CPU of the machine waits for the bus of a card model, inside QEMU */
#ifndef CPU_WAIT_H
#define CPU_WAIT_H

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "hw/core/cpu.h"

/* QEMU's header declares this only for files that know the target. 0: no -icount */
extern int use_icount;

#if SSPCI_QEMU_MAJOR >= 9
#define DECREMENTER(cpu) (&(cpu)->neg.icount_decr)
#else
#define DECREMENTER(cpu) ((cpu)->icount_decr_ptr)
#endif

/*
 * With -icount the clock counts instructions: charge the CPU with those that it would
 * have executed. QEMU computes the executed ones from the budget and what is left of it.
 */
static inline void charge_cpu(CPUState *cpu, uint64_t n)
{
	uint64_t part = MIN(n, (uint64_t)cpu->icount_extra);

	cpu->icount_extra -= part;
	n -= part;
	part = MIN(n, DECREMENTER(cpu)->u16.low);
	DECREMENTER(cpu)->u16.low -= part;
	cpu->icount_budget += n - part;
}

static inline void spin(uint64_t ns)
{
	int64_t until = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + ns;

	while (qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) < until)
		;
}

/* Let so much time pass. */
static inline void wait_cpu(uint64_t ns)
{
	if (!ns)
		return;
	if (!use_icount)
		spin(ns);
	else if (current_cpu)
		charge_cpu(current_cpu, ns);
}

#endif /* CPU_WAIT_H */
