// SPDX-License-Identifier: GPL-2.0-only
/*
 * files_fuzz - damaged spools, marks and settings, and files that are replaced
 *
 * Usage: files_fuzz [FILES [SEED]]
 *
 * A power failure leaves spools with zeros, or with a part of a block. A user names a file
 * that is no spool. zio-kafka opens the first, and leaves each byte of the second. The
 * sanitizers look for what is read beyond a line or a block. A seed gives the same files
 * each time.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/channel.h"
#include "common/program.h"
#include "common/text.h"
#include "harness.h"
#include "kafka/replace.h"
#include "kafka/spool.h"
#include "../fake.h"

#define FILES 4000
#define LARGEST 4096	/* bytes of a file */
#define SAMPLES 16
#define CONTROL sizeof(struct zio_control)
#define ONE (CONTROL + SAMPLES)
#define N(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t state;
static char said[65536];	/* what the program has told the user */

/* --- what the program puts in place of libraries and of common/ */

void __wrap_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd);

void __wrap_complain(const char *format, ...)
{
	size_t used = strlen(said);
	va_list args;

	va_start(args, format);
	vsnprintf(said + used, sizeof(said) - used, format, args);
	va_end(args);
}

/* The disk is not what is tested, and slow. */
int __wrap_fdatasync(int fd)
{
	return fcntl(fd, F_GETFD) < 0 ? -1 : 0;
}

int __wrap_fsync(int fd)
{
	return fcntl(fd, F_GETFD) < 0 ? -1 : 0;
}

#define ASSERT_SAID(text) do {						\
	ASSERT_HAS(said, text);						\
	said[0] = '\0';							\
} while (0)

/* --- random numbers: xorshift64* */

static uint64_t draw(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * UINT64_C(2685821657736338717) % below;
}

static bool once_in(uint64_t n)
{
	return !draw(n);
}

/* --- files */

struct bytes {
	char at[LARGEST + ONE];
	size_t len;
};

