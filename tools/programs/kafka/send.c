// SPDX-License-Identifier: GPL-2.0-only
/*
 * send.c: send messages to the broker, in sequence
 *
 * One list has all unacknowledged messages. librdkafka has those before @unsent, and may
 * need their memory until it reports them. The program counts the bytes itself, so its
 * limit holds whatever librdkafka does.
 */
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "common/text.h"
#include "send.h"

void submit_message(struct sender *sender, struct message *msg)
{
	msg->next = NULL;
	*sender->end = msg;
	sender->end = &msg->next;
	if (!sender->unsent)
		sender->unsent = msg;
	sender->bytes += msg->room;
	sender->unspooled += msg->origin.at < 0;
}

bool is_full(const struct sender *sender)
{
	return sender->bytes >= sender->limit;
}

/* Acknowledgements arrive almost in sequence, so the search is short. */
static void remove_message(struct sender *sender, struct message *msg)
{
	struct message **at = &sender->first;

	while (*at != msg)
		at = &(*at)->next;
	*at = msg->next;
	if (sender->end == &msg->next)
		sender->end = at;
	if (sender->unsent == msg)
		sender->unsent = msg->next;
	sender->bytes -= msg->room;
	sender->unspooled -= msg->origin.at < 0;
	sender->given -= msg->is_given ? msg->len : 0;
}

void reject_message(struct sender *sender, struct message *msg, const char *reason)
{
	double now = seconds_now();

	if (now >= sender->next_complaint) {
		complain("%s: %s %llu to %llu are not stored: %s; for more, see the sums",
			 msg->stream->key, msg->group ? "events" : "blocks",
			 (unsigned long long)msg->first,
			 (unsigned long long)msg->last, reason);
		sender->next_complaint = now + 1;
	}
	settle_message(msg, UNACKED);
	remove_message(sender, msg);
	free_message(msg);
}

/* Return the cause, and what the user can do. */
static const char *reason_of(rd_kafka_resp_err_t err)
{
	switch (err) {
	case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
		return "the message is too large for the topic: give a smaller --bytes, or "
		       "raise max.message.bytes of the topic";
	case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
	case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
	case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
		return "the topic is gone: create it again";
	default:
		return rd_kafka_err2str(err);
	}
}

static void on_report(rd_kafka_t *client, const rd_kafka_message_t *rkm, void *opaque)
{
	struct sender *sender = opaque;
	struct message *msg = rkm->_private;

	(void)client;
	if (!msg)
		return;		/* an account */
	if (rkm->err == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
	    rkm->err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT)
		return;		/* the program is ending and walks the list itself */
	if (rkm->err) {
		reject_message(sender, msg, reason_of(rkm->err));
		return;
	}
	if (sender->is_away)
		complain("the broker is back");
	sender->is_away = false;
	sender->has_stored = true;
	settle_message(msg, STORED);
	remove_message(sender, msg);
	free_message(msg);
}

static bool is_refusal(int err)
{
	return err == RD_KAFKA_RESP_ERR__SSL ||
	       err == RD_KAFKA_RESP_ERR__AUTHENTICATION ||
	       err == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED ||
	       err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
	       err == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED;
}

/* A broker that has taken blocks may refuse more for a while, such as when it restarts. */
static bool ends_all(const struct sender *sender, int err)
{
	if (err == RD_KAFKA_RESP_ERR__FATAL)
		return true;
	return !sender->has_stored && is_refusal(err);
}

static void on_error(rd_kafka_t *client, int err, const char *reason, void *opaque)
{
	struct sender *sender = opaque;

	(void)client;
	if (ends_all(sender, err)) {
		if (!sender->is_fatal)
			complain("topic %s: cannot continue: %s", sender->topic, reason);
		sender->is_fatal = true;
	} else if (err == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && !sender->is_away) {
		complain("no broker answers: %s; blocks are waiting",
			 *sender->reason ? sender->reason : reason);
		sender->is_away = true;
	} else if (err == RD_KAFKA_RESP_ERR__TRANSPORT || err == RD_KAFKA_RESP_ERR__RESOLVE) {
		put_text(sender->reason, sizeof(sender->reason), "%s", reason);
	}
}

void prepare_sender(struct sender *sender, rd_kafka_conf_t *conf)
{
	sender->end = &sender->first;
	rd_kafka_conf_set_dr_msg_cb(conf, on_report);
	rd_kafka_conf_set_error_cb(conf, on_error);
	rd_kafka_conf_set_opaque(conf, sender);
}

/* Return one block as a FlatBuffer, or the blocks as they are. */
static void *make_value(const struct sender *sender, struct message *msg, size_t *len)
{
	struct zio_control control;
	const char *samples;
	size_t at = 0, size;

	*len = msg->len;
	if (sender->format == BLOCKS)
		return msg->data;
	if (!next_in_message(msg->data, msg->len, &at, &control, &samples, &size))
		return NULL;
	return make_se00(&control, samples, size, msg->first, msg->stream->key, len);
}

/*
 * Stamp the message with the time of sending, not with the time of its blocks, which is in
 * their controls. Brokers delete messages and forget producers by this time stamp: with the
 * time of the blocks, old blocks would be lost.
 */
static rd_kafka_resp_err_t produce(struct sender *sender, struct message *msg,
				   void *value, size_t len)
{
	rd_kafka_headers_t *headers = make_headers(msg, sender->format);
	int flags = value == msg->data ? 0 : RD_KAFKA_MSG_F_FREE;
	rd_kafka_resp_err_t err;

	err = rd_kafka_producev(sender->client, RD_KAFKA_V_TOPIC(sender->topic),
				RD_KAFKA_V_MSGFLAGS(flags),
				RD_KAFKA_V_KEY(msg->stream->key, strlen(msg->stream->key)),
				RD_KAFKA_V_VALUE(value, len),
				RD_KAFKA_V_HEADERS(headers),
				RD_KAFKA_V_OPAQUE(msg), RD_KAFKA_V_END);
	if (err) {
		rd_kafka_headers_destroy(headers);
		if (flags)
			free(value);
	}
	return err;
}

/* Returns false if the queue of librdkafka is full. */
static bool send_message(struct sender *sender, struct message *msg)
{
	size_t len;
	void *value = make_value(sender, msg, &len);
	rd_kafka_resp_err_t err;

	if (!value) {
		reject_message(sender, msg, "se00 has no type for samples of this size");
		return true;
	}
	err = produce(sender, msg, value, len);
	if (err == RD_KAFKA_RESP_ERR__QUEUE_FULL)
		return false;
	if (err) {
		reject_message(sender, msg, reason_of(err));
		return true;
	}
	msg->is_given = true;
	sender->given += msg->len;
	sender->unsent = msg->next;
	return true;
}

void pump_messages(struct sender *sender)
{
	while (sender->unsent && sender->given < sender->window &&
	       send_message(sender, sender->unsent))
		;
	rd_kafka_poll(sender->client, 0);
}
