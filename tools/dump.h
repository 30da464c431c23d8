/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of zio-dump share. */
#ifndef ZIO_DUMP_H
#define ZIO_DUMP_H

#include <stdio.h>

#include "libzio/zio.h"

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
	enum dump_format format;
};

#define DUMP_LABEL_LEN 64
#define DUMP_NAME_LEN 32

/* "zzero-0000-0-1", whatever bytes the control holds. */
void dump_label(char label[DUMP_LABEL_LEN], const struct zio_control *control);

/* @name[ZIO_OBJ_NAME_LEN] made printable and terminated. */
void dump_object_name(char text[ZIO_OBJ_NAME_LEN + 1], const char *name);

/* Name of standard attribute @i; "std7" if it has none. */
void dump_attr_name(char text[DUMP_NAME_LEN], enum zio_attr_owner owner,
		    unsigned int i);

/* Name and value of the extension (TLV) of a control; false if it has none. */
bool dump_tlv(const struct zio_control *control, char name[DUMP_NAME_LEN],
	      uint64_t *value);

/* Samples of 1, 2, 4, 8 bytes are numbers; others only bytes. */
bool dump_is_number(unsigned int ssize);
uint64_t dump_sample(const void *data, size_t i, unsigned int ssize);
int64_t dump_signed(uint64_t sample, unsigned int ssize);

/* Print one block; -1 if memory or the output failed. */
int dump_text(FILE *out, const struct dump_options *opt,
	      const struct zio_block *blk);
int dump_json(FILE *out, const struct dump_options *opt,
	      const struct zio_block *blk);

#endif /* ZIO_DUMP_H */
