// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_test.c: the buffer vmalloc: mapped samples, the control ring, output in place
 */
#include "board.h"
#include "harness.h"
#include "ring.h"

#define AREA_KB		128
#define BUFFER2		CSET0 "/chan2/buffer"

/* Both sets have the buffer vmalloc; only channel 2 of cset0 acquires. */
SETUP(fresh)
{
	renew_zzero();
	write_text(CSET0 "/current_buffer", "vmalloc");
	write_text(CSET1 "/current_buffer", "vmalloc");
	write_text(CSET0 "/chan0/enable", "0");
	write_text(CSET0 "/chan1/enable", "0");
}

static void *try_map(int fd, off_t offset, size_t size, int prot)
{
	void *mem = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	return mem == MAP_FAILED ? NULL : mem;
}

#define no_map(fd, offset, size, prot, code) do {			\
	errno = 0;							\
	if (try_map(fd, offset, size, prot) || errno != (code))		\
		FAIL("mapping %#zx at %#zx gives %s, expected %s",	\
		     (size_t)(size), (size_t)(offset),			\
		     strerrorname_np(errno) ?: "success",		\
		     strerrorname_np(code));				\
} while (0)

/* What is mapped is what read() returns. */
static void check_mapped(const char *prefix, size_t size)
{
	struct pair pair = open_pair(prefix, O_RDONLY);
	size_t n, i, sum = 0;
	struct map map = map_file(pair.data, 0, size, PROT_READ);
	static uint8_t buf[1 << 20];
	struct zio_control ctrl;

	for (i = 0; i < 3000 && sum < (64 << 20); i++, sum += n) {
		ctrl = read_control(pair.ctrl);
		n = (size_t)ctrl.nsamples * ctrl.ssize;
		ASSERT_TRUE(offset_of(&ctrl) + n <= size);
		ASSERT_EQ(read(pair.data, buf, n), n);
		ASSERT_EQ(memcmp(buf, map.mem + offset_of(&ctrl), n), 0);
	}
	munmap(map.mem, map.size);
	close_pair(pair);
}

TEST("mappings beyond the area, writable ones and those of a control are refused", fresh)
{
	struct pair pair = open_pair(ZZERO "-0-2", O_RDONLY);
	size_t size = AREA_KB * 1024;
	struct map map = map_file(pair.data, 0, size, PROT_READ);

	ASSERT_ERRNO(mprotect(map.mem, size, PROT_READ | PROT_WRITE), EACCES);
	no_map(pair.data, 0, size, PROT_READ | PROT_WRITE, EACCES);
	no_map(pair.data, 0, size + 1, PROT_READ, EINVAL);
	no_map(pair.data, size, PAGE, PROT_READ, EINVAL);
	no_map(pair.data, PAGE, size, PROT_READ, EINVAL);
	no_map(pair.data, (off_t)1 << 62, PAGE, PROT_READ, EINVAL);
	no_map(pair.ctrl, 0, PAGE, PROT_READ, EACCES);
	ASSERT_TRUE(try_map(pair.data, size - PAGE, PAGE, PROT_READ));
	ASSERT_TRUE(try_map(pair.data, PAGE, PAGE, PROT_READ));
}

TEST("while a ring is open, other readers and rings get EBUSY", fresh)
{
	struct pair before = open_pair(ZZERO "-0-2", O_RDONLY), after;
	struct ring r = open_ring(ZZERO "-0-2");
	struct zio_control ctrl;
	char buf[16];

	ASSERT_ERRNO(open(ZZERO "-0-2-ctrl", O_RDWR), EBUSY);
	after = open_pair(ZZERO "-0-2", O_RDONLY | O_NONBLOCK);
	ASSERT_ERRNO(read(before.ctrl, &ctrl, sizeof(ctrl)), EBUSY);
	ASSERT_ERRNO(read(before.data, buf, sizeof(buf)), EBUSY);
	ASSERT_ERRNO(read(after.data, buf, sizeof(buf)), EBUSY);
	ASSERT_ERRNO(read(r.ctrl, &ctrl, sizeof(ctrl)), EBUSY);
	ASSERT_ERRNO(write(r.ctrl, &ctrl, sizeof(ctrl)), EINVAL);
	ASSERT_TRUE(poll_events(after.data, POLLIN, 0) & POLLERR);
	no_map(r.ctrl, PAGE, PAGE, PROT_READ | PROT_WRITE, EACCES);
	no_map(r.ctrl, 0, 2 * PAGE, PROT_READ | PROT_WRITE, EACCES);
	no_map(r.ctrl, 1 << 30, PAGE, PROT_READ, EINVAL);
	close_ring(&r);
	ASSERT_EQ(read(after.data, buf, sizeof(buf)), sizeof(buf));
}

