// SPDX-License-Identifier: LGPL-2.1-or-later
/* The names of the attributes in controls */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

#define N_OWNERS 2		/* channel, trigger */
#define ADDRESS_SIZE 48

struct entry {
	char name[ZIO_ATTR_NAME_SIZE];	/* "": not known */
	bool is_signed;
	bool is_wide;		/* low half of 64 bits */
	bool is_of_block;	/* each block has its own value */
};

struct zio_names {
	struct zio_addr addr;
	char trigger[ZIO_OBJ_NAME_LEN + 1];
	struct entry entry[N_OWNERS][ZIO_MAX_ATTRS];	/* standard ones first */
	bool found;
};

static const char *const owner_names[N_OWNERS] = { "channel", "trigger" };

static void put_address(char text[ADDRESS_SIZE], const struct zio_addr *addr)
{
	char name[ZIO_OBJ_NAME_LEN + 1];

	zio_name_text(name, addr->devname);
	snprintf(text, ADDRESS_SIZE, "%s-%04x-%u-%u", name, addr->dev_id, addr->cset,
		 addr->chan);
}

/* Put the name of @owner in a file of names; a trigger is an owner of its own. */
static void put_owner(char text[ADDRESS_SIZE], const struct zio_names *names, int owner)
{
	if (owner == ZIO_ATTR_OF_TRIGGER)
		snprintf(text, ADDRESS_SIZE, "%s:%s", owner_names[owner], names->trigger);
	else
		snprintf(text, ADDRESS_SIZE, "%s", owner_names[owner]);
}

static unsigned int find_slot(const char *place, unsigned int index)
{
	if (!strcmp(place, "std") && index < ZIO_MAX_STD_ATTR)
		return index;
	if (!strcmp(place, "ext") && index < ZIO_MAX_EXT_ATTR)
		return ZIO_MAX_STD_ATTR + index;
	return ZIO_MAX_ATTRS;
}

/* Like a block file, a file of names may come from anyone. */
static void put_entry_name(struct entry *entry, const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++)
		entry->name[i] = zio_is_harmless(name[i]) ? name[i] : '?';
	entry->name[i] = '\0';
}

/* Remove @word from the front of @text; tell whether it was there. */
static bool take_word(const char **text, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*text, word, n) || !strchr("\n ", (*text)[n]))
		return false;
	*text += n + ((*text)[n] != '\0');
	return true;
}

/* Read a line such as "ext 3 threshold signed block"; -1 if it has another form. */
static int parse_line(struct entry table[ZIO_MAX_ATTRS], const char *line)
{
	char place[8], name[ZIO_ATTR_NAME_SIZE];
	struct entry *entry;
	unsigned int index, slot;
	int rest = 0;

	if (sscanf(line, "%7s %u %31s %n", place, &index, name, &rest) < 3)
		return -1;
	line += rest;
	slot = find_slot(place, index);
	if (slot == ZIO_MAX_ATTRS)
		return -1;
	entry = &table[slot];
	put_entry_name(entry, name);
	entry->is_signed = take_word(&line, "signed");
	entry->is_wide = take_word(&line, "wide") && *place == 'e' &&
			 index + 1 < ZIO_ATTR_TRIG_EXT_CLOCK;
	entry->is_of_block = take_word(&line, "block") && *place == 'e';
	return 0;
}

/* --- from sysfs */

/* An older core has no files "control-attrs"; do without them. */
static void parse_attrs(struct entry table[ZIO_MAX_ATTRS], const struct zio_object *obj)
{
	char text[ZIO_TEXT_SIZE], *line, *next = text;

	if (zio_attr_get(obj, "control-attrs", text, sizeof(text), NULL))
		return;
	while ((line = strsep(&next, "\n")))
		parse_line(table, line);
}

/* The trigger of the set may have been replaced since the block was acquired. */
static int read_trigger(struct zio_names *names, const struct zio_object *cset,
			struct zio_error *err)
{
	char value[ZIO_TEXT_SIZE], name[ZIO_OBJ_NAME_LEN + 1];
	struct zio_object *trigger = zio_find(cset, "trigger", NULL, err);

