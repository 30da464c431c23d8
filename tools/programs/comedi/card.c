// SPDX-License-Identifier: GPL-2.0-only
/* card.c: find the analog inputs of a card, and a command for them */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/program.h"
#include "comedi.h"

#define NSEC		1e9
#define NSAMPLES	1000
#define MOST_CARDS	16
/* A slow command hands over each scan; a fast one, as many as suit the card. */
#define SLOW_NS		10000000
#define BUFFER		(4 << 20)
/* A driver corrects one number of a command after the other. */
#define MOST_TESTS	4

static bool card_has_commands(comedi_t *dev, unsigned int subdevice)
{
	return comedi_get_subdevice_type(dev, subdevice) == COMEDI_SUBD_AI &&
	       comedi_get_subdevice_flags(dev, subdevice) & SDF_CMD_READ;
}

/* Return: whether the card has the subdevice, or one that suits */
static bool card_find(struct card *card, int wanted)
{
	int i, n = comedi_get_n_subdevices(card->dev);

	for (i = 0; i < n; i++) {
		if ((wanted < 0 || wanted == i) && card_has_commands(card->dev, i)) {
			card->subdevice = i;
			return true;
		}
	}
	if (wanted < 0)
		complain("%s: it has no analog inputs with commands", card->file);
	else
		complain("%s: subdevice %d has no analog inputs with commands: leave out --subdevice",
			 card->file, wanted);
	return false;
}

/* A node reads from one subdevice, the first that can, if nobody tells it another one. */
static bool card_select(const struct card *card)
{
	if (comedi_get_read_subdevice(card->dev) == (int)card->subdevice ||
	    !comedi_set_read_subdevice(card->dev, card->subdevice))
		return true;
	complain("%s: cannot read from subdevice %u: %s: leave out --subdevice",
		 card->file, card->subdevice, comedi_strerror(comedi_errno()));
	return false;
}

/* Put the numbers of channels into the list. */
static bool card_choose(struct card *card, const struct card_options *opt)
{
	unsigned int i, n = comedi_get_n_channels(card->dev, card->subdevice);
	const char *text = opt->channels;
	unsigned long chan;
	char *end;

	card->list = allocate(n, sizeof(*card->list));
	for (i = 0; !text && i < n; i++)
		card->list[card->n_chan++] = CR_PACK(i, opt->range, opt->aref);
	while (text) {
		chan = strtoul(text, &end, 10);
		if (end == text || (*end && *end != ',') || chan >= n || card->n_chan == n) {
			complain("%s: --channels=%s: give numbers from 0 to %u, such as 0,1",
				 card->file, opt->channels, n - 1);
			return false;
		}
		card->list[card->n_chan++] = CR_PACK(chan, opt->range, opt->aref);
		text = *end ? end + 1 : NULL;
	}
	return true;
}

/* All channels of the set have one scale. */
static bool card_scale(struct card *card, unsigned int range)
{
	unsigned int i, chan;
	const comedi_range *found;

	for (i = 0; i < card->n_chan; i++) {
		chan = CR_CHAN(card->list[i]);
		found = comedi_get_range(card->dev, card->subdevice, chan, range);
		if (!found) {
			complain("%s: channel %u has %d ranges, no range %u", card->file, chan,
				 comedi_get_n_ranges(card->dev, card->subdevice, chan), range);
			return false;
		}
		if (i && (memcmp(found, &card->range, sizeof(*found)) ||
			  comedi_get_maxdata(card->dev, card->subdevice, chan) !=
			  card->maxdata)) {
			complain("%s: channel %u has another range than channel %u: use --channels",
				 card->file, chan, CR_CHAN(card->list[0]));
			return false;
		}
		card->range = *found;
		card->maxdata = comedi_get_maxdata(card->dev, card->subdevice, chan);
		if (!card->maxdata) {
			complain("%s: channel %u: its largest sample is unknown: use --channels",
				 card->file, chan);
			return false;
		}
	}
	return true;
}

/* Return: why comedi_command_test() has returned a step, or -1 */
static const char *card_reason(int step)
{
	static const char *const reasons[] = {
		"the driver has no commands of this kind",
		"the driver has no commands of this kind",
		"a number is out of range: try another --rate",
		"the driver corrects it again and again: try another --rate",
		"the driver cannot scan these: try --channels, --range or --aref",
	};

	return step >= 1 && step <= 5 ? reasons[step - 1] : comedi_strerror(comedi_errno());
}

