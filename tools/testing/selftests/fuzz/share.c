// SPDX-License-Identifier: GPL-2.0-only
/* share.c: blocks of inputs that outputs play from where they are */
#include <sys/ioctl.h>

#include "fuzz.h"

#define N_TIES	3

/* An output that was tied to an input, and the last control of that. */
static struct tie {
	struct slot in, out;
	struct zio_control ctrl;
	bool has_ctrl;
} ties[N_TIES];

/* Sets whose samples have the same size, or none. */
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

static int open_tie_end(struct slot *slot, const char *name, int flags)
{
	slot->channel = find_channel(name);
	slot->is_data = false;
	slot->fd = open_channel(slot->channel, false,
				flags | O_CLOEXEC | O_NONBLOCK);
	return slot->fd;
}

static void close_tie(struct tie *tie)
{
	if (!tie->in.channel && !tie->out.channel)
		return;
	if (tie->in.fd >= 0)
		close(tie->in.fd);
	if (tie->out.fd >= 0)
		close(tie->out.fd);
	memset(tie, 0, sizeof(*tie));
}

static void do_tie(void)
{
	const char *const *pair = pairs[dice(sizeof(pairs) / sizeof(*pairs))];
	struct tie *tie = &ties[dice(N_TIES)];

	close_tie(tie);
	tie->in.fd = tie->out.fd = -1;
	open_tie_end(&tie->in, pair[0], O_RDONLY);
	open_tie_end(&tie->out, pair[1], chance(4) ? O_RDWR : O_WRONLY);
	result(ioctl(tie->out.fd, ZIO_IOC_SHARE, &tie->in.fd));
}

/* What does not belong together, most of the time. */
static void do_tie_any(void)
{
	int fd = chance(4) ? any_int() : slot_for(false, -1)->fd;

	if (chance(8))
		result(ioctl(slot_for(true, -1)->fd, ZIO_IOC_SHARE,
			     (void *)(long)any_int()));
	else
		result(ioctl(slot_for(true, -1)->fd, ZIO_IOC_SHARE, &fd));
}

static void do_untie(void)
{
	struct tie *tie = &ties[dice(N_TIES)];
	int none = -1;

	if (!tie->in.channel && !tie->out.channel)
		return;
	if (chance(3)) {
		result(ioctl(tie->out.fd, ZIO_IOC_SHARE, &none));
		return;
	}
	close_tie(tie);
}

static void read_tied(struct tie *tie)
{
	tie->has_ctrl = result(read(tie->in.fd, &tie->ctrl, sizeof(tie->ctrl))) ==
		sizeof(tie->ctrl);
	if (tie->has_ctrl)
		check_control(&tie->ctrl, &tie->in);
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

static void submit(struct tie *tie)
{
	struct zio_control ctrl = tie->ctrl;

	ctrl.flags |= ZIO_CONTROL_SHARED | (chance(2) ? ZIO_CONTROL_KEEP : 0) |
		(chance(4) ? ZIO_CONTROL_SHARE_ONLY : 0);
	if (chance(5))
		spoil_submission(&ctrl);
	result(write(tie->out.fd, &ctrl, sizeof(ctrl)));
}

static void do_submit(void)
{
	struct tie *tie = &ties[dice(N_TIES)];
	unsigned int n = 1 + dice(8);

	if (!tie->in.channel && !tie->out.channel)
		return;
	while (n--) {
		if (!tie->has_ctrl || !chance(3))
			read_tied(tie);
		if (tie->has_ctrl)
			submit(tie);
	}
}

/* Controls of the inputs without samples come from orders. */
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
	{ "tie", do_tie, 20, 5, MEMBER },
	{ "tie-any", do_tie_any, 5, 0, MEMBER },
	{ "untie", do_untie, 5, 1, MEMBER },
	{ "submit", do_submit, 40, 5, MEMBER },
	{ "order", do_order, 12, 2, MEMBER },
	{}
};
