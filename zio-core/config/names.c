// SPDX-License-Identifier: GPL-2.0-only
/*
 * names.c: files that describe controls: the names of attributes, the type of samples
 *
 * A control has attributes at numbered positions. The file "control-attrs" has a line for
 * each: "std 1 gain-factor", "ext 3 threshold signed", "ext 0 period-ns wide". The word
 * "block" marks those with a value of each block. For an output, what they accept follows:
 * "ext 4 delay-ns signed block [-10 1 10]".
 */
#include <linux/sysfs.h>

#include "config/internal.h"

static int put_line(char *page, int len, bool ext, unsigned int index, const char *name,
		    const char *kind)
{
	return len + sysfs_emit_at(page, len, "%s %u %s%s\n", ext ? "ext" : "std", index,
				   name, kind);
}

static int put_desc(char *page, int len, const struct zio_attr_desc *desc, bool is_output)
{
	const char *kind = desc->wide ? " wide" : zio_attr_is_signed(desc) ? " signed" : "";
	struct zio_limits limits = zio_attr_limits(desc);

	if (desc->place == ZIO_ATTR_PLACE_NONE)
		return len;
	if (desc->place != ZIO_ATTR_PLACE_BLOCK)
		return put_line(page, len, desc->place == ZIO_ATTR_PLACE_EXT, desc->index,
				desc->name, kind);
	len += sysfs_emit_at(page, len, "ext %u %s%s block", desc->index, desc->name, kind);
	if (is_output)
		len = zio_limits_print(page, len, &limits);
	return len + sysfs_emit_at(page, len, "\n");
}

static int put_attrs(char *page, int len, const struct zio_attr *attr, unsigned int n,
		     bool is_output)
{
	for (; n--; attr++)
		len = put_desc(page, len, attr->desc, is_output);
	return len;
}

/* Called with cset->mutex held. */
ssize_t zio_channel_show_names(struct kobject *kobj, const struct zio_file *file, char *page)
{
	const struct zio_cset_core *cset = kobj_to_channel(kobj)->cset;
	const struct zio_attr_set *of_device = &cset->zdev->attrs;
	bool is_output = zio_cset_is_output(cset);
	int len = put_attrs(page, 0, of_device->attr, of_device->n, is_output);

	len = put_attrs(page, len, cset->attrs.attr, cset->attrs.n, is_output);
	return put_attrs(page, len, cset->chan_attrs, cset->n_chan_attrs, is_output);
}

ssize_t zio_binding_show_names(struct kobject *kobj, const struct zio_file *file, char *page)
{
	const struct zio_binding *bind = to_zio_binding(kobj);
	const struct zio_trigger_type *type = bind->trig->type;
	const struct zio_own_trigger *own = zio_binding_own(bind);
	unsigned int i;
	bool is_ext = true;
	int len;

	len = put_line(page, 0, false, ZIO_ATTR_TRIG_N_SHOTS, "nshots", "");
	len = put_line(page, len, false, ZIO_ATTR_TRIG_POST_SAMP, "post-samples", "");
	len = put_line(page, len, false, ZIO_ATTR_TRIG_PRE_SAMP, "pre-samples", "");
	for (i = 0; i < type->n_attrs; i++)
		len = put_desc(page, len, &type->attrs[i], false);
	if (bind->cset->flags & ZIO_CSET_SHOTS)
		len = put_line(page, len, false, ZIO_ATTR_TRIG_SHOT, "shot", "");
	if (own)
		len = put_attrs(page, len, own->attrs.attr, own->attrs.n, false);
	/* The clock moves if the board's trigger uses its position: see engine/control.c */
	for (i = 0; own && i < own->attrs.n; i++)
		if (own->attrs.attr[i].desc->place == ZIO_ATTR_PLACE_EXT &&
		    own->attrs.attr[i].desc->index == ZIO_ATTR_TRIG_EXT_CLOCK)
			is_ext = false;
	return put_line(page, len, is_ext, is_ext ? ZIO_ATTR_TRIG_EXT_CLOCK : ZIO_ATTR_TRIG_CLOCK,
			"clock", "");
}

/* Prints the layout of a sample in memory, in the format of IIO: "le:s12/16>>4" */
ssize_t zio_channel_show_type(struct kobject *kobj, const struct zio_file *file, char *page)
{
	const struct zio_control *ctrl;
	unsigned int bits, shift;
	ssize_t len;

	rcu_read_lock();
	ctrl = &rcu_dereference(kobj_to_channel(kobj)->snap)->common;
	bits = ctrl->ssize * 8;
	shift = ctrl->flags & ZIO_CONTROL_MSB_ALIGN && ctrl->nbits < bits ?
		bits - ctrl->nbits : 0;
	len = sysfs_emit(page, "%s:%c%u/%u>>%u\n",
			 IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? "be" : "le",
			 ctrl->attr_channel.std_val[ZIO_ATTR_SIGNED] ? 's' : 'u',
			 ctrl->nbits, bits, shift);
	rcu_read_unlock();
	return len;
}
