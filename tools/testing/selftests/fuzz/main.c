// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: random system calls in four processes
 *
 *   fuzz [--seed S] [--seconds N] [--process P] [--from STEP] [--steps N] [--scant]
 *
 * The name of each process is f<process>-<step>, so reports of the kernel tell the
 * step. With --process and --from only that process makes steps, from that one on.
 * --scant tells what did not succeed, but does not fail for it.
 */
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#include "fuzz.h"

/* Nothing but a hang takes as long; in seconds. */
#define PATIENCE	240
/* Nor does any operation fail for so many seconds more, if it can succeed. */
#define MORE		600

struct progress *progress;
unsigned int process;
uint64_t seed = 1;

struct progress *all;
const struct op *ops[N_OPS];
unsigned int n_ops;

static struct shared {
	uint32_t is_over;
} *shared;
static unsigned int total_weight[N_PROCESSES], current;
static uint64_t first_step, n_steps = UINT64_MAX;
static unsigned int seconds = 120;
static int only = -1;
static bool is_child, is_scant;

bool is_time_over(void)
{
	return __atomic_load_n(&shared->is_over, __ATOMIC_RELAXED);
}

/* Processes of one role have the same operations. */
static enum role role_of(unsigned int p)
{
	return p < 2 ? ROOT : MEMBER;
}

static void add_ops(const struct op *table)
{
	unsigned int p;

	for (; table->name; table++) {
		want(n_ops < N_OPS);
		ops[n_ops++] = table;
		for (p = 0; p < N_PROCESSES; p++)
			if (table->role & role_of(p))
				total_weight[p] += table->weight;
	}
}

/* Counts what a call gave; an errno that programs never see is a fault. */
long result(long ret)
{
	struct counts *counts = &progress->counts[current];

	__atomic_add_fetch(&counts->calls, 1, __ATOMIC_RELAXED);
	if (ret >= 0)
		__atomic_add_fetch(&counts->ok, 1, __ATOMIC_RELAXED);
	else if (errno > 0 && errno < N_ERRNOS)
		counts->errnos[errno] = 1;
	else
		demand(false, "an errno for programs", errno, 0);
	return ret;
}

void demand(bool good, const char *what, long long got, long long wanted)
{
	if (good)
		return;
	fprintf(stderr, "process %u, step %llu, %s: not true: %s: %lld, %lld\n",
		process, (unsigned long long)progress->step, ops[current]->name,
		what, got, wanted);
	_exit(1);
}

static unsigned int any_op(void)
{
	unsigned int n = dice(total_weight[process]), i;

	for (i = 0; i < n_ops; i++) {
		if (!(ops[i]->role & role_of(process)))
			continue;
		if (n < ops[i]->weight)
			return i;
		n -= ops[i]->weight;
	}
	return 0;
}

static void start_ticks(void)
{
	struct itimerval tick = { { 0, 20000 }, { 0, 20000 } };

	want(!setitimer(ITIMER_REAL, &tick, NULL));
}

/* Of a child; its steps belong to the step of the parent. */
void run_steps(unsigned int n)
{
	is_child = true;
	start_ticks();
	while (n-- && !is_time_over()) {
		current = any_op();
		if (strcmp(ops[current]->name, "fork") &&
		    strcmp(ops[current]->name, "verify"))
			ops[current]->run();
	}
}

static void make_step(uint64_t step)
{
	char name[16];

	begin_step(step);
	current = any_op();
	progress->op = current;
	__atomic_store_n(&progress->step, step, __ATOMIC_RELAXED);
	snprintf(name, sizeof(name), "f%u-%llu", process,
		 (unsigned long long)step);
	prctl(PR_SET_NAME, name);
	ops[current]->run();
}

static void become_member(void)
{
	static const gid_t group = 100;

	want(!setgroups(1, &group));
	want(!setresgid(65534, 65534, 65534));
	want(!setresuid(65534, 65534, 65534));
	/* It may see what it does: /proc/self/fd. */
	prctl(PR_SET_DUMPABLE, 1);
}

