// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: random operations in several processes
 *
 * The name of each process is f<process>-<step>, so reports of the kernel show the step.
 */
#include <getopt.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "fuzz.h"

/* Only a hang takes longer; in seconds. */
#define PATIENCE	240
/* An operation that can succeed does so within this many seconds more. */
#define MORE		600

static const char usage[] =
"Usage: fuzz [OPTION]...\n"
"Do random operations in several processes, and check what can be checked.\n"
"\n"
"      --scenario NAME  calls: system calls of two users and two administrators;\n"
"                       storm: settings change under many sets on one clock;\n"
"                       mesh: boards share blocks while they change;\n"
"                       programs: programs that are drivers, and their users;\n"
"                       ticks: the timer that ends calls of this program (calls)\n"
"      --seed S         repeat the decisions of this seed (1)\n"
"      --seconds N      run so long\n"
"      --process P      only process P makes steps,\n"
"      --from STEP      from this step on,\n"
"      --steps N        and so many\n"
"      --favour NAMES   operations that come 16 times as often, commas between\n"
"      --scant          do not fail because an operation succeeded too seldom\n";

static const struct scenario *const scenarios[] = {
	&calls_scenario, &storm_scenario, &mesh_scenario, &ticks_scenario,
	&programs_scenario,
};

struct progress *progress;
unsigned int process, n_processes;
uint64_t seed = 1;

struct progress *all;
const struct op *ops[N_OPS];
unsigned int n_ops;

static struct shared {
	uint32_t is_over;
} *shared;
static const struct scenario *scenario = &calls_scenario;
static unsigned int total_weight[MOST_PROCESSES], current;
static uint64_t first_step, n_steps = UINT64_MAX;
static unsigned int seconds;
static int only = -1;
static bool is_child, is_scant;
static const char *favoured = "";

bool is_time_over(void)
{
	return __atomic_load_n(&shared->is_over, __ATOMIC_RELAXED);
}

static unsigned int weight_of(const struct op *op)
{
	size_t len = strlen(op->name);
	const char *name = favoured;

	for (; *name; name += strcspn(name, ","), name += *name == ',')
		if (strcspn(name, ",") == len && !strncmp(name, op->name, len))
			return 16 * op->weight;
	return op->weight;
}

static void add_ops(const struct op *table)
{
	unsigned int p;

	for (; table->name; table++) {
		ASSERT_TRUE(n_ops < N_OPS);
		ops[n_ops++] = table;
		for (p = 0; p < n_processes; p++)
			if (table->role & scenario->role_of(p))
				total_weight[p] += weight_of(table);
	}
}

void succeed(void)
{
	result(0);
}

/* Count the result of a call. An errno that programs never see is a failure. */
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
		if (!(ops[i]->role & scenario->role_of(process)))
			continue;
		if (n < weight_of(ops[i]))
			return i;
		n -= weight_of(ops[i]);
	}
	return 0;
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

static void __attribute__((noreturn)) run_process(unsigned int p, int sock)
{
	uint64_t step, n;

	process = p;
	progress = &all[p];
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (scenario->begin)
		scenario->begin(sock);
	/* A change of the user clears this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (step = first_step, n = 0; n < n_steps && !is_time_over(); step++, n++)
		make_step(step);
	end_uring();
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
			FAIL("process %u ended with %#x", p, status);
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
	FAIL("process %u does not go on", p);
}

static bool look_after_all(struct watch *watches)
{
	unsigned int p, alive = 0;

	for (p = 0; p < n_processes; p++) {
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

	ASSERT_TRUE(!socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sock));
	for (p = 0; p < n_processes; p++) {
		if (only >= 0 && only != (int)p)
			continue;
		watches[p].since = now();
		watches[p].pid = fork();
		ASSERT_TRUE(watches[p].pid >= 0);
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
	struct watch watches[MOST_PROCESSES] = { 0 };
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

static const struct scenario *find_scenario(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		if (!strcmp(scenarios[i]->name, name))
			return scenarios[i];
	FAIL("no such scenario: %s", name);
}

static void set_option(int c)
{
	switch (c) {
	case 'c': scenario = find_scenario(optarg); break;
	case 's': seed = strtoull(optarg, NULL, 0); break;
	case 't': seconds = atoi(optarg); break;
	case 'p': only = atoi(optarg); break;
	case 'f': first_step = strtoull(optarg, NULL, 0); break;
	case 'n': n_steps = strtoull(optarg, NULL, 0); break;
	case 'v': favoured = optarg; break;
	case 'a': is_scant = true; break;
	default:
		fputs(usage, c == 'h' ? stdout : stderr);
		exit(c == 'h' ? 0 : 2);
	}
}

static void parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "scenario", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "process", required_argument, NULL, 'p' },
		{ "from", required_argument, NULL, 'f' },
		{ "steps", required_argument, NULL, 'n' },
		{ "favour", required_argument, NULL, 'v' },
		{ "scant", no_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		set_option(c);
	n_processes = scenario->n_processes;
	if (!seconds)
		seconds = scenario->seconds;
}

static void add_all_ops(void)
{
	const struct op *const *table;

	for (table = scenario->tables; *table; table++)
		add_ops(*table);
}

int main(int argc, char **argv)
{
	setpgid(0, 0);
	group_leader = getpid();
	parse_options(argc, argv);
	add_all_ops();
	all = share_memory(sizeof(*all) * n_processes);
	shared = share_memory(sizeof(*shared));
	if (scenario->prepare)
		scenario->prepare();
	run_all();
	if (scenario->finish)
		scenario->finish();
	print_counts();
	print_scant("at the end");
	return !is_all_enough() && !is_scant && only < 0;
}