	if (!trigger)
		return -1;
	parse_attrs(names->entry[ZIO_ATTR_OF_TRIGGER], trigger);
	if (!zio_attr_get(trigger, "name", value, sizeof(value), err)) {
		zio_name_text(name, value);
		names->found = !strcmp(name, names->trigger);
		if (!names->found)
			zio_explain(err, ENOENT, "%s is now '%s', not '%s'",
				    zio_object_name(trigger), name, names->trigger);
	}
	zio_object_free(trigger);
	return names->found ? 0 : -1;
}

static int read_kernel(struct zio_names *names, struct zio_error *err)
{
	char address[ADDRESS_SIZE], path[ADDRESS_SIZE + 16];
	char device[ZIO_OBJ_NAME_LEN + 1];
	struct zio_object *chan, *cset;
	int ret = -1;

	put_address(address, &names->addr);
	zio_name_text(device, names->addr.devname);
	snprintf(path, sizeof(path), "%s-%04x/cset%u", device, names->addr.dev_id,
		 names->addr.cset);
	chan = zio_find(NULL, address, NULL, err);
	cset = chan ? zio_find(NULL, path, NULL, err) : NULL;
	if (chan && cset) {
		parse_attrs(names->entry[ZIO_ATTR_OF_CHANNEL], chan);
		ret = read_trigger(names, cset, err);
	}
	zio_object_free(cset);
	zio_object_free(chan);
	return ret;
}

/* --- from a file */

/* Read a line of the file; skip other channels and triggers. */
static int parse_file_line(struct zio_names *names, const char *line)
{
	char address[ADDRESS_SIZE], wanted[ADDRESS_SIZE], owner[ADDRESS_SIZE];
	int i, rest = 0;

	if (*line == '#' || *line == '\n')
		return 0;
	if (sscanf(line, "%47s %47s %n", address, owner, &rest) < 2 || !rest)
		return -1;
	put_address(wanted, &names->addr);
	for (i = 0; !strcmp(address, wanted) && i < N_OWNERS; i++) {
		char name[ADDRESS_SIZE];

		put_owner(name, names, i);
		if (strcmp(owner, name))
			continue;
		names->found = true;
		return parse_line(names->entry[i], line + rest);
	}
	return 0;
}

static int parse_file(struct zio_names *names, FILE *in, const char *path,
		      struct zio_error *err)
{
	char *line = NULL;
	size_t size = 0;
	int n, ret = 0;

	for (n = 1; !ret && getline(&line, &size, in) > 0; n++)
		if (parse_file_line(names, line))
			ret = zio_explain(err, EILSEQ,
					  "%s:%d: not a line of a file of names: write such files with zio-dump --print-names",
					  path, n);
	if (!ret && ferror(in))
		ret = zio_explain(err, errno, "%s: read: %s", path, strerror(errno));
	free(line);
	return ret;
}

static int read_names(struct zio_names *names, const char *path, struct zio_error *err)
{
	char address[ADDRESS_SIZE];
	FILE *in = fopen(path, "re");
	int ret;

	if (!in)
		return zio_explain(err, errno, "%s: open for reading: %s", path,
				   strerror(errno));
	ret = parse_file(names, in, path, err);
	fclose(in);
	if (ret || names->found)
		return ret;
	put_address(address, &names->addr);
	return zio_explain(err, ENOENT, "%s has no names of %s", path, address);
}

struct zio_names *zio_names_open(const struct zio_control *control, const char *file,
				 struct zio_error *err)
{
	struct zio_names *names;

	if (!control) {
		zio_explain_null(err);
		return NULL;
	}
	names = calloc(1, sizeof(*names));
	if (!names) {
		zio_explain_memory(err);
		return NULL;
	}
	names->addr = control->addr;
	zio_name_text(names->trigger, control->triggername);
	if (!(file ? read_names(names, file, err) : read_kernel(names, err)))
		return names;
	zio_names_close(names);
	return NULL;
}

/* The control of a channel contains its address and its trigger. */
static int read_control(const struct zio_object *chan, struct zio_control *control,
			struct zio_error *err)
{
	char *path = zio_format("%s/current-control", chan->path);
	FILE *file = path ? fopen(path, "re") : NULL;
	int ret = 0;

