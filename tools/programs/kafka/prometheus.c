// SPDX-License-Identifier: GPL-2.0-only
/* The accounts in the text format of Prometheus */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/program.h"
#include "account.h"
#include "replace.h"

static const struct {
	const char *name;
	const char *type;
	const char *help;
	size_t offset;
} metrics[] = {
	{ "lost_blocks_total", "counter", "Blocks lost before they came to zio-kafka",
	  offsetof(struct account, lost) },
	{ "taken_blocks_total", "counter", "Blocks that another reader has taken",
	  offsetof(struct account, taken) },
	{ "stored_blocks_total", "counter", "Blocks that the broker has acknowledged",
	  offsetof(struct account, stored) },
	{ "stored_bytes_total", "counter", "Bytes of their samples",
	  offsetof(struct account, bytes) },
	{ "refused_blocks_total", "counter", "Blocks that found the queue full",
	  offsetof(struct account, refused) },
	{ "unacknowledged_blocks_total", "counter", "Blocks that the broker did not take",
	  offsetof(struct account, unacked) },
	{ "spooled_blocks", "gauge", "Blocks in the spool, not sent yet",
	  offsetof(struct account, spooled) },
};

static void print_value(FILE *out, const char *name, const struct account *a,
			uint64_t value)
{
	fprintf(out, "zio_kafka_%s{channel=\"%s\"} %" PRIu64 "\n", name, a->key, value);
}

static void print_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP zio_kafka_%s %s\n# TYPE zio_kafka_%s %s\n", name, help, name,
		type);
}

static void print_metrics(FILE *out)
{
	const struct account *a;
	size_t i;

	print_head(out, "acquired_blocks_total", "counter", "Blocks, also lost ones");
	for (a = accounts; a; a = a->following)
		print_value(out, "acquired_blocks_total", a, a->seen + a->lost);
	print_head(out, "waiting_blocks", "gauge", "Blocks that wait for the broker");
	for (a = accounts; a; a = a->following)
		print_value(out, "waiting_blocks", a, count_waiting(a));
	for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		print_head(out, metrics[i].name, metrics[i].type, metrics[i].help);
		for (a = accounts; a; a = a->following)
			print_value(out, metrics[i].name, a,
				    *(const uint64_t *)((const char *)a +
							metrics[i].offset));
	}
}

static int write_metrics(const struct replacement *r)
{
	int fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int failed = !out;

	if (out) {
		print_metrics(out);
		failed = ferror(out);
		failed |= fclose(out);
	}
	if (failed)
		complain("%s: cannot write: %s", r->name, strerror(errno));
	return failed ? -1 : 0;
}

/* A reader sees the old file or the new one, never a part. */
int export_accounts(const char *file)
{
	struct replacement r;
	int ret = begin_replacement(&r, file);

	if (!ret)
		ret = write_metrics(&r);
	if (!ret)
		ret = end_replacement(&r);
	drop_replacement(&r);
	return ret;
}
