// SPDX-License-Identifier: GPL-2.0-only
/* node-map.c: mappings of data, the control ring, output in place */
#include "node.h"

struct map {
	uint8_t *mem;
	size_t size;
};

static struct map map_file(int fd, size_t offset, size_t size, int prot)
{
	struct map map = { .size = size };

	map.mem = mmap(NULL, size, prot, MAP_SHARED, fd, offset);
	if (map.mem == MAP_FAILED)
		fail("mmap of %zu at %zu: %s", size, offset,
		     strerrorname_np(errno));
	return map;
}

static void *try_map(int fd, size_t offset, size_t size, int prot)
{
	void *mem = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	return mem == MAP_FAILED ? NULL : mem;
}

#define no_map(fd, offset, size, prot, code) do {			\
	errno = 0;							\
	if (try_map(fd, offset, size, prot) || errno != (code))		\
		fail("mapping %#zx at %#zx gives %s, not %s",		\
		     (size_t)(size), (size_t)(offset),			\
		     strerrorname_np(errno) ?: "success",		\
		     strerrorname_np(code));				\
} while (0)

static uint64_t offset_of(const struct zio_control *ctrl)
{
	return ctrl->mem_offset | (uint64_t)ctrl->reserved << 32;
}

/* data PREFIX KB: what is mapped is what is read */
static void do_data(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	size_t size = strtoul(arg[1], NULL, 0) * 1024, n, i, sum = 0;
	struct map map = map_file(pair.data, 0, size, PROT_READ);
	static uint8_t buf[1 << 20];
	struct zio_control ctrl;

	for (i = 0; i < 3000 && sum < (64 << 20); i++, sum += n) {
		ctrl = read_control(pair.ctrl);
		n = (size_t)ctrl.nsamples * ctrl.ssize;
		want(offset_of(&ctrl) + n <= size);
		same(read(pair.data, buf, n), n);
		same(memcmp(buf, map.mem + offset_of(&ctrl), n), 0);
	}
}

/* refuse PREFIX KB: what cannot be mapped */
static void do_refuse(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	size_t size = strtoul(arg[1], NULL, 0) * 1024;
	struct map map = map_file(pair.data, 0, size, PROT_READ);

	fails(mprotect(map.mem, size, PROT_READ | PROT_WRITE), EACCES);
	no_map(pair.data, 0, size, PROT_READ | PROT_WRITE, EACCES);
	no_map(pair.data, 0, size + 1, PROT_READ, EINVAL);
	no_map(pair.data, size, 4096, PROT_READ, EINVAL);
	no_map(pair.data, 4096, size, PROT_READ, EINVAL);
	no_map(pair.data, 1ul << 62, 4096, PROT_READ, EINVAL);
	no_map(pair.ctrl, 0, 4096, PROT_READ, EACCES);
	want(try_map(pair.data, size - 4096, 4096, PROT_READ));
	want(try_map(pair.data, 4096, 4096, PROT_READ));
}

/* none PREFIX: nothing of it can be mapped */
static void do_none(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	char path[256];

	no_map(pair.data, 0, 4096, PROT_READ, ENODEV);
	snprintf(path, sizeof(path), "%s-ctrl", arg[0]);
	fails(open(path, O_RDWR), EOPNOTSUPP);
}

struct ring {
	struct zio_ring_header *hdr;
	struct zio_control *slot;
	uint8_t *data;
	int ctrl, fd;
};

static struct ring open_ring(const char *prefix)
{
	struct ring r;

	r.ctrl = open_node(prefix, "ctrl", O_RDWR);
	r.fd = open_node(prefix, "data", O_RDONLY);
	r.hdr = (void *)map_file(r.ctrl, 0, 4096, PROT_READ | PROT_WRITE).mem;
	same(r.hdr->magic, ZIO_RING_MAGIC);
	same(r.hdr->version, ZIO_RING_VERSION);
	same(r.hdr->slot_size, sizeof(struct zio_control));
	want(r.hdr->n_slots && !(r.hdr->n_slots & (r.hdr->n_slots - 1)));
	r.slot = (void *)map_file(r.ctrl, r.hdr->slots_offset,
				  (size_t)r.hdr->n_slots * r.hdr->slot_size,
				  PROT_READ).mem;
	r.data = map_file(r.fd, 0, r.hdr->data_size, PROT_READ).mem;
	return r;
}

