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
#include "tap.h"

/* Much longer than a wait that something ends */
#define LONG_MS 600000

struct pair {
	char stem[PATH_MAX];
	int ctrl, data;		/* keep the FIFOs open */
	struct zio_channel *ch;
};

static int make_fifo(const struct pair *pair, const char *suffix)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s-%s", pair->stem, suffix);
	mkfifo(path, 0600);
	return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

static void open_pair(struct pair *pair, int flags)
{
	static int n;

	snprintf(pair->stem, sizeof(pair->stem), "%s/wait-%04x-0-1", dir, ++n);
	pair->ctrl = make_fifo(pair, "ctrl");
	pair->data = make_fifo(pair, "data");
	pair->ch = zio_open(pair->stem, flags, NULL);
	ok(pair->ch, "open");
}

static void close_pair(struct pair *pair)
{
	ok(!zio_close(pair->ch), "close");
	close(pair->ctrl);
	close(pair->data);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void test_timeout(int flags)
{
	struct zio_block blk;
	struct pair pair;
	double start;

	open_pair(&pair, flags);
	ok(!zio_wait(pair.ch, 0), "no block, no wait");
	start = seconds();
	ok(!zio_wait(pair.ch, 50) && seconds() - start >= 0.05, "the time is over");
	fake_put_block(pair.stem, 1, 16, 1);
	ok(zio_wait(pair.ch, 0) == 1, "there is a block");
	ok(zio_wait(pair.ch, -1) == 1, "no limit");
	ok(zio_next(pair.ch, &blk) == 1 && blk.control->seq_num == 1,
	   "and the next call returns it");
	ok(!zio_wait(pair.ch, 0), "only one");
	close_pair(&pair);
}

/* Room is there until the FIFO is full. */
static void test_room(void)
{
	static const char mem[4096];
	struct pair pair;

	open_pair(&pair, ZIO_OPEN_OUTPUT | ZIO_OPEN_NONBLOCK);
	ok(zio_wait(pair.ch, 0) == 1, "an output has room");
	while (!zio_write_block(pair.ch, NULL, mem, sizeof(mem)))
		;
	ok(errno == EAGAIN && !zio_wait(pair.ch, 0), "until it has none");
	close_pair(&pair);
}

struct other {
	pthread_t thread;
	struct pair *pair;
	bool writes;
	pid_t tid;		/* once the thread runs */
	int ret, code;
};

static void *call_and_wait(void *arg)
{
	static const char mem[4096];
	struct other *other = arg;
	struct zio_channel *ch = other->pair->ch;
	struct zio_block blk;

	__atomic_store_n(&other->tid, gettid(), __ATOMIC_RELEASE);
	do {
		other->ret = other->writes ?
			     zio_write_block(ch, NULL, mem, sizeof(mem)) :
			     zio_next(ch, &blk);
	} while (!other->ret);
	other->code = errno;
	return NULL;
}

static void *wait_long(void *arg)
{
	struct other *other = arg;

	__atomic_store_n(&other->tid, gettid(), __ATOMIC_RELEASE);
	other->ret = zio_wait(other->pair->ch, LONG_MS);
	other->code = errno;
	return NULL;
}

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

/* Another thread is in the middle of a call that nothing but this ends. */
static void interrupt_thread(struct pair *pair, bool writes,
			     void *(*call)(void *), int code, const char *what)
{
	struct other other = { .pair = pair, .writes = writes };
	pid_t tid;

	pthread_create(&other.thread, NULL, call, &other);
	do {
		sched_yield();
		tid = __atomic_load_n(&other.tid, __ATOMIC_ACQUIRE);
	} while (!tid || !sleeps(tid));
	zio_interrupt(pair->ch);
	pthread_join(other.thread, NULL);
	ok(other.ret == -1 && other.code == code, what);
}

static void test_interrupt(void)
{
	struct zio_block blk;
	struct pair pair;

	open_pair(&pair, 0);
	interrupt_thread(&pair, false, call_and_wait, EAGAIN,
			 "another thread ends a read");
	ok(fails(zio_next(pair.ch, &blk), EAGAIN), "and all that follow");
	ok(fails(zio_wait(pair.ch, -1), ECANCELED) &&
	   reason_has(pair.ch, "zio_interrupt"), "a wait after it");
	fake_put_block(pair.stem, 1, 16, 1);
	ok(fails(zio_wait(pair.ch, -1), ECANCELED), "a block does not hide it");
	ok(zio_next(pair.ch, &blk) == 1, "a call that need not wait");
	zio_resume(pair.ch);
	zio_resume(pair.ch);
	ok(!zio_wait(pair.ch, 0), "waits are possible again");
	interrupt_thread(&pair, false, wait_long, ECANCELED,
			 "another thread ends a wait");
	zio_resume(pair.ch);
	zio_interrupt(pair.ch);
	zio_interrupt(pair.ch);
	ok(fails(zio_wait(pair.ch, -1), ECANCELED), "twice is once");
	zio_resume(pair.ch);
	ok(!zio_wait(pair.ch, 0), "and one call undoes both");
	close_pair(&pair);
	open_pair(&pair, ZIO_OPEN_OUTPUT);
	interrupt_thread(&pair, true, call_and_wait, EAGAIN,
			 "another thread ends a write");
	close_pair(&pair);
	open_pair(&pair, ZIO_OPEN_NONBLOCK);
	interrupt_thread(&pair, false, wait_long, ECANCELED,
			 "also on a non-blocking channel");
	close_pair(&pair);
}

static void test_stream(void)
{
	struct zio_channel *ch;
	struct zio_error err;
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/stream", dir);
	mkfifo(path, 0600);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ch = zio_open(path, 0, &err);
	ok(ch && !zio_wait(ch, 1), "a stream that stands for a block file");
	zio_interrupt(ch);
	ok(fails(zio_wait(ch, -1), ECANCELED), "and its interrupt");
	zio_close(ch);
	close(fd);
}

static void test_end(void)
{
	struct zio_channel *ch;
	struct zio_block blk;
	char stem[PATH_MAX], mem[64];

	snprintf(stem, sizeof(stem), "%s/end-0000-0-1", dir);
	fake_put_block(stem, 1, 16, 1);
	ch = zio_open(stem, 0, NULL);
	ok(fails(zio_data(ch, &blk), EINVAL), "an error before");
	ok(zio_next(ch, &blk) == 1 && !zio_next(ch, &blk) &&
	   reason_has(ch, "end of file"), "the reason after the end");
	ok(fails(zio_data(ch, &blk), EINVAL) && !zio_next_control(ch, &blk) &&
	   reason_has(ch, "end of file"), "the same for controls");
	ok(!zio_next_into(ch, &blk, mem, sizeof(mem)) &&
	   reason_has(ch, "end of file"), "the same for own memory");
	ok(zio_wait(ch, -1) == 1, "no wait at the end");
	zio_close(ch);
}

static void test_flags(void)
{
	struct zio_error err;
	struct pair in, out;

	ok(!zio_open("zzero-0-1", 1 << 9, &err) && errno == EINVAL &&
	   err.code == EINVAL && strstr(err.text, "flags"), "flags of zio_open()");
	ok(!zio_open("zzero-0-1", INT_MIN, NULL) && errno == EINVAL,
	   "the highest bit");
	open_pair(&in, 0);
	open_pair(&out, ZIO_OPEN_OUTPUT);
	ok(fails(zio_submit(out.ch, in.ch, 1 << 2), EINVAL) &&
	   reason_has(out.ch, "flags"), "flags of zio_submit()");
	close_pair(&in);
	close_pair(&out);
	ok(!zio_attr_name((enum zio_attr_owner)7, 1), "an unknown owner");
}

#define refuses(call) do {						\
	errno = 0;							\
	ok((call) && errno == EINVAL, "NULL: " #call);			\
} while (0)

static void test_null_channel(void)
{
	struct zio_error err;
	struct zio_block blk;
	size_t size;
	char mem[8];

	refuses(!zio_open(NULL, 0, &err) && err.code == EINVAL);
	refuses(zio_next(NULL, &blk) == -1);
	refuses(zio_next_into(NULL, &blk, mem, sizeof(mem)) == -1);
	refuses(zio_next_control(NULL, &blk) == -1);
	refuses(zio_data(NULL, &blk) == -1);
	refuses(zio_write_block(NULL, NULL, mem, 1) == -1);
	refuses(!zio_reserve(NULL, &size));
	refuses(zio_commit(NULL, 1) == -1);
	refuses(zio_commit_at(NULL, 1, NULL) == -1);
	refuses(zio_splice(NULL, NULL, NULL) == -1);
	refuses(zio_share(NULL, NULL) == -1);
	refuses(zio_submit(NULL, NULL, 0) == -1);
	refuses(!zio_sharing(NULL));
	refuses(zio_wait(NULL, 0) == -1);
	refuses((zio_interrupt(NULL), true));
	refuses((zio_resume(NULL), true));
	refuses((zio_set_max_block(NULL, 1), true));
	refuses((zio_set_batch(NULL, 1), true));
	refuses(zio_fd(NULL) == -1);
	refuses(!zio_method(NULL));
	refuses(zio_method_flag(NULL) == -1);
	refuses(!zio_data_path(NULL));
	refuses(!zio_control_path(NULL));
	refuses(!zio_stats(NULL));
	refuses(!zio_is_file(NULL));
	refuses((zio_control_init(NULL, 1, 1), true));
	refuses(zio_control_size(NULL, &size) == -1);
	refuses(!zio_control_shots(NULL));
	refuses(zio_alarm_text(1, NULL, 1) == -1);
	ok(!zio_close(NULL) && strstr(zio_reason(NULL), "NULL"), "what takes NULL");
}

static void test_null_argument(void)
{
	struct zio_control control;
	struct pair in, out;

	zio_control_init(&control, 1, 1);
	open_pair(&in, ZIO_OPEN_NONBLOCK);
	open_pair(&out, ZIO_OPEN_OUTPUT);
	refuses(zio_next(in.ch, NULL) == -1);
	ok(reason_has(in.ch, "NULL"), "and its reason");
	refuses(zio_next_into(in.ch, NULL, NULL, 0) == -1);
	refuses(zio_next_control(in.ch, NULL) == -1);
	refuses(zio_data(in.ch, NULL) == -1);
	refuses(zio_write_block(out.ch, &control, NULL, 1) == -1);
	refuses(!zio_reserve(out.ch, NULL));
	refuses(zio_commit_at(out.ch, 1, NULL) == -1);
	refuses(zio_splice(out.ch, NULL, &control) == -1);
	refuses(zio_submit(out.ch, NULL, 0) == -1);
	refuses(zio_control_size(&control, NULL) == -1);
	refuses(zio_control_shot(&control, 0, NULL) == -1);
	close_pair(&in);
	close_pair(&out);
}

int main(void)
{
	make_dir();
	test_timeout(0);
	test_timeout(ZIO_OPEN_NONBLOCK);
	test_room();
	test_interrupt();
	test_stream();
	test_end();
	test_flags();
	test_null_channel();
	test_null_argument();
	return tap_end();
}
