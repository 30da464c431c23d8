// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups: wait for many channels, and deliver their blocks event by event
 *
 * member.c holds the blocks of a channel, event.c pairs them. The group reads each
 * channel without blocks before it sleeps, because some triggers fire only when a program
 * reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "group.h"

#define ALL_FLAGS (ZIO_GROUP_ANY_TRIGGER | ZIO_GROUP_DROP_LATE)
#define MAX_DEPTH 65536
#define N_READY 16
#define NS_PER_MS 1000000ull
/* After this many complete events in a row, the group is in step. */
#define IN_STEP 16
/* How long a group in step waits for just one channel */
#define WAIT_FOR_ONE_MS 2
#define NONE_YET 2

static int fail(struct zio_group *g, const char *fault, int code)
{
	g->failed = NULL;
	g->fault = fault;
	g->fault_errno = code;
	errno = code;
	return -1;
}

/* errno says what failed; zio_reason() of the channel has the text. */
static int fail_channel(struct zio_group *g, struct zio_member *m)
{
	fail(g, "", errno);
	g->failed = m->ch;
	g->stats.errors++;
	return -1;
}

static int watch(struct zio_group *g, int fd, void *data)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = data };

	return epoll_ctl(g->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int open_descriptors(struct zio_group *g)
{
	g->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	g->interrupt_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	g->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (g->epoll_fd < 0 || g->interrupt_fd < 0 || g->timer_fd < 0)
		return -1;
	return watch(g, g->interrupt_fd, &g->interrupt_fd) ||
	       watch(g, g->timer_fd, &g->timer_fd) ? -1 : 0;
}

struct zio_group *zio_group_open(unsigned int flags, struct zio_error *err)
{
	struct zio_group *g;
	int code;

	if (flags & ~(unsigned int)ALL_FLAGS) {
		zio_explain(err, EINVAL,
			    "group: open: unknown flags for this library");
		return NULL;
	}
	g = calloc(1, sizeof(*g));
	if (!g) {
		zio_explain(err, ENOMEM, "group: open: %s", strerror(ENOMEM));
		return NULL;
	}
	g->flags = flags;
	g->depth = ZIO_GROUP_DEPTH;
	g->limit = ZIO_GROUP_LIMIT_MS;
	g->fault = "no error";
	if (!open_descriptors(g))
		return g;
	code = errno;
	zio_group_close(g);
	zio_explain(err, code, "group: open a descriptor: %s", strerror(code));
	return NULL;
}

static int grow(struct zio_group *g)
{
	size_t n = g->n + 1;
	void *members = realloc(g->members, n * sizeof(*g->members));
	void *parts = members ? realloc(g->parts, n * sizeof(*g->parts)) : NULL;

	g->members = members ? members : g->members;
	g->parts = parts ? parts : g->parts;
	return parts ? 0 : -1;
}

static void forget_slowest(struct zio_group *g)
{
	g->in_step = 0;
	g->slowest = NULL;
}

static unsigned int index_of(const struct zio_group *g, const struct zio_channel *ch)
{
	unsigned int i = 0;

	while (g->members[i]->ch != ch)
		i++;
	return i;
}

static void unwatch(struct zio_member *m)
{
	if (m->watched_fd >= 0)
		epoll_ctl(m->group->epoll_fd, EPOLL_CTL_DEL, m->watched_fd, NULL);
	m->watched_fd = -1;
}

static void leave(struct zio_channel *ch)
{
	struct zio_group *g = ch->group;
	unsigned int i = index_of(g, ch);
	struct zio_member *m = g->members[i];

	unwatch(m);
	forget_slowest(g);
	zio_plain_release(g);
	zio_plain_settle(g);
	if (g->watched_one == m)
		g->watched_one = NULL;
	g->stats.dropped += m->count - m->given;
	g->n--;
	memmove(&g->members[i], &g->members[i + 1], (g->n - i) * sizeof(*g->members));
	if (g->failed == ch)
		g->failed = NULL;
	ch->group = NULL;
	ch->nonblock = m->nonblock;
	zio_member_free(m);
}

int zio_group_add(struct zio_group *g, struct zio_channel *ch)
{
	struct zio_member *m;

	if (!g)
		return zio_refuse_null();
	if (!ch)
		return fail(g, "add a channel: it is NULL", EINVAL);
	if (ch->output)
		return fail(g, "add a channel: it is an output", EBADF);
	if (ch->group)
		return fail(g, "add a channel: it is already in a group", EBUSY);
	m = zio_member_new(g, ch);
	if (!m || grow(g)) {
		if (m)
			zio_member_free(m);
		return fail(g, "add a channel: out of memory", ENOMEM);
	}
	ch->group = g;
	ch->leave_group = leave;
	ch->nonblock = true;
	g->members[g->n] = m;
	g->parts[g->n] = (struct zio_part){ .ch = ch };
	zio_plain_release(g);
	zio_plain_settle(g);
	forget_slowest(g);
	return (int)g->n++;
}

static void close_descriptor(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void close_sets(struct zio_group *g)
{
	unsigned int i = g->n;

	while (i--)
		if (g->members[i]->owned)
			zio_close(g->members[i]->ch);
	for (i = 0; i < g->n_sets; i++)
		zio_set_close(g->sets[i]);
	free(g->sets);
	g->sets = NULL;
	g->n_sets = 0;
}

void zio_group_close(struct zio_group *g)
{
	int saved = errno;

	if (!g)
		return;
	close_sets(g);
	while (g->n)
		leave(g->members[g->n - 1]->ch);
	close_descriptor(g->timer_fd);
	close_descriptor(g->interrupt_fd);
	close_descriptor(g->epoll_fd);
	free(g->members);
	free(g->parts);
	free(g);
	errno = saved;
}

static void turn_sets(struct zio_group *g)
{
	unsigned int i;

	for (i = 0; i < g->n_sets; i++)
		zio_set_turn(g->sets[i]);
}

void zio_group_set_window(struct zio_group *g, uint64_t ns)
{
	if (!g)
		zio_refuse_null();
	else
		g->window = ns;
}

void zio_group_set_limit(struct zio_group *g, int ms)
{
	if (!g)
		zio_refuse_null();
	else
		g->limit = ms;
}

int zio_group_set_depth(struct zio_group *g, unsigned int blocks)
{
	if (!g)
		return zio_refuse_null();
	if (!blocks || blocks > MAX_DEPTH)
		return fail(g, "set the depth: use 1 to 65536 blocks", EINVAL);
	if (g->n)
		return fail(g, "set the depth: do so before adding a channel", EBUSY);
	g->depth = blocks;
	return 0;
}

static void drop_late(struct zio_member *m)
{
	if (m->group->flags & ZIO_GROUP_DROP_LATE)
		zio_event_drop_late(m);
}

static int fill_member(struct zio_group *g, struct zio_member *m)
{
	int ret;

	drop_late(m);
	while (!m->count && !m->gone) {
		ret = zio_member_read(m);
		if (ret < 0)
			return fail_channel(g, m);
		if (!ret)
			break;
		drop_late(m);
	}
	return 0;
}

/* Read a block from each channel that has none. */
static int fill(struct zio_group *g)
{
	unsigned int i;

	for (i = 0; i < g->n; i++)
		if (!zio_member_is_quiet(g->members[i]) &&
		    fill_member(g, g->members[i]))
			return -1;
	return 0;
}

static bool has_channels(const struct zio_group *g)
{
	unsigned int i;

	for (i = 0; i < g->n; i++)
		if (g->members[i]->count || !g->members[i]->gone)
			return true;
	return false;
}

/* Called before sleeping. Returns the number of blocks read, or -1. */
static int read_hidden(struct zio_group *g)
{
	unsigned int i;
	int n = 0, ret;

	for (i = 0; i < g->n; i++) {
		if (!zio_member_hides_blocks(g->members[i]))
			continue;
		ret = zio_member_read(g->members[i]);
		if (ret < 0)
			return fail_channel(g, g->members[i]);
		n += ret;
	}
	return n;
}

/* The descriptor of a channel changes while a block is partly read. */
static int watch_member(struct zio_member *m)
{
	int fd = zio_fd(m->ch);

	if (m->gone || m->cannot_poll || zio_member_is_full(m)) {
		unwatch(m);
		return 0;
	}
	if (fd == m->watched_fd)
		return 0;
	unwatch(m);
	if (!watch(m->group, fd, m))
		m->watched_fd = fd;
	else if (errno == EPERM)
		m->cannot_poll = true;
	else
		return fail(m->group, "watch a channel", errno);
	return 0;
}

static int watch_all(struct zio_group *g)
{
	unsigned int i;

	g->watched_one = NULL;
	for (i = 0; i < g->n; i++)
		if (watch_member(g->members[i]))
			return -1;
	return 0;
}

static int ms_until(uint64_t end)
{
	uint64_t now, ms;

	if (end == UINT64_MAX)
		return -1;
	now = zio_monotonic_ns();
	ms = end <= now ? 0 : (end - now + NS_PER_MS - 1) / NS_PER_MS;
	return ms < INT32_MAX ? (int)ms : INT32_MAX;
}

static bool is_interrupted(const struct zio_group *g, const struct epoll_event *ready,
			   int n)
{
	while (n--)
		if (ready[n].data.ptr == &g->interrupt_fd)
			return true;
	return false;
}

static int read_ready(struct zio_group *g, const struct epoll_event *ready, int n)
{
	int blocks = 0, ret, i;

	for (i = 0; i < n; i++) {
		if (ready[i].data.ptr == &g->timer_fd)
			continue;
		ret = zio_member_read(ready[i].data.ptr);
		if (ret < 0)
			return fail_channel(g, ready[i].data.ptr);
		blocks += ret;
	}
	return blocks;
}

/* Make poll() of the group's descriptor return when an event stops waiting, too. */
static void set_timer(struct zio_group *g, uint64_t at)
{
	struct itimerspec when = { 0 };

	if (at == UINT64_MAX && !g->timer_runs)
		return;
	g->timer_runs = at != UINT64_MAX;
	if (g->timer_runs) {
		when.it_value.tv_sec = (time_t)(at / 1000000000);
		when.it_value.tv_nsec = (long)(at % 1000000000);
	}
	timerfd_settime(g->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/*
 * Wait for a block until @end, or until @until, when an event stops waiting. Returns 0 to
 * look again, or -1.
 */
static int wait_for_block(struct zio_group *g, uint64_t until, uint64_t end)
{
	struct epoll_event ready[N_READY];
	int n = read_hidden(g), blocks;

	if (n)
		return n < 0 ? -1 : 0;
	turn_sets(g);
	if (watch_all(g))
		return -1;
	n = epoll_wait(g->epoll_fd, ready, N_READY, ms_until(until < end ? until : end));
	if (n < 0)
		return fail(g, "wait for a block", errno);
	if (is_interrupted(g, ready, n))
		return fail(g, "zio_group_interrupt() ended the wait", ECANCELED);
	blocks = read_ready(g, ready, n);
	if (blocks || end > zio_monotonic_ns())
		return blocks < 0 ? -1 : 0;
	set_timer(g, until);
	return fail(g, "no event yet", EAGAIN);
}

/*
 * If all sets share a trigger, the channel that was last before is the last again.
 * Returns NULL if the group is not in step, or if an event may come another way.
 */
static struct zio_member *find_slowest(const struct zio_group *g)
{
	struct zio_member *slowest = NULL;
	unsigned int i;

	if (g->in_step < IN_STEP || (g->limit >= 0 && g->limit <= WAIT_FOR_ONE_MS))
		return NULL;
	for (i = 0; i < g->n; i++) {
		struct zio_member *m = g->members[i];

		if (m->count)
			continue;
		if (m->gone || !zio_member_is_quiet(m))
			return NULL;
		slowest = m;
	}
	return slowest;
}

static int watch_one(struct zio_group *g, struct zio_member *m)
{
	unsigned int i;

	if (g->watched_one == m)
		return 0;
	for (i = 0; !g->watched_one && i < g->n; i++)
		unwatch(g->members[i]);
	if (g->watched_one)
		unwatch(g->watched_one);
	g->watched_one = NULL;
	if (watch_member(m))
		return -1;
	g->watched_one = m;
	return 0;
}

/* The slowest channel has no block, so there is no complete event. */
static bool waits_for_slowest(const struct zio_group *g)
{
	return g->slowest && zio_member_is_quiet(g->slowest);
}

/*
 * Like wait_for_block(), but without a call for each channel and without a wake-up from
 * each. After WAIT_FOR_ONE_MS the group waits for all.
 */
static int wait_for_slowest(struct zio_group *g, uint64_t until, uint64_t end)
{
	struct epoll_event ready[N_READY];
	uint64_t now = zio_monotonic_ns(), all;
	int n;

	g->waits_since = g->waits_since ? g->waits_since : now;
	all = g->waits_since + WAIT_FOR_ONE_MS * NS_PER_MS;
	if (now >= all) {
		forget_slowest(g);
		return 0;
	}
	if (watch_one(g, g->slowest))
		return -1;
	until = until < all ? until : all;
	n = epoll_wait(g->epoll_fd, ready, N_READY,
		       end <= now ? 0 : ms_until(until < end ? until : end));
	if (n < 0)
		return fail(g, "wait for a block", errno);
	if (is_interrupted(g, ready, n))
		return fail(g, "zio_group_interrupt() ended the wait", ECANCELED);
	/* Only the member knows what else poll() reports. */
	turn_sets(g);
	if (waits_for_slowest(g) && read_ready(g, ready, n) < 0)
		return -1;
	if (n || end > now)
		return 0;
	set_timer(g, until);
	return fail(g, "no event yet", EAGAIN);
}

static void note_event(struct zio_group *g, const struct zio_event *ev)
{
	g->waits_since = 0;
	if (ev->late || ev->n_blocks != g->n)
		g->in_step = 0;
	else if (g->in_step < IN_STEP)
		g->in_step++;
}

static uint64_t end_of_call(int timeout)
{
	return timeout < 0 ? UINT64_MAX :
			     zio_monotonic_ns() + (uint64_t)timeout * NS_PER_MS;
}

/* Returns like zio_group_next(), or NONE_YET with *@until, when the wait ends. */
static int look_for_event(struct zio_group *g, struct zio_event *ev, uint64_t *until)
{
	if (zio_plain_take(g, ev)) {
		note_event(g, ev);
		return 1;
	}
	zio_plain_settle(g);
	if (fill(g))
		return -1;
	if (zio_event_make(g, ev, until)) {
		note_event(g, ev);
		return 1;
	}
	if (!has_channels(g)) {
		g->failed = NULL;
		g->fault = "all channels are gone, or the group has none";
		g->fault_errno = 0;
		return 0;
	}
	g->slowest = find_slowest(g);
	return NONE_YET;
}

int zio_group_next(struct zio_group *g, struct zio_event *ev, int timeout)
{
	uint64_t end, until;
	int ret;

	if (!g)
		return zio_refuse_null();
	if (!ev)
		return fail(g, "a required pointer is NULL", EINVAL);
	if (g->plain)
		zio_plain_release(g);
	else
		zio_event_release(g);
	set_timer(g, UINT64_MAX);
	end = timeout ? end_of_call(timeout) : 0;
	for (;;) {
		until = UINT64_MAX;
		turn_sets(g);
		if (!waits_for_slowest(g)) {
			ret = look_for_event(g, ev, &until);
			if (ret != NONE_YET)
				return ret;
		}
		ret = g->slowest ? wait_for_slowest(g, until, end) :
				   wait_for_block(g, until, end);
		if (ret)
			return -1;
	}
}

int zio_group_fd(const struct zio_group *g)
{
	return g ? g->epoll_fd : zio_refuse_null();
}

void zio_group_interrupt(struct zio_group *g)
{
	if (g)
		zio_signal(g->interrupt_fd);
	else
		zio_refuse_null();
}

void zio_group_resume(struct zio_group *g)
{
	if (g)
		zio_unsignal(g->interrupt_fd);
	else
		zio_refuse_null();
}

const struct zio_group_stats *zio_group_stats(const struct zio_group *g)
{
	if (!g)
		errno = EINVAL;
	return g ? &g->stats : NULL;
}

const char *zio_group_reason(struct zio_group *g)
{
	int saved = errno;

	if (!g)
		return "the group is NULL: zio_group_open() gives the reason in its last argument";
	if (g->failed)
		return zio_reason(g->failed);
	zio_explain(&g->error, g->fault_errno, "group: %s%s%s", g->fault,
		    g->fault_errno ? ": " : "",
		    g->fault_errno ? strerror(g->fault_errno) : "");
	errno = saved;
	return g->error.text;
}

const char *zio_part_name(enum zio_part_state state)
{
	static const char *const names[] = {
		"block", "lost", "skipped", "late", "gone", "given",
	};

	return (unsigned int)state < sizeof(names) / sizeof(names[0]) ? names[state] :
									NULL;
}