TEST("a ring ends with its last mapping, not with its file", fresh)
{
	struct ring r = open_ring(ZZERO "-0-2");

	next_block(&r);
	close(r.ctrl);
	ASSERT_ERRNO(open(ZZERO "-0-2-ctrl", O_RDWR), EBUSY);
	munmap(r.slot, (size_t)r.hdr->n_slots * r.hdr->slot_size);
	ASSERT_ERRNO(open(ZZERO "-0-2-ctrl", O_RDWR), EBUSY);
	munmap(r.hdr, PAGE);
	r.ctrl = open(ZZERO "-0-2-ctrl", O_RDWR);
	ASSERT_TRUE(r.ctrl >= 0);
}

struct tally {
	uint64_t got, gaps;
	uint32_t next;
};

/* Take the next block. A gap before it must have an alarm. */
static void tally_block(struct ring *r, struct tally *t)
{
	const struct zio_control *ctrl = next_block(r);

	if (ctrl->seq_num != t->next) {
		t->gaps += ctrl->seq_num - t->next;
		ASSERT_TRUE(ctrl->zio_alarms & ZIO_ALARM_LOST_BLOCK);
	}
	t->next = ctrl->seq_num + 1;
	t->got++;
	release_block(r);
}

static void feed(const char *path, unsigned long mib)
{
	int fd = open_file(path, O_RDONLY);
	static char buf[1 << 20];

	while (mib--)
		ASSERT_EQ(read(fd, buf, sizeof(buf)), sizeof(buf));
	_exit(0);
}

/*
 * A consumer is too slow, while another channel of the set is read as fast as it can
 * be. The blocks that it gets and the gaps between them are all that were fired. The
 * ring's header and the statistics say the same.
 */
static void count_losses(unsigned long mib, unsigned long least)
{
	struct ring r = open_ring(ZZERO "-0-0");
	struct tally t = { 0, 0, 0 };
	pid_t child = fork_child();
	int status;

	if (!child)
		feed(ZZERO "-0-2-data", mib);
	/* One block for a hundred lost blocks. */
	while (!waitpid(child, &status, WNOHANG)) {
		if (r.hdr->lost >= 100 * t.got && count_blocks(&r))
			tally_block(&r, &t);
		else
			usleep(1000);
	}
	ASSERT_EQ(status, 0);
	while (count_blocks(&r))
		tally_block(&r, &t);
	/* The alarm of the next block tells of the last loss. */
	tally_block(&r, &t);
	while (count_blocks(&r))
		tally_block(&r, &t);
	ASSERT_EQ(t.got + t.gaps, t.next);
	ASSERT_EQ(t.gaps, r.hdr->lost);
	ASSERT_EQ(t.gaps, read_number(CSET0 "/chan0/statistics/lost_blocks"));
	ASSERT_EQ(t.got, read_number(CSET0 "/chan0/statistics/blocks"));
	ASSERT_TRUE(t.gaps >= least);
	ASSERT_TRUE(t.gaps <= 2000000);
	diag("%llu blocks lost", (unsigned long long)t.gaps);
	close_ring(&r);
}

