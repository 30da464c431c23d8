// SPDX-License-Identifier: GPL-2.0-only
/*
 * badinput_test.c: wrong calls and values get their errno, and change nothing
 *
 * # check
 */
#include "board.h"
#include "harness.h"

#define SAW	ZZERO "-0-2"
#define COUNTER	ZZERO "-2-0"
#define OUT	ZZERO "-1-0"

SETUP(fresh)
{
	renew_zzero();
}

/* Map two pages, of which the second cannot be accessed. */
static char *half_page(size_t *page)
{
	char *map;

	*page = sysconf(_SC_PAGESIZE);
	map = mmap(NULL, 2 * *page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(map != MAP_FAILED);
	memset(map, 0, *page);
	ASSERT_TRUE(!mprotect(map + *page, *page, PROT_NONE));
	return map;
}

TEST("controls are read in no smaller parts than 512 bytes; nodes do not seek", fresh)
{
	struct pair pair = open_pair(COUNTER, O_RDONLY);
	char buf[1024];
	int size;

	for (size = 0; size < 512; size += size < 510 ? 51 : 1)
		ASSERT_ERRNO(read(pair.ctrl, buf, size), EINVAL);
	ASSERT_EQ(read_control(pair.ctrl).seq_num, 0);
	ASSERT_EQ(read(pair.ctrl, buf, 600), 512);
	ASSERT_EQ(read(pair.data, buf, 0), 0);
	ASSERT_ERRNO(lseek(pair.data, 0, SEEK_SET), ESPIPE);
	ASSERT_ERRNO(write(pair.data, buf, 1), EBADF);
	ASSERT_EQ(read_control(pair.ctrl).seq_num, 2);
}

/* Nodes are opened the wrong way. */
static void check_open_modes(const char *in, const char *out,
			     int read_write_errno)
{
	char byte = 0;
	int fd;

	ASSERT_ERRNO(open(in, O_WRONLY), EACCES);
	ASSERT_ERRNO(open(in, O_RDWR), read_write_errno);
	ASSERT_ERRNO(open(out, O_RDONLY), EACCES);
	fd = open_file(out, O_RDWR);
	ASSERT_ERRNO(read(fd, &byte, 1), EINVAL);
	close(fd);
}

TEST("a faulting read of data loses no sample", fresh)
{
	int fd = open_node(COUNTER, "data", O_RDONLY);
	size_t page;
	char *map = half_page(&page);
	uint32_t next = 0, *word;
	size_t room;
	ssize_t n;

	for (room = 0; room <= 200; room += 4) {
		errno = 0;
		if (!room) {
			ASSERT_ERRNO(read(fd, map + page, 64), EFAULT);
			continue;
		}
		n = read(fd, map + page - room, room + 100);
		ASSERT_TRUE(n > 0 && n <= (ssize_t)room && n % 4 == 0);
		for (word = (void *)(map + page - room); n; n -= 4)
			ASSERT_EQ(*word++, next++);
	}
	n = read(fd, map, 400);
	ASSERT_TRUE(n == 400);
	for (word = (void *)map; n; n -= 4)
		ASSERT_EQ(*word++, next++);
}

TEST("a faulting read of a control loses neither it nor its data", fresh)
{
	struct pair pair = open_pair(COUNTER, O_RDONLY);
	size_t page;
	char *map = half_page(&page);
	struct zio_control ctrl;
	uint32_t seq, word;
	int i;

	seq = read_control(pair.ctrl).seq_num;
	for (i = 0; i < 50; i++) {
		ASSERT_ERRNO(read(pair.ctrl, map + page, 512), EFAULT);
		ASSERT_ERRNO(read(pair.ctrl, map + page - 10 * i, 512), EFAULT);
		ctrl = read_control(pair.ctrl);
		ASSERT_EQ(ctrl.seq_num, ++seq);
		ASSERT_EQ(read(pair.data, &word, 4), 4);
		ASSERT_EQ(word, seq * 16);
	}
	/* There is room for the first of two controls. */
	ASSERT_EQ(read(pair.ctrl, map + page - 512 - 5, 1024), 512);
	ASSERT_EQ(((struct zio_control *)(map + page - 517))->seq_num, ++seq);
	ASSERT_EQ(read_control(pair.ctrl).seq_num, ++seq);
}

static struct zio_control good_control(void)
{
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION,
		.minor_version = ZIO_MINOR_VERSION,
		.nsamples = 8,
		.ssize = 1,
		.addr.cset = 1,
		.addr.devname = "zzero",
	};

	return ctrl;
}

static void write_bad(int fd, struct zio_control ctrl, int code)
{
	ASSERT_ERRNO(write(fd, &ctrl, sizeof(ctrl)), code);
}

