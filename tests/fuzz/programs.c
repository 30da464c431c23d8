// SPDX-License-Identifier: GPL-2.0-only
/*
 * programs.c: the scenario of programs that are drivers
 *
 * Two processes are programs: they describe devices, and answer, right and wrong. Three are
 * users of whatever devices there are.
 */
#include <linux/zio-uzio.h>

#include "fuzz.h"

#define N_PROGRAMS	3
#define N_ASKED		16
#define BUFFER		(1 << 18)
#define DEVICE		"ufuzz"
#define MOST_DEVICES	8
#define MOST_SETS	3
#define MOST_ATTRS	4

/* A request: what is fixed, and the first block */
struct asked {
	struct uzio_record head;
	uint32_t n_blocks;
	struct uzio_block block;
	struct uzio_value value;
};

/* A file of /dev/uzio, and what its program owes */
static struct user {
	int fd;
	struct asked asked[N_ASKED];
	unsigned int n_asked;
	void *map;
	size_t map_size;
} users[N_PROGRAMS];

static char requests[BUFFER];

static struct user *any_user(void)
{
	return &users[dice(N_PROGRAMS)];
}

/* Changes a byte now and then. */
static void spoil(void *mem, size_t size)
{
	unsigned int n = 1 + dice(3);

	while (size && n--)
		((uint8_t *)mem)[dice(size)] = chance(2) ? 0xff : draw();
}

static void leave(struct user *user)
{
	if (user->map)
		munmap(user->map, user->map_size);
	if (user->fd > 0)
		close(user->fd);
	memset(user, 0, sizeof(*user));
}

/* --- descriptions ----------------------------------------------------------------- */

static const uint32_t choices[] = { 1, 2, 5, 10 };

static struct uzio_set any_set(unsigned int i)
{
	struct uzio_set set = {
		.n_chan = 1 + dice(3), .ssize = 1 + dice(4), .nsamples = dice(200),
		.max_samples = chance(2) ? 0 : 1000, .max_shots = chance(2) ? 0 : dice(5),
		.flags = (chance(3) ? UZIO_SET_INTERLEAVED : 0) |
			(chance(3) ? UZIO_SET_PRE_SAMPLES : 0),
	};

	snprintf(set.name, sizeof(set.name), "set-%u", i);
	if (chance(2))
		set.scaling = (struct uzio_scaling) {
			.flags = UZIO_SCALING_VALID | UZIO_SCALING_WRITABLE,
			.unit = ZIO_UNIT_V, .mant = 1, .exp = -3,
		};
	return set;
}

static struct uzio_attr any_attr(unsigned int i)
{
	struct uzio_attr attr = {
		.set = chance(3) ? UZIO_DEVICE : 0, .place = dice(4), .index = dice(5),
		.value = 1,
	};

	snprintf(attr.name, sizeof(attr.name), "attr-%u", i);
	if (attr.set != UZIO_DEVICE && chance(2))
		attr.flags |= UZIO_ATTR_CHANNELS;
	if (attr.place == UZIO_PLACE_STD)
		attr.index = ZIO_ATTR_GAIN;
	if (chance(3)) {
		attr.choices = (uintptr_t)choices;
		attr.n_choices = 4;
	}
	return attr;
}