TEST_EACH("%s controls in one read; their blocks stay until the next read", fresh,
	  "1", "2", "16", "60")
{
	struct pair pair = open_pair(ZZERO "-0-2", O_RDONLY);
	ssize_t n = atoi(value), i, round, bytes;
	static struct zio_control ctrl[64];
	static uint8_t buf[1 << 20];
	uint32_t seq = 0;
	size_t size, room;
	uint8_t next = 0;

	for (round = 0; round < 200; round++) {
		ASSERT_EQ(read(pair.ctrl, ctrl, n * 512), n * 512);
		size = (size_t)ctrl[0].nsamples * ctrl[0].ssize;
		for (i = 0; i < n; i++)
			ASSERT_EQ(ctrl[i].seq_num, seq + i);
		bytes = round % 3 ? n * size : size * (n - 1) + size / 2;
		room = round % 3 ? sizeof(buf) : (size_t)bytes;
		ASSERT_EQ(read(pair.data, buf, room), bytes);
		for (i = 0; i < bytes; i++)
			ASSERT_EQ(buf[i], (uint8_t)(next + i));
		next += n * size;
		seq += n;
	}
}

TEST("the control of a block that is half read describes the rest", fresh)
{
	struct pair pair = open_pair(ZZERO "-0-2", O_RDONLY);
	struct map map = map_file(pair.data, 0, 128 * 1024, PROT_READ);
	struct zio_control ctrl;
	uint8_t buf[16];

	ASSERT_EQ(read(pair.data, buf, 10), 10);
	ctrl = read_control(pair.ctrl);
	ASSERT_EQ(ctrl.nsamples, 6);
	ASSERT_EQ(map.mem[offset_of(&ctrl)], (uint8_t)(buf[0] + 10));
	ASSERT_EQ(read(pair.data, buf, sizeof(buf)), 6);
	ASSERT_EQ(memcmp(buf, map.mem + offset_of(&ctrl), 6), 0);
}

TEST("a read of more controls than there is room for returns fewer", fresh)
{
	struct pair pair = open_pair(ZZERO "-0-2", O_RDONLY);
	static struct zio_control ctrl[64];
	ssize_t n;
	int i;

	for (i = 0; i < 100; i++) {
		n = read(pair.ctrl, ctrl, 10 * 512) / 512;
		ASSERT_TRUE(n >= 1 && n * ctrl[0].nsamples <= 128 * 1024);
	}
}

TEST("a channel without free memory reads as empty, loses nothing and wakes later", fresh)
{
	struct pair pair = open_pair(ZZERO "-0-2", O_RDONLY);
	static struct zio_control ctrl[512];
	static uint8_t buf[512 * 16];
	unsigned long lost = read_number(CSET0 "/chan2/statistics/lost_blocks");
	unsigned int *tried = share_memory(sizeof(*tried));
	ssize_t n = read(pair.ctrl, ctrl, sizeof(ctrl));
	pid_t child;
	int fd, i;

	ASSERT_EQ(n, 256 * 512);
	child = fork_child();
	if (!child) {
		fd = open_node(ZZERO "-0-2", "data", O_RDONLY | O_NONBLOCK);
		for (i = 0; i < 5; i++)
			ASSERT_ERRNO(read(fd, buf, 16), EAGAIN);
		ASSERT_EQ(poll_events(fd, POLLIN, 0), 0);
		set(tried, 1);
		ASSERT_EQ(poll_events(fd, POLLIN, -1), POLLIN);
		ASSERT_EQ(read(fd, buf, 16), 16);
		_exit(0);
	}
	while (!get(tried))
		usleep(1000);
	ASSERT_EQ(read(pair.data, buf, 16), 16);
	wait_children(1);
	ASSERT_EQ(read_number(CSET0 "/chan2/statistics/lost_blocks"), lost);
}

TEST("prefer-new keeps the newest blocks and the block that a reader holds", fresh)
{
	struct pair pair = open_pair(ZZERO "-0-2", O_RDONLY);
	int fd = open_file(ZZERO "-0-0-data", O_RDONLY), i;
	struct zio_control ctrl;
	static uint8_t buf[16];
	uint32_t first;

	write_text(CSET0 "/chan0/enable", "1");
	write_text(BUFFER2 "/prefer-new", "1");
	ctrl = read_control(pair.ctrl);
	first = ctrl.seq_num;
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(read(fd, buf, sizeof(buf)), sizeof(buf));
	/* The block behind the one in hand is still queued. */
	ctrl = read_control(pair.ctrl);
	ASSERT_EQ(ctrl.seq_num, first + 1);
}

