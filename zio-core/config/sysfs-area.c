// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs-area.c: the statistics that only inputs with areas need
 *
 * The core can merge or pin a block only if its memory is an area. So the files come with
 * the first buffers of a set that have one. Blocks of a former area can be pinned. So the
 * files stay when the buffers are replaced.
 */
#include <linux/sysfs.h>

#include "config/internal.h"

ZIO_SHOW(merged, "%lu", READ_ONCE(kobj_to_channel(kobj)->merged))
ZIO_SHOW(lent_blocks, "%u", zio_pins_count(kobj_to_channel(kobj)).blocks)
ZIO_SHOW(lent_bytes, "%zu", zio_pins_count(kobj_to_channel(kobj)).bytes)

static ssize_t lent_to_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *page)
{
	return zio_pins_show_users(kobj_to_channel(kobj), page);
}

static struct kobj_attribute merged = __ATTR_RO(merged);
static struct kobj_attribute lent_blocks =
	ZIO_FILE("lent-blocks", 0444, lent_blocks_show, NULL);
static struct kobj_attribute lent_bytes =
	ZIO_FILE("lent-bytes", 0444, lent_bytes_show, NULL);
static struct kobj_attribute lent_to =
	ZIO_FILE("lent-to", 0444, lent_to_show, NULL);

static struct attribute *area_attrs[] = {
	&merged.attr,
	&lent_blocks.attr,
	&lent_bytes.attr,
	&lent_to.attr,
	NULL
};

static const struct attribute_group area_group = {
	.name = "statistics",
	.attrs = area_attrs,
};

static void remove_files(struct zio_cset_core *cset, unsigned int n)
{
	while (n--)
		sysfs_unmerge_group(&cset->chan[n]->kobj, &area_group);
	cset->has_area_files = false;
}

/**
 * zio_cset_add_area_files() - add the files that only inputs with areas need
 * @cset: the channel set
 *
 * Context: Process, sleeps. The caller holds cset->change, or the set is not yet visible.
 *
 * Return: 0; -ENOMEM; or an error of sysfs. On error nothing has changed.
 */
int zio_cset_add_area_files(struct zio_cset_core *cset)
{
	unsigned int i;
	int ret;

	if (cset->has_area_files || zio_cset_is_output(cset))
		return 0;
	for (i = 0; i < cset->n_chan; i++) {
		ret = sysfs_merge_group(&cset->chan[i]->kobj, &area_group);
		if (ret) {
			remove_files(cset, i);
			return ret;
		}
	}
	cset->has_area_files = true;
	return 0;
}

/*
 * As zio_buffers_change(). The files come first, as they can fail. The type may not be
 * loaded yet. When it has no area, the files go again.
 */
int zio_cset_change_buffers(struct zio_cset_core *cset, const char *name)
{
	bool had = cset->has_area_files;
	int ret = zio_cset_add_area_files(cset) ?: zio_buffers_change(cset, name);

	if (cset->has_area_files && !had && !cset->buf_type->has_area)
		remove_files(cset, cset->n_chan);
	return ret;
}
