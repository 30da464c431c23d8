// SPDX-License-Identifier: GPL-2.0-only
/* Send the blocks of the spool: they go before new ones */
#include "put.h"

#define BLOCKS_A_TURN 256

/* The number was counted, with 64 bits, when the block came. */
static uint64_t number_of(const struct account *account, const struct zio_control *control)
{
	uint64_t last = account->next - 1;

	return last - (uint32_t)((uint32_t)last - control->seq_num);
}

void drain_spool(const struct ending *end)
{
	struct zio_block blk;
	bool again;
	int i, ret;

	if (!end->spool->file)
		return;
	for (i = 0; i < BLOCKS_A_TURN && !is_full(end->sender); i++) {
		struct account *account;

		ret = next_spooled(end->spool, &blk, &again);
		if (ret < 0)
			*end->code = EXIT_FAILED;
		if (ret <= 0)
			return;
		account = find_account(blk.control);
		account->spooled--;
		collect_block(end->collector, account, &blk,
			      number_of(account, blk.control), again);
	}
}
