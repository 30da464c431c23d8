// SPDX-License-Identifier: GPL-2.0-only
/*
 * drain.c: write blocks to the spool, and drain it into messages
 *
 * While the broker keeps up, blocks go straight into messages. When the queue is full or a
 * message has waited for LATE_SECONDS, the blocks of all messages are appended to the spool,
 * followed by every new block. From there blocks go into messages again when the queue has
 * room. A program that is killed loses only the blocks of the last LATE_SECONDS. The spool
 * is in sequence: blocks in messages are older than the others.
 */
#include <math.h>

#include "put.h"

#define BLOCKS_A_TURN 256
#define LATE_SECONDS 1
#define LOOK_SECONDS 0.1
#define NEVER 1e18

static bool is_late(const struct sender *sender, double now)
{
	return sender->first && now >= sender->first->begin + LATE_SECONDS;
}

/* --- to the spool */

static void spool_messages(const struct ending *end)
{
	struct sender *sender = end->sender;
	struct message *msg;

	close_unspooled(end->collector);
	for (msg = sender->first; sender->unspooled && msg; msg = msg->next) {
		if (msg->origin.at >= 0)
			continue;
		if (spool_message(end->spool, msg))
			return;
		sender->unspooled--;
	}
}

/* Spool the messages first: new blocks in the spool must not precede older ones. */
static void guard_messages(const struct ending *end, double now)
{
	struct spool *spool = end->spool;

	if (has_blocks(spool) || now < spool->next_try)
		return;
	if (is_late(end->sender, now) || is_full(end->sender))
		spool_messages(end);
}

bool keep_block(const struct ending *end, const struct zio_block *blk)
{
	struct spool *spool = end->spool;
	double now;

	if (!spool->file)
		return false;
	now = seconds_now();
	if (!is_full(end->sender) && !has_blocks(spool) && !is_late(end->sender, now))
		return false;
	guard_messages(end, now);
	if (now < spool->next_try)
		return false;
	return !spool_block(spool, blk->control, blk->data, blk->size);
}

/* --- from the spool */

/* The number was counted with 64 bits when the block arrived. */
static uint64_t number_of(const struct account *account, const struct zio_control *control)
{
	uint64_t last = account->next - 1;

	return last - (uint32_t)((uint32_t)last - control->seq_num);
}

void drain_spool(const struct ending *end)
{
	struct zio_block blk;
	struct origin origin;
	int i, ret;

	if (!end->spool->file)
		return;
	for (i = 0; i < BLOCKS_A_TURN && !is_full(end->sender); i++) {
		struct account *account;

		ret = next_spooled(end->spool, &blk, &origin);
		if (ret < 0)
			*end->code = EXIT_FAILED;
		if (ret <= 0)
			return;
		account = find_account(blk.control);
		account->spooled--;
		collect_block(end->collector, account, &blk,
			      number_of(account, blk.control), &origin);
	}
}

/* --- what the broker has */

static off_t lesser(const struct message *msg, off_t at)
{
	return msg && msg->origin.at >= 0 && msg->origin.at < at ? msg->origin.at : at;
}

/* With several channels, messages are not in the sequence of the spool: search all. */
static off_t first_unsent(const struct ending *end)
{
	const struct account *a;
	const struct message *msg;
	off_t at = end->spool->at;

	for (msg = end->sender->first; msg; msg = msg->next)
		at = lesser(msg, at);
	for (a = accounts; a; a = a->following)
		at = lesser(a->stream.open, at);
	return at;
}

static double next_guard(const struct ending *end)
{
	const struct sender *sender = end->sender;

	if (!sender->unspooled || has_blocks(end->spool))
		return NEVER;
	return fmax(sender->first->begin + LATE_SECONDS, end->spool->next_try);
}

double tend_spool(const struct ending *end)
{
	struct spool *spool = end->spool;
	double now = seconds_now(), due;

	if (!spool->file)
		return NEVER;
	guard_messages(end, now);
	if (now >= spool->next_look) {
		release_spool(spool, first_unsent(end));
		spool->next_look = now + LOOK_SECONDS;
	}
	due = fmin(sync_spool(spool, now), next_guard(end));
	return spool->size ? fmin(due, spool->next_look) : due;
}

void fill_spool(const struct ending *end)
{
	if (!end->spool->file)
		return;
	if (!has_blocks(end->spool))
		spool_messages(end);
	release_spool(end->spool, first_unsent(end));
}
