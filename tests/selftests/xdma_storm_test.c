// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdma_storm_test.c: an FPGA card whose readers are killed, and that is pulled out
 *
 * Settings change at random, too, and the bus fails.
 *
 * ZIO_STORM_SECONDS sets the time, ZIO_SEED names a seed. The card counts faults of
 * the software; a fault fails the boot.
 *
 * # distro
 * # device: xdma
 * # model: zio-shutdown
 */
#include <signal.h>
#include <sys/ioctl.h>

#include "xdma-card.h"
#include "ring.h"

#define USERS	6

static pid_t users[USERS];

static unsigned int below(unsigned int n)
{
	return random() % n;
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

/* --- users of the card: a missing or a busy node is no error --------------------------- */

static int try_open(const char *prefix, const char *kind, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "%s-%s", prefix, kind);
	return open(path, flags);
}

static void read_all(const char *prefix)
{
	static uint8_t buf[65536];
	int fd = try_open(prefix, below(3) ? "data" : "ctrl", O_RDONLY), tap;

	if (fd >= 0 && !below(4)) {
		tap = ioctl(fd, ZIO_IOC_TAP);
		if (tap >= 0)
			close(fd);
		fd = tap >= 0 ? tap : fd;
	}
	while (fd >= 0 && read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

static void poll_ring(const char *prefix)
{
	int fd = try_open(prefix, "ctrl", O_RDWR);
	struct zio_ring_header *hdr;

	if (fd < 0)
		return;
	hdr = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	while (hdr != MAP_FAILED && !(poll_events(fd, POLLIN, 1000) & (POLLERR | POLLHUP)))
		hdr->tail = __atomic_load_n(&hdr->head, __ATOMIC_ACQUIRE) - below(3);
	if (hdr != MAP_FAILED)
		munmap(hdr, PAGE);
	close(fd);
}

static void write_all(const char *prefix)
{
	static uint8_t buf[4096];
	int fd = try_open(prefix, "data", O_WRONLY);

	while (fd >= 0 && write(fd, buf, 4 * (1 + below(1024))) > 0)
		;
	close(fd);
}

static void __attribute__((noreturn)) use_card(unsigned int seed)
{
	srandom(seed);
	for (;;) {
		const char *in = below(2) ? IN : IN1;

		switch (below(4)) {
		case 0:
			write_all(below(2) ? OUT : OUT1);
			break;
		case 1:
			poll_ring(in);
			break;
		default:
			read_all(in);
		}
		usleep(1000);
	}
}

static void kill_user(unsigned int i)
{
	int status;

	if (!users[i])
		return;
	kill(users[i], SIGKILL);
	ASSERT_EQ(waitpid(users[i], &status, 0), users[i]);
	users[i] = 0;
}

static void renew_user(unsigned int i)
{
	unsigned int seed = random();

	kill_user(i);
	users[i] = fork();
	if (!users[i])
		use_card(seed);
}

/* --- the storm ------------------------------------------------------------------------ */

/* A setting may be refused, or its file be gone. */
static void try_write(unsigned int cset, const char *file, unsigned int value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), XDMA "/cset%u/%s", cset, file);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return;
	dprintf(fd, "%u", value);
	close(fd);
}

static void change_setting(void)
{
	unsigned int cset = below(4);

	switch (below(6)) {
	case 0:
		try_write(cset, "queue-depth", 1 + below(64));
		break;
	case 1:
		try_write(cset, "trigger/nsamples", 1 + below(2000));
		break;
	case 2:
		try_write(cset, "chan0/buffer/max-buffer-len", 2 + below(60));
		break;
	case 3:
		try_write(cset, "chan0/buffer/prefer-new", below(2));
		break;
	case 4:
		try_write(cset, "chan0/flush", 1);
		break;
	default:
		try_write(cset, "enable", 0);
		try_write(cset, "enable", 1);
	}
}

/* Only with no reader can the type of a buffer change; others try in vain. */
static void change_buffer(void)
{
	static const char *const types[] = { "kmalloc", "dma" };

	shell("echo %s >" XDMA "/cset%u/current_buffer", types[below(2)], below(4));
}

static void change_source(void)
{
	unsigned int at = below(2) * XDMA_STRIDE;

	poke(at + XDMA_USER_CONTROL, 0);
	if (below(4))
		make_packets_at(at, 1 + below(300), below(300), 20000 + below(200000), 0);
	else
		poke(at + XDMA_USER_CONTROL, XDMA_LOOP);
}

/* A driver that finds a card without registers does not bind. */
static void pull_out(bool by_surprise)
{
	char path[512];

	if (by_surprise)
		poke(XDMA_USER_INJECT, XDMA_INJECT_GONE);
	munmap((void *)user, XDMA_USER_SIZE);
	run("echo 1 >" PCI "/devices/%s/remove && echo 1 >" PCI "/rescan", pci_name());
	map_user(pci_name());
	poke(XDMA_USER_INJECT, 0);
	snprintf(path, sizeof(path), PCI "/drivers/zio-xdma/%s", pci_name());
	if (!exists(path))
		write_text(PCI "/drivers/zio-xdma/bind", pci_name());
	run("zio-links");
}

static void disturb(void)
{
	switch (below(40)) {
	case 0:
		pull_out(below(2));
		break;
	case 1:
		run("insmod /selftests/zio-shutdown.ko what=error device=%s &&"
		    "rmmod zio_shutdown", pci_name());
		break;
	case 2 ... 3:
		change_buffer();
		break;
	case 4 ... 7:
		poke(XDMA_USER_INJECT, 1u << below(3));
		break;
	case 8 ... 12:
		change_source();
		break;
	case 13 ... 20:
		renew_user(below(USERS));
		break;
	default:
		change_setting();
	}
}

TEST("the card works after a storm", card)
{
	unsigned long seconds = setting("ZIO_STORM_SECONDS", 10);
	unsigned long seed = setting("ZIO_SEED", 1), n = 0;
	time_t end = time(NULL) + seconds;
	static uint32_t words[1024];
	struct zio_control ctrl;
	struct pair in;
	unsigned int i;

	srandom(seed);
	load("zio-buf-dma");
	run("zio-links");
	for (i = 0; i < USERS; i++)
		renew_user(i);
	for (; time(NULL) < end; n++) {
		disturb();
		usleep(5000);
	}
	for (i = 0; i < USERS; i++)
		kill_user(i);
	diag("seed %lu: %lu changes", seed, n);
	ASSERT_EQ(peek(XDMA_USER_FAULTS), 0);
	card(NULL);
	in = open_pair(IN, O_RDONLY);
	make_packets(64, 0, 200000, 20);
	for (i = 0; i < 20; i++) {
		ctrl = read_control(in.ctrl);
		ASSERT_EQ(ctrl.seq_num, i);
		ASSERT_EQ(read(in.data, words, sizeof(words)), 256);
		ASSERT_EQ(words[63], i << 16 | 63);
	}
}
