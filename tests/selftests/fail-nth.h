/* SPDX-License-Identifier: GPL-2.0-only */
/* fail-nth.h: the next calls of this thread fail at a place that may fail */
#ifndef FAIL_NTH_H
#define FAIL_NTH_H

#include "node.h"

static int fail_nth;	/* the file of this thread */

/* The message is for tests/machine/log-faults: what follows may be due to it. */
static inline void open_fail_nth(void)
{
	write_text("/dev/kmsg", "<5>zio-vm: allocations fail\n");
	fail_nth = open_file("/proc/thread-self/fail-nth", O_RDWR);
}

static inline void set_nth(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	/* This write may be the call that fails: then it succeeds the second time. */
	if (pwrite(fail_nth, text, len, 0) != len)
		ASSERT_EQ(pwrite(fail_nth, text, len, 0), len);
}

/*
 * Return: 0 when one place has failed; how many are left, otherwise. If the next place
 * was to fail, this read is the call that fails.
 */
static inline int get_nth(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) <= 0) {
		ASSERT_EQ(errno, EFAULT);
		return 1;
	}
	return atoi(text);
}

#endif /* FAIL_NTH_H */
