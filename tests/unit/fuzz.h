/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h: a function meets damaged inputs
 *
 * The inputs are good ones, which a mutator changes: bits, bytes, numbers, cuts, and
 * parts of other inputs. The same seed makes the same inputs. The programs are built with
 * sanitizers, which end a program at its first fault. $ZIO_FUZZ_INPUTS is how many inputs
 * each function meets, and $ZIO_SEED another seed than 1.
 */
#ifndef ZIO_FUZZ_H
#define ZIO_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer inputs are cut. */
#define FUZZ_MAX 8192

struct fuzz_input {
	size_t len;
	uint8_t data[FUZZ_MAX];
};

/* Does the function accept the input? */
typedef bool (*fuzz_fn)(const struct fuzz_input *in);

/*
 * Let @function meet @n inputs, made of the @n_good ones. It has to accept each good one
 * as it is, and to refuse some of the damaged ones. A report of a sanitizer also tells
 * which input it is about.
 */
void fuzz(fuzz_fn function, const struct fuzz_input *good, unsigned int n_good,
	  unsigned int n);

/* Fail with the number of the input unless @good. */
void fuzz_demand(bool good, const char *what);

/* Put text, or more bytes, behind what @in has. */
void fuzz_put(struct fuzz_input *in, const void *bytes, size_t len);

/* Return a path that gives the bytes of @in; valid until the next call. */
const char *fuzz_path(const struct fuzz_input *in);

#endif /* ZIO_FUZZ_H */
