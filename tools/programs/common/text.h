/* SPDX-License-Identifier: GPL-2.0-only */
/* Small helpers for text. */
#ifndef ZIO_COMMON_TEXT_H
#define ZIO_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Like snprintf(), for names whose length the kernel limits: cuts silently. */
void put_text(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

bool has_prefix(const char *text, const char *prefix);

/* Return true if @text is one or more decimal digits, and nothing else. */
bool is_digits(const char *text);

/* Return the part of @path after its last slash; all of it without a slash. */
const char *base_name(const char *path);

/* Put a number with a unit prefix, such as "12.3k"; "-" for NaN, not known. */
void put_scaled(char *to, size_t size, double value);

/*
 * Print @text, which is UTF-8. What a terminal obeys is shown as \x1b and the like. So is
 * what shows nothing, or turns the direction of text.
 */
void print_visible(FILE *out, const char *text);

#endif /* ZIO_COMMON_TEXT_H */
