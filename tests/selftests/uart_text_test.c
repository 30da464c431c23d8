// SPDX-License-Identifier: GPL-2.0-only
/*
 * uart_text_test.c: zio-uart and lines of numbers
 *
 * # check
 * # kasan
 *
 * The random test has a model of its own: a regular expression for the line, and the digits of
 * a number as a text whose point moves.
 */
#include <ctype.h>
#include <regex.h>

#include "harness.h"
#include "uart.h"

#define COLUMNS		2
#define DECIMALS	2
#define SIZE		24 /* bytes of a line */
#define BLANK		"[ \t]*"
#define NUMBER		"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
#define SEPARATOR	"(" BLANK "[,;]" BLANK "|[ \t]+)"

static struct wire wire;
static struct pair column[COLUMNS];
static uint32_t seq;

SETUP(loaded)
{
	shell("rmdir " UART_CONFIG "/* 2>/dev/null");
	load("zio-uart");
	wire = open_wire();
}

static void begin(const char *settings)
{
	unsigned int i;

	make_board("b", wire.path, settings);
	for (i = 0; i < COLUMNS; i++) {
		char node[64];

		snprintf(node, sizeof(node), "/dev/zio/zuart-0000-0-%u", i);
		column[i] = open_pair(node, O_RDONLY);
	}
}

static void send_text(const char *text)
{
	send_bytes(wire.master, text, strlen(text));
}

/* The next block of a column, of @n samples. Without one the test fails, and does not wait. */
static struct zio_control read_column(unsigned int i, int32_t *sample, unsigned int n)
{
	ASSERT_EQ(poll_events(column[i].ctrl, POLLIN, 60000), POLLIN);
	return read_block(column[i], sample, n * sizeof(*sample));
}

/* The next block of each column: @n samples, and behind @lost blocks these alarms. */
static void check_rows(const int32_t *wanted, unsigned int n, uint32_t lost, int drv_alarms)
{
	struct zio_control ctrl[COLUMNS];
	int32_t sample[16];
	unsigned int i, row;

	seq += lost;
	for (i = 0; i < COLUMNS; i++) {
		ctrl[i] = read_column(i, sample, n);
		for (row = 0; row < n; row++)
			ASSERT_EQ(sample[row], wanted[row * COLUMNS + i]);
		ASSERT_EQ(ctrl[i].seq_num, seq);
		ASSERT_EQ(ctrl[i].zio_alarms, lost ? LOST_BLOCK : 0);
		ASSERT_EQ(ctrl[i].drv_alarms, drv_alarms);
		ASSERT_EQ(time_of(&ctrl[i]), time_of(&ctrl[0]));
	}
	seq++;
}

static unsigned long stat_of(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), UART_SET "/%s", name);
	return read_number(path);
}

TEST("each column is a channel, and decimals are its scale", loaded)
{
	begin("frame=text size=24 columns=2 decimals=2");
	ASSERT_TRUE(!strcmp(text_in(UART_CHAN "/scale"), "0.01"));
	ASSERT_EQ(read_number(UART_SET "/chan1/signed"), 1);
	write_text(UART_SET "/chan1/unit", "degC");
	ASSERT_TRUE(!strcmp(text_in(UART_CHAN "/unit"), "none"));
	send_text("99,99\r\n3.14,-40\r\n");
	check_rows((int32_t []){ 314, -4000 }, 1, 0, 0);
	send_text("\r\n+1e1 ; .005\n");
	check_rows((int32_t []){ 1000, 1 }, 1, 0, 0);
	ASSERT_EQ(stat_of("lost-frames"), 0);
}

TEST("bad lines are lost, and the next block tells why", loaded)
{
	begin("frame=text size=24 columns=2 decimals=2");
	send_text("half\n# volt, amp\n1 2\n");
	check_rows((int32_t []){ 100, 200 }, 1, 0, 0);
	send_text("1,OVLD\n3 4\n");
	check_rows((int32_t []){ 300, 400 }, 1, 1, A_CUT);
	send_text("1\n1,2,3\n9.91E37,1\n5\t6\n");
	check_rows((int32_t []){ 500, 600 }, 1, 3, A_LONG);
	send_bytes(wire.master, "\xef\xbb\xbf" "1,2\n1\0,2\n7;8\n", 16);
	check_rows((int32_t []){ 700, 800 }, 1, 2, A_CUT);
	send_text("1234567890,12345678901234\n9,10\n");
	check_rows((int32_t []){ 900, 1000 }, 1, 1, A_LONG);
	ASSERT_EQ(stat_of("bad-numbers"), 4);
	ASSERT_EQ(stat_of("bad-columns"), 2);
	ASSERT_EQ(stat_of("large-numbers"), 1);
	ASSERT_EQ(stat_of("long-frames"), 1);
	ASSERT_EQ(stat_of("lost-frames"), 7);
}

TEST("a block has several lines, and none across a gap", loaded)
{
	begin("frame=text size=24 columns=2 frames=2");
	send_text("half\n1,2\n3,4\n5,6\nx\n7,8\n9,10\n");
	check_rows((int32_t []){ 1, 2, 3, 4 }, 2, 0, 0);
	check_rows((int32_t []){ 5, 6 }, 1, 0, 0);
	check_rows((int32_t []){ 7, 8, 9, 10 }, 2, 1, A_CUT);
	write_text(UART_SET "/trigger/nsamples", "3");
	send_text("1,2\n3,4\n5,6\n");
	check_rows((int32_t []){ 1, 2, 3, 4, 5, 6 }, 3, 0, 0);
}

