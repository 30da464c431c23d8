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

/* What raw_io() returns for a transfer that is under way: no error, and no count of a bus. */
#define ZIO_PENDING	0x40000000

/**
 * struct zio_timing - when the samples of a set are taken
 * @rate_num: samples of one channel per second are @rate_num / @rate_den; 0: they are not
 *            equidistant, or the driver does not know the rate
 * @rate_den: see @rate_num; 0 if that is 0
 * @error_ns: the time stamp of a block is wrong by so much at most; 0: not known
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
 *        frees no memory. The core calls it once at a time per set, and always with at
 *        least one block.
 * @stop_io: mandatory if @raw_io ever returns ZIO_PENDING. Process context, may sleep.
 *        After it returns, the driver does not touch the blocks, and does not call
 *        zio_cset_done() for them.
 * @refill: optional, for ZIO_CSET_STREAM. zio_channel_take() has found no block of @chan,
 *        and there may be one now. See zio-stream.h.
 * @arm_event: optional, for ZIO_CSET_STREAM. Passes an event of the set's trigger to the
 *        board. See zio-stream.h.
 * @check_shape: optional; process context, may sleep; one call at a time per set. Returns 0 if
 *        the board can take @shape, or an error for the user who wrote one of its numbers:
 *        the old ones stay in force. The core also calls it for a shape that no user has
 *        written, to find the largest number for the file "accepted": a driver that accepts
 *        a number accepts smaller ones. It runs beside @raw_io.
 * @attr_set: mandatory if an attribute can be set. Process context, may sleep; one call
 *        at a time per set. Puts @value into the hardware. On error the old value stays
 *        in force. @chan is NULL for an attribute of the set, or of the board's trigger.
 * @attr_get: optional; context as for @attr_set. Reads the value from the hardware.
 *        Sets without it show the last value that was set.
 * @get_timing: optional. Fills in @timing, for blocks of the present shape. It is zero, but has
 *              the rate that a user has told.
 *        Process context, may sleep, one call at a time per set. The core calls it whenever
 *        the shape or an attribute has changed, and after zio_cset_timing_changed().
 * @set_rate: optional; context as for @attr_set. Lets the board take @num / @den samples of
 *        one channel per second, or nearly so: @get_timing tells the true rate. Returns
 *        -ERANGE if the board cannot. The file "sample-rate" is writable then.
 * @resumed: optional. The machine was suspended, and the parent of the device is resumed.
 *        The core has noted the alarm: the operation is for a driver whose samples would be
 *        wrong otherwise. Returns true if the hardware may have forgotten the blocks. The
 *        core then calls @stop_io, and arms the set again. Process context, may sleep, one
 *        call at a time per set. Programs are frozen, and no @stop_io runs beside it, but
 *        @raw_io may. The set need not be armed, and the suspend may have failed.
 *
 * @attr_set and @attr_get run beside @raw_io: the driver protects the data that they
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
	int (*attr_get)(struct zio_cset *cset, struct zio_channel *chan,
			const struct zio_attr_desc *attr, u32 *value);
	void (*get_timing)(const struct zio_cset *cset, struct zio_timing *timing);
	int (*set_rate)(struct zio_cset *cset, u32 num, u32 den);
	bool (*resumed)(struct zio_cset *cset);
};

#define ZIO_CSET_OUTPUT		BIT(0)	/* samples go to the hardware */
#define ZIO_CSET_SLEEPS		BIT(1)	/* raw_io() may sleep (SPI, I2C, ...) */
#define ZIO_CSET_MSB_ALIGN	BIT(2)	/* valid bits are the upper ones */
#define ZIO_CSET_PRE_SAMPLES	BIT(3)	/* can keep samples before the event */
#define ZIO_CSET_SHOTS		BIT(4)	/* inputs: one arming gives several blocks */
#define ZIO_CSET_INTERLEAVED	BIT(5)	/* one block carries all channels */
#define ZIO_CSET_HARDIRQ	BIT(7)	/* raw_io() takes no lock that sleeps under RT */
#define ZIO_CSET_STREAM		BIT(8)	/* many blocks in flight, see zio-stream.h */
#define ZIO_CSET_CYCLIC		BIT(9)	/* output streams: the board repeats its last block */
#define ZIO_CSET_DMA		BIT(10)	/* the board reads or writes the blocks itself */
#define ZIO_CSET_DISABLED	BIT(11)	/* disabled at first */
#define ZIO_CSET_CHANS_DISABLED	BIT(12)	/* each channel is disabled at first */
#define ZIO_CSET_ONE_PIECE	BIT(13)	/* with DMA, no shots: one segment has all of a block */
#define ZIO_CSET_USER_RATE	BIT(14)	/* users tell the rate: "sample-rate" is writable */

