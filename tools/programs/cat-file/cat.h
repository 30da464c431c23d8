/* SPDX-License-Identifier: GPL-2.0-only */
/* The command zio cat. */
#ifndef ZIO_CAT_H
#define ZIO_CAT_H

#include <argp.h>

extern const struct argp cat_argp;
int run_cat(int argc, char **argv);
void complete_cat(int argc, char **argv);

#endif /* ZIO_CAT_H */