static void do_create(void)
{
	struct user *user = any_user();
	struct uzio_set sets[MOST_SETS];
	struct uzio_attr attrs[MOST_ATTRS];
	char message[64];
	struct uzio_create create = {
		.name = DEVICE, .id = -1, .sets = (uintptr_t)sets, .n_sets = 1 + dice(MOST_SETS),
		.set_size = sizeof(*sets), .message = (uintptr_t)message,
		.message_size = sizeof(message), .timeout_ms = 100 + dice(200),
		.attrs = (uintptr_t)attrs, .n_attrs = dice(MOST_ATTRS + 1),
		.attr_size = sizeof(*attrs),
	};
	unsigned int i;

	if (user->fd && chance(2))
		leave(user);
	if (!user->fd)
		user->fd = open("/dev/uzio", O_RDWR | O_CLOEXEC);
	for (i = 0; i < MOST_SETS; i++)
		sets[i] = any_set(i);
	for (i = 0; i < MOST_ATTRS; i++)
		attrs[i] = any_attr(i);
	if (chance(8))
		spoil(sets, sizeof(sets));
	if (chance(8))
		spoil(attrs, sizeof(attrs));
	if (chance(16))
		spoil(&create, sizeof(create));
	create.message = (uintptr_t)message;
	create.message_size = sizeof(message);
	/* No device of another name is left behind, and none takes all memory. */
	memcpy(create.name, DEVICE, sizeof(DEVICE));
	create.timeout_ms = create.timeout_ms % 1000;
	for (i = 0; i < MOST_SETS; i++) {
		sets[i].n_chan %= 64;
		sets[i].nsamples %= 1 << 16;
	}
	result(ioctl(user->fd, UZIO_IOC_CREATE, &create));
}

/* --- requests and answers ----------------------------------------------------------- */

static void note_request(struct user *user, const struct uzio_record *head)
{
	struct asked *asked = &user->asked[user->n_asked % N_ASKED];
	const struct uzio_arm *arm = (const void *)head;

	memset(asked, 0, sizeof(*asked));
	asked->head = *head;
	if (head->type == UZIO_SET)
		asked->value = *(const struct uzio_value *)head;
	if (head->type == UZIO_ARM) {
		asked->n_blocks = arm->n_blocks;
		memcpy(&asked->block, arm + 1, sizeof(asked->block));
		holds(head->size == sizeof(*arm) + arm->n_blocks * sizeof(struct uzio_block),
		      head->size, arm->n_blocks);
		holds(asked->block.offset + asked->block.len <= asked->block.map_size,
		      asked->block.offset, asked->block.len);
	}
	user->n_asked++;
}

static long exchange(struct user *user, void *answers, size_t size)
{
	struct uzio_exchange ex = {
		.answers = (uintptr_t)answers, .answers_size = size,
		.requests = (uintptr_t)requests, .requests_size = BUFFER,
		.wait_ms = chance(2) ? 0 : dice(20),
	};
	long ret;
	uint32_t at;

	if (chance(32))
		ex.requests = chance(2) ? 0 : 16;
	if (chance(32))
		ex.requests_size = any_int();
	ret = result(ioctl(user->fd, UZIO_IOC_EXCHANGE, &ex));
	holds(ex.answers_taken <= size, ex.answers_taken, size);
	if (ret || ex.requests != (uintptr_t)requests)
		return ret;
	for (at = 0; at < ex.requests_given;) {
		const struct uzio_record *head = (const void *)(requests + at);

		holds(head->size >= sizeof(*head) && head->size <= ex.requests_given - at,
		      head->size, ex.requests_given);
		note_request(user, head);
		at += head->size;
	}
	return 0;
}

static void do_fetch(void)
{
	exchange(any_user(), NULL, 0);
}

static size_t put_done(const struct asked *asked, char *to)
{
	struct uzio_done *done = (void *)to;
	struct uzio_filled *filled = (void *)(done + 1);
	uint32_t i;

	*done = (struct uzio_done) { .head = asked->head, .lost = dice(3) };
	done->head.type = UZIO_DONE;
	if (chance(2))
		done->n_blocks = asked->n_blocks;
	for (i = 0; i < done->n_blocks; i++)
		filled[i] = (struct uzio_filled) {
			.flags = dice(2), .time = { .secs = dice(1000) },
			.len = chance(2) ? asked->block.len : 0, .alarms = dice(256),
		};
	done->head.size = sizeof(*done) + done->n_blocks * sizeof(*filled);
	return done->head.size;
}

static size_t put_fail(const struct asked *asked, char *to)
{
	struct uzio_fail *fail = (void *)to;

	*fail = (struct uzio_fail) { .head = asked->head, .error = 1 + dice(130) };
	fail->head.type = UZIO_FAIL;
	fail->head.size = sizeof(*fail);
	return sizeof(*fail);
}

