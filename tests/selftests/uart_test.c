// SPDX-License-Identifier: GPL-2.0-only
/*
 * uart_test.c: zio-uart on ptys: frames, losses, hang-ups
 *
 * # not kasan: a late machine misses frames, which these tests do not expect
 */
#include <sys/stat.h>

#include "harness.h"
#include "uart.h"

#ifndef N_NULL
#define N_NULL 27
#endif

static struct wire wire;
static struct pair pair;

SETUP(loaded)
{
	shell("rmdir " UART_CONFIG "/* 2>/dev/null");
	load("zio-uart");
	wire = open_wire();
}

static void begin(const char *settings)
{
	make_board("b", wire.path, settings);
	pair = open_pair(ZUART, O_RDONLY);
}

static unsigned long stat_of(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), UART_SET "/%s", name);
	return read_number(path);
}

static unsigned long lost_blocks(void)
{
	return read_number(UART_CHAN "/statistics/lost_blocks");
}

static long long stamp_of(const struct zio_control *ctrl)
{
	return ctrl->tstamp.secs * 1000000000LL + ctrl->tstamp.ticks;
}

static long long real_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

TEST("frames with start bytes and CRC become blocks", loaded)
{
	unsigned int n;

	begin(CHECKED);
	for (n = 0; n < 100; n++) {
		send_frame(wire.master, n);
		check_frame(pair, n, n, 0, 0);
	}
	ASSERT_EQ(stat_of("frames"), 100);
	ASSERT_EQ(stat_of("lost-frames"), 0);
	ASSERT_EQ(stat_of("skipped-bytes"), 0);
}

TEST("frames come in pieces of any size", loaded)
{
	uint8_t raw[12 * RAW], *pos = raw;
	unsigned int n;

	begin(CHECKED);
	for (n = 0; n < 12; n++)
		make_frame(raw + n * RAW, n);
	srand(1);
	while (pos < raw + sizeof(raw)) {
		size_t left = raw + sizeof(raw) - pos, len = 1 + rand() % 33;

		len = len < left ? len : left;
		send_bytes(wire.master, pos, len);
		pos += len;
	}
	for (n = 0; n < 12; n++)
		check_frame(pair, n, n, 0, 0);
}

TEST("the time is that of the first byte", loaded)
{
	long long before, after;
	struct zio_control ctrl;
	uint8_t raw[2 * RAW], data[PAYLOAD];

	begin(CHECKED);
	make_frame(raw, 0);
	make_frame(raw + RAW, 1);
	before = real_ns();
	/* The discipline gets all in one call: it has the byte when the frame is there. */
	send_bytes(wire.master, raw, RAW + 1);
	check_frame(pair, 0, 0, 0, 0);
	after = real_ns();
	send_bytes(wire.master, raw + RAW + 1, RAW - 1);
	ctrl = read_block(pair, data, PAYLOAD);
	ASSERT_TRUE(stamp_of(&ctrl) >= before);
	ASSERT_TRUE(stamp_of(&ctrl) <= after);
}

TEST("a wrong checksum, a cut frame and noise lose frames, and no other", loaded)
{
	uint8_t raw[RAW];

	begin(CHECKED);
	send_frame(wire.master, 0);
	make_frame(raw, 1);
	raw[5] ^= 0x10;
	send_bytes(wire.master, raw, RAW);
	send_frame(wire.master, 2);
	make_frame(raw, 3);
	send_bytes(wire.master, raw, 11);
	send_frame(wire.master, 4);
	send_bytes(wire.master, "noise", 5);
	send_frame(wire.master, 6);
	check_frame(pair, 0, 0, 0, 0);
	check_frame(pair, 2, 2, LOST_BLOCK, A_CUT | A_CHECKSUM);
	/* The checksum of the cut frame has bytes of the next one. */
	check_frame(pair, 4, 4, LOST_BLOCK, A_CUT | A_CHECKSUM);
	check_frame(pair, 6, 6, LOST_BLOCK, A_CUT);
	ASSERT_EQ(lost_blocks(), 3);
	ASSERT_EQ(stat_of("lost-frames"), 3);
	ASSERT_EQ(stat_of("checksum-errors"), 2);
	ASSERT_EQ(stat_of("skipped-bytes"), RAW + 11 + 5);
	ASSERT_EQ(read_number(UART_CHAN "/alarms"), (A_CUT | A_CHECKSUM) << 8 | LOST_BLOCK);
}

