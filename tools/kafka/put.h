/* SPDX-License-Identifier: GPL-2.0-only */
/* zio-kafka put: its settings */
#ifndef ZIO_KAFKA_PUT_H
#define ZIO_KAFKA_PUT_H

#include "common/program.h"
#include "kafka.h"

struct put_settings {
	struct conf conf;
	struct arguments sources;
	enum format format;
	int method;		/* ZIO_OPEN_RING and the like; 0: any */
	uint64_t count;		/* of blocks; 0: no end */
	size_t bytes;		/* of a message */
	size_t queue;		/* bytes that wait for the broker */
	double linger;
	double stats;		/* seconds between two lines; 0: none */
	double flush;		/* seconds to wait at the end */
	bool drops;		/* a full queue refuses blocks */
	bool strict;		/* blocks lost in the kernel are a failure, too */
	bool json;
	const char *spool;
	const char *prometheus;
};

/* Parse the command line. A wrong one ends the program. */
void parse_put(int argc, char **argv, struct put_settings *set);

/* Offer completions; see common/complete.h. */
int complete_put(const char *word);

#endif /* ZIO_KAFKA_PUT_H */
