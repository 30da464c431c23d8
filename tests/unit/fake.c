// SPDX-License-Identifier: GPL-2.0-only
/* Files and FIFOs that stand for the nodes of a channel */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"

char dir[PATH_MAX / 4], stem[PATH_MAX / 2];
struct zio_channel *ch;
struct zio_block blk;
static pid_t owner;

static void remove_dir(void)
{
	char command[sizeof(dir) + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (getpid() == owner && system(command))
		_exit(1);
}

void make_dir(const char *value)
{
	const char *tmp = getenv("TMPDIR");

	(void)value;
	snprintf(dir, sizeof(dir), "%s/zio-test.XXXXXX", tmp ? tmp : "/tmp");
	ASSERT_TRUE(mkdtemp(dir));
	owner = getpid();
	atexit(remove_dir);
	atexit(close_channel);
	new_stem();
}

const char *new_stem(void)
{
	static int n;

	snprintf(stem, sizeof(stem), "%s/fake-%04x-0-1", dir, ++n);
	return stem;
}

void close_channel(void)
{
	ASSERT_TRUE(!zio_close(ch));
	ch = NULL;
}

const char *in_dir(const char *name)
{
	static char path[4][PATH_MAX];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

int make_fifo(const char *path)
{
	ASSERT_TRUE(!mkfifo(path, 0600));
	return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

int make_fifo_of(const char *stem, const char *suffix)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s-%s", stem, suffix);
	return make_fifo(path);
}

double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void use_tree(void)
{
	char path[sizeof(dir) + 16];

	snprintf(path, sizeof(path), "%s/sys", dir);
	setenv("ZIO_SYSFS", path, 1);
	snprintf(path, sizeof(path), "%s/cfg", dir);
	setenv("ZIO_CONFIGFS", path, 1);
}

static struct zio_channel *interrupted;

static void on_alarm(int sig)
{
	(void)sig;
	zio_interrupt(interrupted);
}

void interrupt_soon(struct zio_channel *ch, int flags)
{
	struct itimerval soon = { .it_value.tv_usec = 20000 };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };

	interrupted = ch;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
}

bool fails(int ret, int code)
{
	return ret == -1 && errno == code;
}

void fake_control(struct zio_control *control, uint32_t seq,
		  uint32_t nsamples, uint16_t ssize)
{
	zio_control_init(control, nsamples, ssize);
	control->seq_num = seq;
	control->nbits = 8 * ssize;
	control->addr.cset = 0;
	control->addr.chan = 1;
	strcpy(control->addr.devname, "zzero");
	strcpy(control->triggername, "user");
	control->tstamp.secs = 1000000000 + seq;
	control->tstamp.ticks = 42;
	control->attr_channel.std_mask = 1 << ZIO_ATTR_GAIN;
	control->attr_channel.std_val[ZIO_ATTR_GAIN] = 1500;
	control->attr_channel.ext_mask = 1 << 3;
	control->attr_channel.ext_val[3] = seq;
	control->attr_trigger.std_mask = 1 << ZIO_ATTR_TRIG_POST_SAMP;
	control->attr_trigger.std_val[ZIO_ATTR_TRIG_POST_SAMP] = nsamples;
}

unsigned char fake_byte(uint32_t seq, size_t i)
{
	return (unsigned char)(seq * 31 + i);
}

bool is_fake(const struct zio_block *blk, uint32_t seq, size_t size)
{
	const unsigned char *byte = blk->data;
	size_t i;

	if (blk->control->seq_num != seq || blk->size != size || !byte != !size ||
	    (uintptr_t)blk->control % 8)
		return false;
	for (i = 0; i < size; i++)
		if (byte[i] != fake_byte(seq, i))
			return false;
	return true;
}

static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0)
			return -1;
		bytes += n;
		size -= (size_t)n;
	}
	return 0;
}

int fake_put_bytes(const char *stem, const char *suffix, const void *bytes,
		   size_t size)
{
	char path[PATH_MAX];
	int ret;
	int fd;

	snprintf(path, sizeof(path), "%s-%s", stem, suffix);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	ret = write_all(fd, bytes, size);
	close(fd);
	return ret;
}

int fake_put_control(const char *stem, const struct zio_control *control)
{
	return fake_put_bytes(stem, "ctrl", control, sizeof(*control));
}

int fake_put_data(const char *stem, uint32_t seq, size_t size)
{
	unsigned char *bytes = malloc(size + 1);
	size_t i;
	int ret;

	if (!bytes)
		return -1;
	for (i = 0; i < size; i++)
		bytes[i] = fake_byte(seq, i);
	ret = fake_put_bytes(stem, "data", bytes, size);
	free(bytes);
	return ret;
}

int fake_put_block(const char *stem, uint32_t seq, uint32_t nsamples,
		   uint16_t ssize)
{
	struct zio_control control;

	fake_control(&control, seq, nsamples, ssize);
	if (fake_put_control(stem, &control))
		return -1;
	return fake_put_data(stem, seq, (size_t)nsamples * ssize);
}

void fake_put_file(const char *dir, const char *name, const char *text, mode_t mode)
{
	char path[PATH_MAX], *at;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (at = path + strlen(dir) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
	file = fopen(path, "we");
	if (!file)
		return;
	fputs(text, file);
	fclose(file);
	chmod(path, mode);
}

void *fake_map(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *mem;

	ASSERT_TRUE(fd >= 0 && !ftruncate(fd, (off_t)size), path);
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return mem;
}
