/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attributes in controls by name, and the clock of a trigger. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_NAMES_H
#define LIBZIO_ZIO_NAMES_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

#include <stdio.h>

/* Bytes of the name of an attribute, with its end */
#define ZIO_ATTR_NAME_SIZE 32
/* Attributes that one table of a control can have */
#define ZIO_MAX_ATTRS (ZIO_MAX_STD_ATTR + ZIO_MAX_EXT_ATTR)

/* The names of the attributes of one channel and its trigger. It never changes. */
struct zio_names;

/**
 * zio_names_open() - find the names of the attributes in a control
 * @control: a control of the channel; it names the channel and the trigger
 * @file: NULL: ask the kernel of this machine. Else the path of a file with names, as
 *        zio_names_print() writes it
 * @err: receives the reason of a failure; may be NULL
 *
 * A control in a block file may come from another machine, which has another device of
 * the same name: then only a file has the right names.
 *
 * Context: Any thread.
 * Return: the names, which the caller closes by zio_names_close(); or NULL with errno:
 * ENOENT there is no such channel, it has another trigger by now, or @file has no line
 * about it; EILSEQ a line of @file is wrong; EINVAL @control is NULL; ENOMEM; and the
 * errors of open(2) and read(2).
 */
struct zio_names *zio_names_open(const struct zio_control *control, const char *file,
				 struct zio_error *err);

/**
 * zio_names_of() - find the names of the attributes in the controls of a channel
 * @chan: the channel, an input or an output
 * @err: receives the reason of a failure; may be NULL
 *
 * Context: Any thread.
 * Return: as zio_names_open(); EINVAL if @chan is NULL or no channel.
 */
struct zio_names *zio_names_of(const struct zio_object *chan, struct zio_error *err);

/**
 * zio_names_close() - free names
 * @names: the names; may be NULL
 *
 * Context: Any thread; no other one may use them any more. errno is unchanged.
 */
void zio_names_close(struct zio_names *names);

/**
 * zio_names_match() - check whether names are those of a control
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
 * @out: receives a line for each attribute; a file may have lines of many channels
 *
 * Context: One thread per file.
 * Return: 0; -1 with errno: EINVAL a pointer is NULL; and the errors of write(2).
 */
int zio_names_print(const struct zio_names *names, FILE *out);

/**
 * struct zio_attr_value - the value of an attribute in a control
 * @name: its name, such as "gain-factor"; "std7" or "ext3" if the name is not known
 * @value: the number, with its sign
 * @index: its index in struct zio_ctrl_attr; that of the low half for 64 bits
 * @is_ext: it is an extended attribute
 * @is_of_block: each block has a value of its own, as the names tell
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
 * @names: the names of extended attributes; NULL if they are not known. Names that
 *         zio_names_match() refuses count as not known
 * @owner: ZIO_ATTR_OF_CHANNEL or ZIO_ATTR_OF_TRIGGER
 * @list: receives the values: standard attributes first, each by index
 *
 * Standard attributes have the names of zio_attr_name(). The doubles of a scale are not
 * listed: zio_control_scale() reads them. Two values that are halves of one number are one
 * entry, if names tell so.
 *
 * Context: Any thread.
 * Return: the number of values in @list; -1 with EINVAL: a pointer is NULL, or @owner
 * is another one.
 */
int zio_control_attrs(const struct zio_control *control, const struct zio_names *names,
		      enum zio_attr_owner owner,
		      struct zio_attr_value list[ZIO_MAX_ATTRS]);

/**
 * zio_control_set_value() - give a block of an output a value by its name
 * @control: the control for zio_write_block(), such as that of zio_control_init()
 * @names: the names of the output, see zio_names_of()
 * @name: the name of a value that each block of the output has of its own
 * @value: the number
 * @err: receives the reason of a failure; may be NULL
 *
 * Values that the control does not have are those that the driver chose. The kernel checks
 * the limits: zio_write_block() then fails with ERANGE, and nothing has changed.
 *
 * Context: Any thread.
 * Return: 0; -1 with errno: ENOENT the blocks have no such value; ERANGE it does not fit
 * into 32 bits; EINVAL a pointer is NULL. On error @control is unchanged.
 */
int zio_control_set_value(struct zio_control *control, const struct zio_names *names,
			  const char *name, int64_t value, struct zio_error *err);

/**
 * enum zio_clock_state - is a clock synchronised?
 * @ZIO_CLOCK_UNKNOWN: nobody tells: the board has its own clock, or the kernel refuses
 * @ZIO_CLOCK_SYNCHRONISED: the kernel says that its time is that of the world
 * @ZIO_CLOCK_UNSYNCHRONISED: the kernel says that it is not; for TAI also: the kernel
 *                            does not know the offset from UTC
 * @ZIO_CLOCK_LOCAL: a clock that begins at boot; no other machine has its time
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
 * @source: what counts: the clock source of the kernel, such as "tsc", or the clock of
 *          a board that stamps its blocks; "unknown"
 * @is_kernel: the kernel stamps the blocks
 * @state: enum zio_clock_state
 * @max_error_ns: largest error, in nanoseconds; -1: not known
 * @est_error_ns: error that the kernel estimates, in nanoseconds; -1: not known
 * @tai_offset: seconds by which TAI is ahead of UTC; 0: not known
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
 * State and errors are those of adjtimex(2), which NTP and PTP daemons set.
 *
 * Context: Any thread.
 * Return: 0; -1 with errno: EINVAL a pointer is NULL, or @obj is no trigger; ENOENT or
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
