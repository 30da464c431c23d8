// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger.c: trigger types, and triggers: the sources of events
 *
 * A trigger belongs to one channel set, or many sets share it. A shared trigger has a name
 * (configfs/trigger.c). A binding connects a set to a trigger (binding.c).
 *
 * The core calls the operations of a type with trig->lock held. It calls stop() before it
 * freezes a set, so stop() may wait for a handler that is firing: it cancels a timer, or
 * frees an interrupt. A trigger runs while it is enabled and at least one of its bindings
 * is enabled.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "trigger/internal.h"

/* Protects the lists of types and of shared triggers. */
static DEFINE_MUTEX(zio_types_lock);
static LIST_HEAD(zio_trigger_types);
static LIST_HEAD(zio_shared_triggers);
const struct zio_trigger_config_ops *zio_trigger_config;

static struct zio_trigger_type *find_type(const char *name)
{
	struct zio_trigger_type *type;

	lockdep_assert_held(&zio_types_lock);
	list_for_each_entry(type, &zio_trigger_types, node)
		if (!strcmp(type->name, name))
			return type;
	return NULL;
}

static struct zio_trigger *find_shared(const char *name)
{
	struct zio_trigger *trig;

	lockdep_assert_held(&zio_types_lock);
	list_for_each_entry(trig, &zio_shared_triggers, node)
		if (!strcmp(trig->name, name))
			return trig;
	return NULL;
}

static bool name_is_free(const char *name)
{
	return !find_type(name) && !find_shared(name);
}

static bool is_action(const struct zio_attr_desc *attr)
{
	return attr->mode == 0200;
}

static bool is_text(const struct zio_attr_desc *attr)
{
	return attr->text || attr->words;
}

static bool attr_is_valid(const struct zio_trigger_type *type,
			  const struct zio_attr_desc *attr)
{
	const struct zio_trigger_ops *ops = type->ops;

	if (!attr->name || (attr->mode != 0644 && !is_action(attr)))
		return false;
	if (is_action(attr) && !(ops && ops->act))
		return false;
	if (is_text(attr) && (is_action(attr) || !(attr->words || (ops && ops->text_is_valid))))
		return false;
	if (attr->is_signed || attr->choices || attr->raw_io ||
	    (attr->max > U32_MAX && !attr->wide))
		return false;
	if (attr->place == ZIO_ATTR_PLACE_NONE)
		return true;
	return attr->place == ZIO_ATTR_PLACE_EXT && !is_text(attr) && !is_action(attr) &&
		attr->index + attr->wide < ZIO_MAX_TRIGGER_EXT;
}

/* Returns a mask of the extended attributes that this one uses in the control. */
static u32 attr_mask(const struct zio_attr_desc *attr)
{
	if (attr->place == ZIO_ATTR_PLACE_NONE)
		return 0;
	return (attr->wide ? 3u : 1u) << (attr->index & 31);
}

/* Checks a type. No two attributes may have the same position in the control. */
bool zio_trigger_type_is_valid(const struct zio_trigger_type *type)
{
	u32 mask, used = 0;
	unsigned int i;

	if (!type->name || !*type->name ||
	    strlen(type->name) >= ZIO_OBJ_NAME_LEN ||
	    type->n_attrs > ZIO_MAX_TRIGGER_ATTRS)
		return false;
	for (i = 0; i < type->n_attrs; i++) {
		mask = attr_mask(&type->attrs[i]);
		if (!attr_is_valid(type, &type->attrs[i]) || mask & used)
			return false;
		used |= mask;
	}
	return true;
}

static void del_type(struct zio_trigger_type *type)
{
	mutex_lock(&zio_types_lock);
	list_del(&type->node);
	mutex_unlock(&zio_types_lock);
}

/**
 * zio_trigger_type_register() - register a trigger type
 * @type: stays valid until it is unregistered
 *
 * The type gets a directory in configfs, unless the core fires its triggers.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EINVAL if the type is invalid (with a warning); -EEXIST if a type or a shared
 * trigger has the name; -ENOMEM.
 */
