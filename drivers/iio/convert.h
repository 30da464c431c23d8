/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * convert.h: from the scan of an IIO device to the samples of a block
 *
 * A scan has one field per channel. A field has "storage bits" in either byte order. Its
 * "real bits" are valid, with "shift" other bits below them; the bits around the valid ones
 * are undefined. A sample has the processor's byte order and is shifted down and
 * sign-extended.
 */
#ifndef _ZIO_IIO_CONVERT_H
#define _ZIO_IIO_CONVERT_H

#include <linux/bits.h>
#include <linux/string.h>
#include <linux/swab.h>
#include <linux/types.h>

/**
 * struct ziio_field - a field of a scan
 * @offset: bytes from the start of the scan
 * @bytes: size of the field and of the sample: 1, 2, 4 or 8
 * @up: left shift that moves the highest valid bit to bit 63
 * @down: right shift that then moves the lowest valid bit to bit 0
 * @is_signed: the number has a sign
 * @swap: its byte order differs from the processor's
 */
struct ziio_field {
	u32 offset;
	u8 bytes;
	u8 up;
	u8 down;
	bool is_signed;
	bool swap;
};

/* Returns true if a field of @bytes can hold @realbits, shifted up by @shift. */
static inline bool ziio_field_is_valid(unsigned int bytes, unsigned int realbits,
				       unsigned int shift)
{
	return (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && realbits &&
		realbits + shift <= bytes * 8;
}

static inline void ziio_field_init(struct ziio_field *field, unsigned int bytes,
				   unsigned int realbits, unsigned int shift)
{
	field->bytes = bytes;
	field->up = 64 - realbits - shift;
	field->down = 64 - realbits;
}

/* Returns true if the sample equals the field, byte by byte. */
static inline bool ziio_field_is_plain(const struct ziio_field *field)
{
	return field->down == 64 - field->bytes * 8 && (!field->swap || field->bytes == 1);
}

static inline u64 ziio_get_field(const struct ziio_field *field, const void *scan)
{
	const void *from = scan + field->offset;
	u16 half;
	u32 word;
	u64 wide;

	switch (field->bytes) {
	case 1:
		return *(const u8 *)from;
	case 2:
		memcpy(&half, from, sizeof(half));
		return field->swap ? swab16(half) : half;
	case 4:
		memcpy(&word, from, sizeof(word));
		return field->swap ? swab32(word) : word;
	default:
		memcpy(&wide, from, sizeof(wide));
		return field->swap ? swab64(wide) : wide;
	}
}

static inline void ziio_put_sample(void *sample, unsigned int bytes, u64 value)
{
	switch (bytes) {
	case 1:
		*(u8 *)sample = value;
		break;
	case 2:
		*(u16 *)sample = value;
		break;
	case 4:
		*(u32 *)sample = value;
		break;
	default:
		*(u64 *)sample = value;
	}
}

/**
 * ziio_convert() - turn a field of a scan into a sample
 * @field: the field
 * @scan: the scan
 * @sample: receives field->bytes bytes, aligned to their size
 *
 * Context: Any.
 */
static inline void ziio_convert(const struct ziio_field *field, const void *scan,
				void *sample)
{
	u64 value = ziio_get_field(field, scan) << field->up;

	if (field->is_signed)
		value = (s64)value >> field->down;
	else
		value >>= field->down;
	ziio_put_sample(sample, field->bytes, value);
}

/**
 * ziio_convert_scan() - turn fields of a scan into samples that follow each other
 * @field: the fields of all channels, of equal size
 * @mask: one bit per field, set if the field becomes a sample
 * @scan: the scan
 * @sample: receives the samples, the lowest channel first
 *
 * Context: Any.
 */
static inline void ziio_convert_scan(const struct ziio_field *field, u64 mask,
				     const void *scan, void *sample)
{
	for (; mask; mask >>= 1, field++)
		if (mask & 1) {
			ziio_convert(field, scan, sample);
			sample += field->bytes;
		}
}

/**
 * ziio_fields_are_plain() - check whether samples can be copied unchanged from a scan
 * @field: the fields of all channels
 * @n: number of fields
 *
 * Context: Any.
 *
 * Return: true if each field is plain and there is no gap between them.
 */
static inline bool ziio_fields_are_plain(const struct ziio_field *field, unsigned int n)
{
	u32 offset = field->offset;

	for (; n--; offset += field->bytes, field++)
		if (!ziio_field_is_plain(field) || field->offset != offset)
			return false;
	return true;
}

#endif /* _ZIO_IIO_CONVERT_H */
