// SPDX-License-Identifier: GPL-2.0-only
/*
 * share_end_test.c: one side changes, is closed, is unbound or killed, while blocks are
 * shared
 *
 * # kasan
 * # rt
 */
#include "share.h"

SETUP(killed_setup)
{
	renew_zzero_and_loops(value);
	write_text(CHAN "/buffer/max-buffer-len", "8");
}

/* The output has played the right samples, whatever the input did. */
static void play_all(const char *prefix, int n)
{
	int loop = open_node(prefix, "data", O_RDONLY);
	uint32_t next = 0;

	while (n--)
		check_words(loop, &next, WORDS);
	close(loop);
}

static void hand_over(const char *input, const char *output, int n, int keep)
{
	int in = open_node(input, "ctrl", O_RDONLY);
	int out = open_node(output, "ctrl", O_WRONLY);

	ASSERT_EQ(link_to(out, in), 0);
	while (n--)
		pass_on(in, out, n < keep ? ZIO_CONTROL_KEEP : 0);
	close(in);
	close(out);
}

TEST("blocks are played after both sides are closed; a kept block is unread",
     fresh_kmalloc)
{
	uint32_t next = 5 * WORDS;

	hand_over(IN, OUT, 6, 1);
	/* The next reader gets it first. */
	check_words(open_node(IN, "data", O_RDONLY), &next, WORDS);
	play_all(LOOP, 6);
}

/* A setting of the input changes while the output plays its blocks. */
static void check_change(const char *path, const char *value)
{
	hand_over(IN, OUT, 6, 2);
	write_text(path, value);
	play_all(LOOP, 6);
}

TEST_EACH("the board of the input is unbound, %s", fresh,
	  "kmalloc kmalloc", "vmalloc kmalloc")
{
	struct pair in = open_pair(IN, O_RDONLY);
	int out = open_node(OUT, "ctrl", O_WRONLY);
	struct zio_control ctrl;
	int i;

	ASSERT_EQ(link_to(out, in.ctrl), 0);
	for (i = 0; i < 6; i++)
		pass_on(in.ctrl, out, i % 2 ? ZIO_CONTROL_KEEP : 0);
	ctrl = take(in.ctrl, 0);
	unbind_board("zio-zero", 0);
	ASSERT_ERRNO(submit(out, &ctrl), ENODEV);
	ASSERT_ERRNO(link_to(out, in.ctrl), ENODEV);
	close_pair(in);
	ASSERT_ERRNO(submit(out, &ctrl), ENOTCONN);
	play_all(LOOP, 6);
}

TEST_EACH("the board of the output is unbound and the input has its blocks again, %s",
	  fresh,
	  "kmalloc kmalloc", "vmalloc kmalloc")
{
	int in = open_node(IN, "ctrl", O_RDONLY | O_NONBLOCK);
	struct pair data = open_pair(IN, O_RDONLY | O_NONBLOCK);
	int out = open_node(OUT, "ctrl", O_WRONLY);
	struct zio_control ctrl, all[BLOCKS];
	int i;

	ASSERT_EQ(link_to(out, in), 0);
	for (i = 0; i < BLOCKS - 1; i++)
		pass_on(in, out, 0);
	ctrl = take(in, 0);
	unbind_board("zio-loop", 0);
	ASSERT_ERRNO(submit(out, &ctrl), ENODEV);
	ASSERT_ERRNO(link_to(out, in), ENODEV);
	/* All blocks can be in hand at once: none is missing. */
	ASSERT_EQ(read(data.ctrl, all, sizeof(all)), sizeof(all));
	ASSERT_ERRNO(read(data.ctrl, all, 0), EINVAL);
}

TEST_EACH("the process that submits is killed while it sleeps, %s", killed_setup,
	  "kmalloc kmalloc", "vmalloc kmalloc")
{
	unsigned int *n = share_memory(sizeof(*n));
	int in, out, status;
	pid_t pid = fork();

	if (!pid) {
		in = open_node(IN, "ctrl", O_RDONLY);
		out = open_node(OUT, "ctrl", O_WRONLY);
		ASSERT_EQ(link_to(out, in), 0);
		for (;; (*n)++)
			pass_on(in, out, *n % 2 ? ZIO_CONTROL_KEEP : 0);
	}
	while (get(n) < BLOCKS / 2)
		usleep(1000);
	wait_for(10, task_state(pid) == 'S');
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	play_all(LOOP, BLOCKS / 2);
}

TEST("the input gets the buffer vmalloc while the output plays", fresh_kmalloc)
{
	check_change(CSET2 "/current_buffer", "vmalloc");
}

TEST("the input gets the buffer kmalloc while the output plays", input_vmalloc)
{
	check_change(CSET2 "/current_buffer", "kmalloc");
}

TEST("the input gets shorter blocks while the output plays", fresh_kmalloc)
{
	check_change(CSET2 "/trigger/nsamples", "3");
}

TEST("the input gets fewer blocks while the output plays", fresh_kmalloc)
{
	check_change(CSET2 "/chan0/buffer/max-buffer-len", "2");
}

/* The output keeps a block for ever: no driver waits for it, but its memory stays. */
TEST("a block that is never played keeps its memory, but not the drivers", input_vmalloc)
{
	check_change(CSET2 "/trigger/nsamples", "16");
	hand_over(IN, OUT, 1, 0);
	unload("zio-zero");
	ASSERT_TRUE(shell("rmmod zio-buf-vmalloc 2>/dev/null"));
	unload("zio-loop");
	wait_for(10, !shell("rmmod zio-buf-vmalloc 2>/dev/null"));
	unload("zio-configfs");
	ASSERT_EQ(read_number("/sys/module/zio/refcnt"), 1);
}
