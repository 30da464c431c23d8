/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of zio-copy share. */
#ifndef ZIO_COPY_H
#define ZIO_COPY_H

#include <stdio.h>

#include "libzio/zio.h"

enum exit_code {
	EXIT_OK,
	EXIT_IO,
	EXIT_USAGE,
	EXIT_OPEN,
	EXIT_BY_SIGNAL = 128,
};

struct end {
	const char *name;
	struct zio_channel *ch;
	int method;		/* ZIO_OPEN_RING and the like */
	bool output;
	bool file;		/* of blocks, not a channel */
};

struct mode;

/* All that one run of the program is about. */
struct copy {
	struct end in;
	struct end *out;
	int n_out;
	uint64_t count;		/* of blocks; 0: no end */
	unsigned int verbose;
	bool json;
	bool append;
	const struct mode *mode;
	void *state;		/* the mode's own */
	size_t size;		/* of the block that was moved last */
	uint64_t blocks;
	uint64_t bytes;
	uint64_t lost;		/* that the mode has seen, and libzio not */
	bool under_way;		/* a block was taken, and is not yet everywhere */
	int code;
};

/* What a mode asks of the ends. */
#define WANT_CHANNEL_IN		(1 << 0)
#define WANT_CHANNELS_OUT	(1 << 1)
#define WANT_ONE_OUT		(1 << 2)

/**
 * struct mode - a way to copy
 * @name: as in mode=
 * @what: for the help
 * @in: methods of an input channel
 * @out: methods of output channels
 * @wants: WANT_*
 * @ahead: it may have taken a block that it has not yet given out
 * @begin: when all is open; 0, or -1 with the reason in @err. May be NULL
 * @move: one block, its size in c->size: 1; 0 at the end of the input or when a
 *        signal has come; -1 when it has complained
 * @end: undoes @begin. May be NULL
 */
struct mode {
	const char *name;
	const char *what;
	int in;
	int out;
	unsigned int wants;
	bool ahead;
	int (*begin)(struct copy *c, struct zio_error *err);
	int (*move)(struct copy *c);
	void (*end)(struct copy *c);
};

/* main.c */
extern const char *prog;

/* ends.c */
int open_ends(struct copy *c);
int reopen_for(struct copy *c, const struct mode *mode, struct zio_error *err);
void close_ends(struct copy *c);
void fit_control(struct zio_control *fit, const struct end *out,
		 const struct zio_control *control);
int fail_end(struct copy *c, const struct end *end);
bool try_again(struct copy *c, const struct end *end, short events);

/* mode.c */
int choose_mode(struct copy *c, const char *name);
bool is_mode(const char *name);
void print_modes(FILE *out);

/* move.c: through the hands of this program, or not even that */
int move_by_write(struct copy *c);
int move_by_reserve(struct copy *c);
int move_by_splice(struct copy *c);
int begin_share(struct copy *c, struct zio_error *err);
int move_by_share(struct copy *c);

/* uring.c */
int begin_uring(struct copy *c, struct zio_error *err);
int move_by_uring(struct copy *c);
void end_uring(struct copy *c);

/* tally.c */
void start_tally(struct copy *c);
void show_progress(const struct copy *c);
void print_tally(const struct copy *c);

#endif /* ZIO_COPY_H */
