/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines.h: the lines of CERN's S-LINK cards on the mailboxes of their S5933
 *
 * SSPCI is the destination of a link, SPS is a source. The lines are those in CERN's
 * libSLINK.c, 1997.
 */
#ifndef _ZIO_SLINK_LINES_H
#define _ZIO_SLINK_LINES_H

#include <linux/bits.h>
#include <linux/log2.h>

#define SLINK_VENDOR	0x10dc	/* CERN */
#define SSPCI_DEVICE	0x0011
#define SPS_DEVICE	0x0010

/* Both: the width of the link, in OMB1, and the reset of the link */
#define OMB1_URESET_N		BIT(2)
#define OMB1_WIDTH		GENMASK(4, 3)

/* SSPCI: OMB1, lines to the card */
#define OMB1_FRESET_N		BIT(0)	/* external FIFO */
#define OMB1_UTDO_N		BIT(1)	/* low: test words pass to the output */
#define OMB1_LINES		GENMASK(11, 8)	/* URL, return lines */
#define OMB1_EXPECT_SHIFT	24
#define OMB1_EXPECT		GENMASK(25, 24)

/* SSPCI: IMB4 byte 3, lines from the card; the first two are the type of a word */
#define LINE_LDERR_N		BIT(0)
#define LINE_LCTRL_N		BIT(1)
#define LINE_LDOWN_N		BIT(2)
#define LINE_OVERFLOW		BIT(3)
#define LINE_TYPE		GENMASK(1, 0)

#define TYPE_BAD_CONTROL	0
#define TYPE_CONTROL		LINE_LDERR_N
#define TYPE_BAD_DATA		LINE_LCTRL_N
#define TYPE_DATA		(LINE_LCTRL_N | LINE_LDERR_N)

/* SPS: OMB1, lines to the card */
#define SPS_UCTRL_N		BIT(0)	/* low: the words in the FIFO are control words */
#define SPS_UTEST_N		BIT(1)	/* low: the card sends cycles of the self test */

/* SPS: IMB4 byte 3, lines from the card */
#define SPS_LINES		GENMASK(3, 0)	/* LRL, return lines */
#define SPS_LDOWN_N		BIT(4)

/* Returns the code in OMB1 for a width of 32, 16 or 8 bits. */
static inline u32 slink_width_code(u32 bits)
{
	return ilog2(32 / bits);
}

#endif /* _ZIO_SLINK_LINES_H */
