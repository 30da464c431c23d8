// SPDX-License-Identifier: GPL-2.0-only
/* The mutator of fuzz.h */
#include <sanitizer/common_interface_defs.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "assert.h"
#include "fuzz.h"

static unsigned int number;
static uint64_t seed = 1, state;

/* xorshift64* */
static uint32_t random_below(uint32_t n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1d) >> 32) % n;
}

static size_t any_place(const struct fuzz_input *in)
{
	return random_below((uint32_t)in->len);
}

static void flip_bit(struct fuzz_input *in)
{
	in->data[any_place(in)] ^= (uint8_t)(1 << random_below(8));
}

/* Characters that mean something to a parser come often. */
static void put_byte(struct fuzz_input *in)
{
	static const char special[] = "\0\n\r\t /=-_.:,;#%\"'0123456789aAzZ~\x7f\xff";

	in->data[any_place(in)] = random_below(2) ? (uint8_t)random_below(256) :
				  (uint8_t)special[random_below(sizeof(special) - 1)];
}

/* A number of 32 bits at the limit of something */
static void put_number(struct fuzz_input *in)
{
	uint32_t value = random_below(2) ? 1u << random_below(32) : 0;
	size_t at = any_place(in) & ~(size_t)3;

	value += random_below(3) - 1;
	if (at + sizeof(value) <= in->len)
		memcpy(&in->data[at], &value, sizeof(value));
}

static void cut(struct fuzz_input *in)
{
	size_t from = any_place(in), n = 1 + random_below((uint32_t)(in->len - from));

	if (n == in->len)
		return;
	memmove(&in->data[from], &in->data[from + n], in->len - from - n);
	in->len -= n;
}

/* A part of @other goes in, in front of what @in has there. */
static void splice_in(struct fuzz_input *in, const struct fuzz_input *other)
{
	size_t to = any_place(in), from = random_below((uint32_t)other->len);
	size_t n = 1 + random_below((uint32_t)(other->len - from));

	if (n > FUZZ_MAX - in->len)
		return;
	memmove(&in->data[to + n], &in->data[to], in->len - to);
	memcpy(&in->data[to], &other->data[from], n);
	in->len += n;
}

static void mutate(struct fuzz_input *in, const struct fuzz_input *good, unsigned int n_good)
{
	unsigned int n = 1 + random_below(6);

	while (n--) {
		switch (random_below(6)) {
		case 0: flip_bit(in); break;
		case 1: put_byte(in); break;
		case 2: put_number(in); break;
		case 3: cut(in); break;
		case 4: splice_in(in, &good[random_below(n_good)]); break;
		default: splice_in(in, &(struct fuzz_input){ .len = 4 });
		}
	}
}

static void tell_input(void)
{
	printf("# input %u of seed %llu\n", number, (unsigned long long)seed);
}

static void begin(void)
{
	const char *text = getenv("ZIO_SEED");

	if (text)
		seed = strtoull(text, NULL, 0);
	state = seed * 0x9e3779b97f4a7c15 + 1;
	__sanitizer_set_death_callback(tell_input);
}

void fuzz(fuzz_fn function, const struct fuzz_input *good, unsigned int n_good,
	  unsigned int n)
{
	const char *text = getenv("ZIO_FUZZ_INPUTS");
	static struct fuzz_input in;
	unsigned int accepted = 0;

	begin();
	n = text ? (unsigned int)strtoul(text, NULL, 0) : n;
	for (number = 0; number < n; number++) {
		bool is_good = number < n_good, is_accepted;

		in = good[is_good ? number : random_below(n_good)];
		if (!is_good)
			mutate(&in, good, n_good);
		is_accepted = function(&in);
		fuzz_demand(is_accepted || !is_good, "a good input is accepted");
		accepted += is_accepted;
	}
	printf("# %u inputs, %u accepted, %u refused\n", n, accepted, n - accepted);
	ASSERT_TRUE(accepted && accepted < n);
}

void fuzz_demand(bool good, const char *what)
{
	if (good)
		return;
	tell_input();
	FAIL("not true: %s", what);
}

void fuzz_put(struct fuzz_input *in, const void *bytes, size_t len)
{
	if (len > FUZZ_MAX - in->len)
		len = FUZZ_MAX - in->len;
	memcpy(&in->data[in->len], bytes, len);
	in->len += len;
}

const char *fuzz_path(const struct fuzz_input *in)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || ftruncate(fd, 0) ||
	    pwrite(fd, in->data, in->len, 0) != (ssize_t)in->len)
		abort();
	return path;
}
