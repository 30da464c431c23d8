// SPDX-License-Identifier: GPL-2.0-only
/* libzio: wait with a time-out, end a wait; wrong arguments; the end of a file */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"
#include "harness.h"

/* Much longer than a wait that something ends */
#define LONG_MS 600000

struct pair {
	char stem[PATH_MAX];
	int ctrl, data;		/* keep the FIFOs open */
	struct zio_channel *ch;
};

static void open_pair(struct pair *pair, int flags)
{
	static int n;

	snprintf(pair->stem, sizeof(pair->stem), "%s/wait-%04x-0-1", dir, ++n);
	pair->ctrl = make_fifo_of(pair->stem, "ctrl");
	pair->data = make_fifo_of(pair->stem, "data");
	pair->ch = zio_open(pair->stem, flags, NULL);
	ASSERT_TRUE(pair->ch);
}

static void close_pair(struct pair *pair)
{
	ASSERT_TRUE(!zio_close(pair->ch));
	close(pair->ctrl);
	close(pair->data);
}

TEST_EACH("the time-out of a %s channel", make_dir, "blocking", "non-blocking")
{
	struct pair pair;
	double start;

	open_pair(&pair, value[0] == 'n' ? ZIO_OPEN_NONBLOCK : 0);
	ASSERT_TRUE(!zio_wait(pair.ch, 0), "no block, no wait");
	start = seconds();
	ASSERT_TRUE(!zio_wait(pair.ch, 50) && seconds() - start >= 0.05);
	fake_put_block(pair.stem, 1, 16, 1);
	ASSERT_EQ(zio_wait(pair.ch, 0), 1, "there is a block");
	ASSERT_EQ(zio_wait(pair.ch, -1), 1, "no limit");
	ASSERT_TRUE(zio_next(pair.ch, &blk) == 1 && blk.control->seq_num == 1);
	ASSERT_TRUE(!zio_wait(pair.ch, 0), "only one");
	close_pair(&pair);
}

TEST("room is there until the FIFO is full", make_dir)
{
	static const char mem[4096];
	struct pair pair;

	open_pair(&pair, ZIO_OPEN_OUTPUT | ZIO_OPEN_NONBLOCK);
	ASSERT_EQ(zio_wait(pair.ch, 0), 1, "an output has room");
	while (!zio_write_block(pair.ch, NULL, mem, sizeof(mem)))
		;
	ASSERT_TRUE(errno == EAGAIN && !zio_wait(pair.ch, 0), "until it has none");
	close_pair(&pair);
}

static struct zio_block blks[2];
static char memory[4096];

static int by_next(struct zio_channel *ch)
{
	return zio_next(ch, blks);
}

static int by_control(struct zio_channel *ch)
{
	return zio_next_control(ch, blks);
}

static int into_memory(struct zio_channel *ch)
{
	return zio_next_into(ch, blks, memory, sizeof(memory));
}

static int by_batch(struct zio_channel *ch)
{
	return zio_next_batch(ch, blks, 2, memory, sizeof(memory));
}

static int by_wait(struct zio_channel *ch)
{
	return zio_wait(ch, -1);
}

static int by_long_wait(struct zio_channel *ch)
{
	return zio_wait(ch, LONG_MS);
}

static int by_write(struct zio_channel *ch)
{
	int ret;

	do {
		ret = zio_write_block(ch, NULL, memory, sizeof(memory));
	} while (!ret);
	return ret;
}

static const struct {
	const char *name;
	int (*call)(struct zio_channel *ch);
} readers[] = {
	{ "zio_next", by_next }, { "zio_next_control", by_control },
	{ "zio_next_into", into_memory }, { "zio_next_batch", by_batch },
};

#define READERS (sizeof(readers) / sizeof(readers[0]))

/* Does the thread sleep? It has announced itself, and then calls the library. */
static bool sleeps(pid_t tid)
{
	char path[64], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = '?';
	fclose(file);
	return state == 'S';
}

struct waiter {
	pthread_t thread;
	struct zio_channel *ch;
	int (*call)(struct zio_channel *ch);
	pid_t tid;		/* once the thread runs */
	int ret, code;
};

static void *call_of(void *arg)
{
	struct waiter *waiter = arg;

	__atomic_store_n(&waiter->tid, gettid(), __ATOMIC_RELEASE);
	waiter->ret = waiter->call(waiter->ch);
	waiter->code = errno;
	return NULL;
}

static void wait_in_thread(struct waiter *waiter, struct zio_channel *ch,
			   int (*call)(struct zio_channel *ch))
{
	pid_t tid;

	*waiter = (struct waiter){ .ch = ch, .call = call };
	pthread_create(&waiter->thread, NULL, call_of, waiter);
	do {
		sched_yield();
		tid = __atomic_load_n(&waiter->tid, __ATOMIC_ACQUIRE);
	} while (!tid || !sleeps(tid));
}

