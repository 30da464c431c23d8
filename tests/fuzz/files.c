// SPDX-License-Identifier: GPL-2.0-only
/* files.c: operations on an open file */
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "fuzz.h"

/* Flags with which the node of a channel is usually opened. */
static int usual_flags(int channel, bool is_data)
{
	int flags = O_CLOEXEC | (chance(4) ? 0 : O_NONBLOCK);

	if (channels[channel].is_output)
		return flags | (chance(3) ? O_RDWR : O_WRONLY);
	if (!is_data && !channels[channel].is_single && chance(4))
		return flags | O_RDWR;
	return flags | O_RDONLY;
}

static int any_flags(void)
{
	static const int odd[] = {
		O_DIRECT, O_APPEND, O_TRUNC, O_ASYNC, O_PATH, O_EXCL, O_CREAT,
		O_SYNC, O_DIRECTORY, O_NOFOLLOW, O_NOATIME,
	};

	return dice(4) | O_CLOEXEC | odd[dice(sizeof(odd) / sizeof(*odd))] |
		(chance(2) ? O_NONBLOCK : 0);
}

static void do_open(void)
{
	int channel = any_channel(chance(3)), fd;
	bool is_data = chance(2);

	fd = result(open_channel(channel, is_data, chance(16) ? any_flags() :
				 usual_flags(channel, is_data)));
	keep_fd(fd, channel, is_data);
}

/* Both nodes of a channel are one reader, or writer. */
static void do_open_pair(void)
{
	int channel = any_channel(chance(3)), is_data;

	for (is_data = 0; is_data < 2; is_data++)
		keep_fd(result(open_channel(channel, is_data,
					    usual_flags(channel, is_data))),
			channel, is_data);
}

static void do_close(void)
{
	struct slot *slot = any_slot();

	if (slot->fd < 0)
		return;
	result(close(slot->fd));
	slot->fd = -1;
}

static void do_read(void)
{
	struct slot *slot = slot_for(false, -1);
	size_t len;
	void *buf = any_buffer(&len);

	check_read(slot, buf, result(read(slot->fd, buf, len)));
}

static void do_readv(void)
{
	struct slot *slot = slot_for(false, -1);
	struct iovec v[4];
	int n = any_iovec(v, 4);

	result(readv(slot->fd, v, n));
}

static void do_preadv2(void)
{
	static const int flags[] = { 0, RWF_NOWAIT, RWF_NOWAIT, RWF_HIPRI, RWF_DSYNC, -1 };
	struct slot *slot = slot_for(false, -1);
	struct iovec v[4];
	int n = any_iovec(v, 4);

	result(preadv2(slot->fd, v, n, chance(8) ? any_int() : -1,
		       flags[dice(6)]));
}

static void do_pread(void)
{
	struct slot *slot = slot_for(chance(4), -1);
	size_t len;
	void *buf = any_buffer(&len);

	if (chance(4))
		result(pwrite(slot->fd, buf, len, any_int()));
	else
		result(pread(slot->fd, buf, len, chance(2) ? 0 : any_int()));
}

static void do_write(void)
{
	struct slot *slot = slot_for(true, 1);
	size_t len;
	void *buf = any_buffer(&len);

	result(write(slot->fd, buf, len));
}

static void do_writev(void)
{
	struct slot *slot = slot_for(true, -1);
	struct iovec v[4];
	int n = any_iovec(v, 4);

	if (chance(2))
		result(writev(slot->fd, v, n));
	else
		result(pwritev2(slot->fd, v, n, -1, chance(2) ? RWF_NOWAIT : 0));
}

static void do_write_control(void)
{
	struct slot *slot = slot_for(true, 0);
	struct zio_control ctrl = any_control(slot);

	result(write(slot->fd, &ctrl, sizeof(ctrl)));
}

/* Write blocks: a control, and as many samples as it names. */
static void do_write_block(void)
{
	int channel = any_channel(true), n = 1 + dice(6);
	int flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK;
	struct slot ctrl = { open_channel(channel, false, flags), channel, false };
	struct slot data = { open_channel(channel, true, flags), channel, true };
	struct zio_control control;
	size_t len;

	while (n-- && ctrl.fd >= 0) {
		control = any_control(&ctrl);
		len = (size_t)control.nsamples * control.ssize;
		if (result(write(ctrl.fd, &control, sizeof(control))) > 0 && len)
			result(write(data.fd, arena, len < ARENA ? len : ARENA));
	}
	keep_fd(ctrl.fd, channel, false);
	keep_fd(data.fd, channel, true);
}

/* Read blocks: a control, and then its samples. */
static void do_read_block(void)
{
	int channel = any_channel(false), n = 1 + dice(8);
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	struct slot ctrl = { open_channel(channel, false, flags), channel, false };
	struct slot data = { open_channel(channel, true, flags), channel, true };

	while (n-- && ctrl.fd >= 0) {
		check_read(&ctrl, arena, result(read(ctrl.fd, arena, 512)));
		result(read(data.fd, arena, 1 + dice(ARENA)));
	}
	keep_fd(ctrl.fd, channel, false);
	keep_fd(data.fd, channel, true);
}

static void do_poll(void)
{
	struct pollfd p[8];
	int n = 1 + dice(8), i;

	for (i = 0; i < n; i++) {
		p[i].fd = chance(4) ? any_slot()->fd :
			slot_for(chance(4), -1)->fd;
		p[i].events = chance(4) ? any_int() : POLLIN | POLLOUT;
	}
	result(poll(p, n, dice(3) ? 0 : dice(20)));
}

