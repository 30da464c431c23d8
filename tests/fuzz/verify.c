// SPDX-License-Identifier: GPL-2.0-only
/*
 * verify.c: each block of two channels is checked
 *
 * Each of the two members has a channel that no other process reads. The samples, of 8
 * bits and of 32 bits, count. While everything about the board changes, a control that
 * was read names samples that can be read.
 */
#include "fuzz.h"

#define MOST	(64 << 10)
#define MOST_JUMPS	8

static int ctrl = -1, data = -1;
static uint32_t last;
static bool has_last;
static uint8_t block[MOST + 1];

static void leave(void)
{
	close(ctrl);
	close(data);
	ctrl = data = -1;
	has_last = false;
}

static bool enter(const char *name)
{
	char path[64];

	if (ctrl >= 0)
		return true;
	snprintf(path, sizeof(path), "/dev/zio/%s-ctrl", name);
	ctrl = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/zio/%s-data", name);
	data = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (ctrl >= 0 && data >= 0)
		return true;
	leave();
	return false;
}

static void check_bytes(size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		holds(block[i] == (uint8_t)(block[i - 1] + 1), block[i],
		      (uint8_t)(block[i - 1] + 1));
}

/* Another process may set the counter while a block is filled. */
static void check_words(size_t n)
{
	uint32_t *word = (uint32_t *)block;
	unsigned int jumps = 0;
	size_t i;

	for (i = 1; i < n / sizeof(*word); i++)
		jumps += word[i] != word[i - 1] + 1;
	holds(jumps <= MOST_JUMPS, jumps, MOST_JUMPS);
}

/*
 * Read all samples of the block in hand. A read may be short: at a page that is not
 * present, the kernel stops to fault it in. When a tick comes meanwhile, or the board is
 * unbound, the read returns what it has copied. The next read continues, or tells the
 * error. Return: how many bytes, or -1
 */
static ssize_t read_samples(size_t n)
{
	size_t sum = 0;
	ssize_t got;

	while (sum < n) {
		got = read(data, block + sum, n - sum);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -1 : (ssize_t)sum;
		sum += got;
	}
	return sum;
}

static void check_samples(const struct zio_control *control)
{
	size_t size = (size_t)control->nsamples * control->ssize, n;
	ssize_t got;

	n = size < MOST ? size : MOST;
	got = read_samples(n);
	if (got < 0 && (errno == ENODEV || errno == ETIMEDOUT))
		return;
	holds(got == (ssize_t)n, got < 0 ? -errno : got, (long long)n);
	if (control->ssize == 1)
		check_bytes(n);
	else
		check_words(n);
}

static void check_sequence(const struct zio_control *control)
{
	if (has_last)
		holds((int32_t)(control->seq_num - last) > 0, control->seq_num, last);
	last = control->seq_num;
	has_last = true;
}

static void do_verify(void)
{
	static const char *const names[] = { "zzero-0000-0-2", "zzero-0000-2-0" };
	const char *name = names[process % 2];
	struct zio_control control;
	unsigned int n = 1 + dice(8);
	long got;

	if (!enter(name))
		return;
	while (n--) {
		got = result(read(ctrl, &control, sizeof(control)));
		if (got < 0 && errno == ENODEV) {
			leave();
			return;
		}
		if (got < 0)
			break;
		holds(got == sizeof(control), got, (long long)sizeof(control));
		holds(!strncmp(control.addr.devname, "zzero", 6), 0, 0);
		holds(control.addr.dev_id == 0, control.addr.dev_id, 0);
		check_sequence(&control);
		check_samples(&control);
	}
	if (chance(8))
		leave();
}

const struct op verify_ops[] = {
	{ "verify", do_verify, 30, 10, MEMBER },
	{}
};
