/* SPDX-License-Identifier: GPL-2.0-only */
/* uart.h: boards on a pty, and the frames that they send, for tests of zio-uart */
#ifndef UART_H
#define UART_H

#include <sys/ioctl.h>
#include <termios.h>

#include "board.h"

#define ZUART		"/dev/zio/zuart-0000-0-0"
#define ZUART_SYS	"/sys/bus/zio/devices/zuart-0000"
#define UART_SET	ZUART_SYS "/cset0"
#define UART_CHAN	UART_SET "/chan0"
#define UART_CONFIG	ZIO_CONFIG "/devices/zuart"
#define LDISC		29

enum { A_CUT = 1, A_CHECKSUM = 2, A_PARITY = 4, A_FRAMING = 8, A_BREAK = 16,
	A_OVERRUN = 32, A_MISSED = 64, A_LONG = 128 };
#define LOST_BLOCK 1 /* the core's alarm */

/* A wire: the test is the board, and has @master. */
struct wire {
	int master;
	char path[64];
};

static inline struct wire open_wire(void)
{
	struct wire wire = { .master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) };

	ASSERT_TRUE(wire.master >= 0);
	ASSERT_TRUE(!unlockpt(wire.master));
	ASSERT_TRUE(!ptsname_r(wire.master, wire.path, sizeof(wire.path)));
	return wire;
}

/* @settings: NAME=VALUE..., for files of the directory */
static inline int try_board(const char *dir, const char *tty, const char *settings)
{
	return shell("set -e; cd " UART_CONFIG "; [ -d %s ] || mkdir %s; cd %s; "
		     "echo %s >tty; for s in %s; do echo ${s#*=} >${s%%%%=*}; done; "
		     "echo 1 >live; zio-links", dir, dir, dir, tty, settings);
}

static inline void make_board(const char *dir, const char *tty, const char *settings)
{
	ASSERT_EQ(try_board(dir, tty, settings), 0);
}

static inline void send_bytes(int fd, const void *data, size_t n)
{
	ASSERT_EQ(write(fd, data, n), n);
}

static inline uint16_t modbus(const uint8_t *data, size_t n)
{
	uint16_t crc = 0xffff;
	int i;

	while (n--)
		for (crc ^= *data++, i = 0; i < 8; i++)
			crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
	return crc;
}

#define PAYLOAD	16
#define RAW	(2 + PAYLOAD + 2)
#define CHECKED	"start=a55a checksum=crc16 ssize=2"

/* A frame for CHECKED: a5 5a, eight numbers from 8 * @n, CRC */
static inline void make_frame(uint8_t *raw, unsigned int n)
{
	uint16_t sample[PAYLOAD / 2], crc, i;

	for (i = 0; i < PAYLOAD / 2; i++)
		sample[i] = 8 * n + i;
	raw[0] = 0xa5;
	raw[1] = 0x5a;
	memcpy(raw + 2, sample, PAYLOAD);
	crc = modbus(raw + 2, PAYLOAD);
	memcpy(raw + 2 + PAYLOAD, &crc, 2);
}

static inline void send_frame(int fd, unsigned int n)
{
	uint8_t raw[RAW];

	make_frame(raw, n);
	send_bytes(fd, raw, RAW);
}

/* Read the control and the samples of the next block; the samples are @len bytes. */
static inline struct zio_control read_block(struct pair pair, void *data, size_t len)
{
	struct zio_control ctrl = read_control(pair.ctrl);

	ASSERT_EQ((size_t)ctrl.nsamples * ctrl.ssize, len);
	ASSERT_EQ(read(pair.data, data, len), len);
	return ctrl;
}

/* The next block has frame @n, and this number and alarms. */
static inline void check_frame(struct pair pair, unsigned int n, uint32_t seq,
			       int zio_alarms, int drv_alarms)
{
	uint16_t sample[PAYLOAD / 2], i;
	struct zio_control ctrl = read_block(pair, sample, sizeof(sample));

	for (i = 0; i < PAYLOAD / 2; i++)
		ASSERT_EQ(sample[i], (uint16_t)(8 * n + i));
	ASSERT_EQ(ctrl.seq_num, seq);
	ASSERT_EQ(ctrl.zio_alarms, zio_alarms);
	ASSERT_EQ(ctrl.drv_alarms, drv_alarms);
}

#endif /* UART_H */
