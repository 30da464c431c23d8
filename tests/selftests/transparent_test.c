// SPDX-License-Identifier: GPL-2.0-only
/*
 * transparent_test.c: an input that is armed whenever it has room
 *
 * # check
 */
#include "board.h"
#include "harness.h"
#include "ring.h"

#define LOST2	CSET0 "/chan2/statistics/lost_blocks"

SETUP(fresh)
{
	renew_zzero();
	write_text(CSET2 "/current_trigger", "transparent");
}

/* Sixteen blocks fit the area of channel 2 of cset0. */
SETUP(mapped)
{
	renew_zzero();
	write_text(CSET0 "/current_buffer", "vmalloc");
	write_text(CSET0 "/chan0/enable", "0");
	write_text(CSET0 "/chan1/enable", "0");
	write_text(CSET0 "/trigger/nsamples", "8192");
	write_text(CSET0 "/chan2/buffer/watermark", "128");
	write_text(CSET0 "/current_trigger", "transparent");
}

TEST("16 blocks wait, and a thousand are read without a loss", fresh)
{
	ASSERT_EQ(read_number(CSET2 "/chan0/buffer/allocated-buffer-len"), 16);
	run("dd if=" ZZERO "-2-0-data of=/dev/null bs=64 count=1000 2>/dev/null");
	ASSERT_EQ(read_number(CSET2 "/chan0/statistics/lost_blocks"), 0);
}

TEST("a ring with a watermark of more blocks than fit the area", mapped)
{
	read_sawtooth_ring(ZZERO "-0-2", 500);
	ASSERT_EQ(read_number(LOST2), 0);
}

TEST("a ring with watermark 1", mapped)
{
	write_text(CSET0 "/chan2/buffer/watermark", "1");
	read_sawtooth_ring(ZZERO "-0-2", 500);
	ASSERT_EQ(read_number(LOST2), 0);
}
