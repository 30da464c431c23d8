// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs-area.c: the statistic that only inputs with areas need
 *
 * The core can merge blocks only if their memory is an area. So the file comes with the
 * first buffers of a set that have one. It stays when the buffers are replaced.
 */
#include <linux/sysfs.h>

#include "config/internal.h"

ZIO_SHOW(merged, "%lu", READ_ONCE(kobj_to_channel(kobj)->merged))

static struct kobj_attribute merged = __ATTR_RO(merged);

static struct attribute *area_attrs[] = {
	&merged.attr,
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
