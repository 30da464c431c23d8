/* SPDX-License-Identifier: GPL-2.0-only */
/* Print the fields of a control: its address, names, and samples. */
#ifndef ZIO_COMMON_CONTROL_H
#define ZIO_COMMON_CONTROL_H

#include "libzio/zio.h"

#define ADDRESS_LEN 64
#define ATTR_NAME_LEN 32

/* Put the channel's address, such as "zzero-0000-0-1". */
void put_address(char text[ADDRESS_LEN], const struct zio_control *control);

/* Return the time with less than 10^9 ticks: a control may have more. */
struct zio_timestamp carry_ticks(struct zio_timestamp time);

/* Get name and value of the extension (TLV); false if there is none. */
bool get_tlv(const struct zio_control *control, char name[ATTR_NAME_LEN],
	     uint64_t *value);

/* Samples of 1, 2, 4, 8 bytes are numbers; others are only bytes. */
bool is_numeric(unsigned int ssize);

/* Get sample @i of @data, for a numeric @ssize. */
uint64_t get_sample(const void *data, size_t i, unsigned int ssize);
int64_t extend_sign(uint64_t sample, unsigned int ssize);

#endif /* ZIO_COMMON_CONTROL_H */
