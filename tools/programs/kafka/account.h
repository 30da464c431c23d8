/* SPDX-License-Identifier: GPL-2.0-only */
/* What happened to the blocks of each channel. */
#ifndef ZIO_KAFKA_ACCOUNT_H
#define ZIO_KAFKA_ACCOUNT_H

#include "kafka.h"

struct group;
struct message;

/**
 * struct stream - messages with one key, in sequence
 * @key: the name of a channel, or of a group
 * @messages: number of messages
 * @open: the message that is collecting blocks; NULL if there is none
 * @last_len: bytes of the last message; the next one probably needs as many
 */
struct stream {
	const char *key;
	uint64_t messages;
	struct message *open;
	size_t last_len;
};

/**
 * struct account - the blocks of one channel
 * @addr: the channel
 * @key: its name, such as zzero-0000-0-1; the key of its messages
 * @seen: blocks that the source delivered
 * @lost: blocks lost before they reached this program
 * @taken: blocks that another reader of the channel took
 * @stored: blocks that the broker has acknowledged
 * @bytes: bytes of their samples
 * @refused: blocks that found the queue full, or no room in the spool
 * @unacked: blocks that the broker rejected, or had not acknowledged at the end
 * @spooled: blocks now in the spool and not in a message
 * @next: the expected sequence number, with 64 bits
 * @timeline: the losses that the controls report
 * @stream: its messages
 */
struct account {
	struct zio_addr addr;
	char key[ADDRESS_LEN];
	uint64_t seen;
	uint64_t lost;
	uint64_t taken;
	uint64_t stored;
	uint64_t bytes;
	uint64_t refused;
	uint64_t unacked;
	uint64_t spooled;
	uint64_t next;
	struct zio_timeline *timeline;
	struct stream stream;
	struct account *following;
};

/* All accounts. find_account() creates one for the channel of a control if needed. */
extern struct account *accounts;
struct account *find_account(const struct zio_control *control);
void free_accounts(void);

/* Count a block and those missing before it. Return its number with 64 bits. */
uint64_t count_block(struct account *account, const struct zio_control *control);

/* Count what became of the blocks of a message, in the accounts of their channels. */
enum fate { STORED, UNACKED, SPOOLED };
void settle_message(const struct message *msg, enum fate fate);

/* Return the sum of all accounts. */
struct account sum_blocks(void);

/* Return the number of blocks waiting for the broker. */
uint64_t count_waiting(const struct account *account);

/* Duration of a run, and CPU time of this thread, without the threads of librdkafka */
struct spent {
	double seconds;
	double cpu;
};

/* Print the sum, and the events of @group unless it is NULL. */
void print_sum(const struct group *group, double seconds);
int print_accounts_json(FILE *out, const struct group *group,
			const struct spent *spent);

/* Return the account as JSON, which the caller frees. */
char *account_text(const struct account *account, const char *run);

/*
 * Replace @file by the accounts in the text format of Prometheus. Returns 0, or -1 after a
 * message.
 */
int export_accounts(const char *file);

#endif /* ZIO_KAFKA_ACCOUNT_H */
