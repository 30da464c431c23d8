// SPDX-License-Identifier: GPL-2.0-only
/* Print the fields of a control */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "control.h"

#define SECOND 1000000000

void put_address(char text[ADDRESS_LEN], const struct zio_control *control)
{
	const struct zio_addr *addr = &control->addr;
	char name[ZIO_OBJ_NAME_LEN + 1];

	zio_name_text(name, addr->devname);
	snprintf(text, ADDRESS_LEN, "%s-%04x-%u-%u", name, addr->dev_id,
		 addr->cset, addr->chan);
}

struct zio_timestamp carry_ticks(struct zio_timestamp time)
{
	if (__builtin_add_overflow(time.secs, time.ticks / SECOND, &time.secs))
		time.secs = UINT64_MAX;
	time.ticks %= SECOND;
	return time;
}

bool get_tlv(const struct zio_control *control, char name[ATTR_NAME_LEN],
	     uint64_t *value)
{
	const struct zio_tlv *tlv = &control->tlv[0];

	if (!tlv->type || tlv->type == ZIO_TLV_SHOTS)
		return false;
	if (tlv->type == ZIO_TLV_CHANNELS)
		strcpy(name, "channel_mask");
	else if (tlv->type == ZIO_TLV_BLOCK_INFO)
		strcpy(name, "block_info");
	else
		snprintf(name, ATTR_NAME_LEN, "tlv%" PRIu32, tlv->type);
	memcpy(value, tlv->payload, sizeof(*value));
	return true;
}

bool is_numeric(unsigned int ssize)
{
	return ssize == 1 || ssize == 2 || ssize == 4 || ssize == 8;
}

uint64_t get_sample(const void *data, size_t i, unsigned int ssize)
{
	const unsigned char *at = (const unsigned char *)data + i * ssize;
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	switch (ssize) {
	case 2:
		memcpy(&v16, at, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, at, sizeof(v32));
		return v32;
	case 8:
		memcpy(&v64, at, sizeof(v64));
		return v64;
	default:
		return *at;
	}
}

int64_t extend_sign(uint64_t sample, unsigned int ssize)
{
	switch (ssize) {
	case 1:
		return (int8_t)sample;
	case 2:
		return (int16_t)sample;
	case 4:
		return (int32_t)sample;
	default:
		return (int64_t)sample;
	}
}
