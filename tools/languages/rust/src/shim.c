// SPDX-License-Identifier: LGPL-2.1-or-later
/* Structures and numbers of the ABI, so that the crate need not copy them */
#include <errno.h>
#include <stdio.h>
#include <zio/zio.h>

const int zio_rs_einval = EINVAL;
const int zio_rs_input = 0;
const int zio_rs_tap = ZIO_OPEN_TAP;
const int zio_rs_create = ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE;
const int zio_rs_append = ZIO_OPEN_OUTPUT | ZIO_OPEN_APPEND;
const int zio_rs_output = ZIO_OPEN_OUTPUT;
const size_t zio_rs_block_size = sizeof(struct zio_block);

struct zio_channel *zio_rs_open(const char *name, int flags, int *code, char *text,
				size_t size)
{
	struct zio_error error;
	struct zio_channel *ch = zio_open(name, flags, &error);

	if (!ch) {
		*code = error.code;
		snprintf(text, size, "%s", error.text);
	}
	return ch;
}

uint32_t zio_rs_seq(const struct zio_control *control)
{
	return control->seq_num;
}

uint16_t zio_rs_ssize(const struct zio_control *control)
{
	return control->ssize;
}

uint64_t zio_rs_time_ns(const struct zio_control *control)
{
	return control->tstamp.secs * 1000000000 + control->tstamp.ticks;
}

void zio_rs_name(const struct zio_control *control, char *text, size_t size)
{
	char device[ZIO_OBJ_NAME_LEN + 1];

	zio_name_text(device, control->addr.devname);
	snprintf(text, size, "%s-%04x-%u-%u", device, control->addr.dev_id,
		 control->addr.cset, control->addr.chan);
}

int zio_rs_scale(const struct zio_control *control, double *scale, double *offset,
		 const char **unit)
{
	struct zio_scaling scaling;

	if (zio_control_scale(control, &scaling))
		return -1;
	*scale = scaling.scale;
	*offset = scaling.offset;
	*unit = scaling.unit;
	return 0;
}

/* Write samples with a control that states only their size and sign. */
int zio_rs_write(struct zio_channel *ch, const void *data, size_t n, uint16_t ssize,
		 bool is_signed)
{
	struct zio_control control;

	zio_control_init(&control, (uint32_t)n, ssize);
	control.attr_channel.std_mask = 1u << ZIO_ATTR_SIGNED;
	control.attr_channel.std_val[ZIO_ATTR_SIGNED] = is_signed;
	return zio_write_block(ch, &control, data, n * ssize);
}
