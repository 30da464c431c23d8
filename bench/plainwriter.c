// SPDX-License-Identifier: GPL-2.0-only
/*
 * plainwriter - print a block file as zio-dump does, by a program that knows its blocks
 *
 * bench/user-cost compiles it: the floor beside which it sets zio-dump. The blocks are those
 * of make_blocks() there: of one channel, of samples of 16 bits; nothing is missing. It
 * checks nothing.
 *
 *	plainwriter csv|json <FILE
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/zio-user.h>

#define MAX_BYTES 65536
#define LINE 512

static union {
	uint16_t sample[MAX_BYTES / 2];
	char bytes[MAX_BYTES];
} data;
static char head[2 * LINE], text[MAX_BYTES / 2 * LINE];

static char *put_number(char *to, uint32_t number)
{
	char digits[10];
	int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}

static void print_csv(const struct zio_control *control)
{
	const struct zio_addr *addr = &control->addr;
	size_t n = (size_t)sprintf(head, "%s-%04x-%u-%u,%u,%" PRIu64 ".%09" PRIu64 ",0,",
				   addr->devname, addr->dev_id, addr->cset, addr->chan,
				   control->seq_num, (uint64_t)control->tstamp.secs,
				   (uint64_t)control->tstamp.ticks);
	char *to = text;
	uint32_t i;

	for (i = 0; i < control->nsamples; i++) {
		memcpy(to, head, n);
		to = put_number(to + n, i);
		*to++ = ',';
		to = put_number(to, data.sample[i]);
		*to++ = '\n';
	}
	fwrite(text, 1, (size_t)(to - text), stdout);
}

static void print_json(const struct zio_control *control)
{
	const struct zio_addr *addr = &control->addr;
	uint64_t secs = control->tstamp.secs, ticks = control->tstamp.ticks;
	uint64_t ns = secs * 1000000000 + ticks;
	char *to = text;
	uint32_t i;

	to += sprintf(to, "{\"channel\":\"%s-%04x-%u-%u\",\"devname\":\"%s\",\"dev_id\":%u,"
		      "\"cset\":%u,\"chan\":%u,\"seq\":%u,\"lost\":0,\"taken\":0,"
		      "\"missed\":0,\"version\":\"%u.%u\",\"nsamples\":%u,\"ssize\":%u,"
		      "\"nbits\":%u,\"secs\":%" PRIu64 ",\"ticks\":%" PRIu64 ",\"bins\":0,"
		      "\"alarms\":[],\"driver_alarms\":0,\"mem_offset\":0,\"flags\":%u,"
		      "\"msb_aligned\":false,\"lsb_aligned\":false,\"interleaved\":false,"
		      "\"trigger\":\"%s\",\"event_ns\":%" PRIu64 ",\"first_ns\":%" PRIu64
		      ",\"data\":[", addr->devname, addr->dev_id, addr->cset, addr->chan,
		      addr->devname, addr->dev_id, addr->cset, addr->chan, control->seq_num,
		      control->major_version, control->minor_version, control->nsamples,
		      control->ssize, control->nbits, secs, ticks, control->flags,
		      control->triggername, ns, ns);
	for (i = 0; i < control->nsamples; i++) {
		if (i)
			*to++ = ',';
		to = put_number(to, data.sample[i]);
	}
	to = stpcpy(to, "]}\n");
	fwrite(text, 1, (size_t)(to - text), stdout);
}

int main(int argc, char **argv)
{
	int is_csv = argc == 2 && !strcmp(argv[1], "csv");
	struct zio_control control;

	if (argc != 2)
		return 2;
	if (is_csv)
		puts("channel,block,time,lost,sample,value");
	while (fread(&control, sizeof(control), 1, stdin) &&
	       fread(data.bytes, control.nsamples * control.ssize, 1, stdin))
		is_csv ? print_csv(&control) : print_json(&control);
	return ferror(stdout) || fflush(stdout);
}
