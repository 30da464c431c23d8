/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attributes in controls by name, and the clock of a trigger. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_NAMES_H
#define LIBZIO_ZIO_NAMES_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

#include <stdio.h>

/* Size of the name of an attribute in bytes, including the terminator */
#define ZIO_ATTR_NAME_SIZE 32
/* Maximum number of attributes in one table of a control */
#define ZIO_MAX_ATTRS (ZIO_MAX_STD_ATTR + ZIO_MAX_EXT_ATTR)

/* The names of the attributes of one channel and its trigger. It never changes. */
struct zio_names;

/**
 * zio_names_open() - find the names of the attributes in a control
 * @control: a control of the channel, which names the channel and the trigger
 * @file: a file of names, as zio_names_print() writes it; NULL asks the running kernel
 * @err: receives the reason of a failure; may be NULL
 *
 * A control in a block file may come from another machine with a different device of the
 * same name. Only a file of names is right then.
 *
 * Context: Any thread.
 * Return: the names, to be closed with zio_names_close(); or NULL with errno: ENOENT
 * there is no such channel, its trigger has been replaced, or @file does not mention it;
 * EILSEQ @file has a wrong line; EINVAL @control is NULL; ENOMEM; and the errors of
 * open(2) and read(2).
 */
struct zio_names *zio_names_open(const struct zio_control *control, const char *file,
				 struct zio_error *err);

/**
 * zio_names_of() - find the names of the attributes in the controls of a channel
 * @chan: the channel, an input or an output
 * @err: receives the reason of a failure; may be NULL
 *
 * Context: Any thread.
 * Return: as zio_names_open(); EINVAL if @chan is NULL or not a channel.
 */
struct zio_names *zio_names_of(const struct zio_object *chan, struct zio_error *err);

/**
 * zio_names_close() - free names
 * @names: the names; may be NULL
 *
 * Context: Any thread, once nobody uses the names any more. errno is unchanged.
 */
void zio_names_close(struct zio_names *names);

/**
 * zio_names_match() - check whether names belong to a control
 * @names: the names; NULL matches nothing
 * @control: a control
 *
 * Context: Any thread.
 * Return: true if @control has the channel and the trigger of the names.
 */
bool zio_names_match(const struct zio_names *names, const struct zio_control *control);

/**
 * zio_names_print() - write names for zio_names_open()
 * @names: the names
 * @out: receives one line for each attribute; a file may hold the lines of many channels
 *
 * Context: One thread per file.
 * Return: 0; -1 with errno: EINVAL a pointer is NULL; and the errors of write(2).
 */
int zio_names_print(const struct zio_names *names, FILE *out);

/**
 * struct zio_attr_value - the value of an attribute in a control
 * @name: its name, such as "gain-factor"; "std7" or "ext3" if the name is not known
 * @value: the signed number
 * @index: its index in struct zio_ctrl_attr; for 64 bits the index of the low half
 * @is_ext: it is an extended attribute
 * @is_of_block: each block has its own value, according to the names
 */
struct zio_attr_value {
	char name[ZIO_ATTR_NAME_SIZE];
	int64_t value;
	unsigned int index;
	bool is_ext;
	bool is_of_block;
};

/**
 * zio_control_attrs() - list the attributes in a control with their names
 * @control: the control
 * @names: the names of extended attributes; NULL if unknown. Names that zio_names_match()
 *         refuses count as unknown
 * @owner: ZIO_ATTR_OF_CHANNEL or ZIO_ATTR_OF_TRIGGER
 * @list: receives the values in the order of their indices, standard attributes first
 *
 * Standard attributes have the names of zio_attr_name(). The doubles of a scale are not
 * listed: use zio_control_scale(). Two values are one entry if the names say that they
 * are halves of one number.
 *
 * Context: Any thread.
 * Return: the number of values in @list; -1 with EINVAL: a pointer is NULL, or @owner is
 * neither of these.
 */
int zio_control_attrs(const struct zio_control *control, const struct zio_names *names,
		      enum zio_attr_owner owner,
		      struct zio_attr_value list[ZIO_MAX_ATTRS]);

/**
 * zio_control_set_value() - set a named value for one block of an output
 * @control: the control for zio_write_block(), for example from zio_control_init()
 * @names: the names of the output, see zio_names_of()
 * @name: the name of a value that each block of the output has for itself
 * @value: the number
 * @err: receives the reason of a failure; may be NULL
 *
 * The driver chooses the values that the control lacks. The kernel checks the limits:
 * beyond them zio_write_block() fails with ERANGE and changes nothing.
 *
 * Context: Any thread.
 * Return: 0; -1 with errno: ENOENT the blocks have no such value; ERANGE it does not fit
 * into 32 bits; EINVAL a pointer is NULL. On error @control is unchanged.
 */
int zio_control_set_value(struct zio_control *control, const struct zio_names *names,
			  const char *name, int64_t value, struct zio_error *err);

/**
 * enum zio_clock_state - is a clock synchronised?
 * @ZIO_CLOCK_UNKNOWN: unknown: the board has its own clock, or the kernel refuses to tell
 * @ZIO_CLOCK_SYNCHRONISED: the kernel reports its clock as synchronised
 * @ZIO_CLOCK_UNSYNCHRONISED: the kernel reports its clock as not synchronised, or, for
 *                            TAI, does not know the offset from UTC
 * @ZIO_CLOCK_LOCAL: a clock that starts at boot and has no meaning on other machines
 */
enum zio_clock_state {
	ZIO_CLOCK_UNKNOWN,
	ZIO_CLOCK_SYNCHRONISED,
	ZIO_CLOCK_UNSYNCHRONISED,
	ZIO_CLOCK_LOCAL,
};

/**
 * struct zio_clock - the clock of the time stamps of a trigger
 * @name: "realtime", "tai", "monotonic" or "boottime"
 * @source: the clock source of the kernel, such as "tsc", or the clock of a board that
 *          stamps its own blocks; or "unknown"
 * @is_kernel: the kernel stamps the blocks
 * @state: enum zio_clock_state
 * @max_error_ns: maximum error in nanoseconds; -1: unknown
 * @est_error_ns: error as the kernel estimates it, in nanoseconds; -1: unknown
 * @tai_offset: seconds by which TAI is ahead of UTC; 0: unknown
 */
struct zio_clock {
	char name[16];
	char source[48];
	bool is_kernel;
	enum zio_clock_state state;
	int64_t max_error_ns;
	int64_t est_error_ns;
	int32_t tai_offset;
};

/**
 * zio_clock_info() - tell which clock stamps the blocks, and whether it is synchronised
 * @obj: a trigger, or a shared trigger
 * @clock: receives the clock
 * @err: receives the reason of a failure; may be NULL
 *
 * State and errors come from adjtimex(2), which NTP and PTP daemons maintain.
 *
 * Context: Any thread.
 * Return: 0; -1 with errno: EINVAL a pointer is NULL, or @obj is not a trigger; ENOENT or
 * ENODEV it is gone; and the errors of zio_attr_get().
 */
int zio_clock_info(const struct zio_object *obj, struct zio_clock *clock,
		   struct zio_error *err);

/**
 * zio_clock_state_name() - return the name of the state of a clock
 * @state: enum zio_clock_state
 *
 * Context: Any thread.
 * Return: "unknown", "synchronised", "unsynchronised", "local"; NULL for another number.
 */
const char *zio_clock_state_name(unsigned int state);

#endif /* LIBZIO_ZIO_NAMES_H */