static void do_epoll(void)
{
	static const uint32_t more[] = { 0, EPOLLET, EPOLLONESHOT, EPOLLEXCLUSIVE };
	struct epoll_event event = { 0 }, events[8];
	int set = epoll_create1(EPOLL_CLOEXEC), n = 1 + dice(6);
	struct slot *slot = any_slot();

	while (n--) {
		slot = slot_for(chance(4), -1);
		event.events = EPOLLIN | EPOLLOUT | more[dice(4)];
		result(epoll_ctl(set, EPOLL_CTL_ADD, slot->fd, &event));
	}
	result(epoll_wait(set, events, 8, dice(10)));
	/* Close the file while it is in the set. */
	if (chance(4) && slot->fd >= 0) {
		close(slot->fd);
		slot->fd = -1;
		result(epoll_wait(set, events, 8, 0));
	}
	close(set);
}

static void do_ioctl(void)
{
	static const unsigned long codes[] = {
		FIONREAD, FIONBIO, FIOASYNC, FIOQSIZE, 0, 0x5a40, 0xdeadbeef, ZIO_IOC_TAP,
		ZIO_IOC_FLUSH,
		_IO('Z', 0x40), _IOW('Z', 0x41, int), _IOR('Z', 0x40, int),
	};
	int value = chance(2) ? (int)dice(2) : any_int();
	size_t len;
	void *arg = chance(2) ? &value : any_buffer(&len);
	unsigned long code = codes[dice(sizeof(codes) / sizeof(*codes))];
	struct slot *slot = any_slot();
	int ret;

	if (chance(8))
		code = draw();
	ret = ioctl(slot->fd, code, arg);
	result(ret);
	if (code == ZIO_IOC_TAP && ret >= 0) {
		close(slot->fd);
		slot->fd = ret;
	}
}

static void do_fcntl(void)
{
	static const int commands[] = {
		F_SETFL, F_SETFL, F_SETFL, F_GETFL, F_SETOWN, F_SETSIG, F_GETLK,
		F_SETPIPE_SZ, F_ADD_SEALS, F_SET_RW_HINT,
	};
	int command = commands[dice(sizeof(commands) / sizeof(*commands))];
	long arg = any_int();

	if (command == F_SETFL)
		arg = (chance(4) ? 0 : O_NONBLOCK) |
			(chance(8) ? O_ASYNC : 0) | (chance(16) ? O_DIRECT : 0);
	if (command == F_SETOWN)
		arg = getpid();
	if (command == F_SETSIG)
		arg = SIGALRM;
	result(fcntl(any_slot()->fd, command, arg));
}

/* Calls that streams refuse, most of them. */
static void do_odd(void)
{
	int fd = any_slot()->fd;
	struct stat st;

	switch (dice(8)) {
	case 0:
		result(fsync(fd));
		break;
	case 1:
		result(lseek(fd, any_int(), dice(6)));
		break;
	case 2:
		result(ftruncate(fd, any_int()));
		break;
	case 3:
		result(fallocate(fd, dice(4), any_int(), any_int()));
		break;
	case 4:
		result(flock(fd, LOCK_NB | (chance(2) ? LOCK_EX : LOCK_UN)));
		break;
	case 5:
		errno = posix_fadvise(fd, 0, 0, dice(6));
		result(errno ? -1 : 0);
		break;
	case 6:
		result(readahead(fd, 0, 4096));
		break;
	default:
		result(fstat(fd, &st));
	}
}

static void do_dup(void)
{
	struct slot *slot = any_slot(), *over = any_slot();

	if (chance(2) && slot->fd >= 0 && over->fd >= 0 && over != slot) {
		result(dup3(slot->fd, over->fd, O_CLOEXEC));
		over->channel = slot->channel;
		over->is_data = slot->is_data;
		return;
	}
	keep_fd(result(fcntl(slot->fd, F_DUPFD_CLOEXEC, 0)), slot->channel,
		slot->is_data);
}

/* Open the same node again, by /proc. */
static void do_reopen(void)
{
	struct slot *slot = slot_for(chance(4), -1);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", slot->fd);
	keep_fd(result(open(path, dice(3) | O_NONBLOCK | O_CLOEXEC)),
		slot->channel, slot->is_data);
}

const struct op file_ops[] = {
	{ "open", do_open, 40, 5, MEMBER },
	{ "open-pair", do_open_pair, 20, 5, MEMBER },
	{ "close", do_close, 30, 5, MEMBER },
	{ "read", do_read, 50, 5, MEMBER },
	{ "readv", do_readv, 20, 5, MEMBER },
	{ "preadv2", do_preadv2, 15, 2, MEMBER },
	{ "pread-pwrite", do_pread, 4, 0, MEMBER },
	{ "write", do_write, 30, 5, MEMBER },
	{ "writev", do_writev, 15, 2, MEMBER },
	{ "write-control", do_write_control, 20, 2, MEMBER },
	{ "write-block", do_write_block, 15, 5, MEMBER },
	{ "read-block", do_read_block, 25, 5, MEMBER },
	{ "poll", do_poll, 20, 5, MEMBER },
	{ "epoll", do_epoll, 10, 5, MEMBER },
	{ "ioctl", do_ioctl, 6, 1, MEMBER },
	{ "fcntl", do_fcntl, 12, 5, MEMBER },
	{ "odd", do_odd, 8, 2, MEMBER },
	{ "dup", do_dup, 8, 3, MEMBER },
	{ "reopen", do_reopen, 6, 1, MEMBER },
	{}
};
