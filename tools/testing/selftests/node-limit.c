// SPDX-License-Identifier: GPL-2.0-only
/* node-limit.c: what a user may have, and what is charged for it */
#include <grp.h>
#include <sys/resource.h>

#include "node.h"

#define PAGE	4096
#define BLOCK	(4 * PAGE)
#define NOBODY	65534

static void become_nobody(void)
{
	same(setgroups(0, NULL), 0);
	same(setresgid(NOBODY, NOBODY, NOBODY), 0);
	same(setresuid(NOBODY, NOBODY, NOBODY), 0);
}

/* ring NODE FILE KB: the open of a ring adds so much to the number in FILE */
static void do_ring(char **arg)
{
	unsigned long kb = strtoul(arg[2], NULL, 0);
	unsigned long before = read_number(arg[1]);
	int fd = open_file(arg[0], O_RDWR);

	want(read_number(arg[1]) - before >= kb * 1024 / 10 * 9);
	close(fd);
}

/* no-ring NODE: there is no memory for it */
static void do_no_ring(char **arg)
{
	fails(open(arg[0], O_RDWR), ENOMEM);
}

/* So many bytes does the number in FILE grow by N opens of the node. */
static long count_growth(const char *node, const char *file, int n)
{
	long before = read_number(file);
	int *fd = calloc(n, sizeof(*fd)), i;
	long growth;

	for (i = 0; i < n; i++)
		fd[i] = open_file(node, O_RDONLY);
	growth = (long)read_number(file) - before;
	for (i = 0; i < n; i++)
		close(fd[i]);
	free(fd);
	return growth;
}

/* opens NODE FILE N BYTES: N opens cost so many bytes each, beside the files */
static void do_opens(char **arg)
{
	int n = strtoul(arg[2], NULL, 0);
	long bytes = strtoul(arg[3], NULL, 0), files;
	struct rlimit most = { n + 100, n + 100 };

	same(setrlimit(RLIMIT_NOFILE, &most), 0);
	files = count_growth("/dev/null", arg[1], n);
	want(count_growth(arg[0], arg[1], n) - files >= n * bytes);
}

struct holder {
	pid_t pid;
	int go;
};

/* A process that opens the node, and keeps it until its pipe ends. */
static struct holder start_holder(const char *node, int *error)
{
	struct holder holder;
	int go[2], said[2];
	char c;

	same(pipe2(go, O_CLOEXEC), 0);
	same(pipe2(said, O_CLOEXEC), 0);
	holder.pid = fork();
	want(holder.pid >= 0);
	if (!holder.pid) {
		close(go[1]);
		*error = open(node, O_RDONLY) < 0 ? errno : 0;
		same(write(said[1], error, sizeof(*error)), sizeof(*error));
		same(read(go[0], &c, 1), 0);
		_exit(0);
	}
	close(go[0]);
	close(said[1]);
	same(read(said[0], error, sizeof(*error)), sizeof(*error));
	close(said[0]);
	holder.go = go[1];
	return holder;
}

static void stop_holder(struct holder holder)
{
	int status;

	close(holder.go);
	same(waitpid(holder.pid, &status, 0), holder.pid);
	same(status, 0);
}

/* The holders begun before have the ends of each other's pipes: last come, first go. */
static void hold_all(const char *node, int n, int wanted)
{
	struct holder *holder = calloc(n + 1, sizeof(*holder));
	int i, error, status;

	for (i = 0; i < n; i++) {
		holder[i] = start_holder(node, &error);
		same(error, 0);
	}
	for (i = 0; i < 3; i++) {
		holder[n] = start_holder(node, &error);
		same(error, wanted);
		stop_holder(holder[n]);
	}
	/* One who goes makes room for one. */
	stop_holder(holder[n - 1]);
	holder[n - 1] = start_holder(node, &error);
	same(error, 0);
	while (n--) {
		close(holder[n].go);
		same(waitpid(holder[n].pid, &status, 0), holder[n].pid);
	}
	free(holder);
}

/* sessions NODE N: a user has N, and no more; the superuser may */
static void do_sessions(char **arg)
{
	int n = strtoul(arg[1], NULL, 0), error;
	struct holder root = start_holder(arg[0], &error);
	pid_t child = fork();

	want(child >= 0);
	if (!child) {
		become_nobody();
		hold_all(arg[0], n, EUSERS);
		_exit(0);
	}
	wait_children(1);
	hold_all(arg[0], n + 3, 0);
	stop_holder(root);
}

static void limit_pages(rlim_t pages)
{
	struct rlimit most = { pages * PAGE, 1000 * PAGE };

	same(setrlimit(RLIMIT_MEMLOCK, &most), 0);
}

static int is_lent(int data)
{
	void *mem = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, data, 0);

	if (mem == MAP_FAILED) {
		same(errno, EBUSY);
		return 1;
	}
	munmap(mem, PAGE);
	return 0;
}

/* The next block, in a pipe of its own. */
static int splice_block(struct pair pair)
{
	int pipes[2];

	same(pipe(pipes), 0);
	read_control(pair.ctrl);
	same(splice(pair.data, NULL, pipes[1], NULL, BLOCK, 0), BLOCK);
	close(pipes[1]);
	return pipes[0];
}

static void drain(int fd)
{
	char buf[BLOCK];
	ssize_t n, sum = 0;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		sum += n;
	same(sum, BLOCK);
	close(fd);
}

/* lent PREFIX: pages of a buffer are lent up to RLIMIT_MEMLOCK; others are copied */
static void do_lent(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	int i, fd[3];

	limit_pages(0);
	become_nobody();
	fd[0] = splice_block(pair);
	same(is_lent(pair.data), 0);
	drain(fd[0]);
	limit_pages(8);
	for (i = 0; i < 20; i++) {
		fd[0] = splice_block(pair);
		same(is_lent(pair.data), 1);
		drain(fd[0]);
	}
	for (i = 0; i < 3; i++)
		fd[i] = splice_block(pair);
	drain(fd[0]);
	same(is_lent(pair.data), 1);
	drain(fd[1]);
	same(is_lent(pair.data), 0);
	drain(fd[2]);
}

static const struct command commands[] = {
	{ "ring", 3, do_ring },
	{ "no-ring", 1, do_no_ring },
	{ "opens", 4, do_opens },
	{ "sessions", 2, do_sessions },
	{ "lent", 1, do_lent },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 120);
}