	if (!file || fread(control, sizeof(*control), 1, file) != 1)
		ret = zio_explain(err, errno ?: EPROTO, "%s: no current control: %s",
				  zio_object_name(chan), strerror(errno ?: EPROTO));
	if (file)
		fclose(file);
	free(path);
	return ret;
}

struct zio_names *zio_names_of(const struct zio_object *chan, struct zio_error *err)
{
	struct zio_control control;

	if (!chan || chan->kind != ZIO_OBJECT_CHANNEL) {
		zio_explain(err, EINVAL, "the caller passes no channel");
		return NULL;
	}
	errno = 0;
	return read_control(chan, &control, err) ? NULL :
		zio_names_open(&control, NULL, err);
}

void zio_names_close(struct zio_names *names)
{
	int saved = errno;

	free(names);
	errno = saved;
}

bool zio_names_match(const struct zio_names *names, const struct zio_control *control)
{
	char trigger[ZIO_OBJ_NAME_LEN + 1];
	const struct zio_addr *addr;

	if (!names || !control)
		return false;
	addr = &control->addr;
	zio_name_text(trigger, control->triggername);
	return addr->dev_id == names->addr.dev_id && addr->cset == names->addr.cset &&
	       addr->chan == names->addr.chan &&
	       !strncmp(addr->devname, names->addr.devname, ZIO_OBJ_NAME_LEN) &&
	       !strcmp(trigger, names->trigger);
}

static void print_entry(const struct zio_names *names, int of, unsigned int slot,
			FILE *out)
{
	const struct entry *entry = &names->entry[of][slot];
	const char *kind = entry->is_signed ? " signed" : entry->is_wide ? " wide" : "";
	bool ext = slot >= ZIO_MAX_STD_ATTR;
	char address[ADDRESS_SIZE], owner[ADDRESS_SIZE];

	put_address(address, &names->addr);
	put_owner(owner, names, of);
	fprintf(out, "%s %s %s %u %s%s%s\n", address, owner, ext ? "ext" : "std",
		ext ? slot - ZIO_MAX_STD_ATTR : slot, entry->name, kind,
		entry->is_of_block ? " block" : "");
}

int zio_names_print(const struct zio_names *names, FILE *out)
{
	unsigned int slot;
	int i;

	if (!names || !out)
		return zio_refuse_null();
	for (i = 0; i < N_OWNERS; i++)
		for (slot = 0; slot < ZIO_MAX_ATTRS; slot++)
			if (*names->entry[i][slot].name)
				print_entry(names, i, slot, out);
	return ferror(out) ? -1 : 0;
}

/* --- the values of a control */

static bool has(uint32_t mask, unsigned int index)
{
	return mask & (1u << index);
}

/* Every trigger has its clock at the same index, unless a board uses that index itself. */
static const struct entry *find_entry(const struct zio_names *names,
				      const struct zio_ctrl_attr *attr,
				      enum zio_attr_owner owner, unsigned int slot)
{
	static const struct entry none, clock = { .name = "clock" };

	if (owner == ZIO_ATTR_OF_TRIGGER && !has(attr->std_mask, ZIO_ATTR_TRIG_CLOCK) &&
	    slot == ZIO_MAX_STD_ATTR + ZIO_ATTR_TRIG_EXT_CLOCK)
		return &clock;
	return names ? &names->entry[owner][slot] : &none;
}

static void put_std(struct zio_attr_value *value, const struct entry *entry,
		    enum zio_attr_owner owner, unsigned int index, uint32_t number)
{
	const char *name = zio_attr_name(owner, index);
	bool is_signed = entry->is_signed || zio_attr_is_signed(owner, index);

	if (!name && *entry->name)
		name = entry->name;
	if (name)
		snprintf(value->name, sizeof(value->name), "%s", name);
	else
		snprintf(value->name, sizeof(value->name), "std%u", index);
	value->value = is_signed ? (int32_t)number : (int64_t)number;
	value->index = index;
	value->is_ext = false;
	value->is_of_block = false;
}