static void put_bytes(const char *name, const void *bytes, size_t len)
{
	int fd = open(in_dir(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ASSERT_EQ(write(fd, bytes, len), len, name);
	close(fd);
}

static void put_line(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

/* How many bytes has the file? -1: it has others than these. */
static ssize_t count_bytes(const char *name, const void *bytes, size_t len)
{
	static char found[LARGEST + ONE + 1];
	int fd = open(in_dir(name), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, found, sizeof(found));

	if (fd >= 0)
		close(fd);
	return n > (ssize_t)len || (n > 0 && memcmp(found, bytes, (size_t)n)) ? -1 : n;
}

/* Is this all that the file has? */
static bool holds(const char *name, const void *bytes, size_t len)
{
	return count_bytes(name, bytes, len) == (ssize_t)len;
}

static bool holds_line(const char *name, const char *text)
{
	return holds(name, text, strlen(text));
}

static bool exists(const char *name)
{
	struct stat st;

	return !lstat(in_dir(name), &st);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	return stat(in_dir(name), &st) ? 0 : st.st_mode & 07777;
}

static void forget(const char *name)
{
	unlink(in_dir(name));
}

/* --- replaced files */

static bool put_part(const struct replacement *r, const char *text)
{
	return write(r->fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* A test leaves no file but these. */
static void end_folder(void)
{
	static const char *const left[] = { "target", "victim", "spool", "spool.sent", "fifo",
					    "settings" };
	size_t i;

	for (i = 0; i < N(left); i++)
		forget(left[i]);
	ASSERT_TRUE(!rmdir(dir));
}

/* The words are the number of files, and a seed. */
SETUP(fresh)
{
	make_dir(value);
	state = *arguments && arguments[1] ? strtoull(arguments[1], NULL, 10) | 1 : 20261125;
	atexit(end_folder);
}

TEST("each of two programs publishes its own file, and only when it is whole", fresh)
{
	struct replacement first, second;

	put_line("target", "old");
	ASSERT_TRUE(!begin_replacement(&first, in_dir("target")));
	ASSERT_TRUE(!begin_replacement(&second, in_dir("target")));
	ASSERT_TRUE(put_part(&first, "first "));
	ASSERT_TRUE(put_part(&second, "second") && !end_replacement(&second));
	ASSERT_TRUE(holds_line("target", "second"));
	ASSERT_TRUE(put_part(&first, "whole") && holds_line("target", "second"));
	ASSERT_TRUE(!end_replacement(&first) && holds_line("target", "first whole"));
	drop_replacement(&first);
	drop_replacement(&second);
}

TEST("a file that has another purpose is not a part of the work", fresh)
{
	struct replacement r;

	put_line("target", "old");
	put_line("target.new", "mine");
	put_line("victim", "of others");
	ASSERT_TRUE(!begin_replacement(&r, in_dir("target")) && put_part(&r, "x"));
	drop_replacement(&r);
	ASSERT_TRUE(holds_line("target", "old"), "what is dropped changes nothing");
	ASSERT_TRUE(holds_line("target.new", "mine"), "a file of the user stays");
	forget("target.new");
	ASSERT_TRUE(!symlink(in_dir("victim"), in_dir("target.new")));
	ASSERT_TRUE(!begin_replacement(&r, in_dir("target")) && put_part(&r, "x"));
	ASSERT_TRUE(!end_replacement(&r));
	drop_replacement(&r);
	ASSERT_TRUE(holds_line("victim", "of others") && exists("target.new"));
	forget("target.new");
}

TEST("modes of files", fresh)
{
	const mode_t mask = umask(027);
	struct replacement r;

	ASSERT_TRUE(!begin_replacement(&r, in_dir("target")) && !end_replacement(&r));
	ASSERT_EQ(mode_of("target"), 0640);
	drop_replacement(&r);
	chmod(in_dir("target"), 0604);
	ASSERT_TRUE(!begin_replacement(&r, in_dir("target")) && !end_replacement(&r));
	ASSERT_EQ(mode_of("target"), 0604);
	drop_replacement(&r);
	umask(mask);
	ASSERT_TRUE(begin_replacement(&r, in_dir("nowhere/target")));
	ASSERT_SAID("cannot create");
	drop_replacement(&r);
}

/* --- spools */

static void add_block_to(struct bytes *to, uint32_t seq)
{
	struct zio_control control;

	zio_control_init(&control, SAMPLES, 1);
	strcpy(control.addr.devname, "zzero");
	control.seq_num = seq;
	control.tstamp.secs = 1795357071;
	memcpy(to->at + to->len, &control, CONTROL);
	memset(to->at + to->len + CONTROL, 'a' + (int)(seq % 26), SAMPLES);
	to->len += ONE;
}

static struct bytes make_blocks(uint32_t n)
{
	struct bytes made = { .len = 0 };
	uint32_t i;

	for (i = 0; i < n; i++)
		add_block_to(&made, i);
	return made;
}

/* Append a block, take all blocks, and let the broker have them. */
static bool use_spool(struct spool *spool, uint64_t *blocks)
{
	struct bytes one = make_blocks(1);
	struct zio_control control;
	struct zio_block blk;
	struct origin origin;
	int ret;

	memcpy(&control, one.at, CONTROL);
	if (spool_block(spool, &control, one.at + CONTROL, SAMPLES))
		return false;
	for (*blocks = 0; (ret = next_spooled(spool, &blk, &origin)) > 0; ++*blocks)
		;
	release_spool(spool, once_in(2) ? spool->at : spool->sent);
	return !ret;
}

/* Returns how many blocks the spool had; -1 it did not open, -2 it cannot be used. */
static int try_spool(const char *name)
{
	struct spool spool = { 0 };
	uint64_t blocks = 0;
	int ret = -1;

	if (!open_spool(&spool, in_dir(name)))
		ret = use_spool(&spool, &blocks) ? (int)blocks - 1 : -2;
	close_spool(&spool);
	free_accounts();
	return ret;
}

static int try_bytes(const void *bytes, size_t len)
{
	forget("spool.sent");
	put_bytes("spool", bytes, len);
	return try_spool("spool");
}

TEST("spools after a power failure", fresh)
{
	static const char zeros[LARGEST];
	struct bytes two = make_blocks(2);

	ASSERT_EQ(try_bytes("", 0), 0, "an empty spool");
	ASSERT_EQ(try_bytes(two.at, two.len), 2, "a spool of two blocks");
	ASSERT_EQ(try_bytes(zeros, 3000), 0);
	ASSERT_SAID("dropped 3000 bytes");
	ASSERT_EQ(try_bytes(two.at, 100), 0);
	ASSERT_SAID("dropped 100 bytes");
	ASSERT_EQ(try_bytes(two.at, CONTROL + 3), 0, "a part of the first block");
	ASSERT_EQ(try_bytes(two.at, ONE + 100), 1, "a part of the second control");
	memset(two.at + ONE + 70, 0, LARGEST - ONE - 70);
	ASSERT_EQ(try_bytes(two.at, LARGEST), 1);
	ASSERT_SAID("dropped 3568 bytes");
	memset(two.at + 70, 0, LARGEST - 70);
	ASSERT_EQ(try_bytes(two.at, LARGEST), 0);
}

static bool is_refused(const char *text, size_t len)
{
	return try_bytes(text, len) == -1 && holds("spool", text, len) && !exists("spool.sent");
}

TEST("files that are no spool", fresh)
{
	struct bytes two = make_blocks(2);

	ASSERT_TRUE(is_refused("notes\n", 6));
	ASSERT_SAID("not a spool: name another file, or remove it");
	memset(two.at, 'x', 600);
	ASSERT_TRUE(is_refused(two.at, 600));
	ASSERT_SAID("not a spool");
	two = make_blocks(2);
	memset(two.at + ONE, 'x', ONE);
	ASSERT_TRUE(is_refused(two.at, two.len));
	ASSERT_SAID("truncate -s 528");
	ASSERT_TRUE(!mkfifo(in_dir("fifo"), 0600) && try_spool("fifo") == -1);
	ASSERT_SAID("not a regular file");
	ASSERT_TRUE(exists("fifo") && !exists("fifo.sent"));
}

static int try_mark(const char *text, size_t len)
{
	struct bytes two = make_blocks(2);

	put_bytes("spool", two.at, two.len);
	put_bytes("spool.sent", text, len);
	return try_spool("spool");
}

/* Put the mark of @sent bytes, with the inode of the spool. */
static int try_sent(off_t size, off_t sent)
{
	struct bytes two = make_blocks(2);
	struct stat st;
	char text[64];

	put_bytes("spool", two.at, (size_t)size);
	stat(in_dir("spool"), &st);
	put_text(text, sizeof(text), "%020llu %020lld\n", (unsigned long long)st.st_ino,
		 (long long)sent);
	put_line("spool.sent", text);
	return try_spool("spool");
}

TEST("marks", fresh)
{
	static const char zeros[42];
	struct bytes two = make_blocks(2);

	ASSERT_EQ(try_mark("", 0), 2, "an empty mark");
	ASSERT_EQ(try_mark(zeros, sizeof(zeros)), 2, "a mark of zeros");
	ASSERT_EQ(try_sent(2 * ONE, ONE), 1, "a mark of one block");
	ASSERT_EQ(try_sent(2 * ONE, 2 * ONE), 0, "a mark of all blocks");
	ASSERT_EQ(try_sent(ONE + 100, 2 * ONE), 0);
	said[0] = '\0';
	ASSERT_EQ(try_mark("my letters\n", 11), -1);
	ASSERT_SAID("spool.sent: not the mark of a spool: name another spool, or remove it");
	ASSERT_TRUE(holds_line("spool.sent", "my letters\n"));
	ASSERT_TRUE(holds("spool", two.at, two.len));
	forget("spool");
	ASSERT_TRUE(try_spool("spool") == -1 && holds_line("spool.sent", "my letters\n"));
	ASSERT_TRUE(!exists("spool"));
	forget("spool.sent");
}

/* --- random spools and marks */

static void damage(struct bytes *bytes)
{
	size_t i, n = draw(4);

	if (once_in(3))
		bytes->len = draw(bytes->len + 1);
	for (i = 0; bytes->len && i < n; i++)
		bytes->at[draw(bytes->len)] = (char)draw(256);
	if (once_in(3)) {
		n = draw(LARGEST - bytes->len + 1);
		memset(bytes->at + bytes->len, once_in(4) ? 'x' : 0, n);
		bytes->len += n;
	}
}

static struct bytes make_mark(void)
{
	static const char letters[] = "0123456789 \n\t-x\377";
	struct bytes mark = { .len = 42 };
	struct stat st = { 0 };
	size_t n = draw(3);

	stat(in_dir("spool"), &st);
	put_text(mark.at, sizeof(mark.at), "%020llu %020lld\n",
		 once_in(4) ? 0ull : (unsigned long long)st.st_ino,
		 (long long)(once_in(2) ? draw(8) * ONE : draw(UINT64_C(1) << 62)));
	if (once_in(3))
		mark.len = draw(60);
	while (n--)
		mark.at[draw(42)] = letters[draw(sizeof(letters) - 1)];
	return mark;
}

/*
 * A spool that is refused keeps each byte; the library reads one that was taken. With a mark,
 * the program drops a part at the end before it looks at what the broker has.
 */
static bool is_kept_or_whole(int ret, const struct bytes *bytes, bool has_mark)
{
	struct zio_channel *ch;
	struct zio_block blk;
	int end;

	if (ret == -1 && has_mark)
		return count_bytes("spool", bytes->at, bytes->len) >= 0;
	if (ret == -1)
		return holds("spool", bytes->at, bytes->len);
	if (ret < 0 || !exists("spool"))
		return ret >= 0;
	ch = zio_open(in_dir("spool"), 0, NULL);
	while ((end = zio_next(ch, &blk)) > 0)
		;
	zio_close(ch);
	return !end;
}

static unsigned long count_files(void)
{
	return *arguments ? strtoul(*arguments, NULL, 10) : FILES;
}

TEST("a spool is taken, or keeps each byte", fresh)
{
	unsigned long i, n = count_files(), taken = 0;

	for (i = 0; i < n; i++) {
		struct bytes bytes = make_blocks((uint32_t)draw(6)), mark;
		bool has_mark;
		int ret;

		if (!once_in(4))
			damage(&bytes);
		forget("spool.sent");
		put_bytes("spool", bytes.at, bytes.len);
		mark = make_mark();
		has_mark = once_in(2);
		if (has_mark)
			put_bytes("spool.sent", mark.at, mark.len);
		ret = try_spool("spool");
		taken += ret >= 0;
		if (!is_kept_or_whole(ret, &bytes, has_mark))
			FAIL("not kept: spool %lu", i);
		said[0] = '\0';
	}
	diag("%lu of %lu spools were taken", taken, n);
	ASSERT_TRUE(taken > n / 4 && taken < n);
}

/* --- settings */

static const char *const words[] = {
	"client.id", "bootstrap.servers", "sasl.password", "security.protocol", "linger.ms",
	"=", "=", "=", " ", "\t", "\n", "\r\n", "#", "1", "-1", "99999999999999999999", "ssl",
	"localhost:9092", "topic.metadata.refresh.interval.ms", "\xff\xfe", "%s%n", "'", "\"",
	"sasl.oauthbearer.config", "queue.buffering.max.messages", "compression.codec", "lz4",
};

static struct bytes make_settings(void)
{
	struct bytes made = { .len = 0 };
	size_t n = draw(40), len;

	while (n-- && made.len < LARGEST) {
		const char *word = words[draw(N(words))];

		len = strlen(word);
		memcpy(made.at + made.len, word, len);
		made.len += len;
		if (once_in(20))
			made.at[made.len++] = (char)draw(256);
	}
	return made;
}

static rd_kafka_conf_t *read_settings(const char *name)
{
	static const char *const own[] = { "linger.ms", "5", NULL };
	struct conf conf = { .file = in_dir(name), .topic = "lab" };

	return make_conf(&conf, own);
}

TEST("settings", fresh)
{
	rd_kafka_conf_t *made;
	char text[64] = "";

	put_line("settings", "# for the lab\n\n  linger.ms = 7 \r\nclient.id=me=you");
	made = read_settings("settings");
	ASSERT_TRUE(made && get_conf(made, "linger.ms", text, sizeof(text)));
	ASSERT_STR(text, "7");
	ASSERT_TRUE(get_conf(made, "client.id", text, sizeof(text)));
	ASSERT_STR(text, "me=you");
	rd_kafka_conf_destroy(made);
	put_line("settings", "sasl.password=xyzzy\n");
	chmod(in_dir("settings"), 0644);
	ASSERT_TRUE(!read_settings("settings") && !strstr(said, "xyzzy"));
	ASSERT_SAID("chmod 600");
	chmod(in_dir("settings"), 0600);
	put_line("settings", "\nlinger.ms\n");
	ASSERT_TRUE(!read_settings("settings"));
	ASSERT_SAID("settings, line 2: 'linger.ms' is not NAME=VALUE");
}

TEST("random settings", fresh)
{
	unsigned long i, n = count_files(), taken = 0;

	for (i = 0; i < n; i++) {
		struct bytes bytes = make_settings();
		rd_kafka_conf_t *made;

		put_bytes("settings", bytes.at, bytes.len);
		made = read_settings("settings");
		taken += made != NULL;
		if (made)
			rd_kafka_conf_destroy(made);
		said[0] = '\0';
	}
	ASSERT_TRUE(taken && taken < n);
}