/* Ask the driver for a command. It changes the rate to one that the card can. */
static bool card_ask(struct card *card, double rate)
{
	comedi_cmd *cmd = &card->command;
	uint64_t period;
	int i, ret;

	ret = comedi_get_cmd_generic_timed(card->dev, card->subdevice, cmd, card->n_chan,
					   NSEC / rate);
	cmd->chanlist = card->list;
	cmd->chanlist_len = card->n_chan;
	cmd->scan_end_arg = card->n_chan;
	cmd->stop_src = card->is_continuous ? TRIG_NONE : TRIG_COUNT;
	cmd->stop_arg = card->is_continuous ? 0 : 1;
	/* One more test than corrections: then all numbers are those of the driver. */
	for (i = 0; ret >= 0 && i < MOST_TESTS; i++) {
		ret = comedi_command_test(card->dev, cmd);
		if (!ret)
			break;
	}
	if (ret) {
		complain("%s: no command for %u channels at %g Hz: %s", card->file,
			 card->n_chan, rate, card_reason(ret));
		return false;
	}
	period = cmd->scan_begin_src == TRIG_TIMER ? cmd->scan_begin_arg :
		 (uint64_t)cmd->convert_arg * card->n_chan;
	if (period > UINT_MAX) {
		complain("%s: %u channels at %g Hz are too slow: use a higher --rate", card->file,
			 card->n_chan, rate);
		return false;
	}
	card->period_ns = period;
	if (card->period_ns >= SLOW_NS)
		cmd->flags |= TRIG_WAKE_EOS;
	return true;
}

/**
 * card_open() - open a card, and prepare a command
 * @card: receives the card; card_close() it in any case
 * @opt: what the user asks for
 *
 * Context: The thread of the program. May sleep.
 * Return: true; false after a complaint.
 */
bool card_open(struct card *card, const struct card_options *opt)
{
	int flags;

	*card = (struct card) {
		.file = opt->file, .is_continuous = opt->is_continuous,
	};
	comedi_loglevel(0);
	card->dev = comedi_open(opt->file);
	if (!card->dev) {
		complain("%s: cannot open it: %s", opt->file,
			 comedi_strerror(comedi_errno()));
		return false;
	}
	if (!card_find(card, opt->subdevice) || !card_select(card) ||
	    !card_choose(card, opt) || !card_scale(card, opt->range))
		return false;
	flags = comedi_get_subdevice_flags(card->dev, card->subdevice);
	card->ssize = flags & SDF_LSAMPL ? sizeof(lsampl_t) : sizeof(sampl_t);
	/* Only root may have so much: others have less time before an overrun. */
	comedi_set_max_buffer_size(card->dev, card->subdevice, BUFFER);
	comedi_set_buffer_size(card->dev, card->subdevice, BUFFER);
	return card_ask(card, opt->rate);
}

void card_close(struct card *card)
{
	if (card->dev)
		comedi_close(card->dev);
	free(card->list);
}

/* A sample is 0 ... maxdata, from the least to the largest value of the range. */
void card_describe(const struct card *card, struct uzio_set *set)
{
	const comedi_range *range = &card->range;
	enum zio_unit unit = ZIO_UNIT_NONE;
	double factor = 1;

	if (range->unit == UNIT_volt)
		unit = ZIO_UNIT_V;
	if (range->unit == UNIT_mA) {
		unit = ZIO_UNIT_A;
		factor = 1e-3;
	}
	*set = (struct uzio_set) {
		.name = "analog", .n_chan = card->n_chan, .ssize = card->ssize,
		.nbits = 32 - __builtin_clz(card->maxdata), .nsamples = NSAMPLES,
		.rate_num = 1000000000, .rate_den = card->period_ns,
	};
	zio_user_set_scale(set, unit, factor * (range->max - range->min) / card->maxdata,
			   factor * range->min);
}

static void card_print(comedi_t *dev, const char *file)
{
	int i, n = comedi_get_n_subdevices(dev);

	printf("%s\t%s\t%s", file, comedi_get_driver_name(dev), comedi_get_board_name(dev));
	for (i = 0; i < n; i++)
		if (card_has_commands(dev, i))
			printf("\tsubdevice %d: %d channels", i, comedi_get_n_channels(dev, i));
	putchar('\n');
}

/* Print the cards of this machine. Return: exit status */
int card_list(void)
{
	char file[32];
	comedi_t *dev;
	int i;

	comedi_loglevel(0);
	for (i = 0; i < MOST_CARDS; i++) {
		snprintf(file, sizeof(file), "/dev/comedi%d", i);
		if (access(file, F_OK))
			continue;
		dev = comedi_open(file);
		if (!dev) {
			printf("%s\t-\t%s\n", file, comedi_strerror(comedi_errno()));
			continue;
		}
		card_print(dev, file);
		comedi_close(dev);
	}
	return finish_output();
}