TEST("a column that is disabled is dropped", loaded)
{
	int32_t sample;

	begin("frame=text size=24 columns=2");
	write_text(UART_CHAN "/enable", "0");
	send_text("half\n1,2\n");
	read_column(1, &sample, 1);
	ASSERT_EQ(sample, 2);
	ASSERT_EQ(poll_events(column[0].data, POLLIN, 0), 0);
}

TEST("lines with a start mark and a checksum", loaded)
{
	begin("frame=text size=24 columns=2 start=24 end=0d0a checksum=xor8");
	send_text("$1,2*2F\r\n");
	check_rows((int32_t []){ 1, 2 }, 1, 0, 0);
}

TEST("wrong numbers of columns and decimals are refused", loaded)
{
	run("mkdir " UART_CONFIG "/e");
	refuse(UART_CONFIG "/e/columns", "0", ERANGE);
	refuse(UART_CONFIG "/e/columns", "65", ERANGE);
	refuse(UART_CONFIG "/e/decimals", "10", ERANGE);
	run("rmdir " UART_CONFIG "/e; rmmod zio-uart");
	ASSERT_TRUE(shell("modprobe zio-uart frame=text columns=65 2>/dev/null"));
	ASSERT_TRUE(shell("modprobe zio-uart frame=text decimals=10 2>/dev/null"));
}

/* Returns true if the number, a match of NUMBER, fits 32 bits. */
static bool model_number(const char *text, int32_t *value)
{
	char digits[SIZE + 1] = "";
	bool is_negative = *text == '-';
	int n = 0, point = -1, i;
	long long size = 0;
	long exp = 0;

	for (text += *text == '-' || *text == '+'; isdigit(*text) || *text == '.'; text++) {
		if (*text == '.')
			point = n;
		else
			digits[n++] = *text;
	}
	if (tolower(*text) == 'e')
		exp = strtol(text + 1, NULL, 10);
	exp = exp > 1000 ? 1000 : exp < -1000 ? -1000 : exp;
	point = (point < 0 ? n : point) + exp + DECIMALS;
	for (i = 0; i < point && size < 1ll << 40; i++)
		size = 10 * size + (i < n ? digits[i] - '0' : 0);
	size += point >= 0 && point < n && digits[point] >= '5';
	if (size > INT32_MAX + (long long)is_negative)
		return false;
	*value = is_negative ? -size : size;
	return true;
}

/* Returns 1 for a row of numbers, 0 for an empty line, -1 for all others. */
static int model_line(const char *line, int32_t *value)
{
	static regex_t row, empty;
	regmatch_t match[8];

	if (!row.re_nsub) {
		ASSERT_TRUE(!regcomp(&row, "^" BLANK "(" NUMBER ")" SEPARATOR "(" NUMBER ")[ \t\r]*$",
				     REG_EXTENDED));
		ASSERT_TRUE(!regcomp(&empty, "^[ \t\r]*$", REG_EXTENDED));
	}
	if (strlen(line) > SIZE)
		return -1;
	if (!regexec(&empty, line, 0, NULL, 0))
		return 0;
	if (regexec(&row, line, 8, match, 0))
		return -1;
	return model_number(line + match[1].rm_so, &value[0]) &&
		model_number(line + match[5].rm_so, &value[1]) ? 1 : -1;
}

static void draw_noise(char *line)
{
	static const char alphabet[] = "0123456789012345678901234567890123456789+-..eE,; \t\r#x";
	int i, n = rand() % (SIZE + 4);

	for (i = 0; i < n; i++)
		line[i] = alphabet[rand() % (sizeof(alphabet) - 1)];
	line[n] = 0;
}

static void draw_row(char *line)
{
	static const char *const form[] = { "%d,%d", "%d.%03u;-.%u", "+%de-1 %u.", "%uE2\t%de0\r" };

	sprintf(line, form[rand() % 4], rand() % 100000, rand() % 1000, rand() % 1000);
}

TEST("random lines give the samples of a model, and no other", loaded)
{
	unsigned int lost = 0, i, good = 0, n = is_debug_kernel() ? 1000 : 4000;
	char line[2 * SIZE];
	int32_t wanted[COLUMNS];

	begin("frame=text size=24 columns=2 decimals=2");
	send_text("half\n");
	srand(11);
	for (i = 0; i < n; i++) {
		int kind;

		if (rand() % 4)
			draw_noise(line);
		else
			draw_row(line);
		kind = model_line(line, wanted);
		strcat(line, "\n");
		send_text(line);
		/* Nothing can be lost before the first row. */
		if (kind < 0 && good)
			lost++;
		if (kind <= 0)
			continue;
		for (int c = 0; c < COLUMNS; c++) {
			int32_t sample;
			struct zio_control ctrl = read_column(c, &sample, 1);

			if (sample != wanted[c] || ctrl.seq_num != seq + lost)
				FAIL("line %u '%s': %d in block %u, not %d in %u", i, line, sample,
				     ctrl.seq_num, wanted[c], seq + lost);
			ASSERT_EQ(!ctrl.drv_alarms, !lost);
		}
		seq += lost + 1;
		lost = 0;
		good++;
	}
	ASSERT_TRUE(good > n / 8);
	ASSERT_EQ(stat_of("frames"), good);
}

TEST("the module leaves", loaded)
{
	close(wire.master);
	unload("zio-uart");
	ASSERT_TRUE(!is_loaded("zio-uart"));
}
