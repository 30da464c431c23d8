/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files of zio-copy share. */
#ifndef ZIO_COPY_H
#define ZIO_COPY_H

#include <stdio.h>

#include "common/program.h"
#include "libzio/zio.h"

/* The command: main.c */
extern const struct argp copy_argp;
int run_copy(int argc, char **argv);
void complete_copy(int argc, char **argv);

/* Source or target of a copy: a channel, or a block file. */
struct end {
	const char *name;
	struct zio_channel *ch;
	int method;		/* ZIO_OPEN_RING and the like */
	bool output;
	bool file;
};

struct mode;
struct batch;

/* One run of the program. */
struct copy {
	struct end in;
	struct end *out;
	int n_out;
	uint64_t count;		/* of blocks; 0: no end */
	unsigned int verbose;
	bool json;
	bool append;
	const struct mode *mode;
	struct batch *batch;	/* NULL: blocks are moved one by one */
	unsigned int moved;	/* blocks that were moved last */
	size_t size;		/* bytes of them */
	uint64_t blocks;
	uint64_t bytes;
	struct zio_timeline *timelines;	/* of the channels of the input */
	bool pending;		/* a block was read, and a target does not have it yet */
	int code;		/* to exit with */
};

/* What a mode needs: */
#define NEED_CHANNEL_IN		(1 << 0)
#define NEED_CHANNELS_OUT	(1 << 1)

/**
 * struct mode - a way to copy
 * @name: value of the operand mode=
 * @help: what the mode does, in a few words
 * @in: methods to open an input channel with
 * @out: methods to open output channels with
 * @needs: NEED_* bits
 * @begin: prepares the mode; the ends are open. Returns 0, or -1 with the reason in
 *         @err. May be NULL
 * @move: moves a block or more, and sets c->moved and c->size. Returns 1; 0 at the end
 *        of the input or after a signal; -1 after a message. After 1, a message may
 *        have set c->code
 */
struct mode {
	const char *name;
	const char *help;
	int in;
	int out;
	unsigned int needs;
	int (*begin)(struct copy *c, struct zio_error *err);
	int (*move)(struct copy *c);
};

/* ends.c */

/* Open all ends by read() and write(); 0, or -1 after a message. */
int open_ends(struct copy *c);

/* Reopen channels by the methods of @mode; 0, or -1 with the reason in @err. */
int reopen_for(struct copy *c, const struct mode *mode, struct zio_error *err);
void close_ends(struct copy *c);

/* Copy @control to @fit, as @out wants it. */
void fit_control(struct zio_control *fit, const struct end *out,
		 const struct zio_control *control);

/*
 * After a failed call on @end, wait for @events. Returns true to repeat the call;
 * false if it failed for good, or a signal came and no block is pending.
 */
bool try_again(struct copy *c, const struct end *end, short events);

/* mode.c */

/* Choose a mode by name, or "auto" the best; 0, or -1 after a message. */
int choose_mode(struct copy *c, const char *name);
bool is_mode(const char *name);

/* Is it a mode that older versions had? */
bool was_mode(const char *name);
void print_modes(FILE *out);
void offer_modes(const char *word, const char *prefix);

/* move.c: the calls of libzio */
int begin_write(struct copy *c, struct zio_error *err);
int move_by_write(struct copy *c);
int begin_share(struct copy *c, struct zio_error *err);
int move_by_share(struct copy *c);

/* tally.c */
void start_tally(struct copy *c);
void print_progress(const struct copy *c);
void print_tally(const struct copy *c);

/* Is standard output a target? */
bool has_data_on_stdout(const struct copy *c);

#endif /* ZIO_COPY_H */
