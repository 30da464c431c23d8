// SPDX-License-Identifier: GPL-2.0-only
/*
 * fake-node STEM SEQ NSAMPLES SSIZE [ALARMS [TYPE VALUE]]: append one block to a fake
 * node, with an extension (TLV) of TYPE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static uint32_t number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 0);
}

static void put_tlv(struct zio_tlv *tlv, const char *type, const char *text)
{
	uint64_t value = strtoull(text, NULL, 0);

	tlv->type = number(type);
	tlv->length = 1;
	memcpy(tlv->payload, &value, sizeof(value));
}

int main(int argc, char **argv)
{
	struct zio_control control;
	int ret;

	if (argc < 5) {
		fprintf(stderr, "usage: %s STEM SEQ NSAMPLES SSIZE [ALARMS [TYPE VALUE]]\n",
			argv[0]);
		return 2;
	}
	fake_control(&control, number(argv[2]), number(argv[3]),
		     (uint16_t)number(argv[4]));
	if (argc > 5)
		control.zio_alarms = (uint8_t)number(argv[5]);
	if (argc > 7)
		put_tlv(control.tlv, argv[6], argv[7]);
	ret = fake_put_control(argv[1], &control);
	if (!ret)
		ret = fake_put_data(argv[1], control.seq_num,
				    (size_t)control.nsamples * control.ssize);
	if (ret)
		perror(argv[1]);
	return ret ? 1 : 0;
}
