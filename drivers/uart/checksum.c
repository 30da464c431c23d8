// SPDX-License-Identifier: GPL-2.0-only
/*
 * checksum.c: the checksums of frames
 *
 * Kernels may lack crc16() or crc8(), and no kernel function serves both directions. So one
 * table-driven function serves all.
 */
#include "frame.h"

/**
 * uart_check_len() - get the size of a checksum
 * @check: which
 *
 * Context: any.
 * Return: bytes.
 */
unsigned int uart_check_len(enum uart_check check)
{
	switch (check) {
	case UART_NONE:
		return 0;
	case UART_CRC16:
	case UART_CRC16_CCITT:
		return 2;
	default:
		return 1;
	}
}

static u16 uart_divide(enum uart_check check, unsigned int byte)
{
	unsigned int crc = check == UART_CRC16_CCITT ? byte << 8 : byte, i;

	for (i = 0; i < 8; i++) {
		if (check == UART_CRC8)
			crc = (crc << 1) ^ (crc & 0x80 ? 0x07 : 0);
		else if (check == UART_CRC16)
			crc = (crc >> 1) ^ (crc & 1 ? 0xa001 : 0);
		else
			crc = (crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0);
	}
	return check == UART_CRC8 ? crc & 0xff : crc;
}

/**
 * uart_check_init() - compute the table of a checksum
 * @table: 256 entries
 * @check: which
 *
 * Context: any.
 */
void uart_check_init(u16 *table, enum uart_check check)
{
	unsigned int i;

	for (i = 0; i < 256; i++)
		table[i] = uart_divide(check, i);
}

/**
 * uart_check_sum() - compute a checksum
 * @table: of uart_check_init()
 * @check: which
 * @data: the bytes
 * @n: their number
 *
 * Context: any.
 * Return: the checksum.
 */
u16 uart_check_sum(const u16 *table, enum uart_check check, const u8 *data, size_t n)
{
	u16 sum = uart_check_len(check) == 2 ? 0xffff : 0;

	for (; n--; data++) {
		switch (check) {
		case UART_NONE:
			return 0;
		case UART_SUM8:
			sum = (sum + *data) & 0xff;
			break;
		case UART_XOR8:
			sum ^= *data;
			break;
		case UART_CRC8:
			sum = table[(sum ^ *data) & 0xff];
			break;
		case UART_CRC16:
			sum = (sum >> 8) ^ table[(sum ^ *data) & 0xff];
			break;
		case UART_CRC16_CCITT:
			sum = (sum << 8) ^ table[(sum >> 8) ^ *data];
			break;
		}
	}
	return sum;
}