TEST("an output without free memory is not writable", fresh)
{
	int fd = open_node(ZZERO "-1-0", "data", O_WRONLY | O_NONBLOCK), i;
	struct pollfd pfd = { fd, POLLOUT, 0 };
	static uint8_t buf[65536];

	write_text(CSET1 "/trigger/enable", "0");
	write_text(CSET1 "/trigger/nsamples", "65536");
	for (i = 0; i < 2; i++)
		ASSERT_EQ(write(fd, buf, sizeof(buf)), sizeof(buf));
	ASSERT_ERRNO(write(fd, buf, sizeof(buf)), EAGAIN);
	ASSERT_EQ(poll(&pfd, 1, 0), 0);
}

TEST("a refused control is not read back", fresh)
{
	struct pair pair = open_pair(ZZERO "-1-0", O_RDWR);
	struct zio_control ctrl = read_control(pair.ctrl), bad, again;

	memset(&bad, 0xee, sizeof(bad));
	ASSERT_ERRNO(write(pair.ctrl, &bad, sizeof(bad)), EPROTO);
	again = read_control(pair.ctrl);
	ASSERT_EQ(memcmp(&again, &ctrl, sizeof(ctrl)), 0);
}

TEST("blocks keep their order after a fault and a close", fresh)
{
	struct pair pair = open_pair(ZZERO "-0-2", O_RDONLY);
	uint8_t *mem = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static uint8_t buf[16], next;
	int i;

	ASSERT_TRUE(mem != MAP_FAILED && !munmap(mem + PAGE, PAGE));
	ASSERT_EQ(read(pair.ctrl, mem + PAGE - 1024, 4 * 512), 1024);
	close_pair(pair);
	pair = open_pair(ZZERO "-0-2", O_RDONLY);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(read(pair.data, buf, sizeof(buf)), sizeof(buf));
		if (i)
			ASSERT_EQ(buf[0], next);
		next = buf[15] + 1;
	}
}

TEST("a ring and its mappings survive the unbind of the board", fresh)
{
	struct ring r = open_ring(ZZERO "-0-2");
	const struct zio_control *ctrl = next_block(&r);
	struct zio_control copy = *ctrl;
	volatile uint8_t sum = 0;
	size_t i;
	pid_t child;

	child = fork_child();
	if (!child) {
		ASSERT_TRUE(poll_events(r.ctrl, POLLIN, 0) == POLLIN);
		_exit(0);
	}
	wait_children(1);
	unbind_board("zio-zero", 0);
	ASSERT_TRUE(poll_events(r.ctrl, POLLIN, -1) & POLLHUP);
	ASSERT_EQ(memcmp(ctrl, &copy, sizeof(copy)), 0);
	for (i = 0; i < r.hdr->data_size; i++)
		sum += r.data[i];
	(void)sum;
	r.hdr->tail = r.hdr->head;
	ASSERT_ERRNO(read(r.fd, &copy, 16), ENODEV);
	no_map(r.fd, 0, PAGE, PROT_READ, ENODEV);
	no_map(r.ctrl, 0, PAGE, PROT_READ, ENODEV);
	bind_board("zio-zero", 0);
}

TEST("children use the mappings and end in any order", fresh)
{
	struct ring r = open_ring(ZZERO "-0-2");
	int i, status;

	for (i = 0; i < 4; i++) {
		pid_t child = fork_child();

		if (!child) {
			if (i & 1)
				munmap(r.data, r.hdr->data_size);
			next_block(&r);
			release_block(&r);
			if (i & 2)
				munmap(r.hdr, PAGE);
			_exit(0);
		}
		ASSERT_TRUE(waitpid(child, &status, 0) == child && !status);
	}
	next_block(&r);
}

static void __attribute__((noreturn)) take_forever(const char *prefix)
{
	struct ring r = open_ring(prefix);

	for (;;) {
		next_block(&r);
		release_block(&r);
	}
}

