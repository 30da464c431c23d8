// SPDX-License-Identifier: GPL-2.0-only
/* node-bad.c: what programs do wrong, and what they get for it */
#include "node.h"

#include <sys/mman.h>

/* Two pages, of which the second cannot be touched. */
static char *half_page(size_t *page)
{
	char *map;

	*page = sysconf(_SC_PAGESIZE);
	map = mmap(NULL, 2 * *page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	want(map != MAP_FAILED);
	memset(map, 0, *page);
	want(!mprotect(map + *page, *page, PROT_NONE));
	return map;
}

/* sizes PREFIX: controls are read in no smaller pieces than 512 */
static void do_sizes(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	char buf[1024];
	int size;

	for (size = 0; size < 512; size += size < 510 ? 51 : 1)
		fails(read(pair.ctrl, buf, size), EINVAL);
	same(read_control(pair.ctrl).seq_num, 0);
	same(read(pair.ctrl, buf, 600), 512);
	same(read(pair.data, buf, 0), 0);
	fails(lseek(pair.data, 0, SEEK_SET), ESPIPE);
	fails(write(pair.data, buf, 1), EBADF);
	same(read_control(pair.ctrl).seq_num, 2);
}

/* modes IN OUT RDWR: opened the wrong way; RDWR: 0, or no ring can be had */
static void do_modes(char **arg)
{
	char byte = 0;
	int fd;

	fails(open(arg[0], O_WRONLY), EACCES);
	fails(open(arg[0], O_RDWR), atoi(arg[2]) ? EOPNOTSUPP : EACCES);
	fails(open(arg[1], O_RDONLY), EACCES);
	fd = open_file(arg[1], O_RDWR);
	fails(read(fd, &byte, 1), EINVAL);
	close(fd);
}

/* data-fault PREFIX: half a read works, nothing is lost */
static void do_data_fault(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY);
	size_t page;
	char *map = half_page(&page);
	uint32_t next = 0, *word;
	size_t room;
	ssize_t n;

	for (room = 0; room <= 200; room += 4) {
		errno = 0;
		if (!room) {
			fails(read(fd, map + page, 64), EFAULT);
			continue;
		}
		n = read(fd, map + page - room, room + 100);
		want(n > 0 && n <= (ssize_t)room && n % 4 == 0);
		for (word = (void *)(map + page - room); n; n -= 4)
			same(*word++, next++);
	}
	n = read(fd, map, 400);
	want(n == 400);
	for (word = (void *)map; n; n -= 4)
		same(*word++, next++);
}

/* ctrl-fault PREFIX: the control stays, and so do its data */
static void do_ctrl_fault(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	size_t page;
	char *map = half_page(&page);
	struct zio_control ctrl;
	uint32_t seq, word;
	int i;

	seq = read_control(pair.ctrl).seq_num;
	for (i = 0; i < 50; i++) {
		fails(read(pair.ctrl, map + page, 512), EFAULT);
		fails(read(pair.ctrl, map + page - 10 * i, 512), EFAULT);
		ctrl = read_control(pair.ctrl);
		same(ctrl.seq_num, ++seq);
		same(read(pair.data, &word, 4), 4);
		same(word, seq * 16);
	}
	/* The first of two controls has room, the second has not. */
	same(read(pair.ctrl, map + page - 512 - 5, 1024), 512);
	same(((struct zio_control *)(map + page - 517))->seq_num, ++seq);
	same(read_control(pair.ctrl).seq_num, ++seq);
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
	fails(write(fd, &ctrl, sizeof(ctrl)), code);
}

/* controls PREFIX: controls that an output does not take */
static void do_controls(char **arg)
{
	struct pair pair = open_pair(arg[0], O_WRONLY);
	const struct zio_control good = good_control();
	struct zio_control bad;
	size_t page;
	char *map = half_page(&page), data[8] = { 0 };

	fails(write(pair.ctrl, &good, 0), EINVAL);
	fails(write(pair.ctrl, &good, 511), EINVAL);
	fails(write(pair.ctrl, map + page - 5, 512), EFAULT);
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
	same(write(pair.ctrl, &good, sizeof(good)), sizeof(good));
	same(write(pair.data, data, 3), 3);
	write_bad(pair.ctrl, good, EBUSY);
	same(write(pair.data, data, 5), 5);
	same(write(pair.ctrl, &good, sizeof(good)), sizeof(good));
	same(write(pair.data, data, 8), 8);
}

