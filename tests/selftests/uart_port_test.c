// SPDX-License-Identifier: GPL-2.0-only
/*
 * uart_port_test.c: zio-uart on a serial port that QEMU emulates, on one with errors, and
 * on a bus of the firmware
 *
 * # check
 * # kasan
 * # model: serdev-line
 * # model: tty-line
 * # qemu: -chardev null,id=com3 -device isa-serial,chardev=com3,index=2
 */
#include <sys/stat.h>

#include "harness.h"
#include "order.h"
#include "uart.h"

#ifndef TIOCM_LOOP
#define TIOCM_LOOP	0x8000 /* <asm/termios.h>, which no program can have beside libc's */
#endif

#define PORT		"/dev/ttyS2"
#define LINE		"/dev/ttyLINE0"
#define LINE_PARAM	"/sys/module/tty_line/parameters"
#define SERDEV		"/sys/module/serdev_line/parameters"

SETUP(loaded)
{
	shell("rmdir " UART_CONFIG "/* 2>/dev/null; rmmod tty-line 2>/dev/null");
	load("zio-uart");
}

SETUP(with_line)
{
	loaded(value);
	run("insmod /selftests/tty-line.ko");
	wait_for(10, exists(LINE));
}

static unsigned long stat_of(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), UART_SET "/%s", name);
	return read_number(path);
}

static bool has_port(void)
{
	struct termios termios;
	int fd = open(PORT, O_RDWR | O_NOCTTY | O_NONBLOCK);
	bool has = fd >= 0 && !tcgetattr(fd, &termios);

	close(fd);
	return has;
}

/* The port gets what it sends. */
static int open_loop(speed_t speed)
{
	int bits = TIOCM_LOOP | TIOCM_DTR | TIOCM_RTS;
	int tty = open_file(PORT, O_RDWR | O_NOCTTY | O_NONBLOCK);
	struct termios termios;

	ASSERT_TRUE(!tcgetattr(tty, &termios));
	cfmakeraw(&termios);
	cfsetspeed(&termios, speed);
	termios.c_cflag |= CLOCAL | CREAD;
	ASSERT_TRUE(!tcsetattr(tty, TCSANOW, &termios));
	ASSERT_TRUE(!ioctl(tty, TIOCMBIS, &bits));
	return tty;
}

/* A byte has come when its last bit has. The block that is armed already may not know it. */
static void check_byte_time(int tty, struct pair pair, unsigned int n, int64_t byte_ns)
{
	const struct zio_ctrl_attr *attr;
	struct zio_control ctrl;
	unsigned int end = n + 2;
	uint8_t data[64];
	int64_t first = 0;

	for (; n < end; n++) {
		send_frame(tty, n);
		ctrl = read_control(pair.ctrl);
		attr = &ctrl.attr_trigger;
		ASSERT_EQ(read(pair.data, data, ctrl.nsamples * ctrl.ssize),
			  ctrl.nsamples * ctrl.ssize);
		first = (uint64_t)attr->std_val[ZIO_ATTR_TRIG_FIRST_HIGH] << 32 |
			attr->std_val[ZIO_ATTR_TRIG_FIRST_LOW];
	}
	ASSERT_EQ(first, -1000 * byte_ns);
}

TEST("a 16550: frames, and the speed is kept", loaded)
{
	struct termios termios;
	struct pair pair;
	unsigned int n;
	int tty;

	if (!has_port())
		SKIP("this machine has no " PORT);
	tty = open_loop(B57600);
	make_board("b", PORT, CHECKED);
	pair = open_pair(ZUART, O_RDONLY);
	for (n = 0; n < 20; n++) {
		send_frame(tty, n);
		check_frame(pair, n, n, 0, 0);
	}
	check_byte_time(tty, pair, n, 173611);
	ASSERT_TRUE(!tcgetattr(tty, &termios));
	termios.c_cflag |= PARENB;
	ASSERT_TRUE(!tcsetattr(tty, TCSANOW, &termios));
	check_byte_time(tty, pair, n + 2, 190972);
	ASSERT_EQ(cfgetospeed(&termios), B57600);
	ASSERT_TRUE(!rmdir(UART_CONFIG "/b"));
	ASSERT_TRUE(!tcgetattr(tty, &termios));
	ASSERT_EQ(cfgetospeed(&termios), B57600);
}

