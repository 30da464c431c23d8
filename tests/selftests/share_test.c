// SPDX-License-Identifier: GPL-2.0-only
/*
 * share_test.c: which blocks outputs share, which they copy, and which they refuse
 *
 * # check
 */
#include <sys/socket.h>
#include <sys/stat.h>

#include "share.h"

/* A loop that claims that it cannot reach all memory. */
#define FAR_CONFIG	ZIO_CONFIG "/devices/zloop/far"
#define FAR_OUT		"/dev/zio/zloop-0009-0-0"
#define FAR_LOOP	"/dev/zio/zloop-0009-1-0"
#define FAR_CHAN	"/sys/bus/zio/devices/zloop-0009/cset0/chan0"

/* Words of four bytes in a page */

SETUP(output_vmalloc)
{
	renew_zzero_and_loops("kmalloc vmalloc");
}

SETUP(small_area)
{
	renew_zzero_and_loops("kmalloc vmalloc");
	write_text(CHAN "/buffer/max-buffer-kb", "4");
}

SETUP(short_queue)
{
	renew_zzero_and_loops("kmalloc kmalloc");
	write_text(CHAN "/buffer/max-buffer-len", "8");
}

SETUP(long_queue)
{
	renew_zzero_and_loops("kmalloc kmalloc");
	write_text(CHAN "/buffer/max-buffer-len", "32");
}

/* How many blocks were shared, and copied, and their bytes. */
static void check_counts(const char *chan, unsigned long shared, unsigned long copied,
			 unsigned long bytes)
{
	ASSERT_EQ(number_in("%s/statistics/shared", chan), shared);
	ASSERT_EQ(number_in("%s/statistics/copied", chan), copied);
	ASSERT_EQ(number_in("%s/statistics/copied-bytes", chan), bytes);
}

/* Each block comes out of the loop, in order. */
static void check_round_trip(const char *out_node, const char *loop_node,
			     uint32_t blocks)
{
	int in = open_node(IN, "ctrl", O_RDONLY);
	int out = open_node(out_node, "ctrl", O_WRONLY);
	int loop = open_node(loop_node, "data", O_RDONLY);
	uint32_t i, next = 0;

	ASSERT_EQ(link_to(out, in), 0);
	for (i = 0; i < blocks; i++) {
		pass_on(in, out, ZIO_CONTROL_SHARE_ONLY);
		check_words(loop, &next, WORDS);
	}
}

/* Each block goes to two outputs and is read. */
static void check_two_outputs(uint32_t blocks)
{
	static const char *const outs[] = { OUT, "/dev/zio/zloop-0001-0-0" };
	static const char *const loops[] = { LOOP, "/dev/zio/zloop-0001-1-0" };
	struct pair in = open_pair(IN, O_RDONLY);
	int out[2], loop[2], c;
	uint32_t i, next[3] = { 0 };
	struct zio_control ctrl;

	for (c = 0; c < 2; c++) {
		out[c] = open_node(outs[c], "ctrl", O_WRONLY);
		loop[c] = open_node(loops[c], "data", O_RDONLY);
		ASSERT_EQ(link_to(out[c], c ? in.data : in.ctrl), 0);
	}
	for (i = 0; i < blocks; i++) {
		ctrl = take(in.ctrl, ZIO_CONTROL_KEEP);
		ASSERT_EQ(submit(out[0], &ctrl), sizeof(ctrl));
		/* The reader still has it; either output may play last. */
		if (i % 2)
			check_words(in.data, &next[2], WORDS / 2);
		else
			next[2] += WORDS / 2;
		if (i % 3)
			ctrl.flags &= ~ZIO_CONTROL_KEEP;
		ASSERT_EQ(submit(out[1], &ctrl), sizeof(ctrl));
		if (i % 3 == 0 && i % 2)
			check_words(in.data, &next[2], WORDS / 2);
		else
			next[2] += WORDS / 2;
		check_words(loop[i % 2], &next[i % 2], WORDS);
		check_words(loop[!(i % 2)], &next[!(i % 2)], WORDS);
	}
}

