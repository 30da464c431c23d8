/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attributes, timing and scale of devices whose driver is a program. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_DEVICE_ATTR_H
#define LIBZIO_ZIO_DEVICE_ATTR_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

/**
 * zio_user_refuse() - answer that the program does not set an attribute, with a reason
 * @dev: the device
 * @req: a request with the type UZIO_SET, which is no longer valid
 * @error: the errno for the user, 1 ... 511
 * @reason: text of up to 119 bytes, which the file "refusal" of the device shows. A longer
 *          text is cut, and control characters become spaces
 *
 * zio_user_fail() does the same without a reason.
 *
 * Context: As zio_user_done().
 * Return: 0; -1 with errno as zio_user_fail(), or EINVAL: @req has another type.
 */
int zio_user_refuse(struct zio_user *dev, struct zio_user_request *req, int error,
		    const char *reason);

/**
 * zio_user_put() - change the value of an attribute by itself
 * @dev: the device
 * @attr: position of the attribute in the description
 * @chan: channel, if each channel has the attribute; else 0
 * @value: the value
 *
 * The next zio_user_next() or zio_user_flush() tells the kernel, which may refuse it with
 * EINVAL: the description does not allow the value.
 *
 * Context: As zio_user_done().
 * Return: 0; -1 with errno: EINVAL there is no such attribute, or no such channel; and the
 * errors of zio_user_flush(), if there are more answers than the kernel takes at once.
 */
int zio_user_put(struct zio_user *dev, unsigned int attr, unsigned int chan, int64_t value);

/**
 * zio_user_put_block_value() - give a block its own value of an attribute
 * @dev: the device
 * @req: a request with the type UZIO_ARM
 * @i: number of the block
 * @attr: position in the description of an attribute with UZIO_PLACE_BLOCK
 * @value: the value
 *
 * Without this, the block has the initial value of the attribute.
 *
 * Context: As zio_user_done(), and before it.
 * Return: 0; -1 with errno: EINVAL the request is answered already; there is no such block;
 * the set has no such attribute, or is a stream or an output; or @value does not fit in 32
 * bits. And the errors of zio_user_flush(), if there are more answers than the kernel takes at
 * once.
 */
int zio_user_put_block_value(struct zio_user *dev, struct zio_user_request *req, unsigned int i,
			     unsigned int attr, int64_t value);

/**
 * zio_user_put_timing() - change when the samples of a set are taken, from now on
 * @dev: the device
 * @set: position of the set in the description
 * @now: a description with the new rate, first sample and error of the times; see
 *       zio_user_set_rate(). Other fields do not matter
 *
 * If an attribute changes the rate, call this before its zio_user_done() or zio_user_put():
 * both change together. Without an attribute, the kernel asks for it soon, and blocks that are
 * armed later have it.
 *
 * The next zio_user_next() or zio_user_flush() tells the kernel, which may refuse it with
 * EINVAL: a description could not have these numbers.
 *
 * Context: As zio_user_done().
 * Return: 0; -1 with errno: EINVAL a pointer is NULL, or there is no such set; and the errors
 * of zio_user_flush(), if there are more answers than the kernel takes at once.
 */
int zio_user_put_timing(struct zio_user *dev, unsigned int set, const struct uzio_set *now);

/**
 * zio_user_put_scale() - change what the samples of a channel mean, from now on
 * @dev: the device
 * @set: position of the set, which was described with a scaling
 * @chan: the channel; or UZIO_ALL_CHANNELS
 * @now: a description with the new scaling; see zio_user_set_scale(). Other fields do not
 *       matter, and UZIO_SCALING_WRITABLE is not changed
 *
 * If an attribute changes the range, call this before its zio_user_done() or zio_user_put().
 *
 * Context: As zio_user_done(). The kernel may refuse it as in zio_user_put_timing().
 * Return: 0; -1 with errno: EINVAL a pointer is NULL, or there is no such channel; and the
 * errors of zio_user_flush(), if there are more answers than the kernel takes at once.
 */
int zio_user_put_scale(struct zio_user *dev, unsigned int set, unsigned int chan,
		       const struct uzio_set *now);

#endif /* LIBZIO_ZIO_DEVICE_ATTR_H */
