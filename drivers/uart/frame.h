/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.h: frames in a stream of bytes
 *
 * A frame is [start bytes] [length] payload [checksum] [end bytes]. The parser keeps the
 * bytes of one candidate. If it turns out not to be a frame, the parser looks for one that
 * begins at a later byte. So a start byte among the samples loses no frame.
 *
 * frame.c knows neither ZIO nor ttys: zio-core/tests/uart_frame_test.c includes it.
 */
#ifndef _ZIO_UART_FRAME_H
#define _ZIO_UART_FRAME_H

#include <linux/bits.h>
#include <linux/types.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#include <linux/kernel.h>
#else
#include <linux/hex.h>
#endif

#define UART_MAX_SIZE	4096	/* bytes of payload */
#define UART_MAX_MARK	8	/* start bytes, end bytes */
#define UART_MAX_COLUMNS	64
#define UART_MAX_DECIMALS	9

/* Reasons for losses: the alarms of the driver */
#define UART_CUT	BIT(0)	/* bytes that belong to no frame, or are no numbers */
#define UART_CHECKSUM	BIT(1)
#define UART_PARITY	BIT(2)
#define UART_FRAMING	BIT(3)
#define UART_BREAK	BIT(4)
#define UART_OVERRUN	BIT(5)	/* the hardware or the tty had no room for a byte */
#define UART_MISSED	BIT(6)	/* no block was armed */
#define UART_LONG	BIT(7)	/* does not fit "size", the block, the columns or 32 bits */

/* In the order of the words in format.c */
enum uart_kind {
	UART_FIXED,	/* "size" bytes */
	UART_LINE,	/* up to the end bytes; the checksum is "*" and hexadecimal digits */
	UART_LENGTH,	/* a byte holds the length of the payload */
	UART_COBS,	/* consistent overhead byte stuffing, up to a zero */
	UART_TEXT,	/* as UART_LINE; the payload is a sample per column */
};

enum uart_check {
	UART_NONE,
	UART_SUM8,
	UART_XOR8,
	UART_CRC8,		/* polynomial 0x07 */
	UART_CRC16,		/* MODBUS: 0x8005 reflected, from 0xffff, low byte first */
	UART_CRC16_CCITT,	/* 0x1021, from 0xffff, high byte first */
};

struct uart_mark {
	unsigned int len;
	u8 byte[UART_MAX_MARK];
};

/**
 * struct uart_format - what a frame looks like
 * @kind: how a frame ends
 * @check: covers the length byte and the payload
 * @size: bytes of payload; the maximum if frames vary
 * @columns: text: numbers in a line; 1 for other kinds
 * @decimals: text: samples are in units of 10^-@decimals
 * @start: bytes before each frame; none if @len is 0
 * @end: bytes after each frame; at least one for lines and text
 */
struct uart_format {
	enum uart_kind kind;
	enum uart_check check;
	unsigned int size;
	unsigned int columns;
	unsigned int decimals;
	struct uart_mark start;
	struct uart_mark end;
};

/**
 * struct uart_found - a frame, from uart_parser_next()
 * @data: the payload, or the samples of a line of text; valid until the next call for the
 *        parser
 * @len: bytes of @data, at least 1
 * @at: time of the first byte of the frame, as passed to uart_parser_put()
 * @lost: frames lost between the previous frame and this one
 * @reasons: why they were lost
 */
struct uart_found {
	const u8 *data;
	size_t len;
	u64 at;
	unsigned int lost;
	u8 reasons;
};

/**
 * struct uart_counts - counters of the parser, which wrap
 * @checksums: candidates with a wrong checksum
 * @skipped: bytes that belong to no frame
 * @too_long: frames without an end within the size
 * @no_numbers: lines of text with something that is no number
 * @no_columns: lines of text with more or fewer columns
 * @too_large: lines of text with a number that does not fit a sample
 */
struct uart_counts {
	u32 checksums;
	u32 skipped;
	u32 too_long;
	u32 no_numbers;
	u32 no_columns;
	u32 too_large;
};

/**
 * struct uart_parser - finds frames
 * @format: the format
 * @counts: for the caller to read
 */
struct uart_parser {
	const struct uart_format *format;
	struct uart_counts counts;
	/* private: */
	u8 *raw; /* the candidate is from first to end */
	u64 *at;
	s32 *value; /* text: a sample per column */
	unsigned int capacity;
	unsigned int first;
	unsigned int end;
	unsigned int need; /* bytes of the candidate before the next decision */
	unsigned int scanned; /* bytes of the candidate known to have no end mark */
	unsigned int skipped; /* bytes since the last frame */
	unsigned int lost; /* frames whose end was seen */
	u8 reasons;
	bool synced; /* a frame was found before */
	bool discarding; /* up to the next end mark */
	bool flushing; /* the candidate gets no more bytes */
	u16 table[256];
};

int uart_parser_init(struct uart_parser *parser, const struct uart_format *format);
void uart_parser_free(struct uart_parser *parser);
void uart_parser_put(struct uart_parser *parser, u8 byte, u64 at);
void uart_parser_fail(struct uart_parser *parser, u8 reason, unsigned int n_bytes);
void uart_parser_cut(struct uart_parser *parser, u8 reason);
bool uart_parser_next(struct uart_parser *parser, struct uart_found *found);

/* checksum.c */
unsigned int uart_check_len(enum uart_check check);
void uart_check_init(u16 *table, enum uart_check check);
u16 uart_check_sum(const u16 *table, enum uart_check check, const u8 *data, size_t n);

/* text.c */
int uart_text_parse(const u8 *line, size_t n, const struct uart_format *format, s32 *value);

#endif /* _ZIO_UART_FRAME_H */
