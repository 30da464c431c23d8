// SPDX-License-Identifier: GPL-2.0-only
/* address.c: find sets and channels by their addresses */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "config/internal.h"

/* Longer than the name of any device */
#define DEVICE_NAME_SIZE	(ZIO_OBJ_NAME_LEN + sizeof("-ffffffff"))

/*
 * Returns the first channel of the set at an address such as "zzero-0000/cset0", with a
 * reference; -EINVAL for text that is not an address; -ENODEV if there is no such set.
 */
static struct zio_channel_core *find_set(const char *address)
{
	const char *slash = strchrnul(address, '/');
	char device[DEVICE_NAME_SIZE];
	unsigned int i;

	if (!str_has_prefix(slash, "/cset") || kstrtouint(slash + strlen("/cset"), 10, &i))
		return ERR_PTR(-EINVAL);
	if (slash - address >= sizeof(device))
		return ERR_PTR(-ENODEV);
	strscpy(device, address, slash - address + 1);
	return zio_channel_find(device, i, 0) ?: ERR_PTR(-ENODEV);
}

/* Parses "-NUMBER" at the end of a text, and cuts it off. */
static int cut_number(char *text, unsigned int *number)
{
	char *dash = strrchr(text, '-');

	if (!dash || kstrtouint(dash + 1, 10, number))
		return -EINVAL;
	*dash = '\0';
	return 0;
}

/*
 * Returns a channel with a reference. Its board may go away at any moment. The address
 * "zzero-0000-0-1" means channel 1 of "zzero-0000/cset0".
 */
static struct zio_channel_core *find_channel(const char *text, size_t len)
{
	struct zio_channel_core *chan;
	char device[DEVICE_NAME_SIZE + sizeof("-65535-65535")];
	unsigned int set, index = 0;
	bool interleaved;
	char *dash;

	if (len >= sizeof(device))
		return ERR_PTR(-EINVAL);
	strscpy(device, text, len + 1);
	/* "-i": the name that ZIO 1.x gives to the channel of an interleaved set */
	dash = strrchr(device, '-');
	interleaved = dash && !strcmp(dash, "-i");
	if (interleaved)
		*dash = '\0';
	if ((!interleaved && cut_number(device, &index)) || cut_number(device, &set))
		return ERR_PTR(-EINVAL);
	chan = zio_channel_find(device, set, index);
	if (!chan || !interleaved || chan->cset->flags & ZIO_CSET_INTERLEAVED)
		return chan ?: ERR_PTR(-ENODEV);
	kobject_put(&chan->kobj);
	return ERR_PTR(-ENODEV);
}

/*
 * Feeds an output from the input at an address. @text is the address of a channel, as in
 * the names of its nodes; or "none". Context: Process, sleeps; the caller holds no lock.
 * Returns 0; -EINVAL if @text is not an address; -ENODEV if there is no such channel; or an
 * error of zio_route_connect().
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
 * zio_cset_notifier_check() - check whether the sets of a trigger can follow a set
 * @trig: the trigger; the caller holds its lock
 * @address: address of the set to follow
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EINVAL if @address is not an address; -ENODEV if there is no such set; -ELOOP
 * if the set is one of the trigger's own sets.
 */
int zio_cset_notifier_check(struct zio_trigger *trig, const char *address)
{
	struct zio_channel_core *chan = find_set(address);
	struct zio_binding *bind;
	int ret = 0;

	if (IS_ERR(chan))
		return PTR_ERR(chan);
	list_for_each_entry(bind, &trig->bindings, node)
		if (bind->cset == chan->cset)
			ret = -ELOOP;
	kobject_put(&chan->kobj);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_cset_notifier_check);

/**
 * zio_cset_notifier_add() - call a function when a channel set is done
 * @notifier: the caller sets its done() and keeps it until zio_cset_notifier_remove()
 * @address: address of the set, for example "zzero-0000/cset0"
 *
 * After the board of a set has gone, the set is never done again.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENODEV if there is no such set; -EINVAL if @address is not an address.
 */
int zio_cset_notifier_add(struct zio_cset_notifier *notifier, const char *address)
{
	struct zio_channel_core *chan = find_set(address);

	if (IS_ERR(chan))
		return PTR_ERR(chan);
	zio_cset_notifier_link(notifier, chan->cset);
	kobject_put(&chan->kobj);
	return 0;
}
EXPORT_SYMBOL_GPL(zio_cset_notifier_add);
