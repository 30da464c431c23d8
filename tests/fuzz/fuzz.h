/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h: what the files of the program "fuzz" share
 *
 * The program does random operations in several processes. A scenario says which. Each
 * process takes steps, and each step is one operation. All decisions of a step come from
 * the seed, the process, and the number of the step. So one step never shifts the
 * decisions of the next.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "../selftests/node.h"

#include <stdbool.h>
#include <sys/socket.h>

#define CONFIG		"/sys/kernel/config/zio"
#define BUS		"/sys/bus/zio/devices"
#define MOST_PROCESSES	16
#define N_OPS		96
#define N_ERRNOS	160
#define N_FDS		24
#define ARENA		(1 << 16)
#define PAGE		((size_t)sysconf(_SC_PAGESIZE))

/* What a process does, as a set: each operation names the roles that may run it. */
enum role {
	ROOT = 1,	/* configures as root */
	MEMBER = 2,	/* uses the nodes as a member of their group */
	CHANGER = 4,	/* changes settings */
	READER = 8,	/* reads blocks and checks them */
	SNIFFER = 16,
	SHARER = 32,	/* passes blocks from inputs to outputs */
};

/*
 * An operation. A run of the whole program fails if fewer than @least calls of
 * it succeed. An operation that the kernel has to refuse has @least 0; then at
 * least one call must have been made.
 */
struct op {
	const char *name;
	void (*run)(void);
	unsigned int weight;
	unsigned int least;
	enum role role;
};

/**
 * struct scenario - which operations run in which processes
 * @name: for --scenario
 * @seconds: how long it runs, unless --seconds tells
 * @n_processes: how many processes
 * @tables: tables of operations, ended by NULL
 * @role_of: the role of process @p
 * @prepare: before the processes start, or NULL
 * @begin: in each process, with one end of a pair of sockets, or NULL
 * @finish: after all processes have ended, or NULL
 */
struct scenario {
	const char *name;
	unsigned int seconds;
	unsigned int n_processes;
	const struct op *const *tables;
	enum role (*role_of)(unsigned int p);
	void (*prepare)(void);
	void (*begin)(int sock);
	void (*finish)(void);
};

/* What is counted, in memory of all processes. */
struct counts {
	uint32_t calls, ok;
	uint8_t errnos[N_ERRNOS];
};

struct progress {
	uint64_t step;
	uint32_t op;
	struct counts counts[N_OPS];
};

/* One open file of the pool, or fd -1. */
struct slot {
	int fd;
	int channel;	/* index in channels[], or -1 */
	bool is_data;
};

struct channel {
	const char *name;	/* without -ctrl or -data */
	bool is_output;
	bool is_single;		/* one node of just this name: the sniffer */
};

/* main.c */
extern struct progress *progress;
extern struct progress *all;	/* of each process */
extern const struct op *ops[N_OPS];
extern unsigned int n_ops;
extern unsigned int process, n_processes;
extern uint64_t seed;
bool is_time_over(void);
long result(long ret);

/* Count a success of the operation. */
void succeed(void);

/* Assert a condition; if it does not hold, the process ends and prints the step. */
void demand(bool good, const char *what, long long got, long long wanted);
#define holds(condition, got, wanted) \
	demand(condition, #condition, got, wanted)
void run_steps(unsigned int n);

/* counts.c */
void print_counts(void);
bool is_all_enough(void);
void print_scant(const char *when);

/* random.c */
void begin_step(uint64_t step);
uint64_t draw(void);
unsigned int dice(unsigned int n);
bool chance(unsigned int n);	/* one in n */
int any_int(void);

/* nodes.c */
extern struct slot slots[N_FDS];
extern const struct channel channels[];
struct slot *any_slot(void);
struct slot *slot_for(bool is_output, int is_data);
void keep_fd(int fd, int channel, bool is_data);
int open_channel(int channel, bool is_data, int flags);
int find_channel(const char *name);
int any_channel(bool is_output);
void init_nodes(void);
void open_to_all(void);

/* memory.c: buffers that are good, bad, and slow */
extern char *arena;
void *any_buffer(size_t *len);
void init_memory(void);
int any_iovec(struct iovec *v, int n);

/* controls.c */
struct zio_control any_control(const struct slot *slot);
void check_control(const struct zio_control *ctrl, const struct slot *slot);
void check_read(const struct slot *slot, const void *buf, ssize_t got);

/* maps.c */
extern void *any_map(size_t *len);
void init_signals(void);

/* ticks.c: a call that blocks ends at a tick */
void init_ticks(void);
void start_ticks(void);

/* config.c */
long put_text(const char *path, const char *text);

/* changes.c: settings that may be refused for known reasons only */
extern unsigned int *is_plugged;
void init_changes(void);
void change(const char *path, const char *text, const char *allowed);
bool is_gone(int error);
bool is_allowed(const char *errors);
void replug(const char *path);

/* Tables of operations, each ended by an empty entry. */
extern const struct op file_ops[], map_ops[], tick_ops[], pipe_ops[], uring_ops[],
	share_ops[], process_ops[], verify_ops[], config_ops[], board_ops[];
extern const struct scenario calls_scenario, storm_scenario, mesh_scenario, ticks_scenario;
extern const struct scenario programs_scenario;

void init_pipes(void);
void init_uring(void);
void init_passing(int sock);
void leave_uring(void);
void end_uring(void);

#endif /* FUZZ_H */