/* The end of a block, in a row of frames that has a gap. */
TEST("a block has several frames, and none across a gap", loaded)
{
	uint16_t sample[4 * PAYLOAD / 2];
	struct zio_control ctrl;
	unsigned int n;

	begin(CHECKED " frames=4");
	for (n = 0; n < 6; n++)
		send_frame(wire.master, n);
	send_bytes(wire.master, "?", 1);
	for (n = 7; n < 11; n++)
		send_frame(wire.master, n);
	ctrl = read_block(pair, sample, 4 * PAYLOAD);
	ASSERT_EQ(ctrl.seq_num, 0);
	ASSERT_EQ(sample[31], 31);
	ctrl = read_block(pair, sample, 2 * PAYLOAD);
	ASSERT_EQ(ctrl.seq_num, 1);
	ASSERT_EQ(ctrl.drv_alarms, 0);
	ASSERT_EQ(sample[0], 32);
	ctrl = read_block(pair, sample, 4 * PAYLOAD);
	ASSERT_EQ(ctrl.seq_num, 3);
	ASSERT_EQ(ctrl.zio_alarms, LOST_BLOCK);
	ASSERT_EQ(ctrl.drv_alarms, A_CUT);
	ASSERT_EQ(sample[0], 56);
}

/* The parser has found it whole: it is no part of a sample. */
TEST("a block ends at a frame that is no whole number of samples", loaded)
{
	static const uint8_t raw[] = {
		4, 1, 0, 1, 0, 4, 2, 0, 2, 0, 3, 'a', 'b', 'c', 4, 4, 0, 4, 0, 4, 5, 0, 5, 0,
		4, 6, 0, 6, 0, 4, 7, 0, 7, 0,
	};
	uint16_t sample[8];
	struct zio_control ctrl;

	begin("frame=length ssize=2 size=8 frames=4");
	send_bytes(wire.master, raw, sizeof(raw));
	ctrl = read_block(pair, sample, 8);
	ASSERT_EQ(ctrl.seq_num, 0);
	ASSERT_EQ(sample[3], 2);
	ctrl = read_block(pair, sample, 16);
	ASSERT_EQ(ctrl.seq_num, 2);
	ASSERT_EQ(ctrl.zio_alarms, LOST_BLOCK);
	ASSERT_EQ(ctrl.drv_alarms, A_LONG);
	ASSERT_EQ(sample[0], 4);
	ASSERT_EQ(stat_of("lost-frames"), 1);
	ASSERT_EQ(stat_of("long-frames"), 1);
}

static void check_text(uint32_t seq, const char *text, int drv_alarms)
{
	struct zio_control ctrl;
	char data[100] = "";

	ctrl = read_block(pair, data, strlen(text));
	ASSERT_TRUE(!memcmp(data, text, strlen(text)));
	ASSERT_EQ(ctrl.seq_num, seq);
	ASSERT_EQ(ctrl.drv_alarms, drv_alarms);
}

TEST("lines of text: the first, which may be half, is skipped; empty ones are no loss",
     loaded)
{
	begin("frame=line size=20");
	send_bytes(wire.master, "half\none\n\ntwo 22\n", 17);
	send_bytes(wire.master, "this line is longer than twenty bytes\nthree\n", 44);
	check_text(0, "one", 0);
	check_text(1, "two 22", 0);
	check_text(3, "three", A_LONG);
	ASSERT_EQ(stat_of("long-frames"), 1);
}

TEST("lines of NMEA 0183: a dollar, a checksum, two end bytes", loaded)
{
	static const char good[] = "$GPGLL,4916.45,N*3B\r\n", bad[] = "$GPGLL,4916.46,N*3B\r\n";

	begin("frame=line start=24 end=0d0a checksum=xor8 size=80");
	send_bytes(wire.master, "alf\r\n", 5);
	send_bytes(wire.master, good, strlen(good));
	send_bytes(wire.master, bad, strlen(bad));
	send_bytes(wire.master, bad, 9);
	send_bytes(wire.master, good, strlen(good));
	check_text(0, "GPGLL,4916.45,N", 0);
	check_text(3, "GPGLL,4916.45,N", A_CHECKSUM);
	ASSERT_EQ(lost_blocks(), 2);
}

