// SPDX-License-Identifier: LGPL-2.1-or-later
/* Controls: lengths, and names of attributes and alarms */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "control.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *const channel_attr[ZIO_MAX_STD_ATTR] = {
	[ZIO_ATTR_NBITS] = "resolution-bits",
	[ZIO_ATTR_GAIN] = "gain-factor",
	[ZIO_ATTR_OFFSET] = "offset",
	[ZIO_ATTR_MAXRATE] = "max-sample-rate",
	[ZIO_ATTR_VREFTYPE] = "vref-src",
	[ZIO_ATTR_UNIT] = "unit",
	[ZIO_ATTR_SIGNED] = "signed",
	[ZIO_ATTR_VERSION] = "version",
};

static const char *const trigger_attr[ZIO_MAX_STD_ATTR] = {
	[ZIO_ATTR_TRIG_N_SHOTS] = "nshots",
	[ZIO_ATTR_TRIG_POST_SAMP] = "post-samples",
	[ZIO_ATTR_TRIG_PRE_SAMP] = "pre-samples",
	[ZIO_ATTR_TRIG_CLOCK] = "clock",
	[ZIO_ATTR_TRIG_SHOT] = "shot",
	[ZIO_ATTR_TRIG_RATE_NUM] = "rate-numerator",
	[ZIO_ATTR_TRIG_RATE_DEN] = "rate-denominator",
	[ZIO_ATTR_TRIG_FIRST_LOW] = "first-low",
	[ZIO_ATTR_TRIG_FIRST_HIGH] = "first-high",
	[ZIO_ATTR_TRIG_TIME_ERROR] = "time-error",
	[ZIO_ATTR_TRIG_LOST] = "lost",
	[ZIO_ATTR_TRIG_MISSED] = "missed",
	[ZIO_ATTR_TRIG_EPOCH] = "epoch",
	[ZIO_ATTR_TRIG_VERSION] = "version",
};

static const char *const buffer_attr[ZIO_MAX_STD_ATTR] = {
	[ZIO_ATTR_ZBUF_MAXLEN] = "max-buffer-len",
	[ZIO_ATTR_ZBUF_MAXKB] = "max-buffer-kb",
	[ZIO_ATTR_ZBUF_ALLOC_LEN] = "allocated-buffer-len",
	[ZIO_ATTR_ZBUF_ALLOC_KB] = "allocated-buffer-kb",
	[ZIO_ATTR_ZBUF_VERSION] = "version",
};

static const char *const alarm_name[] = {
	[0] = "lost-block",
	[1] = "lost-trigger",
	[2] = "lost-sniff",
	[3] = "dry",
	[5] = "suspended",
};

const char *zio_attr_name(enum zio_attr_owner owner, unsigned int index)
{
	if (index >= ZIO_MAX_STD_ATTR)
		return NULL;
	switch (owner) {
	case ZIO_ATTR_OF_CHANNEL:
		return channel_attr[index];
	case ZIO_ATTR_OF_TRIGGER:
		return trigger_attr[index];
	case ZIO_ATTR_OF_BUFFER:
		return buffer_attr[index];
	}
	return NULL;
}

const char *zio_alarm_name(unsigned int bit)
{
	return bit < ARRAY_SIZE(alarm_name) ? alarm_name[bit] : NULL;
}

/* Drop text beyond @size, but count it in the length. */
static int append_alarm(char *text, size_t size, int len, unsigned int bit)
{
	size_t used = (size_t)len < size ? (size_t)len : size;
	char *to = text ? text + used : NULL;
	const char *comma = len ? "," : "";
	const char *name = zio_alarm_name(bit);

	if (name)
		return snprintf(to, size - used, "%s%s", comma, name);
	return snprintf(to, size - used, "%sbit%u", comma, bit);
}

int zio_alarm_text(uint8_t alarms, char *text, size_t size)
{
	unsigned int bit;
	int len = 0;

	if (!text && size)
		return zio_refuse_null();
	if (size)
		text[0] = '\0';
	for (bit = 0; bit < 8; bit++)
		if (alarms & (1 << bit))
			len += append_alarm(text, size, len, bit);
	return len;
}

void zio_control_init(struct zio_control *control, uint32_t nsamples,
		      uint16_t ssize)
{
	if (!control) {
		zio_refuse_null();
		return;
	}
	memset(control, 0, sizeof(*control));
	control->major_version = ZIO_MAJOR_VERSION;
	control->minor_version = ZIO_MINOR_VERSION;
	control->nsamples = nsamples;
	control->ssize = ssize;
	control->flags = ZIO_NATIVE;
}

int zio_control_size(const struct zio_control *control, size_t *size)
{
	if (!control || !size)
		return zio_refuse_null();
	if (!__builtin_mul_overflow((size_t)control->nsamples,
				    (size_t)control->ssize, size))
		return 0;
	errno = EOVERFLOW;
	return -1;
}

unsigned int zio_control_shots(const struct zio_control *control)
{
	struct zio_shots_info info;

	if (!control) {
		zio_refuse_null();
		return 0;
	}
	memcpy(&info, control->tlv[0].payload, sizeof(info));
	if (control->tlv[0].type != ZIO_TLV_SHOTS || !info.n)
		return 1;
	return info.n < ZIO_MAX_SHOTS ? info.n : ZIO_MAX_SHOTS;
}

int zio_control_shot(const struct zio_control *control, unsigned int i,
		     struct zio_timestamp *time)
{
	const uint64_t second = 1000000000;

	if (!control || !time)
		return zio_refuse_null();
	if (i >= zio_control_shots(control)) {
		errno = ENOENT;
		return -1;
	}
	*time = control->tstamp;
	if (!i)
		return 0;
	time->ticks += control->attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT + i - 1];
	time->secs += time->ticks / second;
	time->ticks %= second;
	return 0;
}

/* Unlike isalnum(), the answer must not depend on the locale. */
bool zio_is_harmless(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_-.:+", c));
}

void zio_name_text(char text[ZIO_OBJ_NAME_LEN + 1], const char *name)
{
	int i;

	if (!text || !name) {
		zio_refuse_null();
		return;
	}
	for (i = 0; i < ZIO_OBJ_NAME_LEN && name[i]; i++)
		text[i] = zio_is_harmless(name[i]) ? name[i] : '?';
	text[i] = '\0';
}

const char *zio_version(void)
{
	return LIBZIO_VERSION;
}
