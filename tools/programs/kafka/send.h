/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to the broker. */
#ifndef ZIO_KAFKA_SEND_H
#define ZIO_KAFKA_SEND_H

#include "message.h"

struct sender {
	rd_kafka_t *client;
	const char *topic;
	enum format format;
	size_t limit;		/* bytes of messages that wait */
	size_t bytes;
	size_t window;		/* feed librdkafka while it has fewer bytes */
	size_t given;		/* bytes that librdkafka has */
	unsigned int unspooled;	/* messages whose blocks are not in the spool */
	struct message *first;	/* all unacknowledged ones, in sequence */
	struct message **end;
	struct message *unsent;	/* the first that librdkafka does not have */
	bool is_away;		/* the broker is away, and the user was told */
	bool has_stored;	/* the broker has acknowledged a message */
	bool is_fatal;
	char reason[200];	/* of the last broken connection */
	double next_complaint;	/* about rejected blocks, by seconds_now() */
};

/* Let @sender receive the reports of the client to be created from @conf. */
void prepare_sender(struct sender *sender, rd_kafka_conf_t *conf);

/* Send @msg after all others. The sender owns it. */
void submit_message(struct sender *sender, struct message *msg);

/* Count a message as not acknowledged. Print the reason, at most once a second. */
void reject_message(struct sender *sender, struct message *msg, const char *reason);

/* Pass messages to librdkafka and handle its reports. */
void pump_messages(struct sender *sender);
bool is_full(const struct sender *sender);

#endif /* ZIO_KAFKA_SEND_H */
