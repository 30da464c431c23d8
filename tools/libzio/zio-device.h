/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Devices whose driver is a program. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_DEVICE_H
#define LIBZIO_ZIO_DEVICE_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif
#include <linux/zio-uzio.h>

/*
 * A device that this program drives, through the kernel module zio-uzio. One thread at a
 * time may use it, except for zio_user_interrupt(). Documentation/uzio.md has an example.
 */
struct zio_user;

/**
 * struct zio_user_device - description of a device
 * @name: 1 ... 11 characters of [a-z0-9_-]
 * @id: number of the device; -1: the lowest free one
 * @sets: its channel sets; see struct uzio_set
 * @n_sets: number of sets
 * @timeout_ms: how long the program may stall before the device is unplugged, and a user
 *              waits for an attribute; 0: 5000 ms
 * @attrs: its attributes; see struct uzio_attr
 * @n_attrs: number of attributes
 */
struct zio_user_device {
	const char *name;
	int id;
	const struct uzio_set *sets;
	unsigned int n_sets;
	unsigned int timeout_ms;
	const struct uzio_attr *attrs;
	unsigned int n_attrs;
};

/**
 * struct zio_user_request - what the kernel wants, and the answer
 * @type: UZIO_ARM: an event has armed a set; UZIO_BLOCKS: a channel of a stream has more
 *        blocks; or UZIO_SET: a user has written an attribute: there are no blocks then
 * @set: position of the set in the description; UZIO_DEVICE for an attribute of the device
 * @chan: channel of a stream, or of an attribute that each channel has; else 0
 * @is_aborted: the kernel has taken the blocks back. Stop writing samples, and answer; the
 *              kernel drops the samples. Of a stream, the answer is for all channels of the set
 * @n_blocks: number of blocks without an answer, the oldest first
 * @arm: time of the event, numbers of samples and shots, and channels of an interleaved block,
 *       see struct uzio_arm; of a stream: what it began with
 * @blocks: where the blocks are, and of which shot; zio_user_data() returns their memory
 * @filled: the answer for each block, initially a full block with the time of the event.
 *          @len is in bytes. Of an output, @time tells when to play the block, or is zero
 * @lost: events, or blocks of a stream, that the device has lost in front of these blocks;
 *        initially 0. Of an output stream: how many of these blocks it could not play. An
 *        armed output has none: answer with zio_user_fail()
 * @attr: position of the attribute in the description
 * @value: what the user has written. The attribute gets the value that it has in the answer
 *
 * The structure is valid until its answer; of a stream, until all its blocks have one.
 */
struct zio_user_request {
	unsigned int type;
	unsigned int set;
	unsigned int chan;
	bool is_aborted;
	unsigned int n_blocks;
	const struct uzio_arm *arm;
	const struct uzio_block *blocks;
	struct uzio_filled *filled;
	uint32_t lost;
	unsigned int attr;
	int64_t value;
};

/**
 * zio_user_set_rate() - put a sample rate into the description of a set
 * @set: the set
 * @rate: samples per second, the nearest fraction of 32-bit numbers
 *
 * Context: Any thread. Does not wait.
 * Return: 0; -1 with errno: ERANGE the rate is not between 2.4e-10 and 4.2e9; EINVAL @set
 * is NULL.
 */
int zio_user_set_rate(struct uzio_set *set, double rate);

/**
 * zio_user_set_scale() - put unit, scale and offset into the description of a set
 * @set: the set; UZIO_SCALING_SIGNED and UZIO_SCALING_WRITABLE keep their values
 * @unit: unit of the values
 * @scale: value of one step, not 0
 * @offset: value of 0, in the unit
 *
 * Numbers are rounded to 15 decimal digits.
 *
 * Context: Any thread. Does not wait.
 * Return: 0; -1 with errno: ERANGE a number is not finite, @scale is 0, or an exponent is
 * beyond 250; EINVAL @set is NULL.
 */
int zio_user_set_scale(struct uzio_set *set, enum zio_unit unit, double scale, double offset);

/**
 * zio_user_create() - make a device that this program drives
 * @device: its description
 * @err: receives the reason of a failure, which names the field; may be NULL
 *
 * Context: Any thread. May sleep.
 * Return: the device, to be removed with zio_user_close(); or NULL with errno: ENOENT the
 * module zio-uzio is not loaded; EACCES only the group zio-drivers may; EINVAL, ERANGE,
 * ENAMETOOLONG or EOPNOTSUPP a field is wrong; EEXIST the number is taken; ENFILE too many
 * devices; EDQUOT the limit of locked memory is reached; E2BIG the kernel module is too
 * old; ENOMEM; and the errors of open(2) and eventfd(2).
 */
struct zio_user *zio_user_create(const struct zio_user_device *device, struct zio_error *err);

/**
 * zio_user_close() - unplug and remove a device
 * @dev: the device, which is always freed; may be NULL
 *
 * Its requests and the memory of their blocks are no longer valid. Answers that were not
 * delivered are lost: see zio_user_flush().
 *
 * Context: The thread that uses the device. May sleep.
 */
void zio_user_close(struct zio_user *dev);

/**
 * zio_user_name() - return the name of a device, as in sysfs
 * @dev: the device
 *
 * Context: Any thread.
 * Return: such as "myscope-0000", valid until zio_user_close(); NULL if @dev is NULL.
 */