TEST("an output refuses controls of other channels, sizes and versions", fresh)
{
	struct pair pair = open_pair(OUT, O_WRONLY);
	const struct zio_control good = good_control();
	struct zio_control bad;
	size_t page;
	char *map = half_page(&page), data[8] = { 0 };

	ASSERT_ERRNO(write(pair.ctrl, &good, 0), EINVAL);
	ASSERT_ERRNO(write(pair.ctrl, &good, 511), EINVAL);
	ASSERT_ERRNO(write(pair.ctrl, map + page - 5, 512), EFAULT);
	bad = good, bad.major_version++;
	write_bad(pair.ctrl, bad, EPROTO);
	bad = good, bad.addr.dev_id = 1;
	write_bad(pair.ctrl, bad, ENXIO);
	bad = good, bad.addr.cset = 0;
	write_bad(pair.ctrl, bad, ENXIO);
	bad = good, bad.addr.chan = 1;
	write_bad(pair.ctrl, bad, ENXIO);
	bad = good, strcpy(bad.addr.devname, "zmini");
	write_bad(pair.ctrl, bad, ENXIO);
	bad = good, memset(bad.addr.devname, 'z', sizeof(bad.addr.devname));
	write_bad(pair.ctrl, bad, ENXIO);
	bad = good, bad.ssize = 2;
	write_bad(pair.ctrl, bad, EINVAL);
	bad = good, bad.nsamples = 17;
	write_bad(pair.ctrl, bad, EMSGSIZE);
	bad = good, bad.nsamples = 0;
	write_bad(pair.ctrl, bad, EMSGSIZE);
	bad = good, bad.nsamples = UINT32_MAX;
	write_bad(pair.ctrl, bad, EMSGSIZE);
	ASSERT_EQ(write(pair.ctrl, &good, sizeof(good)), sizeof(good));
	ASSERT_EQ(write(pair.data, data, 3), 3);
	write_bad(pair.ctrl, good, EBUSY);
	ASSERT_EQ(write(pair.data, data, 5), 5);
	ASSERT_EQ(write(pair.ctrl, &good, sizeof(good)), sizeof(good));
	ASSERT_EQ(write(pair.data, data, 8), 8);
	ASSERT_EQ(read_number(CSET1 "/chan0/statistics/blocks"), 2);
}

TEST("a faulting write counts the bytes that it could read", fresh)
{
	int fd = open_node(OUT, "data", O_WRONLY);
	unsigned long before = read_number(CSET1 "/chan0/statistics/bytes"), sent = 0;
	size_t page;
	char *map = half_page(&page);
	ssize_t n;
	int room;

	ASSERT_ERRNO(write(fd, map + page, 16), EFAULT);
	for (room = 1; room < 100; room += 7) {
		n = write(fd, map + page - room, room + 50);
		if (n != -1) {
			ASSERT_TRUE(n > 0 && n <= room);
			sent += n;
		} else {
			ASSERT_EQ(errno, EFAULT);
		}
	}
	ASSERT_TRUE(sent);
	close(fd);
	ASSERT_EQ(read_number(CSET1 "/chan0/statistics/bytes") - before, sent);
}

TEST("a control does not make the block in hand longer than its memory", fresh)
{
	struct pair pair = open_pair(OUT, O_WRONLY);
	struct zio_control ctrl = good_control();
	static char data[1000];
	ssize_t ret;

	ASSERT_EQ(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	write_text(CSET1 "/trigger/nsamples", "1000\n");
	ctrl.nsamples = 1000;
	ret = write(pair.ctrl, &ctrl, sizeof(ctrl));
	/* Both are right: a refusal, and a block of the new size. */
	if (ret == -1)
		ASSERT_EQ(errno, EMSGSIZE);
	ASSERT_EQ(write(pair.data, data, sizeof(data)), sizeof(data));
}

static const char *repeat(char c, int n)
{
	static char text[8192];

	ASSERT_TRUE(n < (int)sizeof(text));
	memset(text, c, n);
	text[n] = 0;
	return text;
}

/* @texts: ended by NULL */
static void refuse_each(const char *path, const char *const *texts, int code)
{
	for (; *texts; texts++)
		refuse(path, *texts, code);
}

TEST_EACH("%s refuses what is not a name", fresh,
	  "current_buffer", "current_trigger")
{
	static const char * const bad[] = {
		"\n", " ", "x\n", "nosuch", "kmalloc user", "kmallo", "kmallocx",
		" kmalloc", "kmalloc\n\n", "user\nx", "a2345678901", "use",
		"a23456789012", NULL
	};
	char path[128];

	snprintf(path, sizeof(path), CSET0 "/%s", value);
	refuse_each(path, bad, EINVAL);
	refuse(path, repeat('a', 300), EINVAL);
	refuse(path, repeat('a', 4096), EINVAL);
	read_sawtooth(SAW "-data", 16);
}

TEST("nodes refuse the wrong access modes", fresh)
{
	check_open_modes(ZZERO "-0-0-data", OUT "-data", EACCES);
	check_open_modes(ZZERO "-0-0-ctrl", OUT "-ctrl", EOPNOTSUPP);
}

TEST("the current buffer and trigger may be set again", fresh)
{
	write_text(CSET0 "/current_buffer", "kmalloc\n");
	write_text(CSET0 "/current_trigger", "user\n");
	read_sawtooth(SAW "-data", 16);
}

TEST_EACH("blocks of %s samples get ENOMEM, and the old size stays", fresh,
	  "4294967295", "2147483648", "268435456")
{
	refuse(CSET0 "/trigger/nsamples", value, ENOMEM);
	refuse(CSET2 "/trigger/nsamples", value, ENOMEM);
	read_sawtooth(SAW "-data", 16);
	ASSERT_EQ(read_control(open_node(SAW, "ctrl", O_RDONLY)).nsamples, 16);
}

/* A kernel without CONFIG_VM_EVENT_COUNTERS does not count: there it is 0. */
static unsigned long count_oom_kills(void)
{
	const char *line = strstr(text_in("/proc/vmstat"), "\noom_kill ");

	return line ? strtoul(line + strlen("\noom_kill "), NULL, 10) : 0;
}

/* More than the machine has, in small parts. */
TEST("65536 blocks of 32 KiB get ENOMEM, and no process is killed", fresh)
{
	unsigned long killed = count_oom_kills();

	write_text(CSET2 "/chan0/buffer/max-buffer-len", "65536");
	refuse(CSET2 "/trigger/nsamples", "8192", ENOMEM);
	ASSERT_EQ(count_oom_kills(), killed);
	write_text(CSET2 "/chan0/buffer/max-buffer-len", "16");
}
