// SPDX-License-Identifier: GPL-2.0-only
/*
 * put.c: blocks from channels and block files to a topic
 *
 * One loop reads the sources, collects messages, passes them to librdkafka, and takes its
 * reports. A source that has no block is polled. While the queue is full, the program
 * reads no source, or puts the blocks into the spool, or refuses them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect.h"
#include "common/channel.h"
#include "common/complete.h"
#include "common/stop.h"
#include "common/text.h"
#include "put.h"

#define BLOCKS_A_TURN 256
#define ACCOUNT_SECONDS 10.0
#define TOPIC_MS 3000

struct source {
	struct zio_channel *ch;
	bool is_at_end;
	bool has_block;		/* it is not known to have none */
};

struct put {
	struct put_settings set;
	struct source *sources;
	int n_sources;
	struct sender sender;
	struct collector collector;
	struct spool spool;
	rd_kafka_queue_t *reports;
	int wake[2];		/* a pipe: librdkafka has a report */
	struct pollfd *fds;
	uint64_t blocks;
	double begin;
	double next_stats;
	int code;
};

/* --- the way of a block */

/* Does the broker take less than the sources give? */
static bool is_behind(const struct put *p)
{
	return is_full(&p->sender);
}

static bool may_read(const struct put *p)
{
	return p->spool.file || p->set.drops || !is_behind(p);
}

static void take_block(struct put *p, const struct zio_block *blk)
{
	struct account *account = find_account(blk->control);
	uint64_t seq = count_block(account, blk->control);

	p->blocks++;
	if (p->spool.file && (is_behind(p) || has_blocks(&p->spool))) {
		if (spool_block(&p->spool, blk->control, blk->data, blk->size))
			account->refused++;
		else
			account->spooled++;
	} else if (is_behind(p)) {
		account->refused++;
	} else {
		collect_block(&p->collector, account, blk, seq, false);
	}
}

/* A spool keeps the sequence: its blocks go before new ones. */
static void drain_spool(struct put *p)
{
	struct zio_block blk;
	bool again;
	int i;

	if (!p->spool.file)
		return;
	for (i = 0; i < BLOCKS_A_TURN && !is_behind(p); i++) {
		struct account *account;
		int ret = next_spooled(&p->spool, &blk, &again);

		if (ret < 0)
			p->code = EXIT_FAILED;
		if (ret <= 0)
			return;
		account = find_account(blk.control);
		account->spooled--;
		/* The number was counted when the block came. */
		collect_block(&p->collector, account, &blk,
			      account->next - 1 -
			      (uint32_t)((uint32_t)account->next - 1 -
					 blk.control->seq_num), again);
	}
}

static bool has_all(const struct put *p)
{
	return p->set.count && p->blocks >= p->set.count;
}

