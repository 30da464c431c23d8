// SPDX-License-Identifier: GPL-2.0-only
/* Values in units, and the names of attributes */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/channel.h"
#include "common/control.h"
#include "common/object.h"
#include "common/program.h"
#include "common/text.h"
#include "dump.h"

#define SECOND 1000000000

bool convert_block(struct dump_values *to, const struct zio_block *blk)
{
	ssize_t n;

	if (!blk->data || zio_control_scale(blk->control, &to->scaling))
		return false;
	to->count = blk->size / to->scaling.ssize;
	to->value = allocate(to->count, sizeof(*to->value));
	n = zio_block_to_double(blk, to->value, to->count);
	if (n >= 0)
		return true;
	free(to->value);
	return false;
}

/* Most blocks belong to the same channel as the block before. */
const char *address_of(const struct zio_control *control)
{
	static struct zio_addr last;
	static char text[ADDRESS_LEN];

	if (!*text || memcmp(&last, &control->addr, sizeof(last))) {
		put_address(text, control);
		last = control->addr;
	}
	return text;
}

int put_value(char text[VALUE_LEN], double value)
{
	int digits;

	for (digits = 15; digits < 17; digits++) {
		snprintf(text, VALUE_LEN, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			return digits;
	}
	snprintf(text, VALUE_LEN, "%.17g", value);
	return digits;
}

char *put_number(char *text, uint64_t number)
{
	char digits[20];
	unsigned int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*text++ = digits[--n];
	return text;
}

char *put_signed(char *text, int64_t number)
{
	if (number < 0)
		*text++ = '-';
	return put_number(text, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

char *put_sample(char *text, enum dump_format format, const void *data, size_t i,
		 unsigned int ssize)
{
	uint64_t v = get_sample(data, i, ssize);

	return format == DUMP_SIGNED ? put_signed(text, extend_sign(v, ssize)) :
				       put_number(text, v);
}

char *put_time(char *text, const struct zio_instant *time)
{
	int64_t ns = time->ns + (time->ps >= 500);
	uint64_t length = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	uint32_t rest = (uint32_t)(length % SECOND);
	int i;

	if (ns < 0)
		*text++ = '-';
	text = put_number(text, length / SECOND);
	*text = '.';
	for (i = 9; i; i--, rest /= 10)
		text[i] = (char)('0' + rest % 10);
	return text + 10;
}

int list_attrs(const struct zio_control *control, const struct dump_options *opt,
	       enum zio_attr_owner owner, bool of_block,
	       struct zio_attr_value list[ZIO_MAX_ATTRS])
{
	int i, kept = 0, n = zio_control_attrs(control, opt->names, owner, list);

	for (i = 0; i < n; i++)
		if (list[i].is_of_block == of_block)
			list[kept++] = list[i];
	return kept;
}

const char *unit_of(const struct zio_attr_value *value, enum zio_attr_owner owner)
{
	if (owner != ZIO_ATTR_OF_CHANNEL || value->is_ext ||
	    value->index != ZIO_ATTR_UNIT)
		return NULL;
	return zio_unit_name((unsigned int)value->value);
}

static int print_channel(const struct zio_object *chan)
{
	struct zio_error err;
	struct zio_names *names = zio_names_of(chan, &err);
	int ret;

	if (!names) {
		complain("%s", err.text);
		return EXIT_FAILED;
	}
	ret = zio_names_print(names, stdout) ? EXIT_FAILED : EXIT_OK;
	zio_names_close(names);
	return ret;
}

static int print_channels(const struct zio_object *obj)
{
	struct zio_error err;
	struct zio_object **list = zio_list(obj, ZIO_OBJECT_CHANNEL, &err);
	int i, code = EXIT_OK;

	if (!list || !*list) {
		complain("%s: %s", zio_object_name(obj),
			 list ? "it has no channels" : err.text);
		code = EXIT_FAILED;
	}
	for (i = 0; list && list[i] && !code; i++)
		code = print_channel(list[i]);
	zio_list_free(list);
	return code;
}

int print_names(const char *object)
{
	struct zio_object *obj = find_object(object, NULL);
	int code = EXIT_OPEN;

	if (obj && zio_object_kind(obj) == ZIO_OBJECT_CHANNEL)
		code = print_channel(obj);
	else if (obj)
		code = print_channels(obj);
	zio_object_free(obj);
	return code;
}
