// SPDX-License-Identifier: GPL-2.0-only
/*
 * node-share.c: an output plays the memory of an input's blocks
 *
 * IN counts samples of 4 bytes, in blocks of 16; OUT is the output of a loop, which
 * has its block until somebody reads the input of it, LOOP.
 */
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "node.h"

#define WORDS	16
#define BLOCKS	16	/* of a buffer kmalloc */

static int tie_to(int out, int in)
{
	return ioctl(out, ZIO_IOC_SHARE, &in);
}

/* The control of the next block, with the flags that make it a submission. */
static struct zio_control take(int in, uint32_t flags)
{
	struct zio_control ctrl = read_control(in);

	ctrl.flags |= ZIO_CONTROL_SHARED | flags;
	return ctrl;
}

static ssize_t submit(int out, const struct zio_control *ctrl)
{
	return write(out, ctrl, sizeof(*ctrl));
}

static void pass_on(int in, int out, uint32_t flags)
{
	struct zio_control ctrl = take(in, flags);

	same(submit(out, &ctrl), sizeof(ctrl));
}

/* A block of samples that count on; @first: of the first one, or NULL */
static void check_words(int data, uint32_t *next, unsigned int n)
{
	uint32_t word[WORDS];
	unsigned int i;

	same(read(data, word, n * 4), n * 4);
	for (i = 0; i < n; i++)
		same(word[i], (*next)++);
}

