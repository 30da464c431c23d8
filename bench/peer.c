// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench peer: what a block costs in other frameworks of the kernel
 *
 *   method=NAME    the framework: see methods[]
 *   size=BYTES     of a block, a divisor of 65536 (16)
 *   scan=BYTES     of a scan of IIO, as set in sysfs (1)
 *   repeat=N       measure so often, print the least (3)
 *   overrun=1      print what a reader is told of a loss
 *
 * The program fills the buffer of the framework, then reads it empty in blocks, and
 * times both. IIO fills within a write(). Comedi fills by a timer: there a busy loop
 * runs meanwhile, and what counts is the time that the loop loses.
 */
#include <sys/ioctl.h>

#include <linux/comedi.h>

#include "bench.h"

#define FILL		65536
#define COMEDI_CHANNEL	2	/* of comedi_test: the cheapest, a constant */
#define SPIN_NS		(60 * 1000 * 1000ull)	/* longer than a fill */

struct method;

struct bench {
	const struct method *method;
	uint64_t size;
	uint64_t scan;		/* bytes that are acquired together */
	uint64_t repeat;
	int fd;
	int fire;
	unsigned long turns;	/* of the busy loop */
	uint64_t spin;		/* ns that they take undisturbed */
	uint8_t buf[FILL];
};

/**
 * struct method - a framework
 * @name: its name
 * @node: the node to read
 * @fire: the node that starts an acquisition. May be NULL
 * @fill: puts FILL bytes into the buffer of the kernel, returns the ns that it took
 * @set_up: prepares the node. May be NULL
 * @end: undoes @set_up. May be NULL
 */
struct method {
	const char *name;
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

static uint64_t time_spin(const struct bench *b)
{
	uint64_t start = now_ns();

	spin(b->turns);
	return now_ns() - start;
}

/* Room for one fill and no more; Comedi's own choice is 2 MiB. */
static void resize_comedi(struct bench *b)
{
	struct comedi_bufconfig config = { .size = FILL };

	if (ioctl(b->fd, COMEDI_BUFCONFIG, &config) || config.size != FILL)
		die("COMEDI_BUFCONFIG: %s", strerror(errno));
}

static void set_up_comedi(struct bench *b)
{
	unsigned long i;

	resize_comedi(b);
	b->turns = 1000000;
	b->turns = SPIN_NS * b->turns / time_spin(b);
	b->spin = UINT64_MAX;
	for (i = 0; i < b->repeat; i++)
		b->spin = min_ns(b->spin, time_spin(b));
}

static void cancel_comedi(struct bench *b)
{
	if (ioctl(b->fd, COMEDI_CANCEL, 0))
		die("COMEDI_CANCEL: %s", strerror(errno));
}

/* The highest rate that it has: a sample of 2 bytes each microsecond. */
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
	time_spin(b);
	ns = now_ns() - start;
	if (count_comedi(b) != FILL)
		die("Comedi is too slow: %u bytes", count_comedi(b));
	return ns > b->spin ? ns - b->spin : 0;
}

static const struct method methods[] = {
	{ "iio", "/dev/iio:device0", "/dev/zio-iio-push", fill_iio, NULL, NULL },
	{ "iio-trigger", "/dev/iio:device0", "/dev/zio-iio-trigger", fill_iio, NULL, NULL },
	{ "ziio", "/dev/zio/ziio-0000-0-0-data", "/dev/zio-iio-push", fill_iio, NULL, NULL },
	{ "comedi", "/dev/comedi0", NULL, fill_comedi, set_up_comedi, cancel_comedi },
};

static uint64_t drain(struct bench *b)
{
	uint64_t start = now_ns();
	size_t done;
	ssize_t n;

	for (done = 0; done < FILL; done += n) {
		n = read(b->fd, b->buf, b->size);
		if (n != (ssize_t)b->size)
			die("%s: read gave %zd of %llu: %s", b->method->name, n,
			    (unsigned long long)b->size,
			    n < 0 ? strerror(errno) : "short");
	}
	return now_ns() - start;
}

static void measure(struct bench *b)
{
	uint64_t best_fill = UINT64_MAX, best_read = UINT64_MAX, i;

	b->method->fill(b);
	drain(b);
	for (i = 0; i < b->repeat; i++) {
		best_fill = min_ns(best_fill, b->method->fill(b));
		best_read = min_ns(best_read, drain(b));
	}
	PRINT_NUMBERS({ "blocks", FILL / b->size }, { "ns", best_fill + best_read },
		      { "read_ns", best_read });
}

/* Fills the buffer twice; prints what a reader then gets, and the error after it. */
static void overrun(struct bench *b)
{
	size_t all = 0;
	ssize_t n;

	if (b->method->fill == fill_comedi) {
		start_comedi(b, FILL);
		time_spin(b);
		time_spin(b);
	} else {
		b->method->fill(b);
		b->method->fill(b);
	}
	while ((n = read(b->fd, b->buf, b->size)) > 0)
		all += n;
	PRINT_NUMBERS({ "acquired", 2 * FILL }, { "read", all },
		      { "errno", n < 0 ? errno : 0 });
}

void main_peer(char **argv)
{
	static struct bench b;
	const struct method *m = TAKE_ENTRY(argv, "method", methods);
	bool overruns = take_number(argv, "overrun", 0);

	b.method = m;
	b.size = take_count(argv, "size", 16);
	b.scan = take_count(argv, "scan", 1);
	b.repeat = take_count(argv, "repeat", 3);
	expect_words(argv, 0);
	if (FILL % b.size || FILL % b.scan)
		die("size and scan must be divisors of %d", FILL);
	/* Comedi wants to be commanded. */
	b.fd = open_path((m->set_up ? O_RDWR : O_RDONLY) | O_NONBLOCK, "%s", m->node);
	if (m->fire)
		b.fire = open_path(O_RDWR, "%s", m->fire);
	memset(b.buf, 0x55, sizeof(b.buf));
	if (m->set_up)
		m->set_up(&b);
	if (overruns)
		overrun(&b);
	else
		measure(&b);
	if (m->end)
		m->end(&b);
}
