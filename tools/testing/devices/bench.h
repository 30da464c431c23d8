/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench.h: the test bench of a board, as a table of 32-bit registers
 *
 * Not a part of the card. One table serves the registers that a program in the
 * virtual machine sees, the properties of QEMU, and their documentation.
 */
#ifndef BENCH_H
#define BENCH_H

#include "board.h"

#define BENCH_VENDOR	0x1234
#define BENCH_DEVICE	0x5933
#define BENCH_WINDOW	0x200		/* bytes for each board */
#define BENCH_BOARDS	8
#define BENCH_SIZE	(BENCH_WINDOW * BENCH_BOARDS)
#define BENCH_ID	0x534c4231	/* what offset 0 of a board reads */

/* What the register "clear" clears. */
#define BENCH_CLEAR_COUNTERS	1
#define BENCH_CLEAR_FAULTS	2

/**
 * struct bench_reg - one register
 * @offset: into the window of a board
 * @name: of the property
 * @field: where in struct board, if it is a plain one
 * @min: least value that may be written
 * @max: greatest one; less than @min: read only
 * @choices: names of the values from 0 on, ended by NULL
 * @get: instead of @field
 * @set: instead of @field, or after it was set
 */
struct bench_reg {
	uint16_t offset;
	const char *name;
	uint32_t field;
	uint32_t min;
	uint32_t max;
	const char *const *choices;
	uint32_t (*get)(struct board *board);
	void (*set)(struct board *board, uint32_t value);
};

/* Ended by an entry without name. */
extern const struct bench_reg bench_regs[];

/**
 * bench_get - read a register
 * @board: the board
 * @reg: the register
 */
uint32_t bench_get(struct board *board, const struct bench_reg *reg);

/**
 * bench_set - write a register
 * @board: the board
 * @reg: the register
 * @value: what to write
 *
 * Return: false if the register is read only or the value out of its range;
 * nothing has changed then.
 */
bool bench_set(struct board *board, const struct bench_reg *reg,
	       uint32_t value);

/**
 * bench_parse - the value that a text means
 * @reg: the register
 * @text: a number as in C, or one of the names of @reg
 * @value: the value
 *
 * Return: false if it means nothing.
 */
bool bench_parse(const struct bench_reg *reg, const char *text,
		 uint32_t *value);

/**
 * bench_by_name - look a register up
 * @name: its name
 *
 * Return: the register or NULL.
 */
const struct bench_reg *bench_by_name(const char *name);

/**
 * bench_read - what a program reads
 * @board: the board, or NULL if there is none
 * @offset: into its window
 *
 * Return: the value; all ones where there is nothing.
 */
uint32_t bench_read(struct board *board, unsigned int offset);

/**
 * bench_write - what a program writes
 * @board: the board, or NULL if there is none
 * @offset: into its window
 * @value: the value; one that is refused counts in bench_errors
 */
void bench_write(struct board *board, unsigned int offset, uint32_t value);

/**
 * bench_faults - all faults of the software that the board has seen
 * @board: the board
 */
uint32_t bench_faults(struct board *board);

#endif /* BENCH_H */
