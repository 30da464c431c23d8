/* SPDX-License-Identifier: GPL-2.0-only */
/* The forms in which zio-dump prints a block. */
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

/* Print one block; return 0, or -1 if memory or the output failed. */
int dump_text(FILE *out, const struct dump_options *opt,
	      const struct zio_block *blk);
int dump_json(FILE *out, const struct dump_options *opt,
	      const struct zio_block *blk);

#endif /* ZIO_DUMP_H */
