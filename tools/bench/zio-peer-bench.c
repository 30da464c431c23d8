// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-peer-bench: what a block costs in other frameworks of the kernel
 *
 * Their buffer is filled, then read empty in blocks. Both are timed. IIO fills
 * within a write(); Comedi by a timer, so a program that is busy meanwhile tells
 * what it loses: its time with an acquisition, less that without.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/comedi.h>

#include "bench.h"

#define FILL		65536
#define COMEDI_CHANNEL	2	/* of comedi_test: the cheapest, a constant */
#define SPIN_NS		(60 * 1000 * 1000ull)	/* longer than a fill */

struct bench {
	const char *label;
	const char *method;
	size_t size;
	size_t scan;		/* bytes that are acquired together */
	unsigned long repeat;
	int overrun;
	int fd;
	int fire;
	unsigned long turns;	/* of the busy program */
	uint64_t spin;		/* what it takes undisturbed */
	uint8_t buf[FILL];
};

/* fill() puts FILL bytes into the buffer of the kernel, and returns the time. */
struct method {
	struct named named;
	const char *node;
	const char *fire;
	uint64_t (*fill)(struct bench *b);
	void (*set_up)(struct bench *b);
	void (*end)(struct bench *b);
};

static uint64_t fill_iio(struct bench *b)
{
	uint32_t n = FILL / b->scan;
	uint64_t start = now_ns();

	if (write(b->fire, &n, sizeof(n)) != sizeof(n))
		die("IIO does not fire: %s", strerror(errno));
	return now_ns() - start;
}

static uint64_t spin(const struct bench *b)
{
	uint64_t start = now_ns();
	unsigned long i;

	for (i = 0; i < b->turns; i++)
		__asm__ volatile("" : : "r"(i) : "memory");
	return now_ns() - start;
}

/* Room for what a fill brings and no more; 2 MiB if not told. */
static void resize_comedi(struct bench *b)
{
	struct comedi_bufconfig config = { .size = FILL };

	if (ioctl(b->fd, COMEDI_BUFCONFIG, &config) || config.size != FILL)
		die("COMEDI_BUFCONFIG: %s", strerror(errno));
}

static void set_up_comedi(struct bench *b)
{
	unsigned long i;
	uint64_t ns;

	resize_comedi(b);
	b->turns = 1000000;
	b->turns = SPIN_NS * b->turns / spin(b);
	b->spin = UINT64_MAX;
	for (i = 0; i < b->repeat; i++) {
		ns = spin(b);
		b->spin = ns < b->spin ? ns : b->spin;
	}
}

static void cancel_comedi(struct bench *b)
{
	if (ioctl(b->fd, COMEDI_CANCEL, 0))
		die("COMEDI_CANCEL: %s", strerror(errno));
}

/* As fast as it goes: a sample of 2 bytes each microsecond. */
static void start_comedi(struct bench *b, unsigned int samples)
{
	unsigned int list = CR_PACK(COMEDI_CHANNEL, 0, AREF_GROUND);
	struct comedi_cmd cmd = {
		.start_src = TRIG_NOW,
		.scan_begin_src = TRIG_FOLLOW,
		.convert_src = TRIG_TIMER, .convert_arg = 1000,
		.scan_end_src = TRIG_COUNT, .scan_end_arg = 1,
		.stop_src = TRIG_COUNT, .stop_arg = samples,
		.chanlist = &list, .chanlist_len = 1,
	};

	cancel_comedi(b);
	if (ioctl(b->fd, COMEDI_CMD, &cmd))
		die("COMEDI_CMD: %s", strerror(errno));
}

static unsigned int count_comedi(struct bench *b)
{
	struct comedi_bufinfo info = { };

	if (ioctl(b->fd, COMEDI_BUFINFO, &info))
		die("COMEDI_BUFINFO: %s", strerror(errno));
	return info.buf_write_count;
}

static uint64_t fill_comedi(struct bench *b)
{
	uint64_t start = now_ns(), ns;

	start_comedi(b, FILL / 2);
	spin(b);
	ns = now_ns() - start;
	if (count_comedi(b) != FILL)
		die("Comedi is too slow: %u bytes", count_comedi(b));
	return ns > b->spin ? ns - b->spin : 0;
}

