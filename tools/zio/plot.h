/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of zio plot share: the channel and the drawing. */
#ifndef ZIO_TOOL_PLOT_H
#define ZIO_TOOL_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "libzio/zio.h"

/* A block that was read, and is now ours. */
struct kept_block {
	struct zio_control control;
	void *data;
	uint32_t lost;		/* blocks missing before it */
};

struct drawing {
	const char *output;	/* file; NULL: live */
	const char *terminal;	/* of gnuplot; NULL: by @output or display */
	bool script;		/* to standard output, for another gnuplot */
	bool is_signed;
	bool is_time;
	double rate;		/* samples per second; 0: not told */
};

/* gnuplot, or standard output with the script. */
struct gnuplot {
	int fd;			/* it reads this */
	pid_t pid;
	bool stopped;		/* by us, before it was done */
};

/* All return 0, or -1 after a word to the user. */
int start_gnuplot(struct gnuplot *gp, const struct drawing *draw);
int draw_blocks(struct gnuplot *gp, const struct drawing *draw,
		const struct kept_block *const *blocks, unsigned int count);
int end_gnuplot(struct gnuplot *gp);

/* Can @draw show such a block? */
int check_block(const struct drawing *draw, const struct kept_block *block);

/* Terminal for a file of this name; NULL if its end tells none. */
const char *terminal_of_file(const char *name);

#endif /* ZIO_TOOL_PLOT_H */
