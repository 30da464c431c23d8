/* SPDX-License-Identifier: GPL-2.0-only */
/* The forms in which zio-dump prints a block. */
#ifndef ZIO_DUMP_H
#define ZIO_DUMP_H

#include <argp.h>
#include <stdio.h>

#include "libzio/zio.h"

/* The command: main.c */
extern const struct argp dump_argp;
int run_dump(int argc, char **argv);
void complete_dump(int argc, char **argv);

enum dump_format {
	DUMP_HEX,
	DUMP_DECIMAL,
	DUMP_SIGNED,
};

struct dump_options {
	bool control;
	bool data;
	bool attributes;
	bool json;
	bool units;
	bool csv;
	enum dump_format format;
	const struct zio_names *names;	/* of the current block, or NULL */
};

/* The values of a block in units. */
struct dump_values {
	struct zio_scaling scaling;
	double *value;
	size_t count;
};

/* Convert a block; false if its samples are not numbers, or have an unknown scale. */
bool convert_block(struct dump_values *to, const struct zio_block *blk);

/* Return the address of the channel, in memory that the next call overwrites. */
const char *address_of(const struct zio_control *control);

#define VALUE_LEN 32
#define TIME_LEN 32

/*
 * Put the shortest text that reads back exactly, but at least 15 digits; return the
 * number of digits.
 */
int put_value(char text[VALUE_LEN], double value);

/* Put sample @i, which is a number, signed for DUMP_SIGNED; return the end. */
char *put_sample(char *text, enum dump_format format, const void *data, size_t i,
		 unsigned int ssize);

/*
 * Put a number, or the seconds of a time with nine decimals; return the end. Does not
 * terminate the text.
 */
char *put_number(char *text, uint64_t number);
char *put_signed(char *text, int64_t number);
char *put_time(char *text, const struct zio_instant *time);

/* Print the names of the attributes of all channels in @object; return an exit status. */
int print_names(const char *object);

/*
 * List the attributes of a control: either those with a separate value per block, or all
 * others. Return their number.
 */
int list_attrs(const struct zio_control *control, const struct dump_options *opt,
	       enum zio_attr_owner owner, bool of_block,
	       struct zio_attr_value list[ZIO_MAX_ATTRS]);

/* Return the unit if @value is the unit of a channel, otherwise NULL. */
const char *unit_of(const struct zio_attr_value *value, enum zio_attr_owner owner);

/* Print one block; return 0, or -1 if memory or output failed. */
int dump_text(FILE *out, const struct dump_options *opt, const struct zio_block *blk,
	      const struct zio_place *place);
int dump_csv(FILE *out, const struct dump_options *opt, const struct zio_block *blk,
	     const struct zio_place *place);
int dump_json(FILE *out, const struct dump_options *opt, const struct zio_block *blk,
	      const struct zio_place *place);

/* Print what dump_csv() holds back until a block decides the columns. */
void end_csv(FILE *out, const struct dump_options *opt);

#endif /* ZIO_DUMP_H */