const char *zio_user_name(const struct zio_user *dev);

/**
 * zio_user_next() - deliver the answers, and return the next request
 * @dev: the device
 * @req: receives the request
 * @timeout: milliseconds; 0 does not wait; a negative number waits without limit
 *
 * Several requests may be unanswered: one of each set, or of each channel of a stream, and
 * one of each user who writes an attribute. If the channel gets more blocks, this returns
 * the same request again, with all of them. If the kernel takes the blocks back, it returns
 * the same request with &zio_user_request.is_aborted. This never happens to a program that
 * answers each request before it calls this again.
 *
 * Context: One thread per device. Waits at most @timeout.
 * Return: 1; 0 the timeout expired; -1 with errno: EINTR a signal arrived, but one that comes
 * while answers are delivered may go unnoticed: let its handler call zio_user_interrupt();
 * ECANCELED zio_user_interrupt() was called; ENODEV the device has been unplugged; EINVAL a pointer
 * is NULL.
 */
int zio_user_next(struct zio_user *dev, struct zio_user_request **req, int timeout);

/**
 * zio_user_data() - return the memory of a block
 * @dev: the device
 * @req: a request without an answer
 * @i: number of the block
 *
 * Context: One thread per device. Other threads may write the samples until the answer.
 * Return: the memory for &uzio_block.len bytes, valid until the answer, and read-only for an
 * output; NULL with errno:
 * EINVAL a pointer is NULL, the request is answered, or there is no such block; and the
 * errors of mmap(2).
 */
void *zio_user_data(struct zio_user *dev, struct zio_user_request *req, unsigned int i);

/**
 * zio_user_complete() - answer that the oldest blocks of a stream are full, or were played
 * @dev: the device
 * @req: a request of a stream, which is valid as long as it has blocks
 * @n: number of blocks, 1 ... &zio_user_request.n_blocks
 *
 * Context: As zio_user_done().
 * Return: 0; -1 with errno as zio_user_done(), or EINVAL: @req is of no stream, or has fewer
 * blocks.
 */
int zio_user_complete(struct zio_user *dev, struct zio_user_request *req, unsigned int n);

/**
 * zio_user_done() - answer that the blocks are full, or were played, or the attribute is set
 * @dev: the device
 * @req: the request, which is no longer valid
 *
 * The next zio_user_next() or zio_user_flush() delivers the answer.
 *
 * Context: One thread per device. Does not wait.
 * Return: 0; -1 with EINVAL and the request remains without an answer: it is answered
 * already; the length of a block is not whole samples (of all its channels if it is
 * interleaved), or more than the request asks for; the time of a block has more than a second
 * of nanoseconds; or an armed output has lost blocks. Or the errors of zio_user_flush(), if there are more answers than
 * the kernel takes at once.
 */
int zio_user_done(struct zio_user *dev, struct zio_user_request *req);

/**
 * zio_user_fail() - answer that the program cannot fill or play the blocks of a request
 * @dev: the device
 * @req: the request, which is no longer valid
 * @error: the errno for the reader, 1 ... 511; see struct uzio_fail
 *
 * It ends a stream, with all its channels.
 *
 * Context: As zio_user_done().
 * Return: 0; -1 with EINVAL: the request is answered already, or @error is no errno.
 */
int zio_user_fail(struct zio_user *dev, struct zio_user_request *req, int error);

/**
 * zio_user_flush() - deliver the answers now
 * @dev: the device
 *
 * Needed only in front of poll(2) on zio_user_fd(), and at the end.
 *
 * Context: One thread per device. Does not wait.
 * Return: 0; -1 with errno as zio_user_next().
 */
int zio_user_flush(struct zio_user *dev);

/**
 * zio_user_fd() - return the descriptor to poll
 * @dev: the device
 *
 * Call zio_user_next() with a timeout of 0 until it returns 0, and poll only then.
 *
 * Context: Any thread. Does not wait.
 * Return: the descriptor, which belongs to the library, with POLLIN for a request; -1 with
 * EINVAL if @dev is NULL.
 */
int zio_user_fd(const struct zio_user *dev);

/**
 * zio_user_interrupt() - end the current zio_user_next() and all later ones
 * @dev: the device
 *
 * Until zio_user_resume(), they deliver the answers and fail with ECANCELED. A wait ends
 * within 10 ms.
 *
 * Context: Any, including a signal handler or another thread, while @dev exists. errno is
 * unchanged.
 */
void zio_user_interrupt(struct zio_user *dev);

/**
 * zio_user_resume() - let zio_user_next() return requests again
 * @dev: the device
 *
 * Context: As zio_user_interrupt().
 */
void zio_user_resume(struct zio_user *dev);

/**
 * zio_user_late() - count the answers that came too late
 * @dev: the device
 *
 * Context: One thread per device.
 * Return: how many zio_user_done() the kernel has dropped because it had taken the blocks
 * back.
 */
uint64_t zio_user_late(const struct zio_user *dev);

/**
 * zio_user_reason() - describe why the last call on a device failed
 * @dev: the device
 *
 * Context: One thread per device. Does not wait; errno is unchanged.
 * Return: the text, valid until the next call.
 */
const char *zio_user_reason(struct zio_user *dev);

#endif /* LIBZIO_ZIO_DEVICE_H */
