/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "PROGRAM --complete WORD...": print candidates for the last WORD
 *
 * The completion of bash calls the program with the words after its name, up to the
 * cursor. Each candidate is a line; '=' or '/' at its end means that more follows. Every
 * function below prints only candidates that begin with @word.
 */
#ifndef ZIO_COMMON_COMPLETE_H
#define ZIO_COMMON_COMPLETE_H

#include <argp.h>

#include "libzio/zio.h"

/* Return the word to complete, or NULL if argv[1] is not "--complete". */
const char *word_to_complete(int argc, char **argv);

void offer(const char *word, const char *candidate);

/* Offer @prefix with the last part of the name of each object that zio_list() lists. */
void offer_objects_of(const char *word, const char *prefix,
		      const struct zio_object *in, enum zio_object_kind kind);

/*
 * Once @word begins with "-", offer the long options of @argp and its children; after
 * "--OPTION=" what it takes, if the help calls that FILE or METHOD.
 */
void offer_options(const char *word, const struct argp *argp);

/* Once @word begins with @prefix, offer @prefix with each name; NULL ends them. */
void offer_choices(const char *word, const char *prefix,
		   const char *const *names);

/* Once @word begins with @prefix, offer @prefix with each address of a channel. */
void offer_channels(const char *word, const char *prefix);

/* Offer channels, and paths of files, which may be block files. */
void offer_sources(const char *word, const char *prefix);

#endif /* ZIO_COMMON_COMPLETE_H */
