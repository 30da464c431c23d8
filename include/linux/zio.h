/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio.h: the interface for drivers of boards
 *
 * A driver describes its board with const descriptors and implements raw_io(). The
 * core does locking, buffering, char devices and sysfs. drivers/zio-mini.c is the
 * smallest driver; Documentation/driver-guide.md explains how to write one.
 */
#ifndef _LINUX_ZIO_H
#define _LINUX_ZIO_H

#include <linux/device.h>
#include <linux/types.h>
#include <linux/zio-attr.h>
#include <linux/zio-block.h>
#include <linux/zio-user.h>

struct timespec64;
struct zio_buffer;
struct zio_channel_core;
struct zio_cset_core;
struct zio_device;
struct zio_trigger;

/* raw_io() returns it while a transfer is under way. No errno and no byte count equals it. */
#define ZIO_PENDING	0x40000000

/**
 * struct zio_timing - when the samples of a set are taken
 * @rate_num: each channel takes @rate_num / @rate_den samples per second; 0: they are not
 *            equidistant, or the driver does not know the rate
 * @rate_den: see @rate_num; 0 if @rate_num is 0
 * @error_ns: largest error of the time stamp of a block; 0: unknown
 * @first_ps: picoseconds from the time stamp to the sample of the event, which is the one
 *            behind the pre-samples
 */
struct zio_timing {
	u32 rate_num;
	u32 rate_den;
	u32 error_ns;
	s64 first_ps;
};

/**
 * struct zio_cset_ops - the operations of a driver for a channel set
 * @init: optional; process context, may sleep. The core calls it first at
 *        registration. An error fails the registration.
 * @exit: optional; process context, may sleep. Undoes @init. The core calls no other
 *        operation after it.
 * @raw_io: mandatory. Moves the blocks that zio_for_each_block() visits between memory
 *        and hardware. Returns 0 when all blocks are done. Returns ZIO_PENDING when the
 *        transfer is under way: the driver then calls zio_cset_done() from any context,
 *        even before raw_io() returns. Any other value gives the blocks back untouched;
 *        a waiting reader gets the error, -EIO for -EAGAIN. Any context, hard interrupt
 *        included; it must not sleep. For a set with ZIO_CSET_SLEEPS: process context,
 *        may sleep. Under PREEMPT_RT hard interrupt context is for sets with
 *        ZIO_CSET_HARDIRQ only: their raw_io() takes no spinlock_t, wakes no task, and
 *        frees no memory. Calls for one set never overlap, and there is always at least
 *        one block.
 * @stop_io: mandatory if @raw_io ever returns ZIO_PENDING. Process context, may sleep.
 *        Once it has returned, the driver neither touches the blocks nor calls
 *        zio_cset_done() for them.
 * @refill: optional, for ZIO_CSET_STREAM. zio_channel_take() has found no block of @chan,
 *        and there may be one now. See zio-stream.h.
 * @arm_event: optional, for ZIO_CSET_STREAM. Passes an event of the set's trigger to the
 *        board. See zio-stream.h.
 * @check_shape: optional; process context, may sleep; one call at a time per set. Returns 0
 *        if the board supports @shape. Otherwise the user who wrote one of its numbers gets
 *        the error, and the old shape stays in force. The core also tries shapes of its own
 *        to find the largest number for the file "accepted", so a driver that accepts a
 *        number must accept every smaller one. It may run concurrently with @raw_io.
 * @attr_set: mandatory if an attribute can be set. Process context, may sleep; one call
 *        at a time per set. Puts @value into the hardware. On error the old value stays
 *        in force. @chan is NULL for an attribute of the set, or of the board's trigger.
 * @attr_request: optional, in place of @attr_set, for a board that may take seconds, such as a
 *                program. Process context, may sleep, ends when the process is killed; without
 *                a lock, several calls at a time, until @exit. Returns 0 after
 *                zio_cset_attr_changed(). Serves no attributes of the board's trigger.
 * @attr_get: optional; context as for @attr_set. Reads the value from the hardware.
 *        Sets without it show the last value that was set.
 * @get_timing: optional; process context, may sleep; one call at a time per set. Fills in
 *        @timing for blocks of the present shape. On entry only the rate that a user has set
 *        is there; the rest is zero. The core calls it whenever the shape or an attribute
 *        has changed, and after zio_cset_timing_changed().
 * @set_rate: optional; context as for @attr_set. Sets the rate of each channel to
 *        @num / @den samples per second, or the nearest one that the board has: @get_timing
 *        reports the true rate. Returns -ERANGE for a rate that is out of reach. With this
 *        operation the file "sample-rate" is writable.
 * @resumed: optional; process context, may sleep; one call at a time per set. The core calls
 *        it after a suspend, when the parent of the device has resumed. It has already noted
 *        the alarm, so only a driver whose samples would otherwise be wrong needs this
 *        operation. Returns true if the hardware may have lost the blocks: the core then
 *        calls @stop_io and arms the set again. User programs are frozen meanwhile. @raw_io
 *        may run concurrently, @stop_io does not. The set may be idle, and the suspend may
 *        have failed.
 *
 * @attr_set and @attr_get may run concurrently with @raw_io: the driver protects what they
 * share.
 */