static void __attribute__((noreturn)) run_process(unsigned int p, int passing)
{
	uint64_t step, n;

	process = p;
	progress = &all[p];
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (role_of(p) == MEMBER)
		become_member();
	/* A change of the user takes this away. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	init_signals();
	init_memory();
	init_nodes();
	init_pipes();
	init_uring();
	init_passing(passing);
	start_ticks();
	for (step = first_step, n = 0; n < n_steps && !is_time_over(); step++, n++)
		make_step(step);
	_exit(0);
}

static void print_file(const char *path)
{
	char text[4096];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));

	if (n > 0)
		fprintf(stderr, "%.*s", (int)n, text);
	close(fd);
}

static void print_process(unsigned int p, pid_t pid)
{
	char path[64];

	fprintf(stderr, "seed %llu, process %u, step %llu, %s\n",
		(unsigned long long)seed, p, (unsigned long long)all[p].step,
		ops[all[p].op]->name);
	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	print_file(path);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

/* Each process goes on, or has ended well. */
struct watch {
	pid_t pid;
	uint64_t step;
	double since;
};

static void look_after(struct watch *watch, unsigned int p)
{
	int status;

	if (waitpid(watch->pid, &status, WNOHANG) == watch->pid) {
		if (status)
			print_process(p, watch->pid);
		if (status)
			fail("process %u ended with %#x", p, status);
		watch->pid = 0;
		return;
	}
	if (watch->step != all[p].step) {
		watch->step = all[p].step;
		watch->since = now();
	}
	if (now() - watch->since < PATIENCE)
		return;
	print_process(p, watch->pid);
	fail("process %u does not go on", p);
}

static bool look_after_all(struct watch *watches)
{
	unsigned int p, alive = 0;

	for (p = 0; p < N_PROCESSES; p++) {
		if (watches[p].pid)
			look_after(&watches[p], p);
		alive += !!watches[p].pid;
	}
	return alive;
}

static void start_all(struct watch *watches)
{
	unsigned int p;
	int sock[2];

	want(!socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sock));
	for (p = 0; p < N_PROCESSES; p++) {
		if (only >= 0 && only != (int)p)
			continue;
		watches[p].since = now();
		watches[p].pid = fork();
		want(watches[p].pid >= 0);
		if (!watches[p].pid)
			run_process(p, sock[p % 2]);
	}
}

/* A slow machine goes on until each operation has succeeded. */
static bool is_done(double time)
{
	if (time < seconds)
		return false;
	return only >= 0 || is_scant || time > seconds + MORE ||
		is_all_enough();
}

static void run_all(void)
{
	struct watch watches[N_PROCESSES] = { 0 };
	double begin = now();
	bool is_told = false;

	start_all(watches);
	while (look_after_all(watches)) {
		if (now() - begin > 10 && !is_told && only < 0) {
			print_scant("after 10 s");
			is_told = true;
		}
		if (is_done(now() - begin))
			__atomic_store_n(&shared->is_over, 1, __ATOMIC_RELAXED);
		usleep(50000);
	}
}

static void parse(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--scant")) {
			is_scant = true;
			continue;
		}
		if (i + 1 == argc)
			fail("%s wants a value", argv[i]);
		if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "--seconds"))
			seconds = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--process"))
			only = atoi(argv[++i]) % N_PROCESSES;
		else if (!strcmp(argv[i], "--from"))
			first_step = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "--steps"))
			n_steps = strtoull(argv[++i], NULL, 0);
		else
			fail("no such option: %s", argv[i]);
	}
}

static void add_all_ops(void)
{
	add_ops(file_ops);
	add_ops(map_ops);
	add_ops(pipe_ops);
	add_ops(uring_ops);
	add_ops(share_ops);
	add_ops(process_ops);
	add_ops(verify_ops);
	add_ops(config_ops);
	add_ops(board_ops);
}

int main(int argc, char **argv)
{
	main_pid = getpid();
	setpgid(0, 0);
	parse(argc, argv);
	add_all_ops();
	all = share_memory(sizeof(*all) * N_PROCESSES);
	shared = share_memory(sizeof(*shared));
	open_to_all();
	run_all();
	print_counts();
	print_scant("at the end");
	return !is_all_enough() && !is_scant && only < 0;
}
