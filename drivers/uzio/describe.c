// SPDX-License-Identifier: GPL-2.0-only
/*
 * describe.c: the description of a device, which a program has written
 *
 * It is copied before it is checked. Each error names the field. What passes here, the core
 * accepts without a warning.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/uaccess.h>

#include "uzio.h"

/* The first version of struct uzio_set */
#define UZIO_SET_SIZE_1		offsetofend(struct uzio_set, scaling)
#define UZIO_MAX_EXP		250
#define UZIO_SET_ARMED_FLAGS	(UZIO_SET_PRE_SAMPLES | UZIO_SET_INTERLEAVED)
#define UZIO_SET_FLAGS		(UZIO_SET_STREAM | UZIO_SET_OUTPUT | UZIO_SET_ARMED_FLAGS)

/* What a channel takes beside its area: objects, nodes, what describes each block */
#define UZIO_CHANNEL_COST	(96 * SZ_1K)

/* Notes why a description is wrong, for the program. Context: Any. Returns @error. */
int describe_refuse(struct uzio *dev, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(dev->message, sizeof(dev->message), fmt, args);
	va_end(args);
	return error;
}

struct describe_range {
	const char *field;
	unsigned int offset;
	u32 min;
	u32 max;
};

#define DESCRIBE_RANGE(_type, _field, _min, _max)			\
	{ #_field, offsetof(struct _type, _field), _min, _max }

static const struct describe_range describe_set_ranges[] = {
	DESCRIBE_RANGE(uzio_set, n_chan, 1, UZIO_MAX_CHANNELS),
	DESCRIBE_RANGE(uzio_set, ssize, 1, U16_MAX),
	DESCRIBE_RANGE(uzio_set, nbits, 0, U16_MAX),
	DESCRIBE_RANGE(uzio_set, error_ns, 0, NSEC_PER_SEC),
	DESCRIBE_RANGE(uzio_set, depth, 0, UZIO_MAX_DEPTH),
	DESCRIBE_RANGE(uzio_set, reserved2, 0, 0),
	DESCRIBE_RANGE(uzio_set, max_shots, 0, UZIO_MAX_SHOTS),
	DESCRIBE_RANGE(uzio_set, scaling.flags, 0, UZIO_SCALING_FLAGS),
	DESCRIBE_RANGE(uzio_set, scaling.unit, 0, _ZIO_UNIT_NUM - 1),
};

static int describe_check_ranges(struct uzio *dev, unsigned int index,
				 const struct uzio_set *from)
{
	const struct describe_range *range = describe_set_ranges;
	const struct describe_range *end = range + ARRAY_SIZE(describe_set_ranges);
	u32 value;

	for (; range < end; range++) {
		value = *(const u32 *)((const char *)from + range->offset);
		if (value < range->min || value > range->max)
			return describe_refuse(dev, -ERANGE, "set %u: %s is %u, not %u to %u",
					       index, range->field, value, range->min,
					       range->max);
	}
	return 0;
}

/* The core makes a link of the name of a set, and prints both names in sysfs. */
static int describe_check_text(struct uzio *dev, unsigned int index, const char *field,
			       const char *name)
{
	size_t len = strnlen(name, UZIO_NAME_LEN);

	if (len == UZIO_NAME_LEN)
		return describe_refuse(dev, -ENAMETOOLONG,
				       "set %u: %s has more than %u characters", index, field,
				       UZIO_NAME_LEN - 1);
	if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != len)
		return describe_refuse(dev, -EINVAL,
				       "set %u: %s has other characters than [a-z0-9_-]",
				       index, field);
	return 0;
}

static int describe_check_names(struct uzio *dev, unsigned int index,
				const struct uzio_set *from)
{
	int ret = describe_check_text(dev, index, "name", from->name) ?:
		describe_check_text(dev, index, "clock", from->clock);
	unsigned int i;

	for (i = 0; i < index && !ret && *from->name; i++)
		if (!strcmp(from->name, dev->set[i].name))
			ret = describe_refuse(dev, -EINVAL, "set %u: name is that of set %u",
					      index, i);
	/* The directory of the device has a link of this name. */
	if (!ret && !strcmp(from->name, UZIO_REFUSAL))
		ret = describe_refuse(dev, -EINVAL, "set %u: ZIO has a file " UZIO_REFUSAL, index);
	/* Programs read from this name who stamps the blocks. */
	if (!ret && !strcmp(from->clock, "kernel"))
		ret = describe_refuse(dev, -EINVAL, "set %u: clock is the kernel's", index);
	return ret;
}

