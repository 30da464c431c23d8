// SPDX-License-Identifier: GPL-2.0-only
/*
 * node-stuck.c: system calls on memory that is not there
 *
 * userfaultfd serves a page only when the test says so: a read or write that needs
 * the page stays in the kernel until then.
 */
#include "node.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

struct call {
	int fd;
	int writes;
	void *mem;
	size_t len;
	ssize_t ret;
	int code;
};

static void *make_call(void *arg)
{
	struct call *call = arg;

	call->ret = call->writes ? write(call->fd, call->mem, call->len) :
				   read(call->fd, call->mem, call->len);
	call->code = errno;
	return NULL;
}

static int register_memory(void *mem, size_t len)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (unsigned long)mem, len },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	want(fd >= 0);
	same(ioctl(fd, UFFDIO_API, &api), 0);
	same(ioctl(fd, UFFDIO_REGISTER, &reg), 0);
	return fd;
}

static void serve(int uffd, void *mem, size_t len)
{
	struct uffdio_zeropage zero = {
		.range = { (unsigned long)mem, len },
	};

	same(ioctl(uffd, UFFDIO_ZEROPAGE, &zero), 0);
}

/*
 * hold NODE-KIND read|write LEN: prints "stuck" when the call waits for its page.
 * Serves the page at the end of standard input, and prints what the call returned.
 */
static void do_hold(char **arg)
{
	struct call call = { .writes = !strcmp(arg[1], "write") };
	struct uffd_msg msg;
	pthread_t thread;
	char byte;
	int uffd;

	call.len = atoi(arg[2]);
	call.fd = open_file(arg[0], call.writes ? O_WRONLY : O_RDONLY);
	call.mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	want(call.mem != MAP_FAILED);
	uffd = register_memory(call.mem, PAGE);
	same(pthread_create(&thread, NULL, make_call, &call), 0);
	same(read(uffd, &msg, sizeof(msg)), sizeof(msg));
	same(msg.event, UFFD_EVENT_PAGEFAULT);
	printf("stuck\n");
	fflush(stdout);
	same(read(STDIN_FILENO, &byte, 1), 0);
	serve(uffd, call.mem, PAGE);
	pthread_join(thread, NULL);
	if (call.ret < 0)
		printf("%s\n", strerrorname_np(call.code));
	else
		printf("%zd\n", call.ret);
}

/* Three pages, of which the middle one is not to be had. */
static char *map_with_hole(void)
{
	char *mem = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	want(mem != MAP_FAILED);
	same(mprotect(mem + PAGE, PAGE, PROT_NONE), 0);
	return mem;
}

static unsigned char next_sample;

static void check_samples(const void *mem, size_t n)
{
	const unsigned char *sample = mem;

	while (n--)
		same(*sample++, next_sample++);
}

/* What was copied before the hole counts; what was not is read by the next call. */
static void read_around_hole(int fd)
{
	char *mem = map_with_hole();
	struct iovec vec[2] = { { mem, PAGE }, { mem + PAGE, PAGE } };

	same(read(fd, mem, 2 * PAGE), PAGE);
	check_samples(mem, PAGE);
	fails(read(fd, mem + PAGE, 100), EFAULT);
	same(read(fd, mem + PAGE - 7, 100), 7);
	check_samples(mem + PAGE - 7, 7);
	same(readv(fd, vec, 2), PAGE);
	check_samples(mem, PAGE);
	same(read(fd, mem + 2 * PAGE, PAGE), PAGE);
	check_samples(mem + 2 * PAGE, PAGE);
	same(munmap(mem, 3 * PAGE), 0);
}

/* Nothing of this memory was ever touched. */
static void read_fresh(int fd, size_t len, int pieces)
{
	char *mem = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct iovec vec[2] = { { mem, len / 2 }, { mem + len / 2, len / 2 } };

	want(mem != MAP_FAILED);
	if (pieces == 1)
		same(read(fd, mem, len), len);
	else
		same(readv(fd, vec, 2), len);
	check_samples(mem, len);
	same(munmap(mem, len), 0);
}

/* data NODE: the samples of a sawtooth of bytes go on whatever the memory is. */
static void do_data(char **arg)
{
	int fd = open_file(arg[0], O_RDONLY);

	same(read(fd, &next_sample, 1), 1);
	next_sample++;
	read_around_hole(fd);
	read_fresh(fd, 64 * PAGE, 1);
	read_fresh(fd, 64 * PAGE, 2);
	read_fresh(fd, 1024 * PAGE, 1);
	read_around_hole(fd);
}

/* ctrl NODE: a control is copied whole, or is the next one to be read. */
static void do_ctrl(char **arg)
{
	const size_t size = sizeof(struct zio_control);
	int fd = open_file(arg[0], O_RDONLY);
	struct zio_control *ctrl;
	char *mem = map_with_hole();
	unsigned int seq, i;

	seq = read_control(fd).seq_num;
	fails(read(fd, mem + PAGE - size / 2, size), EFAULT);
	fails(read(fd, mem + PAGE, size), EFAULT);
	ctrl = (void *)(mem + PAGE - 2 * size);
	same(read(fd, ctrl, 4 * size), 2 * size);
	same(ctrl[0].seq_num, ++seq);
	same(ctrl[1].seq_num, ++seq);
	ctrl = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	same(read(fd, ctrl, 12 * size), 12 * size);
	for (i = 0; i < 12; i++)
		same(ctrl[i].seq_num, ++seq);
	same(read_control(fd).seq_num, ++seq);
}

/* output NODE-KIND BYTES: a write takes what is there. */
static void do_output(char **arg)
{
	int fd = open_file(arg[0], O_WRONLY);
	unsigned long before = read_number(arg[1]);
	char *mem = map_with_hole();
	char *shared = mmap(NULL, 64 * PAGE, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(mem, 1, PAGE);
	same(write(fd, mem, 2 * PAGE), PAGE);
	fails(write(fd, mem + PAGE, 100), EFAULT);
	same(write(fd, mem + PAGE - 4, 100), 4);
	same(write(fd, shared, 64 * PAGE), 64 * PAGE);
	same(fsync(fd), 0);
	same(read_number(arg[1]) - before, 65 * PAGE + 4);
}

/* control NODE-KIND: a control that is not all there changes nothing. */
static void do_control(char **arg)
{
	int in = open_node(arg[0], "ctrl", O_RDWR);
	int out = open_node(arg[0], "data", O_WRONLY);
	struct zio_control ctrl;
	char *mem = map_with_hole();

	memset(&ctrl, 0, sizeof(ctrl));
	fails(write(in, mem + PAGE, sizeof(ctrl)), EFAULT);
	memcpy(mem + PAGE - sizeof(ctrl) / 2, &ctrl, sizeof(ctrl) / 2);
	fails(write(in, mem + PAGE - sizeof(ctrl) / 2, sizeof(ctrl)), EFAULT);
	same(write(out, mem, 16), 16);
}

static const struct command commands[] = {
	{ "hold", 3, do_hold },
	{ "data", 1, do_data },
	{ "ctrl", 1, do_ctrl },
	{ "output", 2, do_output },
	{ "control", 1, do_control },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 600);
}