TEST_EACH("a part of a block, and a block that is partly read, %s", fresh,
	  "kmalloc kmalloc", "vmalloc vmalloc")
{
	struct pair in = open_pair(IN, O_RDONLY);
	int out = open_node(OUT, "ctrl", O_WRONLY);
	int loop = open_node(LOOP, "data", O_RDONLY);
	struct zio_control ctrl, piece;
	uint32_t next = 4;

	ASSERT_EQ(link_to(out, in.data), 0);
	ctrl = take(in.ctrl, ZIO_CONTROL_KEEP);
	piece = ctrl;
	piece.nsamples = 3;
	piece.mem_offset += 4 * 4;
	ASSERT_EQ(submit(out, &piece), sizeof(piece));
	check_words(loop, &next, 3);
	piece.nsamples = WORDS - 3;
	ASSERT_ERRNO(submit(out, &piece), EMSGSIZE);
	piece.nsamples = 0;
	ASSERT_ERRNO(submit(out, &piece), EMSGSIZE);
	piece = ctrl;
	piece.nsamples = 2;
	piece.mem_offset--;
	ASSERT_ERRNO(submit(out, &piece), EMSGSIZE);
	piece.mem_offset += 2;
	ASSERT_ERRNO(submit(out, &piece), EMSGSIZE);
	next = 0;
	check_words(in.data, &next, 5);
	ctrl.flags &= ~ZIO_CONTROL_KEEP;
	ASSERT_EQ(submit(out, &ctrl), sizeof(ctrl));
	next = 0;
	check_words(loop, &next, WORDS);
}

TEST("an output is linked to one input of the same samples, and nothing else",
     fresh_kmalloc)
{
	struct pair in = open_pair(IN, O_RDONLY);
	struct pair out = open_pair(OUT, O_RDWR);
	struct pair other = open_pair(LOOP, O_RDONLY);
	int wide = open_node(ZZERO "-1-0", "ctrl", O_WRONLY);
	int null = open_file("/dev/null", O_RDONLY), none = -1, pipes[2];

	ASSERT_ERRNO(ioctl(out.ctrl, ZIO_IOC_SHARE, 1), EFAULT);
	ASSERT_ERRNO(ioctl(out.ctrl, _IO('Z', 0x40), 0), ENOTTY);
	ASSERT_ERRNO(link_to(out.ctrl, 999), EBADF);
	ASSERT_ERRNO(link_to(out.ctrl, null), EINVAL);
	ASSERT_EQ(pipe(pipes), 0);
	ASSERT_ERRNO(link_to(out.ctrl, pipes[0]), EINVAL);
	ASSERT_ERRNO(link_to(in.ctrl, out.ctrl), ENOMSG);
	ASSERT_ERRNO(link_to(in.data, in.ctrl), ENOMSG);
	ASSERT_ERRNO(link_to(out.ctrl, out.ctrl), ELOOP);
	ASSERT_ERRNO(link_to(out.ctrl, out.data), ELOOP);
	ASSERT_ERRNO(link_to(out.ctrl, wide), ENOMSG);
	ASSERT_ERRNO(ioctl(out.ctrl, ZIO_IOC_SHARE, &none), ENOTCONN);
	ASSERT_EQ(link_to(out.data, in.data), 0);
	ASSERT_ERRNO(link_to(out.ctrl, in.ctrl), EISCONN);
	ASSERT_ERRNO(link_to(out.ctrl, other.ctrl), EISCONN);
	ASSERT_ERRNO(link_to(wide, out.ctrl), EMLINK);
	ASSERT_EQ(link_to(wide, in.ctrl), 0);
	ASSERT_EQ(ioctl(out.data, ZIO_IOC_SHARE, &none), 0);
}