TEST("a consumer is killed at any point and the next one continues", fresh)
{
	int i, n = 30, status;
	struct ring r;
	pid_t child;

	for (i = 0; i < n; i++) {
		child = fork_child();
		if (!child)
			take_forever(ZZERO "-0-2");
		usleep(1000 + i * 137);
		kill(child, SIGKILL);
		ASSERT_TRUE(waitpid(child, &status, 0) == child);
		ASSERT_EQ(WTERMSIG(status), SIGKILL);
		r = open_ring(ZZERO "-0-2");
		next_block(&r);
		release_block(&r);
		close_ring(&r);
	}
}

TEST_EACH("mapped samples are those that read() returns, blocks of %s", fresh,
	  "16", "1", "4096", "65536", "131072", "131071", "1000")
{
	write_text(CSET0 "/trigger/nsamples", value);
	check_mapped(ZZERO "-0-2", AREA_KB * 1024);
}

TEST("a larger area has more blocks, unless a user has chosen their number", fresh)
{
	write_text(BUFFER2 "/max-buffer-kb", "1024");
	ASSERT_TRUE(read_number(BUFFER2 "/max-buffer-len") > 1024);
	write_text(BUFFER2 "/max-buffer-len", "300");
	write_text(BUFFER2 "/max-buffer-kb", "2048");
	ASSERT_EQ(read_number(BUFFER2 "/max-buffer-len"), 300);
}

TEST("a mapping pins the area and the buffer, but not the size of blocks", fresh)
{
	int fd = open_node(ZZERO "-0-2", "data", O_RDONLY);
	struct map map = map_file(fd, 0, PAGE, PROT_READ);

	close(fd);
	refuse(BUFFER2 "/max-buffer-kb", "256", EBUSY);
	refuse(CSET0 "/current_buffer", "kmalloc", EBUSY);
	write_text(CSET0 "/trigger/nsamples", "32");
	munmap(map.mem, map.size);
	write_text(BUFFER2 "/max-buffer-kb", "256");
	check_mapped(ZZERO "-0-2", 256 * 1024);
	write_text(BUFFER2 "/max-buffer-kb", "128");
}

static void check_nothing_lost(void)
{
	ASSERT_EQ(read_number(CSET0 "/chan2/statistics/lost_blocks"), 0);
}

TEST("a ring with watermark 1", fresh)
{
	read_sawtooth_ring(ZZERO "-0-2", 20000);
	check_nothing_lost();
}

TEST("a ring with watermark 64 is polled once for some 64 blocks", fresh)
{
	unsigned int polls;

	write_text(BUFFER2 "/watermark", "64");
	polls = read_sawtooth_ring(ZZERO "-0-2", 64000);
	ASSERT_TRUE(polls >= 400);
	ASSERT_TRUE(polls <= 1000);
	check_nothing_lost();
}

TEST("a ring with a watermark of more blocks than fit the area", fresh)
{
	write_text(BUFFER2 "/watermark", "128");
	write_text(CSET0 "/trigger/nsamples", "8192");
	read_sawtooth_ring(ZZERO "-0-2", 500);
	check_nothing_lost();
}

TEST("a ring begins with the block that a reader has left", fresh)
{
	char buf[10];
	int fd = open_node(ZZERO "-0-2", "data", O_RDONLY);

	ASSERT_EQ(read(fd, buf, sizeof(buf)), sizeof(buf));
	close(fd);
	read_sawtooth_ring(ZZERO "-0-2", 1000);
	check_nothing_lost();
}

TEST("a ring of blocks of 5000 samples", fresh)
{
	write_text(CSET0 "/trigger/nsamples", "5000");
	read_sawtooth_ring(ZZERO "-0-2", 3000);
}

TEST("nonsense in the header of a ring does no harm; the next ring works", fresh)
{
	write_nonsense(ZZERO "-0-2");
	read_sawtooth_ring(ZZERO "-0-2", 1000);
}

/* 17 MiB in blocks of 16 bytes are more than a million blocks. */
TEST("lost blocks are counted, block by block", fresh)
{
	write_text(CSET0 "/chan0/enable", "1");
	if (is_debug_kernel())
		count_losses(1, 50000);
	else
		count_losses(17, 1000000);
}

TEST("an output is filled in place", fresh)
{
	play_in_place(ZZERO "-1-0", CSET1 "/chan0/statistics");
}