int zio_trigger_type_register(struct zio_trigger_type *type)
{
	bool is_for_core = type->flags & (ZIO_TRIGGER_ON_DEMAND | ZIO_TRIGGER_REARM);
	int ret = 0;

	if (WARN_ON(!zio_trigger_type_is_valid(type)))
		return -EINVAL;
	/* Reserve the name. Sets find the type only when it is ready. */
	mutex_lock(&zio_types_lock);
	if (!name_is_free(type->name)) {
		mutex_unlock(&zio_types_lock);
		return -EEXIST;
	}
	type->ready = false;
	list_add_tail(&type->node, &zio_trigger_types);
	mutex_unlock(&zio_types_lock);
	if (!is_for_core)
		ret = zio_trigger_config->add_type(type);
	if (ret) {
		del_type(type);
		return ret;
	}
	mutex_lock(&zio_types_lock);
	type->ready = true;
	mutex_unlock(&zio_types_lock);
	return 0;
}
EXPORT_SYMBOL_GPL(zio_trigger_type_register);

/**
 * zio_trigger_type_unregister() - unregister a trigger type
 * @type: a registered type without triggers; each trigger holds the module of its type
 *
 * Context: Process, sleeps.
 */
void zio_trigger_type_unregister(struct zio_trigger_type *type)
{
	zio_trigger_config->remove_type(type);
	del_type(type);
}
EXPORT_SYMBOL_GPL(zio_trigger_type_unregister);

static const struct zio_trigger_type *get_type(const char *name)
{
	struct zio_trigger_type *type;

	mutex_lock(&zio_types_lock);
	type = find_type(name);
	if (type && !(type->ready && try_module_get(type->owner)))
		type = NULL;
	mutex_unlock(&zio_types_lock);
	return type;
}

/* Prints the names of the types from @at on, one per line. Returns the length. */
ssize_t zio_trigger_list_types(char *page, int at)
{
	struct zio_trigger_type *type;
	ssize_t len = 0;

	mutex_lock(&zio_types_lock);
	list_for_each_entry(type, &zio_trigger_types, node)
		if (type->ready)
			len += sysfs_emit_at(page, at + len, "%s\n", type->name);
	mutex_unlock(&zio_types_lock);
	return len;
}

/* As zio_trigger_list_types(), followed by the shared triggers. */
ssize_t zio_trigger_list_names(char *page, int at)
{
	ssize_t len = zio_trigger_list_types(page, at);
	struct zio_trigger *trig;

	mutex_lock(&zio_types_lock);
	list_for_each_entry(trig, &zio_shared_triggers, node)
		len += sysfs_emit_at(page, at + len, "%s\n", trig->name);
	mutex_unlock(&zio_types_lock);
	return len;
}

/* Called with the module of the type held. */
static struct zio_trigger *alloc_trigger(const struct zio_trigger_type *type,
					 const char *name)
{
	struct zio_trigger *trig;
	unsigned int i;
	int ret = 0;

	trig = kzalloc(struct_size(trig, value, type->n_attrs), GFP_KERNEL);
	if (!trig)
		return ERR_PTR(-ENOMEM);
	trig->type = type;
	strscpy(trig->name, name, sizeof(trig->name));
	mutex_init(&trig->change);
	mutex_init(&trig->lock);
	INIT_LIST_HEAD(&trig->bindings);
	trig->enabled = true;
	trig->clock = CLOCK_REALTIME;
	for (i = 0; i < type->n_attrs; i++)
		if (!is_text(&type->attrs[i]))
			trig->value[i].number = type->attrs[i].value;
	if (type->ops && type->ops->create)
		ret = type->ops->create(trig);
	if (!ret)
		return trig;
	kfree(trig);
	return ERR_PTR(ret);
}