/* A frame with length byte and sum: 7e 2 DATA DATA SUM */
#define FRAME_1 "7e 02 11 12 25"
#define FRAME_2 "7e 02 21 22 45"

static void send_text(const char *text)
{
	write_text(LINE_PARAM "/send", text);
}

static void check_word(struct pair pair, uint16_t word, uint32_t seq, int drv_alarms)
{
	uint16_t data;
	struct zio_control ctrl = read_block(pair, &data, sizeof(data));

	ASSERT_EQ(data, word);
	ASSERT_EQ(ctrl.seq_num, seq);
	ASSERT_EQ(ctrl.drv_alarms, drv_alarms);
}

static struct pair make_line(void)
{
	make_board("b", LINE, "frame=length size=8 start=7e checksum=sum8 ssize=2");
	return open_pair(ZUART, O_RDONLY);
}

static void check_error(struct pair pair, const char *letter, const char *name, int alarm,
			uint32_t seq)
{
	char text[64];

	snprintf(text, sizeof(text), "7e 02 11 %s12 25", letter);
	send_text(text);
	send_text(FRAME_2);
	check_word(pair, 0x2221, seq, alarm | A_CUT);
	ASSERT_EQ(stat_of(name), 1);
}

TEST("parity, framing and overrun errors lose their frame, and have alarms", with_line)
{
	struct pair pair = make_line();

	send_text(FRAME_1);
	check_word(pair, 0x1211, 0, 0);
	check_error(pair, "p", "parity-errors", A_PARITY, 2);
	check_error(pair, "f", "framing-errors", A_FRAMING, 4);
	check_error(pair, "o", "overruns", A_OVERRUN, 6);
	check_error(pair, "b", "breaks", A_BREAK, 8);
	ASSERT_EQ(stat_of("lost-frames"), 4);
	ASSERT_EQ(read_number(UART_CHAN "/statistics/lost_blocks"), 4);
}

TEST("a break between frames loses none, and has its alarm", with_line)
{
	struct pair pair = make_line();

	send_text(FRAME_1);
	send_text("b00");
	send_text(FRAME_2);
	check_word(pair, 0x1211, 0, 0);
	check_word(pair, 0x2221, 1, A_BREAK);
	ASSERT_EQ(stat_of("lost-frames"), 0);
}

/* Frame @n, whose word is @n. Every seventh is damaged. */
static void send_numbered(uint16_t n)
{
	unsigned int low = n & 0xff, high = n >> 8;
	char text[64];

	snprintf(text, sizeof(text), "7e 02 %02x %s%02x %02x", low, n % 7 == 4 ? "p" : "", high,
		 (2 + low + high) & 0xff);
	send_text(text);
}

