/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nth.h: let the allocations of one call fail, one after the other
 *
 * Copies to and from user space fail, too. A file lists its operations and calls
 * add_operations() from a constructor: each becomes a test. The call runs with n = 1, 2,
 * ...: the n-th place that may fail does. After a call that failed, the same call must
 * succeed. ZIO_NTH_SECONDS gives the time to try each n. Else the steps grow, and
 * ZIO_SEED chooses them.
 *
 * Needs CONFIG_FAILSLAB and CONFIG_FAULT_INJECTION_DEBUG_FS.
 */
#ifndef NTH_H
#define NTH_H

#include "board.h"
#include "fail-nth.h"
#include "harness.h"

/* No call has so many places. */
#define MOST	20000

struct operation {
	const char *name;
	void (*setup)(const char *arg);	/* once */
	void (*before)(const char *arg); /* before each call */
	long (*call)(const char *arg);	/* -1 and errno, like a system call */
	void (*undo)(const char *arg);	/* after each call */
	const char *arg;
	int code;			/* fails with this, too */
};

static inline void call_without_failure(const struct operation *op)
{
	if (op->call(op->arg) < 0)
		FAIL("fails without a failed allocation: %s", strerrorname_np(errno));
}

/* Let place @n fail. Return: is there none? @failed: counts the calls */
static inline bool try_nth(const struct operation *op, int n, int *failed)
{
	long ret;
	int code, left;

	if (op->before)
		op->before(op->arg);
	set_nth(n);
	ret = op->call(op->arg);
	code = errno;
	left = get_nth();
	set_nth(0);
	if (ret < 0 && (left || (code != ENOMEM && code != EFAULT && code != op->code)))
		FAIL("failure %d: errno %s%s", n, strerrorname_np(code) ?: "?",
		     left ? ", though nothing has failed" : "");
	if (ret < 0) {
		*failed += 1;
		call_without_failure(op);
	}
	if (op->undo)
		op->undo(op->arg);
	return left;
}

static inline void run_operation(const struct operation *op)
{
	bool all = atoi(getenv("ZIO_NTH_SECONDS") ?: "0");
	unsigned int seed = atoi(getenv("ZIO_SEED") ?: "1");
	int n = 1, failed = 0, calls = 0;

	open_fail_nth();
	while (!try_nth(op, n, &failed)) {
		calls++;
		n += all ? 1 : 1 + rand_r(&seed) % (1 + n / 2);
		ASSERT_TRUE(n < MOST);
	}
	diag("%d places or fewer: %d failures, %d failed calls", n - 1, calls, failed);
}

/* Fail allocations that may sleep, too, and print no stack for each. */
static inline void prepare_failures(void)
{
	static const char *const kinds[] = {
		"failslab", "fail_page_alloc", "fail_usercopy"
	};
	char path[64];
	size_t i;

	if (!exists("/sys/kernel/debug/failslab") || !exists("/proc/self/fail-nth"))
		SKIP("this kernel cannot inject failures");
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", kinds[i]);
		write_text(path, "0");
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/ignore-gfp-wait",
			 kinds[i]);
		if (exists(path))
			write_text(path, "N");
	}
}

static const struct operation *operations;

static inline void test_operation(const char *name)
{
	const struct operation *op = operations;

	while (strcmp(op->name, name))
		op++;
	prepare_failures();
	if (op->setup)
		op->setup(op->arg);
	run_operation(op);
}

static inline bool has_leak_detector(void)
{
	return exists("/sys/kernel/debug/kmemleak") &&
		!strstr(text_in("/proc/cmdline"), "kmemleak=off");
}

/* It switches itself off when it gets no memory. The machine needs it at its end. */
static inline void test_leak_detector(VALUE)
{
	if (!has_leak_detector())
		SKIP("this kernel does not look for leaks");
	write_text("/sys/kernel/debug/kmemleak", "scan");
}

/* @tests: one more than there are operations */
static inline void add_operations(const struct operation *ops, struct test *tests, int n)
{
	int i;

	operations = ops;
	for (i = 0; i < n; i++) {
		tests[i] = (struct test){ .text = "%s", .line = i, .value = ops[i].name,
					  .body = test_operation };
		add_test(&tests[i]);
	}
	tests[n] = (struct test){ .text = "the leak detector is still on", .line = n,
				  .body = test_leak_detector };
	add_test(&tests[n]);
}

#endif /* NTH_H */