/* Another thread is in the middle of a call that nothing but this ends. */
static void interrupt_thread(struct pair *pair, int (*call)(struct zio_channel *ch),
			     int code)
{
	struct waiter waiter;

	wait_in_thread(&waiter, pair->ch, call);
	zio_interrupt(pair->ch);
	pthread_join(waiter.thread, NULL);
	ASSERT_EQ(waiter.ret, -1);
	ASSERT_EQ(waiter.code, code);
}

TEST("another thread ends a call", make_dir)
{
	struct pair pair;
	size_t i;

	for (i = 0; i < READERS; i++) {
		open_pair(&pair, 0);
		interrupt_thread(&pair, readers[i].call, EAGAIN);
		close_pair(&pair);
	}
	open_pair(&pair, 0);
	interrupt_thread(&pair, by_next, EAGAIN);
	ASSERT_ERRNO(zio_next(pair.ch, &blk), EAGAIN, "and all that follow");
	ASSERT_FAILS(pair.ch, zio_wait(pair.ch, -1), ECANCELED, "zio_interrupt");
	fake_put_block(pair.stem, 1, 16, 1);
	ASSERT_ERRNO(zio_wait(pair.ch, -1), ECANCELED, "a block does not hide it");
	ASSERT_EQ(zio_next(pair.ch, &blk), 1, "a call that need not wait");
	zio_resume(pair.ch);
	zio_resume(pair.ch);
	ASSERT_TRUE(!zio_wait(pair.ch, 0), "waits are possible again");
	interrupt_thread(&pair, by_long_wait, ECANCELED);
	zio_resume(pair.ch);
	zio_interrupt(pair.ch);
	zio_interrupt(pair.ch);
	ASSERT_ERRNO(zio_wait(pair.ch, -1), ECANCELED, "twice is once");
	zio_resume(pair.ch);
	ASSERT_TRUE(!zio_wait(pair.ch, 0), "and one call undoes both");
	close_pair(&pair);
	open_pair(&pair, ZIO_OPEN_OUTPUT);
	interrupt_thread(&pair, by_write, EAGAIN);
	close_pair(&pair);
	open_pair(&pair, ZIO_OPEN_NONBLOCK);
	interrupt_thread(&pair, by_long_wait, ECANCELED);
	close_pair(&pair);
}

/* --- what a thread waits for goes */

TEST("the writer of a stream goes while each call waits", make_dir)
{
	size_t i;
	struct zio_control control;
	struct waiter waiter;
	int fd, part;

	fake_control(&control, 0, 16, 1);
	/* Nothing, a part of a control, a control with and without a part of its data */
	for (i = 0; i < READERS; i++)
		for (part = 0; part < 4; part++) {
			static const size_t sizes[] = { 0, 100, 512, 520 };
			char bytes[520] = { 0 };
			bool is_block = part > 1;

			if (is_block && readers[i].call == by_control)
				continue;
			memcpy(bytes, &control, sizeof(control));
			unlink(in_dir("stream"));
			fd = make_fifo(in_dir("stream"));
			ch = zio_open(in_dir("stream"), 0, NULL);
			ASSERT_EQ(write(fd, bytes, sizes[part]), (ssize_t)sizes[part]);
			wait_in_thread(&waiter, ch, readers[i].call);
			close(fd);
			pthread_join(waiter.thread, NULL);
			ASSERT_EQ(waiter.ret, part ? -1 : 0, readers[i].name);
			if (part)
				ASSERT_EQ(waiter.code, is_block ? ENODATA : EPROTO);
			close_channel();
		}
}

TEST("the other side of two nodes goes while each call waits", make_dir)
{
	size_t i;
	struct waiter waiter;
	struct pair pair;

	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i <= READERS; i++) {
		open_pair(&pair, 0);
		wait_in_thread(&waiter, pair.ch, i < READERS ? readers[i].call : by_wait);
		close(pair.ctrl);
		pthread_join(waiter.thread, NULL);
		ASSERT_EQ(waiter.ret, i < READERS ? 0 : 1, i < READERS ? readers[i].name : "zio_wait");
		ASSERT_TRUE(!zio_next(pair.ch, &blk), "and it stays so");
		zio_close(pair.ch);
		close(pair.data);
	}
	open_pair(&pair, ZIO_OPEN_OUTPUT);
	wait_in_thread(&waiter, pair.ch, by_write);
	close(pair.data);
	pthread_join(waiter.thread, NULL);
	ASSERT_EQ(waiter.ret, -1);
	ASSERT_EQ(waiter.code, EPIPE);
	ASSERT_EQ(zio_wait(pair.ch, -1), 1, "no wait for what is not there");
	zio_close(pair.ch);
	close(pair.ctrl);
}

TEST("a stream that stands for a block file", make_dir)
{
	struct zio_error err;
	int fd = make_fifo(in_dir("stream"));

	ch = zio_open(in_dir("stream"), 0, &err);
	ASSERT_TRUE(ch && !zio_wait(ch, 1));
	zio_interrupt(ch);
	ASSERT_ERRNO(zio_wait(ch, -1), ECANCELED, "and its interrupt");
	close(fd);
}