/* Checks a scaling whose flags and unit are known. Context: Any. Returns 0 or an error. */
int uzio_check_scaling(struct uzio *dev, unsigned int index, const struct uzio_scaling *from)
{
	static const struct uzio_scaling none;

	if (!(from->flags & UZIO_SCALING_VALID))
		return memcmp(from, &none, sizeof(none)) ?
			describe_refuse(dev, -EINVAL, "set %u: scaling without UZIO_SCALING_VALID",
					index) : 0;
	if (!from->mant || from->mant == S64_MIN)
		return describe_refuse(dev, -ERANGE, "set %u: scaling.mant is %lld", index,
				       from->mant);
	if (from->exp < -UZIO_MAX_EXP || from->exp > UZIO_MAX_EXP)
		return describe_refuse(dev, -ERANGE, "set %u: scaling.exp is %d, not %d to %d",
				       index, from->exp, -UZIO_MAX_EXP, UZIO_MAX_EXP);
	if (from->offset == S64_MIN)
		return describe_refuse(dev, -ERANGE, "set %u: scaling.offset is %lld", index,
				       from->offset);
	if (from->offset_exp < -UZIO_MAX_EXP || from->offset_exp > UZIO_MAX_EXP)
		return describe_refuse(dev, -ERANGE,
				       "set %u: scaling.offset_exp is %d, not %d to %d", index,
				       from->offset_exp, -UZIO_MAX_EXP, UZIO_MAX_EXP);
	return 0;
}

static int describe_check_flags(struct uzio *dev, unsigned int index, const struct uzio_set *from)
{
	if (from->flags & ~UZIO_SET_FLAGS)
		return describe_refuse(dev, -ERANGE, "set %u: flags is %#x: only %#x are known",
				       index, from->flags, UZIO_SET_FLAGS);
	if (from->flags & (UZIO_SET_STREAM | UZIO_SET_OUTPUT) &&
	    (from->flags & UZIO_SET_ARMED_FLAGS || from->max_shots > 1))
		return describe_refuse(dev, -EINVAL,
				       "set %u: flags is %#x: only armed inputs have %s", index,
				       from->flags, from->max_shots > 1 ? "shots" :
				       from->flags & UZIO_SET_INTERLEAVED ? "interleaved blocks" :
				       "samples before the event");
	if (from->flags & UZIO_SET_INTERLEAVED && from->n_chan > 32)
		return describe_refuse(dev, -ERANGE, "set %u: n_chan is %u: interleaved at most 32",
				       index, from->n_chan);
	return 0;
}

/* Fields that contradict each other */
static int describe_check_sums(struct uzio *dev, unsigned int index, const struct uzio_set *from)
{
	u32 frame = from->ssize * (from->flags & UZIO_SET_INTERLEAVED ? from->n_chan : 1);

	if (from->nbits > from->ssize * 8)
		return describe_refuse(dev, -EINVAL, "set %u: nbits is %u, but ssize is %u bytes",
				       index, from->nbits, from->ssize);
	if ((u64)from->nsamples * frame > UZIO_MAX_BLOCK)
		return describe_refuse(dev, -ERANGE,
				       "set %u: nsamples is %u: with ssize %u at most %u", index,
				       from->nsamples, from->ssize, UZIO_MAX_BLOCK / frame);
	if (from->max_samples && from->max_samples < (from->nsamples ?: 16))
		return describe_refuse(dev, -EINVAL,
				       "set %u: max_samples is %u, but nsamples is %u", index,
				       from->max_samples, from->nsamples ?: 16);
	if (!from->rate_num != !from->rate_den)
		return describe_refuse(dev, -EINVAL,
				       "set %u: rate_num is %u, but rate_den is %u", index,
				       from->rate_num, from->rate_den);
	if (from->depth && !(from->flags & UZIO_SET_STREAM))
		return describe_refuse(dev, -EINVAL, "set %u: depth is %u, but it is no stream",
				       index, from->depth);
	if (from->first_ps < -UZIO_MAX_FIRST || from->first_ps > UZIO_MAX_FIRST)
		return describe_refuse(dev, -ERANGE, "set %u: first_ps is %lld, not %lld to %lld",
				       index, from->first_ps, -UZIO_MAX_FIRST, UZIO_MAX_FIRST);
	if (dev->n_chan + from->n_chan > UZIO_MAX_CHANNELS)
		return describe_refuse(dev, -ERANGE, "set %u: n_chan is %u: at most %u are left",
				       index, from->n_chan, UZIO_MAX_CHANNELS - dev->n_chan);
	return 0;
}

