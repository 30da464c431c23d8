// SPDX-License-Identifier: GPL-2.0-only
/* share.c: outputs play the memory of blocks of inputs */
#include <sys/ioctl.h>

#include "fuzz.h"

#define N_LINKS	3

/* An output that is linked to an input, and the last control of the input. */
static struct link {
	struct slot in, out;
	struct zio_control ctrl;
	bool has_ctrl;
} links[N_LINKS];

/* Channels whose samples have the same size. */
static const char *const pairs[][2] = {
	{ "zzero-0001-0-1", "zloop-0000-0-0" },
	{ "zzero-0000-0-0", "zzero-0000-1-0" },
	{ "zzero-0000-0-1", "zzero-0001-1-0" },
	{ "zzero-0001-2-0", "zloop-0100-0-0" },
	{ "zloop-0000-1-0", "zloop-0000-0-0" },
	{ "zdtc-0000-1-0", "zdtc-0000-0-0" },
	{ "zdtc-0100-1-0", "zdtc-0000-0-0" },
	{ "zmini-0000-0-0", "zzero-0000-1-0" },
};

static int open_link_end(struct slot *slot, const char *name, int flags)
{
	slot->channel = find_channel(name);
	slot->is_data = false;
	slot->fd = open_channel(slot->channel, false,
				flags | O_CLOEXEC | O_NONBLOCK);
	return slot->fd;
}

static void close_link(struct link *link)
{
	if (!link->in.channel && !link->out.channel)
		return;
	if (link->in.fd >= 0)
		close(link->in.fd);
	if (link->out.fd >= 0)
		close(link->out.fd);
	memset(link, 0, sizeof(*link));
}

static void do_link(void)
{
	const char *const *pair = pairs[dice(sizeof(pairs) / sizeof(*pairs))];
	struct link *link = &links[dice(N_LINKS)];

	close_link(link);
	link->in.fd = link->out.fd = -1;
	open_link_end(&link->in, pair[0], O_RDONLY);
	open_link_end(&link->out, pair[1], chance(4) ? O_RDWR : O_WRONLY);
	result(ioctl(link->out.fd, ZIO_IOC_SHARE, &link->in.fd));
}

/* Link any two files, which do not fit most of the time. */
static void do_link_any(void)
{
	int fd = chance(4) ? any_int() : slot_for(false, -1)->fd;

	if (chance(8))
		result(ioctl(slot_for(true, -1)->fd, ZIO_IOC_SHARE,
			     (void *)(long)any_int()));
	else
		result(ioctl(slot_for(true, -1)->fd, ZIO_IOC_SHARE, &fd));
}

static void do_unlink(void)
{
	struct link *link = &links[dice(N_LINKS)];
	int none = -1;

	if (!link->in.channel && !link->out.channel)
		return;
	if (chance(3)) {
		result(ioctl(link->out.fd, ZIO_IOC_SHARE, &none));
		return;
	}
	close_link(link);
}

static void read_linked(struct link *link)
{
	link->has_ctrl = result(read(link->in.fd, &link->ctrl, sizeof(link->ctrl))) ==
		sizeof(link->ctrl);
	if (link->has_ctrl)
		check_control(&link->ctrl, &link->in);
}

static void spoil_submission(struct zio_control *ctrl)
{
	switch (dice(7)) {
	case 0:
		ctrl->nsamples = any_int();
		break;
	case 1:
		ctrl->mem_offset += any_int();
		break;
	case 2:
		ctrl->seq_num += any_int();
		break;
	case 3:
		ctrl->reserved = any_int();
		break;
	case 4:
		ctrl->ssize = any_int();
		break;
	case 5:
		ctrl->nsamples /= 2;
		break;
	default:
		ctrl->addr.chan = any_int();
	}
}

static void submit(struct link *link)
{
	struct zio_control ctrl = link->ctrl;

	ctrl.flags |= ZIO_CONTROL_SHARED | (chance(2) ? ZIO_CONTROL_KEEP : 0) |
		(chance(4) ? ZIO_CONTROL_SHARE_ONLY : 0);
	if (chance(5))
		spoil_submission(&ctrl);
	result(write(link->out.fd, &ctrl, sizeof(ctrl)));
}

static void do_submit(void)
{
	struct link *link = &links[dice(N_LINKS)];
	unsigned int n = 1 + dice(8);

	if (!link->in.channel && !link->out.channel)
		return;
	while (n--) {
		if (!link->has_ctrl || !chance(3))
			read_linked(link);
		if (link->has_ctrl)
			submit(link);
	}
}

/* Orders make the controls of inputs without samples. */
static void do_order(void)
{
	static const char *const boards[] = { "zdtc-0000-0-0", "zdtc-0100-0-0" };
	int channel = find_channel(boards[dice(2)]), n = 1 + dice(4);
	struct slot out = { -1, channel, false };
	struct zio_control ctrl;

	out.fd = open_channel(channel, false, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	while (n-- && out.fd >= 0) {
		ctrl = any_control(&out);
		result(write(out.fd, &ctrl, sizeof(ctrl)));
	}
	if (out.fd >= 0)
		close(out.fd);
}

const struct op share_ops[] = {
	{ "link", do_link, 20, 5, MEMBER },
	{ "link-any", do_link_any, 5, 0, MEMBER },
	{ "unlink", do_unlink, 5, 1, MEMBER },
	{ "submit", do_submit, 40, 5, MEMBER },
	{ "order", do_order, 12, 2, MEMBER },
	{}
};
