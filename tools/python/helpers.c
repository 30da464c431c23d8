/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C code of the module zio._libzio: what would be too slow in Python */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <zio.h>

#define HEAD sizeof(struct zio_control)

/*
 * Blocks of one size and sample type at constant distances
 * @n: number of blocks
 * @control_step: bytes from one control to the next
 * @data_step: bytes from the samples of one block to the samples of the next
 */
struct zpy_run {
	size_t n;
	ptrdiff_t control_step;
	ptrdiff_t data_step;
};

static ptrdiff_t distance(const void *from, const void *to)
{
	return (const char *)to - (const char *)from;
}

/* What sample_type() needs from a control: its ssize, and bits for sign and byte order */
enum { ZPY_SIGNED = 1 << 16, ZPY_BIG_ENDIAN = 1 << 17 };

static int zpy_sample_kind(const struct zio_control *control)
{
	const struct zio_ctrl_attr *attr = &control->attr_channel;
	int kind = control->ssize;

	if (attr->std_mask & 1u << ZIO_ATTR_SIGNED && attr->std_val[ZIO_ATTR_SIGNED])
		kind |= ZPY_SIGNED;
	if ((control->flags & ZIO_CONTROL_BIG_ENDIAN) == ZIO_CONTROL_BIG_ENDIAN ||
	    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ &&
	     (control->flags & ZIO_CONTROL_LITTLE_ENDIAN) != ZIO_CONTROL_LITTLE_ENDIAN))
		kind |= ZPY_BIG_ENDIAN;
	return kind;
}

/* Count how many of the @n blocks (at least one) at @blks are a run. */
static void zpy_find_run(const struct zio_block *blks, size_t n, struct zpy_run *run)
{
	const struct zio_block *first = blks;
	int kind = zpy_sample_kind(first->control);
	size_t i;

	run->n = 1;
	run->control_step = HEAD;
	run->data_step = (ptrdiff_t)first->size;
	if (n < 2)
		return;
	run->control_step = distance(first->control, blks[1].control);
	if (first->data && blks[1].data)
		run->data_step = distance(first->data, blks[1].data);
	if (run->control_step < (ptrdiff_t)HEAD || run->data_step < (ptrdiff_t)first->size)
		return;
	for (i = 1; i < n; i++)
		if (blks[i].size != first->size ||
		    zpy_sample_kind(blks[i].control) != kind ||
		    distance(blks[i - 1].control, blks[i].control) != run->control_step ||
		    (first->size &&
		     distance(blks[i - 1].data, blks[i].data) != run->data_step))
			break;
	run->n = i;
}

/* Return the size of the samples of @n blocks in bytes. */
static size_t zpy_add_sizes(const struct zio_block *blks, size_t n)
{
	size_t i, sum = 0;

	for (i = 0; i < n; i++)
		sum += blks[i].size;
	return sum;
}

/* Copy @n controls, followed by their samples, to @mem without gaps. */
static void zpy_gather(const struct zio_block *blks, size_t n, void *mem)
{
	char *data = (char *)mem + n * HEAD;
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy((char *)mem + i * HEAD, blks[i].control, HEAD);
		if (blks[i].size)
			memcpy(data, blks[i].data, blks[i].size);
		data += blks[i].size;
	}
}

/* Move @n blocks to @mem, each control aligned to 8 bytes. */
static void zpy_move(struct zio_block *blks, size_t n, void *mem)
{
	char *to = mem;
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy(to, blks[i].control, HEAD);
		blks[i].control = (void *)to;
		to += HEAD;
		if (blks[i].size)
			memcpy(to, blks[i].data, blks[i].size);
		blks[i].data = blks[i].size ? to : NULL;
		to += (blks[i].size + 7) & ~(size_t)7;
	}
}

/*
 * Return how many of @n controls, @step bytes apart, have the sample type of the first.
 */
static size_t zpy_count_alike(const void *controls, size_t n, size_t step)
{
	int kind = zpy_sample_kind(controls);
	size_t i;

	for (i = 1; i < n; i++)
		if (zpy_sample_kind((const void *)((const char *)controls + i * step)) != kind)
			break;
	return i;
}

static bool is_same_scaling(const struct zio_scaling *a, const struct zio_scaling *b)
{
	return a->scale == b->scale && a->offset == b->offset && a->unit == b->unit &&
	       a->is_signed == b->is_signed && a->nbits == b->nbits &&
	       a->shift == b->shift && a->ssize == b->ssize &&
	       a->is_big_endian == b->is_big_endian;
}

