// SPDX-License-Identifier: GPL-2.0-only
/* Collect blocks into messages: bounded by bytes and by time */
#include <stdlib.h>

#include "collect.h"
#include "common/program.h"

static void close_message(struct collector *c, struct account *account)
{
	struct message *msg = account->open;

	account->open = NULL;
	c->open--;
	submit_message(c->sender, msg);
}

static bool fits(const struct collector *c, const struct message *msg, size_t size,
		 uint64_t seq, bool again)
{
	return msg->len + sizeof(struct zio_control) + size <= c->bytes &&
	       msg->last + 1 == seq && msg->again == again;
}

static struct message *open_message(struct collector *c, struct account *account,
				    bool again)
{
	struct message *msg = make_message(account);

	msg->again = again;
	msg->deadline = seconds_now() + c->linger;
	account->open = msg;
	c->open++;
	return msg;
}

/* A gap in the sequence begins a new message, so that its headers tell the range. */
void collect_block(struct collector *c, struct account *account,
		   const struct zio_block *blk, uint64_t seq, bool again)
{
	if (account->open && !fits(c, account->open, blk->size, seq, again))
		close_message(c, account);
	if (!account->open)
		open_message(c, account, again);
	add_block(account->open, blk->control, blk->data, blk->size, seq, c->bytes);
	if (c->one_block || account->open->len >= c->bytes)
		close_message(c, account);
}

double close_messages(struct collector *c, double now)
{
	struct account *a;
	double next = 1e18;

	for (a = accounts; a; a = a->following) {
		if (a->open && a->open->deadline <= now)
			close_message(c, a);
		else if (a->open && a->open->deadline < next)
			next = a->open->deadline;
	}
	return next;
}
