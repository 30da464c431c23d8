/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * iio.h: what the driver's files share
 *
 * Lock order: ziio_devices_lock; state->attach_lock; the locks of the IIO core;
 * state->finish_lock. The IIO core calls enable() and disable() of the buffer with its
 * locks held. The driver holds none of its locks when it calls zio_device_register() or
 * zio_device_unregister().
 *
 * Barriers:
 *
 * - raw_io() sets up the set, then stores set->block (release). This pairs with the
 *   acquire in ziio_store_scan(). Without it, that function could use the position in an
 *   older block.
 *
 * - Scans are stored under RCU, and a context that takes a block back waits for a grace
 *   period. Without it, a late scan could go into a block that the buffer has already given
 *   to someone else.
 *
 * - raw_io() stores set->block, then checks whether the trigger runs and is free. The
 *   trigger, when it starts or becomes free, checks set->block. Each side has a barrier
 *   between the two. Without them, each could miss what the other has stored, and no context
 *   would fire the trigger.
 */
#ifndef _ZIO_IIO_H
#define _ZIO_IIO_H

#include <linux/atomic.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/iio/buffer.h>
#include <linux/iio/buffer_impl.h>
#include <linux/iio/iio.h>
#include <linux/iio/iio-opaque.h>
#include <linux/iio/trigger.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <linux/zio-pace.h>
#include <linux/zio.h>

#include "convert.h"

struct platform_device;

#define ZIIO_NAME_LEN	48
#define ZIIO_MAX_CHANNELS	1024

/* Alarms of the driver */
#define ZIIO_ALARM_MISSED	BIT(0)	/* scans came while no block was free, or too late */
#define ZIIO_ALARM_GAP		BIT(1)	/* IIO stopped and restarted the device */
#define ZIIO_ALARM_FAILED	BIT(2)	/* the device was asked but produced no scan */

enum ziio_mode { ZIIO_INTERLEAVED, ZIIO_SEPARATE, ZIIO_READ /* interleaved, too */ };

/**
 * struct ziio_channel - a channel of the IIO device, or one of its elements
 * @spec: its description by the device's driver
 * @field: its place in the scan
 * @realbits: valid bits
 * @scaling: how its samples become physical values
 * @set: the channel set that contains it
 * @name: its name in IIO's sysfs, without direction and kind: "voltage0", "accel_x"
 */
struct ziio_channel {
	const struct iio_chan_spec *spec;
	struct ziio_field field;
	unsigned int realbits;
	struct zio_scaling scaling;
	unsigned int set;
	char name[ZIIO_NAME_LEN];
};

/**
 * struct ziio_reader - what reads the scans of a set in the mode "read"
 * @lock: makes a start of @timer and its function exclude each other
 * @work: reads a scan
 * @timer: asks for a scan each period
 * @period: ns between scans; 0: they follow each other at once
 * @ticks: periods without a scan yet
 * @at: when the last scan was begun, by ktime_get_ns()
 * @scan: the samples
 */
struct ziio_reader {
	spinlock_t lock; /* a start of the timer */
	struct work_struct work;
	struct hrtimer timer;
	u64 period;
	atomic_t ticks;
	u64 at;
	void *scan;
};

/**
 * struct ziio_set - a channel set: channels with samples of the same kind
 * @state: the device
 * @cset: the set, as the core sees it
 * @spec: its channels, as the device's driver describes them
 * @field: the fields of its channels
 * @scaling: their scalings; only one if interleaved
 * @n: number of channels
 * @block: the block being filled, or the first of them if each channel has one; NULL: the
 *         set is not armed
 * @arming: counts how often the set was armed
 * @fill: bytes of each block that are filled
 * @step: bytes that a scan adds to each block
 * @mask: channels in an interleaved block
 * @is_plain: samples can be copied unchanged from a scan
 * @copies: @is_plain, and the block has all channels
 * @chan: channels, as the core sees them; NULL until a channel is armed
 * @missed: scans that came while no block was free
 * @lost: the same, since the last block
 * @gaps: how often IIO has stopped the device
 * @failed: how often the device produced no scan
 * @rate_num: scans per second by the device's own clock or the reader's; 0: no such rate
 * @rate_den: see @rate_num
 * @pace: tells when the device made the scans; used in the context of a scan
 * @reader: for the mode "read"
 */
struct ziio_set {
	struct ziio_state *state;
	struct zio_cset *cset;
	const struct iio_chan_spec **spec;
	struct ziio_field *field;
	struct zio_scaling *scaling;
	unsigned int n;
	struct zio_block *block;
	u32 arming;
	size_t fill;
	size_t step;
	u64 mask;
	bool is_plain;
	bool copies;
	struct zio_channel **chan;
	atomic_t missed;
	u32 lost;
	atomic_t gaps;
	atomic_t failed;
	u32 rate_num;
	u32 rate_den;
	struct zio_pace pace;
	struct ziio_reader reader;
};

/* The IIO buffer: the IIO core counts references to it. */
struct ziio_buffer {
	struct iio_buffer buf;
	struct ziio_state *state;
};

