// SPDX-License-Identifier: GPL-2.0-only
/*
 * objects_test.c: libzio finds and sets up real devices, and waits for their channels
 *
 * # not kasan: it judges a library
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libzio/zio.h"
#include "../unit/tap.h"

#define ROUNDS 100
#define LONG_MS 600000

static bool is(const char *got, const char *wanted)
{
	if (got && !strcmp(got, wanted))
		return true;
	printf("# got '%s', wanted '%s'\n", got ? got : "(NULL)", wanted);
	return false;
}

static bool fails(int ret, int code, const struct zio_error *err, const char *text)
{
	if (ret == -1 && errno == code && err->code == code && strstr(err->text, text))
		return true;
	printf("# %d, errno %d: %s\n", ret, errno, err->text);
	return false;
}

static struct zio_object *find(const char *name)
{
	struct zio_error err;
	struct zio_object *obj = zio_find(NULL, name, NULL, &err);

	if (!obj)
		printf("# %s\n", err.text);
	return obj;
}

static bool set(const char *name, const char *attr, const char *value)
{
	struct zio_object *obj = find(name);
	struct zio_error err = { .text = "no object" };
	bool done = obj && !zio_attr_set(obj, attr, value, &err);

	if (!done)
		printf("# %s\n", err.text);
	zio_object_free(obj);
	return done;
}

static size_t count(const struct zio_object *in, enum zio_object_kind kind)
{
	struct zio_object **list = zio_list(in, kind, NULL);
	size_t n = 0;

	while (list && list[n])
		n++;
	zio_list_free(list);
	return n;
}

static void test_find(void)
{
	struct zio_object *device = find("zzero");
	struct zio_object *bus = find("bus:");
	char text[ZIO_TEXT_SIZE];

	ok(is(zio_object_name(device), "zzero-0000"), "a device");
	ok(count(device, ZIO_OBJECT_CSET) == 3, "its sets");
	ok(count(device, ZIO_OBJECT_CHANNEL) == 5, "its channels");
	ok(count(device, ZIO_OBJECT_TRIGGER) == 3, "its triggers");
	ok(count(device, ZIO_OBJECT_BUFFER) == 5, "its buffers");
	ok(count(NULL, ZIO_OBJECT_CHANNEL) == 5, "all channels");
	ok(bus && !zio_attr_get(bus, "available_buffers", text, sizeof(text), NULL) &&
	   strstr(text, "kmalloc"), "types of buffers");
	zio_object_free(bus);
	zio_object_free(device);
}

static void test_attrs(void)
{
	struct zio_object *cset = find("zzero/0");
	struct zio_error err = { .text = "" };
	uint64_t u64;
	uint32_t u32;

	ok(!zio_attr_set_u32(cset, "trigger/nsamples", 100, &err) &&
	   !zio_attr_get_u32(cset, "trigger/post-samples", &u32, &err) && u32 == 100,
	   "a number");
	ok(fails(zio_attr_set_u64(cset, "trigger/nsamples", 1ull << 32, &err), ERANGE,
		 &err, "zzero-0000/cset0/trigger/nsamples: cannot set '4294967296': "),
	   "too large, in words");
	ok(fails(zio_attr_set(cset, "current_buffer", "nope", &err), EINVAL, &err,
		 "types: kmalloc"), "what there is");
	ok(fails(zio_attr_set_s64(cset, "enable", -1, &err), EINVAL, &err,
		 "use 0 or 1"), "a sign");
	ok(fails(zio_attr_set_u32(cset, "ssize", 2, &err), EACCES, &err, "read-only"),
	   "read only");
	ok(!zio_attr_get_u64(cset, "chan0/statistics/blocks", &u64, &err),
	   "a counter");
	ok(!zio_attr_get_u32(cset, "chan0/alarms", &u32, &err), "a hexadecimal number");
	ok(!zio_attr_set_u32(cset, "trigger/nsamples", 16, &err), "back");
	zio_object_free(cset);
}

static void test_create(void)
{
	struct zio_error err = { .text = "" };
	struct zio_object *obj, *device;
	char name[64];

	obj = zio_create(ZIO_OBJECT_CONFIG_DEVICE, "zzero", "lib0", &err);
	if (!obj && err.code == ENOENT) {
		ok(true, "create a device # SKIP no configfs in this kernel");
		return;
	}
	ok(obj && !zio_attr_set_u32(obj, "channels", 7, &err) &&
	   !zio_attr_set_u32(obj, "live", 1, &err), "create a device");
	ok(fails(zio_attr_set_u32(obj, "channels", 8, &err), EBUSY, &err,
		 "set live=0 first"), "it is live");
	ok(!zio_attr_get(obj, "name", name, sizeof(name), &err), "its name");
	device = find(name);
	ok(device && count(device, ZIO_OBJECT_CSET) == 3, "it is there");
	ok(!zio_destroy(obj, &err), "destroy it");
	ok(!zio_list(device, ZIO_OBJECT_CSET, &err) && err.code == ENOENT,
	   "it is gone");
	zio_object_free(device);
	zio_object_free(obj);
}

/* Channel 0 of set 2 counts; nothing comes while it is disabled. */
static struct zio_channel *open_counter(const char *method, int flags)
{
	struct zio_error err = { .text = "" };
	struct zio_channel *ch = zio_open("zzero-2-0", flags | zio_method_flag(method),
					  &err);