static void read_source(struct put *p, struct source *src)
{
	struct zio_block blk;
	int i, ret = 1;

	for (i = 0; i < BLOCKS_A_TURN && may_read(p) && !has_all(p); i++) {
		limit_batch(src->ch, p->set.count, p->blocks);
		ret = zio_next(src->ch, &blk);
		if (ret <= 0)
			break;
		take_block(p, &blk);
	}
	src->has_block = ret > 0 || (ret < 0 && errno == EINTR);
	if (ret > 0 || (ret < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	src->is_at_end = true;
	if (ret < 0) {
		complain("%s", zio_reason(src->ch));
		p->code = EXIT_FAILED;
	}
}

/* Returns true if a source is not at its end. */
static bool read_sources(struct put *p)
{
	bool is_open = false;
	int i;

	for (i = 0; i < p->n_sources; i++) {
		if (!p->sources[i].is_at_end && may_read(p))
			read_source(p, &p->sources[i]);
		is_open |= !p->sources[i].is_at_end;
	}
	return is_open && !has_all(p);
}

/* --- waiting */

static void empty_pipe(int fd)
{
	char bytes[256];

	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
}

static double next_time(const struct put *p, double due)
{
	return p->set.stats && p->next_stats < due ? p->next_stats : due;
}

static bool has_something_to_do(const struct put *p)
{
	int i;

	if (p->spool.file && has_blocks(&p->spool) && !is_behind(p))
		return true;
	for (i = 0; may_read(p) && i < p->n_sources; i++)
		if (!p->sources[i].is_at_end && p->sources[i].has_block)
			return true;
	return false;
}

/* Wait for a block, a report, or @due; also while signals come. */
static void wait_for_event(struct put *p, double due)
{
	double left = next_time(p, due) - seconds_now();
	int i, n = 1, ms = left > 3600 ? 3600000 : left <= 0 ? 0 : (int)(left * 1000) + 1;

	if (has_something_to_do(p))
		ms = 0;
	p->fds[0] = (struct pollfd){ .fd = p->wake[0], .events = POLLIN };
	for (i = 0; may_read(p) && i < p->n_sources; i++)
		if (!p->sources[i].is_at_end)
			p->fds[n++] = (struct pollfd){ .fd = zio_fd(p->sources[i].ch),
						       .events = POLLIN };
	wait_unless_stopped_ms(p->fds, (nfds_t)n, ms);
	if (p->fds[0].revents)
		empty_pipe(p->wake[0]);
}

/* --- statistics */

static void tell_stats(struct put *p)
{
	if (!p->set.stats || seconds_now() < p->next_stats)
		return;
	p->next_stats += p->set.stats;
	print_sum(seconds_now() - p->begin);
	if (p->set.prometheus)
		export_accounts(p->set.prometheus);
}

/* --- beginning and end */

static int open_sources(struct put *p)
{
	int i;

	p->n_sources = p->set.sources.count;
	p->sources = allocate((size_t)p->n_sources, sizeof(*p->sources));
	p->fds = allocate((size_t)p->n_sources + 1, sizeof(*p->fds));
	for (i = 0; i < p->n_sources; i++) {
		p->sources[i].ch = open_channel(p->set.sources.text[i],
						ZIO_OPEN_NONBLOCK | p->set.method);
		if (!p->sources[i].ch)
			return -1;
		p->sources[i].has_block = true;
	}
	return 0;
}

/* The program bounds the queue itself; librdkafka's bounds only stop what is not sane. */
static rd_kafka_conf_t *make_put_conf(const struct put *p)
{
	char linger[32], batch[32];
	const char *own[] = {
		"enable.idempotence", "true",
		"acks", "all",
		"message.timeout.ms", "0",
		"message.max.bytes", "67108864",
		"queue.buffering.max.kbytes", "2000000",
		"queue.buffering.max.messages", "10000000",
		"linger.ms", linger,
		"batch.size", batch,	/* which a topic limits, too */
		NULL,
	};

	put_text(batch, sizeof(batch), "%zu", p->set.bytes);
	put_text(linger, sizeof(linger), "%g",
		 p->set.format == SE00 ? p->set.linger * 1000 : 0.0);
	return make_conf(&p->set.conf, own);
}

static int connect_to_broker(struct put *p)
{
	rd_kafka_conf_t *conf = make_put_conf(p);

	if (!conf)
		return -1;
	warn_if_plain(conf);
	prepare_sender(&p->sender, conf);
	p->sender.client = make_client(RD_KAFKA_PRODUCER, conf);
	if (!p->sender.client)
		return -1;
	if (pipe2(p->wake, O_NONBLOCK | O_CLOEXEC)) {
		complain("no pipe: %s", strerror(errno));
		return -1;
	}
	p->reports = rd_kafka_queue_get_main(p->sender.client);
	rd_kafka_queue_io_event_enable(p->reports, p->wake[1], "", 1);
	return 0;
}

/* A broker that is away may come back; a topic that is not there is a mistake. */
static int check_topic(struct put *p)
{
	int ret = count_partitions(p->sender.client, p->set.conf.topic, TOPIC_MS);

	rd_kafka_poll(p->sender.client, 0);
	return ret == -1 || p->sender.is_fatal ? -1 : 0;
}

/* An account that does not arrive is no loss of blocks. */
static void send_accounts(struct put *p)
{
	struct account *a;
	rd_kafka_headers_t *headers;
	char *text;

	for (a = accounts; a; a = a->following) {
		headers = rd_kafka_headers_new(2);
		rd_kafka_header_add(headers, HEADER_FORMAT, -1, FORMAT_ACCOUNT, -1);
		rd_kafka_header_add(headers, HEADER_RUN, -1, run_id(), -1);
		text = account_text(a, run_id());
		if (rd_kafka_producev(p->sender.client, RD_KAFKA_V_TOPIC(p->set.conf.topic),
				      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
				      RD_KAFKA_V_KEY(a->key, strlen(a->key)),
				      RD_KAFKA_V_VALUE(text, strlen(text)),
				      RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END))
			rd_kafka_headers_destroy(headers);
		free(text);
	}
	rd_kafka_flush(p->sender.client, (int)(ACCOUNT_SECONDS * 1000));
}

static bool has_left(const struct put *p)
{
	return p->sender.first || p->collector.open ||
	       (p->spool.file && has_blocks(&p->spool));
}

/* What the broker has not acknowledged goes to the spool, or is told. */
static void give_up(struct put *p)
{
	struct message *msg;
	bool is_kept;

	if (!has_left(p))
		return;
	close_messages(&p->collector, 1e18);
	rd_kafka_purge(p->sender.client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
	rd_kafka_flush(p->sender.client, 1000);
	is_kept = p->spool.file && !return_to_spool(&p->spool, p->sender.first);
	for (msg = p->sender.first; msg; msg = msg->next) {
		if (is_kept)
			msg->account->spooled += msg->blocks;
		else
			msg->account->unacked += msg->blocks;
	}
}

/* After the last block: send what is left, as long as --flush allows. */
static void finish_messages(struct put *p)
{
	double end = seconds_now() + p->set.flush;
	int stops = count_stops();

	notify_manager("STOPPING=1");
	if (stops)
		catch_stop_once(0);
	if (p->sender.is_away)
		complain("no broker: waiting for %g s; Ctrl-C ends that", p->set.flush);
	while (has_left(p) && !p->sender.is_fatal && !p->spool.is_unreadable &&
	       seconds_now() < end && count_stops() == stops) {
		drain_spool(p);
		close_messages(&p->collector, 1e18);
		pump_messages(&p->sender);
		if (p->sender.first)
			rd_kafka_poll(p->sender.client, 100);
	}
}

static void move_blocks(struct put *p)
{
	double due;

	p->next_stats = p->begin + p->set.stats;
	while (!caught_stop() && !p->sender.is_fatal && !p->code && read_sources(p)) {
		drain_spool(p);
		due = close_messages(&p->collector, seconds_now());
		pump_messages(&p->sender);
		tell_stats(p);
		wait_for_event(p, due);
	}
	finish_messages(p);
	give_up(p);
	if (!p->sender.first && !p->sender.is_fatal)
		send_accounts(p);
}

static int open_put(struct put *p)
{
	const struct put_settings *set = &p->set;

	p->sender.topic = set->conf.topic;
	p->sender.format = set->format;
	p->sender.limit = set->queue;
	p->collector.sender = &p->sender;
	p->collector.bytes = set->bytes;
	p->collector.linger = set->linger;
	p->collector.one_block = set->format == SE00;
	p->spool.file = set->spool;
	if (connect_to_broker(p) || open_spool(&p->spool) || check_topic(p) ||
	    open_sources(p))
		return -1;
	p->begin = seconds_now();
	notify_manager("READY=1");
	return 0;
}

static void close_pipe(const struct put *p)
{
	int i;

	for (i = 0; i < 2; i++)
		if (p->wake[i] >= 0)
			close(p->wake[i]);
}

static void close_put(struct put *p)
{
	struct message *msg;
	int i;

	for (i = 0; p->sources && i < p->n_sources; i++)
		zio_close(p->sources[i].ch);
	close_spool(&p->spool);
	if (p->reports)
		rd_kafka_queue_destroy(p->reports);
	if (p->sender.client)
		rd_kafka_destroy(p->sender.client);
	close_pipe(p);
	while ((msg = p->sender.first)) {
		p->sender.first = msg->next;
		free_message(msg);
	}
	free_accounts();
	free(p->sources);
	free(p->fds);
	free(p->set.conf.settings);
}

/* Tell what happened, and return the exit status. */
static int tell_end(struct put *p)
{
	double seconds = seconds_now() - p->begin;
	struct account sum = sum_accounts();
	int code = p->code;

	print_sum(seconds);
	if (p->set.prometheus && export_accounts(p->set.prometheus))
		code = EXIT_FAILED;
	if (p->set.json && print_accounts_json(stdout, seconds))
		code = EXIT_FAILED;
	if (sum.refused || sum.unacked || p->sender.is_fatal)
		code = EXIT_FAILED;
	if (p->set.strict && sum.lost)
		code = EXIT_FAILED;
	return code ? code : finish_output();
}

int put_main(int argc, char **argv)
{
	struct put p = { .wake = { -1, -1 } };
	const char *word = word_to_complete(argc, argv);
	int code = EXIT_OPEN;

	if (word)
		return complete_put(word);
	parse_put(argc, argv, &p.set);
	catch_stop_once(0);
	if (!open_put(&p)) {
		move_blocks(&p);
		code = tell_end(&p);
		code = code ? code : stop_status(EXIT_OK);
	}
	close_put(&p);
	return code;
}
