// SPDX-License-Identifier: GPL-2.0-only
/* What happened to the blocks of each channel */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/program.h"
#include "common/text.h"
#include "kafka.h"

struct account *accounts;

struct account *find_account(const struct zio_control *control)
{
	static struct account *last;
	struct account **at;

	if (last && !memcmp(&last->addr, &control->addr, sizeof(last->addr)))
		return last;
	for (at = &accounts; *at; at = &(*at)->following)
		if (!memcmp(&(*at)->addr, &control->addr, sizeof((*at)->addr)))
			break;
	if (!*at) {
		*at = allocate(1, sizeof(**at));
		(*at)->addr = control->addr;
		put_address((*at)->key, control);
	}
	last = *at;
	return last;
}

void free_accounts(void)
{
	struct account *account;

	while ((account = accounts)) {
		accounts = account->following;
		if (account->open)
			free_message(account->open);
		free(account);
	}
}

/* A number that goes back by more than half of its range is that of a new device. */
uint64_t count_block(struct account *account, const struct zio_control *control)
{
	uint32_t gap = control->seq_num - (uint32_t)account->next;

	if (!account->seen || gap > INT32_MAX) {
		account->next = control->seq_num;
	} else {
		account->lost += gap;
		account->next += gap;
	}
	account->seen++;
	return account->next++;
}

uint64_t count_waiting(const struct account *a)
{
	return a->seen - a->stored - a->refused - a->unacked - a->spooled;
}

struct account sum_accounts(void)
{
	struct account sum = { 0 }, *a;

	for (a = accounts; a; a = a->following) {
		sum.seen += a->seen;
		sum.lost += a->lost;
		sum.stored += a->stored;
		sum.bytes += a->bytes;
		sum.refused += a->refused;
		sum.unacked += a->unacked;
		sum.spooled += a->spooled;
		sum.messages += a->messages;
	}
	return sum;
}

void print_sum(double seconds)
{
	struct account sum = sum_accounts();

	complain("%" PRIu64 " blocks acquired in %.1f s: %" PRIu64 " stored (%" PRIu64
		 " bytes, %" PRIu64 " messages), %" PRIu64 " lost before, %" PRIu64
		 " refused, %" PRIu64 " not acknowledged, %" PRIu64 " waiting, %" PRIu64
		 " spooled", sum.seen + sum.lost, seconds, sum.stored, sum.bytes,
		 sum.messages, sum.lost, sum.refused, sum.unacked, count_waiting(&sum),
		 sum.spooled);
}

static json_t *account_json(const struct account *a)
{
	json_t *obj = json_object();

	json_add_u64(obj, "acquired", a->seen + a->lost);
	json_add_u64(obj, "stored", a->stored);
	json_add_u64(obj, "lost", a->lost);
	json_add_u64(obj, "refused", a->refused);
	json_add_u64(obj, "unacknowledged", a->unacked);
	json_add_u64(obj, "spooled", a->spooled);
	json_add_u64(obj, "waiting", count_waiting(a));
	json_add_u64(obj, "messages", a->messages);
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

int print_accounts_json(FILE *out, double seconds)
{
	struct account sum = sum_accounts(), *a;
	json_t *root = account_json(&sum), *list = json_object();

	for (a = accounts; a; a = a->following)
		json_add(list, a->key, account_json(a));
	json_add(root, "channels", list);
	json_add(root, "seconds", json_real(round(seconds * 1e6) / 1e6));
	json_add_string(root, "run", run_id());
	return json_print(out, root, 0);
}
