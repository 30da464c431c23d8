// SPDX-License-Identifier: GPL-2.0-only
/* What happened to the blocks of each channel */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/place.h"
#include "common/program.h"
#include "common/text.h"
#include "message.h"

struct account *accounts;
static struct account *last;	/* result of the last find_account() */

static struct account *add_account(const struct zio_control *control)
{
	struct account **at = &accounts;

	while (*at)
		at = &(*at)->following;
	*at = allocate(1, sizeof(**at));
	(*at)->addr = control->addr;
	put_address((*at)->key, control);
	(*at)->stream.key = (*at)->key;
	return *at;
}

/* Blocks of an event come in the order of the accounts: begin after the last one. */
static struct account *look_up(const struct zio_control *control)
{
	struct account *first = last && last->following ? last->following : accounts;
	struct account *a = first;

	while (a && memcmp(&a->addr, &control->addr, sizeof(a->addr))) {
		a = a->following ? a->following : accounts;
		if (a == first)
			a = NULL;
	}
	return a ? a : add_account(control);
}

struct account *find_account(const struct zio_control *control)
{
	if (!last || memcmp(&last->addr, &control->addr, sizeof(last->addr)))
		last = look_up(control);
	return last;
}

void free_accounts(void)
{
	struct account *account;

	while ((account = accounts)) {
		accounts = account->following;
		if (account->stream.open)
			free_message(account->stream.open);
		zio_timeline_close(account->timeline);
		free(account);
	}
	last = NULL;
}

/* After an outage the device counts from the beginning again. */
uint64_t count_block(struct account *account, const struct zio_control *control)
{
	struct zio_place place;

	place_block(&account->timeline, NULL, control, NULL, &place);
	account->lost += place.lost;
	account->taken += place.taken;
	if (!account->seen++ || place.breaks & ZIO_BREAK_OUTAGE)
		account->next = control->seq_num;
	else
		account->next += control->seq_num - (uint32_t)account->next;
	return account->next++;
}

static void settle_blocks(struct account *account, enum fate fate, uint64_t blocks,
		   uint64_t bytes)
{
	switch (fate) {
	case STORED:
		account->stored += blocks;
		account->bytes += bytes;
		break;
	case UNACKED:
		account->unacked += blocks;
		break;
	case SPOOLED:
		account->spooled += blocks;
		break;
	}
}

void settle_message(const struct message *msg, enum fate fate)
{
	uint64_t controls = (uint64_t)msg->blocks * sizeof(struct zio_control);
	struct zio_control control;
	const char *samples;
	size_t at = 0, size;

	if (msg->account) {
		settle_blocks(msg->account, fate, msg->blocks, msg->len - controls);
		return;
	}
	while (next_in_message(msg->data, msg->len, &at, &control, &samples, &size))
		settle_blocks(find_account(&control), fate, 1, size);
}

uint64_t count_waiting(const struct account *a)
{
	return a->seen - a->stored - a->refused - a->unacked - a->spooled;
}

struct account sum_blocks(void)
{
	struct account sum = { 0 }, *a;

	for (a = accounts; a; a = a->following) {
		sum.seen += a->seen;
		sum.lost += a->lost;
		sum.taken += a->taken;
		sum.stored += a->stored;
		sum.bytes += a->bytes;
		sum.refused += a->refused;
		sum.unacked += a->unacked;
		sum.spooled += a->spooled;
		sum.stream.messages += a->stream.messages;
	}
	return sum;
}

static uint64_t messages_of(const struct group *group)
{
	return group ? group->stream.messages : 0;
}

void print_sum(const struct group *group, double seconds)
{
	const struct zio_group_stats *stats = group ? &group->stats : NULL;
	struct account sum = sum_blocks();

	complain("%" PRIu64 " blocks acquired in %.1f s: %" PRIu64 " stored (%" PRIu64
		 " bytes, %" PRIu64 " messages), %" PRIu64 " lost before, %" PRIu64
		 " refused, %" PRIu64 " not acknowledged, %" PRIu64 " waiting, %" PRIu64
		 " spooled", sum.seen + sum.lost, seconds, sum.stored, sum.bytes,
		 sum.stream.messages + messages_of(group), sum.lost, sum.refused,
		 sum.unacked, count_waiting(&sum), sum.spooled);
	if (group)
		complain("%s: %" PRIu64 " events, %" PRIu64 " complete; missing blocks: %"
			 PRIu64 " lost, %" PRIu64 " skipped, %" PRIu64 " late, %" PRIu64
			 " gone; %" PRIu64 " came late", group->stream.key, stats->events,
			 stats->complete, stats->lost, stats->skipped, stats->late,
			 stats->gone, stats->late_blocks);
}

static const struct json_count counts[] = {
	{ "stored", offsetof(struct account, stored) },
	{ "lost", offsetof(struct account, lost) },
	{ "taken", offsetof(struct account, taken) },
	{ "refused", offsetof(struct account, refused) },
	{ "unacknowledged", offsetof(struct account, unacked) },
	{ "spooled", offsetof(struct account, spooled) },
	{ 0 }
};

static const struct json_count group_counts[] = {
	{ "events", offsetof(struct group, stats.events) },
	{ "complete", offsetof(struct group, stats.complete) },
	{ "lost", offsetof(struct group, stats.lost) },
	{ "skipped", offsetof(struct group, stats.skipped) },
	{ "late", offsetof(struct group, stats.late) },
	{ "gone", offsetof(struct group, stats.gone) },
	{ "late_blocks", offsetof(struct group, stats.late_blocks) },
	{ 0 }
};

static json_t *account_json(const struct account *a)
{
	json_t *obj = json_object();

	json_add_u64(obj, "acquired", a->seen + a->lost);
	json_add_counts(obj, a, counts);
	json_add_u64(obj, "waiting", count_waiting(a));
	json_add_u64(obj, "messages", a->stream.messages);
	json_add_u64(obj, "bytes", a->bytes);
	return obj;
}

char *account_text(const struct account *account, const char *run)
{
	json_t *obj = account_json(account);
	char *text;

	json_add_string(obj, "channel", account->key);
	json_add_string(obj, "run", run);
	text = json_dumps(obj, JSON_COMPACT);
	json_decref(obj);
	if (!text)
		fail_memory();
	return text;
}

static void add_seconds(json_t *obj, const char *name, double value)
{
	json_add(obj, name, json_real(round(value * 1e6) / 1e6));
}

int print_accounts_json(FILE *out, const struct group *group,
			const struct spent *spent)
{
	struct account sum = sum_blocks(), *a;
	json_t *root, *of_group, *list = json_object();

	sum.stream.messages += messages_of(group);
	root = account_json(&sum);
	for (a = accounts; a; a = a->following)
		json_add(list, a->key, account_json(a));
	json_add(root, "channels", list);
	if (group) {
		of_group = json_object();
		json_add_string(of_group, "name", group->stream.key);
		json_add_counts(of_group, group, group_counts);
		json_add(root, "group", of_group);
	}
	add_seconds(root, "seconds", spent->seconds);
	add_seconds(root, "cpu_seconds", spent->cpu);
	json_add_string(root, "run", run_id());
	return json_print(out, root, 0);
}
