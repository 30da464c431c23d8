/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of zio plot share. */
#ifndef ZIO_PLOT_H
#define ZIO_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "libzio/zio.h"

/* A copy of a block. */
struct kept_block {
	struct zio_control control;
	void *data;
	size_t size;
	struct zio_place place;
};

/* The blocks of one channel in a picture, the oldest first; at least one. */
struct series {
	const struct kept_block **blocks;
	unsigned int count;
};

struct drawing {
	const char *output;	/* a file; NULL: draw live */
	const char *terminal;	/* of gnuplot; NULL: chosen by @output or display */
	bool script;		/* print the script, and run no gnuplot */
	bool is_signed;
	bool has_units;
	bool is_time;
	struct zio_rate rate;	/* of controls that have none */
};

/* script.c: the script for gnuplot */

/* Return the terminal of gnuplot for a file name; NULL if its suffix is unknown. */
const char *terminal_of_file(const char *name);

/* Check that @draw can show @block; 0, or -1 after a message. */
int check_block(const struct drawing *draw, const struct kept_block *block);

void write_head(FILE *out, const struct drawing *draw);
void write_picture(FILE *out, const struct drawing *draw, const struct series *series,
		   unsigned int n);

/* gnuplot.c: the program, or standard output in its place */

struct gnuplot {
	int fd;			/* its standard input */
	pid_t pid;		/* 0: none runs */
	bool killed;
};

/* These functions return 0, or -1 after a message. */

/* Can the file be written? gnuplot draws to standard output if it cannot open it. */
int check_output(const char *name);
int start_gnuplot(struct gnuplot *gp, bool script_only);
int send_script(struct gnuplot *gp, const char *text, size_t size);
int end_gnuplot(struct gnuplot *gp);

#endif /* ZIO_PLOT_H */
