// SPDX-License-Identifier: GPL-2.0-only
/* controls.c: controls to write, right and wrong; checks of controls that were read */
#include "fuzz.h"

/* A block of this size does not fit into the memory of the machine. */
#define MOST_BYTES	(1ULL << 30)

static void spoil(struct zio_control *ctrl)
{
	uint8_t *byte = (uint8_t *)ctrl;
	unsigned int n = 1 + dice(4);

	while (n--)
		byte[dice(chance(2) ? 64 : sizeof(*ctrl))] = draw();
}

/* "NAME-ID-N-M" */
static void take_address(struct zio_addr *addr, const char *name)
{
	unsigned int id, cset, chan;
	char text[ZIO_OBJ_NAME_LEN];

	if (sscanf(name, "%11[a-z]-%x-%u-%u", text, &id, &cset, &chan) != 4)
		return;
	memcpy(addr->devname, text, sizeof(text));
	addr->dev_id = id;
	addr->cset = cset;
	addr->chan = chan;
}

/* A control that the channel of the slot may take. */
struct zio_control any_control(const struct slot *slot)
{
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION,
		.minor_version = ZIO_MINOR_VERSION,
		.nsamples = 16,
		.ssize = 1,
	};

	if (slot->channel >= 0)
		take_address(&ctrl.addr, channels[slot->channel].name);
	/* Orders of pulses have no samples. */
	if (!strcmp(ctrl.addr.devname, "zdtc")) {
		ctrl.ssize = 0;
		ctrl.nsamples = 0;
	}
	if (chance(4))
		ctrl.nsamples = chance(2) ? 1 + dice(16) : (uint32_t)any_int();
	if (chance(8))
		ctrl.tstamp.secs = draw();
	if (chance(8))
		spoil(&ctrl);
	return ctrl;
}

/* A control always names the channel whose node was opened. */
void check_control(const struct zio_control *ctrl, const struct slot *slot)
{
	struct zio_addr addr = { 0 };
	uint64_t bytes = (uint64_t)ctrl->nsamples * ctrl->ssize;

	holds(ctrl->major_version == ZIO_MAJOR_VERSION, ctrl->major_version,
	      ZIO_MAJOR_VERSION);
	holds(ctrl->minor_version == ZIO_MINOR_VERSION, ctrl->minor_version,
	      ZIO_MINOR_VERSION);
	holds(bytes <= MOST_BYTES, bytes, MOST_BYTES);
	holds(ctrl->nbits <= 8 * ctrl->ssize, ctrl->nbits, 8 * ctrl->ssize);
	holds(memchr(ctrl->addr.devname, 0, sizeof(ctrl->addr.devname)) != NULL,
	      0, 0);
	if (slot->channel < 0 || channels[slot->channel].is_single)
		return;
	take_address(&addr, channels[slot->channel].name);
	holds(!strcmp(ctrl->addr.devname, addr.devname), ctrl->addr.devname[1],
	      addr.devname[1]);
	holds(ctrl->addr.dev_id == addr.dev_id, ctrl->addr.dev_id, addr.dev_id);
	holds(ctrl->addr.cset == addr.cset, ctrl->addr.cset, addr.cset);
	holds(ctrl->addr.chan == addr.chan, ctrl->addr.chan, addr.chan);
}

/* Check what was read, if it is controls in memory that can be read. */
void check_read(const struct slot *slot, const void *buf, ssize_t got)
{
	const char *from = buf;
	struct zio_control ctrl;
	ssize_t i;

	if (slot->channel < 0 || slot->is_data || got <= 0)
		return;
	if (channels[slot->channel].is_output)
		return;
	if (from < arena || from + got > arena + ARENA)
		return;
	holds(!(got % sizeof(ctrl)), got, sizeof(ctrl));
	for (i = 0; i + (ssize_t)sizeof(ctrl) <= got; i += sizeof(ctrl)) {
		memcpy(&ctrl, from + i, sizeof(ctrl));
		check_control(&ctrl, slot);
	}
}
