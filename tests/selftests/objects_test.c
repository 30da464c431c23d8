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

#include "harness.h"
#include "libzio/zio.h"

#define ROUNDS 100

static struct zio_error err;

/* The call fails with this errno, and with a reason that has @text. */
#define ASSERT_FAILS(call, code_, text_) do {				\
	ASSERT_ERRNO(call, code_);					\
	ASSERT_EQ(err.code, code_);					\
	ASSERT_HAS(err.text, text_);					\
} while (0)

static struct zio_object *find(const char *name)
{
	struct zio_object *obj = zio_find(NULL, name, NULL, &err);

	ASSERT_TRUE(obj, err.text);
	return obj;
}

static void set(const char *name, const char *attr, const char *text)
{
	struct zio_object *obj = find(name);

	ASSERT_TRUE(!zio_attr_set(obj, attr, text, &err), err.text);
	zio_object_free(obj);
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

TEST("devices and their parts are found")
{
	struct zio_object *device = find("zzero");
	struct zio_object *bus = find("bus:");
	char text[ZIO_TEXT_SIZE];

	ASSERT_STR(zio_object_name(device), "zzero-0000", "a device");
	ASSERT_EQ(count(device, ZIO_OBJECT_CSET), 3, "its sets");
	ASSERT_EQ(count(device, ZIO_OBJECT_CHANNEL), 5, "its channels");
	ASSERT_EQ(count(device, ZIO_OBJECT_TRIGGER), 3, "its triggers");
	ASSERT_EQ(count(device, ZIO_OBJECT_BUFFER), 5, "its buffers");
	ASSERT_EQ(count(NULL, ZIO_OBJECT_CHANNEL), 5, "all channels");
	ASSERT_TRUE(!zio_attr_get(bus, "available_buffers", text, sizeof(text), NULL));
	ASSERT_HAS(text, "kmalloc");
	zio_object_free(bus);
	zio_object_free(device);
}

TEST("attributes are read and written")
{
	struct zio_object *cset = find("zzero/0");
	uint64_t u64;
	uint32_t u32;

	ASSERT_TRUE(!zio_attr_set_u32(cset, "trigger/nsamples", 100, &err));
	ASSERT_TRUE(!zio_attr_get_u32(cset, "trigger/post-samples", &u32, &err));
	ASSERT_EQ(u32, 100);
	ASSERT_FAILS(zio_attr_set_u64(cset, "trigger/nsamples", 1ull << 32, &err), ERANGE,
		     "zzero-0000/cset0/trigger/nsamples: cannot set '4294967296': ");
	ASSERT_FAILS(zio_attr_set(cset, "current_buffer", "nope", &err), EINVAL,
		     "it accepts kmalloc");
	ASSERT_FAILS(zio_attr_set_s64(cset, "enable", -1, &err), EINVAL,
		     "it accepts one of: 0 1");
	ASSERT_FAILS(zio_attr_set_u32(cset, "ssize", 2, &err), EACCES, "read-only");
	ASSERT_TRUE(!zio_attr_get_u64(cset, "chan0/statistics/blocks", &u64, &err));
	ASSERT_TRUE(!zio_attr_get_u32(cset, "chan0/alarms", &u32, &err));
	ASSERT_TRUE(!zio_attr_set_u32(cset, "trigger/nsamples", 16, &err), "back");
	zio_object_free(cset);
}

/* The library does not know the driver. */
TEST("a driver of somebody else gets the same errors")
{
	struct zio_object *out;
	char text[ZIO_TEXT_SIZE];

	ASSERT_TRUE(!system("zio-load zio-fake-dtc"));
	out = find("zdtc/0");
	ASSERT_TRUE(!zio_attr_accepted(out, "horizon-s", text, sizeof(text), &err), err.text);
	ASSERT_STR(text, "[1 1 31622400]");
	ASSERT_FAILS(zio_attr_set_u32(out, "horizon-s", 0, &err), ERANGE,
		     "out of range: it accepts 1 to 31622400");
	zio_object_free(out);
}

TEST("a device is made and destroyed")
{
	struct zio_object *obj, *device;
	char name[64];

	obj = zio_create(ZIO_OBJECT_CONFIG_DEVICE, "zzero", "lib0", &err);
	if (!obj && err.code == ENOENT)
		SKIP("no configfs in this kernel");
	ASSERT_TRUE(obj && !zio_attr_set_u32(obj, "channels", 7, &err));
	ASSERT_TRUE(!zio_attr_set_u32(obj, "live", 1, &err));
	ASSERT_FAILS(zio_attr_set_u32(obj, "channels", 8, &err), EBUSY,
		     "set live=0 first");
	ASSERT_TRUE(!zio_attr_get(obj, "name", name, sizeof(name), &err), "its name");
	device = find(name);
	ASSERT_TRUE(device && count(device, ZIO_OBJECT_CSET) == 3, "it is there");
	ASSERT_TRUE(!zio_destroy(obj, &err), "destroy it");
	ASSERT_TRUE(!zio_list(device, ZIO_OBJECT_CSET, &err) && err.code == ENOENT);
	zio_object_free(device);
	zio_object_free(obj);
}

/* Channel 0 of set 2 counts; nothing comes while it is disabled. */
static struct zio_channel *open_counter(const char *method, int flags)
{
	struct zio_channel *ch = zio_open("zzero-2-0", flags | zio_method_flag(method),
					  &err);

	ASSERT_TRUE(ch, err.text);
	return ch;
}

SETUP(vmalloc)
{
	ASSERT_TRUE(!system("zio-load zio-buf-vmalloc"));
	set("zzero/2", "current_buffer", "vmalloc");
	set("zzero/1", "current_buffer", "vmalloc");
	set("zzero-2-0", "enable", "0");
}

static void wait_for_block(const char *method, int flags)
{
	struct zio_channel *ch = open_counter(method, flags);
	struct zio_block blk;

	ASSERT_TRUE(!zio_wait(ch, 20), "the time is over");
	set("zzero-2-0", "enable", "1");
	ASSERT_EQ(zio_wait(ch, -1), 1, "a block comes");
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && blk.size == 64, "it is read");
	ASSERT_TRUE(!zio_close(ch));
}