TEST("the end of a file", make_dir)
{
	const char *stem = in_dir("end-0000-0-1");
	char mem[64];

	fake_put_block(stem, 1, 16, 1);
	ch = zio_open(stem, 0, NULL);
	ASSERT_ERRNO(zio_data(ch, &blk), EINVAL, "an error before");
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && !zio_next(ch, &blk));
	ASSERT_HAS(zio_reason(ch), "end of file");
	ASSERT_TRUE(fails(zio_data(ch, &blk), EINVAL) && !zio_next_control(ch, &blk));
	ASSERT_HAS(zio_reason(ch), "end of file");
	ASSERT_TRUE(!zio_next_into(ch, &blk, mem, sizeof(mem)));
	ASSERT_HAS(zio_reason(ch), "end of file");
	ASSERT_EQ(zio_wait(ch, -1), 1, "no wait at the end");
}

TEST("unknown flags", make_dir)
{
	struct zio_error err;
	struct pair in, out;

	ASSERT_REFUSED(!zio_open("zzero-0-1", 1 << 20, &err) && err.code == EINVAL);
	ASSERT_HAS(err.text, "flags");
	ASSERT_REFUSED(!zio_open("zzero-0-1", INT_MIN, NULL));
	open_pair(&in, 0);
	open_pair(&out, ZIO_OPEN_OUTPUT);
	ASSERT_FAILS(out.ch, zio_submit(out.ch, in.ch, 1 << 2), EINVAL, "flags");
	close_pair(&in);
	close_pair(&out);
	ASSERT_TRUE(!zio_attr_name((enum zio_attr_owner)7, 1), "an unknown owner");
}

TEST("NULL for a channel", make_dir)
{
	struct zio_error err;
	size_t size;
	char mem[8];

	ASSERT_REFUSED(!zio_open(NULL, 0, &err) && err.code == EINVAL);
	ASSERT_REFUSED(zio_next(NULL, &blk) == -1);
	ASSERT_REFUSED(zio_next_into(NULL, &blk, mem, sizeof(mem)) == -1);
	ASSERT_REFUSED(zio_next_control(NULL, &blk) == -1);
	ASSERT_REFUSED(zio_data(NULL, &blk) == -1);
	ASSERT_REFUSED(zio_write_block(NULL, NULL, mem, 1) == -1);
	ASSERT_REFUSED(zio_share(NULL, NULL) == -1);
	ASSERT_REFUSED(zio_submit(NULL, NULL, 0) == -1);
	ASSERT_REFUSED(!zio_sharing(NULL));
	ASSERT_REFUSED(zio_wait(NULL, 0) == -1);
	ASSERT_REFUSED((zio_interrupt(NULL), true));
	ASSERT_REFUSED((zio_resume(NULL), true));
	ASSERT_REFUSED((zio_set_max_block(NULL, 1), true));
	ASSERT_REFUSED(zio_fd(NULL) == -1);
	ASSERT_REFUSED(!zio_method(NULL));
	ASSERT_REFUSED(zio_method_flag(NULL) == -1);
	ASSERT_REFUSED(!zio_data_path(NULL));
	ASSERT_REFUSED(!zio_control_path(NULL));
	ASSERT_REFUSED(!zio_stats(NULL));
	ASSERT_REFUSED(!zio_is_file(NULL));
	ASSERT_REFUSED((zio_control_init(NULL, 1, 1), true));
	ASSERT_REFUSED(zio_control_size(NULL, &size) == -1);
	ASSERT_REFUSED(!zio_control_shots(NULL));
	ASSERT_REFUSED(zio_alarm_text(1, NULL, 1) == -1);
	ASSERT_TRUE(!zio_close(NULL) && strstr(zio_reason(NULL), "NULL"));
}

TEST("NULL for another argument", make_dir)
{
	struct zio_control control;
	struct pair in, out;

	zio_control_init(&control, 1, 1);
	open_pair(&in, ZIO_OPEN_NONBLOCK);
	open_pair(&out, ZIO_OPEN_OUTPUT);
	ASSERT_REFUSED(zio_next(in.ch, NULL) == -1);
	ASSERT_HAS(zio_reason(in.ch), "NULL", "and its reason");
	ASSERT_REFUSED(zio_next_into(in.ch, NULL, NULL, 0) == -1);
	ASSERT_REFUSED(zio_next_control(in.ch, NULL) == -1);
	ASSERT_REFUSED(zio_data(in.ch, NULL) == -1);
	ASSERT_REFUSED(zio_write_block(out.ch, &control, NULL, 1) == -1);
	ASSERT_REFUSED(zio_submit(out.ch, NULL, 0) == -1);
	ASSERT_REFUSED(zio_control_size(&control, NULL) == -1);
	ASSERT_REFUSED(zio_control_shot(&control, 0, NULL) == -1);
	close_pair(&in);
	close_pair(&out);
}