static size_t put_value(const struct asked *asked, char *to)
{
	struct uzio_value *value = (void *)to;

	*value = asked->value;
	value->head.type = UZIO_VALUE;
	if (chance(4))
		value->value = 1;
	return sizeof(*value);
}

static size_t put_refusal(const struct asked *asked, char *to)
{
	struct uzio_refuse *refuse = (void *)to;

	*refuse = (struct uzio_refuse) {
		.head = asked->head, .error = 1 + dice(130), .reason = "the dice say no",
	};
	refuse->head.type = UZIO_REFUSE;
	refuse->head.size = sizeof(*refuse);
	return sizeof(*refuse);
}

static void do_answer(void)
{
	static char answer[BUFFER];
	struct user *user = any_user();
	struct asked *asked;
	size_t size;

	if (!user->n_asked) {
		exchange(user, NULL, 0);
		return;
	}
	asked = &user->asked[--user->n_asked % N_ASKED];
	if (asked->head.type == UZIO_SET)
		size = chance(4) ? put_refusal(asked, answer) : put_value(asked, answer);
	else if (asked->head.type == UZIO_ARM && !chance(4))
		size = put_done(asked, answer);
	else
		size = put_fail(asked, answer);
	if (chance(8))
		spoil(answer, size);
	exchange(user, answer, size);
}

/* Records of any kind and content, with a size that passes most of the time */
static void do_any_answer(void)
{
	static const uint16_t types[] = { 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 0xffff };
	char bytes[256];
	struct uzio_record *head = (void *)bytes;
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = chance(3) ? draw() : 0;
	*head = (struct uzio_record) {
		.size = chance(8) ? (uint32_t)any_int() : 8 * (2 + dice(18)),
		.type = types[dice(sizeof(types) / sizeof(*types))],
		.set = chance(4) ? draw() : dice(3), .id = dice(20),
	};
	exchange(any_user(), bytes, sizeof(bytes));
}

static void do_timing(void)
{
	struct {
		struct uzio_timing timing;
		struct uzio_scale scale;
	} news = {
		.timing = { .head = { .size = sizeof(news.timing), .type = UZIO_TIMING },
			    .rate_num = 1 + dice(1000000), .rate_den = 1 },
		.scale = { .head = { .size = sizeof(news.scale), .type = UZIO_SCALE },
			   .chan = chance(2) ? UZIO_ALL_CHANNELS : dice(4),
			   .scaling = { .flags = UZIO_SCALING_VALID, .mant = 1 + dice(9),
					.exp = (int)dice(9) - 4 } },
	};

	exchange(any_user(), &news, chance(2) ? sizeof(news) : sizeof(news.timing));
}

/* --- memory ------------------------------------------------------------------------- */

static void do_map(void)
{
	struct user *user = any_user();
	const struct uzio_block *block = &user->asked[dice(N_ASKED)].block;
	uint64_t map = chance(4) ? (uint64_t)any_int() << 12 : block->map;
	size_t size = chance(4) ? 1 + dice(1 << 20) : block->map_size;

	if (!user->fd)
		return;
	if (user->map)
		munmap(user->map, user->map_size);
	user->map = mmap(NULL, size ?: PAGE, PROT_READ | PROT_WRITE,
			 (chance(8) ? MAP_PRIVATE : MAP_SHARED) | (chance(2) ? MAP_POPULATE : 0),
			 user->fd, map);
	user->map_size = size ?: PAGE;
	if (user->map == MAP_FAILED)
		user->map = NULL;
	result(user->map ? 0 : -1);
}

/* Writes where no block of this program needs to be any more. */
static void do_touch(void)
{
	struct user *user = any_user();

	if (!user->map)
		return;
	memset(user->map, draw(), user->map_size);
	succeed();
}

/* --- files and processes -------------------------------------------------------------- */

static void do_leave(void)
{
	leave(any_user());
	succeed();
}

