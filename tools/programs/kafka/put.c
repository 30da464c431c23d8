// SPDX-License-Identifier: GPL-2.0-only
/*
 * put.c: send blocks from channels and block files to a topic
 *
 * One loop reads the sources, collects messages, passes them to librdkafka and handles its
 * reports. It polls sources that have no block. While the queue is full, it stops reading,
 * spools the blocks or refuses them.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/channel.h"
#include "common/complete.h"
#include "common/stop.h"
#include "common/text.h"
#include "source.h"

#define BLOCKS_A_TURN 256
#define LARGEST_KEPT (8 << 20)
#define MEMORY_KEPT (64 << 20)
#define CONTROL sizeof(struct zio_control)

struct put {
	struct put_settings set;
	struct sources src;
	struct sender sender;
	struct collector collector;
	struct spool spool;
	struct group group;
	struct ending ending;
	rd_kafka_queue_t *reports;
	int wake[2];		/* a pipe that librdkafka writes to when it has a report */
	struct pollfd *fds;
	size_t last_size;	/* bytes of the last block */
	uint64_t blocks;
	double begin;
	double cpu;		/* CPU seconds of this thread at the beginning */
	double next_stats;
	int code;
};

/* --- the way of a block */

static bool may_read(const struct put *p)
{
	return p->spool.file || p->set.drops || !is_full(&p->sender);
}

static bool refuses(const struct put *p)
{
	return (p->set.drops || p->spool.file) &&
	       (is_full(&p->sender) || has_blocks(&p->spool));
}

static void take_block(struct put *p, const struct zio_block *blk)
{
	struct account *account = find_account(blk->control);
	uint64_t seq = count_block(account, blk->control);

	p->blocks++;
	p->last_size = blk->size;
	if (keep_block(&p->ending, blk))
		account->spooled++;
	else if (refuses(p))
		account->refused++;
	else
		collect_block(&p->collector, account, blk, seq, &no_origin);
}

/* A full queue refuses whole events, whose numbers are then missing. */
static void take_part(struct put *p, unsigned int i, const struct zio_block *blk)
{
	struct account *account = find_account(blk->control);

	count_block(account, blk->control);
	account->refused += refuses(p);
	if (!p->src.list[i].account)
		put_address(p->group.names[i], blk->control);
	p->src.list[i].account = account;
	p->blocks++;
}

static void take_event(struct put *p, const struct zio_event *ev)
{
	uint64_t number = p->group.events++;
	unsigned int i;

	for (i = 0; i < ev->n_parts; i++)
		if (ev->parts[i].blk.control)
			take_part(p, i, &ev->parts[i].blk);
	if (!refuses(p))
		collect_event(&p->collector, ev, number);
}

static bool has_all(const struct put *p)
{
	return p->set.count && p->blocks >= p->set.count;
}

/* A batch has about as many bytes as a message, so the queue barely exceeds its limit. */
static unsigned int batch_size(const struct put *p)
{
	size_t n = 1 + p->set.bytes / (CONTROL + p->last_size);

	if (n > BLOCKS_A_TURN)
		n = BLOCKS_A_TURN;
	if (p->set.count && n > p->set.count - p->blocks)
		n = p->set.count - p->blocks;
	return (unsigned int)n;
}

static void read_source(struct put *p, struct source *from)
{
	struct zio_block blks[BLOCKS_A_TURN];
	unsigned int i, n;

	if (from->is_at_end || !may_read(p) || has_all(p))
		return;
	n = next_blocks(&p->src, from, batch_size(p), blks);
	for (i = 0; i < n; i++)
		take_block(p, &blks[i]);
}

static void read_events(struct put *p, unsigned int limit)
{
	struct zio_event ev;
	unsigned int i;

	for (i = 0; i < limit && may_read(p) && !has_all(p); i++) {
		if (!next_event(&p->src, &ev))
			return;
		take_event(p, &ev);
	}
}

/* Returns true if there is more to read. */
static bool read_sources(struct put *p)
{
	int i;

	if (p->src.events)
		read_events(p, BLOCKS_A_TURN);
	else
		for (i = 0; i < p->src.n; i++)
			read_source(p, &p->src.list[i]);
	if (p->src.has_failed)
		p->code = EXIT_FAILED;
	return !p->src.is_at_end && !has_all(p) && !p->code;
}

/* --- waiting */

static void empty_pipe(int fd)
{
	char bytes[256];

	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
}

static bool has_something_to_do(const struct put *p)
{
	if (p->spool.file && has_blocks(&p->spool) && !is_full(&p->sender))
		return true;
	return may_read(p) && has_ready_source(&p->src);
}

