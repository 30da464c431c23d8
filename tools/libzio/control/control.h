/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* control.h: controls, sequence numbers and times, for the files of libzio */
#ifndef LIBZIO_CONTROL_H
#define LIBZIO_CONTROL_H

#include "libzio/base/base.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ZIO_NATIVE ZIO_CONTROL_LITTLE_ENDIAN
#else
#define ZIO_NATIVE ZIO_CONTROL_BIG_ENDIAN
#endif

/* --- control.c */

/* Is the character safe in a name, whatever program shows it? */
bool zio_is_harmless(char c);

/* A standard attribute of a control; 0 if the control does not have it */
static inline bool zio_has_std(const struct zio_ctrl_attr *attr, unsigned int index)
{
	return attr->std_mask >> index & 1;
}

static inline uint32_t zio_get_std(const struct zio_ctrl_attr *attr, unsigned int index)
{
	return zio_has_std(attr, index) ? attr->std_val[index] : 0;
}

/* Are both halves of an attribute there, or none? */
static inline bool zio_is_pair(const struct zio_ctrl_attr *attr, unsigned int low)
{
	return (attr->std_mask >> low & 3) == 3 || !(attr->std_mask >> low & 3);
}

/* --- name.c */

/* Return the length of @name without a suffix "-data" or "-ctrl". */
bool zio_has_suffix(const char *name);
int zio_stem_len(const char *name);

/* Return what follows "/dev/zio/" or "/dev/". */
const char *zio_skip_dev(const char *name);

struct zio_slice {
	const char *at;
	int len;
};

struct zio_name {
	struct zio_slice device;	/* with or without its id */
	struct zio_slice cset;		/* digits */
	struct zio_slice chan;		/* digits, or "i"; of a set: none */
};

/*
 * Split the name of a channel or set, such as "zzero-0-2" or "zzero/0/2". Returns false
 * if @text has another form. The parts point into @text.
 */
bool zio_parse_channel(const char *text, struct zio_name *name);
bool zio_parse_set(const char *text, struct zio_name *name);

/* Does @name have the form of the name of a channel or node? */
bool zio_is_channel_name(const char *name);

/* --- sequence.c */

struct zio_sequence;

/*
 * The sequence numbers of one channel, or of several whose blocks alternate. zio_next()
 * reads and increments @expected for each block of a ring.
 */
struct zio_sequences {
	uint32_t expected;	/* the next number of the current channel, if known */
	bool known;
	unsigned int at;	/* the current channel */
	unsigned int n;
	struct zio_sequence *list;
};

/* The numbers are those of the channel @addr from now on. */
void zio_sequence_find(struct zio_sequences *seq, const struct zio_addr *addr);

/* Note the number of a block. Returns how many blocks are lost before it. */
uint32_t zio_sequence_count(struct zio_sequences *seq, uint32_t number);

/* Free the list. */
void zio_sequence_free(struct zio_sequences *seq);

/* --- time.c */

/* The time in ns. A time from a file may exceed 64 bits: it wraps. */
static inline uint64_t zio_time_ns(const struct zio_timestamp *time)
{
	return time->secs * 1000000000 + time->ticks;
}

/* Returns the time of CLOCK_MONOTONIC in ns. */
uint64_t zio_monotonic_ns(void);

#endif /* LIBZIO_CONTROL_H */
