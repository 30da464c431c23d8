/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal while zio top owns it. */
#ifndef ZIO_TERM_H
#define ZIO_TERM_H

#include <stdbool.h>

#include "common/stop.h"

/* Catch SIGINT, SIGTERM, SIGHUP, which then arrive only during waits. */
void catch_signals(void);

/*
 * Switch to the alternate screen, and to keys without Enter. leave_terminal()
 * switches back; exit() calls it, too.
 */
void enter_terminal(void);
void leave_terminal(void);

int terminal_rows(void);
int terminal_columns(void);

#define KEY_NONE 0	/* the time is over */
#define KEY_REDRAW (-1)	/* a signal came, such as for a new size */
#define KEY_END (-2)	/* standard input has ended */

/* Wait for a signal, @seconds, or, if @keys, a key. */
int wait_key(double seconds, bool keys);

#endif /* ZIO_TERM_H */