/* Frees a trigger that is hidden and has no bindings. */
void zio_trigger_free(struct zio_trigger *trig)
{
	const struct zio_trigger_type *type = trig->type;
	unsigned int i;

	if (type->ops && type->ops->destroy)
		type->ops->destroy(trig);
	for (i = 0; i < type->n_attrs; i++)
		if (is_text(&type->attrs[i]))
			kfree(trig->value[i].text);
	mutex_destroy(&trig->lock);
	mutex_destroy(&trig->change);
	kfree(trig);
}
EXPORT_SYMBOL_GPL(zio_trigger_free);

/*
 * Creates a trigger that many sets can share, for zio_trigger_free(). The caller holds the
 * module of @type. @item is the directory of the trigger in configfs. Context: Process,
 * sleeps. Returns the trigger; or an ERR_PTR: -ENAMETOOLONG if @name has ZIO_OBJ_NAME_LEN
 * characters or more; -EEXIST if a type or another trigger has the name; -ENOMEM; or an
 * error of the type.
 */
struct zio_trigger *
zio_trigger_create_shared(const struct zio_trigger_type *type, const char *name,
			  struct config_item *item)
{
	struct zio_trigger *trig;

	if (strlen(name) >= ZIO_OBJ_NAME_LEN)
		return ERR_PTR(-ENAMETOOLONG);
	trig = alloc_trigger(type, name);
	if (IS_ERR(trig))
		return trig;
	trig->item = item;
	mutex_lock(&zio_types_lock);
	if (name_is_free(name)) {
		list_add_tail(&trig->node, &zio_shared_triggers);
	} else {
		zio_trigger_free(trig);
		trig = ERR_PTR(-EEXIST);
	}
	mutex_unlock(&zio_types_lock);
	return trig;
}
EXPORT_SYMBOL_GPL(zio_trigger_create_shared);

/* Removes a shared trigger from the list in which sets find it. */
void zio_trigger_hide_shared(struct zio_trigger *trig)
{
	mutex_lock(&zio_types_lock);
	list_del(&trig->node);
	mutex_unlock(&zio_types_lock);
}
EXPORT_SYMBOL_GPL(zio_trigger_hide_shared);

/* Returns the trigger, or NULL. The caller keeps it from being hidden. */
struct zio_trigger *zio_trigger_find_shared(const char *name)
{
	struct zio_trigger *trig;

	mutex_lock(&zio_types_lock);
	trig = find_shared(name);
	mutex_unlock(&zio_types_lock);
	return trig;
}
EXPORT_SYMBOL_GPL(zio_trigger_find_shared);

/* Loads the module of the type if it is not registered. */
static struct zio_trigger *create_own(const char *name)
{
	const struct zio_trigger_type *type = get_type(name);
	struct zio_trigger *trig;

	if (!type && zio_may_load() && !request_module("zio-trig-%s", name))
		type = get_type(name);
	if (!type)
		return ERR_PTR(-ENOENT);
	trig = alloc_trigger(type, name);
	if (IS_ERR(trig))
		module_put(type->owner);
	return trig;
}

/*
 * Gets a shared trigger, or creates one for a single set; zio_trigger_put() undoes this.
 * @own is a type without an owner that only this set has, or NULL. @name is the name of a
 * shared trigger, or of a type. Context: Process, sleeps; not from configfs. Returns the
 * trigger; or an ERR_PTR: -ENOENT for an unknown name; -ENOMEM; or an error of the type.
 */
struct zio_trigger *zio_trigger_get(const struct zio_trigger_type *own, const char *name)
{
	if (own && !strcmp(own->name, name))
		return alloc_trigger(own, name);
	return zio_trigger_config->get_shared(name) ?: create_own(name);
}

/* Undoes zio_trigger_get(). The binding has gone already. */
void zio_trigger_put(struct zio_trigger *trig)
{
	struct module *owner = trig->type->owner;

	if (trig->item) {
		zio_trigger_config->put_shared(trig);
		return;
	}
	zio_trigger_free(trig);
	module_put(owner);
}