/* The device outlives the first close. */
static void do_dup(void)
{
	struct user *user = any_user();
	int fd = user->fd ? result(fcntl(user->fd, F_DUPFD_CLOEXEC, 3)) : -1;

	if (fd < 0)
		return;
	close(user->fd);
	user->fd = fd;
}

/* A child serves the same files, or is killed meanwhile. */
static void do_fork(void)
{
	unsigned int n = 1 + dice(10);
	bool is_killed = chance(2);
	pid_t pid = result(fork());

	if (!pid) {
		while (n--)
			if (chance(2))
				do_answer();
			else
				do_create();
		_exit(0);
	}
	if (pid > 0 && is_killed) {
		usleep(dice(2000));
		kill(pid, SIGKILL);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* --- users ---------------------------------------------------------------------------- */

static void do_read(void)
{
	static char bytes[1 << 16];
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "/dev/zio/" DEVICE "-%04x-%u-%u-%s", dice(MOST_DEVICES),
		 dice(MOST_SETS), dice(3), chance(2) ? "data" : "ctrl");
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	poll_events(fd, POLLIN, dice(20));
	result(read(fd, bytes, chance(2) ? 512 : 1 + dice(sizeof(bytes))));
	close(fd);
}

static void do_write(void)
{
	static const char *const files[] = {
		"attr-0", "cset0/attr-1", "cset0/chan0/attr-2", "cset0/chan1/attr-3",
		"cset0/attr-0", "cset0/chan0/attr-1", "attr-1", "cset0/chan1/enable",
		"cset0/enable", "cset1/enable", "cset0/trigger/post-samples",
		"cset0/trigger/nshots", "cset0/trigger/pre-samples", "cset0/channels",
		"cset0/timeout-ms", "cset0/chan0/buffer/max-buffer-kb", "cset0/chan0/scale",
	};
	static const char *const texts[] = { "0", "1", "2", "5", "100", "1000", "-1", "x" };
	char path[128];

	snprintf(path, sizeof(path), BUS "/" DEVICE "-%04x/%s", dice(MOST_DEVICES),
		 files[dice(sizeof(files) / sizeof(*files))]);
	put_text(path, texts[dice(sizeof(texts) / sizeof(*texts))]);
}

static void do_look(void)
{
	static const char *const files[] = {
		"refusal", "accepted", "cset0/accepted", "cset0/chan0/control-attrs",
		"cset0/sample-rate", "cset0/chan0/scale", "cset0/attr-0",
	};
	char path[128], text[4096];
	int fd;

	snprintf(path, sizeof(path), BUS "/" DEVICE "-%04x/%s", dice(MOST_DEVICES),
		 files[dice(sizeof(files) / sizeof(*files))]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	result(read(fd, text, sizeof(text)));
	close(fd);
}

static const struct op program_ops[] = {
	{ "create", do_create, 10, 5, MEMBER },
	{ "fetch", do_fetch, 20, 5, MEMBER },
	{ "answer", do_answer, 60, 5, MEMBER },
	{ "any-answer", do_any_answer, 10, 0, MEMBER },
	{ "timing", do_timing, 5, 1, MEMBER },
	{ "map", do_map, 10, 2, MEMBER },
	{ "touch", do_touch, 10, 1, MEMBER },
	{ "leave", do_leave, 1, 1, MEMBER },
	{ "dup", do_dup, 2, 1, MEMBER },
	{ "fork", do_fork, 2, 1, MEMBER },
	{ "read", do_read, 30, 3, READER },
	{ "write", do_write, 20, 3, CHANGER },
	{ "look", do_look, 10, 3, READER },
	{}
};

static const struct op *const tables[] = { program_ops, NULL };

static enum role role_of(unsigned int p)
{
	return p < 2 ? MEMBER : p == 2 ? READER : READER | CHANGER;
}

const struct scenario programs_scenario = {
	.name = "programs",
	.seconds = 20,
	.n_processes = 5,
	.tables = tables,
	.role_of = role_of,
};
