// SPDX-License-Identifier: GPL-2.0-only
/* The chip model on a bus that takes time, and behind a bridge that holds writes */
#include "harness.h"
#include "slink.h"
#include "test-chip.h"

TEST("posted writes wait", start)
{
	chip.cfg.posted_ns = 1000;
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, 8);
	ASSERT_TRUE(!chip.write.addr && chip.n_posted == 2, "posted writes wait");
	ASSERT_TRUE(get(S5933_MWTC) == 8 && chip.write.addr == BASE && !chip.n_posted);
	put(S5933_MWTC, 4);
	pass_ns(999);
	ASSERT_EQ(chip.write.count, 8, "without a read it takes its time");
	pass_ns(1);
	ASSERT_TRUE(chip.write.count == 4 && !chip.n_posted, "and no longer");
}

/* --- a bus that takes time ------------------------------------------------- */

SETUP(start_bus)
{
	start(value);
	chip.cfg.read_ns = 750;
	chip.cfg.write_ns = 150;
	chip.cfg.phase_ns = 30;
	chip.cfg.grant_ns = 240;
}

static void pass(uint64_t ns)
{
	uint64_t until = now + ns, next;

	while ((next = s5933_next_ns(&chip)) <= until) {
		now = slink_later(now, next);
		run();
	}
	now = until;
}

TEST("the CPU waits for a read, and not for writes", start_bus)
{
	uint64_t begin, end;

	begin = s5933_begin_read(&chip);
	end = s5933_end_read(&chip);
	ASSERT_TRUE(begin == 375 && end == 375 && chip.stats.wait_ns == 750);
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, 8);
	ASSERT_TRUE(!chip.write.addr && chip.n_posted == 2 && chip.stats.wait_ns == 750);
	pass(150);
	ASSERT_TRUE(chip.write.addr == BASE && !chip.write.count);
	ASSERT_EQ(s5933_begin_read(&chip), 150 + 375);
	pass(150);
	ASSERT_TRUE(chip.write.count == 8 && s5933_begin_read(&chip) == 375);
}

TEST("a bridge that is full, or slow", start_bus)
{
	unsigned int i;

	for (i = 0; i < S5933_POSTED; i++)
		put(S5933_OMB(2), i);
	ASSERT_EQ(s5933_begin_write(&chip), 150, "a bridge that is full: a write waits");
	pass(150);
	ASSERT_TRUE(!s5933_begin_write(&chip) && chip.omb[2] == 0, "for one place");
	chip.cfg.posted_ns = 1000000;
	pass(1000000);
	put(S5933_OMB(3), 5);
	pass(900000);
	ASSERT_EQ(chip.n_posted, 1, "a bridge holds a write for longer");
	ASSERT_EQ(s5933_begin_read(&chip), 150 + 375, "but not a read behind it");
}

TEST("phases of a burst", start_bus)
{
	chip.cfg.write_ns = 0;
	begin_write(64, S5933_WRITE_4_WORDS);
	push(4, 1);
	pass(240);
	ASSERT_TRUE(chip.a2p.level == 3 && chip.write.count == 60, "the grant: one word");
	pass(59);
	ASSERT_EQ(chip.a2p.level, 2, "the next one after 30 ns");
	push(1, 5);
	pass(91);
	ASSERT_TRUE(!chip.a2p.level && memory[4] == 5 && chip.stats.bursts == 1);
	push(3, 6);
	pass(10000);
	ASSERT_EQ(chip.a2p.level, 3, "the burst has ended with the FIFO empty");
	push(1, 9);
	pass(240);
	ASSERT_EQ(chip.stats.bursts, 2, "the next one begins with a request");
	put(S5933_MCSR, 0);
	pass(1000);
	ASSERT_EQ(chip.a2p.level, 3, "WTE off ends a burst");
}
