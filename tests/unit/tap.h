/* SPDX-License-Identifier: GPL-2.0-only */
/* tap.h: results in the Test Anything Protocol */
#ifndef ZIO_TAP_H
#define ZIO_TAP_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count;
static int tap_failed;

static void tap_result(bool good, const char *what, const char *file,
		       int line)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++tap_count, what);
	if (good)
		return;
	printf("# %s:%d, errno %d (%s)\n", file, line, errno,
	       strerror(errno));
	tap_failed++;
}

#define ok(good, what) tap_result((good), (what), __FILE__, __LINE__)

static int tap_end(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif /* ZIO_TAP_H */
