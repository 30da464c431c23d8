/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * assert.h: assertions for tests written in C
 *
 * An assertion that does not hold prints the place, the values, and a reason if there is
 * one: ASSERT_EQ(level, 0, "the FIFO is empty"). It ends the process group of the
 * program: no child continues without its parent.
 */
#ifndef ASSERT_H
#define ASSERT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The process that leads the group; set by begin_group(). */
static pid_t group_leader;

/* Exit from a child; from the leader, end the children, too. */
static inline void __attribute__((noreturn)) give_up(void)
{
	if (getpid() == group_leader) {
		signal(SIGTERM, SIG_IGN);
		kill(0, SIGTERM);
	}
	_exit(1);
}

#define FAIL(fmt, ...) do {						\
	fprintf(stderr, "# %s:%d: " fmt "\n", __FILE_NAME__, __LINE__,	\
		##__VA_ARGS__);						\
	give_up();							\
} while (0)

/* Two strings: ": " and the reason, or nothing */
#define REASON(...)	"" __VA_OPT__(": "),				\
	(const char *[]){ __VA_ARGS__ __VA_OPT__(,) "" }[0]

/* The condition holds. The message shows errno, which often tells why not. */
#define ASSERT_TRUE(condition, ...) do {				\
	if (!(condition))						\
		FAIL("not true: %s (errno %s)%s%s", #condition,		\
		     strerrorname_np(errno) ?: "?", REASON(__VA_ARGS__)); \
} while (0)

/* The two integers are equal. */
#define ASSERT_EQ(got, expected, ...) do {				\
	long long got_ = (got), expected_ = (expected);			\
									\
	if (got_ != expected_)						\
		FAIL("%s is %lld, expected %lld (errno %s)%s%s", #got,	\
		     got_, expected_, strerrorname_np(errno) ?: "?",	\
		     REASON(__VA_ARGS__));				\
} while (0)

/* The two strings are equal. */
#define ASSERT_STR(got, expected, ...) do {				\
	const char *got_ = (got), *expected_ = (expected);		\
									\
	if (!got_ || strcmp(got_, expected_))				\
		FAIL("%s is '%s', expected '%s'%s%s", #got,		\
		     got_ ?: "(NULL)", expected_, REASON(__VA_ARGS__));	\
} while (0)

/* The text has this part. */
#define ASSERT_HAS(text, part, ...) do {				\
	const char *text_ = (text), *part_ = (part);			\
									\
	if (!text_ || !strstr(text_, part_))				\
		FAIL("%s is '%s', expected '%s' in it%s%s", #text,	\
		     text_ ?: "(NULL)", part_, REASON(__VA_ARGS__));	\
} while (0)

/* The system call fails with this errno. */
#define ASSERT_ERRNO(call, code, ...) do {				\
	long long ret_;							\
									\
	errno = 0;							\
	ret_ = (call);							\
	if (ret_ != -1 || errno != (code))				\
		FAIL("%s returns %lld (errno %s), expected %s%s%s", #call, \
		     ret_, strerrorname_np(errno) ?: "?",		\
		     strerrorname_np(code), REASON(__VA_ARGS__));	\
} while (0)

/* Lead a process group. Whoever runs the program ends it if it hangs. */
static inline void begin_group(void)
{
	setpgid(0, 0);
	group_leader = getpid();
}

#endif /* ASSERT_H */
