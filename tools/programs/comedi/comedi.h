/* SPDX-License-Identifier: GPL-2.0-only */
/* comedi.h: analog inputs of Comedi as a ZIO device */
#ifndef ZIO_COMEDI_H
#define ZIO_COMEDI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <comedilib.h>
#include <linux/zio-uzio.h>

/**
 * struct card_options - what the user asks for
 * @subdevice: number; -1: the first one with analog inputs and commands
 * @channels: numbers separated by commas; NULL: all
 * @range: number of the range, for all channels
 * @aref: AREF_*
 * @rate: samples of each channel per second
 * @is_continuous: never stop, and lose nothing between two events
 */
struct card_options {
	const char *file;
	int subdevice;
	const char *channels;
	unsigned int range;
	unsigned int aref;
	double rate;
	bool is_continuous;
};

/**
 * struct card - an open card
 * @command: the next command; its list of channels is @list
 * @period_ns: from scan to scan
 * @ssize: bytes of a sample
 */
struct card {
	const char *file;
	comedi_t *dev;
	unsigned int subdevice;
	unsigned int n_chan;
	unsigned int *list;
	lsampl_t maxdata;
	comedi_range range;
	size_t ssize;
	unsigned int period_ns;
	bool is_continuous;
	comedi_cmd command;
};

bool card_open(struct card *card, const struct card_options *options);
void card_close(struct card *card);
void card_describe(const struct card *card, struct uzio_set *set);
int card_list(void);

/**
 * struct acquire - the command that runs
 * @clock: CLOCK_* of all times
 * @start: time of its first scan, in nanoseconds
 * @taken: scans that were read since
 * @end: time of the end of the last scan that the reader has, if an overrun came behind it;
 *       or 0
 * @pipe: a descriptor that ends a wait early: see goes_on()
 */
struct acquire {
	struct card *card;
	bool is_running;
	int clock;
	int64_t start;
	uint64_t taken;
	int64_t end;
	int fd;
	bool (*goes_on)(void *arg);
	void *arg;
};

int acquire_scans(struct acquire *acq, void *scans, size_t n, int clock, int64_t *time,
		  uint32_t *lost);
void acquire_stop(struct acquire *acq);

int comedi_serve(struct card *card, const char *name);

#endif /* ZIO_COMEDI_H */
