/* SPDX-License-Identifier: GPL-2.0-only */
/* trigger.h: trigger types, triggers, and the bindings of sets */
#ifndef _ZIO_TRIGGER_H
#define _ZIO_TRIGGER_H

#include "buffer/buffer.h"
#include "engine/engine.h"

/**
 * struct zio_trigger_config_ops - operations of the config folder for triggers
 * @ktype: type of the directories of bindings
 * @add_files: creates the files of a binding's trigger in the directory of the binding
 * @add_type: creates the directory in configfs for shared triggers of a type. Returns 0 or
 *            an error
 * @remove_type: undoes @add_type
 * @get_shared: returns the shared trigger of a name, and makes rmdir of its directory fail
 *              until @put_shared; NULL for an unknown name; ERR_PTR(-ENOENT) if it is being
 *              removed
 * @put_shared: undoes @get_shared
 */
struct zio_trigger_config_ops {
	const struct kobj_type *ktype;
	int (*add_files)(struct zio_binding *bind);
	int (*add_type)(struct zio_trigger_type *type);
	void (*remove_type)(struct zio_trigger_type *type);
	struct zio_trigger *(*get_shared)(const char *name);
	void (*put_shared)(struct zio_trigger *trig);
};

/* user.c */
int zio_triggers_init(const struct zio_trigger_config_ops *ops);

/* trigger.c */
ssize_t zio_trigger_list_types(char *page, int at);
ssize_t zio_trigger_list_names(char *page, int at);
extern const char *const zio_clocks[CLOCK_TAI + 1];
struct zio_trigger *
zio_trigger_create_shared(const struct zio_trigger_type *type, const char *name,
			  struct config_item *item);
struct zio_trigger *zio_trigger_find_shared(const char *name);
void zio_trigger_hide_shared(struct zio_trigger *trig);
void zio_trigger_free(struct zio_trigger *trig);
int zio_trigger_enable(struct zio_trigger *trig, bool enable);
int zio_trigger_store(struct zio_trigger *trig, unsigned int index, const char *text,
		      int (*refresh)(struct zio_trigger *trig));
ssize_t zio_trigger_show(struct zio_trigger *trig, unsigned int index,
			 char *page);
int zio_trigger_suspend(struct zio_trigger *trig, int by);
int zio_trigger_set_clock(struct zio_trigger *trig, clockid_t clock,
			  int (*refresh)(struct zio_trigger *trig));
ssize_t zio_trigger_show_clock(struct zio_trigger *trig, char *page);

/* limits.c */
int zio_limits_parse(const struct zio_limits *limits, const char *text, u64 *value);

/* binding.c */
int zio_binding_create(struct zio_cset_core *cset, const char *name);
void zio_binding_destroy(struct zio_cset_core *cset);
int zio_binding_change(struct zio_cset_core *cset, const char *name);
void zio_cset_switch(struct zio_cset_core *cset, bool *place, bool enable);
int zio_binding_enable(struct zio_binding *bind, bool enable);
int zio_binding_set_samples(struct zio_binding *bind, u32 pre, u32 post);
int zio_binding_set_nshots(struct zio_binding *bind, u32 nshots);
int zio_binding_check_shape(struct zio_cset_core *cset, const struct zio_shape *shape);
int zio_cset_set_mask(struct zio_cset_core *cset, u64 mask);
int zio_trigger_refresh(struct zio_trigger *trig);

#endif /* _ZIO_TRIGGER_H */
