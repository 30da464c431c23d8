// SPDX-License-Identifier: GPL-2.0-only
/*
 * buffer.c: an IIO buffer that passes its scans to ZIO
 *
 * The IIO core keeps a list of buffers for each device and passes each scan along it. A
 * full buffer, such as the one behind /dev/iio:deviceN, ends the walk, so ZIO's buffer has
 * to be the first one. A user who enables another buffer puts that one in front; a work
 * item then attaches ZIO's again. The IIO core stops the device for each change of the
 * list.
 */
#include <linux/bitmap.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "iio.h"

static struct ziio_buffer *ziio_to_zbuf(struct iio_buffer *buf)
{
	return container_of(buf, struct ziio_buffer, buf);
}

/*
 * After an error the IIO core would not visit the other buffers. After 0 it would wake the
 * readers of this buffer for each scan, and there are none.
 */
static int ziio_buffer_store(struct iio_buffer *buf, const void *scan)
{
	ziio_store(ziio_to_zbuf(buf)->state, scan);
	return 1;
}

static bool ziio_is_first(const struct iio_buffer *buf, const struct iio_dev *indio)
{
	return buf->buffer_list.prev == &to_iio_dev_opaque(indio)->buffer_list;
}

static int ziio_buffer_enable(struct iio_buffer *buf, struct iio_dev *indio)
{
	struct ziio_state *state = ziio_to_zbuf(buf)->state;
	unsigned int i;

	if (buf->bytes_per_datum != state->scan_bytes) {
		dev_err(&state->pdev->dev,
			"%s: a scan has %zu bytes, not %zu: make the device again\n",
			dev_name(&indio->dev), buf->bytes_per_datum, state->scan_bytes);
		return -EINVAL;
	}
	for (i = 0; state->was_stopped && i < state->n_set; i++) {
		atomic_inc(&state->set[i].gaps);
		ziio_set_alarm(&state->set[i], ZIIO_ALARM_GAP);
	}
	state->was_stopped = false;
	WRITE_ONCE(state->error, 0);
	/* While the device was off, a user may have changed its rate or its trigger. */
	ziio_note_trigger(state);
	for (i = 0; i < state->n_set; i++) {
		/* ziio_find_time() sets it again: the device produces no scan now. */
		state->set[i].pace.num = 0;
		if (state->set[i].cset)
			zio_cset_timing_changed(state->set[i].cset);
	}
	if (!ziio_is_first(buf, indio))
		schedule_work(&state->tend_work);
	return 0;
}

static int ziio_buffer_disable(struct iio_buffer *buf, struct iio_dev *indio)
{
	struct ziio_state *state = ziio_to_zbuf(buf)->state;

	ziio_finish_all(state);
	if (READ_ONCE(state->detaching))
		return 0;
	state->was_stopped = true;
	schedule_work(&state->tend_work);
	return 0;
}

static void ziio_buffer_release(struct iio_buffer *buf)
{
	bitmap_free((unsigned long *)buf->scan_mask);
	kfree(ziio_to_zbuf(buf));
}

static int ziio_buffer_set_bytes(struct iio_buffer *buf, size_t bytes)
{
	buf->bytes_per_datum = bytes;
	return 0;
}

static const struct iio_buffer_access_funcs ziio_access = {
	.store_to = ziio_buffer_store,
	.enable = ziio_buffer_enable,
	.disable = ziio_buffer_disable,
	.release = ziio_buffer_release,
	.set_bytes_per_datum = ziio_buffer_set_bytes,
	.modes = INDIO_BUFFER_SOFTWARE | INDIO_BUFFER_TRIGGERED,
};

static unsigned int ziio_mask_length(const struct iio_dev *indio)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	return indio->masklength;
#else
	return iio_get_masklength(indio);
#endif
}

static struct ziio_buffer *ziio_alloc_buffer(struct ziio_state *state)
{
	struct ziio_buffer *zbuf = kzalloc(sizeof(*zbuf), GFP_KERNEL);
	unsigned long *mask;
	unsigned int i;