TEST("an output that is not linked, or has other samples, takes no block", fresh_kmalloc)
{
	struct pair in = open_pair(IN, O_RDONLY);
	int out = open_node(OUT, "ctrl", O_WRONLY), none = -1;
	int wide = open_node(ZZERO "-1-0", "ctrl", O_WRONLY);
	struct zio_control ctrl = take(in.ctrl, 0);
	uint32_t next = 0;

	ASSERT_ERRNO(submit(out, &ctrl), ENOTCONN);
	ASSERT_EQ(link_to(wide, in.ctrl), 0);
	ASSERT_ERRNO(submit(wide, &ctrl), EINVAL);
	ASSERT_EQ(link_to(out, in.data), 0);
	ASSERT_EQ(ioctl(out, ZIO_IOC_SHARE, &none), 0);
	ASSERT_ERRNO(submit(out, &ctrl), ENOTCONN);
	check_words(in.data, &next, WORDS);
}

/* The output refuses the control, of which one field is wrong. */
static void check_refused(int out, struct zio_control ctrl, int code)
{
	ASSERT_ERRNO(submit(out, &ctrl), code);
}

TEST("each wrong submission has its errno and changes nothing", fresh_kmalloc)
{
	struct pair in = open_pair(IN, O_RDONLY);
	struct pair out = open_pair(OUT, O_RDWR);
	int loop = open_node(LOOP, "data", O_RDONLY);
	uint32_t next = 0, word[WORDS] = { 0 };
	struct zio_control ctrl, bad;

	ASSERT_EQ(link_to(out.data, in.data), 0);
	ctrl = take(in.ctrl, 0);
	bad = ctrl, bad.major_version++;
	check_refused(out.ctrl, bad, EPROTO);
	bad = ctrl, bad.addr.chan++;
	check_refused(out.ctrl, bad, ENXIO);
	bad = ctrl, bad.ssize = 2;
	check_refused(out.ctrl, bad, EINVAL);
	bad = ctrl, bad.nsamples = WORDS + 1;
	check_refused(out.ctrl, bad, EMSGSIZE);
	bad = ctrl, bad.seq_num++;
	check_refused(out.ctrl, bad, ENOENT);
	bad = ctrl, bad.seq_num--;
	check_refused(out.ctrl, bad, ESTALE);
	ASSERT_EQ(write(out.data, word, 4), 4);
	check_refused(out.ctrl, ctrl, EBUSY);
	ASSERT_EQ(write(out.data, word, sizeof(word) - 4), sizeof(word) - 4);
	ASSERT_EQ(read(loop, word, sizeof(word)), sizeof(word));
	ASSERT_EQ(submit(out.ctrl, &ctrl), sizeof(ctrl));
	check_words(loop, &next, WORDS);
	check_refused(out.ctrl, ctrl, ESTALE);
	check_counts(CHAN, 1, 0, 0);
}

TEST("an input with a ring is not shared", input_vmalloc)
{
	int in = open_node(IN, "ctrl", O_RDWR);

	ASSERT_ERRNO(link_to(open_node(OUT, "ctrl", O_WRONLY), in), EBUSY);
}

TEST("a block that was given back, or whose input is closed, is refused", fresh_kmalloc)
{
	struct pair in = open_pair(IN, O_RDONLY);
	int out = open_node(OUT, "ctrl", O_WRONLY);
	struct zio_control ctrl, next;

	ASSERT_EQ(link_to(out, in.ctrl), 0);
	ctrl = take(in.ctrl, 0);
	next = take(in.ctrl, 0);
	ASSERT_ERRNO(submit(out, &ctrl), ESTALE);
	close_pair(in);
	ASSERT_ERRNO(submit(out, &next), ENOTCONN);
	in = open_pair(IN, O_RDONLY);
	ASSERT_ERRNO(submit(out, &next), ENOTCONN);
	ASSERT_EQ(link_to(out, in.ctrl), 0);
	ASSERT_ERRNO(submit(out, &next), ENOENT);
}