static void close_ring(struct ring *r)
{
	munmap(r->data, r->hdr->data_size);
	munmap(r->slot, (size_t)r->hdr->n_slots * r->hdr->slot_size);
	munmap(r->hdr, 4096);
	close(r->ctrl);
	close(r->fd);
}

static uint32_t count_blocks(const struct ring *r)
{
	return __atomic_load_n(&r->hdr->head, __ATOMIC_ACQUIRE) - r->hdr->tail;
}

static int poll_in(int fd, int ms)
{
	struct pollfd pfd = { fd, POLLIN, 0 };

	want(poll(&pfd, 1, ms) >= 0);
	return pfd.revents;
}

static const struct zio_control *next_block(struct ring *r)
{
	if (!count_blocks(r))
		same(poll_in(r->ctrl, -1), POLLIN);
	want(count_blocks(r));
	return &r->slot[r->hdr->tail & (r->hdr->n_slots - 1)];
}

static void release_block(struct ring *r)
{
	__atomic_store_n(&r->hdr->tail, r->hdr->tail + 1, __ATOMIC_RELEASE);
}

static void check_sawtooth(const struct ring *r, const struct zio_control *ctrl,
			   uint8_t *next)
{
	const uint8_t *sample = r->data + offset_of(ctrl);
	uint32_t i;

	want(offset_of(ctrl) + ctrl->nsamples <= r->hdr->data_size);
	for (i = 0; i < ctrl->nsamples; i++)
		same(sample[i], (*next)++);
}

/* ring PREFIX N: takes N blocks of a sawtooth; prints how many times it polled */
static void do_ring(char **arg)
{
	struct ring r = open_ring(arg[0]);
	uint32_t n = strtoul(arg[1], NULL, 0), i, polls = 0, seq;
	const struct zio_control *ctrl = next_block(&r);
	uint8_t next = r.data[offset_of(ctrl)];

	seq = ctrl->seq_num;
	for (i = 0; i < n; i++) {
		polls += !count_blocks(&r);
		ctrl = next_block(&r);
		same(ctrl->major_version, ZIO_MAJOR_VERSION);
		same(ctrl->ssize, 1);
		same(ctrl->seq_num, seq + i);
		want(ctrl->tstamp.secs);
		check_sawtooth(&r, ctrl, &next);
		release_block(&r);
	}
	printf("%u polls\n", polls);
}

/* alone PREFIX: while a ring is open, others get nothing */
static void do_alone(char **arg)
{
	struct pair before = open_pair(arg[0], O_RDONLY), after;
	struct ring r = open_ring(arg[0]);
	struct zio_control ctrl;
	char path[256], buf[16];

	snprintf(path, sizeof(path), "%s-ctrl", arg[0]);
	fails(open(path, O_RDWR), EBUSY);
	after = open_pair(arg[0], O_RDONLY | O_NONBLOCK);
	fails(read(before.ctrl, &ctrl, sizeof(ctrl)), EBUSY);
	fails(read(before.data, buf, sizeof(buf)), EBUSY);
	fails(read(after.data, buf, sizeof(buf)), EBUSY);
	fails(read(r.ctrl, &ctrl, sizeof(ctrl)), EBUSY);
	fails(write(r.ctrl, &ctrl, sizeof(ctrl)), EINVAL);
	want(poll_in(after.data, 0) & POLLERR);
	no_map(r.ctrl, 4096, 4096, PROT_READ | PROT_WRITE, EACCES);
	no_map(r.ctrl, 0, 8192, PROT_READ | PROT_WRITE, EACCES);
	no_map(r.ctrl, 1ul << 40, 4096, PROT_READ, EINVAL);
	close_ring(&r);
	same(read(after.data, buf, sizeof(buf)), sizeof(buf));
}

/* later PREFIX: the ring ends with its last mapping, not with the file */
static void do_later(char **arg)
{
	struct ring r = open_ring(arg[0]);
	char path[256];

	snprintf(path, sizeof(path), "%s-ctrl", arg[0]);
	next_block(&r);
	close(r.ctrl);
	fails(open(path, O_RDWR), EBUSY);
	munmap(r.slot, (size_t)r.hdr->n_slots * r.hdr->slot_size);
	fails(open(path, O_RDWR), EBUSY);
	munmap(r.hdr, 4096);
	r.ctrl = open(path, O_RDWR);
	want(r.ctrl >= 0);
}

