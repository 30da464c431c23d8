/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal while zio top owns it; signals that end a command. */
#ifndef ZIO_TOOL_TERM_H
#define ZIO_TOOL_TERM_H

#include <stdbool.h>

#include "common/stop.h"

/* Catch SIGINT, SIGTERM, SIGHUP; they are let in by waits below alone. */
void catch_signals(void);

/* CLOCK_MONOTONIC */
double seconds_now(void);

/* 1: @fd can be read; 0: the time is over; -1: a signal. No @fd: -1. */
int wait_input(int fd, double seconds);

/* Until PIPE_BUF bytes can be written; -1: a signal. */
int wait_output(int fd);

/* Full screen, keys at once; put back at exit, however that comes about. */
void take_terminal(void);
void give_terminal(void);

int terminal_rows(void);
int terminal_columns(void);

#define KEY_NONE 0	/* the time is over */
#define KEY_REDRAW (-1)	/* a signal, or another size */
#define KEY_END (-2)	/* standard input has ended */

/* Wait for a key (if @keys), a signal, or @seconds. */
int wait_key(double seconds, bool keys);

#endif /* ZIO_TOOL_TERM_H */