struct zio_cset_ops {
	int (*init)(struct zio_cset *cset);
	void (*exit)(struct zio_cset *cset);
	int (*raw_io)(struct zio_cset *cset);
	void (*stop_io)(struct zio_cset *cset);
	void (*refill)(struct zio_cset *cset, struct zio_channel *chan);
	int (*arm_event)(struct zio_cset *cset, const struct timespec64 *at);
	int (*check_shape)(struct zio_cset *cset, const struct zio_shape *shape);
	int (*attr_set)(struct zio_cset *cset, struct zio_channel *chan,
			const struct zio_attr_desc *attr, u32 value);
	int (*attr_request)(struct zio_cset *cset, struct zio_channel *chan,
			    const struct zio_attr_desc *attr, u32 value);
	int (*attr_get)(struct zio_cset *cset, struct zio_channel *chan,
			const struct zio_attr_desc *attr, u32 *value);
	void (*get_timing)(const struct zio_cset *cset, struct zio_timing *timing);
	int (*set_rate)(struct zio_cset *cset, u32 num, u32 den);
	bool (*resumed)(struct zio_cset *cset);
};

#define ZIO_CSET_OUTPUT		BIT(0)	/* samples go to the hardware */
#define ZIO_CSET_SLEEPS		BIT(1)	/* raw_io() may sleep (SPI, I2C, ...) */
#define ZIO_CSET_MSB_ALIGN	BIT(2)	/* the valid bits are left-aligned */
#define ZIO_CSET_PRE_SAMPLES	BIT(3)	/* can record samples before the event */
#define ZIO_CSET_SHOTS		BIT(4)	/* inputs: one arming gives several blocks */
#define ZIO_CSET_INTERLEAVED	BIT(5)	/* one block carries all channels */
#define ZIO_CSET_HARDIRQ	BIT(7)	/* raw_io() takes no lock that sleeps on RT */
#define ZIO_CSET_STREAM		BIT(8)	/* many blocks in flight, see zio-stream.h */
#define ZIO_CSET_CYCLIC		BIT(9)	/* output streams: the board repeats its last block */
#define ZIO_CSET_DMA		BIT(10)	/* the board reads or writes the blocks itself */
#define ZIO_CSET_DISABLED	BIT(11)	/* starts disabled */
#define ZIO_CSET_CHANS_DISABLED	BIT(12)	/* all channels start disabled */
#define ZIO_CSET_ONE_PIECE	BIT(13)	/* with DMA, no shots: a block is one segment */
#define ZIO_CSET_USER_RATE	BIT(14)	/* users set the rate: "sample-rate" is writable */
#define ZIO_CSET_MAPPED		BIT(15)	/* blocks lie in an area: see zio-program.h */

/**
 * struct zio_cset_desc - a channel set: channels acquired together
 * @name: optional, shown in sysfs. If it is a valid file name, it is also a link to csetN
 * @flags: ZIO_CSET_*
 * @n_chan: number of channels, 1 ... 65535; 1 ... 64 if interleaved
 * @ssize: bytes per sample; 0 for sets that only tell the time
 * @nbits: valid bits per sample; 0: all
 * @nsamples: initial number of samples per block; 0: 16
 * @trailer: inputs: extra bytes, at most 65535, at block->data + block->size. The board may
 *           write there, behind the samples, for the driver to read
 * @align: outputs: required alignment of the samples in bytes, a power of two; 0: none
 * @dma_bits: outputs: the board reads memory itself, and its addresses have this many bits;
 *            0: it reaches all memory
 * @dma_dev: with ZIO_CSET_DMA: the device that reads or writes the blocks, with its DMA mask
 *           and segment limits set; NULL: the parent. See zio-dma.h
 * @buffer: initial buffer type; NULL: kmalloc
 * @trigger: initial trigger type; NULL: @board_trigger if there is one, otherwise
 *           transparent for a set with ZIO_CSET_STREAM and user for all others
 * @board_trigger: the board's own trigger, which no other set can use; or NULL
 * @queue_depth: with ZIO_CSET_STREAM: maximum number of blocks in flight per channel; 0: 16
 * @ops: the operations of the driver
 * @cset_attrs: attributes of the set
 * @n_cset_attrs: number of attributes of the set
 * @chan_attrs: attributes of each channel. If interleaved: of each channel of the board,
 *              with no place in the control
 * @n_chan_attrs: number of attributes of each channel
 * @scaling: how samples become physical values; NULL: they are plain numbers
 * @n_scaling: entries of @scaling: 1 for all channels, or @n_chan, one for each. An
 *             interleaved set has 1.
 * @clock_source: name of the board's clock, if it stamps the blocks by itself; NULL: the
 *                time stamps are those of the kernel
 *
 * A block of an output may use the memory of a block of an input, at any address (see
 * Documentation/sharing.md). The core copies samples that violate @align or @dma_bits.
 */
