// SPDX-License-Identifier: GPL-2.0-only
/*
 * card.c: a card of Comedi that exists in this file only
 *
 * test_comedi.py loads it with LD_PRELOAD. The variable CARD names what is wrong with it.
 * Subdevices 0 and 1 have analog inputs with commands.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <comedilib.h>

static bool is_card(const char *name)
{
	return !strcmp(getenv("CARD"), name);
}

comedi_t *comedi_open(const char *file)
{
	static int card;

	(void)file;
	return (comedi_t *)&card;
}

int comedi_close(comedi_t *dev)
{
	(void)dev;
	return 0;
}

int comedi_get_n_subdevices(comedi_t *dev)
{
	(void)dev;
	return 2;
}

int comedi_get_subdevice_type(comedi_t *dev, unsigned int subdevice)
{
	(void)dev;
	(void)subdevice;
	return COMEDI_SUBD_AI;
}

int comedi_get_subdevice_flags(comedi_t *dev, unsigned int subdevice)
{
	(void)dev;
	(void)subdevice;
	return SDF_CMD_READ;
}

int comedi_get_read_subdevice(comedi_t *dev)
{
	(void)dev;
	return 0;
}

int comedi_set_read_subdevice(comedi_t *dev, unsigned int subdevice)
{
	(void)dev;
	if (!subdevice || !is_card("one subdevice"))
		return 0;
	errno = EBUSY;
	return -1;
}

int comedi_get_n_channels(comedi_t *dev, unsigned int subdevice)
{
	(void)dev;
	(void)subdevice;
	return 2;
}

comedi_range *comedi_get_range(comedi_t *dev, unsigned int subdevice, unsigned int chan,
			       unsigned int number)
{
	static comedi_range range = { .min = -10, .max = 10, .unit = UNIT_volt };

	(void)dev;
	(void)subdevice;
	(void)chan;
	(void)number;
	return &range;
}

lsampl_t comedi_get_maxdata(comedi_t *dev, unsigned int subdevice, unsigned int chan)
{
	(void)dev;
	(void)subdevice;
	(void)chan;
	return is_card("no bits") ? 0 : 65535;
}

int comedi_set_max_buffer_size(comedi_t *dev, unsigned int subdevice, unsigned int size)
{
	(void)dev;
	(void)subdevice;
	return size;
}

int comedi_set_buffer_size(comedi_t *dev, unsigned int subdevice, unsigned int size)
{
	(void)dev;
	(void)subdevice;
	return size;
}

int comedi_get_cmd_generic_timed(comedi_t *dev, unsigned int subdevice, comedi_cmd *cmd,
				 unsigned int n_chan, unsigned int period_ns)
{
	(void)dev;
	*cmd = (comedi_cmd){
		.subdev = subdevice, .scan_begin_src = TRIG_TIMER, .scan_begin_arg = period_ns,
		.scan_end_arg = n_chan,
	};
	return 0;
}

/* Each call finds something else. Return: the step that has failed */
int comedi_command_test(comedi_t *dev, comedi_cmd *cmd)
{
	static int calls;

	(void)dev;
	(void)cmd;
	errno = 0;
	if (is_card("three corrections"))
		return ++calls > 3 ? 0 : 4;
	return is_card("no such channels") ? 5 : 0;
}