	if (!zbuf)
		return NULL;
	mask = bitmap_zalloc(ziio_mask_length(state->indio), GFP_KERNEL);
	if (!mask) {
		kfree(zbuf);
		return NULL;
	}
	for (i = 0; i < state->n_chan; i++)
		__set_bit(state->chan[i].spec->scan_index, mask);
	iio_buffer_init(&zbuf->buf);
	zbuf->buf.access = &ziio_access;
	zbuf->buf.scan_mask = (long *)mask;
	zbuf->buf.scan_timestamp = state->stamp_offset;
	zbuf->state = state;
	return zbuf;
}

/* A failed change by another user may have removed the buffer from the list. */
static int ziio_put_first(struct iio_buffer *buf, struct iio_dev *indio)
{
	int ret = iio_update_buffers(indio, buf, NULL);

	if (ret || ziio_is_first(buf, indio))
		return ret;
	return iio_update_buffers(indio, NULL, buf) ?: iio_update_buffers(indio, buf, NULL);
}

static void ziio_tend_buffer(struct work_struct *work)
{
	struct ziio_state *state = container_of(work, struct ziio_state, tend_work);
	int ret = 0;

	mutex_lock(&state->attach_lock);
	if (state->zbuf)
		ret = ziio_put_first(&state->zbuf->buf, state->indio);
	mutex_unlock(&state->attach_lock);
	if (!ret)
		return;
	dev_err(&state->pdev->dev,
		"%s: a user of IIO stopped it, and it cannot be restarted: error %d\n",
		dev_name(&state->indio->dev), ret);
	ziio_fail_all(state, ret);
}

/*
 * The IIO core asks the driver only when a user chooses channels in sysfs. Some drivers
 * rely on being asked: they have room for one channel only.
 */
static bool ziio_can_scan(struct iio_dev *indio, const struct iio_buffer *buf)
{
	const struct iio_buffer_setup_ops *ops = indio->setup_ops;
	const unsigned long *mask = (const unsigned long *)buf->scan_mask;

	return !ops || !ops->validate_scan_mask || ops->validate_scan_mask(indio, mask);
}

static int ziio_attach_buffer(struct ziio_state *state, struct ziio_buffer *zbuf)
{
	int ret = -ENODEV;

	mutex_lock(&state->attach_lock);
	if (!state->is_gone && ziio_can_scan(state->indio, &zbuf->buf)) {
		ret = iio_update_buffers(state->indio, &zbuf->buf, NULL);
	} else if (!state->is_gone) {
		dev_err(&state->pdev->dev,
			"%s cannot acquire these channels together: name fewer in \"channels\"\n",
			dev_name(&state->indio->dev));
		ret = -EINVAL;
	}
	if (!ret)
		state->zbuf = zbuf;
	mutex_unlock(&state->attach_lock);
	return ret;
}

/**
 * ziio_attach() - start to receive the scans of a device
 * @state: the device; ziio_detach() undoes the call
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENOMEM; -ENODEV if the device is gone; or an error of its driver.
 */
int ziio_attach(struct ziio_state *state)
{
	struct ziio_buffer *zbuf = ziio_alloc_buffer(state);
	int ret;

	if (!zbuf)
		return -ENOMEM;
	INIT_WORK(&state->tend_work, ziio_tend_buffer);
	ret = ziio_attach_buffer(state, zbuf);
	if (!ret)
		return 0;
	dev_err(&state->pdev->dev, "%s does not start: error %d%s\n",
		dev_name(&state->indio->dev), ret,
		state->indio->trig ? "" : ", it may need a trigger");
	cancel_work_sync(&state->tend_work);
	iio_buffer_put(&zbuf->buf);
	return ret;
}

/**
 * ziio_detach() - stop receiving scans
 * @state: the device; it may already be detached
 *
 * Context: Process, sleeps.
 */
void ziio_detach(struct ziio_state *state)
{
	struct ziio_buffer *zbuf;

	mutex_lock(&state->attach_lock);
	zbuf = state->zbuf;
	state->zbuf = NULL;
	if (zbuf) {
		WRITE_ONCE(state->detaching, true);
		iio_update_buffers(state->indio, NULL, &zbuf->buf);
	}
	mutex_unlock(&state->attach_lock);
	if (!zbuf)
		return;
	cancel_work_sync(&state->tend_work);
	/* The device's driver may still be walking the list, with interrupts off. */
	synchronize_rcu();
	iio_buffer_put(&zbuf->buf);
}