TEST("frames with a length byte", loaded)
{
	static const uint8_t raw[] = {
		0x7e, 3, 'a', 'b', 'c', (3 + 'a' + 'b' + 'c') & 0xff,
		0x7e, 1, 'd', 1 + 'd',
		0x7e, 1, 'e', 0,
		0x7e, 2, 0x7e, 0x7e, 2 + 2 * 0x7e - 256,
	};

	begin("frame=length size=8 start=7e checksum=sum8");
	send_bytes(wire.master, raw, sizeof(raw));
	check_text(0, "abc", 0);
	check_text(1, "d", 0);
	check_text(3, "~~", A_CUT | A_CHECKSUM);
}

TEST("COBS: zeros within the payload, and a CRC", loaded)
{
	/* 11 00 22 and its CRC-8; the same damaged; no COBS; 33 44 and its CRC-8 */
	static const uint8_t raw[] = { 0, 2, 0x11, 3, 0x22, 0x27, 0, 2, 0x11, 3, 0x23, 0x27, 0,
		9, 1, 0, 4, 0x33, 0x44, 0x1d, 0 };
	uint8_t data[3];
	struct zio_control ctrl;

	begin("frame=cobs size=8 checksum=crc8");
	send_bytes(wire.master, raw, sizeof(raw));
	ctrl = read_block(pair, data, 3);
	ASSERT_TRUE(!memcmp(data, "\x11\0\x22", 3));
	ctrl = read_block(pair, data, 2);
	ASSERT_TRUE(!memcmp(data, "\x33\x44", 2));
	ASSERT_EQ(ctrl.seq_num, 3);
	ASSERT_EQ(ctrl.drv_alarms, A_CHECKSUM | A_CUT);
}

TEST("frames that find no block are missed: a gap, an alarm, a count", loaded)
{
	unsigned int n;

	begin(CHECKED);
	for (n = 0; n < 20; n++)
		send_frame(wire.master, n);
	wait_for(10, stat_of("frames") == 20);
	ASSERT_EQ(stat_of("missed-frames"), 4);
	for (n = 0; n < 16; n++)
		check_frame(pair, n, n, 0, 0);
	send_frame(wire.master, 20);
	check_frame(pair, 20, 20, LOST_BLOCK, A_MISSED);
	ASSERT_EQ(lost_blocks(), 4);
	ASSERT_EQ(stat_of("lost-frames"), 4);
}

TEST("a frame that is longer than the block is lost", loaded)
{
	begin(CHECKED);
	write_text(UART_SET "/trigger/nsamples", "7");
	send_frame(wire.master, 0);
	wait_for(10, stat_of("frames") == 1);
	write_text(UART_SET "/trigger/nsamples", "16");
	send_frame(wire.master, 1);
	send_frame(wire.master, 2);
	wait_for(10, stat_of("frames") == 3);
	ASSERT_EQ(stat_of("lost-frames"), 1);
	ASSERT_EQ(read_number(UART_CHAN "/alarms"), A_LONG << 8 | LOST_BLOCK);
}

TEST("half a block is lost when the set is disabled", loaded)
{
	uint16_t sample[2 * PAYLOAD / 2];
	struct zio_control ctrl;

	begin(CHECKED " frames=2");
	send_frame(wire.master, 0);
	wait_for(10, stat_of("frames") == 1);
	write_text(UART_SET "/enable", "0");
	write_text(UART_SET "/enable", "1");
	send_frame(wire.master, 1);
	send_frame(wire.master, 2);
	ctrl = read_block(pair, sample, sizeof(sample));
	ASSERT_EQ(sample[0], 8);
	ASSERT_EQ(stat_of("lost-frames"), 1);
	ASSERT_EQ(ctrl.seq_num, 1);
}

/* A child reads until an error, and exits with it. */
static pid_t read_in_child(void)
{
	pid_t pid = fork_child();
	char data[PAYLOAD];

	if (pid)
		return pid;
	close(wire.master);
	while (read(pair.data, data, sizeof(data)) > 0)
		;
	_exit(errno);
}

