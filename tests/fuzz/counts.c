// SPDX-License-Identifier: GPL-2.0-only
/* counts.c: how often operations were called and succeeded */
#include "fuzz.h"

static void add_counts(struct counts *sum, unsigned int op)
{
	unsigned int p, e;

	memset(sum, 0, sizeof(*sum));
	for (p = 0; p < n_processes; p++) {
		sum->calls += all[p].counts[op].calls;
		sum->ok += all[p].counts[op].ok;
		for (e = 0; e < N_ERRNOS; e++)
			sum->errnos[e] |= all[p].counts[op].errnos[e];
	}
}

static bool is_enough(unsigned int op)
{
	struct counts sum;

	add_counts(&sum, op);
	return ops[op]->least ? sum.ok >= ops[op]->least : sum.calls > 0;
}

void print_counts(void)
{
	struct counts sum;
	unsigned int i, e;

	for (i = 0; i < n_ops; i++) {
		add_counts(&sum, i);
		printf("%-14s %8u calls %8u ok ", ops[i]->name, sum.calls, sum.ok);
		for (e = 0; e < N_ERRNOS; e++)
			if (sum.errnos[e])
				printf(" %s", strerrorname_np(e) ?: "?");
		printf("\n");
	}
}

bool is_all_enough(void)
{
	unsigned int i;

	for (i = 0; i < n_ops; i++)
		if (!is_enough(i))
			return false;
	return true;
}

/* Print the operations that did not succeed as often as they must. */
void print_scant(const char *when)
{
	unsigned int i;

	printf("%s, too few:", when);
	for (i = 0; i < n_ops; i++)
		if (!is_enough(i))
			printf(" %s", ops[i]->name);
	printf("%s\n", is_all_enough() ? " none" : "");
	fflush(stdout);
}