static const struct method methods[] = {
	{ { "iio", "IIO, scans pushed with no trigger" },
	  "/dev/iio:device0", "/dev/zio-iio-push", fill_iio, NULL, NULL },
	{ { "iio-trigger", "IIO, a trigger for each scan" },
	  "/dev/iio:device0", "/dev/zio-iio-trigger", fill_iio, NULL, NULL },
	{ { "comedi", "comedi_test, a command of one channel" },
	  "/dev/comedi0", NULL, fill_comedi, set_up_comedi, cancel_comedi },
};

static uint64_t drain(struct bench *b)
{
	uint64_t start = now_ns();
	size_t done;
	ssize_t n;

	for (done = 0; done < FILL; done += n) {
		n = read(b->fd, b->buf, b->size);
		if (n != (ssize_t)b->size)
			die("%s: read gave %zd of %zu: %s", b->method, n,
			    b->size, n < 0 ? strerror(errno) : "short");
	}
	return now_ns() - start;
}

static void measure(struct bench *b, const struct method *m)
{
	uint64_t fill, read, best_fill = UINT64_MAX, best_read = UINT64_MAX;
	unsigned long i, blocks = FILL / b->size;

	m->fill(b);
	drain(b);
	for (i = 0; i < b->repeat; i++) {
		fill = m->fill(b);
		read = drain(b);
		best_fill = fill < best_fill ? fill : best_fill;
		best_read = read < best_read ? read : best_read;
	}
	printf("%s,%zu,%lu,%llu,%llu\n", b->label, b->size, blocks,
	       (unsigned long long)(best_fill + best_read),
	       (unsigned long long)best_read);
}

/* Twice as much as there is room for: what is a reader told? */
static void overrun(struct bench *b, const struct method *m)
{
	size_t all = 0;
	ssize_t n;

	if (m->fill == fill_comedi) {
		start_comedi(b, FILL);
		spin(b);
		spin(b);
	} else {
		m->fill(b);
		m->fill(b);
	}
	while ((n = read(b->fd, b->buf, b->size)) > 0)
		all += n;
	printf("%zu of %u bytes come; then read() says '%s'\n", all, 2 * FILL,
	       n < 0 ? strerror(errno) : "end of file");
}

static int open_node(const char *path)
{
	int fd = open(path, O_RDWR | O_NONBLOCK);

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

static void run(struct bench *b, const struct method *m)
{
	b->fd = open_node(m->node);
	if (m->fire)
		b->fire = open_node(m->fire);
	memset(b->buf, 0x55, sizeof(b->buf));
	if (m->set_up)
		m->set_up(b);
	if (b->overrun)
		overrun(b, m);
	else
		measure(b, m);
	if (m->end)
		m->end(b);
}

static void check_divisor(const char *option, size_t value)
{
	if (FILL % value)
		die("--%s: %zu is no divisor of %d", option, value, FILL);
}

static void print_help(const struct bench_option *table)
{
	puts("Usage: zio-peer-bench [options]\n\n"
	     "Prints: label,size,blocks,ns in all,ns of reading\n");
	print_options(table);
	PRINT_METHODS(methods);
}

int main(int argc, char **argv)
{
	static struct bench b = {
		.method = "iio", .size = 16, .scan = 1, .repeat = 3,
	};
	const struct bench_option options[] = {
		{ "method", 'm', "NAME", "one of those below (iio)",
		  .text = &b.method },
		{ "size", 's', "BYTES", "of a block, a divisor of 65536 (16)",
		  .number = &b.size, .least = 1 },
		{ "scan", 'c', "BYTES", "of a scan, as set in sysfs; IIO (1)",
		  .number = &b.scan, .least = 1 },
		{ "repeat", 'r', "N", "measure so often, print the least (3)",
		  .number = &b.repeat, .least = 1 },
		{ "label", 'l', "TEXT", "what to print first (the method)",
		  .text = &b.label },
		{ "overrun", 'o', NULL, "print what a reader is told of a loss",
		  .flag = &b.overrun },
		{ }
	};

	take_options(argc, argv, options, print_help);
	check_divisor("size", b.size);
	check_divisor("scan", b.scan);
	if (optind != argc)
		die("what is '%s'? (see --help)", argv[optind]);
	if (!b.label)
		b.label = b.method;
	run(&b, FIND_METHOD(methods, b.method));
	return 0;
}