static int exit_status(pid_t pid)
{
	int status;

	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST("a hang-up ends a sleeping reader with ENODEV, and the device", loaded)
{
	pid_t pid;

	begin(CHECKED);
	pid = read_in_child();
	send_frame(wire.master, 0);
	wait_for(10, task_state(pid) == 'S' && stat_of("frames") == 1);
	close(wire.master);
	ASSERT_EQ(exit_status(pid), ENODEV);
	wait_for(10, !exists(ZUART_SYS));
	ASSERT_TRUE(!rmdir(UART_CONFIG "/b"));
	wire = open_wire();
	begin(CHECKED);
	send_frame(wire.master, 1);
	check_frame(pair, 1, 0, 0, 0);
}

TEST("rmdir ends a sleeping reader with ENODEV; the tty is as before", loaded)
{
	char text[10] = "";
	pid_t pid;
	int tty;

	begin(CHECKED);
	pid = read_in_child();
	wait_for(10, task_state(pid) == 'S');
	tty = open_file(wire.path, O_RDWR | O_NOCTTY);
	ASSERT_ERRNO(read(tty, text, 1), EIO);
	ASSERT_TRUE(!rmdir(UART_CONFIG "/b"));
	ASSERT_EQ(exit_status(pid), ENODEV);
	send_bytes(wire.master, "text\n", 5);
	ASSERT_EQ(read(tty, text, sizeof(text)), 5);
	ASSERT_TRUE(!strcmp(text, "text\n"));
}

TEST("programs write to the tty and change its settings", loaded)
{
	struct termios before, after;
	char text[10] = "";
	int tty = open_file(wire.path, O_RDWR | O_NOCTTY);

	ASSERT_TRUE(!tcgetattr(tty, &before));
	cfsetspeed(&before, B57600);
	before.c_cflag |= CSTOPB | HUPCL;
	ASSERT_TRUE(!tcsetattr(tty, TCSANOW, &before));
	begin(CHECKED);
	send_bytes(tty, "start", 5);
	ASSERT_EQ(read(wire.master, text, sizeof(text)), 5);
	ASSERT_TRUE(!strcmp(text, "start"));
	ASSERT_TRUE(!tcgetattr(tty, &after));
	ASSERT_EQ(after.c_cflag, before.c_cflag);
	ASSERT_TRUE(after.c_iflag & INPCK);
	cfsetspeed(&after, B19200);
	ASSERT_TRUE(!tcsetattr(tty, TCSANOW, &after));
	send_frame(wire.master, 0);
	check_frame(pair, 0, 0, 0, 0);
}

/* More than the tty has room for */
static char command[256 << 10];

/* Return: a child that writes all of the command, and ends with an errno or 0. */
static pid_t start_writer(int tty)
{
	pid_t pid = fork();
	size_t done = 0;
	ssize_t n;

	ASSERT_TRUE(pid >= 0);
	if (pid)
		return pid;
	close(wire.master);
	while (done < sizeof(command)) {
		n = write(tty, command + done, sizeof(command) - done);
		if (n < 0)
			_exit(errno);
		done += n;
	}
	_exit(0);
}

TEST("a write of a long command waits for room", loaded)
{
	int tty = open_file(wire.path, O_RDWR | O_NOCTTY);
	size_t done = 0;
	ssize_t n;
	pid_t pid;

	begin(CHECKED);
	pid = start_writer(tty);
	while (done < sizeof(command)) {
		usleep(100);
		n = read(wire.master, command, sizeof(command));
		ASSERT_TRUE(n > 0);
		done += n;
	}
	ASSERT_EQ(exit_status(pid), 0);
	ASSERT_TRUE(!fcntl(tty, F_SETFL, O_RDWR | O_NONBLOCK));
	ASSERT_EQ(exit_status(start_writer(tty)), EAGAIN);
}

TEST("a write that waits lets the device go", loaded)
{
	int tty = open_file(wire.path, O_RDWR | O_NOCTTY);
	pid_t pid;

	begin(CHECKED);
	/* A write that has stored nothing yet must not end with EAGAIN. */
	ASSERT_TRUE(!fcntl(tty, F_SETFL, O_RDWR | O_NONBLOCK));
	ASSERT_EQ(exit_status(start_writer(tty)), EAGAIN);
	ASSERT_TRUE(!fcntl(tty, F_SETFL, O_RDWR));
	pid = start_writer(tty);
	wait_for(10, task_state(pid) == 'S');
	ASSERT_TRUE(!rmdir(UART_CONFIG "/b"));
	/* The usual discipline waits, too, until the other end goes. */
	close(wire.master);
	ASSERT_EQ(exit_status(pid), EIO);
}

static int live_errno(const char *settings, const char *tty)
{
	int fd, ret;

	shell("rmdir " UART_CONFIG "/* 2>/dev/null");
	run("cd " UART_CONFIG "; mkdir e; cd e; echo %s >tty; for s in %s; do "
	    "echo ${s#*=} >${s%%%%=*}; done", tty, settings);
	fd = open_file(UART_CONFIG "/e/live", O_WRONLY);
	ret = write(fd, "1", 1) < 0 ? errno : 0;
	close(fd);
	return ret;
}

TEST("wrong settings are refused when the device becomes live", loaded)
{
	ASSERT_EQ(live_errno("", "''"), EINVAL);
	ASSERT_EQ(live_errno("", "/dev/nothing"), ENOENT);
	ASSERT_EQ(live_errno("", "/dev/null"), ENOTTY);
	ASSERT_EQ(live_errno("", "/etc"), EISDIR);
	ASSERT_EQ(live_errno("start=a5x", wire.path), EINVAL);
	ASSERT_EQ(live_errno("start=a", wire.path), EINVAL);
	ASSERT_EQ(live_errno("start=000102030405060708", wire.path), E2BIG);
	ASSERT_EQ(live_errno("frame=cobs start=00", wire.path), EINVAL);
	ASSERT_EQ(live_errno("ssize=4 size=6", wire.path), EINVAL);
	ASSERT_EQ(live_errno("frame=length size=256", wire.path), ERANGE);
	ASSERT_EQ(live_errno("size=4096 frames=65536", wire.path), ERANGE);
	ASSERT_EQ(live_errno("start=0001020304050607", wire.path), 0);
	ASSERT_EQ(count_names("/sys/bus/zio/devices", "zuart"), 1);
	run("mkdir " UART_CONFIG "/f; echo %s >" UART_CONFIG "/f/tty", wire.path);
	refuse(UART_CONFIG "/f/live", "1", EBUSY);
	ASSERT_EQ(count_names("/sys/bus/zio/devices", "zuart"), 1);
}

TEST("a program attaches the discipline with the module's format", NULL)
{
	int disc = LDISC, tty;

	shell("rmdir " UART_CONFIG "/* 2>/dev/null; rmmod zio-uart 2>/dev/null");
	ASSERT_TRUE(shell("modprobe zio-uart frame=wave 2>/dev/null"));
	run("modprobe zio-uart start=a55a checksum=crc16 ssize=2");
	wire = open_wire();
	tty = open_file(wire.path, O_RDWR | O_NOCTTY);
	ASSERT_TRUE(!ioctl(tty, TIOCSETD, &disc));
	run("zio-links");
	pair = open_pair(ZUART, O_RDONLY);
	send_frame(wire.master, 0);
	check_frame(pair, 0, 0, 0, 0);
	close(tty);
	close(wire.master);
	wait_for(10, !exists(ZUART_SYS));
	close_pair(pair);
	run("rmmod zio-uart");
}

TEST("a user without rights cannot attach the discipline", loaded)
{
	int disc = LDISC, tty = open_file(wire.path, O_RDWR | O_NOCTTY);
	pid_t pid = fork_child();

	if (!pid) {
		ASSERT_TRUE(!setuid(65534));
		ASSERT_ERRNO(ioctl(tty, TIOCSETD, &disc), EPERM);
		_exit(0);
	}
	ASSERT_EQ(exit_status(pid), 0);
	ASSERT_EQ(count_names("/sys/bus/zio/devices", "zuart"), 0);
}

TEST("another discipline takes the device away", loaded)
{
	int disc = 0, tty = open_file(wire.path, O_RDWR | O_NOCTTY);
	pid_t pid;

	begin(CHECKED);
	pid = read_in_child();
	wait_for(10, task_state(pid) == 'S');
	ASSERT_TRUE(!ioctl(tty, TIOCSETD, &disc));
	ASSERT_EQ(exit_status(pid), ENODEV);
	ASSERT_TRUE(!exists(ZUART_SYS));
	disc = N_NULL;
	ASSERT_TRUE(!ioctl(tty, TIOCSETD, &disc));
	ASSERT_TRUE(!rmdir(UART_CONFIG "/b"));
	ASSERT_TRUE(!ioctl(tty, TIOCGETD, &disc));
	ASSERT_EQ(disc, N_NULL);
}

/* Random frames, cuts and noise until the other end is gone */
static void __attribute__((noreturn)) flood(int fd)
{
	uint8_t raw[RAW];
	unsigned int n;

	signal(SIGPIPE, SIG_IGN);
	for (n = 0;; n++) {
		make_frame(raw, n);
		if (!(rand() % 16))
			raw[rand() % RAW]++;
		if (write(fd, raw, rand() % 32 ? RAW : 1 + rand() % RAW) < 0)
			_exit(0);
	}
}

static void __attribute__((noreturn)) reconfigure(void)
{
	static const char *const command[] = {
		"trigger/nsamples=8", "trigger/nsamples=64", "enable=0", "enable=1",
		"current_buffer=vmalloc", "current_buffer=kmalloc",
		"current_trigger=user", "current_trigger=transparent",
	};

	for (;;) {
		const char *one = command[rand() % 8], *value = strchr(one, '=');
		char path[256];
		int fd;

		snprintf(path, sizeof(path), UART_SET "/%.*s", (int)(value - one), one);
		fd = open(path, O_WRONLY);
		if (fd < 0)
			_exit(0);
		if (write(fd, value + 1, strlen(value + 1)) < 0 && errno == ENODEV)
			_exit(0);
		close(fd);
	}
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void storm(unsigned int round)
{
	pid_t sender, reader, config;

	begin(round & 1 ? CHECKED : CHECKED " frames=7");
	srand(round);
	sender = fork_child();
	if (!sender)
		flood(wire.master);
	config = fork_child();
	if (!config) {
		close(wire.master);
		reconfigure();
	}
	reader = read_in_child();
	usleep(rand() % 300000);
	if (round % 3) {
		end_child(sender);
		close(wire.master);
	} else {
		ASSERT_TRUE(!rmdir(UART_CONFIG "/b"));
		end_child(sender);
		close(wire.master);
	}
	ASSERT_EQ(exit_status(reader), ENODEV);
	end_child(config);
	close_pair(pair);
	wait_for(10, !exists(ZUART_SYS));
	rmdir(UART_CONFIG "/b");
	wire = open_wire();
}

TEST("a storm: floods, changes of settings, hang-ups and rmdir under readers", loaded)
{
	unsigned int round;

	run("modprobe zio-buf-vmalloc");
	for (round = 0; round < (is_debug_kernel() ? 12 : 40); round++)
		storm(round);
}

/* The kernel keeps number 28 for MCTP, whose module is not there. */
TEST("the parameter of the module is the number of the line discipline", loaded)
{
	int tty = open_file(wire.path, O_RDWR | O_NOCTTY);

	reload("zio-uart", "ldisc=28");
	run("grep -q '^zio-uart *28$' /proc/tty/ldiscs");
	ASSERT_ERRNO(ioctl(tty, TIOCSETD, &(int){ LDISC }), EINVAL);
	ASSERT_EQ(ioctl(tty, TIOCSETD, &(int){ 28 }), 0);
	ASSERT_TRUE(exists(ZUART_SYS));
	ASSERT_EQ(ioctl(tty, TIOCSETD, &(int){ 0 }), 0);
	begin(CHECKED);
	send_frame(wire.master, 0);
	check_frame(pair, 0, 0, 0, 0);
	close_pair(pair);
	ASSERT_EQ(rmdir(UART_CONFIG "/b"), 0);
	unload("zio-uart");
	ASSERT_TRUE(shell("zio-load zio-uart ldisc=1000 2>/dev/null"));
}

TEST("the module goes when its last board is gone", loaded)
{
	begin(CHECKED);
	ASSERT_TRUE(shell("rmmod zio-uart 2>/dev/null"));
	close_pair(pair);
	ASSERT_TRUE(!rmdir(UART_CONFIG "/b"));
	run("rmmod zio-uart");
}
