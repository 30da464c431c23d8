/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * harness.h: tests written in C
 *
 * A file NAME_test.c that includes this header is a program that prints the Test
 * Anything Protocol, version 13. It is a list of tests, each with its name:
 *
 *	SETUP(fresh_board) { rebind_zzero(); }
 *
 *	TEST("a read of 16 bytes returns a block", fresh_board)
 *	{
 *		int fd = open_node(ZZERO "-0-2", "data", O_RDONLY);
 *
 *		ASSERT_EQ(read(fd, buf, 16), 16);
 *	}
 *
 *	TEST_EACH("a ring of %s bytes", fresh_board, "4096", "65536")
 *	{
 *		size_t size = atoi(value);
 *		...
 *	}
 *
 * The setup is optional in TEST(), and NULL or a name in TEST_EACH(). Each test
 * runs in a process of its own, after its setup and in the order of the file. All
 * processes that a test starts end with it. A test passes when its function
 * returns; SKIP() ends it with a reason. It may take any time: the clock of a machine runs
 * on while its host stands still, so only the runner can tell that a test hangs.
 *
 * Lines " * # leaks" and the like in the first comment of a selftest tell the runner
 * where the test runs; see check --help. The programs of the host have sanitizers. They
 * look for leaks at the end of each test.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "assert.h"

struct test {
	const char *text;	/* a format, if there is a value */
	int line;
	void (*body)(const char *value);
	void (*setup)(const char *value);
	const char *value;
	struct test *next;
};

static struct test *first_test;

/* What follows the name of the program, and a NULL. */
static char **arguments;

/* Shared with the process of the test. */
static char *skip_reason;
#define SKIP_SIZE	256

#define HARNESS_NAME_(prefix, line)	prefix ## _at_line_ ## line
#define HARNESS_NAME(prefix, line)	HARNESS_NAME_(prefix, line)
#define VALUE	const char *value __attribute__((unused))

/* Define a setup; what it asserts counts for the test. */
#define SETUP(name)	static void name(VALUE)

#define TEST(text_, ...)						\
	static void HARNESS_NAME(test, __LINE__)(VALUE);		\
	static void __attribute__((constructor))			\
	HARNESS_NAME(add, __LINE__)(void)				\
	{								\
		static struct test test = {				\
			.text = text_, .line = __LINE__,		\
			.body = HARNESS_NAME(test, __LINE__),		\
			__VA_OPT__(.setup = __VA_ARGS__)		\
		};							\
									\
		add_test(&test);					\
	}								\
	static void HARNESS_NAME(test, __LINE__)(VALUE)

/* A test for each of the strings; the text is a format for one of them. */
#define TEST_EACH(text_, setup_, ...)					\
	static void HARNESS_NAME(test, __LINE__)(VALUE);		\
	static void __attribute__((constructor))			\
	HARNESS_NAME(add, __LINE__)(void)				\
	{								\
		static const char *const values[] = { __VA_ARGS__ };	\
		static struct test					\
			tests[sizeof(values) / sizeof(*values)];	\
		size_t i;						\
									\
		for (i = 0; i < sizeof(values) / sizeof(*values); i++) { \
			tests[i] = (struct test){ text_, __LINE__,	\
				HARNESS_NAME(test, __LINE__), setup_,	\
				values[i], NULL };			\
			add_test(&tests[i]);				\
		}							\
	}								\
	static void HARNESS_NAME(test, __LINE__)(VALUE)

/* In the order of the lines, as the compiler may reorder constructors. */
static inline void add_test(struct test *test)
{
	struct test **pos = &first_test;

	while (*pos && (*pos)->line <= test->line)
		pos = &(*pos)->next;
	test->next = *pos;
	*pos = test;
}

/* A remark in the output, such as a measured value. */
static inline void __attribute__((format(printf, 1, 2))) diag(const char *fmt, ...)
{
	va_list args;

	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

#define SKIP_STATUS	4
#define SKIP(reason) do {						\
	snprintf(skip_reason, SKIP_SIZE, "%s", reason);			\
	_exit(SKIP_STATUS);						\
} while (0)

static inline void __attribute__((noreturn)) run_in_child(const struct test *test)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	begin_group();
	errno = 0;
	if (test->setup)
		test->setup(test->value);
	test->body(test->value);
	exit(0);
}

/* End what the test has left behind; this process is its subreaper. */
static inline void end_leftovers(pid_t group)
{
	kill(-group, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

static inline int run_test(const struct test *test)
{
	int status = 0;
	pid_t pid;

	skip_reason[0] = '\0';
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_in_child(test);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		FAIL("cannot run a test: %s", strerror(errno));
	end_leftovers(pid);
	if (WIFSIGNALED(status))
		diag("ended by signal %d", WTERMSIG(status));
	return status;
}

/* Return whether the test has failed. */
static inline int print_result(const struct test *test, unsigned int n, int status)
{
	int is_skip = WIFEXITED(status) && WEXITSTATUS(status) == SKIP_STATUS;

	printf("%sok %u - ", status && !is_skip ? "not " : "", n);
	printf(test->text, test->value);
	printf(is_skip ? " # SKIP %s\n" : "\n", skip_reason);
	return status && !is_skip;
}

static inline int run_all_tests(void)
{
	unsigned int n = 0, failed = 0;
	const struct test *test;

	for (test = first_test; test; test = test->next)
		n++;
	printf("TAP version 13\n1..%u\n", n);
	for (test = first_test, n = 1; test; test = test->next, n++)
		failed += print_result(test, n, run_test(test));
	return failed > 0;
}

int main(int argc, char **argv)
{
	(void)argc;
	arguments = argv + 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	skip_reason = mmap(NULL, SKIP_SIZE, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (skip_reason == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1))
		FAIL("cannot begin: %s", strerror(errno));
	return run_all_tests();
}

#endif /* HARNESS_H */