TEST_EACH("zio_wait() with the method %s", vmalloc, "ring", "read")
{
	wait_for_block(value, 0);
}

TEST_EACH("zio_wait() with the method %s, non-blocking", vmalloc, "ring", "read")
{
	wait_for_block(value, ZIO_OPEN_NONBLOCK);
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
static void interrupt(struct zio_channel *ch, const void *data)
{
	struct call call = { .ch = ch, .data = data };
	int i;

	for (i = 0; i < ROUNDS; i++) {
		pthread_create(&call.thread, NULL, block, &call);
		usleep(i * 20);
		zio_interrupt(ch);
		pthread_join(call.thread, NULL);
		zio_resume(ch);
		ASSERT_EQ(call.code, EAGAIN);
	}
}

TEST_EACH("another thread ends a read by the method %s", vmalloc, "ring", "read")
{
	struct zio_channel *ch = open_counter(value, 0);
	struct zio_block blk;

	interrupt(ch, NULL);
	set("zzero-2-0", "enable", "1");
	ASSERT_EQ(zio_next(ch, &blk), 1, "then a read works");
	ASSERT_TRUE(!zio_close(ch));
}

TEST("another thread ends a write to an output that does not play", vmalloc)
{
	static const char data[16];
	struct zio_channel *ch;

	set("zzero/1", "enable", "0");
	ch = zio_open("zzero-1-0", ZIO_OPEN_OUTPUT | ZIO_OPEN_READ, NULL);
	interrupt(ch, data);
	ASSERT_TRUE(!zio_wait(ch, 20), "there is no room");
	set("zzero/1", "enable", "1");
	ASSERT_EQ(zio_wait(ch, -1), 1, "then there is room");
	ASSERT_TRUE(!zio_write_block(ch, NULL, data, sizeof(data)), "and a write works");
	ASSERT_TRUE(!zio_close(ch));
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

TEST("a wait ends when the device goes, and the next call says so", vmalloc)
{
	struct zio_object *cset = find("zzero/2");
	struct zio_channel *ch = open_counter("read", 0);
	struct zio_block blk;
	pthread_t thread;
	uint32_t enable;

	pthread_create(&thread, NULL, unbind, NULL);
	ASSERT_EQ(zio_wait(ch, -1), 1, "a wait ends when the device goes");
	ASSERT_ERRNO(zio_next(ch, &blk), ENODEV);
	ASSERT_HAS(zio_reason(ch), "the device is gone");
	pthread_join(thread, NULL);
	ASSERT_EQ(zio_attr_get_u32(cset, "enable", &enable, &err), -1);
	ASSERT_HAS(err.text, "zzero-0000/cset2");
	zio_close(ch);
	zio_object_free(cset);
}
