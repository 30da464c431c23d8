// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench: measures one thing inside the virtual machine
 *
 * Each subcommand prints JSON objects, one a line. Under QEMU's -icount shift=0 a
 * nanosecond of the machine is one instruction. The same program therefore counts
 * instructions there, and nanoseconds elsewhere. Nothing is subtracted: a figure
 * includes the system calls that it is made of.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "bench.h"

/* run: time a command */

static uint64_t child_cpu_ns(void)
{
	struct rusage ru;

	getrusage(RUSAGE_CHILDREN, &ru);
	return (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000ull +
	       (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000ull;
}

static void wait_for(pid_t pid, const char *name)
{
	int status;

	if (waitpid(pid, &status, 0) < 0)
		die("waitpid: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		die("%s failed with status 0x%x", name, status);
}

int main_run(int argc, char **argv)
{
	uint64_t start = now_ns(), wall;
	pid_t pid;

	if (argc < 2)
		die("run: which command?");
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		execvp(argv[1], argv + 1);
		die("%s: %s", argv[1], strerror(errno));
	}
	wait_for(pid, argv[1]);
	wall = now_ns() - start;
	PRINT_NUMBERS({ "ns", wall }, { "cpu_ns", child_cpu_ns() });
	return 0;
}

/* free: the memory that is free when nothing more comes back */

static void write_text(const char *path, const char *text)
{
	int fd = open_path(O_WRONLY, "%s", path);

	if (write(fd, text, strlen(text)) < 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

static uint64_t read_free_kib(void)
{
	FILE *file;
	unsigned long kib;

	sync();
	write_text("/proc/sys/vm/drop_caches", "3");
	write_text("/proc/sys/vm/compact_memory", "1");
	file = fopen("/proc/meminfo", "re");
	if (!file || fscanf(file, "MemTotal: %*u kB MemFree: %lu", &kib) != 1)
		die("/proc/meminfo: no MemFree");
	fclose(file);
	return kib;
}

/* Memory that is freed after a grace period comes back late. */
int main_free(int argc, char **argv)
{
	uint64_t last = 0, now;
	int calm = 0;

	if (argc > 1)
		die("free: what is '%s'?", argv[1]);
	while (calm++ < 3) {
		now = read_free_kib();
		if (now > last + 8) {
			last = now;
			calm = 0;
		}
		usleep(100000);
	}
	PRINT_NUMBERS({ "kib", last });
	return 0;
}

static const struct command {
	struct named named;
	int (*main)(int argc, char **argv);
} commands[] = {
	{ { "loop", "blocks by system calls, in a loop" }, main_loop },
	{ { "map", "blocks by a mapping, by splice, or dropped" }, main_map },
	{ { "aio", "a volume by read, libaio, io_uring, POSIX AIO, threads" }, main_aio },
	{ { "peer", "blocks by way of IIO and of Comedi" }, main_peer },
	{ { "trig", "events of ZIO's triggers" }, main_trig },
	{ { "iio", "events of IIO's hrtimer trigger" }, main_iio },
	{ { "slink", "events of the emulated S-LINK card" }, main_slink },
	{ { "route", "blocks that the kernel hands on by itself" }, main_route },
	{ { "run", "time a command" }, main_run },
	{ { "free", "KiB of free memory" }, main_free },
};

static int print_help(void)
{
	size_t i;

	puts("Usage: zio-bench COMMAND [OPTION]... (zio-bench COMMAND --help)\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-8s %s\n", commands[i].named.name, commands[i].named.what);
	return 0;
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2 || !strcmp(argv[1], "--help"))
		return print_help();
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].named.name, argv[1]))
			return commands[i].main(argc - 1, argv + 1);
	die("there is no command '%s' (try --help)", argv[1]);
}