/* Converts a scaling that uzio_check_scaling() accepts. @to: zeros. Context: Any. */
void uzio_convert_scaling(struct zio_scaling *to, const struct uzio_scaling *from)
{
	if (from->flags & UZIO_SCALING_SIGNED)
		to->flags |= ZIO_SCALING_SIGNED;
	if (from->flags & UZIO_SCALING_WRITABLE)
		to->flags |= ZIO_SCALING_WRITABLE;
	to->unit = from->unit;
	to->mant = from->mant;
	to->exp = from->exp;
	to->offset = from->offset;
	to->offset_exp = from->offset_exp + 6; /* the offset is in millionths */
}

static int describe_set(struct uzio *dev, unsigned int index, const struct uzio_set *from)
{
	struct zio_cset_desc *to = &dev->cset[index];
	struct uzio_chanset *set = &dev->set[index];

	set->memory = kvcalloc(from->n_chan, sizeof(*set->memory), GFP_KERNEL_ACCOUNT);
	if (!set->memory)
		return -ENOMEM;
	set->dev = dev;
	mutex_init(&set->mutex);
	INIT_LIST_HEAD(&set->ready);
	strscpy(set->name, from->name, sizeof(set->name));
	strscpy(set->clock, from->clock, sizeof(set->clock));
	set->has_clock = *set->clock;
	set->is_stream = from->flags & UZIO_SET_STREAM;
	set->is_output = from->flags & UZIO_SET_OUTPUT;
	set->max_samples = from->max_samples;
	set->max_shots = from->max_shots ?: 1;
	set->max_blocks = set->max_shots *
		(from->flags & UZIO_SET_INTERLEAVED ? 1 : from->n_chan);
	set->timing = (struct zio_timing) {
		.rate_num = from->rate_num, .rate_den = from->rate_den,
		.error_ns = from->error_ns, .first_ps = from->first_ps,
	};
	*to = (struct zio_cset_desc) {
		.name = *set->name ? set->name : NULL,
		.clock_source = *set->clock ? set->clock : NULL,
		.flags = ZIO_CSET_MAPPED | (set->is_stream ? ZIO_CSET_STREAM : 0) |
			 (set->is_output ? ZIO_CSET_OUTPUT : 0),
		.n_chan = from->n_chan,
		.ssize = from->ssize,
		.nbits = from->nbits,
		.nsamples = from->nsamples,
		.buffer = "vmalloc",
		.queue_depth = from->depth,
		.ops = set->is_stream ? &uzio_stream_ops : &uzio_armed_ops,
	};
	if (from->scaling.flags) {
		uzio_convert_scaling(&set->scaling, &from->scaling);
		to->scaling = &set->scaling;
		to->n_scaling = 1;
	}
	if (from->flags & UZIO_SET_PRE_SAMPLES)
		to->flags |= ZIO_CSET_PRE_SAMPLES;
	if (from->flags & UZIO_SET_INTERLEAVED)
		to->flags |= ZIO_CSET_INTERLEAVED;
	if (set->max_shots > 1)
		to->flags |= ZIO_CSET_SHOTS;
	return zio_charge(&dev->charge, from->n_chan * UZIO_CHANNEL_COST);
}

static int describe_copy_set(struct uzio *dev, const struct uzio_create *create,
			     unsigned int index)
{
	const char __user *array = u64_to_user_ptr(create->sets);
	struct uzio_set from;
	int ret;

	ret = copy_struct_from_user(&from, sizeof(from),
				    array + (size_t)index * create->set_size,
				    create->set_size);
	if (ret)
		return ret == -E2BIG ?
			describe_refuse(dev, ret, "set %u: unknown fields behind byte %zu",
					index, sizeof(from)) : ret;
	ret = describe_check_ranges(dev, index, &from) ?:
		describe_check_flags(dev, index, &from) ?:
		describe_check_names(dev, index, &from) ?:
		uzio_check_scaling(dev, index, &from.scaling) ?:
		describe_check_sums(dev, index, &from) ?:
		describe_set(dev, index, &from);
	if (!ret)
		dev->n_chan += from.n_chan;
	return ret;
}