/* Return how many of @n controls, @step bytes apart, have the scaling of the first. */
static size_t zpy_count_scaled(const void *controls, size_t n, size_t step)
{
	struct zio_scaling first, other;
	size_t i;

	if (zio_control_scale(controls, &first))
		return 1;
	for (i = 1; i < n; i++)
		if (zio_control_scale((const void *)((const char *)controls + i * step),
				      &other) ||
		    !is_same_scaling(&first, &other))
			break;
	return i;
}

/*
 * Read up to @n controls without samples. Return their number, 0 at the end, -1 on error.
 */
static int zpy_next_controls(struct zio_channel *ch, struct zio_control *controls, int n)
{
	struct zio_block blk;
	int i, ret = 0;

	for (i = 0; i < n; i++) {
		ret = zio_next_control(ch, &blk);
		if (ret <= 0)
			break;
		controls[i] = *blk.control;
	}
	return i ? i : ret;
}

/* --- the checksum of HDF5 */

#define ZPY_WORDS 128		/* as many as keep the weighted sum in 32 bits */
#define ZPY_MOST_WORDS 32768	/* between two reductions */

/* Fletcher's sums of 16-bit words in the byte order of this machine */
struct zpy_sums {
	uint64_t low;
	uint64_t high;
};

/* A sum modulo 65535. HDF5 uses 65535 in place of 0, unless all words are 0. */
static uint64_t zpy_reduce(uint64_t sum)
{
	return sum ? (sum - 1) % 0xffff + 1 : 0;
}

/* Add ZPY_WORDS words without a dependency from word to word, which would be slow. */
static void zpy_add_words(struct zpy_sums *sums, const uint16_t *words)
{
	uint32_t low = 0, high = 0, i;

	for (i = 0; i < ZPY_WORDS; i++) {
		low += words[i];
		high += (ZPY_WORDS - i) * words[i];
	}
	sums->high += ZPY_WORDS * sums->low + high;
	sums->low += low;
}

static void zpy_add_rest(struct zpy_sums *sums, const unsigned char *from, size_t n)
{
	for (; n; from += 2, n -= n < 2 ? n : 2) {
		uint16_t word = 0;

		memcpy(&word, from, n < 2 ? n : 2);
		sums->low += word;
		sums->high += sums->low;
	}
}

static uint16_t zpy_big_endian(uint64_t sum)
{
	unsigned char bytes[2] = { (unsigned char)(sum >> 8), (unsigned char)sum };
	uint16_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/*
 * Copy @n bytes and append the checksum of the HDF5 filter fletcher32. It adds big-endian
 * words; the sums of swapped words are the swapped sums of the words.
 */
static void zpy_seal(void *to, const void *from, size_t n)
{
	struct zpy_sums sums = { 0, 0 };
	const unsigned char *in = from;
	unsigned char *out = to;
	uint16_t words[ZPY_WORDS];
	size_t done = 0;
	uint32_t sum;
	int i;

	for (; n - done >= sizeof(words); done += sizeof(words)) {
		memcpy(words, in + done, sizeof(words));
		memcpy(out + done, words, sizeof(words));
		zpy_add_words(&sums, words);
		if (done / 2 % ZPY_MOST_WORDS == 0) {
			sums.low = zpy_reduce(sums.low);
			sums.high = zpy_reduce(sums.high);
		}
	}
	memcpy(out + done, in + done, n - done);
	zpy_add_rest(&sums, in + done, n - done);
	sum = (uint32_t)zpy_big_endian(zpy_reduce(sums.high)) << 16 |
	      zpy_big_endian(zpy_reduce(sums.low));
	for (i = 0; i < 4; i++)
		out[n + (size_t)i] = (unsigned char)(sum >> 8 * i);
}

/* Place @n blocks. Return how many were placed: fewer than @n if one is refused. */
static size_t zpy_place(struct zio_timeline *tl, const struct zio_control *controls, size_t n,
			struct zio_place *places, struct zio_error *err)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (zio_timeline_add(tl, &controls[i], &places[i], err))
			break;
	return i;
}

/*
 * Compute the times of all samples of a channel in @n blocks, in whole ns; INT64_MIN for
 * a block without a time. @ns has room for all samples.
 */
static void zpy_all_times(const struct zio_place *places, size_t n, int64_t *ns)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < n; i++) {
		if (zio_sample_times(&places[i], ns))
			for (k = 0; k < places[i].samples; k++)
				ns[k] = INT64_MIN;
		ns += places[i].samples;
	}
}