/* write-fault PREFIX BYTES: what could be read is taken */
static void do_write_fault(char **arg)
{
	int fd = open_node(arg[0], "data", O_WRONLY);
	unsigned long before = read_number(arg[1]), sent = 0;
	size_t page;
	char *map = half_page(&page);
	ssize_t n;
	int room;

	fails(write(fd, map + page, 16), EFAULT);
	for (room = 1; room < 100; room += 7) {
		n = write(fd, map + page - room, room + 50);
		if (n != -1) {
			want(n > 0 && n <= room);
			sent += n;
		} else {
			same(errno, EFAULT);
		}
	}
	want(sent);
	close(fd);
	same(read_number(arg[1]) - before, sent);
}

/*
 * grow PREFIX NSAMPLES: a block in hand has the old size when it changes; a
 * control for the new one must not make it longer than its memory.
 */
static void do_grow(char **arg)
{
	struct pair pair = open_pair(arg[0], O_WRONLY);
	struct zio_control ctrl = good_control();
	static char data[1000];
	ssize_t ret;

	same(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	write_text(arg[1], "1000\n");
	ctrl.nsamples = 1000;
	ret = write(pair.ctrl, &ctrl, sizeof(ctrl));
	/* Refusing it is right, a block of the new size is right, too. */
	if (ret == -1)
		same(errno, EMSGSIZE);
	same(write(pair.data, data, sizeof(data)), sizeof(data));
}

/* One write to a file is refused with that errno, and changes nothing. */
static void refuse(const char *path, const char *text, int code)
{
	char before[256] = "", after[256] = "";
	int fd = open_file(path, O_RDWR);

	want(pread(fd, before, sizeof(before) - 1, 0) > 0);
	errno = 0;
	if (pwrite(fd, text, strlen(text), 0) != -1 || errno != code)
		fail("'%.20s' to %s: %s, not %s", text, path,
		     strerrorname_np(errno), strerrorname_np(code));
	close(fd);
	fd = open_file(path, O_RDONLY);
	want(pread(fd, after, sizeof(after) - 1, 0) > 0);
	close(fd);
	if (strcmp(before, after))
		fail("'%.20s' made %s of %s", text, after, before);
}

static const char *repeat(char c, int n)
{
	static char text[8192];

	want(n < (int)sizeof(text));
	memset(text, c, n);
	text[n] = 0;
	return text;
}

/* numbers FILE: what no file that takes a number takes */
static void do_numbers(char **arg)
{
	static const char * const no_number[] = {
		"\n", " ", "x", "1x\n", "1 1\n", "-1\n", "-", "+", "0x", "1.5",
		"1\n1\n", "\t1", "on", "-4294967296", "1e3",
	};
	static const char * const out_of_range[] = {
		"4294967296\n", "4294967297", "0x100000000",
		"18446744073709551615", "18446744073709551616\n",
		"99999999999999999999999999",
	};
	unsigned int i;

	for (i = 0; i < sizeof(no_number) / sizeof(*no_number); i++)
		refuse(arg[0], no_number[i], EINVAL);
	for (i = 0; i < sizeof(out_of_range) / sizeof(*out_of_range); i++)
		refuse(arg[0], out_of_range[i], ERANGE);
	refuse(arg[0], repeat('9', 300), ERANGE);
	refuse(arg[0], repeat('a', 300), EINVAL);
	refuse(arg[0], repeat('9', 4096), ERANGE);
}

/* names FILE: what no file that takes a name takes */
static void do_names(char **arg)
{
	static const char * const bad[] = {
		"\n", " ", "x\n", "nosuch", "kmalloc user", "kmallo", "kmallocx",
		" kmalloc", "kmalloc\n\n", "user\nx", "a2345678901", "use",
		"a23456789012",
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refuse(arg[0], bad[i], EINVAL);
	refuse(arg[0], repeat('a', 300), EINVAL);
	refuse(arg[0], repeat('a', 4096), EINVAL);
}

static const struct command commands[] = {
	{ "numbers", 1, do_numbers },
	{ "names", 1, do_names },
	{ "sizes", 1, do_sizes },
	{ "modes", 3, do_modes },
	{ "data-fault", 1, do_data_fault },
	{ "ctrl-fault", 1, do_ctrl_fault },
	{ "controls", 1, do_controls },
	{ "write-fault", 2, do_write_fault },
	{ "grow", 2, do_grow },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 60);
}
