/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of zio-copy and zio-cat-file. */
#ifndef ZIO_COPY_H
#define ZIO_COPY_H

#include <stdio.h>

#include "common/program.h"
#include "libzio/zio.h"

/* The commands: main.c and cat.c */
extern const struct argp copy_argp;
int run_copy(int argc, char **argv);
void complete_copy(int argc, char **argv);
extern const struct argp cat_argp;
int run_cat(int argc, char **argv);
void complete_cat(int argc, char **argv);

/* Source or target of a copy: a channel or a block file. */
struct end {
	const char *name;
	struct zio_channel *ch;
	int method;		/* ZIO_OPEN_RING and the like */
	bool output;
	bool file;
};

struct mode;
struct batch;

/* One run of the program */
struct copy {
	struct end in;
	struct end *out;
	int n_out;		/* 0: only the samples, to standard output */
	uint64_t count;		/* number of blocks; 0: no limit */
	unsigned int verbose;
	bool json;
	bool append;
	const struct mode *mode;
	struct batch *batch;	/* NULL: move blocks one by one */
	unsigned int moved;	/* blocks moved last */
	size_t size;		/* bytes of these blocks */
	uint64_t blocks;
	uint64_t bytes;
	struct zio_timeline *timelines;	/* of the channels of the input */
	bool pending;		/* a block was read that a target still lacks */
	int code;		/* exit code */
};

/* What a mode needs: */
#define NEED_CHANNEL_IN		(1 << 0)
#define NEED_CHANNELS_OUT	(1 << 1)

/**
 * struct mode - a way to copy
 * @name: value of the operand mode=
 * @help: what the mode does, in brief
 * @in: methods to open an input channel with
 * @out: methods to open output channels with
 * @needs: NEED_* bits
 * @begin: prepares the mode once the ends are open. Returns 0, or -1 with the reason in
 *         @err. May be NULL
 * @move: moves one or more blocks, and sets c->moved and c->size. Returns 1; 0 at the end
 *        of the input or after a signal; -1 after a message. Even if it returns 1, a
 *        message may have set c->code
 * @end: writes what @move has kept. May be NULL
 */
struct mode {
	const char *name;
	const char *help;
	int in;
	int out;
	unsigned int needs;
	int (*begin)(struct copy *c, struct zio_error *err);
	int (*move)(struct copy *c);
	void (*end)(struct copy *c);
};

/* main.c: copy until the end, print the totals, close the ends; returns the exit status. */
int transfer(struct copy *c);

/* ends.c */

/* Open all ends for read() and write(). Returns 0, or -1 after a message. */
int open_ends(struct copy *c);

/* Reopen channels with the methods of @mode. Returns 0, or -1 with the reason in @err. */
int reopen_for(struct copy *c, const struct mode *mode, struct zio_error *err);
void close_ends(struct copy *c);

/* Copy @control to @fit, adapted to @out. */
void fit_control(struct zio_control *fit, const struct end *out,
		 const struct zio_control *control);

/*
 * After a failed call on @end, wait for @events. Returns true to repeat the call; false
 * if the failure is final, or a signal arrived and no block is pending.
 */
bool try_again(struct copy *c, const struct end *end, short events);

/* mode.c */

/* Choose a mode by name, or the best one for "auto". Returns 0, or -1 after a message. */
int choose_mode(struct copy *c, const char *name);
bool is_mode(const char *name);

/* Is it a mode of older versions? */
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
