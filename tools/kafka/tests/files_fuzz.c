// SPDX-License-Identifier: GPL-2.0-only
/*
 * files_fuzz - damaged settings, and files that are replaced
 *
 * Usage: files_fuzz [FILES [SEED]]
 *
 * The sanitizers look for what is read beyond a line. A seed gives the same files each time.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/program.h"
#include "common/text.h"
#include "kafka/kafka.h"
#include "kafka/replace.h"
#include "tests/tap.h"

#define FILES 4000
#define LARGEST 4096	/* bytes of a file */
#define N(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t state;
static char folder[PATH_MAX / 4];
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

static bool has_said(const char *text)
{
	bool is_there = strstr(said, text);

	if (!is_there)
		printf("# said: %s\n", said);
	said[0] = '\0';
	return is_there;
}

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
	char at[LARGEST + 64];
	size_t len;
};

static const char *path_of(const char *name)
{
	static char paths[4][PATH_MAX];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", folder, name);
	return paths[turn];
}

static void put_bytes(const char *name, const void *bytes, size_t len)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		printf("# %s: %s\n", name, strerror(errno));
	close(fd);
}

static void put_line(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

/* Is this all that the file has? */
static bool holds(const char *name, const void *bytes, size_t len)
{
	static char found[LARGEST + 64 + 1];
	int fd = open(path_of(name), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, found, sizeof(found));

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)len && (!len || !memcmp(found, bytes, len));
}

static bool holds_line(const char *name, const char *text)
{
	return holds(name, text, strlen(text));
}

static bool exists(const char *name)
{
	struct stat st;

	return !lstat(path_of(name), &st);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	return stat(path_of(name), &st) ? 0 : st.st_mode & 07777;
}

static void forget(const char *name)
{
	unlink(path_of(name));
}

/* --- replaced files */

static bool put_part(const struct replacement *r, const char *text)
{
	return write(r->fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* Each of two programs publishes its own file, and only when it is whole. */
static void test_two_writers(void)
{
	struct replacement first, second;
	bool is_begun;

	put_line("target", "old");
	is_begun = !begin_replacement(&first, path_of("target")) &&
		   !begin_replacement(&second, path_of("target"));
	ok(is_begun && put_part(&first, "first "), "two programs begin to replace a file");
	ok(put_part(&second, "second") && !end_replacement(&second) &&
	   holds_line("target", "second"), "one of them ends");
	ok(put_part(&first, "whole") && holds_line("target", "second"),
	   "the other one is not there yet");
	ok(!end_replacement(&first) && holds_line("target", "first whole"), "then it is");
	drop_replacement(&first);
	drop_replacement(&second);
}

/* A file that has another purpose is not a part of the work. */
static void test_foreign_file(void)
{
	struct replacement r;

	put_line("target.new", "mine");
	put_line("victim", "of others");
	ok(!begin_replacement(&r, path_of("target")) && put_part(&r, "x"), "begin once more");
	drop_replacement(&r);
	ok(holds_line("target", "first whole"), "what is dropped changes nothing");
	ok(holds_line("target.new", "mine"), "a file of the user stays");
	forget("target.new");
	ok(!symlink(path_of("victim"), path_of("target.new")) &&
	   !begin_replacement(&r, path_of("target")) && put_part(&r, "x") &&
	   !end_replacement(&r), "replace beside a link");
	drop_replacement(&r);
	ok(holds_line("victim", "of others") && exists("target.new"), "nothing follows the link");
	forget("target.new");
}

static void test_mode(void)
{
	const mode_t mask = umask(027);
	struct replacement r;

	forget("target");
	ok(!begin_replacement(&r, path_of("target")) && !end_replacement(&r) &&
	   mode_of("target") == 0640, "a new file has the mode of open()");
	drop_replacement(&r);
	chmod(path_of("target"), 0604);
	ok(!begin_replacement(&r, path_of("target")) && !end_replacement(&r) &&
	   mode_of("target") == 0604, "another one keeps its own");
	drop_replacement(&r);
	umask(mask);
	ok(begin_replacement(&r, path_of("nowhere/target")) && has_said("cannot create"),
	   "no folder");
	drop_replacement(&r);
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
	struct conf conf = { .file = path_of(name), .topic = "lab" };

	return make_conf(&conf, own);
}

static void test_settings(void)
{
	rd_kafka_conf_t *made;
	char text[64] = "";

	put_line("settings", "# for the lab\n\n  linger.ms = 7 \r\nclient.id=me=you");
	made = read_settings("settings");
	ok(made && get_conf(made, "linger.ms", text, sizeof(text)) && !strcmp(text, "7"),
	   "a setting with blanks");
	ok(made && get_conf(made, "client.id", text, sizeof(text)) && !strcmp(text, "me=you"),
	   "a value with an equals sign, without a newline");
	if (made)
		rd_kafka_conf_destroy(made);
	put_line("settings", "sasl.password=xyzzy\n");
	chmod(path_of("settings"), 0644);
	ok(!read_settings("settings") && !strstr(said, "xyzzy") && has_said("chmod 600"),
	   "a password that others can read");
	chmod(path_of("settings"), 0600);
	put_line("settings", "\nlinger.ms\n");
	ok(!read_settings("settings") && has_said("settings, line 2: 'linger.ms' is not NAME=VALUE"),
	   "a line without a value");
}

static void test_random_settings(unsigned long n)
{
	unsigned long i, taken = 0;

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
	ok(taken && taken < n, "some settings are taken, and some are not");
}

int main(int argc, char **argv)
{
	static const char *const left[] = { "target", "victim", "settings" };
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : FILES;
	const char *tmp = getenv("TMPDIR");
	size_t i;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 20261125;
	put_text(folder, sizeof(folder), "%s/files_fuzz.XXXXXX", tmp ? tmp : "/tmp");
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(folder))
		return 1;
	test_two_writers();
	test_foreign_file();
	test_mode();
	test_settings();
	test_random_settings(n);
	for (i = 0; i < N(left); i++)
		forget(left[i]);
	ok(!rmdir(folder), "no other file is left");
	return tap_end();
}