/* hostile PREFIX: nonsense in what can be written harms nobody */
static void do_hostile(char **arg)
{
	struct ring r = open_ring(arg[0]);
	uint32_t i, head;
	unsigned int seed = 1;

	for (i = 0; i < 20000; i++) {
		head = __atomic_load_n(&r.hdr->head, __ATOMIC_ACQUIRE);
		switch (rand_r(&seed) % 5) {
		case 0:
			r.hdr->tail = head + 1 + rand_r(&seed) % 1000;
			break;
		case 1:
			r.hdr->tail = rand_r(&seed) * 7u;
			break;
		case 2:
			r.hdr->tail = head;
			break;
		case 3:
			memset(r.hdr, rand_r(&seed), 64);
			break;
		default:
			r.hdr->tail = head - rand_r(&seed) % 300;
		}
		poll_in(r.ctrl, 0);
	}
}

struct tally {
	uint64_t got, gaps;
	uint32_t next;
};

/* The next block; a gap before it has an alarm. */
static void tally_block(struct ring *r, struct tally *t)
{
	const struct zio_control *ctrl = next_block(r);

	if (ctrl->seq_num != t->next) {
		t->gaps += ctrl->seq_num - t->next;
		want(ctrl->zio_alarms & ZIO_ALARM_LOST_BLOCK);
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
		same(read(fd, buf, sizeof(buf)), sizeof(buf));
	_exit(0);
}

/*
 * loss PREFIX FEED MIB STATISTICS: a consumer that is too slow, while another
 * channel of the set is read as fast as can be. What it got, and the gaps, are
 * all that were fired; the ring's header and the statistics say the same.
 */
static void do_loss(char **arg)
{
	struct ring r = open_ring(arg[0]);
	struct tally t = { 0, 0, 0 };
	char lost[256], blocks[256];
	pid_t child = fork();
	int status;

	want(child >= 0);
	if (!child)
		feed(arg[1], strtoul(arg[2], NULL, 0));
	/* As slow as it takes: one block for a hundred lost. */
	while (!waitpid(child, &status, WNOHANG)) {
		if (r.hdr->lost >= 100 * t.got && count_blocks(&r))
			tally_block(&r, &t);
		else
			usleep(1000);
	}
	same(status, 0);
	while (count_blocks(&r))
		tally_block(&r, &t);
	/* One more: it tells of what was lost last. */
	tally_block(&r, &t);
	while (count_blocks(&r))
		tally_block(&r, &t);
	snprintf(lost, sizeof(lost), "%s/lost_blocks", arg[3]);
	snprintf(blocks, sizeof(blocks), "%s/blocks", arg[3]);
	same(t.got + t.gaps, t.next);
	same(t.gaps, r.hdr->lost);
	same(t.gaps, read_number(lost));
	same(t.got, read_number(blocks));
	printf("%llu\n", (unsigned long long)t.gaps);
}

/* batch PREFIX N: N controls in one read; their blocks stay until the next */
static void do_batch(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	ssize_t n = strtoul(arg[1], NULL, 0), i, round, bytes;
	static struct zio_control ctrl[64];
	static uint8_t buf[1 << 20];
	uint32_t seq = 0;
	size_t size;
	uint8_t next = 0;

	for (round = 0; round < 200; round++) {
		same(read(pair.ctrl, ctrl, n * 512), n * 512);
		size = (size_t)ctrl[0].nsamples * ctrl[0].ssize;
		for (i = 0; i < n; i++)
			same(ctrl[i].seq_num, seq + i);
		bytes = round % 3 ? n * size : size * (n - 1) + size / 2;
		same(read(pair.data, buf, round % 3 ? sizeof(buf) : (size_t)bytes),
		     bytes);
		for (i = 0; i < bytes; i++)
			same(buf[i], (uint8_t)(next + i));
		next += n * size;
		seq += n;
	}
}

/* half PREFIX: of a block half read, the control shows the rest */
static void do_half(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct map map = map_file(pair.data, 0, 128 * 1024, PROT_READ);
	struct zio_control ctrl;
	uint8_t buf[16];

	same(read(pair.data, buf, 10), 10);
	ctrl = read_control(pair.ctrl);
	same(ctrl.nsamples, 6);
	same(map.mem[offset_of(&ctrl)], (uint8_t)(buf[0] + 10));
	same(read(pair.data, buf, sizeof(buf)), 6);
	same(memcmp(buf, map.mem + offset_of(&ctrl), 6), 0);
}

/* few PREFIX N: a read of N controls gives as many as there is room for */
static void do_few(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	static struct zio_control ctrl[64];
	ssize_t n;
	int i;

	for (i = 0; i < 100; i++) {
		n = read(pair.ctrl, ctrl, strtoul(arg[1], NULL, 0) * 512) / 512;
		want(n >= 1 && n * ctrl[0].nsamples <= 128 * 1024);
	}
}

/*
 * starve PREFIX STATISTICS: one holds all memory; another, in a process of his
 * own, gets nothing, loses nothing, and is woken when there is some.
 */
static void do_starve(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	static struct zio_control ctrl[512];
	static uint8_t buf[512 * 16];
	unsigned long lost = read_number(arg[1]);
	unsigned int *tried = share_memory(sizeof(*tried));
	ssize_t n = read(pair.ctrl, ctrl, sizeof(ctrl));
	pid_t child;
	int fd, i;

	same(n, 256 * 512);
	child = fork();
	want(child >= 0);
	if (!child) {
		fd = open_node(arg[0], "data", O_RDONLY | O_NONBLOCK);
		for (i = 0; i < 5; i++)
			fails(read(fd, buf, 16), EAGAIN);
		same(poll_in(fd, 0), 0);
		__atomic_store_n(tried, 1, __ATOMIC_SEQ_CST);
		same(poll_in(fd, -1), POLLIN);
		same(read(fd, buf, 16), 16);
		_exit(0);
	}
	while (!get(tried))
		usleep(1000);
	same(read(pair.data, buf, 16), 16);
	wait_children(1);
	same(read_number(arg[1]), lost);
}

/* prefer PREFIX FEED: the newest stay, though the oldest is in somebody's hand */
static void do_prefer(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	int fd = open_file(arg[1], O_RDONLY), i;
	struct zio_control ctrl = read_control(pair.ctrl);
	uint32_t first = ctrl.seq_num;
	static uint8_t buf[16];

	for (i = 0; i < 1000; i++)
		same(read(fd, buf, sizeof(buf)), sizeof(buf));
	/* What was queued behind the one in hand is still there. */
	ctrl = read_control(pair.ctrl);
	same(ctrl.seq_num, first + 1);
}

/* full PREFIX: a channel that has no room is not writable */
static void do_full(char **arg)
{
	int fd = open_node(arg[0], "data", O_WRONLY | O_NONBLOCK), i;
	struct pollfd pfd = { fd, POLLOUT, 0 };
	static uint8_t buf[65536];

	for (i = 0; i < 2; i++)
		same(write(fd, buf, sizeof(buf)), sizeof(buf));
	fails(write(fd, buf, sizeof(buf)), EAGAIN);
	same(poll(&pfd, 1, 0), 0);
}

/* scratch PREFIX: what is written does not show in what is read */
static void do_scratch(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDWR);
	struct zio_control ctrl = read_control(pair.ctrl), bad, again;

	memset(&bad, 0xee, sizeof(bad));
	fails(write(pair.ctrl, &bad, sizeof(bad)), EPROTO);
	again = read_control(pair.ctrl);
	same(memcmp(&again, &ctrl, sizeof(ctrl)), 0);
}