/*
 * Compute the times of @n samples of a channel, in seconds after @start. Return 0, or -1.
 */
static int zpy_sample_seconds(const struct zio_place *place, int64_t start, double *seconds,
			      uint32_t n)
{
	const int64_t second = 1000000000;
	struct zio_instant time;
	int64_t after;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (zio_sample_time(place, i, &time))
			return -1;
		if (__builtin_sub_overflow(time.ns, start, &after)) {
			errno = ERANGE;
			return -1;
		}
		/* With seconds since 1970, a product would be rounded visibly. */
		seconds[i] = (double)(after / second) +
			     ((double)(after % second) + time.ps / 1e3) / second;
	}
	return 0;
}

/* --- from blocks of a file to one array */

/*
 * When a block of a run was taken, and where its times go
 * @first: number of the first time in the array
 */
struct zpy_moment {
	int64_t ns;
	uint32_t ps;
	uint32_t samples;
	uint64_t first;
};

/*
 * Compute the times of the samples of @n blocks, which share the rate and the number of
 * samples before the event with @like. Return 0, or -1.
 */
static int zpy_fill_times(const struct zio_place *like, const struct zpy_moment *moments,
			  size_t n, int64_t *times)
{
	struct zio_place place = *like;
	size_t i;

	for (i = 0; i < n; i++) {
		place.event.ns = moments[i].ns;
		place.event.ps = moments[i].ps;
		place.samples = moments[i].samples;
		if (zio_sample_times(&place, times + moments[i].first))
			return -1;
	}
	return 0;
}

/*
 * What to convert the samples of a block to: values in units, raw numbers as doubles, or
 * bytes
 */
enum { ZPY_VALUES = 1, ZPY_NUMBERS = 2, ZPY_BYTES = 3 };

/*
 * Where the samples of a block go
 * @to: address of the first sample; 0 to drop them
 * @step: bytes from one shot to the next
 * @count: samples per shot, of all channels
 * @n_shots: number of shots, at least 1
 * @ssize: bytes of a sample
 * @kind: what to convert them to
 */
struct zpy_target {
	uint64_t to;
	uint64_t step;
	uint32_t count;
	uint32_t n_shots;
	uint16_t ssize;
	uint16_t kind;
};

/* A control that makes values of the raw numbers in all bits of a sample */
static struct zio_control without_scale(const struct zio_control *control)
{
	struct zio_control plain = *control;

	plain.nbits = (uint16_t)(8 * plain.ssize);
	plain.flags &= ~(uint32_t)ZIO_CONTROL_MSB_ALIGN;
	plain.attr_channel.std_mask &= (uint16_t)~(1u << ZIO_ATTR_SCALE_HIGH);
	return plain;
}

static bool put_block(const struct zio_block *blk, const struct zpy_target *target)
{
	const size_t size = (size_t)target->count * target->ssize;
	struct zio_block shot = *blk;
	struct zio_control plain;
	uint32_t i;

	if (blk->control->ssize != target->ssize || blk->size != size * target->n_shots)
		return false;
	if (target->kind == ZPY_NUMBERS) {
		plain = without_scale(blk->control);
		shot.control = &plain;
	}
	shot.size = size;
	for (i = 0; i < target->n_shots && size; i++) {
		void *to = (void *)(uintptr_t)(target->to + i * target->step);

		shot.data = (const char *)blk->data + i * size;
		if (target->kind == ZPY_BYTES)
			memcpy(to, shot.data, size);
		else if (zio_block_to_double(&shot, to, target->count) != target->count)
			return false;
	}
	return true;
}

/* Store the samples of @n blocks. Return how many match their target. */
static size_t zpy_put(const struct zio_block *blks, size_t n, const struct zpy_target *targets)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (targets[i].to && !put_block(&blks[i], &targets[i]))
			break;
	return i;
}

/* --- memory of a device that a program drives */

/* Return the memory of blocks, or NULL with errno. */
static void *zpy_map(int fd, uint64_t offset, size_t size, bool is_writable)
{
	int prot = is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
	void *addr = mmap(NULL, size, prot, MAP_SHARED, fd, (off_t)offset);

	return addr == MAP_FAILED ? NULL : addr;
}

/*
 * Put other memory in its place, for arrays that still refer to it. Return 0, or -1 with
 * errno.
 */
static int zpy_detach(void *addr, size_t size)
{
	return mmap(addr, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == addr ?
		0 : -1;
}

static void zpy_unmap(void *addr, size_t size)
{
	munmap(addr, size);
}