static int describe_check_device(struct uzio *dev, const struct uzio_create *create)
{
	if (create->flags)
		return describe_refuse(dev, -ERANGE, "flags is %#x, not 0", create->flags);
	if (!create->n_sets || create->n_sets > UZIO_MAX_SETS)
		return describe_refuse(dev, -ERANGE, "n_sets is %u, not 1 to %u", create->n_sets,
				       UZIO_MAX_SETS);
	if (create->set_size < UZIO_SET_SIZE_1 || create->set_size > PAGE_SIZE)
		return describe_refuse(dev, -EINVAL, "set_size is %u, not %zu", create->set_size,
				       UZIO_SET_SIZE_1);
	if (create->timeout_ms && (create->timeout_ms < 100 || create->timeout_ms > 3600000))
		return describe_refuse(dev, -ERANGE, "timeout_ms is %u, not 0, or 100 to 3600000",
				       create->timeout_ms);
	if (create->id < -1 || create->id > U16_MAX)
		return describe_refuse(dev, -ERANGE, "id is %d, not -1 to %u", create->id, U16_MAX);
	if (strnlen(create->name, sizeof(create->name)) == sizeof(create->name) ||
	    !zio_device_name_is_valid(create->name))
		return describe_refuse(dev, -EINVAL,
				       "name is not 1 to 11 of [a-z0-9_-], or like one with a number");
	return 0;
}

/*
 * The buffers of an exchange: the largest request of each set fits beside some values. An answer
 * to UZIO_ARM has no more bytes than that.
 */
static int describe_buffers(struct uzio *dev)
{
	size_t size = SZ_4K;
	unsigned int i;

	for (i = 0; i < dev->n_sets; i++)
		size = max(size, UZIO_VALUES_SIZE + uzio_request_size(dev->set[i].max_blocks));
	dev->buffer_size = size;
	dev->in = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	dev->out = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	return dev->in && dev->out ? 0 : -ENOMEM;
}

/*
 * Makes the descriptors of a device, and charges the program for all but the areas. On error
 * uzio_forget() follows. Context: Process, sleeps. Returns 0; an error, and dev->message names
 * the field that is wrong, or is empty.
 */
int uzio_describe(struct uzio *dev, const struct uzio_create *create)
{
	unsigned int i;
	int ret = describe_check_device(dev, create);

	if (ret)
		return ret;
	dev->set = kvcalloc(create->n_sets, sizeof(*dev->set), GFP_KERNEL_ACCOUNT);
	dev->cset = kvcalloc(create->n_sets, sizeof(*dev->cset), GFP_KERNEL_ACCOUNT);
	if (!dev->set || !dev->cset)
		return -ENOMEM;
	dev->n_sets = create->n_sets;
	for (i = 0; i < create->n_sets; i++) {
		ret = describe_copy_set(dev, create, i);
		if (ret)
			return ret;
	}
	strscpy(dev->name, create->name, sizeof(dev->name));
	dev->timeout = msecs_to_jiffies(create->timeout_ms ?: 5000);
	dev->desc = (struct zio_device_desc) {
		.name = dev->name,
		.owner = THIS_MODULE,
		.cset = dev->cset,
		.n_cset = create->n_sets,
	};
	return describe_buffers(dev);
}

/* Undoes uzio_describe(). No device uses the descriptors. Context: Process. */
void uzio_forget(struct uzio *dev)
{
	unsigned int i;

	for (i = 0; i < dev->n_sets; i++)
		kvfree(dev->set[i].memory);
	kvfree(dev->set);
	kvfree(dev->cset);
	kvfree(dev->in);
	kvfree(dev->out);
	dev->set = NULL;
	dev->cset = NULL;
	dev->in = NULL;
	dev->out = NULL;
	dev->n_sets = 0;
	dev->n_chan = 0;
	zio_uncharge(&dev->charge, SIZE_MAX);
}