/* order PREFIX: after a batch that ends in a fault, and a close */
static void do_order(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	uint8_t *mem = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static uint8_t buf[16], next;
	int i;

	want(mem != MAP_FAILED && !munmap(mem + 4096, 4096));
	same(read(pair.ctrl, mem + 4096 - 1024, 4 * 512), 1024);
	close_pair(pair);
	pair = open_pair(arg[0], O_RDONLY);
	for (i = 0; i < 3; i++) {
		same(read(pair.data, buf, sizeof(buf)), sizeof(buf));
		if (i)
			same(buf[0], next);
		next = buf[15] + 1;
	}
}

/* hold PREFIX: maps, says so, and holds until standard input ends */
static void do_hold(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY);
	struct map map = map_file(fd, 0, 4096, PROT_READ);
	char c;

	close(fd);
	printf("mapped\n");
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		;
	munmap(map.mem, map.size);
}

/* gone PREFIX UNBIND BIND NAME: the board goes while all of it is mapped */
static void do_gone(char **arg)
{
	struct ring r = open_ring(arg[0]);
	const struct zio_control *ctrl = next_block(&r);
	struct zio_control copy = *ctrl;
	volatile uint8_t sum = 0;
	size_t i;
	pid_t child;

	child = fork();
	want(child >= 0);
	if (!child) {
		want(poll_in(r.ctrl, 0) == POLLIN);
		_exit(0);
	}
	wait_children(1);
	write_text(arg[1], arg[3]);
	want(poll_in(r.ctrl, -1) & POLLHUP);
	same(memcmp(ctrl, &copy, sizeof(copy)), 0);
	for (i = 0; i < r.hdr->data_size; i++)
		sum += r.data[i];
	r.hdr->tail = r.hdr->head;
	fails(read(r.fd, &copy, 16), ENODEV);
	no_map(r.fd, 0, 4096, PROT_READ, ENODEV);
	no_map(r.ctrl, 0, 4096, PROT_READ, ENODEV);
	write_text(arg[2], arg[3]);
}