struct zio_cset_desc {
	const char *name;
	unsigned long flags;
	unsigned int n_chan;
	unsigned int ssize;
	unsigned int nbits;
	u32 nsamples;
	unsigned int trailer;
	unsigned int align;
	unsigned int dma_bits;
	struct device *dma_dev;
	const char *buffer;
	const char *trigger;
	const struct zio_board_trigger *board_trigger;
	unsigned int queue_depth;
	const struct zio_cset_ops *ops;
	const struct zio_attr_desc *cset_attrs;
	unsigned int n_cset_attrs;
	const struct zio_attr_desc *chan_attrs;
	unsigned int n_chan_attrs;
	const struct zio_scaling *scaling;
	unsigned int n_scaling;
	const char *clock_source;
};

/**
 * struct zio_device_ops - the operations of a driver for the attributes of a device
 * @attr_set: mandatory if an attribute can be set. Puts @value into the hardware. On error
 *            the old value stays in force.
 * @attr_request: optional, in place of @attr_set: as in struct zio_cset_ops. Returns 0 after
 *                zio_device_attr_changed().
 * @attr_get: optional. Reads the value from the hardware. Without it, the files show the
 *            last value that was set.
 *
 * Process context, may sleep; one call of @attr_set or @attr_get at a time per device. All
 * calls come after the last set has been initialised, and before the first one is shut
 * down. They may run concurrently with the operations of the sets.
 */
struct zio_device_ops {
	int (*attr_set)(struct zio_device *zdev, const struct zio_attr_desc *attr,
			u32 value);
	int (*attr_request)(struct zio_device *zdev, const struct zio_attr_desc *attr,
			    u32 value);
	int (*attr_get)(struct zio_device *zdev, const struct zio_attr_desc *attr,
			u32 *value);
};

/**
 * struct zio_device_desc - a board
 * @name: 1 ... 11 characters of [a-z0-9_-]; begins the names of the nodes. It neither begins
 *        nor ends with '-', and does not end in '-' and four hexadecimal digits
 * @owner: THIS_MODULE; the core holds it while a node is open
 * @cset: channel sets
 * @n_cset: number of channel sets
 * @ops: the operations for @attrs
 * @attrs: attributes of the device, files in its directory. Those with a place also appear in
 *         the controls of all its channels
 * @n_attrs: number of @attrs
 *
 * Descriptors stay valid and unchanged until unregistration.
 */
struct zio_device_desc {
	const char *name;
	struct module *owner;
	const struct zio_cset_desc *cset;
	unsigned int n_cset;
	const struct zio_device_ops *ops;
	const struct zio_attr_desc *attrs;
	unsigned int n_attrs;
};

#define ZIO_ID_AUTO	(-1)	/* the lowest free number */

struct zio_device *zio_device_register(struct device *parent,
				       const struct zio_device_desc *desc,
				       int id, void *priv);
void zio_device_unregister(struct zio_device *zdev);
struct zio_device *devm_zio_device_register(struct device *parent,
					    const struct zio_device_desc *desc,
					    int id, void *priv);
struct device *zio_device_dev(struct zio_device *zdev);
void *zio_device_priv(const struct zio_device *zdev);
int zio_device_id(const struct zio_device *zdev);
bool zio_device_name_is_valid(const char *name);
struct zio_device *zio_cset_device(const struct zio_cset *cset);

bool zio_cset_done(struct zio_cset *cset);
bool zio_cset_fail(struct zio_cset *cset, int error);
void zio_cset_give_back(struct zio_cset *cset, unsigned int n);
void zio_cset_lost(struct zio_cset *cset, u32 n);
void zio_channel_alarm(struct zio_channel *chan, u8 drv_alarms);
void zio_timing_set_rate(struct zio_timing *timing, u64 num, u64 den);
u32 zio_rate_to_ns(u32 samples, u32 num, u32 den);
void zio_cset_timing_changed(struct zio_cset *cset);
int zio_cset_attr_changed(struct zio_cset *cset, unsigned int index,
			  const struct zio_attr_desc *attr, u32 value);
int zio_device_attr_changed(struct zio_device *zdev, const struct zio_attr_desc *attr, u32 value);
void zio_cset_set_scaling(struct zio_cset *cset, unsigned int index,
			  const struct zio_scaling *scaling);
int zio_cset_scaling_changed(struct zio_cset *cset, unsigned int index,
			     const struct zio_scaling *scaling);

unsigned int zio_cset_ssize(const struct zio_cset *cset);
unsigned int zio_cset_n_enabled(const struct zio_cset *cset);
bool zio_cset_is_rearmed(const struct zio_cset *cset);
bool zio_cset_uses_board_trigger(const struct zio_cset *cset);
void zio_cset_stamp(const struct zio_cset *cset, struct zio_block *block);
void zio_cset_stamp_end(const struct zio_cset *cset, struct zio_block *block);
void zio_cset_stamp_at(const struct zio_cset *cset, struct zio_block *block, u64 at);
clockid_t zio_block_clock(const struct zio_block *block);
clockid_t zio_cset_clock(const struct zio_cset *cset);

#endif /* _LINUX_ZIO_H */