TEST("controls of one read are submitted in any order", fresh_kmalloc)
{
	static const int order[] = { 2, 0, 3, 1 };
	struct pair in = open_pair(IN, O_RDONLY);
	int out = open_node(OUT, "ctrl", O_WRONLY);
	int loop = open_node(LOOP, "data", O_RDONLY);
	struct zio_control ctrl[4];
	uint32_t next;
	int i;

	ASSERT_EQ(link_to(out, in.data), 0);
	ASSERT_EQ(read(in.ctrl, ctrl, sizeof(ctrl)), sizeof(ctrl));
	for (i = 0; i < 4; i++) {
		ctrl[order[i]].flags |= ZIO_CONTROL_SHARED;
		ASSERT_EQ(submit(out, &ctrl[order[i]]), sizeof(*ctrl));
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

	ASSERT_EQ(ctrl->tlv[0].type, ZIO_TLV_SHARE);
	ASSERT_EQ(ctrl->tlv[0].length, 1);
	memcpy(&info, ctrl->tlv[0].payload, sizeof(info));
	return info;
}

static void check_told(const char *file, uint32_t how, uint32_t error)
{
	int fd = open_file(file, O_RDONLY);
	struct zio_control ctrl = read_control(fd);

	ASSERT_EQ(info_of(&ctrl).how, how);
	ASSERT_EQ(info_of(&ctrl).error, error);
	ASSERT_EQ(!!(ctrl.flags & ZIO_CONTROL_SHARED), how == ZIO_SHARE_SHARED);
	close(fd);
}

/* A block is copied from sample @first on; the control tells why. */
static void check_copied(int why, uint32_t first)
{
	int in = open_node(IN, "ctrl", O_RDONLY);
	int out = open_node(FAR_OUT, "ctrl", O_WRONLY);
	int loop = open_node(FAR_LOOP, "data", O_RDONLY);
	uint32_t next = first;
	struct zio_control ctrl;

	ASSERT_EQ(link_to(out, in), 0);
	check_told(FAR_CHAN "/current-control", ZIO_SHARE_NONE, 0);
	ctrl = take(in, ZIO_CONTROL_SHARE_ONLY);
	ctrl.mem_offset += 4 * next;
	ctrl.nsamples -= next;
	ASSERT_ERRNO(submit(out, &ctrl), why);
	check_told(FAR_CHAN "/current-control", ZIO_SHARE_NONE, 0);
	ctrl.flags &= ~ZIO_CONTROL_SHARE_ONLY;
	ASSERT_EQ(submit(out, &ctrl), sizeof(ctrl));
	check_told(FAR_CHAN "/current-control", ZIO_SHARE_COPIED, why);
	check_words(loop, &next, ctrl.nsamples);
}

TEST("an offered control tells how the last block was passed", output_vmalloc)
{
	int in = open_node(IN, "ctrl", O_RDONLY);
	struct pair out = open_pair(OUT, O_RDWR);
	int loop = open_node(LOOP, "data", O_RDONLY);
	struct zio_control ctrl = read_control(out.ctrl);
	uint32_t *mem, next = 0;

	ASSERT_EQ(info_of(&ctrl).how, ZIO_SHARE_NONE);
	mem = mmap(NULL, 128 * 1024, PROT_READ | PROT_WRITE, MAP_SHARED, out.data, 0);
	ASSERT_TRUE(mem != MAP_FAILED);
	ASSERT_EQ(link_to(out.ctrl, in), 0);
	pass_on(in, out.ctrl, 0);
	check_words(loop, &next, WORDS);
	ctrl = read_control(out.ctrl);
	ASSERT_EQ(info_of(&ctrl).how, ZIO_SHARE_SHARED);
	ASSERT_TRUE(ctrl.flags & ZIO_CONTROL_SHARED);
	mem[ctrl.mem_offset / 4] = 77;
	ctrl.nsamples = 1;
	ASSERT_EQ(write(out.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	next = 77;
	check_words(loop, &next, 1);
}

/* Fill an offered block with a number and play it. */
static void fill_in_place(int out, uint32_t *mem, struct zio_control ctrl, uint32_t n)
{
	unsigned int i;

	ASSERT_EQ(ctrl.nsamples, WORDS);
	for (i = 0; i < WORDS; i++)
		mem[ctrl.mem_offset / 4 + i] = n;
	ASSERT_EQ(write(out, &ctrl, sizeof(ctrl)), sizeof(ctrl));
}

static void check_filled(int loop, uint32_t n)
{
	uint32_t word[WORDS], i;

	ASSERT_EQ(read(loop, word, sizeof(word)), sizeof(word));
	for (i = 0; i < WORDS; i++)
		ASSERT_EQ(word[i], n);
}

TEST("offered blocks are filled in place, or used up by a submission", small_area)
{
	int in = open_node(IN, "ctrl", O_RDONLY), i, done = 0;
	struct pair out = open_pair(OUT, O_RDWR);
	int loop = open_node(LOOP, "data", O_RDONLY);
	uint32_t *mem, next = 0;

	mem = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
		   out.data, 0);
	ASSERT_TRUE(mem != MAP_FAILED);
	ASSERT_EQ(link_to(out.ctrl, in), 0);
	for (i = 0; i < 1000; i++) {
		if (i % 3 == 0)
			fill_in_place(out.ctrl, mem, read_control(out.ctrl), ~i);
		if (i % 3 == 1)
			ASSERT_EQ(read_control(out.ctrl).nsamples, WORDS);
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
	check_counts(CHAN, 666, 0, 0);
}

TEST("a full output returns EAGAIN, or waits", short_queue)
{
	int in = open_node(IN, "ctrl", O_RDONLY);
	int out = open_node(OUT, "ctrl", O_WRONLY | O_NONBLOCK);
	int loop = open_node(LOOP, "data", O_RDONLY);
	struct pollfd pfd = { out, POLLOUT, 0 };
	struct zio_control ctrl;
	uint32_t next = 0;
	pid_t pid;
	int i;

	ASSERT_EQ(link_to(out, in), 0);
	for (i = 0; i < BLOCKS / 2; i++) {
		ASSERT_EQ(poll(&pfd, 1, 0), 1);
		pass_on(in, out, 0);
	}
	ASSERT_EQ(poll(&pfd, 1, 0), 0);
	ctrl = take(in, 0);
	ASSERT_ERRNO(submit(out, &ctrl), EAGAIN);
	ASSERT_ERRNO(submit(out, &ctrl), EAGAIN);
	pid = fork_child();
	if (!pid) {
		fcntl(out, F_SETFL, 0);
		ASSERT_EQ(submit(out, &ctrl), sizeof(ctrl));
		ASSERT_ERRNO(submit(out, &ctrl), ESTALE);
		_exit(0);
	}
	wait_for(10, task_state(pid) == 'S');
	for (i = 0; i <= BLOCKS / 2; i++)
		check_words(loop, &next, WORDS);
	wait_children(1);
	ASSERT_EQ(poll(&pfd, 1, 0), 1);
}

TEST("the reader waits while an output has all memory of the input", long_queue)
{
	struct pair in = open_pair(IN, O_RDONLY);
	int out = open_node(OUT, "ctrl", O_WRONLY);
	int loop = open_node(LOOP, "data", O_RDONLY);
	struct pollfd pfd = { in.data, POLLIN, 0 };
	uint32_t next = 0, read_next = BLOCKS * WORDS;
	pid_t pid;
	int i;

	ASSERT_EQ(link_to(out, in.ctrl), 0);
	for (i = 0; i < BLOCKS; i++)
		pass_on(in.ctrl, out, 0);
	fcntl(in.data, F_SETFL, O_NONBLOCK);
	ASSERT_ERRNO(read(in.data, &i, 4), EAGAIN);
	ASSERT_EQ(poll(&pfd, 1, 0), 0);
	pid = fork_child();
	if (!pid) {
		ASSERT_EQ(poll(&pfd, 1, -1), 1);
		fcntl(in.data, F_SETFL, 0);
		check_words(in.data, &read_next, WORDS);
		_exit(0);
	}
	wait_for(10, task_state(pid) == 'S');
	check_words(loop, &next, WORDS);
	wait_children(1);
	for (i = 1; i < BLOCKS; i++)
		check_words(loop, &next, WORDS);
}

/* Return: a descriptor of the input that another process, which has ended, has opened */
static int receive_input(void)
{
	char space[CMSG_SPACE(sizeof(int))] = "", byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct cmsghdr *cmsg;
	int sock[2], in;

	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sock), 0);
	if (!fork_child()) {
		in = open_node(IN, "ctrl", O_RDONLY);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &in, sizeof(int));
		ASSERT_EQ(sendmsg(sock[1], &msg, 0), 1);
		_exit(0);
	}
	ASSERT_EQ(recvmsg(sock[0], &msg, 0), 1);
	memcpy(&in, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	wait_children(1);
	return in;
}

TEST("an input is shared through a descriptor from another process", fresh_kmalloc)
{
	int in = receive_input(), i;
	int out = open_node(OUT, "ctrl", O_WRONLY);
	int loop = open_node(LOOP, "data", O_RDONLY);
	uint32_t next = 0;

	ASSERT_EQ(link_to(out, in), 0);
	for (i = 0; i < 3; i++) {
		pass_on(in, out, 0);
		check_words(loop, &next, WORDS);
	}
}

TEST("a block in the hand of one session is not in that of another", fresh_kmalloc)
{
	int in = receive_input(), out = open_node(OUT, "ctrl", O_WRONLY), mine, own;
	int loop = open_node(LOOP, "data", O_RDONLY);
	struct zio_control ctrl;
	uint32_t next = 0;

	ASSERT_EQ(link_to(out, in), 0);
	if (!fork_child()) {
		mine = open_node(OUT, "ctrl", O_WRONLY);
		own = open_node(IN, "ctrl", O_RDONLY);
		ctrl = take(in, 0);
		ASSERT_EQ(link_to(mine, own), 0);
		ASSERT_ERRNO(submit(mine, &ctrl), ENOENT);
		ASSERT_EQ(submit(out, &ctrl), sizeof(ctrl));
		_exit(0);
	}
	wait_children(1);
	check_words(loop, &next, WORDS);
}

static unsigned int many_blocks(void)
{
	return is_debug_kernel() ? 200 : 1000;
}

TEST_EACH("each block goes round, in order, %s", fresh,
	  "kmalloc kmalloc", "vmalloc vmalloc", "vmalloc kmalloc")
{
	check_round_trip(OUT, LOOP, many_blocks());
	check_counts(CHAN, many_blocks(), 0, 0);
	ASSERT_EQ(read_number(CSET2 "/chan0/statistics/lost_blocks"), 0);
}

TEST("a block goes to two outputs", fresh_kmalloc)
{
	check_two_outputs(100);
	check_counts(CHAN, 100, 0, 0);
}

TEST("a block goes to two outputs, vmalloc", input_vmalloc)
{
	check_two_outputs(600);
}

/* @setting: "align" or "dma-bits" */
static void plug_far_board(const char *setting, const char *value)
{
	renew_zzero_and_loops("kmalloc kmalloc");
	ASSERT_EQ(mkdir(FAR_CONFIG, 0755), 0);
	write_text(FAR_CONFIG "/id", "9");
	write_text(FAR_CONFIG "/ssize", "4");
	set_file(value, FAR_CONFIG "/%s", setting);
	if (!strcmp(setting, "align") && !strcmp(value, "4"))
		write_text(FAR_CONFIG "/dma-bits", "64");
	write_text(FAR_CONFIG "/live", "1");
}

TEST("a board that wants aligned samples gets a copy")
{
	plug_far_board("align", "16");
	check_copied(EDOM, 1);
	check_counts(FAR_CHAN, 0, 1, 60);
}

TEST("a board with 12 address lines gets a copy")
{
	plug_far_board("dma-bits", "12");
	check_copied(EOVERFLOW, 0);
	check_counts(FAR_CHAN, 0, 1, 64);
}

TEST("a board that reaches all memory shares it")
{
	plug_far_board("align", "4");
	check_round_trip(FAR_OUT, FAR_LOOP, 10);
	check_counts(FAR_CHAN, 10, 0, 0);
}

TEST("an alignment and address lines that cannot be are refused", fresh_kmalloc)
{
	ASSERT_EQ(mkdir(FAR_CONFIG, 0755), 0);
	refuse(FAR_CONFIG "/align", "0", ERANGE);
	refuse(FAR_CONFIG "/dma-bits", "65", ERANGE);
	write_text(FAR_CONFIG "/align", "3");
	refuse(FAR_CONFIG "/live", "1", EINVAL);
	ASSERT_EQ(rmdir(FAR_CONFIG), 0);
}