/* fork PREFIX: a child goes on with the mappings, in any order of ends */
static void do_fork(char **arg)
{
	struct ring r = open_ring(arg[0]);
	int i, status;

	for (i = 0; i < 4; i++) {
		pid_t child = fork();

		want(child >= 0);
		if (!child) {
			if (i & 1)
				munmap(r.data, r.hdr->data_size);
			next_block(&r);
			release_block(&r);
			if (i & 2)
				munmap(r.hdr, 4096);
			_exit(0);
		}
		want(waitpid(child, &status, 0) == child && !status);
	}
	next_block(&r);
}

static void write_all(int fd, const void *mem, size_t size)
{
	same(write(fd, mem, size), size);
}

/* output PREFIX BLOCKS_FILE BYTES_FILE: blocks filled in place */
static void do_output(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDWR);
	unsigned long blocks = read_number(arg[1]), bytes = read_number(arg[2]);
	struct zio_control ctrl = read_control(pair.ctrl), bad;
	struct map map = map_file(pair.data, 0, 128 * 1024,
				  PROT_READ | PROT_WRITE);
	char byte = 0;
	int i;

	fails(write(pair.data, &byte, 1), EBUSY);
	bad = ctrl;
	bad.mem_offset++;
	fails(write(pair.ctrl, &bad, sizeof(bad)), EINVAL);
	bad = ctrl;
	bad.nsamples++;
	fails(write(pair.ctrl, &bad, sizeof(bad)), EMSGSIZE);
	for (i = 0; i < 1000; i++) {
		memset(map.mem + offset_of(&ctrl), i, ctrl.nsamples);
		ctrl.nsamples = 1 + i % 16;
		bytes += ctrl.nsamples;
		write_all(pair.ctrl, &ctrl, sizeof(ctrl));
		ctrl = read_control(pair.ctrl);
	}
	same(read_number(arg[1]), blocks + 1000);
	same(read_number(arg[2]), bytes);
}

/* forever PREFIX: takes blocks until it is killed */
static void do_forever(char **arg)
{
	struct ring r = open_ring(arg[0]);

	for (;;) {
		next_block(&r);
		release_block(&r);
	}
}

/* killed PREFIX N: a consumer is killed at any point; the next one goes on */
static void do_killed(char **arg)
{
	int i, n = strtoul(arg[1], NULL, 0), status;
	struct ring r;
	pid_t child;

	for (i = 0; i < n; i++) {
		child = fork();
		want(child >= 0);
		if (!child)
			do_forever(arg);
		usleep(1000 + i * 137);
		kill(child, SIGKILL);
		want(waitpid(child, &status, 0) == child);
		same(WTERMSIG(status), SIGKILL);
		r = open_ring(arg[0]);
		next_block(&r);
		release_block(&r);
		close_ring(&r);
	}
}

static const struct command commands[] = {
	{ "data", 2, do_data },
	{ "refuse", 2, do_refuse },
	{ "none", 1, do_none },
	{ "ring", 2, do_ring },
	{ "alone", 1, do_alone },
	{ "later", 1, do_later },
	{ "hostile", 1, do_hostile },
	{ "loss", 4, do_loss },
	{ "batch", 2, do_batch },
	{ "half", 1, do_half },
	{ "few", 2, do_few },
	{ "starve", 2, do_starve },
	{ "prefer", 2, do_prefer },
	{ "full", 1, do_full },
	{ "scratch", 1, do_scratch },
	{ "order", 1, do_order },
	{ "hold", 1, do_hold },
	{ "gone", 4, do_gone },
	{ "fork", 1, do_fork },
	{ "output", 3, do_output },
	{ "killed", 2, do_killed },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 120);
}