/**
 * struct ziio_state - an IIO device
 * @node: in the list of all devices, under ziio_devices_lock
 * @pdev: the platform device
 * @indio: the IIO device; the driver holds a reference
 * @mode: what a block contains
 * @chan: its channels, in the order of the scan
 * @n_chan: number of @chan
 * @scan_bytes: size of a scan
 * @stamp_offset: place of the time in a scan; 0: there is no time
 * @zbuf: the buffer, while it is attached
 * @attach_lock: protects @zbuf, @is_gone and @former
 * @is_gone: the IIO device is going away and accepts neither a buffer nor a trigger
 * @detaching: the driver itself stops the device, so no gap is counted
 * @error: why IIO does not restart the device after another user stopped it; 0: it runs
 * @has_own_clock: the device makes the scans by its own clock, without an external trigger
 * @was_stopped: disable() was called and enable() has not followed; under IIO's lock
 * @tend_work: puts the buffer back in its place after a user of IIO made a change
 * @finish_lock: held to finish blocks that are not full
 * @trig: the IIO trigger that raw_io() fires, or NULL
 * @trig_runs: the trigger has a consumer
 * @scans: counts scans
 * @polled: value of @scans when the trigger was fired
 * @poll_work: fires the trigger in hard interrupt context
 * @retry: fires it again later, after the device produced no scan
 * @former: name of the device's former trigger, possibly empty; NULL: the device has it now
 * @set: channel sets
 * @n_set: number of @set
 * @desc: descriptor of the ZIO device
 * @cset: descriptors of its sets
 */
struct ziio_state {
	struct list_head node;
	struct platform_device *pdev;
	struct iio_dev *indio;
	enum ziio_mode mode;
	struct ziio_channel *chan;
	unsigned int n_chan;
	size_t scan_bytes;
	size_t stamp_offset;

	struct ziio_buffer *zbuf;
	struct mutex attach_lock; /* see above */
	bool is_gone;
	bool detaching;
	bool has_own_clock;
	bool was_stopped;
	int error;
	struct work_struct tend_work;
	struct mutex finish_lock; /* the end of blocks that are not full */

	struct iio_trigger *trig;
	bool trig_runs;
	unsigned int scans;
	unsigned int polled;
	struct irq_work poll_work;
	struct timer_list retry;
	char *former;

	struct ziio_set *set;
	unsigned int n_set;
	struct zio_device_desc desc;
	struct zio_cset_desc *cset;
};

/* names.c */
void ziio_name_channel(char *name, const struct iio_chan_spec *spec, int element);
const char *ziio_type_name(enum iio_chan_type type);

/* scale.c */
void ziio_read_scaling(struct ziio_state *state, const struct iio_chan_spec *spec,
		       bool is_signed, struct zio_scaling *scaling);
bool ziio_has_info(const struct iio_chan_spec *spec, enum iio_chan_info_enum info);
int ziio_read_processed(struct ziio_state *state, const struct iio_chan_spec *spec, s64 *value);
bool ziio_is_same_scaling(const struct zio_scaling *a, const struct zio_scaling *b);
int ziio_rescale(struct ziio_set *set);
void ziio_get_timing(const struct zio_cset *cset, struct zio_timing *timing);

/* layout.c */
int ziio_find_channels(struct ziio_state *state, const char *wanted);
int ziio_make_sets(struct ziio_state *state);

/* set.c */
extern const struct zio_cset_ops ziio_set_ops;
extern const struct zio_attr_desc ziio_set_attrs[];
extern const unsigned int ziio_n_set_attrs;
void ziio_store(struct ziio_state *state, const void *scan);
int ziio_set_init(struct zio_cset *cset);
int ziio_set_raw_io(struct zio_cset *cset);
void ziio_set_stop(struct zio_cset *cset);
bool ziio_set_resumed(struct zio_cset *cset);
int ziio_set_attr_set(struct zio_cset *cset, struct zio_channel *chan,
		      const struct zio_attr_desc *attr, u32 value);
int ziio_set_attr_get(struct zio_cset *cset, struct zio_channel *chan,
		      const struct zio_attr_desc *attr, u32 *value);
void ziio_store_in(struct ziio_set *set, const void *scan);
void ziio_skip(struct ziio_set *set, unsigned int n);
void ziio_finish(struct ziio_set *set);
void ziio_finish_all(struct ziio_state *state);
void ziio_fail(struct ziio_set *set, int error);
void ziio_fail_all(struct ziio_state *state, int error);

/* buffer.c */
int ziio_attach(struct ziio_state *state);
void ziio_detach(struct ziio_state *state);

/* read.c */
extern const struct zio_cset_ops ziio_read_ops;

/* trigger.c */
int ziio_choose_trigger(struct ziio_state *state, const char *name);
void ziio_note_trigger(struct ziio_state *state);
void ziio_restore_trigger(struct ziio_state *state);
void ziio_release_trigger(struct ziio_state *state);
void ziio_ask(struct ziio_state *state);

/**
 * ziio_set_alarm() - raise an alarm for each channel that was ever armed
 * @set: the set
 * @alarm: ZIIO_ALARM_*
 *
 * Context: Any.
 */
static inline void ziio_set_alarm(struct ziio_set *set, u8 alarm)
{
	struct zio_channel *chan;
	unsigned int i;

	for (i = 0; i < set->n; i++) {
		chan = READ_ONCE(set->chan[i]);
		if (chan)
			zio_channel_alarm(chan, alarm);
	}
}

/* Returns true if a set waits for a scan. */
static inline bool ziio_wants_scan(const struct ziio_state *state)
{
	unsigned int i;

	for (i = 0; i < state->n_set; i++)
		if (READ_ONCE(state->set[i].block))
			return true;
	return false;
}

#endif /* _ZIO_IIO_H */
