/* SPDX-License-Identifier: GPL-2.0-only */
/* power.h: a suspend of the machine, for tests with the header "# suspends" */
#ifndef POWER_H
#define POWER_H

#include "board.h"
#include "harness.h"

/* A test calls this before it tells a board what to do meanwhile. */
static inline void need_suspend(void)
{
	/* The driver of the host's files (9p) does not survive it. */
	if (access("/sys/power/pm_test", W_OK) || exists("/host"))
		SKIP("this machine cannot test a suspend");
}

/* @depth: "freezer": programs stand still; "devices": all devices are suspended, too */
static inline void suspend_for(const char *seconds, const char *depth)
{
	need_suspend();
	write_text("/sys/module/suspend/parameters/pm_test_delay", seconds);
	write_text("/sys/power/pm_test", depth);
	write_text("/sys/power/state", "freeze");
}

/* The kernel suspends all devices, for a second, and resumes them. */
static inline void suspend(void)
{
	suspend_for("1", "devices");
}

#endif /* POWER_H */