	if (!ch)
		printf("# %s\n", err.text);
	return ch;
}

static void test_wait(const char *method, int flags)
{
	struct zio_channel *ch;
	struct zio_block blk;

	printf("# method %s, flags %d\n", method, flags);
	ok(set("zzero-2-0", "enable", "0"), "disable");
	ch = open_counter(method, flags);
	ok(!zio_wait(ch, 20), "the time is over");
	ok(set("zzero-2-0", "enable", "1"), "enable");
	ok(zio_wait(ch, LONG_MS) == 1, "a block comes");
	ok(zio_next(ch, &blk) == 1 && blk.size == 64, "it is read");
	ok(!zio_close(ch), "close");
}

struct call {
	pthread_t thread;
	struct zio_channel *ch;
	const void *data;	/* to write; NULL: read */
	int ret, code;
};

static void *block(void *arg)
{
	struct call *call = arg;
	struct zio_block blk;

	do {
		call->ret = call->data ? zio_write_block(call->ch, NULL, call->data, 16) :
					 zio_next(call->ch, &blk);
	} while (call->ret >= 0);
	call->code = errno;
	return NULL;
}

/* A thread reads or writes; the interrupt comes sooner or later. */
static int interrupt(struct zio_channel *ch, const void *data, int delay)
{
	struct call call = { .ch = ch, .data = data };

	pthread_create(&call.thread, NULL, block, &call);
	usleep(delay);
	zio_interrupt(ch);
	pthread_join(call.thread, NULL);
	zio_resume(ch);
	return call.code;
}

static void test_interrupt(const char *method)
{
	struct zio_channel *ch;
	struct zio_block blk;
	int i, bad = 0;

	printf("# method %s\n", method);
	ok(set("zzero-2-0", "enable", "0"), "disable");
	ch = open_counter(method, 0);
	for (i = 0; i < ROUNDS; i++)
		bad += interrupt(ch, NULL, i * 20) != EAGAIN;
	ok(!bad, "another thread ends a read, at any time");
	ok(set("zzero-2-0", "enable", "1"), "enable");
	ok(zio_next(ch, &blk) == 1, "then a read works");
	ok(!zio_close(ch), "close");
}

static void test_interrupt_write(const char *method)
{
	static const char data[16];
	struct zio_channel *ch;
	int i, bad = 0;

	printf("# method %s\n", method);
	ok(set("zzero/1", "enable", "0"), "an output that does not play");
	ch = zio_open("zzero-1-0", ZIO_OPEN_OUTPUT | zio_method_flag(method), NULL);
	for (i = 0; i < ROUNDS; i++)
		bad += interrupt(ch, data, i * 20) != EAGAIN;
	ok(!bad, "another thread ends a write");
	ok(!zio_wait(ch, 20), "there is no room");
	ok(set("zzero/1", "enable", "1"), "it plays");
	ok(zio_wait(ch, LONG_MS) == 1, "then there is room");
	ok(!zio_write_block(ch, NULL, data, sizeof(data)), "and a write works");
	ok(!zio_close(ch), "close");
}

static void *unbind(void *arg)
{
	int fd = open("/sys/bus/platform/drivers/zio-zero/unbind", O_WRONLY | O_CLOEXEC);

	(void)arg;
	usleep(50000);
	if (write(fd, "zio-zero.0", 10) != 10)
		perror("# unbind");
	close(fd);
	return NULL;
}

static void test_gone(void)
{
	struct zio_object *cset = find("zzero/2");
	struct zio_error err = { .text = "" };
	struct zio_channel *ch;
	struct zio_block blk;
	pthread_t thread;
	uint32_t value;

	ok(set("zzero-2-0", "enable", "0"), "disable");
	ch = open_counter("read", 0);
	pthread_create(&thread, NULL, unbind, NULL);
	ok(zio_wait(ch, LONG_MS) == 1, "a wait ends when the device goes");
	ok(zio_next(ch, &blk) == -1 && errno == ENODEV &&
	   strstr(zio_reason(ch), "the device is gone"), "and the next call says so");
	pthread_join(thread, NULL);
	ok(zio_attr_get_u32(cset, "enable", &value, &err) == -1 &&
	   strstr(err.text, "zzero-0000/cset2"), "so does its object");
	zio_close(ch);
	zio_object_free(cset);
}

int main(void)
{
	static const char *const methods[] = { "ring", "mmap", "read" };
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	test_find();
	test_attrs();
	test_create();
	ok(!system("zio-load zio-buf-vmalloc"), "the buffer loads");
	ok(set("zzero/2", "current_buffer", "vmalloc") &&
	   set("zzero/1", "current_buffer", "vmalloc"), "and is used");
	for (i = 0; i < 3; i++) {
		test_wait(methods[i], 0);
		test_wait(methods[i], ZIO_OPEN_NONBLOCK);
		test_interrupt(methods[i]);
	}
	test_interrupt_write("read");
	test_gone();
	return tap_end();
}