static void put_ext(struct zio_attr_value *value, const struct entry *entry,
		    unsigned int index, uint32_t number)
{
	if (*entry->name)
		snprintf(value->name, sizeof(value->name), "%s", entry->name);
	else
		snprintf(value->name, sizeof(value->name), "ext%u", index);
	value->value = entry->is_signed ? (int32_t)number : (int64_t)number;
	value->index = index;
	value->is_ext = true;
	value->is_of_block = entry->is_of_block;
}

/* Half of a double is not a number: zio_control_scale() reads the doubles. */
static bool is_half(enum zio_attr_owner owner, unsigned int index)
{
	return owner == ZIO_ATTR_OF_CHANNEL && index >= ZIO_ATTR_SCALE_LOW &&
	       index <= ZIO_ATTR_OFFSET_HIGH;
}

static int list_ext(const struct zio_ctrl_attr *attr, const struct zio_names *names,
		    enum zio_attr_owner owner, struct zio_attr_value *list)
{
	const struct entry *entry;
	unsigned int i;
	int n = 0;

	for (i = 0; i < ZIO_MAX_EXT_ATTR; i++) {
		if (!has(attr->ext_mask, i))
			continue;
		entry = find_entry(names, attr, owner, ZIO_MAX_STD_ATTR + i);
		put_ext(&list[n++], entry, i, attr->ext_val[i]);
		if (entry->is_wide && has(attr->ext_mask, i + 1))
			list[n - 1].value |= (int64_t)((uint64_t)attr->ext_val[++i] << 32);
	}
	return n;
}

int zio_control_attrs(const struct zio_control *control, const struct zio_names *names,
		      enum zio_attr_owner owner,
		      struct zio_attr_value list[ZIO_MAX_ATTRS])
{
	const struct zio_ctrl_attr *attr;
	unsigned int i;
	int n = 0;

	if (!control || !list || owner > ZIO_ATTR_OF_TRIGGER)
		return zio_refuse_null();
	if (!zio_names_match(names, control))
		names = NULL;
	attr = owner == ZIO_ATTR_OF_CHANNEL ? &control->attr_channel :
					      &control->attr_trigger;
	for (i = 0; i < ZIO_MAX_STD_ATTR; i++)
		if (has(attr->std_mask, i) && !is_half(owner, i))
			put_std(&list[n++], find_entry(names, attr, owner, i), owner, i,
				attr->std_val[i]);
	return n + list_ext(attr, names, owner, &list[n]);
}

/* --- the values of a block */

static const struct entry *find_value(const struct zio_names *names, const char *name)
{
	const struct entry *table = names->entry[ZIO_ATTR_OF_CHANNEL];
	unsigned int i;

	for (i = ZIO_MAX_STD_ATTR; i < ZIO_MAX_ATTRS; i++)
		if (table[i].is_of_block && !strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

/* List the existing values. */
static int explain_value(const struct zio_names *names, const char *name,
			 struct zio_error *err)
{
	const struct entry *table = names->entry[ZIO_ATTR_OF_CHANNEL];
	char address[ADDRESS_SIZE], known[256] = "";
	size_t used = 0;
	unsigned int i;

	for (i = ZIO_MAX_STD_ATTR; i < ZIO_MAX_ATTRS; i++)
		if (table[i].is_of_block && used < sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s %s",
						 used ? "," : "", table[i].name);
	put_address(address, &names->addr);
	return zio_explain(err, ENOENT, "%s: its blocks have no value '%s', but%s", address,
			   name, used ? known : " none at all");
}

int zio_control_set_value(struct zio_control *control, const struct zio_names *names,
			  const char *name, int64_t value, struct zio_error *err)
{
	const struct entry *entry;
	unsigned int index;

	if (!control || !names || !name)
		return zio_explain_null(err);
	entry = find_value(names, name);
	if (!entry)
		return explain_value(names, name, err);
	if (entry->is_signed ? value != (int32_t)value : value != (uint32_t)value)
		return zio_explain(err, ERANGE, "%s: %" PRId64 " does not fit into %s", name,
				   value, entry->is_signed ? "32 bits with a sign" : "32 bits");
	index = (unsigned int)(entry - names->entry[ZIO_ATTR_OF_CHANNEL]) - ZIO_MAX_STD_ATTR;
	control->attr_channel.ext_mask |= 1u << index;
	control->attr_channel.ext_val[index] = (uint32_t)value;
	return 0;
}