TEST_EACH("each loss is told by the first of the blocks behind it, with %s frames each", with_line,
	  "1", "4")
{
	unsigned int each = atoi(value), n, got = 0, most = 0;
	struct order order = { .mask = 0xffff };
	struct zio_control ctrl;
	struct pair pair;
	uint16_t data[4];

	make_board("b", LINE, each == 1 ?
		   "frame=length size=8 start=7e checksum=sum8 ssize=2 frames=1" :
		   "frame=length size=8 start=7e checksum=sum8 ssize=2 frames=4");
	pair = open_pair(ZUART, O_RDONLY);
	for (n = 0; n < 200; n++) {
		send_numbered(n);
		/* The driver knows of a damaged frame when the next one comes. */
		if (n % 7 != 4)
			wait_for(30, stat_of("frames") + stat_of("lost-frames") > n);
		/* A block that is not full ends at the loss. */
		while (poll_events(pair.ctrl, POLLIN, n < 199 ? 0 : 500)) {
			ctrl = read_control(pair.ctrl);
			order_control(&order, &ctrl);
			ASSERT_EQ(read(pair.data, data, sizeof(data)), 2 * ctrl.nsamples);
			order_data(&order, data[0], ctrl.nsamples, each);
			got += ctrl.nsamples;
			most = ctrl.nsamples > most ? ctrl.nsamples : most;
		}
	}
	ASSERT_EQ(most, each);
	ASSERT_TRUE(got >= 160);
	ASSERT_TRUE(order.lost >= 25);
	ASSERT_TRUE(stat_of("lost-frames") >= 28);
	diag("%u frames, %llu losses", got, (unsigned long long)order.lost);
}

static bool is_throttled(void)
{
	return *text_in(LINE_PARAM "/throttled") == 'Y';
}

/* A tty that nobody reads: its discipline stops the other end when its memory is full. */
static void fill_tty(int tty)
{
	struct termios termios;
	char text[3 * 64 + 1] = "";
	unsigned int i;

	for (i = 0; i < 64; i++)
		strcat(text, "61 ");
	ASSERT_TRUE(!tcgetattr(tty, &termios));
	cfmakeraw(&termios);
	ASSERT_TRUE(!tcsetattr(tty, TCSANOW, &termios));
	/* All of it has room: none is left for another discipline. */
	for (i = 0; i < 63; i++)
		send_text(text);
	wait_for(30, is_throttled());
}

TEST("a tty that was throttled before is not silent", with_line)
{
	int tty = open_file(LINE, O_RDWR | O_NOCTTY | O_NONBLOCK);
	struct pair pair;

	fill_tty(tty);
	pair = make_line();
	wait_for(30, !is_throttled());
	send_text(FRAME_1);
	ASSERT_EQ(poll_events(pair.ctrl, POLLIN, 10000), POLLIN);
	check_word(pair, 0x1211, 0, 0);
	close(tty);
}

/* A child reads until an error, and exits with it. */
static pid_t read_in_child(struct pair pair)
{
	pid_t pid = fork_child();
	char data[PAYLOAD];

	if (pid)
		return pid;
	while (read(pair.data, data, sizeof(data)) > 0)
		;
	_exit(errno);
}

static void ends_with_enodev(pid_t pid)
{
	int status;

	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_EQ(WEXITSTATUS(status), ENODEV);
	ASSERT_TRUE(!exists(ZUART_SYS));
}

TEST("a tty that is pulled out under a reader: ENODEV, and no reference stays", with_line)
{
	struct pair pair = make_line();
	pid_t pid = read_in_child(pair);

	wait_for(10, task_state(pid) == 'S');
	write_text(LINE_PARAM "/unplug", "1");
	ends_with_enodev(pid);
	ASSERT_TRUE(!rmdir(UART_CONFIG "/b"));
	wait_for(10, !shell("rmmod tty-line 2>/dev/null"));
}

TEST("a device of the firmware: properties, speed, frames, and its end", loaded)
{
	struct pair pair;
	pid_t pid;

	run("insmod /selftests/serdev-line.ko && zio-links");
	ASSERT_EQ(read_number(SERDEV "/speed"), 57600);
	pair = open_pair(ZUART, O_RDONLY);
	write_text(SERDEV "/send", "7e02111225");
	check_word(pair, 0x1211, 0, 0);
	write_text(SERDEV "/send", "7e021112267e0221");
	write_text(SERDEV "/send", "2245");
	check_word(pair, 0x2221, 2, A_CUT | A_CHECKSUM);
	pid = read_in_child(pair);
	wait_for(10, task_state(pid) == 'S');
	run("rmmod serdev-line");
	ends_with_enodev(pid);
}
