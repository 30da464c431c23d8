/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uart.h: a serial line as a ZIO device
 *
 *   format.c  what a frame looks like: from configfs, firmware or module parameters
 *   frame.c   frames in a stream of bytes; checksum.c; text.c: lines of numbers
 *   line.c    frames to blocks: the ZIO device
 *   ldisc.c   the line discipline: bytes of any tty
 *   attach.c  devices in configfs, which name a tty
 *   serdev.c  serial devices that the firmware describes
 *
 * A line is used by its tty or serdev and by the device in configfs. The first of them to
 * go unplugs it; the last one frees it.
 */
#ifndef _ZIO_UART_H
#define _ZIO_UART_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/zio.h>

#include "frame.h"

struct tty_struct;

#define UART_NAME	"zuart"

/* Module parameters: the values of the configfs files, for lines without such files */
struct uart_params {
	char *frame;
	char *start;
	char *end;
	char *checksum;
	unsigned int size;
	unsigned int ssize;
	unsigned int columns;
	unsigned int decimals;
	unsigned int frames;
};

extern struct uart_params uart_params;
extern const char *const uart_kinds[];
extern const char *const uart_checks[];
extern const char *const uart_ssizes[];

/**
 * struct uart_setup - what the user chooses
 * @format: of frames
 * @ssize: bytes per sample
 * @frames: frames per block
 */
struct uart_setup {
	struct uart_format format;
	unsigned int ssize;
	unsigned int frames;
};

/* Returns the bytes of a frame in the block of a channel; the maximum, if they vary. */
static inline unsigned int uart_frame_bytes(const struct uart_setup *setup)
{
	return setup->format.kind == UART_TEXT ? setup->ssize : setup->format.size;
}

/* In the order of the attributes in line.c */
enum uart_stat {
	UART_FRAMES,
	UART_LOST_FRAMES,
	UART_MISSED_FRAMES,
	UART_PARITY_ERRORS,
	UART_FRAMING_ERRORS,
	UART_BREAKS,
	UART_OVERRUNS,
	UART_N_STATS,
	/* counted by the parser */
	UART_CHECKSUMS = UART_N_STATS,
	UART_SKIPPED,
	UART_TOO_LONG,
	UART_NO_NUMBERS,
	UART_NO_COLUMNS,
	UART_TOO_LARGE,
};

/**
 * struct uart_line - a serial line
 * @ref: its users
 * @setup: what the user chose
 * @cset_desc: descriptor of the set: a channel, or one per column of a text
 * @scaling: of all channels
 * @desc: descriptor of the device
 * @plug: protects @zdev
 * @zdev: the device; NULL when it is unplugged
 * @lock: protects all following fields except @armed and @room
 * @parser: finds the frames
 * @is_live: the set exists
 * @cset: the set
 * @chan: its channels; NULL until they are armed for the first time
 * @armed: the channels have blocks: see line.c
 * @room: capacity of each armed block in bytes
 * @pos: bytes in each
 * @n_frames: frames in each
 * @lost: frames lost since the last one in a block
 * @byte_ns: time of a byte on the line; 0: unknown
 * @misfits: frames that did not fit the block
 * @stat: counters
 */
struct uart_line {
	struct kref ref;
	struct uart_setup setup;
	struct zio_cset_desc cset_desc;
	struct zio_scaling scaling;
	struct zio_device_desc desc;
	struct mutex plug; /* zdev */
	struct zio_device *zdev;
	struct mutex lock; /* all following fields except armed and room */
	struct uart_parser parser;
	bool is_live;
	struct zio_cset *cset;
	struct zio_channel *chan[UART_MAX_COLUMNS];
	int armed;
	size_t room;
	size_t pos;
	unsigned int n_frames;
	unsigned int lost;
	u32 byte_ns;
	u32 misfits;
	u32 stat[UART_N_STATS];
};

/* format.c */
int uart_setup_read(struct device *dev, struct uart_setup *setup);

/* line.c */
struct uart_line *uart_line_create(struct device *parent, const struct uart_setup *setup,
				   int id);
void uart_line_receive(struct uart_line *line, const u8 *data, const u8 *flags, size_t n);
void uart_line_set_speed(struct uart_line *line, unsigned int bits, unsigned int baud);
void uart_line_unplug(struct uart_line *line);
void uart_line_put(struct uart_line *line);

/* ldisc.c */
int uart_ldisc_register(void);
void uart_ldisc_unregister(void);
int uart_ldisc_attach(struct tty_struct *tty, struct uart_line *line);
void uart_ldisc_detach(struct tty_struct *tty, struct uart_line *line);

/* attach.c */
int uart_attach_register(void);
void uart_attach_unregister(void);

/* serdev.c */
#if IS_ENABLED(CONFIG_SERIAL_DEV_BUS)
int uart_serdev_register(void);
void uart_serdev_unregister(void);
#else
static inline int uart_serdev_register(void)
{
	return 0;
}

static inline void uart_serdev_unregister(void)
{
}
#endif

#endif /* _ZIO_UART_H */