/* trip IN OUT LOOP BLOCKS: each block goes round, in order */
static void do_trip(char **arg)
{
	int in = open_node(arg[0], "ctrl", O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	int loop = open_node(arg[2], "data", O_RDONLY);
	uint32_t i, next = 0, blocks = strtoul(arg[3], NULL, 0);

	same(tie_to(out, in), 0);
	for (i = 0; i < blocks; i++) {
		pass_on(in, out, ZIO_CONTROL_SHARE_ONLY);
		check_words(loop, &next, WORDS);
	}
}

/* many IN OUT0 LOOP0 OUT1 LOOP1 BLOCKS: each block to two outputs, and read */
static void do_many(char **arg)
{
	struct pair in = open_pair(arg[0], O_RDONLY);
	int out[2], loop[2], c;
	uint32_t i, next[3] = { 0 }, blocks = strtoul(arg[5], NULL, 0);
	struct zio_control ctrl;

	for (c = 0; c < 2; c++) {
		out[c] = open_node(arg[1 + 2 * c], "ctrl", O_WRONLY);
		loop[c] = open_node(arg[2 + 2 * c], "data", O_RDONLY);
		same(tie_to(out[c], c ? in.data : in.ctrl), 0);
	}
	for (i = 0; i < blocks; i++) {
		ctrl = take(in.ctrl, ZIO_CONTROL_KEEP);
		same(submit(out[0], &ctrl), sizeof(ctrl));
		/* It is the reader's still; and who plays last may be any. */
		if (i % 2)
			check_words(in.data, &next[2], WORDS / 2);
		else
			next[2] += WORDS / 2;
		if (i % 3)
			ctrl.flags &= ~ZIO_CONTROL_KEEP;
		same(submit(out[1], &ctrl), sizeof(ctrl));
		if (i % 3 == 0 && i % 2)
			check_words(in.data, &next[2], WORDS / 2);
		else
			next[2] += WORDS / 2;
		check_words(loop[i % 2], &next[i % 2], WORDS);
		check_words(loop[!(i % 2)], &next[!(i % 2)], WORDS);
	}
}

/* piece IN OUT LOOP: some samples of a block, and of one that is partly read */
static void do_piece(char **arg)
{
	struct pair in = open_pair(arg[0], O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	int loop = open_node(arg[2], "data", O_RDONLY);
	struct zio_control ctrl, piece;
	uint32_t next = 4;

	same(tie_to(out, in.data), 0);
	ctrl = take(in.ctrl, ZIO_CONTROL_KEEP);
	piece = ctrl;
	piece.nsamples = 3;
	piece.mem_offset += 4 * 4;
	same(submit(out, &piece), sizeof(piece));
	check_words(loop, &next, 3);
	piece.nsamples = WORDS - 3;
	fails(submit(out, &piece), EMSGSIZE);
	piece.nsamples = 0;
	fails(submit(out, &piece), EMSGSIZE);
	piece = ctrl;
	piece.nsamples = 2;
	piece.mem_offset--;
	fails(submit(out, &piece), EMSGSIZE);
	piece.mem_offset += 2;
	fails(submit(out, &piece), EMSGSIZE);
	next = 0;
	check_words(in.data, &next, 5);
	ctrl.flags &= ~ZIO_CONTROL_KEEP;
	same(submit(out, &ctrl), sizeof(ctrl));
	next = 0;
	check_words(loop, &next, WORDS);
}

/* refuse IN OUT LOOP WIDE RING: each refusal; WIDE has other samples */
static void do_refuse(char **arg)
{
	struct pair in = open_pair(arg[0], O_RDONLY);
	struct pair out = open_pair(arg[1], O_RDWR);
	struct pair other = open_pair(arg[2], O_RDONLY);
	int wide = open_node(arg[3], "ctrl", O_WRONLY);
	struct zio_control ctrl, bad;
	int null = open("/dev/null", O_RDONLY), none = -1, pipes[2];
	uint32_t next = 0, word[WORDS] = { 0 };

	/* The relation. */
	fails(ioctl(out.ctrl, ZIO_IOC_SHARE, 1), EFAULT);
	fails(ioctl(out.ctrl, _IO('Z', 0x40), 0), ENOTTY);
	fails(tie_to(out.ctrl, 999), EBADF);
	fails(tie_to(out.ctrl, null), EINVAL);
	same(pipe(pipes), 0);
	fails(tie_to(out.ctrl, pipes[0]), EINVAL);
	fails(tie_to(in.ctrl, out.ctrl), ENOMSG);
	fails(tie_to(in.data, in.ctrl), ENOMSG);
	fails(tie_to(out.ctrl, out.ctrl), ELOOP);
	fails(tie_to(out.ctrl, out.data), ELOOP);
	fails(tie_to(out.ctrl, wide), ENOMSG);
	fails(ioctl(out.ctrl, ZIO_IOC_SHARE, &none), ENOTCONN);
	ctrl = take(in.ctrl, 0);
	fails(submit(out.ctrl, &ctrl), ENOTCONN);
	same(tie_to(out.data, in.data), 0);
	fails(tie_to(out.ctrl, in.ctrl), EISCONN);
	fails(tie_to(out.ctrl, other.ctrl), EISCONN);
	fails(tie_to(wide, out.ctrl), EMLINK);
	same(tie_to(wide, in.ctrl), 0);
	fails(submit(wide, &ctrl), EINVAL);

	/* The block. */
	bad = ctrl;
	bad.major_version++;
	fails(submit(out.ctrl, &bad), EPROTO);
	bad = ctrl;
	bad.addr.chan++;
	fails(submit(out.ctrl, &bad), ENXIO);
	bad = ctrl;
	bad.ssize = 2;
	fails(submit(out.ctrl, &bad), EINVAL);
	bad = ctrl;
	bad.nsamples = WORDS + 1;
	fails(submit(out.ctrl, &bad), EMSGSIZE);
	bad = ctrl;
	bad.seq_num++;
	fails(submit(out.ctrl, &bad), ENOENT);
	bad.seq_num = ctrl.seq_num - 1;
	fails(submit(out.ctrl, &bad), ESTALE);
	same(write(out.data, word, 4), 4);
	fails(submit(out.ctrl, &ctrl), EBUSY);
	same(write(out.data, word, sizeof(word) - 4), sizeof(word) - 4);
	same(read(other.data, word, sizeof(word)), sizeof(word));

	/* Nothing of all this has changed anything. */
	same(submit(out.ctrl, &ctrl), sizeof(ctrl));
	check_words(other.data, &next, WORDS);
	fails(submit(out.ctrl, &ctrl), ESTALE);
	same(ioctl(out.data, ZIO_IOC_SHARE, &none), 0);
	ctrl = take(in.ctrl, 0);
	fails(submit(out.ctrl, &ctrl), ENOTCONN);
	check_words(in.data, &next, WORDS);
}

/* ring IN OUT: blocks of a ring are in nobody's hand */
static void do_ring(char **arg)
{
	int in = open_node(arg[0], "ctrl", O_RDWR);

	fails(tie_to(open_node(arg[1], "ctrl", O_WRONLY), in), EBUSY);
}

/* stale IN OUT: given back, by hand: read on; closed: the other side is told */
static void do_stale(char **arg)
{
	struct pair in = open_pair(arg[0], O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	struct zio_control ctrl, next;

	same(tie_to(out, in.ctrl), 0);
	ctrl = take(in.ctrl, 0);
	next = take(in.ctrl, 0);
	fails(submit(out, &ctrl), ESTALE);
	close_pair(in);
	fails(submit(out, &next), ENOTCONN);
	in = open_pair(arg[0], O_RDONLY);
	fails(submit(out, &next), ENOTCONN);
	same(tie_to(out, in.ctrl), 0);
	fails(submit(out, &next), ENOENT);
}

/* several IN OUT LOOP: controls that are read at once, submitted in any order */
static void do_several(char **arg)
{
	static const int order[] = { 2, 0, 3, 1 };
	struct pair in = open_pair(arg[0], O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	int loop = open_node(arg[2], "data", O_RDONLY);
	struct zio_control ctrl[4];
	uint32_t next;
	int i;

	same(tie_to(out, in.data), 0);
	same(read(in.ctrl, ctrl, sizeof(ctrl)), sizeof(ctrl));
	for (i = 0; i < 4; i++) {
		ctrl[order[i]].flags |= ZIO_CONTROL_SHARED;
		same(submit(out, &ctrl[order[i]]), sizeof(*ctrl));
	}
	for (i = 0; i < 4; i++) {
		next = order[i] * WORDS;
		check_words(loop, &next, WORDS);
	}
	next = 4 * WORDS;
	check_words(in.data, &next, WORDS);
}

static struct zio_share_info info_of(const struct zio_control *ctrl)
{
	struct zio_share_info info;

	same(ctrl->tlv[0].type, ZIO_TLV_SHARE);
	same(ctrl->tlv[0].length, 1);
	memcpy(&info, ctrl->tlv[0].payload, sizeof(info));
	return info;
}

static void check_told(const char *file, uint32_t how, uint32_t error)
{
	int fd = open_file(file, O_RDONLY);
	struct zio_control ctrl = read_control(fd);

	same(info_of(&ctrl).how, how);
	same(info_of(&ctrl).error, error);
	same(!!(ctrl.flags & ZIO_CONTROL_SHARED), how == ZIO_SHARE_SHARED);
	close(fd);
}

/* copied IN OUT LOOP CURRENT-CONTROL ERRNO POS: why it is not shared is told */
static void do_copied(char **arg)
{
	int in = open_node(arg[0], "ctrl", O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	int loop = open_node(arg[2], "data", O_RDONLY);
	uint32_t next = strtoul(arg[5], NULL, 0);
	int why = atoi(arg[4]);
	struct zio_control ctrl;

	same(tie_to(out, in), 0);
	check_told(arg[3], ZIO_SHARE_NONE, 0);
	ctrl = take(in, ZIO_CONTROL_SHARE_ONLY);
	ctrl.mem_offset += 4 * next;
	ctrl.nsamples -= next;
	fails(submit(out, &ctrl), why);
	check_told(arg[3], ZIO_SHARE_NONE, 0);
	ctrl.flags &= ~ZIO_CONTROL_SHARE_ONLY;
	same(submit(out, &ctrl), sizeof(ctrl));
	check_told(arg[3], ZIO_SHARE_COPIED, why);
	check_words(loop, &next, ctrl.nsamples);
}

/* lent IN OUT LOOP CURRENT-CONTROL: pages of it are in a pipe; blocks of a page */
static void do_lent(char **arg)
{
	struct pair in = open_pair(arg[0], O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	int loop = open_node(arg[2], "data", O_RDONLY);
	struct zio_control ctrl;
	static uint32_t word[2048];
	int pipes[2], i;

	same(pipe(pipes), 0);
	same(tie_to(out, in.ctrl), 0);
	ctrl = take(in.ctrl, ZIO_CONTROL_SHARE_ONLY);
	same(ctrl.nsamples, 2048);
	same(splice(in.data, NULL, pipes[1], NULL, 4096, 0), 4096);
	fails(submit(out, &ctrl), ETXTBSY);
	ctrl.flags &= ~ZIO_CONTROL_SHARE_ONLY;
	same(submit(out, &ctrl), sizeof(ctrl));
	check_told(arg[3], ZIO_SHARE_COPIED, ETXTBSY);
	same(read(loop, word, sizeof(word)), sizeof(word));
	for (i = 0; i < 2048; i++)
		same(word[i], i);
	same(read(pipes[0], word, sizeof(word)), 4096);
	same(word[1023], 1023);
	/* And the other way round: what is played is not lent, but copied. */
	ctrl = take(in.ctrl, ZIO_CONTROL_KEEP);
	same(submit(out, &ctrl), sizeof(ctrl));
	check_told(arg[3], ZIO_SHARE_SHARED, 0);
	same(splice(in.data, NULL, pipes[1], NULL, 8192, 0), 8192);
	same(read(pipes[0], word, sizeof(word)), sizeof(word));
	same(word[0], 2048);
	same(read(loop, word, sizeof(word)), sizeof(word));
	same(word[2047], 4095);
}

/* offer IN OUT LOOP: what the output offers tells of it, and can be filled still */
static void do_offer(char **arg)
{
	int in = open_node(arg[0], "ctrl", O_RDONLY);
	struct pair out = open_pair(arg[1], O_RDWR);
	int loop = open_node(arg[2], "data", O_RDONLY);
	struct zio_control ctrl = read_control(out.ctrl);
	uint32_t *mem, next = 0;

	same(info_of(&ctrl).how, ZIO_SHARE_NONE);
	mem = mmap(NULL, 128 * 1024, PROT_READ | PROT_WRITE, MAP_SHARED, out.data,
		   0);
	want(mem != MAP_FAILED);
	same(tie_to(out.ctrl, in), 0);
	pass_on(in, out.ctrl, 0);
	check_words(loop, &next, WORDS);
	ctrl = read_control(out.ctrl);
	same(info_of(&ctrl).how, ZIO_SHARE_SHARED);
	want(ctrl.flags & ZIO_CONTROL_SHARED);
	mem[ctrl.mem_offset / 4] = 77;
	ctrl.nsamples = 1;
	same(write(out.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	next = 77;
	check_words(loop, &next, 1);
}

/* Fills an offered block with a number, and plays it. */
static void fill_in_place(int out, uint32_t *mem, struct zio_control ctrl, uint32_t n)
{
	unsigned int i;

	same(ctrl.nsamples, WORDS);
	for (i = 0; i < WORDS; i++)
		mem[ctrl.mem_offset / 4 + i] = n;
	same(write(out, &ctrl, sizeof(ctrl)), sizeof(ctrl));
}

static void check_filled(int loop, uint32_t n)
{
	uint32_t word[WORDS], i;

	same(read(loop, word, sizeof(word)), sizeof(word));
	for (i = 0; i < WORDS; i++)
		same(word[i], n);
}

/*
 * trim IN OUT LOOP BYTES: offered blocks, filled in place, or used up by a submission,
 * which gives their memory back; what is still to be played stays as it is
 */
static void do_trim(char **arg)
{
	int in = open_node(arg[0], "ctrl", O_RDONLY), i, done = 0;
	struct pair out = open_pair(arg[1], O_RDWR);
	int loop = open_node(arg[2], "data", O_RDONLY);
	uint32_t *mem, next = 0;

	mem = mmap(NULL, strtoul(arg[3], NULL, 0), PROT_READ | PROT_WRITE, MAP_SHARED,
		   out.data, 0);
	want(mem != MAP_FAILED);
	same(tie_to(out.ctrl, in), 0);
	for (i = 0; i < 1000; i++) {
		if (i % 3 == 0)
			fill_in_place(out.ctrl, mem, read_control(out.ctrl), ~i);
		if (i % 3 == 1)
			same(read_control(out.ctrl).nsamples, WORDS);
		if (i % 3)
			pass_on(in, out.ctrl, 0);
		if (i - done < 8 && i < 999)
			continue;
		for (; done <= i; done++) {
			if (done % 3 == 0)
				check_filled(loop, ~done);
			else
				check_words(loop, &next, WORDS);
		}
	}
}

/* full IN OUT LOOP: a full output says so, or makes one wait */
static void do_full(char **arg)
{
	int in = open_node(arg[0], "ctrl", O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY | O_NONBLOCK);
	int loop = open_node(arg[2], "data", O_RDONLY);
	struct pollfd pfd = { out, POLLOUT, 0 };
	struct zio_control ctrl;
	uint32_t next = 0;
	int i;

	same(tie_to(out, in), 0);
	for (i = 0; i < BLOCKS / 2; i++) {
		same(poll(&pfd, 1, 0), 1);
		pass_on(in, out, 0);
	}
	same(poll(&pfd, 1, 0), 0);
	ctrl = take(in, 0);
	fails(submit(out, &ctrl), EAGAIN);
	fails(submit(out, &ctrl), EAGAIN);
	if (!fork()) {
		fcntl(out, F_SETFL, 0);
		same(submit(out, &ctrl), sizeof(ctrl));
		fails(submit(out, &ctrl), ESTALE);
		_exit(0);
	}
	usleep(50000);
	for (i = 0; i <= BLOCKS / 2; i++)
		check_words(loop, &next, WORDS);
	wait_children(1);
	same(poll(&pfd, 1, 0), 1);
}

/* hog IN OUT LOOP: all memory of the input is with the output; its reader waits */
static void do_hog(char **arg)
{
	struct pair in = open_pair(arg[0], O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	int loop = open_node(arg[2], "data", O_RDONLY);
	struct pollfd pfd = { in.data, POLLIN, 0 };
	uint32_t next = 0, read_next = BLOCKS * WORDS;
	int i;

	same(tie_to(out, in.ctrl), 0);
	for (i = 0; i < BLOCKS; i++)
		pass_on(in.ctrl, out, 0);
	fcntl(in.data, F_SETFL, O_NONBLOCK);
	fails(read(in.data, &i, 4), EAGAIN);
	same(poll(&pfd, 1, 0), 0);
	if (!fork()) {
		same(poll(&pfd, 1, -1), 1);
		fcntl(in.data, F_SETFL, 0);
		check_words(in.data, &read_next, WORDS);
		_exit(0);
	}
	usleep(50000);
	check_words(loop, &next, WORDS);
	wait_children(1);
	for (i = 1; i < BLOCKS; i++)
		check_words(loop, &next, WORDS);
}

/* passed IN OUT LOOP: the fd comes from another process, which then ends */
static void do_passed(char **arg)
{
	char space[CMSG_SPACE(sizeof(int))] = "", byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	int sock[2], in, out, loop, i;
	struct cmsghdr *cmsg;
	uint32_t next = 0;

	same(socketpair(AF_UNIX, SOCK_STREAM, 0, sock), 0);
	if (!fork()) {
		in = open_node(arg[0], "ctrl", O_RDONLY);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &in, sizeof(int));
		same(sendmsg(sock[1], &msg, 0), 1);
		_exit(0);
	}
	same(recvmsg(sock[0], &msg, 0), 1);
	memcpy(&in, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	wait_children(1);
	out = open_node(arg[1], "ctrl", O_WRONLY);
	loop = open_node(arg[2], "data", O_RDONLY);
	same(tie_to(out, in), 0);
	for (i = 0; i < 3; i++) {
		pass_on(in, out, 0);
		check_words(loop, &next, WORDS);
	}
	/* A session of one's own is another reader's: it has not what he has. */
	if (!fork()) {
		struct zio_control ctrl;
		int mine = open_node(arg[1], "ctrl", O_WRONLY);
		int own = open_node(arg[0], "ctrl", O_RDONLY);

		ctrl = take(in, 0);
		same(tie_to(mine, own), 0);
		fails(submit(mine, &ctrl), ENOENT);
		same(submit(out, &ctrl), sizeof(ctrl));
		_exit(0);
	}
	wait_children(1);
	check_words(loop, &next, WORDS);
}

/* What the output has played is right, whatever has become of the input. */
static void play_all(const char *prefix, int n)
{
	int loop = open_node(prefix, "data", O_RDONLY);
	uint32_t next = 0;

	while (n--)
		check_words(loop, &next, WORDS);
}

static void hand_over(const char *input, const char *output, int n, int keep)
{
	int in = open_node(input, "ctrl", O_RDONLY);
	int out = open_node(output, "ctrl", O_WRONLY);

	same(tie_to(out, in), 0);
	while (n--)
		pass_on(in, out, n < keep ? ZIO_CONTROL_KEEP : 0);
	close(in);
	close(out);
}

/* hand IN OUT: one block, and that is all */
static void do_hand(char **arg)
{
	hand_over(arg[0], arg[1], 1, 0);
}

/* closed IN OUT LOOP: both are closed at once; what was kept is left over */
static void do_closed(char **arg)
{
	uint32_t next = 5 * WORDS;

	hand_over(arg[0], arg[1], 6, 1);
	/* The next reader has it, and gives it back first. */
	check_words(open_node(arg[0], "data", O_RDONLY), &next, WORDS);
	play_all(arg[2], 6);
}

/* change IN OUT LOOP FILE=VALUE: something of the input changes meanwhile */
static void do_change(char **arg)
{
	char *value = strchr(arg[3], '=');

	hand_over(arg[0], arg[1], 6, 2);
	*value++ = '\0';
	write_text(arg[3], value);
	play_all(arg[2], 6);
}

/* gone IN OUT LOOP UNBIND DEVICE: the input's board goes, with its files open */
static void do_gone(char **arg)
{
	struct pair in = open_pair(arg[0], O_RDONLY);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	struct zio_control ctrl;
	int i;

	same(tie_to(out, in.ctrl), 0);
	for (i = 0; i < 6; i++)
		pass_on(in.ctrl, out, i % 2 ? ZIO_CONTROL_KEEP : 0);
	ctrl = take(in.ctrl, 0);
	write_text(arg[3], arg[4]);
	fails(submit(out, &ctrl), ENODEV);
	fails(tie_to(out, in.ctrl), ENODEV);
	close_pair(in);
	fails(submit(out, &ctrl), ENOTCONN);
	play_all(arg[2], 6);
}

/* unplug IN OUT UNBIND DEVICE: the output's board goes; the input has all again */
static void do_unplug(char **arg)
{
	int in = open_node(arg[0], "ctrl", O_RDONLY | O_NONBLOCK);
	struct pair data = open_pair(arg[0], O_RDONLY | O_NONBLOCK);
	int out = open_node(arg[1], "ctrl", O_WRONLY);
	struct zio_control ctrl, all[BLOCKS];
	int i;

	same(tie_to(out, in), 0);
	for (i = 0; i < BLOCKS - 1; i++)
		pass_on(in, out, 0);
	ctrl = take(in, 0);
	write_text(arg[2], arg[3]);
	fails(submit(out, &ctrl), ENODEV);
	fails(tie_to(out, in), ENODEV);
	/* So many are in hand at once: none has stayed away. */
	same(read(data.ctrl, all, sizeof(all)), sizeof(all));
	fails(read(data.ctrl, all, 0), EINVAL);
}

/* killed IN OUT LOOP: who has both is killed while he sleeps in a submission */
static void do_killed(char **arg)
{
	unsigned int *n = share_memory(sizeof(*n));
	int in, out, status;
	pid_t pid = fork();

	if (!pid) {
		in = open_node(arg[0], "ctrl", O_RDONLY);
		out = open_node(arg[1], "ctrl", O_WRONLY);
		same(tie_to(out, in), 0);
		for (;; (*n)++)
			pass_on(in, out, *n % 2 ? ZIO_CONTROL_KEEP : 0);
	}
	while (get(n) < BLOCKS / 2)
		usleep(1000);
	usleep(20000);
	kill(pid, SIGKILL);
	same(waitpid(pid, &status, 0), pid);
	play_all(arg[2], BLOCKS / 2);
}

static const struct command commands[] = {
	{ "trip", 4, do_trip },
	{ "many", 6, do_many },
	{ "piece", 3, do_piece },
	{ "refuse", 4, do_refuse },
	{ "ring", 2, do_ring },
	{ "stale", 2, do_stale },
	{ "several", 3, do_several },
	{ "copied", 6, do_copied },
	{ "lent", 4, do_lent },
	{ "offer", 3, do_offer },
	{ "trim", 4, do_trim },
	{ "full", 3, do_full },
	{ "hog", 3, do_hog },
	{ "passed", 3, do_passed },
	{ "hand", 2, do_hand },
	{ "closed", 3, do_closed },
	{ "change", 4, do_change },
	{ "gone", 5, do_gone },
	{ "unplug", 4, do_unplug },
	{ "killed", 3, do_killed },
	{ }
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 60);
}