/* Wait for a block, a report, @due, or a signal. */
static void wait_for_event(struct put *p, double due)
{
	int n = 1;

	if (has_something_to_do(p))
		return;
	p->fds[0] = (struct pollfd){ .fd = p->wake[0], .events = POLLIN };
	if (may_read(p))
		n += poll_sources(&p->src, p->fds + 1);
	if (p->set.stats)
		due = fmin(due, p->next_stats);
	wait_unless_stopped(p->fds, (nfds_t)n, due - seconds_now());
	if (p->fds[0].revents)
		empty_pipe(p->wake[0]);
}

/* --- beginning and end */

static const struct group *group_of(const struct put *p)
{
	return p->set.group ? &p->group : NULL;
}

static void tell_stats(struct put *p)
{
	if (!p->set.stats || seconds_now() < p->next_stats)
		return;
	p->next_stats += p->set.stats;
	if (p->src.events)
		p->group.stats = *zio_group_stats(p->src.events);
	print_sum(group_of(p), seconds_now() - p->begin);
	if (p->set.prometheus)
		export_accounts(p->set.prometheus);
}

/* CPU time of this thread */
static double cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Deliver what the group has already read, without waiting for more. */
static void finish_events(struct put *p)
{
	if (!p->src.events)
		return;
	if (!has_all(p)) {
		hurry_events(&p->src);
		read_events(p, ZIO_GROUP_DEPTH * p->group.n);
	}
	p->group.stats = *zio_group_stats(p->src.events);
	leave_events(&p->src);
}

static void move_blocks(struct put *p)
{
	double due;

	p->next_stats = p->begin + p->set.stats;
	while (!caught_stop() && !p->sender.is_fatal && !p->code && read_sources(p)) {
		drain_spool(&p->ending);
		due = close_messages(&p->collector, seconds_now());
		pump_messages(&p->sender);
		tell_stats(p);
		wait_for_event(p, fmin(due, tend_spool(&p->ending)));
	}
	finish_events(p);
	end_messages(&p->ending);
}

static int open_reports(struct put *p)
{
	if (pipe2(p->wake, O_NONBLOCK | O_CLOEXEC)) {
		complain("no pipe: %s", strerror(errno));
		return -1;
	}
	p->reports = rd_kafka_queue_get_main(p->sender.client);
	rd_kafka_queue_io_event_enable(p->reports, p->wake[1], "", 1);
	return 0;
}

static void prepare_put(struct put *p)
{
	const struct put_settings *set = &p->set;

	p->sender.topic = set->conf.topic;
	p->sender.format = set->format;
	p->sender.limit = set->queue;
	p->group.stream.key = set->group;
	p->collector = (struct collector){ .sender = &p->sender,
					   .group = set->group ? &p->group : NULL,
					   .bytes = set->bytes,
					   .linger = set->linger,
					   .one_block = set->format == SE00 };
	p->ending = (struct ending){ .sender = &p->sender,
				     .collector = &p->collector,
				     .spool = &p->spool,
				     .flush = set->flush,
				     .code = &p->code };
	p->fds = allocate((size_t)set->sources.count + 1, sizeof(*p->fds));
}

static int open_put(struct put *p)
{
	prepare_put(p);
	if (connect_to_broker(&p->sender, &p->set) || open_reports(p) ||
	    open_spool(&p->spool, p->set.spool) || check_topic(&p->sender, &p->set) ||
	    open_sources(&p->src, &p->set, p->collector.group))
		return -1;
	p->begin = seconds_now();
	p->cpu = cpu_now();
	notify_manager("READY=1");
	return 0;
}

static void free_messages(struct put *p)
{
	struct message *msg;

	while ((msg = p->sender.first)) {
		p->sender.first = msg->next;
		free_message(msg);
	}
	if (p->group.stream.open)
		free_message(p->group.stream.open);
	free_accounts();
}

static void close_put(struct put *p)
{
	int i;

	close_sources(&p->src);
	close_spool(&p->spool);
	if (p->reports)
		rd_kafka_queue_destroy(p->reports);
	if (p->sender.client)
		rd_kafka_destroy(p->sender.client);
	for (i = 0; i < 2; i++)
		if (p->wake[i] >= 0)
			close(p->wake[i]);
	free_messages(p);
	free(p->group.names);
	free(p->fds);
	free(p->set.conf.settings);
}

/* Print the sums, and return the exit status. */
static int tell_end(struct put *p)
{
	struct spent spent = { seconds_now() - p->begin, cpu_now() - p->cpu };
	struct account sum = sum_blocks();
	int code = p->code;

	print_sum(group_of(p), spent.seconds);
	if (p->set.prometheus && export_accounts(p->set.prometheus))
		code = EXIT_FAILED;
	if (p->set.json && print_accounts_json(stdout, group_of(p), &spent))
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
	/* Keep freed memory: otherwise the kernel clears the pages of each new message. */
	mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT);
	mallopt(M_TRIM_THRESHOLD, MEMORY_KEPT);
	catch_stop_once(0);
	if (!open_put(&p)) {
		move_blocks(&p);
		code = tell_end(&p);
		code = code ? code : stop_status(EXIT_OK);
	}
	close_put(&p);
	return code;
}