/* Starts or stops the trigger as its state requires. Called with trig->lock held. */
static int update_trigger(struct zio_trigger *trig)
{
	const struct zio_trigger_ops *ops = trig->type->ops;
	bool run = trig->enabled && trig->active && !trig->suspended;
	int ret = 0;

	if (run == trig->running)
		return 0;
	if (run && ops && ops->start)
		ret = ops->start(trig);
	else if (!run && ops && ops->stop)
		ops->stop(trig);
	trig->running = run && !ret;
	return ret;
}

/* Counts one more binding that takes events, and starts the trigger for the first one. */
int zio_trigger_join(struct zio_trigger *trig)
{
	int ret;

	mutex_lock(&trig->lock);
	trig->active++;
	ret = update_trigger(trig);
	if (ret)
		trig->active--;
	mutex_unlock(&trig->lock);
	return ret;
}

void zio_trigger_leave(struct zio_trigger *trig)
{
	mutex_lock(&trig->lock);
	if (!--trig->active)
		update_trigger(trig);
	mutex_unlock(&trig->lock);
}

/*
 * Enables or disables a trigger, for all of its sets. Context: Process, sleeps. Returns 0,
 * or an error of the type's start().
 */
int zio_trigger_enable(struct zio_trigger *trig, bool enable)
{
	int ret;

	mutex_lock(&trig->lock);
	trig->enabled = enable;
	ret = update_trigger(trig);
	if (ret)
		trig->enabled = false;
	mutex_unlock(&trig->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_trigger_enable);

/* Values */

static int parse_text(struct zio_trigger *trig, unsigned int index, const char *text,
		      char **value)
{
	const struct zio_attr_desc *attr = &trig->type->attrs[index];
	char *new = kstrdup(skip_spaces(text), GFP_KERNEL);

	if (!new)
		return -ENOMEM;
	strim(new);
	*value = new;
	if (*new && attr->words)
		return min(__sysfs_match_string(attr->words, -1, new), 0);
	return *new ? trig->type->ops->text_is_valid(trig, index, new) : 0;
}

static int parse_value(struct zio_trigger *trig, unsigned int index, const char *text,
		       union zio_trigger_value *value)
{
	const struct zio_attr_desc *attr = &trig->type->attrs[index];
	const struct zio_trigger_ops *ops = trig->type->ops;
	struct zio_limits limits = zio_attr_limits(attr);
	int ret;

	if (is_text(attr))
		return parse_text(trig, index, text, &value->text);
	ret = zio_limits_parse(&limits, text, &value->number);
	if (!ret && !is_action(attr) && ops && ops->number_is_valid)
		ret = ops->number_is_valid(trig, index, value->number);
	return ret;
}

/*
 * Restarts the trigger with a new value; if start() fails, with the old one. An equal value
 * restarts it as well, to begin another series of shots, for example.
 */
static int restart_with(struct zio_trigger *trig, unsigned int index,
			union zio_trigger_value *value)
{
	int ret;

	trig->suspended++;
	update_trigger(trig);
	swap(trig->value[index], *value);
	trig->suspended--;
	ret = update_trigger(trig);
	if (ret) {
		swap(trig->value[index], *value);
		update_trigger(trig);
	}
	return ret;
}

/*
 * Serialises the writers of a shared trigger's values: before the next one starts, the
 * controls of all sets have the new value, or the old value is back. If the trigger is not
 * shared, the mutex of its set does this.
 */
static void begin_change(struct zio_trigger *trig)
{
	if (trig->item)
		mutex_lock(&trig->change);
}

static void end_change(struct zio_trigger *trig)
{
	if (trig->item)
		mutex_unlock(&trig->change);
}

/*
 * Sets an attribute or runs an action, from the @text that a user wrote. @refresh publishes
 * the new value in the controls of all sets of the trigger. Context: Process, sleeps.
 * Returns 0; -EINVAL; -ERANGE; -ESHUTDOWN for an action while the trigger does not run;
 * -ENOMEM; or an error of the type or of @refresh. On error nothing has changed.
 */
int zio_trigger_store(struct zio_trigger *trig, unsigned int index, const char *text,
		      int (*refresh)(struct zio_trigger *trig))
{
	const struct zio_attr_desc *attr = &trig->type->attrs[index];
	union zio_trigger_value value = { };
	int ret;

	begin_change(trig);
	mutex_lock(&trig->lock);
	ret = parse_value(trig, index, text, &value);
	if (!ret && !is_action(attr))
		ret = restart_with(trig, index, &value);
	else if (!ret)
		ret = trig->running ? trig->type->ops->act(trig, index, value.number) : -ESHUTDOWN;
	mutex_unlock(&trig->lock);
	if (!ret && !is_action(attr) && !is_text(attr)) {
		ret = refresh(trig);
		if (ret) {
			mutex_lock(&trig->lock);
			restart_with(trig, index, &value);
			mutex_unlock(&trig->lock);
			refresh(trig);
		}
	}
	end_change(trig);
	if (is_text(attr))
		kfree(value.text);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_trigger_store);

/* Prints the value of an attribute. Returns the length. */
ssize_t zio_trigger_show(struct zio_trigger *trig, unsigned int index,
			 char *page)
{
	ssize_t len;

	mutex_lock(&trig->lock);
	if (is_text(&trig->type->attrs[index]))
		len = sysfs_emit(page, "%s\n", zio_trigger_text(trig, index));
	else
		len = sysfs_emit(page, "%llu\n", zio_trigger_number(trig, index));
	mutex_unlock(&trig->lock);
	return len;
}
EXPORT_SYMBOL_GPL(zio_trigger_show);

/* Clocks */

const char *const zio_clocks[] = {
	[CLOCK_REALTIME] = "realtime",
	[CLOCK_TAI] = "tai",
	[CLOCK_MONOTONIC] = "monotonic",
	[CLOCK_BOOTTIME] = "boottime",
};
EXPORT_SYMBOL_GPL(zio_clocks);

ssize_t zio_trigger_show_clock(struct zio_trigger *trig, char *page)
{
	return sysfs_emit(page, "%s\n", zio_clocks[zio_trigger_clock(trig)]);
}
EXPORT_SYMBOL_GPL(zio_trigger_show_clock);

/*
 * Stops the events of a trigger if @by is 1, and undoes that if it is -1. Calls nest.
 * Context: Process, sleeps; the caller has not frozen a set. Returns 0, or an error of the
 * type's start().
 */
int zio_trigger_suspend(struct zio_trigger *trig, int by)
{
	int ret;

	mutex_lock(&trig->lock);
	trig->suspended += by;
	ret = update_trigger(trig);
	mutex_unlock(&trig->lock);
	return ret;
}

/*
 * Chooses the clock of the time stamps, one of zio_clocks. @refresh publishes it in the
 * controls of all sets of the trigger. No event comes meanwhile, so each block has the time
 * of the clock that its control names. If a set can be armed without an event, the caller
 * quiesces it. Context: Process, sleeps. Returns 0; an error of @refresh, with the old
 * clock in force; or an error of the type's start().
 */
int zio_trigger_set_clock(struct zio_trigger *trig, clockid_t clock,
			  int (*refresh)(struct zio_trigger *trig))
{
	clockid_t old;
	int ret, started;

	begin_change(trig);
	zio_trigger_suspend(trig, 1);
	old = trig->clock;
	WRITE_ONCE(trig->clock, clock);
	ret = refresh(trig);
	if (ret) {
		WRITE_ONCE(trig->clock, old);
		refresh(trig);
	}
	started = zio_trigger_suspend(trig, -1);
	end_change(trig);
	return ret ?: started;
}
EXPORT_SYMBOL_GPL(zio_trigger_set_clock);
