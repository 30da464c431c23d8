// SPDX-License-Identifier: GPL-2.0-only
/* address.c: find sets and channels by their addresses */
#include <linux/device.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "config/internal.h"

static struct zio_cset_core *get_set(struct zio_device *zdev, unsigned int i)
{
	struct zio_cset_core *cset = ERR_PTR(-ENODEV);

	mutex_lock(&zio_sets_lock);
	if (i < zdev->n_cset) {
		cset = zdev->cset[i];
		kobject_get(&cset->kobj);
	}
	mutex_unlock(&zio_sets_lock);
	return cset;
}

/* Splits "zzero-0000/cset0"; -EINVAL for any other text. */
static int parse_cset(char *address, unsigned int *i)
{
	char *slash = strchr(address, '/');

	if (!slash || !str_has_prefix(slash, "/cset"))
		return -EINVAL;
	*slash = '\0';
	return kstrtouint(slash + strlen("/cset"), 10, i) ? -EINVAL : 0;
}

/**
 * zio_cset_find() - find a channel set by its address
 * @address: for example "zzero-0000/cset0"
 *
 * Context: Process, sleeps.
 *
 * Return: the set, with a reference that the caller gives back by kobject_put(); -EINVAL
 * if @address is not an address; -ENODEV if there is no such set; -ENOMEM.
 */
struct zio_cset_core *zio_cset_find(const char *address)
{
	char *copy = kstrdup(address, GFP_KERNEL);
	struct zio_cset_core *cset;
	struct device *dev;
	unsigned int i;
	int ret;

	if (!copy)
		return ERR_PTR(-ENOMEM);
	ret = parse_cset(copy, &i);
	dev = ret ? NULL : bus_find_device_by_name(&zio_bus, NULL, copy);
	kfree(copy);
	if (!dev)
		return ERR_PTR(ret ?: -ENODEV);
	cset = get_set(to_zio_device(dev), i);
	put_device(dev);
	return cset;
}

/* The address "zzero-0000-0-1" means channel 1 of "zzero-0000/cset0". */
static int parse_channel(const char *text, size_t len, char *set, size_t size,
			 unsigned int *chan)
{
	char *dash;
	char copy[40];

	if (len >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	dash = strrchr(copy, '-');
	if (!dash || kstrtouint(dash + 1, 10, chan))
		return -EINVAL;
	*dash = '\0';
	dash = strrchr(copy, '-');
	if (!dash || !dash[1])
		return -EINVAL;
	*dash = '\0';
	snprintf(set, size, "%s/cset%s", copy, dash + 1);
	return 0;
}

/* Returns the channel with a reference. Its board may go at any moment. */
static struct zio_channel_core *find_channel(const char *text, size_t len)
{
	struct zio_channel_core *chan;
	struct zio_cset_core *cset;
	unsigned int index;
	char set[48];
	int ret = parse_channel(text, len, set, sizeof(set), &index);

	if (ret)
		return ERR_PTR(ret);
	cset = zio_cset_find(set);
	if (IS_ERR(cset))
		return ERR_CAST(cset);
	ret = zio_cset_lock(cset);
	chan = ERR_PTR(ret ?: -ENODEV);
	if (!ret && index < cset->n_chan) {
		chan = cset->chan[index];
		kobject_get(&chan->kobj);
	}
	if (!ret)
		mutex_unlock(&cset->mutex);
	kobject_put(&cset->kobj);
	return chan;
}

/**
 * zio_channel_set_source() - feed an output from the input at an address
 * @out: the output
 * @text: the address of an input channel, as in the names of its nodes; or "none"
 *
 * Context: Process, sleeps; the caller holds no lock.
 *
 * Return: 0; -EINVAL if @text is not an address; -ENODEV if there is no such channel; or
 * an error of zio_route_connect().
 */
int zio_channel_set_source(struct zio_channel_core *out, const char *text)
{
	size_t len = strcspn(text, "\n");
	struct zio_channel_core *in = NULL;
	int ret;

	if (len && strncmp(text, "none", max_t(size_t, len, 4))) {
		in = find_channel(text, len);
		if (IS_ERR(in))
			return PTR_ERR(in);
	}
	ret = zio_route_connect(out, in);
	if (in)
		kobject_put(&in->kobj);
	return ret;
}

/**
 * zio_cset_notifier_check() - check that sets of a trigger can follow a set
 * @trig: the trigger; the caller holds its lock
 * @address: address of the set to follow
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EINVAL if @address is not an address; -ENODEV if there is no such set;
 * -ELOOP if the set is one of the trigger's own sets.
 */
int zio_cset_notifier_check(struct zio_trigger *trig, const char *address)
{
	struct zio_cset_core *cset = zio_cset_find(address);
	struct zio_binding *bind;
	int ret = 0;

	if (IS_ERR(cset))
		return PTR_ERR(cset);
	list_for_each_entry(bind, &trig->bindings, node)
		if (bind->cset == cset)
			ret = -ELOOP;
	kobject_put(&cset->kobj);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_cset_notifier_check);

/**
 * zio_cset_notifier_add() - call a function when a channel set is done
 * @notifier: the caller sets its done() and keeps it until zio_cset_notifier_remove()
 * @address: address of the set, for example "zzero-0000/cset0"
 *
 * A set whose board goes is never done again.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENODEV if there is no such set; -EINVAL if @address is not an address.
 */
int zio_cset_notifier_add(struct zio_cset_notifier *notifier, const char *address)
{
	struct zio_cset_core *cset = zio_cset_find(address);

	if (IS_ERR(cset))
		return PTR_ERR(cset);
	zio_cset_notifier_link(notifier, cset);
	return 0;
}
EXPORT_SYMBOL_GPL(zio_cset_notifier_add);

/**
 * zio_cset_notifier_remove() - stop the calls of a notifier
 * @notifier: a notifier that was added
 *
 * When this function returns, done() is not running, and the core does not call it again.
 *
 * Context: Process, sleeps.
 */
void zio_cset_notifier_remove(struct zio_cset_notifier *notifier)
{
	zio_cset_notifier_unlink(notifier);
	kobject_put(&notifier->cset->kobj);
}
EXPORT_SYMBOL_GPL(zio_cset_notifier_remove);

