// SPDX-License-Identifier: GPL-2.0-only
/* What put does after its last block */
#include <stdlib.h>
#include <string.h>

#include "common/stop.h"
#include "put.h"

#define ACCOUNT_SECONDS 10.0
#define NEVER 1e18

static bool has_left(const struct ending *end)
{
	return end->sender->first || end->collector->open ||
	       (end->spool->file && has_blocks(end->spool));
}

/* Send what is left, for at most --flush seconds. */
static void finish_messages(const struct ending *end)
{
	struct sender *sender = end->sender;
	double limit = seconds_now() + end->flush;
	int stops = count_stops();

	if (stops)
		catch_stop_once(0);
	if (sender->is_away)
		complain("no broker answers: waiting for %g s; press Ctrl-C to stop", end->flush);
	while (has_left(end) && !sender->is_fatal && !end->spool->is_unreadable &&
	       seconds_now() < limit && count_stops() == stops) {
		tend_spool(end);
		drain_spool(end);
		close_messages(end->collector, NEVER);
		pump_messages(sender);
		if (sender->first)
			rd_kafka_poll(sender->client, 100);
	}
}

/* Spool what the broker has not acknowledged, or count it as such. */
static void give_up(const struct ending *end)
{
	struct sender *sender = end->sender;
	struct message *msg;

	if (!has_left(end))
		return;
	close_messages(end->collector, NEVER);
	rd_kafka_purge(sender->client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
	rd_kafka_flush(sender->client, 1000);
	fill_spool(end);
	for (msg = sender->first; msg; msg = msg->next)
		settle_message(msg, msg->origin.at >= 0 ? SPOOLED : UNACKED);
}

/* Ignore errors: no block is lost if an account does not arrive. */
static void send_account(const struct sender *sender, const struct account *a)
{
	rd_kafka_headers_t *headers = rd_kafka_headers_new(2);
	char *text = account_text(a, run_id());

	rd_kafka_header_add(headers, HEADER_FORMAT, -1, FORMAT_ACCOUNT, -1);
	rd_kafka_header_add(headers, HEADER_RUN, -1, run_id(), -1);
	if (rd_kafka_producev(sender->client, RD_KAFKA_V_TOPIC(sender->topic),
			      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
			      RD_KAFKA_V_KEY(a->key, strlen(a->key)),
			      RD_KAFKA_V_VALUE(text, strlen(text)),
			      RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END))
		rd_kafka_headers_destroy(headers);
	free(text);
}

static void send_accounts(const struct sender *sender)
{
	const struct account *a;

	for (a = accounts; a; a = a->following)
		send_account(sender, a);
	rd_kafka_flush(sender->client, (int)(ACCOUNT_SECONDS * 1000));
}

void end_messages(const struct ending *end)
{
	notify_manager("STOPPING=1");
	finish_messages(end);
	give_up(end);
	fill_spool(end);
	if (!end->sender->first && !end->sender->is_fatal)
		send_accounts(end->sender);
}