/**
 * struct zio_cset_desc - a channel set: channels acquired together
 * @name: optional, shown in sysfs; if it is a file name, the device has a link of it to csetN
 * @flags: ZIO_CSET_*
 * @n_chan: number of channels, 1 ... 65535; 1 ... 64 if interleaved
 * @ssize: bytes per sample; 0 for sets that only tell the time
 * @nbits: valid bits per sample; 0 stands for all
 * @nsamples: samples per block at the start; 0 stands for 16
 * @trailer: inputs: bytes of memory at block->data + block->size, at most 65535. The board may
 *           write them behind the samples, for the driver to read
 * @align: outputs: samples must begin at a multiple of this number of bytes, a power
 *         of two; 0 stands for any address
 * @dma_bits: outputs: the board reads memory itself, with addresses of this number of
 *            bits; 0 stands for all memory
 * @dma_dev: with ZIO_CSET_DMA: the device that reads or writes the blocks; NULL stands for
 *           the parent. Its DMA mask and segment limits are set. See zio-dma.h
 * @buffer: buffer type at the start; NULL stands for kmalloc
 * @trigger: trigger type at the start; NULL stands for @board_trigger, or for user, or for
 *           transparent if the set has ZIO_CSET_STREAM
 * @board_trigger: the trigger of the board itself, which no other set can use; or NULL
 * @queue_depth: with ZIO_CSET_STREAM: most blocks in flight per channel; 0 stands for 16
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
 * An output's block may have the memory of an input's block, at any address (see
 * Documentation/sharing.md). The core copies samples that @align or @dma_bits forbid.
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
 * @attr_get: optional. Reads the value from the hardware. If it is missing, the files show
 *            the last value that was set.
 *
 * Process context, may sleep; one call at a time per device, and no call before all sets
 * have been initialised, or after the first of them has been shut down. They run beside
 * the operations of the sets.
 */
struct zio_device_ops {
	int (*attr_set)(struct zio_device *zdev, const struct zio_attr_desc *attr,
			u32 value);
	int (*attr_get)(struct zio_device *zdev, const struct zio_attr_desc *attr,
			u32 *value);
};

/**
 * struct zio_device_desc - a board
 * @name: 1 ... 11 characters of [a-z0-9_-], starts the names of the nodes. A '-' is neither
 *        the first nor the last one, and the end is no "-" with four digits of [0-9a-f]
 * @owner: THIS_MODULE; the core holds it while a node is open
 * @cset: channel sets
 * @n_cset: number of channel sets
 * @ops: the operations for @attrs
 * @attrs: attributes of the device: files in its directory. Those with a place are in the
 *         controls of all its channels
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
struct zio_device *zio_cset_device(const struct zio_cset *cset);

bool zio_cset_done(struct zio_cset *cset);
bool zio_cset_fail(struct zio_cset *cset, int error);
void zio_cset_give_back(struct zio_cset *cset, unsigned int n);
void zio_cset_lost(struct zio_cset *cset, u32 n);
void zio_channel_alarm(struct zio_channel *chan, u8 drv_alarms);
void zio_timing_set_rate(struct zio_timing *timing, u64 num, u64 den);
u32 zio_rate_to_ns(u32 samples, u32 num, u32 den);
void zio_cset_timing_changed(struct zio_cset *cset);
void zio_cset_set_scaling(struct zio_cset *cset, unsigned int index,
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
