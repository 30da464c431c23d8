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

/* The kernel suspends all devices, for a second, and resumes them. */
static inline void suspend(void)
{
	need_suspend();
	write_text("/sys/module/suspend/parameters/pm_test_delay", "1");
	write_text("/sys/power/pm_test", "devices");
	write_text("/sys/power/state", "freeze");
}

#endif /* POWER_H */
