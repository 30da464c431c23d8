/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench.h: the test bench of a board, as a table of 32-bit registers
 *
 * It is not a part of the card. One table serves the registers for programs in the
 * virtual machine, the properties of QEMU, and their documentation.
 */
#ifndef BENCH_H
#define BENCH_H

#include "board.h"

#define BENCH_VENDOR	0x1234
#define BENCH_DEVICE	0x5933
#define BENCH_WINDOW	0x200		/* bytes for each board */
#define BENCH_BOARDS	8
#define BENCH_SIZE	(BENCH_WINDOW * BENCH_BOARDS)
#define BENCH_ID	0x534c4231	/* value at offset 0 of a board */

/* Values of the register "clear". */
#define BENCH_CLEAR_COUNTERS	1
#define BENCH_CLEAR_FAULTS	2

/**
 * struct bench_reg - one register
 * @offset: into the window of a board
 * @name: of the property
 * @field: offset in struct board, if the register is a plain field
 * @min: least value to write
 * @max: greatest value to write; less than @min: read only
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

/* The last entry has no name. */
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
 * @value: the value
 *
 * Return: false if the register is read only or the value is out of range; then nothing
 * has changed.
 */
bool bench_set(struct board *board, const struct bench_reg *reg,
	       uint32_t value);

/**
 * bench_parse - convert a text to the value of a register
 * @reg: the register
 * @text: a number as in C, or one of the names of @reg
 * @value: the value
 *
 * Return: false if the text is no value of the register.
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
 * bench_read - read a register, for a program
 * @board: the board, or NULL if there is none
 * @offset: into its window
 *
 * Return: the value; all ones where there is nothing.
 */
uint32_t bench_read(struct board *board, unsigned int offset);

/**
 * bench_write - write a register, for a program
 * @board: the board, or NULL if there is none
 * @offset: into its window
 * @value: the value; a refused one counts in bench_errors
 */
void bench_write(struct board *board, unsigned int offset, uint32_t value);

/**
 * bench_faults - count all faults of the software that the board has seen
 * @board: the board
 */
uint32_t bench_faults(struct board *board);

#endif /* BENCH_H */
